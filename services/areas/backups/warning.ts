import { type BackupStatus } from './backups.js'
import { type Failure } from './program.js'

const why: Record<Failure, string> = {
  no_room: 'there is not enough room for it',
  damaged: 'the database is damaged',
  locked: 'another program has locked the database',
  failed: 'the log has the details'
}

/** Returns what a person should know about the backups; null if all is well. */
export function backupWarning ({ everyHours, result, ageS, failure }: BackupStatus): string | null {
  if (failure !== null && result !== 'running') return `The last backup could not be made: ${why[failure]}.`
  if (everyHours > 0 && ageS !== null && ageS > 2 * everyHours * 3600 && result !== 'running') {
    return 'The last backup is older than it should be. The next one will be made soon.'
  }
  return null
}
