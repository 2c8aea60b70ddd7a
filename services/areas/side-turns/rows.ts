import { and, asc, eq, inArray, isNotNull, isNull, ne } from 'drizzle-orm'
import { type Dated } from '../../ground/time/clock.js'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type TaskRow = typeof tables.backgroundTasks.$inferSelect

/** The statements of the table `background_tasks`; writes run inside the caller's transaction. */
export function createTaskRows ({ orm, sqlite }: Database) {
  const { backgroundTasks: tasks } = tables
  const unfinished = sqlite.prepare<[string], number>(
    "select count(*) from background_tasks where parent_session_id = ? and state <> 'done'"
  ).pluck()
  const unfetched = sqlite.prepare<[string], number>(
    "select count(*) from background_tasks where parent_session_id = ? and state = 'done' and fetched_at is null"
  ).pluck()

  return {
    /** Returns how many of a conversation's tasks are unfinished. */
    unfinished: (parentId: string): number => oneRow(unfinished, parentId),
    /** Returns how many of a conversation's tasks are finished and have not been fetched. */
    unfetched: (parentId: string): number => oneRow(unfetched, parentId),
    /** Returns the unfinished tasks of all conversations, oldest first. */
    open: (): TaskRow[] => orm.select().from(tasks).where(ne(tasks.state, 'done')).orderBy(asc(tasks.createdAt)).all(),
    /** Returns the sessions of fetched tasks, and when they were fetched. */
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
    /** Returns a conversation's finished tasks that have not been fetched, oldest first, and marks them as fetched. */
    fetch (parentId: string, nowS: number): TaskRow[] {
      const isNew = and(eq(tasks.parentSessionId, parentId), eq(tasks.state, 'done'), isNull(tasks.fetchedAt))
      const rows = orm.select().from(tasks).where(isNew).orderBy(asc(tasks.completedAt)).all()
      orm.update(tasks).set({ fetchedAt: nowS }).where(inArray(tasks.id, rows.map((row) => row.id))).run()
      return rows
    }
  }
}

export type TaskRows = ReturnType<typeof createTaskRows>
