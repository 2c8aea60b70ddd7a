import { and, asc, eq, inArray, isNotNull, isNull, ne } from 'drizzle-orm'
import { type Dated } from '../../ground/clock.js'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type TaskRow = typeof tables.backgroundTasks.$inferSelect

/** The statements of the table `background_tasks`; what writes runs inside the caller's transaction. */
export function createTaskRows ({ orm, sqlite }: Database) {
  const { backgroundTasks: tasks } = tables
  const unfinished = sqlite.prepare<[string], number>(
    "select count(*) from background_tasks where parent_session_id = ? and state <> 'done'"
  ).pluck()
  const unfetched = sqlite.prepare<[string], number>(
    "select count(*) from background_tasks where parent_session_id = ? and state = 'done' and fetched_at is null"
  ).pluck()

  return {
    /** How many of a conversation are not done. */
    unfinished: (parentId: string): number => oneRow(unfinished, parentId),
    /** How many of a conversation are done, and nobody has fetched them. */
    unfetched: (parentId: string): number => oneRow(unfetched, parentId),
    /** Of all conversations, oldest first. */
    open: (): TaskRow[] => orm.select().from(tasks).where(ne(tasks.state, 'done')).orderBy(asc(tasks.createdAt)).all(),
    /** Their sessions, and when they were fetched. */
    fetched: (): Dated[] =>
      orm.select({ id: tasks.sessionId, atS: tasks.fetchedAt }).from(tasks).where(isNotNull(tasks.fetchedAt)).all() as Dated[],

    insert: (row: Pick<TaskRow, 'id' | 'parentSessionId' | 'prompt' | 'sessionId' | 'streamId' | 'createdAt'>): void => {
      orm.insert(tasks).values({ ...row, state: 'queued' }).run()
    },
    begin: (id: string): void => {
      orm.update(tasks).set({ state: 'running' }).where(and(eq(tasks.id, id), eq(tasks.state, 'queued'))).run()
    },
    end: (id: string, done: Pick<TaskRow, 'answer' | 'completedAt'>): void => {
      orm.update(tasks).set({ ...done, state: 'done' }).where(and(eq(tasks.id, id), ne(tasks.state, 'done'))).run()
    },
    /** Those of a conversation that are done and new, oldest first; from now on they are fetched. */
    fetch (parentId: string, nowS: number): TaskRow[] {
      const isNew = and(eq(tasks.parentSessionId, parentId), eq(tasks.state, 'done'), isNull(tasks.fetchedAt))
      const rows = orm.select().from(tasks).where(isNew).orderBy(asc(tasks.completedAt)).all()
      orm.update(tasks).set({ fetchedAt: nowS }).where(inArray(tasks.id, rows.map((row) => row.id))).run()
      return rows
    }
  }
}

export type TaskRows = ReturnType<typeof createTaskRows>
