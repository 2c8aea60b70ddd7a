import { and, asc, desc, eq, gt, inArray, sql } from 'drizzle-orm'
import { inPortions, oneRow, tables, type Database } from '../../ground/database/index.js'

export type JobRunRow = typeof tables.cronRuns.$inferSelect

/** The usage of a run's turn; cost in US dollars, null when the price is unknown. */
export interface RunUsage {
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  cost: number | null
  model: string | null
}

/** The place of a run among those of its job. */
interface Place { createdAt: number, row: number }

const readAtOnce = 1_000

export interface Completion {
  jobId: string
  name: string
  profile: string
  status: string | null
  endedAt: number
  toast: number
  sessionId: string | null
  messageCount: number | null
}

/**
 * The statements of the table `cron_runs`. Writes run inside the caller's transaction. `changed` is called with the job of each run that is
 * written.
 */
export function createRunRows (db: Database, changed: (jobId: string) => void = () => {}) {
  const { orm, sqlite } = db
  const { cronRuns: runs } = tables
  const byId = orm.select().from(runs).where(eq(runs.id, sql.placeholder('id'))).prepare()
  // As literals: SQLite uses a partial index only if it knows the values.
  const isOpen = sql`${runs.state} in ('queued', 'running')`
  const openCount = sqlite.prepare<[string], number>("select count(*) from cron_runs where job_id = ? and state in ('queued', 'running')").pluck()
  const openOf = orm.select().from(runs).where(and(eq(runs.jobId, sql.placeholder('jobId')), isOpen)).prepare()
  const newest = orm.select().from(runs).where(and(eq(runs.jobId, sql.placeholder('jobId')), sql`state <> 'skipped'`)).orderBy(
    desc(runs.createdAt)
  ).limit(1).prepare()
  const terminalState = sqlite.prepare<[string], string | null>(
    "select terminal_state from streams where id = ? and state = 'closed'"
  ).pluck()
  const usage = sqlite.prepare<[string], RunUsage & { output: string }>(
    `select output, sum(input_tokens) as inputTokens, sum(output_tokens) as outputTokens, sum(cache_read_tokens) as cacheReadTokens, sum(cache_write_tokens) as cacheWriteTokens,
       sum(cost) as cost, max(case when usage.stream_id = cron_runs.stream_id then model end) as model
     from cron_runs join usage indexed by usage_by_session on usage.session_id = cron_runs.session_id and cron_runs.stream_id in (usage.stream_id, usage.turn_id)
     where cron_runs.job_id = ? and output is not null group by output`)
  const recent = sqlite.prepare<[{ sinceS: number, most: number, profile: string | null }], Completion>(
    `select job_id as jobId, cron_jobs.name as name, cron_jobs.profile as profile, status, ended_at as endedAt, toast, sessions.id as sessionId, sessions.message_count as messageCount
     from cron_runs join cron_jobs on cron_jobs.id = job_id left join sessions on sessions.id = session_id and sessions.source <> 'deleted'
     where cron_runs.state = 'done' and ended_at > @sinceS and cron_jobs.profile = coalesce(@profile, cron_jobs.profile) order by ended_at desc limit @most`)
  function advance (id: string, values: Partial<JobRunRow>, from: Array<JobRunRow['state']>): boolean {
    const [run] = orm.update(runs).set(values).where(and(eq(runs.id, id), inArray(runs.state, from))).returning({ jobId: runs.jobId }).all()
    if (run !== undefined) changed(run.jobId)
    return run !== undefined
  }

  return {
    ...removals(db, changed),
    find: (id: string): JobRunRow | undefined => byId.get({ id }),
    /** Returns all runs that have not ended, oldest first. */
    open: (): JobRunRow[] => orm.select().from(runs).where(isOpen).orderBy(asc(runs.createdAt)).all(),
    /** Returns how many runs of a job have not ended. */
    openCount: (jobId: string): number => oneRow(openCount, jobId),
    /** Returns a run of a job that has not ended. */
    openOf: (jobId: string): JobRunRow | undefined => openOf.get({ jobId }),
    /** Returns the latest run of a job, including one that is about to begin. */
    newest: (jobId: string): JobRunRow | undefined => newest.get({ jobId }),
    /** Returns runs that ended after `sinceS`, had a turn, and left no file. */
    unwritten: (sinceS: number): JobRunRow[] => orm.select().from(runs)
      .where(and(eq(runs.state, 'done'), sql`output is null and session_id is not null`, gt(runs.endedAt, sinceS))).orderBy(
        desc(runs.endedAt)
      ).all(),
    /** Returns how a turn has ended; undefined if it has not, or is unknown. */
    terminalState: (streamId: string): string | null | undefined => terminalState.get(streamId),
    /** Returns the usage by file name. */
    usage: (jobId: string): Map<string, RunUsage> => new Map(usage.all(jobId).map(({ output, ...used }) => [output, used])),
    /** Returns the runs that ended after `sinceS`, the latest first; null: of all profiles. */
    recent: (sinceS: number, most: number, profile: string | null): Completion[] => recent.all({ sinceS, most, profile }),

    /** Returns false if the slot of this job is in the ledger already. */
    enter (row: Pick<JobRunRow, 'id' | 'jobId' | 'slotAt' | 'createdAt'> & Partial<JobRunRow> & { state: JobRunRow['state'] }): boolean {
      changed(row.jobId)
      return orm.insert(runs).values(row).onConflictDoNothing().run().changes === 1
    },
    /** Returns false if the run is no longer queued. */
    begin: (id: string, to: Pick<JobRunRow, 'sessionId' | 'streamId' | 'startedAt'>): boolean =>
      advance(id, { ...to, state: 'running' }, ['queued']),
    /** Returns false if the run has ended already. */
    end: (id: string, result: Pick<JobRunRow, 'status' | 'error' | 'endedAt'>): boolean =>
      advance(id, { ...result, state: 'done' }, ['queued', 'running']),
    setOutput: (id: string, output: string): void => { orm.update(runs).set({ output }).where(eq(runs.id, id)).run() }
  }
}

export type RunRows = ReturnType<typeof createRunRows>

/** Finds and removes runs that are over, and finds their sessions. */
function removals ({ sqlite }: Database, changed: (jobId: string) => void) {
  // Conversations that a person has continued, pinned, archived or put into a project no longer belong to the job.
  const isSpent = "sessions.source = 'cron' and pinned = 0 and archived = 0 and user_message_count <= 1 and project_id is null"
  const sessionsOfSql = `select distinct sessions.id
    from (select session_id from cron_runs where job_id = ? order by created_at desc limit ?) as newest
      join sessions on sessions.id = newest.session_id where ${isSpent}`
  const sessionsOf = sqlite.prepare<[string, number], string>(sessionsOfSql).pluck()
  const quietSessionsOf = sqlite.prepare<[string, number], string>(
    `${sessionsOfSql} and not exists (select 1 from streams where streams.session_id = sessions.id and streams.state <> 'closed')`
  ).pluck()
  const spent = sqlite.prepare<[string], number>(`select 1 from sessions where id = ? and ${isSpent}`).pluck()
  const lastKept = sqlite.prepare<[string, number], Place>(
    `select created_at as createdAt, rowid as row from cron_runs where job_id = ? and state = 'done'
     order by created_at desc, rowid desc limit 1 offset ? - 1`)
  const behind = sqlite.prepare<[Place & { jobId: string }], Place & { sessionId: string | null }>(
    `select old.created_at as createdAt, old.row as row, sessions.id as sessionId
     from (select rowid as row, created_at, session_id from cron_runs
       where job_id = @jobId and state = 'done' and (created_at, rowid) < (@createdAt, @row)
       order by created_at desc, rowid desc limit ${readAtOnce}) as old
     left join sessions on sessions.id = old.session_id and ${isSpent}`)
  const rowAfter = sqlite.prepare<[number, number], number | null>(
    'select max(rowid) from (select rowid from cron_runs where rowid > ? order by rowid limit ?)').pluck()
  const forget = sqlite.prepare<[{ doneS: number, skippedS: number, after: number, upto: number }], string>(
    `delete from cron_runs where rowid > @after and rowid <= @upto
     and ((state = 'done' and created_at < @doneS) or (state = 'skipped' and created_at < @skippedS)) returning job_id`).pluck()
  // Finds each job by the index, whatever the number of its runs.
  const jobless = sqlite.prepare<[], string>(
    `with recursive jobs(id) as (select min(job_id) from cron_runs
       union all select (select min(job_id) from cron_runs where job_id > jobs.id) from jobs where jobs.id is not null)
     select id from jobs where id is not null and not exists (select 1 from cron_jobs where cron_jobs.id = jobs.id)`).pluck()
  const removeNewest = sqlite.prepare<[string, number]>(
    'delete from cron_runs where rowid in (select rowid from cron_runs where job_id = ? order by created_at desc limit ?)')

  return {
    /** Returns the sessions of a job's newest `most` runs that nobody has continued. */
    sessionsOf: (jobId: string, most: number): string[] => sessionsOf.all(jobId, most),
    /** Returns those of them in which no turn runs. */
    quietSessionsOf: (jobId: string, most: number): string[] => quietSessionsOf.all(jobId, most),
    /** Whether nobody has continued this session of a run. */
    isSpent: (sessionId: string): boolean => spent.get(sessionId) !== undefined,
    /**
     * Yields a job's ended runs without the newest `keep`, latest first, read a few at a time. `sessionId`: null if the session is gone, or
     * somebody has continued it.
     */
    * behind (jobId: string, keep: number): Generator<{ sessionId: string | null }> {
      const first = lastKept.get(jobId, keep)
      if (first !== undefined) yield * inPortions(readAtOnce, (last) => behind.all({ jobId, ...first, ...last }))
    },
    /** Returns the jobs that were removed and whose runs are still there. */
    jobless: (): string[] => jobless.all(),
    /** Deletes the newest `most` runs of a job. Returns whether there were as many, so that more may be left. */
    removeNewest: (jobId: string, most: number): boolean => removeNewest.run(jobId, most).changes === most,
    /** Returns the last of the `most` rows after a row; null if there is none. */
    rowAfter: (row: number, most: number): number | null => rowAfter.get(row, most) ?? null,
    /** Of these rows, deletes runs that began before `doneS`, and slots that were skipped before `skippedS`. */
    forget: (what: { doneS: number, skippedS: number, after: number, upto: number }): void => {
      for (const jobId of new Set(forget.all(what))) changed(jobId)
    }
  }
}
