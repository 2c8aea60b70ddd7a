import { randomUUID } from 'node:crypto'
import { type Pace } from '../concurrency/pace.js'
import { mayHoldHalves } from './json.js'

const pieceBytes = 65_536
const scannedAtOnce = 256 * 1024
const quote = 0x22
const backslash = 0x5c
const colon = 0x3a
const letterU = 0x75
const blanks = new Set([0x20, 0x09, 0x0a, 0x0d])
/** Stands for a long text while the JSON around it is parsed; nobody else knows it. */
const place = randomUUID()

/** A long text in a JSON document: where it begins and ends, with its quotation marks, and where it can be cut. */
interface LongText { start: number, end: number, cuts: number[] }

/** JSON of which the long texts are parsed already. */
export interface Shortened {
  /** The document with something short in the place of each. */
  json: string
  /** Puts the texts back into what was parsed. */
  whole: (value: unknown) => unknown
  /** Whether the document may have halves of surrogate pairs. */
  mayHoldHalves: boolean
}

/**
 * Parses the long texts of a JSON document in pieces, with pauses, because parsing all of it at once would block other work. Returns null
 * if there are none. Throws SyntaxError for a text that is not JSON.
 */
export async function withoutLongTexts (bytes: Buffer, pace: Pace): Promise<Shortened | null> {
  const found = await longTextsIn(bytes, pace)
  if (found.length === 0) return null
  const texts = new Map<string, string>()
  const around: string[] = []
  let hasHalves = false
  let from = 0
  for (const [index, { start, end, cuts }] of found.entries()) {
    const pieces: string[] = []
    let at = start + 1
    for (const cut of [...cuts, end - 1]) {
      const json = bytes.toString('utf8', at, cut)
      hasHalves ||= mayHoldHalves(json)
      pieces.push(JSON.parse(`"${json}"`) as string)
      at = cut
      await pace()
    }
    texts.set(`${place}${index}`, pieces.join(''))
    around.push(bytes.toString('utf8', from, start), `"${place}${index}"`)
    from = end
    await pace()
  }
  const json = around.join('') + bytes.toString('utf8', from)
  return { json, whole: (value) => putBack(value, texts), mayHoldHalves: hasHalves || mayHoldHalves(json) }
}

/** Returns the texts that are longer than a piece, except names of fields. */
async function longTextsIn (bytes: Buffer, pace: Pace): Promise<LongText[]> {
  const found: LongText[] = []
  let pause = scannedAtOnce
  for (let at = 0; at < bytes.length; at++) {
    if (at >= pause) {
      await pace()
      pause = at + scannedAtOnce
    }
    if (bytes[at] !== quote) continue
    const start = at
    const cuts: number[] = []
    let next = start + pieceBytes
    while (++at < bytes.length && bytes[at] !== quote) {
      // No cut divides a character in UTF-8 or an escape.
      if (at >= next && ((bytes[at] ?? 0) & 0xc0) !== 0x80) {
        cuts.push(at)
        next = at + pieceBytes
        await pace()
      }
      if (bytes[at] === backslash) at += bytes[at + 1] === letterU ? 5 : 1
    }
    if (cuts.length > 0 && at < bytes.length && !await isName(bytes, at + 1, pace)) found.push({ start, end: at + 1, cuts })
  }
  return found
}

/** Whether a colon follows. */
async function isName (bytes: Buffer, from: number, pace: Pace): Promise<boolean> {
  let at = from
  while (blanks.has(bytes[at] ?? 0)) if (++at % scannedAtOnce === 0) await pace()
  return bytes[at] === colon
}

function putBack (value: unknown, texts: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') return texts.get(value) ?? value
  if (typeof value !== 'object' || value === null) return value
  const fields = value as Record<string, unknown>
  for (const [key, item] of Object.entries(fields)) {
    const whole = putBack(item, texts)
    if (whole !== item) fields[key] = whole
  }
  return value
}
