import { Invalid, TooLarge } from '../../ground/errors.js'
import { isRecord } from '../../ground/fields.js'
import { beyondLimits, mayHoldHalves, mostLevels, wholeCharacters } from '../../ground/json.js'
import { importedRows, type LeftOut } from './import.js'
import { type Workers } from '../../ground/workers/index.js'
import { type RawMessage } from './transcript-writes.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { readImport: typeof readImport }
}

/** A piece of an import: rows as JSON text, and the position of the first. */
export interface ImportPiece { from: number, rows: string }

export interface ReadImport {
  /** The body for a look at its form, and small whatever was sent: keys that imports know, lists and objects without what is in them. */
  body: unknown
  /** Rows to be stored, a few in each; none where the form is not right. */
  pieces: ImportPiece[]
  leftOut: LeftOut
}

const nothing: LeftOut = { system: 0, context: 0 }
/** Some 200,000 messages with all their keys. */
const mostValues = 4_000_000
const knownKeys = ['messages', 'tool_calls', 'context_messages', 'title', 'workspace', 'model', 'model_provider', 'pinned'] as const
/** A message that is sent may have 4,000,000 characters; it is there for the person, for the model and on a card. */
const mostRowChars = 12_000_000
const pieceRows = 50
const pieceChars = 256 * 1024

/** Up to this size an import is read at once; the way to a worker thread would take longer. */
const smallBytes = 64 * 1024
const readingLimitMs = 120_000

/**
 * Reads the body of an import, a large one in a worker thread. Throws Invalid and TooLarge, and Unavailable when there is too much to do.
 */
export async function readImportBody (input: { bytes: Buffer, nowS: number }, workers: Workers): Promise<ReadImport> {
  return input.bytes.length <= smallBytes ? readImport(input) : await workers.run('readImport', input, { timeoutMs: readingLimitMs })
}

/** The same, where it is called. Throws Invalid and TooLarge. */
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

/** What a look at the form needs of a value: its kind. What it holds would have to be copied to the event loop. */
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
