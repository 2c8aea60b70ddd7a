import { Invalid, TooLarge } from '../../ground/errors.js'
import { isRecord } from '../../ground/fields.js'
import { beyondLimits, mayHoldHalves, mostLevels, wholeCharacters } from '../../ground/text/json.js'
import { importedRows, type LeftOut } from './import.js'
import { type Workers } from '../../ground/workers/index.js'
import { type RawMessage } from './transcript-writes.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { readImport: typeof readImport }
}

/** A piece of an import: rows as JSON text, and the position of the first. */
export interface ImportPiece { from: number, rows: string }

export interface ReadImport {
  /** The body for validating its shape. It is small whatever was sent: only known keys, with lists and objects emptied. */
  body: unknown
  /** Rows to be stored, a few in each piece; empty if the shape is wrong. */
  pieces: ImportPiece[]
  leftOut: LeftOut
}

const nothing: LeftOut = { system: 0, context: 0 }
/** About 200,000 messages with all their keys. */
const mostValues = 4_000_000
const knownKeys = ['messages', 'tool_calls', 'context_messages', 'title', 'workspace', 'model', 'model_provider', 'pinned'] as const
/** A message may have 4,000,000 characters, and its text occurs three times: for the person, for the model and on a card. */
const mostRowChars = 12_000_000
/** A piece has at most this many rows, and ends with the row that brings it to this length. */
export const pieceRows = 50
export const pieceChars = 256 * 1024

/** Up to this size an import is read on the event loop, because sending it to a worker thread would take longer. */
const smallBytes = 64 * 1024
const readingLimitMs = 120_000

/**
 * Reads the body of an import, a large one in a worker thread. Throws Invalid and TooLarge, and Unavailable when the workers are
 * overloaded.
 */
export async function readImportBody (input: { bytes: Buffer, nowS: number }, workers: Workers): Promise<ReadImport> {
  return input.bytes.length <= smallBytes ? readImport(input) : await workers.run('readImport', input, { timeoutMs: readingLimitMs })
}

/** Reads the body of an import in the calling thread. Throws Invalid and TooLarge. */
export function readImport ({ bytes, nowS }: { bytes: Uint8Array, nowS: number }): ReadImport {
  const body = parsed(bytes)
  if (!isRecord(body)) return { body: emptied(body), pieces: [], leftOut: nothing }
  const sent = body
  const fields = Object.fromEntries(
    knownKeys.filter((key) => Object.hasOwn(sent, key) && sent[key] !== null).map((key) => [key, sent[key]])
  )
  const { messages, tool_calls: toolCalls = [], context_messages: context = [] } = fields
  const isWhole = Array.isArray(messages) && Array.isArray(toolCalls) && Array.isArray(context)
  const { rows, leftOut } = isWhole ? importedRows({ messages, toolCalls, context }, nowS) : { rows: [], leftOut: nothing }
  return { body: Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, emptied(value)])), pieces: inPieces(rows), leftOut }
}

/** Returns what validation needs of a value: its kind. Its contents would have to be copied to the event loop. */
function emptied (value: unknown): unknown {
  if (Array.isArray(value)) return []
  return typeof value === 'object' && value !== null ? {} : value
}

function parsed (bytes: Uint8Array): unknown {
  const beyond = beyondLimits(bytes, { levels: mostLevels, values: mostValues })
  if (beyond === 'levels') throw new Invalid('The request body is nested too deeply')
  if (beyond === 'values') throw new TooLarge(`The request body is too large: it holds more than ${mostValues} values`)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text, /__proto__|\\u/.test(text) ? withoutProto : undefined)
    return mayHoldHalves(text) ? wholeCharacters(value) : value
  } catch {
    throw new Invalid('The request body is not valid JSON')
  }
}

function withoutProto (key: string, value: unknown): unknown {
  return key === '__proto__' ? undefined : value
}

function inPieces (rows: RawMessage[]): ImportPiece[] {
  const pieces: ImportPiece[] = []
  let texts: string[] = []
  let chars = 0
  for (const [position, row] of rows.entries()) {
    const text = JSON.stringify(row)
    if (text.length > mostRowChars) throw new TooLarge(`messages[${position}] is too large`)
    texts.push(text)
    chars += text.length
    if (texts.length < pieceRows && chars < pieceChars && position < rows.length - 1) continue
    pieces.push({ from: position + 1 - texts.length, rows: `[${texts.join(',')}]` })
    texts = []
    chars = 0
  }
  return pieces
}
