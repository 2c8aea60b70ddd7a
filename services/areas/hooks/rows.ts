import { eq, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type HookRow = typeof tables.hooks.$inferSelect
/** The outcome of a call, whether it was accepted or not. */
export type CallOutcome = typeof tables.hookLog.$inferSelect['outcome']
export interface Logged { hookId: string, at: number, outcome: CallOutcome, event: string | null, runId: string | null }
/** With the session and the state of its run, if they are still known. */
export interface LoggedCall extends Omit<Logged, 'hookId'> {
  count: number
  sessionId: string | null
  state: 'queued' | 'running' | 'done' | 'skipped' | null
  status: string | null
}

export type HookOutcome = NonNullable<HookRow['lastOutcome']>

/** The statements of the tables `hooks` and `hook_calls`; writes run inside the caller's transaction. */
export function createHookRows ({ orm, sqlite }: Database) {
  const { hooks, hookCalls: calls, hookLog: log } = tables
  const byId = orm.select().from(hooks).where(eq(hooks.id, sql.placeholder('id'))).prepare()
  const called = sqlite.prepare<[number, HookOutcome, string]>(
    'update hooks set calls = calls + 1, last_call_at = ?, last_outcome = ? where id = ?'
  )
  const again = sqlite.prepare<[Logged]>(
    `update hook_log set at = @at, count = count + 1 where @runId is null and outcome = @outcome and event is @event
     and id = (select max(id) from hook_log where hook_id = @hookId)`)
  const drop = sqlite.prepare<[string, number]>(
    'delete from hook_log where id in (select id from hook_log where hook_id = ? order by id desc limit -1 offset ?)')
  const logged = sqlite.prepare<[string], LoggedCall>(
    `select at, outcome, event, count, run_id as runId, session_id as sessionId, state, status
     from hook_log left join cron_runs on cron_runs.id = run_id where hook_id = ? order by hook_log.id desc`)
  const runOf = sqlite.prepare<[string, string], string>('select run_id from hook_calls where hook_id = ? and key = ?').pluck()
  const forget = sqlite.prepare<[number]>('delete from hook_calls where at < ?')

  return {
    find: (id: string): HookRow | undefined => byId.get({ id }),
    /** Returns the hooks of all profiles, oldest first. */
    list: (): HookRow[] => orm.select().from(hooks).orderBy(hooks.createdAt).all(),
    insert: (row: typeof hooks.$inferInsert): HookRow => orm.insert(hooks).values(row).returning().get(),
    /** Returns undefined if the hook does not exist. */
    set: (id: string, values: Partial<HookRow>): HookRow | undefined =>
      orm.update(hooks).set(values).where(eq(hooks.id, id)).returning().get(),
    noteCall: (id: string, outcome: HookOutcome, at: number): void => { called.run(at, outcome, id) },
    /**
     * Logs the outcome of a call, keeping the last `most`; one that repeats the previous entry, without a run of its own, is only counted.
     */
    log (call: Logged, most: number): void {
      if (again.run(call).changes > 0) return
      orm.insert(log).values(call).run()
      drop.run(call.hookId, most)
    },
    /** Returns the outcomes of the last calls, latest first. */
    logged: (hookId: string): LoggedCall[] => logged.all(hookId),
    /** Returns the run that a call has already started. */
    runOf: (hookId: string, key: string): string | undefined => runOf.get(hookId, key),
    keep: (call: typeof calls.$inferInsert): void => { orm.insert(calls).values(call).run() },
    /** Deletes calls from before a time. */
    forget: (beforeS: number): void => { forget.run(beforeS) }
  }
}

export type HookRows = ReturnType<typeof createHookRows>
