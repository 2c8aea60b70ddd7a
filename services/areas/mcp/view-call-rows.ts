import { and, desc, eq, inArray } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type ViewCallRow = typeof tables.viewCalls.$inferSelect

/** Of one conversation; older ones go. */
const mostOfSession = 200

/** The table `view_calls`; what writes runs inside the caller's transaction. */
export function createViewCallRows ({ orm }: Database) {
  const { viewCalls: calls } = tables
  const newest = (sessionId: string) =>
    orm.select().from(calls).where(eq(calls.sessionId, sessionId)).orderBy(desc(calls.createdAt), desc(calls.id))

  return {
    /** The oldest first. */
    list: (sessionId: string): ViewCallRow[] => newest(sessionId).all().toReversed(),
    insert (row: ViewCallRow): void {
      orm.insert(calls).values(row).run()
      const old = newest(row.sessionId).limit(20).offset(mostOfSession).all().map(({ id }) => id)
      if (old.length > 0) orm.delete(calls).where(inArray(calls.id, old)).run()
    },
    end: (id: string, ended: Pick<ViewCallRow, 'state' | 'answer'>): void => {
      orm.update(calls).set(ended).where(and(eq(calls.id, id), eq(calls.state, 'running'))).run()
    },
    /** It was not made after all. */
    remove: (id: string): void => { orm.delete(calls).where(eq(calls.id, id)).run() },
    /** Of a service that has ended. */
    lose: (): void => { orm.update(calls).set({ state: 'lost' }).where(eq(calls.state, 'running')).run() }
  }
}
