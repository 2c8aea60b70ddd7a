import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import sanitizeFilename from 'sanitize-filename'
import { trashFolder } from '../files/listing-task.js'
import { isTemporary } from '../../ground/files/temporary.js'

/** Control characters, text direction marks and invisible characters. Joiners stay, because some scripts and emoji need them. */
const unseen = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu
/** Control characters, and what makes a part of a name appear elsewhere in it: `cod\u202etxt.exe` looks like `codexe.txt`. */
const deceptive = /[\p{Cc}\u2028-\u202e\u2066-\u2069]/u
/** Leaves room for a number, and for suffixes of other programs. */
const maxNameBytes = 200
/** After this many numbers, a name gets a random suffix. */
const mostNumbers = 200
const mostChances = 10
const doubleEnding = /\.tar\.[a-z0-9]{1,4}$/i

/**
 * Whether the service reserves a name: that of the trash, in upper and lower case, because some file systems
 * ignore case, and those of unfinished files.
 */
export const isOwnName = (name: string): boolean => name.toLowerCase() === trashFolder || isTemporary(name)

/** Whether a screen shows a name as another one, or over several lines. Marks and joiners that scripts need do not count. */
export const isDeceptive = (name: string): boolean => deceptive.test(name)

/**
 * Makes a sender's file name safe on every system: keeps only the last part of a path, removes invisible characters, and avoids
 * reserved words. `keepDots`: keeps dots at the beginning of a name.
 */
export function safeName (wanted: string, { keepDots = false }: { keepDots?: boolean } = {}): string {
  const last = basename(wanted.replaceAll('\\', '/')).normalize('NFC').replace(unseen, '')
  // Shortened first, because sanitizeFilename would cut off the extension.
  const name = sanitizeFilename(shortened(last, maxNameBytes)).trim().replace(/^\.[.\s]+/, '.')
  const plain = keepDots && !/^\.git$/i.test(name) && !isOwnName(name) ? name : name.replace(/^[.\s]+/, '')
  // The rest may be a reserved word now.
  const safe = sanitizeFilename(plain).trim()
  return safe === '' || safe === '.' ? 'upload' : safe
}

/** Returns the nth name to try: `a.txt`, `a-2.txt`, `a-3.txt`. */
export function numbered (name: string, n: number): string {
  return n === 1 ? name : withSuffix(name, `-${n}`)
}

/** Yields names to try until one is free: first numbered ones, then ones with a random suffix. */
export function * namesToTry (wanted: string): Generator<string, void> {
  for (let n = 1; n <= mostNumbers; n++) yield numbered(wanted, n)
  for (let n = 1; n <= mostChances; n++) yield withSuffix(wanted, `-${randomBytes(5).toString('hex')}`)
}

/** Adds `suffix` to a name, before its extension. The name stays short enough for the file system. */
export function withSuffix (name: string, suffix: string): string {
  const { stem, ending } = split(name)
  return `${cutToBytes(stem, 255 - Buffer.byteLength(suffix + ending))}${suffix}${ending}`
}

/** Returns the name of an archive without its extension. */
export function archiveStem (name: string): string {
  return safeName(name.replace(/\.(zip|skill|tgz|tar(\.gz)?|gz)$/i, ''))
}

function shortened (name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const { stem, ending } = split(name)
  return `${cutToBytes(stem, maxBytes - Buffer.byteLength(ending))}${ending}`
}

/** Splits a name into stem and extension. An unusually long extension counts as a part of the stem. */
function split (name: string): { stem: string, ending: string } {
  const ending = doubleEnding.exec(name)?.[0] ?? /(?<=.)\.[^.\s]{1,16}$/u.exec(name)?.[0] ?? ''
  return { stem: name.slice(0, name.length - ending.length), ending }
}

function cutToBytes (text: string, maxBytes: number): string {
  let cut = ''
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > maxBytes) break
    cut += character
  }
  return cut
}
