import { resolve } from 'node:path'
import { ConfigError, localEnvironment, readPlaces } from './plugins/ground/config.js'
import { recordFromConsole } from './services/areas/audit/index.js'
import { makeBackup, openLive } from './services/areas/backups/index.js'
import { databaseFile } from './services/ground/database/index.js'
import { told } from './services/areas/backups/telling.js'

// npm run backup [-- <folder>]: may be called while the service runs. In the usual folder the oldest go, in a named one none does.
told(() => {
  const [named] = process.argv.slice(2)
  if (named?.trim() === '') {
    throw new ConfigError([
      'the name of the folder is empty (a variable that is not set?); without a name the backup goes to the usual place'
    ])
  }
  const { home, stateDir, backup } = readPlaces(localEnvironment())
  const folder = named === undefined ? backup.folder : resolve(named)
  const nowS = Date.now() / 1000
  const { name, manifest } = makeBackup({ home, stateDir, folder, keep: named === undefined ? backup.keep : null, nowS })
  const { sessions = 0, messages = 0 } = manifest.rows
  return `Backed up to ${resolve(folder, name)}: ${sessions} sessions, ${messages} messages, ${manifest.attachments} attachments. Read again and found whole.${recorded(stateDir, name, nowS)}`
})

/** Records a backup in the audit log. The backup is good whatever becomes of that: nothing, or a sentence about it. */
function recorded (stateDir: string, backup: string, nowS: number): string {
  try {
    const sqlite = openLive(databaseFile(stateDir))
    try {
      recordFromConsole(sqlite, nowS, 'backup.created', { backup })
    } finally {
      sqlite.close()
    }
    return ''
  } catch (error) {
    return ` It could not be recorded in the audit log: ${(error as Error).message}`
  }
}
