import { stat } from 'node:fs/promises'
import { commandLine } from '../../../ground/command-line.js'
import { knownVersion, type TroubleKind } from '../../../ground/database/index.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'
import { shellPath, sizeWords } from '../texts.js'

export interface LiveDatabase {
  file: string
  /** Why nothing can be stored; null if it can. */
  trouble: () => TroubleKind | null
  /** The result of the check of every page after the start; null for a database in memory. */
  verdict: () => 'pending' | 'ok' | 'damaged' | 'unfinished' | null
}

/** The log is emptied continuously, unless a program reads the database for hours. */
const largeLogBytes = 256 * 1024 ** 2
const troubles: Record<TroubleKind, (file: string) => Finding> = {
  full: () => problem(
    'Nothing can be stored: the disk is full.',
    'Make room on the disk of the state folder. The service then continues by itself:\ndf -h'
  ),
  readonly: () => problem(
    'Nothing can be stored: the disk is read-only.',
    'Find out why the system mounted it so, and mount it writable:\nsudo dmesg | tail -50'
  ),
  failing: () => problem(
    'Nothing can be stored: the disk reports errors.',
    'Look at the log of the system, and replace the disk:\nsudo dmesg | tail -50'
  ),
  locked: (file) => problem(
    'Nothing can be stored: another program holds the lock of the database.',
    `Close it. It is a database browser or a sqlite3 shell:\nsudo fuser -v ${shellPath(file)}`
  )
}

/** The database of a running service: whether it can be written, its check after the start, its size and that of its log. */
export function liveDatabaseCheck ({ file, trouble, verdict }: LiveDatabase): Check {
  return {
    id: 'database',
    group: 'storage',
    title: 'Database',
    async run () {
      const now = trouble()
      if (now !== null) return troubles[now](file)
      const checked = verdict()
      if (checked === null) return coded(skipped('The database is in memory.'), 'database_in_memory')
      if (checked === 'damaged') {
        return problem('The database is damaged.', `Stop the service and restore a backup:\n${commandLine('restore backup-NAME')}`)
      }
      const [database, log] = await Promise.all([file, `${file}-wal`].map(async (path) => (await stat(path).catch(() => ({ size: 0 }))).size))
      const values = { size: sizeWords(database ?? 0), version: knownVersion, log: sizeWords(log ?? 0) }
      const words = `${values.size}, version ${values.version}, log ${values.log}`
      if ((log ?? 0) > largeLogBytes) {
        return warning(
          `The log of the database has grown (${words}): another program has been reading it for a long time.`,
          'Close database browsers and sqlite3 shells, or restart the service.'
        )
      }
      if (checked === 'ok') return coded(ok(`The database is intact: ${words}, no damage found.`), 'database_intact', values)
      return checked === 'pending'
        ? coded(
          skipped(`The check after the start has not ended yet: ${words}.`, 'Check again in a few minutes.'), 'database_checking', values
        )
        : warning(`The check after the start could not be completed: ${words}.`, `Make a backup, which checks the database, too:\n${commandLine('backup')}`)
    }
  }
}
