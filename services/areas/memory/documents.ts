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

/** A document as it lies on disk; `text` null: there is none. */
export interface Document {
  home: string
  path: string
  text: string | null
  /** Epoch seconds; null: there is no file. */
  mtime: number | null
  /** Another one whenever it was written or replaced. */
  version: string
  /** Why its text cannot be read, as the end of a sentence. */
  problem?: string
  /** It can be read in a moment. */
  passing?: Unavailable
}

/** Never throws: what cannot be read has a `problem`. A link is read as what it leads to. */
export function readDocument (home: string, section: Section): Document {
  const path = pathOf(home, section)
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    const found = lookAt(path)
    // A link to nothing is there, and says nothing.
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
 * Puts a text in the place of a document, on disk when it resolves, readable for its owner alone. False: it is not the one of
 * this version any more. Throws Invalid for a link and what is no file, NotFound where the home is gone, Forbidden for what may not be
 * written, Conflict for what cannot be read.
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

/** Undefined also where it cannot be looked at. */
const lookAt = (path: string): Stats | undefined => tried(() => lstatSync(path, { throwIfNoEntry: false }), undefined)

/** Whoever has taken the right to write away means it, though a folder's owner could replace the file. */
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
