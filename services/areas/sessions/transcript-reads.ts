import { fieldsOf } from '../../ground/fields.js'
import { type MessageRow, type Variant } from './message-rows.js'
import { type TranscriptParts } from './transcript-writes.js'

/** The last `limit` counted rows before position `before`; without a limit, everything before it. */
export interface Window { limit?: number, before?: number }

export interface TranscriptSlice {
  /** Message objects of the wire, as JSON text each. */
  messages: string[]
  /** Entries of `tool_calls` that belong to these rows, as JSON text each. */
  toolCalls: string[]
  /** Position of the first row. */
  offset: number
}

const nothing = Buffer.alloc(0)
/** What is smaller is read as quickly as it is found. */
const leastKeptBytes = 32 * 1024
/** Less when they are long. */
export const portionRows = 64
export const windowLimit = 500
const windowedToolContentChars = 4_096

/** What people are shown of the messages of sessions; nothing here parses one that it only passes on. */
export function createTranscriptReads ({ db, wholes, rows, readable, cuts }: Omit<TranscriptParts, 'sessions'>) {
  /** Where a window of `limit` counted rows before `before` begins. */
  function windowStart (sessionId: string, limit: number, before: number): number {
    const exact = rows.nthCounted(sessionId, before, limit - 1)
    if (exact !== undefined) return exact
    // Fewer counted rows than asked for: everything, unless there is none at all; then the last raw rows.
    return rows.firstCounted(sessionId, before) === null ? Math.max(0, before - limit) : 0
  }

  /** A few rows from a position on, for whoever goes through a long session and lets others in between; none behind its end. */
  function portion (sessionId: string, from: number, end: number, variant: Variant): MessageRow[] {
    const to = Math.min(from + portionRows, end, cuts.of(sessionId) ?? end)
    return [...readable.between(sessionId, from, rows.reach(sessionId, from, to), variant)]
  }

  return {
    portion,

    /** Everything before `end`, as JSON texts joined by commas: no row is looked at one by one. */
    whole (sessionId: string, end: number, variant: Variant): { messages: Buffer, toolCalls: Buffer } {
      const { bodies, cards } = rows.in[variant]
      const key = `${variant} ${end}`
      const [messages, toolCalls] = wholes.get(sessionId, key) ?? []
      if (messages !== undefined && toolCalls !== undefined) return { messages, toolCalls }
      if (readable.substitutes(sessionId, 0, end).length > 0) {
        const found = [...readable.between(sessionId, 0, end, variant)]
        const joined = (texts: string[]): Buffer => Buffer.from(texts.join(','))
        return { messages: joined(found.map(({ body }) => body)), toolCalls: joined(found.flatMap(({ card }) => card ?? [])) }
      }
      const read = { messages: bodies.get(sessionId, end) ?? nothing, toolCalls: cards.get(sessionId, end) ?? nothing }
      // Inside a transaction it may be undone, and while there are masks of earlier rules, rows are written in their places.
      const isFinal = read.messages.length >= leastKeptBytes && !db.sqlite.inTransaction && !rows.hasOldMasks()
      if (isFinal) wholes.keep(sessionId, key, [read.messages, read.toolCalls])
      return read
    },

    /** Rows for a detail answer. `total` is the session's message count. */
    slice (
      sessionId: string, total: number, { limit, before }: Window, activeUserMessageId: string | null, variant: Variant
    ): TranscriptSlice {
      const end = Math.min(Math.max(0, before ?? total), total)
      const windowed = limit !== undefined
      const offset = windowed ? windowStart(sessionId, limit, end) : 0
      const messages: string[] = []
      const toolCalls: string[] = []
      for (const row of readable.between(sessionId, offset, end, variant)) {
        // A tool row whose call stands before the window has lost its card there.
        if (windowed && row.role === 'tool' && row.assistantPosition !== null && row.assistantPosition < offset) continue
        if (row.card !== null) toolCalls.push(row.card)
        let body = row.body
        if (windowed && row.role === 'tool') body = shortened(body)
        if (row.messageId === activeUserMessageId) body = activeUser(body)
        messages.push(body)
      }
      return { messages, toolCalls, offset }
    },

    /** Every row as a parsed message of the wire, one by one; what is read at once is little, so whoever takes them may take their time. */
    * messages (sessionId: string, variant: Variant): Generator<Record<string, unknown>> {
      for (let from = 0; ;) {
        const found = portion(sessionId, from, Number.MAX_SAFE_INTEGER, variant)
        if (found.length === 0) return
        for (const { body } of found) yield fieldsOf(JSON.parse(body))
        from += found.length
      }
    }
  }
}

/** The message that the running turn answers. */
export const activeUser = (body: string): string => `{"_active_turn_user":true,${body.slice(1)}`

/** As windows show a tool's row. */
export function shortened (body: string): string {
  if (body.length <= windowedToolContentChars) return body
  const message = JSON.parse(body) as { content: string }
  if (message.content.length <= windowedToolContentChars) return body
  return JSON.stringify({
    ...message,
    content: `${message.content.slice(0, windowedToolContentChars)}\n… (shortened here; the whole result is in the full transcript)`
  })
}
