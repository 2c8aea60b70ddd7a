import { closeSync, constants, fstatSync, openSync, readSync, type BigIntStats } from 'node:fs'
import { identityOf, isSettled } from './file-identity.js'

/**
 * Returns the first bytes of a regular file as text, or undefined if it cannot be read. A pipe in its place does not block, and a symlink
 * is not followed.
 */
export function fileBeginning (path: string, mostBytes: number): string | undefined {
  let file: number | undefined
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW)
    const stats = fstatSync(file)
    if (!stats.isFile()) return undefined
    const buffer = Buffer.alloc(Math.min(mostBytes, stats.size))
    return buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, 0))
  } catch {
    return undefined
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** Caches a value per file or folder for as long as the file has not changed. */
export class Remembered<T> {
  #known = new Map<string, { identity: string, value: T }>()
  readonly #limit: number

  constructor (limit: number) {
    this.#limit = limit
  }

  /** Returns the cached value for a path, and calls `find` only if the file may have changed. */
  of (path: string, stats: BigIntStats, find: () => T): T {
    const identity = identityOf(stats)
    const known = this.#known.get(path)
    if (known?.identity === identity) return known.value
    const value = find()
    if (this.#known.size >= this.#limit) this.#known.clear()
    if (isSettled(stats)) this.#known.set(path, { identity, value })
    else this.#known.delete(path)
    return value
  }
}
