import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type CheckRow = typeof tables.checks.$inferSelect
export type CheckRunRow = typeof tables.checkRuns.$inferSelect
/** A run without its long fields. */
export type RunSummary = Omit<CheckRunRow, 'output' | 'problems'> & { files: number }

const open = ['waiting', 'running'] as const
export const isOpen = ({ state }: Pick<CheckRunRow, 'state'>): boolean => open.some((one) => one === state)

/** The tables `checks`, `check_runs` and `check_sends`; writes run inside the caller's transaction. */
export function createCheckRows ({ orm, sqlite }: Database) {
  const { checks, checkRuns: runs, checkSends: sends } = tables
  const prune = sqlite.prepare<[string, number]>(
    `delete from check_runs where id in (
       select id from check_runs where folder = ? and state not in ('waiting', 'running')
       order by created_at desc, rowid desc limit -1 offset ?)`)
  const summary = {
    id: runs.id, sessionId: runs.sessionId, checkId: runs.checkId, name: runs.name, command: runs.command, folder: runs.folder,
    streamId: runs.streamId, isConfined: runs.isConfined, state: runs.state, exitCode: runs.exitCode,
    errors: runs.errors, warnings: runs.warnings, infos: runs.infos, sentAt: runs.sentAt,
    createdAt: runs.createdAt, startedAt: runs.startedAt, endedAt: runs.endedAt,
    files: sql<number>`(select count(distinct value ->> '$.path') from json_each(${runs.problems}))`
  }
  // Prepared once, because the end of each turn reads it.
  const inPlace = orm.select().from(checks)
    .where(and(eq(checks.profile, sql.placeholder('profile')), eq(checks.place, sql.placeholder('place'))))
    .orderBy(asc(checks.createdAt), asc(sql`rowid`)).prepare()
  const latest = [desc(runs.createdAt), desc(sql`check_runs.rowid`)]

  return {
    find: (id: string): CheckRow | undefined => orm.select().from(checks).where(eq(checks.id, id)).get(),
    /** In the order in which they were saved, which is the order in which they run. */
    list: (profile: string, place: string): CheckRow[] => inPlace.all({ profile, place }),
    insert: (row: CheckRow): void => { orm.insert(checks).values(row).run() },
    set: (id: string, values: Partial<CheckRow>): void => { orm.update(checks).set(values).where(eq(checks.id, id)).run() },
    remove: (id: string): void => { orm.delete(checks).where(eq(checks.id, id)).run() },

    run: (id: string): CheckRunRow | undefined => orm.select().from(runs).where(eq(runs.id, id)).get(),
    /** Returns the runs of these checks in a folder, latest first. */
    runs: (checkIds: readonly string[], folder: string, most: number): RunSummary[] => orm.select(summary).from(runs)
      .where(and(eq(runs.folder, folder), inArray(runs.checkId, [...checkIds]))).orderBy(...latest).limit(most).all(),
    summary: (id: string): RunSummary | undefined => orm.select(summary).from(runs).where(eq(runs.id, id)).get(),
    /** Returns the unfinished runs of all folders. */
    open: (): RunSummary[] => orm.select(summary).from(runs).where(inArray(runs.state, [...open])).all(),
    insertRun: (row: typeof runs.$inferInsert): void => { orm.insert(runs).values(row).run() },
    /** Changes an open run; one that has ended stays as it is. Returns whether it was open. */
    setRun: (id: string, values: Partial<CheckRunRow>): boolean =>
      orm.update(runs).set(values).where(and(eq(runs.id, id), inArray(runs.state, [...open]))).run().changes > 0,
    sent: (ids: readonly string[], at: number): void => { orm.update(runs).set({ sentAt: at }).where(inArray(runs.id, [...ids])).run() },
    /** Deletes the oldest finished runs of a folder. */
    prune: (folder: string, most: number): void => { prune.run(folder, most) },

    /** Returns how often results were sent to the agent automatically, and the turn of the last time. */
    sends: (sessionId: string): { streamId: string, count: number } | undefined =>
      orm.select({ streamId: sends.streamId, count: sends.count }).from(sends).where(eq(sends.sessionId, sessionId)).get(),
    setSends: (sessionId: string, streamId: string, count: number): void => {
      const set = { streamId, count }
      orm.insert(sends).values({ sessionId, ...set }).onConflictDoUpdate({ target: sends.sessionId, set }).run()
    }
  }
}

export type CheckRows = ReturnType<typeof createCheckRows>
