import { randomBytes } from 'node:crypto'
import { basename } from 'node:path'
import sanitizeFilename from 'sanitize-filename'
import { trashFolder } from '../files/listing-task.js'
import { isTemporary } from '../../ground/temporary.js'

/** What steers the direction of text or is not seen at all; joiners stay, as some scripts and signs need them. */
const unseen = /[\p{Cc}\p{Cs}\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu
/** Leaves room for a number, and for what other programs add to a name. */
const maxNameBytes = 200
/** After so many numbers a name gets something that nobody else has. */
const mostNumbers = 200
const mostChances = 10
const doubleEnding = /\.tar\.[a-z0-9]{1,4}$/i

/**
 * Whether the service keeps a name for itself: for the trash, in any case, as some file systems take no
 * notice of it, and for what is not finished.
 */
export const isOwnName = (name: string): boolean => name.toLowerCase() === trashFolder || isTemporary(name)

/**
 * A name that is safe on every system, made of what somebody calls a file: only the last part of a path, nothing that
 * is not seen, no reserved words. `keepDots`: names that begin with a dot stay what they are.
 */
export function safeName (wanted: string, { keepDots = false }: { keepDots?: boolean } = {}): string {
  const last = basename(wanted.replaceAll('\\', '/')).normalize('NFC').replace(unseen, '')
  // Shortened before anything else does it, as that would cut off the ending.
  const name = sanitizeFilename(shortened(last, maxNameBytes)).trim().replace(/^\.[.\s]+/, '.')
  const plain = keepDots && !/^\.git$/i.test(name) && !isOwnName(name) ? name : name.replace(/^[.\s]+/, '')
  // What is left may be a reserved word now.
  const safe = sanitizeFilename(plain).trim()
  return safe === '' || safe === '.' ? 'upload' : safe
}

/** The nth name to try: `a.txt`, `a-2.txt`, `a-3.txt`. */
export function numbered (name: string, n: number): string {
  return n === 1 ? name : withSuffix(name, `-${n}`)
}

/** The names to try one after the other until one is free: numbered ones, and in the end such as nobody has. */
export function * namesToTry (wanted: string): Generator<string, void> {
  for (let n = 1; n <= mostNumbers; n++) yield numbered(wanted, n)
  for (let n = 1; n <= mostChances; n++) yield withSuffix(wanted, `-${randomBytes(5).toString('hex')}`)
}

/** `suffix` at the end of a name, before its ending; the name stays short enough for the file system. */
export function withSuffix (name: string, suffix: string): string {
  const { stem, ending } = split(name)
  return `${cutToBytes(stem, 255 - Buffer.byteLength(suffix + ending))}${suffix}${ending}`
}

/** What an archive is called without its ending. */
export function archiveStem (name: string): string {
  return safeName(name.replace(/\.(zip|tgz|tar(\.gz)?|gz)$/i, ''))
}

function shortened (name: string, maxBytes: number): string {
  if (Buffer.byteLength(name) <= maxBytes) return name
  const { stem, ending } = split(name)
  return `${cutToBytes(stem, maxBytes - Buffer.byteLength(ending))}${ending}`
}

/** An ending that is longer than endings are belongs to the name. */
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
