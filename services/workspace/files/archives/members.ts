import { Invalid } from '../../../ground/errors.js'
import { isDeceptive, isOwnName } from '../../place/names.js'

/** What an archive declares about one of its members. */
export interface Declared {
  /** The path as written in the archive. */
  name: string
  kind: 'file' | 'folder' | 'other'
  sizeBytes: number
  /** Null if the archive states no usable time. */
  modifiedAtS: number | null
  /** Its size in the archive; null if the archive is compressed as a whole. */
  packedBytes: number | null
  executable: boolean
}

export interface Member {
  /** Parts of the path below the new folder. */
  parts: string[]
  kind: 'file' | 'folder'
  sizeBytes: number
  modifiedAtS: number | null
  executable: boolean
}

export interface MemberLimits {
  members: number
  /** Most unpacked bytes in total. */
  capBytes: number
  depth: number
  /** Most unpacked bytes per packed byte. It applies above `harmlessBytes`. */
  ratio: number
}

export const usualLimits: Omit<MemberLimits, 'capBytes'> = { members: 10_000, depth: 40, ratio: 250 }
const harmlessBytes = 4 * 1024 * 1024
const maxPathBytes = 2_048
const maxNameBytes = 255

export const unsafe = (reason: string): Invalid => new Invalid(`This archive was not unpacked: ${reason}`, 'unsafe_archive')

/**
 * Checks all members of an archive before any of it is unpacked. `add` returns the member to create, or null if it is left out: everything
 * in `.git`, because its hooks and settings are programs that would run with the next command, and names that the service reserves.
 * Throws Invalid (`unsafe_archive`): an archive is unpacked as a whole or not at all.
 */
export function createMemberJudge (limits: MemberLimits, archiveBytes: number) {
  const files = new Set<string>()
  const folders = new Set<string>()
  let totalBytes = 0
  let members = 0
  let leftOut = 0

  function claim (parts: string[], kind: Member['kind']): void {
    const path = parts.join('/')
    for (let end = 1; end < parts.length; end++) {
      const above = parts.slice(0, end).join('/')
      if (files.has(above)) throw unsafe('something is both a file and a folder in it')
      folders.add(above)
    }
    if (files.has(path) || (kind === 'file' && folders.has(path))) throw unsafe('a name is in it twice')
    if (kind === 'file') files.add(path)
    else folders.add(path)
    if (files.size + folders.size > limits.members) throw tooMany()
  }
  const tooMany = () => unsafe(`it holds more than ${limits.members} files and folders`)

  return {
    add ({ name, kind, sizeBytes, modifiedAtS, packedBytes, executable }: Declared): Member | null {
      if (++members > limits.members) throw tooMany()
      if (kind === 'other') throw unsafe('it holds a link, a device or something else that is neither a file nor a folder')
      const parts = partsOf(name, limits)
      if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0 || (kind === 'folder' && sizeBytes !== 0)) {
        throw unsafe('it states an impossible size')
      }
      totalBytes += sizeBytes
      if (totalBytes > limits.capBytes) throw unsafe(`unpacked it is larger than ${Math.round(limits.capBytes / 1024 / 1024)} MB`)
      if (packedBytes !== null && sizeBytes > harmlessBytes && sizeBytes > packedBytes * limits.ratio) throw bomb()
      if (totalBytes > harmlessBytes && totalBytes > archiveBytes * limits.ratio) throw bomb()
      if (parts.length === 0) {
        if (kind === 'file') throw unsafe('a file in it has no name')
        return null
      }
      if (parts.some((part) => part.toLowerCase() === '.git' || isOwnName(part))) {
        leftOut++
        return null
      }
      claim(parts, kind)
      return { parts, kind, sizeBytes, modifiedAtS, executable }
    },

    /** Returns how many members were left out. */
    leftOut: () => leftOut
  }
}

export type MemberJudge = ReturnType<typeof createMemberJudge>

/** Returns epoch seconds within the range that every file system and program accepts; null for other dates. Pure. */
export function moment (date: Date | undefined): number | null {
  const seconds = (date?.getTime() ?? NaN) / 1_000
  return seconds > 0 && seconds < 2 ** 32 ? seconds : null
}

const bomb = () => unsafe('it is packed far more tightly than files are')

/** Returns the parts of a member's path. Throws Invalid if it leads out of the folder, or means something else on other systems. */
function partsOf (name: string, limits: MemberLimits): string[] {
  if (isDeceptive(name)) throw unsafe('a name in it contains control characters, or characters that change the direction of text')
  if (name.includes('\\')) throw unsafe('a name in it contains a backslash')
  if (name.startsWith('/') || /^[a-z]:/i.test(name)) throw unsafe('a name in it is an absolute path')
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw unsafe('a name in it leads out of its folder')
  if (parts.length > limits.depth) throw unsafe(`its folders lie more than ${limits.depth} deep`)
  if (Buffer.byteLength(name) > maxPathBytes || parts.some((part) => Buffer.byteLength(part) > maxNameBytes)) {
    throw unsafe('a name in it is too long')
  }
  return parts
}
