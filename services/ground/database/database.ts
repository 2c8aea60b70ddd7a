import Sqlite from 'better-sqlite3'
import { drizzle, type BetterSQLite3Database } from 'drizzle-orm/better-sqlite3'
import { closeSync, openSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { isFresh, mark } from './files.js'
import { identify, knownVersion, sign } from './identity.js'
import { prepareLate } from './late-statements.js'
import { provideMasks } from './masks.js'
import { migrating } from './migrating.js'
import { oneRow } from './one-row.js'
import { atOnce, inTurns } from './portions.js'
import * as tables from './tables.js'
import { isDiskTrouble, wrappedCode } from './trouble.js'
import { explainingErrors, inPlainWords, UnusableDatabase } from './unusable.js'
import { watchWal, type CheckpointWal } from './wal.js'
import { createWriter, type Writer } from './writer.js'

/** SQLite before this version has a WAL bug that can corrupt a database when a checkpoint races a reset. */
const minimumSqlite = [3, 51, 3] as const

export interface Database extends Writer {
  /** Typed queries. The service that owns a hot query prepares it once. */
  orm: BetterSQLite3Database<typeof tables>
  /** The bare connection, for statements for which every microsecond counts. */
  sqlite: Sqlite.Database
  /** Whether the disk has no room at all, even if the space that the WAL already has still takes small writes. */
  isFull (): boolean
  /** From now on lets `checkpoint` copy the WAL into the database file where that would block a commit. */
  checkpointBy (checkpoint: CheckpointWal): void
  /** Stores the writes that still wait, if the disk permits, and closes. */
  close (): void
}

export interface OpenOptions {
  /** A path, or `:memory:`. */
  file: string
  /** Initial content of a database in memory, as serialised by another one. */
  from?: Buffer
  /** Begins with an empty database if there was one and it is gone. */
  startEmpty?: boolean
  /** Called when writes begin to fail and are retried, and when a callback after a commit has thrown. */
  onWriteFailure?: (error: Error) => void
  /** Called when writes succeed again. */
  onRecovery?: () => void
}

/** While the service opens the database, it can wait for another program. Later, waiting would block the event loop. */
const openingBusyMs = 5_000
const busyMs = 10
/** With less room on the disk, the next writes would be refused again. */
const leastRoomBytes = 256 * 1024

/**
 * Opens (and creates or migrates) the database: WAL, foreign keys, one connection for all reads and writes of the process. On a full disk
 * it opens too, and writes once there is room again, unless a migration is needed. Throws UnusableDatabase, in plain words, if the database
 * cannot be used or the SQLite library is older than {@link minimumSqlite}.
 */
export function openDatabase (options: OpenOptions): Database {
  return atOnce(opening(options))
}

/** Does the same, one portion at a time if there is much to migrate. `tell` receives the progress, 0 to 1. */
export async function openInPortions (options: OpenOptions, tell: (progress: number) => void | Promise<void>): Promise<Database> {
  return await inTurns(opening(options), tell)
}

function * opening ({ file, from, startEmpty, onWriteFailure, onRecovery }: OpenOptions): Generator<number, Database> {
  const inMemory = file === ':memory:'
  const { sqlite, isCramped } = inMemory ? { sqlite: new Sqlite(from ?? file), isCramped: false } : openFile(file, startEmpty)
  try {
    assertSqliteVersion(oneRow(sqlite.prepare<[], string>('select sqlite_version()').pluck()))
    provideMasks(sqlite)
    prepareLate(sqlite)
    const orm = drizzle(sqlite, { schema: tables, casing: 'snake_case' })
    yield * prepare(sqlite, file)
    if (!inMemory) mark(file)
    let cramped = isCramped
    let wal: ReturnType<typeof watchWal> | undefined
    const writer = createWriter(sqlite, {
      busyMs,
      from: isCramped ? 'full' : undefined,
      onFailure: onWriteFailure,
      onStored: () => wal?.grown(),
      hasRoom: () => inMemory || roomBeside(file) >= leastRoomBytes,
      onRecovery () {
        if (cramped) cramped = !share(sqlite)
        if (!cramped) onRecovery?.()
        return !cramped
      }
    })
    writer.probe()
    return {
      ...writer,
      orm,
      sqlite,
      isFull: () => !inMemory && roomBeside(file) === 0,
      checkpointBy (checkpoint) { if (!inMemory) wal = watchWal(sqlite, file, checkpoint) },
      close () {
        writer.stop()
        sqlite.close()
      }
    }
  } catch (error) {
    sqlite.close()
    throw inPlainWords(error, file) ?? error
  }
}

function openFile (file: string, startEmpty?: boolean): { sqlite: Sqlite.Database, isCramped: boolean } {
  // Created by us, so that only our user can read it. SQLite gives its side files the same mode.
  if (isFresh(file, { startEmpty })) explainingErrors(file, () => closeSync(openSync(file, 'a', 0o600)))
  const connect = (): Sqlite.Database => {
    const sqlite = new Sqlite(file, { timeout: openingBusyMs })
    sqlite.pragma('cache_size = -16000')
    return sqlite
  }
  return explainingErrors(file, () => {
    const sqlite = connect()
    try {
      // Checked before anything is written, even the journal mode.
      identify(sqlite, file)
      sqlite.pragma('journal_mode = WAL')
      sqlite.prepare('select count(*) from sqlite_schema').get()
      return { sqlite, isCramped: false }
    } catch (error) {
      sqlite.close()
      if (!/^SQLITE_(FULL|IOERR_SHMSIZE|IOERR_SHMOPEN|IOERR_SHMMAP|CANTOPEN)/.test(wrappedCode(error))) throw error
    }
    // The disk has no room for the index of the WAL. It is held in memory instead, where no other process can share it.
    const alone = connect()
    try {
      alone.pragma('locking_mode = EXCLUSIVE')
      identify(alone, file)
      return { sqlite: alone, isCramped: true }
    } catch (error) {
      alone.close()
      throw error
    }
  })
}

/**
 * Ends the exclusive lock of {@link openFile}, which SQLite releases only outside WAL mode. Returns false if there is no room for that yet.
 */
function share (sqlite: Sqlite.Database): boolean {
  try {
    sqlite.pragma('journal_mode = DELETE')
    sqlite.pragma('locking_mode = NORMAL')
    sqlite.prepare('select count(*) from sqlite_schema').get()
    sqlite.pragma('journal_mode = WAL')
    sqlite.prepare('select count(*) from sqlite_schema').get()
    return true
  } catch (error) {
    if (!isDiskTrouble(error)) throw error
    sqlite.pragma('locking_mode = EXCLUSIVE')
    return false
  }
}

/** Returns how many bytes this process may still write to the disk of a file; Infinity if the system does not say. */
function roomBeside (file: string): number {
  try {
    const { blocks, bavail, bsize } = statfsSync(dirname(file))
    // Some file systems do not tell.
    return blocks === 0 ? Infinity : bavail * bsize
  } catch {
    return Infinity
  }
}

function * prepare (sqlite: Sqlite.Database, file: string): Generator<number> {
  sqlite.pragma('synchronous = NORMAL')
  sqlite.pragma('foreign_keys = ON')
  sqlite.pragma('journal_size_limit = 67108864')
  // What is deleted or replaced is overwritten, and not only marked as free.
  sqlite.pragma('secure_delete = ON')
  const { version } = identify(sqlite, file)
  if (version !== knownVersion) {
    // Migrating a new database takes no time, because it is empty.
    if (version === 0) atOnce(migrating(sqlite))
    else {
      yield 0
      yield * migrating(sqlite)
    }
  }
  if (file === ':memory:') return
  try {
    sign(sqlite)
  } catch (error) {
    if (!isDiskTrouble(error)) throw error
  }
}

export function assertSqliteVersion (version: string): void {
  const actual = version.split('.').map(Number)
  for (const [index, least] of minimumSqlite.entries()) {
    const part = actual[index] ?? 0
    if (part > least) return
    if (part < least) throw new UnusableDatabase(`SQLite ${version} is too old: ${minimumSqlite.join('.')} or newer is needed`)
  }
}
