import { Invalid } from '../../../ground/errors.js'
import { isOwnName } from '../../place/names.js'

/** What an archive says about one thing in it. */
export interface Declared {
  /** As the archive spells it. */
  name: string
  kind: 'file' | 'folder' | 'other'
  sizeBytes: number
  /** Null when nothing sensible is said. */
  modifiedAtS: number | null
  /** What it takes in the archive; null where the archive is compressed as a whole. */
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
  /** Of everything unpacked. */
  capBytes: number
  depth: number
  /** Unpacked bytes per packed one; counts above the size that no harm comes from. */
  ratio: number
}

export const usualLimits: Omit<MemberLimits, 'capBytes'> = { members: 10_000, depth: 40, ratio: 250 }
const harmlessBytes = 4 * 1024 * 1024
const maxPathBytes = 2_048
const maxNameBytes = 255

export const unsafe = (reason: string): Invalid => new Invalid(`This archive is not unpacked: ${reason}`, 'unsafe_archive')

/**
 * Judges everything in an archive before anything of it is unpacked. `add` answers what to make of a member, null for
 * what is left out: all of `.git`, as the hooks and settings in it are programs that would run at the next command, and
 * what bears a name that the service keeps for itself.
 * Throws Invalid (`unsafe_archive`): an archive is taken whole or not at all.
 */
export function createJudge (limits: MemberLimits, archiveBytes: number) {
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

    /** How many members were left out. */
    leftOut: () => leftOut
  }
}

export type Judge = ReturnType<typeof createJudge>

/** A moment that every file system and every program can take; null for others. Pure. */
export function moment (date: Date | undefined): number | null {
  const seconds = (date?.getTime() ?? NaN) / 1_000
  return seconds > 0 && seconds < 2 ** 32 ? seconds : null
}

const bomb = () => unsafe('it is packed far more tightly than files are')

/** The parts of a member's path. Throws Invalid for what could lead out, or means different things to different systems. */
function partsOf (name: string, limits: MemberLimits): string[] {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  if (/[\u0000-\u001f\u007f]/.test(name)) throw unsafe('a name in it contains control characters')
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
