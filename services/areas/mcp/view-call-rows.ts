import { and, desc, eq, inArray } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type ViewCallRow = typeof tables.viewCalls.$inferSelect

/** How many calls of one conversation are kept. */
const mostOfSession = 200

/** The table `view_calls`; writes run inside the caller's transaction. */
export function createViewCallRows ({ orm }: Database) {
  const { viewCalls: calls } = tables
  const newest = (sessionId: string) =>
    orm.select().from(calls).where(eq(calls.sessionId, sessionId)).orderBy(desc(calls.createdAt), desc(calls.id))

  return {
    /** Sorted from oldest to newest. */
    list: (sessionId: string): ViewCallRow[] => newest(sessionId).all().toReversed(),
    insert (row: ViewCallRow): void {
      orm.insert(calls).values(row).run()
      const old = newest(row.sessionId).limit(20).offset(mostOfSession).all().map(({ id }) => id)
      if (old.length > 0) orm.delete(calls).where(inArray(calls.id, old)).run()
    },
    end: (id: string, ended: Pick<ViewCallRow, 'state' | 'answer'>): void => {
      orm.update(calls).set(ended).where(and(eq(calls.id, id), eq(calls.state, 'running'))).run()
    },
    /** Called when the call was not made after all. */
    remove: (id: string): void => { orm.delete(calls).where(eq(calls.id, id)).run() },
    /** Marks calls that were running when an earlier process of the service ended. */
    lose: (): void => { orm.update(calls).set({ state: 'lost' }).where(eq(calls.state, 'running')).run() }
  }
}
