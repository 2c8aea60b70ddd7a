import { randomUUID } from 'node:crypto'
import { toUSVString } from 'node:util'
import { createPace } from '../concurrency/pace.js'
import { mayHoldHalves } from './json.js'
import { jsonPieces } from './json-pieces.js'

/** Shorter texts are encoded faster than they are looked up. */
const shortestChars = 32_768
/** A message may have 4,000,000 characters, and is stored with and without its credentials. The texts count, too. */
const mostBytes = 48 * 1024 * 1024
/** What was encoded is used soon after, or never. */
const keptMs = 5_000

/** JSON texts in UTF-8, with quotation marks, by the text that they encode. */
const encoded = new Map<string, { bytes: Buffer, forgetting: NodeJS.Timeout }>()
let keptBytes = 0
/** Stands for an encoded text while the JSON around it is made; nobody else knows it. */
const place = randomUUID()

/**
 * Encodes long texts as JSON, in pieces, so that other work can run in between. The results are kept for some seconds: {@link jsonBytes} is
 * fast meanwhile, where it cannot wait.
 */
export async function encodeAhead (texts: Iterable<string>): Promise<void> {
  const pace = createPace()
  for (const text of texts) {
    if (text.length < shortestChars || encoded.has(text) || toUSVString(text) !== text) continue
    const pieces: Buffer[] = []
    for (const piece of jsonPieces(text)) {
      pieces.push(Buffer.from(piece))
      await pace()
    }
    keep(text, Buffer.concat(pieces))
    await pace()
  }
}

/** Returns the JSON text of a value, in UTF-8 if it holds texts that {@link encodeAhead} has encoded. */
export function jsonBytes (value: unknown): string | Buffer {
  if (encoded.size === 0 || !hasLongText(value)) return JSON.stringify(value)
  const texts: Buffer[] = []
  const around = JSON.stringify(value, (_key, item: unknown) => {
    const bytes = typeof item === 'string' && item.length >= shortestChars ? encoded.get(item)?.bytes : undefined
    if (bytes === undefined) return item
    texts.push(bytes)
    return place
  })
  if (texts.length === 0) return around
  if (mayHoldHalves(around)) return JSON.stringify(value)
  const [first = '', ...others] = around.split(`"${place}"`)
  return Buffer.concat([Buffer.from(first), ...texts.flatMap((bytes, index) => [bytes, Buffer.from(others[index] ?? '')])])
}

/** Whether a value has a text that may be encoded already. A look at each value takes less time than a function that JSON calls for it. */
function hasLongText (value: unknown): boolean {
  if (typeof value === 'string') return value.length >= shortestChars
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some(hasLongText)
  const fields = value as Readonly<Record<string, unknown>>
  for (const key in fields) if (hasLongText(fields[key])) return true
  return false
}

function keep (text: string, bytes: Buffer): void {
  const size = sizeOf(text, bytes)
  if (size > mostBytes || encoded.has(text)) return
  if (keptBytes + size > mostBytes) for (const each of encoded.keys()) forget(each)
  encoded.set(text, { bytes, forgetting: setTimeout(() => forget(text), keptMs).unref() })
  keptBytes += size
}

function forget (text: string): void {
  const kept = encoded.get(text)
  if (kept === undefined) return
  clearTimeout(kept.forgetting)
  encoded.delete(text)
  keptBytes -= sizeOf(text, kept.bytes)
}

/** A text takes up to two bytes a character. */
const sizeOf = (text: string, bytes: Buffer): number => bytes.length + 2 * text.length
