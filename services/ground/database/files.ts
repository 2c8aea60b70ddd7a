import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { DamagedDatabase, explainingErrors, UnusableDatabase } from './unusable.js'

const databaseName = 'service.db'
const magic = 'SQLite format 3\0'
const headerBytes = 100

/** Returns the path of the database in a state folder. */
export const databaseFile = (stateDir: string): string => join(stateDir, databaseName)

/** Returns the path of the marker that lies beside a database once it exists, so that a later start notices if the database is gone. */
const markerOf = (file: string): string => join(dirname(file), `${basename(file)}.exists`)

/** Writes the marker of a database that exists. If that fails, the next start tries again. */
export function mark (file: string): void {
  if (existsSync(markerOf(file))) return
  try {
    writeFileSync(
      markerOf(file),
      `While this file is here, the service refuses to start without ${basename(file)} instead of beginning with an empty one.\n`,
      { mode: 0o600 }
    )
  } catch {}
}

/**
 * Checks what lies where the database should be before SQLite does, which would take an empty file for a new database and discard a WAL
 * whose database is gone. Returns true if there is no database and one may be created. With `startEmpty`, the rest of a database that is
 * gone is set aside and a new one may be created. Throws UnusableDatabase, in plain words.
 */
export function isFresh (file: string, { startEmpty = false }: { startEmpty?: boolean } = {}): boolean {
  const size = explainingErrors(file, () => sizeOf(file))
  if (size > 0) {
    assertWhole(file, { writable: true })
    return false
  }
  const log = `${file}-wal`
  const hasLog = (explainingErrors(log, () => sizeOf(log))) > 0
  if (!hasLog && !existsSync(markerOf(file))) return true
  if (!startEmpty) throw new UnusableDatabase(goneWords(file, hasLog))
  keepWal(file)
  return true
}

/** Returns the size of a file in bytes, or 0 if it does not exist. */
function sizeOf (file: string): number {
  const stats = statSync(file, { throwIfNoEntry: false })
  if (stats === undefined) return 0
  if (stats.isDirectory()) {
    throw new UnusableDatabase(`${file} is a folder; the database should be there. Move it away, or restore a backup.`)
  }
  if (!stats.isFile()) throw new UnusableDatabase(`${file} is not a file; the database should be there. Move it away, or restore a backup.`)
  return stats.size
}

function goneWords (file: string, hasLog: boolean): string {
  const what = existsSync(file) ? 'is empty' : 'is missing'
  const left = hasLog ? `, but its log ${basename(file)}-wal is there: put the two together again` : ', although there has been one'
  return `The database ${file} ${what}${left}. Restore a backup ("Backup and restore" in docs/operations.md), or start once with SVC_WEBUI_START_EMPTY=1 to begin with an empty one.`
}

/** Keeps the WAL under another name: a person who asked for an empty database may need it later. */
function keepWal (file: string): void {
  rmSync(file, { force: true })
  rmSync(`${file}-shm`, { force: true })
  for (let count = 1; existsSync(`${file}-wal`); count++) {
    const aside = `${file}-wal.aside-${count}`
    if (!existsSync(aside)) renameSync(`${file}-wal`, aside)
  }
}

/**
 * Throws DamagedDatabase for a file that is not a database, that is truncated (its header tells the size, unless the missing part may
 * still be in the WAL), and UnusableDatabase for one that cannot be read, or written if `writable`.
 */
export function assertWhole (file: string, { writable }: { writable: boolean }): void {
  const header = Buffer.alloc(headerBytes)
  const { read, size } = explainingErrors(file, () => {
    const descriptor = openSync(file, writable ? 'r+' : 'r')
    try {
      return { size: fstatSync(descriptor).size, read: readSync(descriptor, header, 0, headerBytes, 0) }
    } finally {
      closeSync(descriptor)
    }
  })
  const isDatabase = header.toString('latin1', 0, Math.min(read, magic.length)) === magic.slice(0, read)
  if (!isDatabase) {
    throw new DamagedDatabase(`${file} is not a database of this service: it is a file of another kind, or one that was overwritten.`)
  }
  if (size >= sizeInHeader(header) || (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  throw new DamagedDatabase(`The database ${file} is truncated: ${size} of ${sizeInHeader(header)} bytes are left.`)
}

/** https://www.sqlite.org/fileformat2.html#the_database_header. Returns the size of the header if the page count is not valid. */
function sizeInHeader (header: Buffer): number {
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const isCountValid = header.readUInt32BE(24) === header.readUInt32BE(92)
  return Math.max(headerBytes, isCountValid ? header.readUInt32BE(28) * pageBytes : 0)
}
