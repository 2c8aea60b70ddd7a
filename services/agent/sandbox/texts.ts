import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { tried } from '../../ground/tried.js'
import { within } from '../tools/containment.js'

/** The content of a file, one character per byte (latin1). If it is not whole, it only shows whether the file has changed. */
export interface Text { text: string, isWhole: boolean }

const mostBytes = 256 * 1024

/** Returns a hash that identifies a content; `bytes` as read here, one character per byte. */
export const sealOf = (bytes: string): string => createHash('sha256').update(bytes).digest('hex').slice(0, 32)

/**
 * Returns the stats of a path, links not followed; undefined if nothing is there, and for a path that cannot be read: too long, through a
 * loop, in a folder without access.
 */
export const statsOf = (path: string): Stats | undefined => tried(() => lstatSync(path, { throwIfNoEntry: false }), undefined)

/** Caches texts of small files; a file that has changed is read again. */
export class TextCache {
  readonly #known = new Map<string, { stamp: string, text: Text }>()
  static readonly #most = 2_000

  /** Returns the text of a regular file; null for anything else, and for a file outside `folder`. */
  read (path: string, folder?: string): Text | null {
    if (folder !== undefined && !within(folder, path)) return null
    const stats = statsOf(path)
    if (stats === undefined || !stats.isFile()) return null
    const stamp = stampOf(stats)
    const known = this.#known.get(path)
    if (known?.stamp === stamp) return known.text
    const text = readText(path, stats)
    // A file that changed a moment ago may change again within the resolution of its times, so that its stamp stays the same.
    if (Math.abs(Date.now() - stats.ctimeMs) > 50) {
      if (this.#known.size >= TextCache.#most) this.#known.clear()
      this.#known.set(path, { stamp, text })
    }
    return text
  }
}

const mostHashedBytes = 32 * 1024 * 1024
const hashes = new Map<string, string>()

/** Returns the hash of a binary or long file's content; null if the file is longer than `mostHashedBytes`, or cannot be read. */
export function hashOfFile (path: string, stats: Stats): string | null {
  const stamp = stampOf(stats)
  const known = hashes.get(stamp)
  if (known !== undefined) return known
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (stats.size > mostHashedBytes || stampOf(fstatSync(descriptor)) !== stamp) return null
    const hash = createHash('sha256')
    const buffer = Buffer.alloc(mostBytes)
    for (let bytes = readSync(descriptor, buffer, 0, mostBytes, null); bytes > 0; bytes = readSync(
      descriptor, buffer, 0, mostBytes, null
    )) hash.update(buffer.subarray(0, bytes))
    if (stampOf(fstatSync(descriptor)) !== stamp) return null
    const found = hash.digest('hex')
    if (hashes.size >= 2_000) hashes.clear()
    if (Math.abs(Date.now() - stats.ctimeMs) > 50) hashes.set(stamp, found)
    return found
  } catch {
    return null
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** Returns a stamp that shows, without reading the content, whether a file has changed. */
export const stampOf = ({ dev, ino, size, mode, mtimeMs, ctimeMs }: Stats): string => `${dev}:${ino}:${size}:${mode}:${mtimeMs}:${ctimeMs}`

/** Reads a file. Its time of change (ctime), which no process can set, stands for the part that is not read. */
function readText (path: string, stats: Stats): Text {
  const unread = (beginning: string): Text => ({ text: `${beginning}\0${stampOf(stats)}`, isWhole: false })
  let descriptor: number | undefined
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    const buffer = Buffer.alloc(Math.min(stats.size, mostBytes) + 1)
    const bytes = readSync(descriptor, buffer, 0, buffer.length, 0)
    const text = buffer.toString('latin1', 0, bytes)
    return bytes > Math.min(stats.size, mostBytes) ? unread(text) : { text, isWhole: true }
  } catch {
    return unread('')
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
