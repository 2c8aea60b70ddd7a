import Sqlite from 'better-sqlite3'
import { readFileSync } from 'node:fs'
import { asset } from '../assets.js'
import { isMidway } from './migrating.js'
import { UnusableDatabase } from './unusable.js'
import { createValues } from './values.js'

/** The state of a database's migrations. An empty one has version 0. */
export interface DatabaseVersion {
  /** How many migrations are complete. One that was begun and not finished does not count. */
  version: number
  /** Version of the program that opened the database last; null in databases from before that was noted. */
  program: string | null
}

const programKey = 'written_by'

/** Version of this program. */
export const programVersion: string = (JSON.parse(readFileSync(asset('package.json'), 'utf8')) as { version: string }).version

interface JournalEntry { when: number }
const known: JournalEntry[] = (JSON.parse(readFileSync(asset('drizzle/meta/_journal.json'), 'utf8')) as { entries: JournalEntry[] }).entries

/** The database version that this program writes. */
export const knownVersion = known.length

/**
 * Returns the version of a database. Throws UnusableDatabase for a database of another program, and for one with migrations that this
 * program does not know, because it would write what the newer program does not expect.
 */
export function identify (sqlite: Sqlite.Database, file: string): DatabaseVersion {
  const tables = new Set(sqlite.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all())
  if (tables.size === 0) return { version: 0, program: null }
  if (!tables.has('__drizzle_migrations') || (!tables.has('sessions') && hadMigrations(sqlite))) {
    throw new UnusableDatabase(
      `${file} is the database of another program. Move it away, or set SVC_WEBUI_STATE_DIR to another folder.`
    )
  }
  const had = sqlite.prepare<[], number>('select created_at from __drizzle_migrations order by created_at').pluck().all().map(Number)
  const program = tables.has('settings') ? writtenBy(sqlite) : null
  const whens = new Set(known.map(({ when }) => when))
  if (had.some((when) => !whens.has(when))) {
    const from = program === null || program === programVersion ? 'a newer program' : `a newer program, ${program}`
    throw new UnusableDatabase(`${file} has version ${had.length} and was written by ${from}; this is ${programVersion}, which knows versions up to ${knownVersion}. Start the newer program, or restore a backup from before the upgrade.`)
  }
  return { version: had.length - (tables.has('settings') && isMidway(sqlite) ? 1 : 0), program }
}

/** Whether this program would migrate a database. Throws what `identify` throws. */
export function isBehind (file: string): boolean {
  const sqlite = new Sqlite(file)
  try {
    return identify(sqlite, file).version < knownVersion
  } finally {
    sqlite.close()
  }
}

/** Notes the version of this program in a database that has just been migrated. */
export function sign (sqlite: Sqlite.Database): void {
  if (writtenBy(sqlite) === programVersion) return
  createValues(sqlite).set(programKey, programVersion, Math.floor(Date.now() / 1000))
}

function hadMigrations (sqlite: Sqlite.Database): boolean {
  return sqlite.prepare('select count(*) from __drizzle_migrations').pluck().get() !== 0
}

/** A newer program may store this in another way. */
function writtenBy (sqlite: Sqlite.Database): string | null {
  try {
    const version = createValues(sqlite).get(programKey)
    return typeof version === 'string' ? version.slice(0, 40) : null
  } catch {
    return null
  }
}
