import { createValues, type Database } from '../../ground/database/index.js'
import { type MessageRows } from './message-rows.js'

/** What is cut off is removed at once up to so many rows, and in portions of so many beyond that: each leaves the search index as well. */
const rowsAtOnce = 50
const prefix = 'session_cut:'

/**
 * Cuts of many rows: a mark says where the session ends, from then on nobody sees what lies behind, and the rows are taken away
 * a few at a time. What is said meanwhile takes the places of rows that were cut off, one by one, and moves the mark. What a stop
 * of the service leaves of that is still marked. Everything runs inside the caller's transaction.
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
    /** The position from which on nothing counts any more, while there are rows there. */
    of,

    begin (sessionId: string, keep: number, nowS: number): void {
      if (of(sessionId) === undefined && rows.length(sessionId) - keep <= rowsAtOnce) rows.cut(sessionId, keep)
      else values.set(prefix + sessionId, keep, nowS)
    },

    /** Before a row is put at the end. */
    makeRoom (sessionId: string, position: number, nowS: number): void {
      if (of(sessionId) === undefined) return
      rows.drop(sessionId, position)
      values.set(prefix + sessionId, position + 1, nowS)
    },

    /** Takes a few rows away. False when there are none left. */
    trim (sessionId: string): boolean {
      const keep = of(sessionId)
      if (keep === undefined) return false
      if (rows.trim(sessionId, rowsAtOnce, keep)) return true
      values.remove(prefix + sessionId)
      return false
    },

    /** The sessions of which rows are still to be taken away. */
    open: (): string[] => marked.all()
  }
}

export type Cuts = ReturnType<typeof createCuts>
