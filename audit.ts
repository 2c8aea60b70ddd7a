import { resolve } from 'node:path'
import { statSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { localEnvironment, readPlaces } from './plugins/ground/config.js'
import { verifyChain, type Link, type Verdict } from './services/areas/audit/index.js'
import { openForReading, openLive } from './services/areas/backups/index.js'
import { databaseFile, explained, identify, UnusableDatabase } from './services/ground/database/index.js'
import { neverFailToWrite } from './services/ground/output.js'

const usage = `npm run audit -- verify [--json] [--includes=<id>:<hash>] [<backup, or copy of a database>]
Checks that no entry of the audit log was changed, put in or removed. The service may be running. --includes: an entry that is known from
elsewhere has to be part of it. Exit code: 0 the log is whole, 1 it is not, 2 it cannot be checked.`

// npm run audit -- verify: reads the database of the service, or another one.
neverFailToWrite()
try {
  const { values: { json, includes, help }, positionals: [command, source] } = parseArgs({
    allowPositionals: true, options: { json: { type: 'boolean' }, includes: { type: 'string' }, help: { type: 'boolean' } }
  })
  if (help !== true && command !== 'verify') throw new UnusableDatabase(usage)
  if (help === true) console.log(usage)
  else {
    const verdict = verify(source, includes === undefined ? null : knownEntry(includes))
    console.log(json === true ? JSON.stringify(verdict) : inWords(verdict))
    process.exitCode = verdict.whole ? 0 : 1
  }
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 2
}

function verify (source: string | undefined, known: Link | null): Verdict {
  const file = source === undefined ? databaseFile(readPlaces(localEnvironment()).stateDir) : fileOf(resolve(source))
  // Nobody writes to a backup, and nothing is to be left beside it.
  const sqlite = source === undefined ? openLive(file) : openForReading(file)
  try {
    identify(sqlite, file)
    const hasLog = sqlite.prepare("select 1 from sqlite_schema where type = 'table' and name = 'audit'").get() !== undefined
    if (!hasLog) throw new UnusableDatabase(`${file} has no audit log: it is of an older version.`)
    return explained(file, () => verifyChain(sqlite, known))
  } finally {
    sqlite.close()
  }
}

/** A backup is a folder. */
function fileOf (path: string): string {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? databaseFile(path) : path
}

function knownEntry (text: string): Link {
  const [, id, hash] = /^(\d+):([0-9a-f]{64})$/.exec(text) ?? []
  if (id === undefined || hash === undefined) throw new UnusableDatabase('--includes is to be the id of an entry, a colon, and its hash')
  return { id: Number(id), hash }
}

function inWords ({ whole, entries, first, last, removed_up_to: removedUpTo, problem }: Verdict): string {
  const which = first === null || last === null ? '' : `, ${first} to ${last.id}`
  const head = last === null ? '' : `\nThe last one is ${last.id}:${last.hash}`
  const before = removedUpTo === 0 ? '' : ` Entries up to ${removedUpTo} were removed by their age.`
  return whole
    ? `The audit log is whole: ${entries} entries${which}.${before}${head}`
    : `The audit log is NOT whole. Entry ${problem?.id}: ${problem?.reason}. Whole before it: ${entries} entries${which}.${before}${head}`
}
