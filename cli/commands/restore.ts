import { resolve } from 'node:path'
import { localEnvironment } from '../../plugins/ground/config-environment.js'
import { readPlaces } from '../../plugins/ground/config.js'
import { restoreBackup } from '../../services/areas/backups/index.js'
import { refuseToAgents } from '../agents.js'
import { WrongUsage, type Run } from '../command.js'
import { counted } from '../words.js'

export const run: Run = async ({ operands: [named] }) => {
  if (named === undefined || named.trim() === '') {
    throw new WrongUsage('Name the backup to restore: its folder, or a copy of a database')
  }
  const { home, stateDir } = readPlaces(localEnvironment())
  refuseToAgents(stateDir)
  const restored = restoreBackup({ home, stateDir, source: resolve(named), nowS: Date.now() / 1000 })
  const { rows: { sessions = 0, messages = 0 }, replaced, attachments, settings } = restored
  return {
    text: [
      `Restored ${counted(sessions, 'session')}, ${counted(messages, 'message')}, and ${counted(attachments, 'missing attachment')}.`,
      ...(settings.putBack.length === 0 ? [] : [`Restored settings that were missing: ${settings.putBack.join(', ')}.`]),
      ...(settings.kept.length === 0 ? [] : [`Kept the present settings: ${settings.kept.join(', ')}.`]),
      ...(replaced === null ? [] : [`The previous database is kept in ${replaced}.`])
    ].join('\n'),
    value: restored
  }
}
