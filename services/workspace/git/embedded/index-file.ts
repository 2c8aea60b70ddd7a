import { join } from 'node:path'
import { codeOf } from '../../../ground/errors.js'
import { readRegularFile } from '../../../ground/files/regular-file.js'
import { needsGit } from './limits.js'

interface IndexEntry { path: string, oid: string, mode: number, stage: number }
/** The contents of git's index file. `isPlain`: the embedded engine writes back everything in it unchanged. */
export interface IndexFile { entries: IndexEntry[], isPlain: boolean }

const fixedBytes = 62
const extendedFlag = 0x4000
const gitlink = 0o160000
const emptyIndex: IndexFile = { entries: [], isPlain: true }

/**
 * Reads an index of version 2 or 3 (https://git-scm.com/docs/index-format). Throws Unavailable (`missing_git`) for other
 * versions, for split, sparse and damaged indexes, and for submodules.
 */
export async function readIndex (gitDir: string): Promise<IndexFile> {
  const bytes = await readRegularFile(join(gitDir, 'index')).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null
    // Taken for an empty index, it would make a commit drop every file.
    throw codeOf(error) === 'EINVAL' ? needsGit('an index of this kind') : error
  })
  return bytes === null ? emptyIndex : parseIndex(bytes)
}

function parseIndex (bytes: Buffer): IndexFile {
  if (bytes.length < 32 || bytes.toString('latin1', 0, 4) !== 'DIRC') throw needsGit('an index that is damaged')
  const version = bytes.readUInt32BE(4)
  if (version !== 2 && version !== 3) throw needsGit(`an index of version ${version}`)
  const entries: IndexEntry[] = []
  let isPlain = version === 2
  let at = 12
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    if (at + fixedBytes > bytes.length - 20) throw needsGit('an index that is damaged')
    const flags = bytes.readUInt16BE(at + 60)
    const mode = bytes.readUInt32BE(at + 24)
    const isExtended = (flags & extendedFlag) !== 0
    const begin = at + fixedBytes + (isExtended ? 2 : 0)
    const end = bytes.indexOf(0, begin)
    if (end === -1) throw needsGit('an index that is damaged')
    if (mode === gitlink) throw needsGit('submodules')
    // Skip-worktree or intent to add.
    if (isExtended && (bytes.readUInt16BE(at + fixedBytes) & 0x6000) !== 0) throw needsGit('a work tree that is checked out in part')
    isPlain &&= !isExtended && (flags & 0x8000) === 0
    entries.push({ path: bytes.toString('utf8', begin, end), oid: bytes.toString('hex', at + 40, at + 60), mode, stage: (flags >> 12) & 3 })
    at += Math.ceil((end + 1 - at) / 8) * 8
  }
  for (; at + 8 <= bytes.length - 20; at += 8 + bytes.readUInt32BE(at + 4)) {
    const name = bytes.toString('latin1', at, at + 4)
    // Extensions whose name begins with a capital letter are optional.
    if (!/^[A-Z]/.test(name)) throw needsGit(name === 'link' ? 'a split index' : 'a sparse index')
  }
  return { entries, isPlain }
}
