import { createPace } from '../../ground/concurrency/pace.js'
import { fieldsOf } from '../../ground/fields.js'
import { type Variant } from './message-rows.js'
import { textOf } from './message-text.js'
import { lastSaid } from './preview.js'
import { type SessionRow } from './rows.js'
import { type TranscriptReads } from './transcript-reads.js'
import { type StoredMessage, type TranscriptParts } from './transcript-writes.js'

/** How many rows an outline holds at once; some are large. */
const outlinedAtOnce = 8

/** Looks up single facts about the messages of sessions: the first or the last one, the one at a position. */
export function createTranscriptExcerpts (
  { rows, readable, cuts }: Omit<TranscriptParts, 'sessions'>, { portionEnd, rangeAhead }: Pick<TranscriptReads, 'portionEnd' | 'rangeAhead'>
) {
  return {
    /** Returns the rows of a turn, from a position on, in which its model says something, in their order. */
    answers (sessionId: string, streamId: string, from: number): StoredMessage[] {
      return rows.answers(sessionId, streamId, from)
    },

    /** Returns how much text the messages hold. Visits each row. */
    sizeBytes (sessionId: string): number {
      return rows.sizeBytes(sessionId, readable.end(sessionId))
    },

    /** Returns the message of a person at a position, as it was typed; null if there is none. */
    typedAt (sessionId: string, position: number): { messageId: string, text: string } | null {
      const [row] = readable.between(sessionId, position, Math.min(position + 1, readable.end(sessionId)), 'plain')
      return row?.role === 'user' ? { messageId: row.messageId, text: textOf(fieldsOf(JSON.parse(row.body)).content) } : null
    },

    /** Returns the id of the message at a position; undefined behind the end. */
    idAt (sessionId: string, position: number): string | undefined {
      return position < readable.end(sessionId) ? rows.idAt(sessionId, position) : undefined
    },

    /** Yields the messages of people, and answers that may have headings, the latest first. */
    async * outlined (sessionId: string, variant: Variant): AsyncGenerator<{ position: number, body: string }> {
      const pace = createPace()
      for (let end = readable.end(sessionId); end > 0; end -= outlinedAtOnce) {
        const found = []
        // Nothing is left of a portion that was cut off meanwhile.
        for (let from = Math.max(0, end - outlinedAtOnce), to; (to = portionEnd(sessionId, from, end)) > from; from = to) {
          await rangeAhead(sessionId, from, to, variant)
          found.unshift(...rows.outlined(variant, sessionId, from, to))
          await pace()
        }
        yield * found
      }
    },

    /** Returns the messages with which people began turns, the latest first. */
    requests (sessionId: string): Iterable<{ position: number, body: string }> {
      return rows.requests(sessionId, cuts.of(sessionId))
    },

    /** Returns the beginning of the last message, as it is shown; null if there is no message with text. */
    lastSaid ({ id, messageCount, lastSaid: plain, redactedLastSaid: mask }: SessionRow, variant: Variant): string | null {
      if (variant === 'plain') return plain
      if (!rows.hasOldMasks()) return mask ?? plain
      const said = lastSaid(rows, id, messageCount)
      return said?.masked ?? said?.plain ?? null
    },

    /** Returns the first message of a person; empty when none can be read. */
    question (sessionId: string): string {
      return rows.firstQuestion(sessionId, readable.end(sessionId))
    },

    /** Returns the last message of the assistant; empty when it cannot be read. */
    lastAnswer (sessionId: string): string {
      return rows.lastAnswer(sessionId, readable.end(sessionId))
    }
  }
}
