import Sqlite from 'better-sqlite3'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { migrate } from 'drizzle-orm/better-sqlite3/migrator'
import { closeSync, openSync } from 'node:fs'
import { asset } from '../assets.js'
import * as tables from './tables.js'
import { createWriter, type Writer } from './writer.js'

/** SQLite before this has a WAL bug that can corrupt a database after a checkpoint races a reset. */
export const minimumSqlite = [3, 51, 3] as const

export interface Database extends Writer {
  /** Typed queries. Hot ones are prepared once by the service that owns them. */
  orm: BetterSQLite3Database<typeof tables>
  /** The bare connection, for statements where every microsecond counts. */
  sqlite: Sqlite.Database
  close (): void
}

export interface OpenOptions {
  /** A path, or `:memory:`. */
  file: string
  onWriteFailure?: (error: Error) => void
}

/**
 * Opens (and creates or migrates) the database: WAL, foreign keys, one connection for the whole process.
 * Throws when the SQLite library is older than {@link minimumSqlite}.
 */
export function openDatabase ({ file, onWriteFailure }: OpenOptions): Database {
  // Made by us, so that it is ours alone; SQLite gives its side files the same mode.
  if (file !== ':memory:') closeSync(openSync(file, 'a', 0o600))
  const sqlite = new Sqlite(file)
  assertSqliteVersion(sqlite.prepare('select sqlite_version() as version').pluck().get() as string)
  sqlite.pragma('journal_mode = WAL')
  sqlite.pragma('synchronous = NORMAL')
  sqlite.pragma('foreign_keys = ON')
  sqlite.pragma('busy_timeout = 5000')
  sqlite.pragma('cache_size = -16000')
  sqlite.pragma('journal_size_limit = 67108864')
  const orm = drizzle(sqlite, { schema: tables, casing: 'snake_case' })
  migrate(orm, { migrationsFolder: asset('drizzle') })
  const writer = createWriter(sqlite, { onFailure: onWriteFailure })
  return {
    ...writer,
    orm,
    sqlite,
    close () {
      writer.flush()
      sqlite.close()
    }
  }
}

export function assertSqliteVersion (version: string): void {
  const actual = version.split('.').map(Number)
  for (const [index, least] of minimumSqlite.entries()) {
    const part = actual[index] ?? 0
    if (part > least) return
    if (part < least) throw new Error(`SQLite ${version} is too old: ${minimumSqlite.join('.')} or newer is needed`)
  }
}
