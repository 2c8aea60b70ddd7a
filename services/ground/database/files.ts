import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { explained, UnusableDatabase } from './unusable.js'

const databaseName = 'service.db'
const magic = 'SQLite format 3\0'
const headerBytes = 100

/** The database of a state folder. */
export const databaseFile = (stateDir: string): string => join(stateDir, databaseName)

/** Lies beside a database once there is one, so that a later start knows that it has gone. */
const markerOf = (file: string): string => join(dirname(file), `${basename(file)}.exists`)

/** Notes that there is a database now. What cannot be noted is noted at the next start. */
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
 * Looks at what lies where the database should be, before SQLite does: it would take an empty file for a new database, and
 * throw away a log that has lost its own. True: there is none, and one may be made. Throws UnusableDatabase in words.
 * `startEmpty`: what is left of a database that has gone is put aside, and a new one may be made.
 */
export function isFresh (file: string, { startEmpty = false }: { startEmpty?: boolean } = {}): boolean {
  const size = explained(file, () => sizeOf(file))
  if (size > 0) {
    assertWhole(file, { writable: true })
    return false
  }
  const log = `${file}-wal`
  const hasLog = (explained(log, () => sizeOf(log))) > 0
  if (!hasLog && !existsSync(markerOf(file))) return true
  if (!startEmpty) throw new UnusableDatabase(goneWords(file, hasLog))
  putAside(file)
  return true
}

/** 0 where there is nothing. */
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

/** Nothing is thrown away: who asked for an empty one may find out tomorrow what the log was good for. */
function putAside (file: string): void {
  rmSync(file, { force: true })
  rmSync(`${file}-shm`, { force: true })
  for (let count = 1; existsSync(`${file}-wal`); count++) {
    const aside = `${file}-wal.aside-${count}`
    if (!existsSync(aside)) renameSync(`${file}-wal`, aside)
  }
}

/**
 * Throws UnusableDatabase for a file that is no database, that is cut off (its header tells how large it must be, unless
 * what is missing may still stand in its log), or that cannot be read, or written where that is wanted.
 */
export function assertWhole (file: string, { writable }: { writable: boolean }): void {
  const header = Buffer.alloc(headerBytes)
  const { read, size } = explained(file, () => {
    const descriptor = openSync(file, writable ? 'r+' : 'r')
    try {
      return { size: fstatSync(descriptor).size, read: readSync(descriptor, header, 0, headerBytes, 0) }
    } finally {
      closeSync(descriptor)
    }
  })
  const isDatabase = header.toString('latin1', 0, Math.min(read, magic.length)) === magic.slice(0, read)
  if (!isDatabase) {
    throw new UnusableDatabase(`${file} is not a database of this service: it is a file of another kind, or one that was overwritten. Move it away, or restore a backup ("Backup and restore" in docs/operations.md).`)
  }
  if (size >= sizeInHeader(header) || (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) return
  throw new UnusableDatabase(
    `The database ${file} is truncated: ${size} of ${sizeInHeader(header)} bytes are left. Restore a backup ("Backup and restore" in docs/operations.md).`
  )
}

/** https://www.sqlite.org/fileformat2.html#the_database_header; where the count of pages is not valid, one header's size. */
function sizeInHeader (header: Buffer): number {
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
  const isCountValid = header.readUInt32BE(24) === header.readUInt32BE(92)
  return Math.max(headerBytes, isCountValid ? header.readUInt32BE(28) * pageBytes : 0)
}
