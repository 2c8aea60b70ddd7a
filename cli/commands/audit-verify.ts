import { existsSync, statSync } from 'node:fs'
import { verifyChain, type ChainLink, type ChainVerdict } from '../../services/areas/audit/index.js'
import { openForReading, openLive } from '../../services/areas/backups/index.js'
import { databaseFile, explainingErrors, identify, UnusableDatabase } from '../../services/ground/database/index.js'
import { asError } from '../../services/ground/errors.js'
import { backupAt } from '../backups.js'
import { CommandFailed, exitCodes, textOf, type Run } from '../command.js'
import { openPlaces, placesNow } from '../service.js'

/** Checks the database of the service, which may run, or another one. A log that cannot be checked has an exit code of its own. */
export const run: Run = async (asked) => {
  const { operands: [source] } = asked
  const includes = textOf(asked, 'includes')
  let verdict
  try {
    verdict = await verify(source, includes === undefined ? null : knownEntry(includes))
  } catch (error) {
    throw new CommandFailed(asError(error).message, exitCodes.wrongUsage)
  }
  return { text: inWords(verdict), value: verdict, exitCode: verdict.whole ? exitCodes.done : exitCodes.failed }
}

async function verify (source: string | undefined, known: ChainLink | null): Promise<ChainVerdict> {
  const file = source === undefined ? databaseFile(openPlaces().stateDir) : fileOf(await backupAt(source, placesNow().backup.folder))
  if (source === undefined && !existsSync(file)) {
    throw new UnusableDatabase(`There is no database: ${file} is missing. Give the home folder of the service with --home`)
  }
  return explainingErrors(file, () => {
    // Nothing writes to a backup, and reading it must leave no files beside it.
    const sqlite = source === undefined ? openLive(file) : openForReading(file)
    try {
      identify(sqlite, file)
      const hasLog = sqlite.prepare("select 1 from sqlite_schema where type = 'table' and name = 'audit'").get() !== undefined
      if (!hasLog) throw new UnusableDatabase(`${file} has no audit log, because it is from an older version.`)
      return verifyChain(sqlite, known)
    } finally {
      sqlite.close()
    }
  })
}

/** Returns the database file of a backup, which is a folder, or the file itself. */
function fileOf (path: string): string {
  return explainingErrors(path, () => statSync(path)).isDirectory() ? databaseFile(path) : path
}

function knownEntry (text: string): ChainLink {
  const [, id, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? []
  if (id === undefined || hash === undefined) throw new UnusableDatabase('--includes must be the id of an entry, a colon, and its hash')
  return { id: Number(id), hash }
}

function inWords ({ whole, entries, first, last, removed_up_to: removedUpTo, problem }: ChainVerdict): string {
  const which = first === null || last === null ? '' : `, ${first} to ${last.id}`
  const head = last === null ? '' : `\nThe last one is ${last.id}:${last.hash}`
  const before = removedUpTo === 0 ? '' : ` Entries up to ${removedUpTo} were removed because of their age.`
  const count = `${entries} ${entries === 1 ? 'entry' : 'entries'}${which}`
  return whole
    ? `The audit log is intact: ${count}.${before}${head}`
    : `The audit log is NOT intact. Entry ${problem?.id}: ${problem?.reason}. Intact before it: ${count}.${before}${head}`
}
