import { createHash } from 'node:crypto'
import {
  chmodSync, closeSync, copyFileSync, constants, linkSync, lstatSync, mkdirSync, openSync, readdirSync, readSync, utimesSync
} from 'node:fs'
import { dirname, join } from 'node:path'
import { syncNow } from '../../ground/files/sync.js'
import { codeOf } from '../../ground/errors.js'

const pieceBytes = 1024 * 1024

/** Returns the SHA-256 of a file's content, in hexadecimal digits. */
export function digest (path: string): string {
  const hash = createHash('sha256')
  const piece = Buffer.allocUnsafe(pieceBytes)
  const descriptor = openSync(path, 'r')
  try {
    for (let read; (read = readSync(descriptor, piece)) > 0;) hash.update(piece.subarray(0, read))
  } finally {
    closeSync(descriptor)
  }
  return hash.digest('hex')
}

/**
 * Lists the files below a folder, relative to it, without names at the top level that begin with a dot. Empty if the folder does not exist.
 */
export function filesBelow (folder: string): string[] {
  let names: string[] = []
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {}
  return names.filter((name) => !name.startsWith('.') && isFile(join(folder, name)))
}

/**
 * Copies a file with its times, readable for its owner alone, and flushes it to the disk. `like` is an earlier copy: if it has the same
 * size and time, a hard link to it is made instead, because these files are never changed. Returns false if the file is gone.
 */
export function copy (from: string, to: string, like?: string): boolean {
  const stats = lstatSync(from, { throwIfNoEntry: false })
  if (stats === undefined) return false
  mkdirSync(dirname(to), { recursive: true, mode: 0o700 })
  const earlier = like === undefined ? undefined : lstatSync(like, { throwIfNoEntry: false })
  if (like !== undefined && earlier?.isFile() === true && earlier.size === stats.size && Math.abs(earlier.mtimeMs - stats.mtimeMs) < 1) {
    try {
      linkSync(like, to)
      return true
    } catch {}
  }
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
  chmodSync(to, 0o600)
  utimesSync(to, stats.atime, stats.mtime)
  syncNow(to)
  return true
}

function isFile (path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true
}
