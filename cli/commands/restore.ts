import { restoreBackup } from '../../services/areas/backups/index.js'
import { refuseToAgents } from '../agents.js'
import { backupAt } from '../backups.js'
import { WrongUsage, type Run } from '../command.js'
import { openPlaces } from '../service.js'
import { counted } from '../words.js'

const mostNamed = 5

export const run: Run = async ({ operands: [named] }) => {
  if (named === undefined || named.trim() === '') {
    throw new WrongUsage('Name the backup to restore: its folder, or a copy of a database')
  }
  const { home, stateDir, backup } = openPlaces()
  refuseToAgents(stateDir)
  const restored = restoreBackup({ home, stateDir, source: await backupAt(named, backup.folder), nowS: Date.now() / 1000 })
  const { rows: { sessions = 0, messages = 0 }, replaced, attachments, settings, missing_folders: missing } = restored
  return {
    text: [
      `Restored ${counted(sessions, 'session')}, ${counted(messages, 'message')}, and ${counted(attachments, 'missing attachment')}.`,
      ...(settings.put_back.length === 0 ? [] : [`Restored settings that were missing: ${settings.put_back.join(', ')}.`]),
      ...(settings.kept.length === 0 ? [] : [`Kept the present settings: ${settings.kept.join(', ')}.`]),
      ...(missing.length === 0 ? [] : [missingInWords(missing)]),
      ...(replaced === null ? [] : [`The previous database is kept in ${replaced}.`])
    ].join('\n'),
    value: restored
  }
}

function missingInWords (folders: readonly string[]): string {
  const more = folders.length > mostNamed ? ` and ${folders.length - mostNamed} more` : ''
  return `This machine has no ${folders.slice(0, mostNamed).join(', ')}${more}. Put these folders there, or choose another folder in their conversations.`
}
