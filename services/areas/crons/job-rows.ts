import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type JobRow = typeof tables.cronJobs.$inferSelect

/**
 * The statements of the table `cron_jobs`; what writes runs inside the caller's transaction. `changed` is told of each job that is written.
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
    /** Ids of those that have times. */
    ids: (profile: string | null): string[] => ids.all({ profile }),
    count: (): number => oneRow(count),
    /** How many there are by state, and by how their last run went. */
    standing: () => standing.all(),
    /** How many have their time come by then. */
    dueBy: (nowS: number): number => oneRow(dueBy, nowS),
    /** How many that have times are not this profile's. */
    elsewhere: (profile: string): number => oneRow(elsewhere, profile),
    /** The job of a profile that has this id or this name. */
    named: (profile: string, idOrName: string): string | undefined => named.get(profile, idOrName, idOrName),

    /** Whose time has come, the earliest first. */
    due: (nowS: number, most: number): JobRow[] => due.all({ nowS, most }),
    /** When the next one is due, in epoch seconds. */
    nextDue: (): number | null => nextDue.get() ?? null,
    /** By the clock of then; null without jobs. */
    latestWrite: (): number | null => latestWrite.get() ?? null,
    /** Ids of the jobs that go on by themselves and whose next slot is known, or could not be found. */
    recurring: (profile?: string): string[] => orm.select({ id: jobs.id }).from(jobs).where(and(
      inArray(jobs.state, ['scheduled', 'error']), inArray(jobs.kind, ['cron', 'interval']), profile === undefined
        ? undefined
        : eq(jobs.profile, profile))).all().map(({ id }) => id),
    /** Profiles that have jobs which are not paused or over. */
    profiles: (): string[] => orm.selectDistinct({ profile: jobs.profile }).from(jobs).where(
      inArray(jobs.state, ['scheduled', 'error'])
    ).all().map(({ profile }) => profile),

    insert (row: typeof jobs.$inferInsert): JobRow {
      changed(row.id)
      return orm.insert(jobs).values(row).returning().get()
    },
    /** Undefined when it is not there. */
    set (id: string, values: Partial<JobRow>): JobRow | undefined {
      changed(id)
      return orm.update(jobs).set(values).where(eq(jobs.id, id)).returning().get()
    },
    /** Pauses all of a profile that are not over; their ids. */
    pauseAll (profile: string, reason: string, nowS: number): string[] {
      const paused = orm.update(jobs).set({ state: 'paused', pausedAt: nowS, pausedReason: reason, nextRunAt: null, updatedAt: nowS })
        .where(and(eq(jobs.profile, profile), inArray(jobs.state, ['scheduled', 'error']))).returning({ id: jobs.id }).all().map(({ id }) =>
          id)
      for (const id of paused) changed(id)
      return paused
    },
    /** False when it is not there. */
    remove (id: string): boolean {
      changed(id)
      return orm.delete(jobs).where(eq(jobs.id, id)).run().changes > 0
    }
  }
}

export type JobRows = ReturnType<typeof createJobRows>
