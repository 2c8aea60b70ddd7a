import { accessSync, closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readFileSync, statSync, type Stats } from 'node:fs'
import { createHash } from 'node:crypto'
import { basename, dirname, join } from 'node:path'
import { codeOf, Conflict, Forbidden, Invalid, NotFound, refuseWrite, systemFailure, Unavailable } from '../../ground/errors.js'
import { longestHomeFile, replaceFile } from '../../ground/home/home-file.js'
import { tried } from '../../ground/tried.js'
import { type Section } from './rows.js'

const places: Record<Section, readonly string[]> = { memory: ['memories', 'MEMORY.md'], user: ['memories', 'USER.md'], soul: ['SOUL.md'] }

export const nameOf = (section: Section): string => basename(join(...places[section]))
export const pathOf = (home: string, section: Section): string => join(home, ...places[section])

/** A document on disk; `text` is null if it does not exist. */
export interface Document {
  home: string
  path: string
  text: string | null
  /** Epoch seconds; null if there is no file. */
  mtime: number | null
  /** Changes whenever the file is written or replaced. */
  version: string
  /** Why its text cannot be read, as the end of a sentence. */
  problem?: string
  /** Set if the problem is temporary, and the document may be readable in a moment. */
  passing?: Unavailable
}

/** Reads a document. Never throws: an unreadable one has a `problem`. Follows links. */
export function readDocument (home: string, section: Section): Document {
  const path = pathOf(home, section)
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    const found = lookAt(path)
    // A link to nothing exists, but has no content.
    if (found === undefined && (code === 'ENOENT' || code === 'ENOTDIR')) return { home, path, text: null, mtime: null, version: 'none' }
    return {
      home, path, text: null, mtime: found === undefined ? null : found.mtimeMs / 1000, version: versionOf(found),
      ...unreadable(error, 'cannot be read')
    }
  }
  try {
    const stats = fstatSync(descriptor)
    const told = { home, path, mtime: stats.mtimeMs / 1000, version: versionOf(stats) }
    if (!stats.isFile()) return { ...told, text: null, problem: 'is not a file' }
    if (stats.size > longestHomeFile) return { ...told, text: null, problem: `is longer than ${longestHomeFile} bytes` }
    try {
      return { ...told, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(descriptor)) }
    } catch (error) {
      return { ...told, text: null, ...unreadable(error, 'is not UTF-8 text') }
    }
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Replaces a document with a text, readable for its owner alone. Resolves when it is on disk. Returns false if the file no longer has this
 * version. Throws Invalid for a link and anything that is not a file, NotFound if the home is gone, Forbidden if it must not be written,
 * Conflict if it cannot be read.
 */
export async function writeDocument ({ home, path, version, problem, passing }: Document, text: string): Promise<boolean> {
  const name = path.slice(dirname(path).length + 1)
  const found = lookAt(path)
  if (found?.isSymbolicLink() === true) throw new Invalid(`${name} is a symbolic link: nothing was written to it`, 'symlink')
  if (found !== undefined && !found.isFile()) throw new Invalid(`${name} is not a file: nothing was written`)
  if (found !== undefined && !isWritable(path, found)) throw new Forbidden(`${name} is read-only`, 'read_only')
  if (problem !== undefined) {
    throw passing ??
    new Conflict(`${name} ${problem}: saving would destroy its content. Check the file on the machine of the service.`, 'not_text')
  }
  try {
    return await replaceFile(path, text, {
      mode: 0o600, home, isStillWanted: () => versionOf(statSync(path, { throwIfNoEntry: false })) === version
    })
  } catch (error) {
    const code = codeOf(error)
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      throw new Forbidden(`${name} cannot be saved: the service may not write to its folder`, 'read_only')
    }
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new Invalid(`${name} cannot be saved: its folder is not a folder`)
    }
    if (code === 'ENOENT' && !existsSync(home)) throw new NotFound('Profile not found')
    if (code === 'ENOENT') throw new Invalid(`${name} cannot be saved: its folder is a link to nowhere`)
    return refuseWrite(error)
  }
}

function unreadable (error: unknown, problem: string): Pick<Document, 'problem' | 'passing'> {
  const failure = systemFailure(error)
  return failure instanceof Unavailable ? { problem: 'cannot be read', passing: failure } : { problem }
}

/** Returns undefined also if the file's status cannot be read. */
const lookAt = (path: string): Stats | undefined => tried(() => lstatSync(path, { throwIfNoEntry: false }), undefined)

/** A person who has removed the write permission means it, although the folder's owner could still replace the file. */
function isWritable (path: string, { mode }: Stats): boolean {
  try {
    accessSync(path, constants.W_OK)
    return (mode & 0o222) !== 0
  } catch {
    return false
  }
}

function versionOf (stats: Stats | undefined): string {
  if (stats === undefined) return 'none'
  return createHash('sha256').update(`${stats.mtimeMs}:${stats.ctimeMs}:${stats.size}:${stats.ino}`).digest('base64url').slice(0, 22)
}
