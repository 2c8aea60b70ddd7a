import { createPace } from '../../ground/concurrency/pace.js'
import { maskAhead } from '../../ground/database/index.js'
import { fieldsOf } from '../../ground/fields.js'
import { type MessageRow, type Variant } from './message-rows.js'
import { type TranscriptParts } from './transcript-writes.js'

/** The last `limit` counted rows before position `before`; without a limit, everything before it. */
export interface Window { limit?: number, before?: number }

const nothing = Buffer.alloc(0)
/** Smaller ones are not cached: reading them is as quick as finding them. */
const leastKeptBytes = 32 * 1024
/** How many rows a portion has at most; fewer when they are long. */
export const portionRows = 64
export const windowLimit = 500
const windowedToolContentChars = 4_096

/** Reads what people are shown of messages. Messages that are only passed on are not parsed. */
export function createTranscriptReads ({ db, wholes, rows, readable, cuts }: Omit<TranscriptParts, 'sessions'>) {
  /** Returns where a window of `limit` counted rows before `before` begins. */
  function windowStart (sessionId: string, limit: number, before: number): number {
    const exact = rows.nthCounted(sessionId, before, limit - 1)
    if (exact !== undefined) return exact
    // Fewer counted rows than requested: everything, or if no row counts, the last `limit` rows.
    return rows.firstCounted(sessionId, before) === null ? Math.max(0, before - limit) : 0
  }

  /** Returns where a portion ends that begins at `from`: it has few rows, and fewer when they are long. */
  function portionEnd (sessionId: string, from: number, end: number): number {
    const to = Math.min(from + portionRows, end, cuts.of(sessionId) ?? end)
    return from < to ? rows.reach(sessionId, from, to) : from
  }

  /** Returns a few rows from a position on, for callers that iterate over a long session with pauses; empty behind its end. */
  function portion (sessionId: string, from: number, end: number, variant: Variant): MessageRow[] {
    return [...readable.between(sessionId, from, portionEnd(sessionId, from, end), variant)]
  }

  /** Masks the long rows of a range by new rules, with pauses. Otherwise that is done while they are read, and delays other work. */
  async function rangeAhead (sessionId: string, from: number, to: number, variant: Variant): Promise<void> {
    if (variant === 'plain' || !rows.hasOldMasks()) return
    const pace = createPace()
    for (const row of rows.longOld(sessionId, from, to)) {
      await maskAhead(row)
      await pace()
    }
  }

  return {
    portion,
    portionEnd,
    rangeAhead,
    hasOldMasks: rows.hasOldMasks,

    /** Does the same for a portion that is to be read. */
    async portionAhead (sessionId: string, from: number, end: number, variant: Variant): Promise<void> {
      if (rows.hasOldMasks()) await rangeAhead(sessionId, from, portionEnd(sessionId, from, end), variant)
    },

    /** Returns everything before `end`, as JSON texts joined by commas, without parsing single rows. */
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
      // A transaction may be rolled back, and while masks of earlier rules exist, rows are still rewritten in place.
      const isFinal = read.messages.length >= leastKeptBytes && !db.sqlite.inTransaction && !rows.hasOldMasks()
      if (isFinal) wholes.keep(sessionId, key, [read.messages, read.toolCalls])
      return read
    },

    /** Returns the range of a window. `total` is the session's message count. */
    range (sessionId: string, total: number, { limit, before }: Window): { offset: number, end: number } {
      const end = Math.min(Math.max(0, before ?? total), total)
      return { offset: limit === undefined ? 0 : windowStart(sessionId, limit, end), end }
    },

    /** Yields every row as a parsed message of the wire. Only a few rows are read at once, so the caller may pause in between. */
    async * messages (sessionId: string, variant: Variant): AsyncGenerator<Record<string, unknown>> {
      for (let from = 0; ;) {
        await rangeAhead(sessionId, from, portionEnd(sessionId, from, Number.MAX_SAFE_INTEGER), variant)
        const found = portion(sessionId, from, Number.MAX_SAFE_INTEGER, variant)
        if (found.length === 0) return
        for (const { body } of found) yield fieldsOf(JSON.parse(body))
        from += found.length
      }
    }
  }
}

export type TranscriptReads = ReturnType<typeof createTranscriptReads>

/** Marks the message that the running turn answers. */
export const activeUser = (body: string): string => `{"_active_turn_user":true,${body.slice(1)}`

/** Shortens a tool's row for windows. */
export function shortened (body: string): string {
  if (body.length <= windowedToolContentChars) return body
  const message = JSON.parse(body) as { content: string }
  if (message.content.length <= windowedToolContentChars) return body
  return JSON.stringify({
    ...message,
    content: `${message.content.slice(0, windowedToolContentChars)}\n… (shortened here; the whole result is in the full transcript)`
  })
}
