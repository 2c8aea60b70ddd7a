import { fieldsOf } from '../../ground/fields.js'
import { type Variant } from './message-rows.js'
import { textOf } from './message-text.js'
import { lastSaid } from './preview.js'
import { type SessionRow } from './rows.js'
import { type StoredMessage, type TranscriptParts } from './transcript-writes.js'

/** Single things that are known of the messages of sessions: what was said first or last, where somebody has said something. */
export function createTranscriptExcerpts ({ rows, readable, cuts }: Omit<TranscriptParts, 'sessions'>) {
  return {
    /** Rows of a turn, from a position on, in which its model says something, in their order. */
    answers (sessionId: string, streamId: string, from: number): StoredMessage[] {
      return rows.answers(sessionId, streamId, from)
    },

    /** How much text the messages hold. Looks at each row. */
    sizeBytes (sessionId: string): number {
      return rows.sizeBytes(sessionId, readable.end(sessionId))
    },

    /** The message of a person at a position, as it was typed; null where there is none. */
    typedAt (sessionId: string, position: number): { messageId: string, text: string } | null {
      const [row] = readable.between(sessionId, position, Math.min(position + 1, readable.end(sessionId)), 'plain')
      return row?.role === 'user' ? { messageId: row.messageId, text: textOf(fieldsOf(JSON.parse(row.body)).content) } : null
    },

    /** The id of the message at a position; undefined behind the end. */
    idAt (sessionId: string, position: number): string | undefined {
      return position < readable.end(sessionId) ? rows.idAt(sessionId, position) : undefined
    },

    /** What people have said, and answers that may have headings, the latest first. */
    outlined (sessionId: string, variant: Variant): Iterable<{ position: number, body: string }> {
      return rows.outlined(variant, sessionId, cuts.of(sessionId))
    },

    /** What people have sent to begin turns, the latest first. */
    requests (sessionId: string): Iterable<{ position: number, body: string }> {
      return rows.requests(sessionId, cuts.of(sessionId))
    },

    /** How what was said last begins, as it is shown; null when nothing was said. */
    lastSaid ({ id, messageCount, lastSaid: plain, redactedLastSaid: mask }: SessionRow, variant: Variant): string | null {
      if (variant === 'plain') return plain
      if (!rows.hasOldMasks()) return mask ?? plain
      const said = lastSaid(rows, id, messageCount)
      return said?.masked ?? said?.plain ?? null
    },

    /** What a person said first; empty when nothing can be read. */
    question (sessionId: string): string {
      return rows.firstQuestion(sessionId, readable.end(sessionId))
    },

    /** What the assistant said last; empty when that cannot be read. */
    lastAnswer (sessionId: string): string {
      return rows.lastAnswer(sessionId, readable.end(sessionId))
    }
  }
}
