import { type Database } from '../../ground/database/index.js'
import { type Cuts } from './cuts.js'
import { type MessageRow, type MessageRows, type Variant } from './message-rows.js'
import { createUnreadable, type Substitute } from './unreadable.js'

/** Reads the rows of transcripts up to their end, with substitutes for unreadable ones. */
export function createReadableRows (db: Database, rows: MessageRows, cuts: Cuts) {
  const unreadable = createUnreadable(db)

  /** Returns the position behind the last row; rows behind a cut no longer count. */
  const end = (sessionId: string): number => cuts.of(sessionId) ?? rows.length(sessionId)

  /** Returns the substitutes for the unreadable rows of a range, in their order. */
  function substitutes (sessionId: string, from: number, to: number): Array<[number, Substitute]> {
    const all = unreadable.of(sessionId, from, to)
    return all.size === 0
      ? []
      : [...all].filter(([position]) => position >= from && position < to).toSorted(([one], [other]) => one - other)
  }

  return {
    end,
    substitutes,

    /** Yields rows in their order. */
    * between (sessionId: string, from: number, to: number, variant: Variant): Generator<MessageRow> {
      let next = from
      for (const [position, { body, role, messageId, assistantPosition }] of substitutes(sessionId, from, to)) {
        yield * rows.between(variant, sessionId, next, position)
        yield { position, role, messageId, assistantPosition, body: body[variant], card: null }
        next = position + 1
      }
      yield * rows.between(variant, sessionId, next, to)
    },

    /** Returns what each row from `from` on is to the model; null for rows that it is not shown. */
    replays (sessionId: string, from: number, to = end(sessionId)): Array<string | null> {
      const found: Array<string | null> = []
      let next = from
      for (const [position, { replay }] of substitutes(sessionId, from, to)) {
        found.push(...rows.replaysBetween(sessionId, next, position), replay)
        next = position + 1
      }
      return [...found, ...rows.replaysBetween(sessionId, next, to)]
    },

    /** Called when rows of the session were removed or rewritten. */
    forget: unreadable.forget
  }
}

export type ReadableRows = ReturnType<typeof createReadableRows>
