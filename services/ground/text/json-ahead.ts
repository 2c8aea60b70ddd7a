import { randomUUID } from 'node:crypto'
import { toUSVString } from 'node:util'
import { createPace } from '../concurrency/pace.js'
import { mayHoldHalves } from './json.js'
import { jsonPieces } from './json-pieces.js'

/** Shorter texts are encoded faster than they are looked up. */
const shortestChars = 32_768
/** A message may have 4,000,000 characters, and is stored with and without its credentials. */
const mostBytes = 32 * 1024 * 1024
/** What was encoded is used soon after, or never. */
const keptMs = 5_000

/** JSON texts in UTF-8, with quotation marks, by the text that they encode. */
const encoded = new Map<string, Buffer>()
let encodedBytes = 0
let forgetting: NodeJS.Timeout | undefined
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
  if (encoded.size === 0) return JSON.stringify(value)
  const texts: Buffer[] = []
  const around = JSON.stringify(value, (_key, item: unknown) => {
    const bytes = typeof item === 'string' && item.length >= shortestChars ? encoded.get(item) : undefined
    if (bytes === undefined) return item
    texts.push(bytes)
    return place
  })
  if (texts.length === 0) return around
  if (mayHoldHalves(around)) return JSON.stringify(value)
  const [first = '', ...others] = around.split(`"${place}"`)
  return Buffer.concat([Buffer.from(first), ...texts.flatMap((bytes, index) => [bytes, Buffer.from(others[index] ?? '')])])
}

function keep (text: string, bytes: Buffer): void {
  if (encodedBytes + bytes.length > mostBytes) forget()
  encoded.set(text, bytes)
  encodedBytes += bytes.length
  clearTimeout(forgetting)
  forgetting = setTimeout(forget, keptMs).unref()
}

function forget (): void {
  encoded.clear()
  encodedBytes = 0
}
