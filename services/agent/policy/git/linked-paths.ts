import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stampOf, statsOf } from '../../sandbox/texts.js'
import { type Look, Unclear } from './look.js'
import { type Repository } from './repository.js'

/** Indexes that are larger are not read. */
const mostBytes = 64 * 1024 * 1024
const mostLinked = 200
const mostKept = 50
/** The mode of an entry that is a repository of its own (a gitlink). */
const linkMode = 0o160000
const linkBytes = Buffer.from([0, 0, 0xe0, 0])
const headerBytes = 12
const hashBytes = 20
/** Offsets of the mode and of the flags in an entry. */
const modeAt = 24
const flagsAt = 40 + hashBytes

const kept = new Map<string, string[]>()

/**
 * Returns the paths, relative to the work tree, that a repository's index lists as repositories of their own. Git enters them, whether or
 * not `.gitmodules` names them. Throws Unclear when the index cannot be read.
 */
export function linkedPaths ({ gitFolder, common }: Repository, look: Look): string[] {
  const index = join(gitFolder, 'index')
  if (statsOf(index) === undefined) return []
  let descriptor: number | undefined
  try {
    descriptor = openSync(index, constants.O_RDONLY | constants.O_NONBLOCK)
    const stats = fstatSync(descriptor)
    if (!stats.isFile() || stats.size > mostBytes) throw new Unclear()
    const stamp = stampOf(stats)
    const known = kept.get(stamp)
    if (known !== undefined) return known
    const found = linkedIn(readFileSync(descriptor), { gitFolder, common }, look)
    if (kept.size >= mostKept) kept.clear()
    // A file that changed a moment ago may change again within the resolution of its times, so that its stamp stays the same.
    if (Math.abs(Date.now() - stats.ctimeMs) > 50) kept.set(stamp, found)
    return found
  } catch {
    throw new Unclear()
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function linkedIn (bytes: Buffer, { gitFolder, common }: Pick<Repository, 'gitFolder' | 'common'>, look: Look): string[] {
  // A part of the index may be in another file.
  if (bytes.includes('link') && readdirSync(gitFolder).some((name) => name.startsWith('sharedindex.'))) throw new Unclear()
  if (!bytes.includes(linkBytes)) return []
  const version = bytes.readUInt32BE(4)
  // In another object format, hashes are longer.
  if (version < 2 || version > 4 || /objectformat/i.test(look(join(common, 'config')).text ?? 'objectformat')) throw new Unclear()
  return entriesOf(bytes, version)
}

/** Throws for bytes that are not a valid index. */
function entriesOf (bytes: Buffer, version: number): string[] {
  const linked: string[] = []
  let path = Buffer.alloc(0)
  let at = headerBytes
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const flags = bytes.readUInt16BE(at + flagsAt)
    const named = at + flagsAt + ((flags & 0x4000) !== 0 ? 4 : 2)
    // Version 4 stores how many bytes to cut from the end of the previous path, and then what follows.
    const { value: cut, next: start } = version === 4 ? variable(bytes, named) : { value: path.length, next: named }
    const end = bytes.indexOf(0, start)
    if (end === -1 || cut > path.length) throw new Unclear()
    path = Buffer.concat([path.subarray(0, path.length - cut), bytes.subarray(start, end)])
    if ((bytes.readUInt32BE(at + modeAt) & 0o170000) === linkMode) linked.push(path.toString('utf8'))
    if (linked.length > mostLinked) throw new Unclear()
    at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
  }
  return linked
}

/** Reads a number in git's variable-length encoding: seven bits in each byte. */
function variable (bytes: Buffer, start: number): { value: number, next: number } {
  let at = start
  let byte = bytes.readUInt8(at++)
  let value = byte & 127
  while ((byte & 128) !== 0) {
    byte = bytes.readUInt8(at++)
    value = (value + 1) * 128 + (byte & 127)
  }
  return { value, next: at }
}
