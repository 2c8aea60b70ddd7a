import { resolve } from 'node:path'
import { ConfigError } from '../../plugins/ground/config.js'
import { recordFromConsole } from '../../services/areas/audit/index.js'
import { makeBackup, openLive } from '../../services/areas/backups/index.js'
import { databaseFile } from '../../services/ground/database/index.js'
import { asError } from '../../services/ground/errors.js'
import { type Run } from '../command.js'
import { openPlaces } from '../service.js'
import { counted } from '../words.js'

/** Backs up to the usual folder, where the oldest backups are removed, or to a given one, where none is. The service may run. */
export const run: Run = async ({ operands: [named] }) => {
  if (named?.trim() === '') {
    throw new ConfigError(['the name of the folder is empty (is a variable not set?); without a name, the backup goes to the usual folder'])
  }
  const { home, stateDir, backup } = openPlaces()
  const folder = named === undefined ? backup.folder : resolve(named)
  const nowS = Date.now() / 1000
  const { name, manifest } = makeBackup({ home, stateDir, folder, keep: named === undefined ? backup.keep : null, nowS })
  const { sessions = 0, messages = 0 } = manifest.rows
  const path = resolve(folder, name)
  const untold = recorded(stateDir, name, nowS)
  return {
    text: `Backed up to ${path}: ${counted(sessions, 'session')}, ${counted(messages, 'message')}, ${counted(manifest.attachments, 'attachment')}. The backup was read again and is intact.${untold}`,
    value: { path, manifest }
  }
}

/** Records a backup in the audit log. Returns an empty string, or a sentence if that failed: the backup is good all the same. */
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
    return ` It could not be recorded in the audit log: ${asError(error).message}`
  }
}
