import { type ModelMessage } from '../../agent/protocol.js'
import { createPace } from '../../ground/concurrency/pace.js'
import { NotFound } from '../../ground/errors.js'
import { redact } from '../../ground/redaction/index.js'
import { type Variant } from './message-rows.js'
import { messageKey, type AnchorMessage } from './message-text.js'
import { type SessionRow } from './rows.js'
import { portionRows } from './transcript-reads.js'
import { type TranscriptParts } from './transcript-writes.js'

/** Reads and changes what the model is shown of the messages of sessions. */
export function createModelView ({ rows, readable, sessions }: Omit<TranscriptParts, 'cuts'>) {
  return {
    /** Returns what the model is shown for `rows` rows from a position on. */
    replaysOf (sessionId: string, from: number, rows: number): Array<string | null> {
      return readable.replays(sessionId, from, from + rows)
    },

    /** Returns what each row is to the model, in order; null for rows that it is not shown. */
    replays (sessionId: string): Array<string | null> {
      return readable.replays(sessionId, 0)
    },

    /**
     * Returns the conversation as the model is shown it: a summary of earlier messages, if there is one, and the messages since. A long one
     * is read in portions.
     */
    async history (sessionId: string): Promise<{ messages: ModelMessage[], summary: string | null }> {
      const session = sessions.find(sessionId)
      if (session === undefined) throw new NotFound('Session not found')
      const { compressionSummary: summary, compressedBefore: before, messageCount: end } = session
      const pace = createPace()
      const messages: ModelMessage[] = []
      for (let from = before ?? 0; from < end;) {
        const to = rows.reach(sessionId, from, Math.min(from + portionRows, end))
        for (const replay of readable.replays(sessionId, from, to)) if (replay !== null) messages.push(JSON.parse(replay))
        from = to
        await pace()
      }
      return { messages, summary }
    },

    /**
     * Replaces everything but the last `keptRows` messages that the model is shown with `summary`. No row is removed. `contextTokens`: what
     * the context holds afterwards.
     */
    compress (sessionId: string, { summary, keptRows, contextTokens }: { summary: string, keptRows: number, contextTokens: number }): void {
      const end = readable.end(sessionId)
      const before = keptRows === 0
        ? (rows.nthReplay(sessionId, end, 0) ?? -1) + 1
        : rows.nthReplay(sessionId, end, keptRows - 1) ?? 0
      sessions.setSummary(sessionId, summary, before, contextTokens)
    },

    /** Returns the keys of the session object that say where the summary ends: at the last message that the model sees only through it. */
    compressionAnchor (
      { id, compressionSummary, compressedBefore: before }: Pick<SessionRow, 'id' | 'compressionSummary' | 'compressedBefore'>,
      variant: Variant
    ) {
      const last = before === null ? undefined : rows.in[variant].lastCounted.get(id, before)
      const summary = compressionSummary !== null && variant === 'masked' ? redact(compressionSummary) : compressionSummary
      return {
        compression_anchor_visible_idx: last?.index ?? null,
        compression_anchor_message_key: last === undefined ? null : messageKey(JSON.parse(last.body) as AnchorMessage),
        compression_anchor_summary: summary
      }
    }
  }
}
