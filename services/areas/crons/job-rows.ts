import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type JobRow = typeof tables.cronJobs.$inferSelect

/**
 * The statements of the table `cron_jobs`. Writes run inside the caller's transaction. `changed` is called with each job that is written.
 */
export function createJobRows ({ orm, sqlite }: Database, changed: (id: string) => void = () => {}) {
  const { cronJobs: jobs } = tables
  const byId = orm.select().from(jobs).where(eq(jobs.id, sql.placeholder('id'))).prepare()
  const due = orm.select().from(jobs).where(sql`next_run_at <= ${sql.placeholder('nowS')}`).orderBy(asc(jobs.nextRunAt)).limit(
    sql.placeholder('most')
  ).prepare()
  const nextDue = sqlite.prepare<[], number | null>('select min(next_run_at) from cron_jobs where next_run_at is not null').pluck()
  const latestWrite = sqlite.prepare<[], number | null>('select max(updated_at) from cron_jobs').pluck()
  const count = sqlite.prepare<[], number>('select count(*) from cron_jobs').pluck()
  const standing = sqlite.prepare<[], { state: JobRow['state'], lastStatus: JobRow['lastStatus'], count: number }>(
    'select state, last_status as lastStatus, count(*) as count from cron_jobs group by state, last_status')
  const dueBy = sqlite.prepare<[number], number>('select count(*) from cron_jobs where next_run_at <= ?').pluck()
  const elsewhere = sqlite.prepare<[string], number>("select count(*) from cron_jobs where profile <> ? and kind <> 'hook'").pluck()
  const ids = sqlite.prepare<[{ profile: string | null }], string>(
    "select id from cron_jobs where profile = coalesce(@profile, profile) and kind <> 'hook' order by created_at"
  ).pluck()
  const named = sqlite.prepare<[string, string, string], string>(
    'select id from cron_jobs where profile = ? and (id = ? or name = ? collate nocase) order by created_at limit 1').pluck()

  return {
    find: (id: string): JobRow | undefined => byId.get({ id }),
    /** Oldest first; null: of all profiles. */
    list: (profile: string | null): JobRow[] =>
      orm.select().from(jobs).where(profile === null ? undefined : eq(jobs.profile, profile)).orderBy(asc(jobs.createdAt)).all(),
    /** Returns the ids of jobs with a schedule. */
    ids: (profile: string | null): string[] => ids.all({ profile }),
    count: (): number => oneRow(count),
    /** Returns the number of jobs by state and by status of the last run. */
    standing: () => standing.all(),
    /** Returns how many jobs are due by then. */
    dueBy: (nowS: number): number => oneRow(dueBy, nowS),
    /** Returns how many jobs with a schedule belong to other profiles. */
    elsewhere: (profile: string): number => oneRow(elsewhere, profile),
    /** Returns the job of a profile with this id or this name. */
    named: (profile: string, idOrName: string): string | undefined => named.get(profile, idOrName, idOrName),

    /** Returns the jobs that are due, the earliest first. */
    due: (nowS: number, most: number): JobRow[] => due.all({ nowS, most }),
    /** Returns when the next job is due, in epoch seconds. */
    nextDue: (): number | null => nextDue.get() ?? null,
    /** Returns the time of the latest write, by the clock at that time; null without jobs. */
    latestWrite: (): number | null => latestWrite.get() ?? null,
    /** Returns the ids of active recurring jobs, including those whose next slot could not be found. */
    recurring: (profile?: string): string[] => orm.select({ id: jobs.id }).from(jobs).where(and(
      inArray(jobs.state, ['scheduled', 'error']), inArray(jobs.kind, ['cron', 'interval']), profile === undefined
        ? undefined
        : eq(jobs.profile, profile))).all().map(({ id }) => id),
    /** Returns the profiles with jobs that are neither paused nor finished. */
    profiles: (): string[] => orm.selectDistinct({ profile: jobs.profile }).from(jobs).where(
      inArray(jobs.state, ['scheduled', 'error'])
    ).all().map(({ profile }) => profile),

    insert (row: typeof jobs.$inferInsert): JobRow {
      changed(row.id)
      return orm.insert(jobs).values(row).returning().get()
    },
    /** Returns undefined if the job does not exist. */
    set (id: string, values: Partial<JobRow>): JobRow | undefined {
      changed(id)
      return orm.update(jobs).set(values).where(eq(jobs.id, id)).returning().get()
    },
    /** Pauses all active jobs of a profile and returns their ids. */
    pauseAll (profile: string, reason: string, nowS: number): string[] {
      const paused = orm.update(jobs).set({ state: 'paused', pausedAt: nowS, pausedReason: reason, nextRunAt: null, updatedAt: nowS })
        .where(and(eq(jobs.profile, profile), inArray(jobs.state, ['scheduled', 'error']))).returning({ id: jobs.id }).all().map(({ id }) =>
          id)
      for (const id of paused) changed(id)
      return paused
    },
    /** Returns false if the job does not exist. */
    remove (id: string): boolean {
      changed(id)
      return orm.delete(jobs).where(eq(jobs.id, id)).run().changes > 0
    }
  }
}

export type JobRows = ReturnType<typeof createJobRows>
