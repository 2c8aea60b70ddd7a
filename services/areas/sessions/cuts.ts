import { createValues, type Database } from '../../ground/database/index.js'
import { type MessageRows } from './message-rows.js'

/** Up to this many cut rows are removed at once, more of them in portions of this size: each row also has to leave the search index. */
const rowsAtOnce = 50
const prefix = 'session_cut:'

/**
 * Cuts off many rows. A mark stores where the session ends; from then on the rows behind it are hidden, and they are removed a few at a
 * time. New messages replace rows that were cut off, one by one, and move the mark. Marks survive a stop of the service. Everything runs
 * inside the caller's transaction.
 */
export function createCuts (db: Database, rows: Pick<MessageRows, 'cut' | 'drop' | 'trim' | 'length'>) {
  const { sqlite } = db
  const values = createValues(sqlite)
  const mark = sqlite.prepare<[string], number>(`select cast(value as integer) from settings where key = '${prefix}' || ?`).pluck()
  const marked = sqlite.prepare<[], string>(
    `select substr(key, ${prefix.length + 1}) from settings where substr(key, 1, ${prefix.length}) = '${prefix}'`
  ).pluck()

  const of = (sessionId: string): number | undefined => mark.get(sessionId)

  return {
    /** Returns the position from which on rows no longer count; undefined if none is left to remove. */
    of,

    begin (sessionId: string, keep: number, nowS: number): void {
      if (of(sessionId) === undefined && rows.length(sessionId) - keep <= rowsAtOnce) rows.cut(sessionId, keep)
      else values.set(prefix + sessionId, keep, nowS)
    },

    /** Called before a row is appended. */
    makeRoom (sessionId: string, position: number, nowS: number): void {
      if (of(sessionId) === undefined) return
      rows.drop(sessionId, position)
      values.set(prefix + sessionId, position + 1, nowS)
    },

    /** Removes a few rows. Returns false when none is left. */
    trim (sessionId: string): boolean {
      const keep = of(sessionId)
      if (keep === undefined) return false
      if (rows.trim(sessionId, rowsAtOnce, keep)) return true
      values.remove(prefix + sessionId)
      return false
    },

    /** Returns the sessions that still have rows to be removed. */
    open: (): string[] => marked.all()
  }
}

export type Cuts = ReturnType<typeof createCuts>
