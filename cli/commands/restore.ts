import { resolve } from 'node:path'
import { localEnvironment } from '../../plugins/ground/config-environment.js'
import { readPlaces } from '../../plugins/ground/config.js'
import { restoreBackup } from '../../services/areas/backups/index.js'
import { refuseToAgents } from '../agents.js'
import { WrongUsage, type Run } from '../command.js'

export const run: Run = async ({ operands: [named] }) => {
  if (named === undefined || named.trim() === '') {
    throw new WrongUsage('Say which to restore and name the backup: its folder, or a copy of a database', 'restore')
  }
  const { home, stateDir } = readPlaces(localEnvironment())
  refuseToAgents(stateDir)
  const restored = restoreBackup({ home, stateDir, source: resolve(named), nowS: Date.now() / 1000 })
  const { rows: { sessions = 0, messages = 0 }, replaced, attachments, settings } = restored
  return {
    text: [
      `Restored ${sessions} sessions and ${messages} messages, and ${attachments} attachments that were missing.`,
      ...(settings.putBack.length === 0 ? [] : [`Settings that were missing and are back: ${settings.putBack.join(', ')}.`]),
      ...(settings.kept.length === 0 ? [] : [`Settings that were there and stay as they are: ${settings.kept.join(', ')}.`]),
      ...(replaced === null ? [] : [`The database that was there before is kept in ${replaced}.`])
    ].join('\n'),
    value: restored
  }
}
