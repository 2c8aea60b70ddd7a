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
import { explained, inPlainWords, UnusableDatabase } from './unusable.js'
import { watchWal, type CheckpointWal } from './wal.js'
import { createWriter, type Writer } from './writer.js'

/** SQLite before this has a WAL bug that can corrupt a database after a checkpoint races a reset. */
const minimumSqlite = [3, 51, 3] as const

export interface Database extends Writer {
  /** Typed queries. Hot ones are prepared once by the service that owns them. */
  orm: BetterSQLite3Database<typeof tables>
  /** The bare connection, for statements where every microsecond counts. */
  sqlite: Sqlite.Database
  /** Whether the disk has no room at all, even where what the log has taken of it already still holds small writes. */
  isFull (): boolean
  /** From now on has `checkpoint` copy the log into the database file, where that would hold up a commit. */
  checkpointBy (checkpoint: CheckpointWal): void
  /** Stores what is still waiting, if the disk lets it, and closes. */
  close (): void
}

export interface OpenOptions {
  /** A path, or `:memory:`. */
  file: string
  /** What a database in memory begins with, serialised by another one. */
  from?: Buffer
  /** Begins with an empty database where there has been one that is gone. */
  startEmpty?: boolean
  /** Writes fail from now on and are tried again; or what was told after a commit has thrown. */
  onWriteFailure?: (error: Error) => void
  /** Writes go through again. */
  onRecovery?: () => void
}

/** Before anybody is served, another program may be waited for; afterwards the event loop must not stand still for it. */
const openingBusyMs = 5_000
const busyMs = 10
/** With less room on the disk the next writes would be refused again. */
const leastRoomBytes = 256 * 1024

/**
 * Opens (and creates or migrates) the database: WAL, foreign keys, one connection for all that the process reads and writes. On a full
 * disk it opens as well, and writes when there is room again, unless there is something to migrate. Throws UnusableDatabase, in plain
 * words, for what cannot be used; and when the SQLite library is older than {@link minimumSqlite}.
 */
export function openDatabase (options: OpenOptions): Database {
  return atOnce(opening(options))
}

/** The same, a portion at a time where there is much to migrate: `tell` hears how much is done, 0 to 1. */
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
  // Made by us, so that it is ours alone; SQLite gives its side files the same mode.
  if (isFresh(file, { startEmpty })) explained(file, () => closeSync(openSync(file, 'a', 0o600)))
  const connect = (): Sqlite.Database => {
    const sqlite = new Sqlite(file, { timeout: openingBusyMs })
    sqlite.pragma('cache_size = -16000')
    return sqlite
  }
  return explained(file, () => {
    const sqlite = connect()
    try {
      // Looked at before anything is written, be it only the kind of its journal.
      identify(sqlite, file)
      sqlite.pragma('journal_mode = WAL')
      sqlite.prepare('select count(*) from sqlite_schema').get()
      return { sqlite, isCramped: false }
    } catch (error) {
      sqlite.close()
      if (!/^SQLITE_(FULL|IOERR_SHMSIZE|IOERR_SHMOPEN|IOERR_SHMMAP|CANTOPEN)/.test(wrappedCode(error))) throw error
    }
    // No room for the index of the log: held in memory instead, which nobody else can share.
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

/** Gives up the exclusive hold of {@link openFile}; only outside WAL mode SQLite lets it go. False: there is no room for it yet. */
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

/** Bytes that this process may still write to the disk that a file is on; endless where the system does not say. */
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
  const { version } = identify(sqlite, file)
  if (version !== knownVersion) {
    // A new one has nothing in it that would take its time.
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
