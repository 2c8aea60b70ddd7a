import Sqlite from 'better-sqlite3'
import { readFileSync } from 'node:fs'
import { asset } from '../assets.js'
import { isMidway } from './migrating.js'
import { UnusableDatabase } from './unusable.js'
import { createValues } from './values.js'

/** Which migrations a database has had. The version of an empty one is 0. */
export interface DatabaseVersion {
  /** How many migrations; one that was begun and not ended is none. */
  version: number
  /** Version of the program that has opened it last; null in databases from before that was noted. */
  program: string | null
}

const programKey = 'written_by'

/** Version of this program. */
export const programVersion: string = (JSON.parse(readFileSync(asset('package.json'), 'utf8')) as { version: string }).version

interface Known { when: number }
const known: Known[] = (JSON.parse(readFileSync(asset('drizzle/meta/_journal.json'), 'utf8')) as { entries: Known[] }).entries

/** The version of databases that this program writes. */
export const knownVersion = known.length

/**
 * Says which version a database has. Throws UnusableDatabase for one that is not this service's, and for one that has
 * had migrations which this program does not know: it would write what the newer one does not expect.
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

/** Whether this program would migrate a database. Throws what identify throws. */
export function isBehind (file: string): boolean {
  const sqlite = new Sqlite(file)
  try {
    return identify(sqlite, file).version < knownVersion
  } finally {
    sqlite.close()
  }
}

/** Notes the version of this program in a database that it has just brought up to its own version. */
export function sign (sqlite: Sqlite.Database): void {
  if (writtenBy(sqlite) === programVersion) return
  createValues(sqlite).set(programKey, programVersion, Math.floor(Date.now() / 1000))
}

function hadMigrations (sqlite: Sqlite.Database): boolean {
  return sqlite.prepare('select count(*) from __drizzle_migrations').pluck().get() !== 0
}

/** The newer program may keep it in another way. */
function writtenBy (sqlite: Sqlite.Database): string | null {
  try {
    const version = createValues(sqlite).get(programKey)
    return typeof version === 'string' ? version.slice(0, 40) : null
  } catch {
    return null
  }
}
