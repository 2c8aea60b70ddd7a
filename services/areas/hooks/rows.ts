import { eq, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type HookRow = typeof tables.hooks.$inferSelect
export type HookOutcome = NonNullable<HookRow['lastOutcome']>

/** The statements of the tables `hooks` and `hook_calls`; what writes runs inside the caller's transaction. */
export function createHookRows ({ orm, sqlite }: Database) {
  const { hooks, hookCalls: calls } = tables
  const byId = orm.select().from(hooks).where(eq(hooks.id, sql.placeholder('id'))).prepare()
  const called = sqlite.prepare<[number, HookOutcome, string]>(
    'update hooks set calls = calls + 1, last_call_at = ?, last_outcome = ? where id = ?'
  )
  const runOf = sqlite.prepare<[string, string], string>('select run_id from hook_calls where hook_id = ? and key = ?').pluck()
  const forget = sqlite.prepare<[number]>('delete from hook_calls where at < ?')

  return {
    find: (id: string): HookRow | undefined => byId.get({ id }),
    /** Of all profiles, oldest first. */
    list: (): HookRow[] => orm.select().from(hooks).orderBy(hooks.createdAt).all(),
    insert: (row: typeof hooks.$inferInsert): HookRow => orm.insert(hooks).values(row).returning().get(),
    /** Undefined when it is not there. */
    set: (id: string, values: Partial<HookRow>): HookRow | undefined =>
      orm.update(hooks).set(values).where(eq(hooks.id, id)).returning().get(),
    noteCall: (id: string, outcome: HookOutcome, at: number): void => { called.run(at, outcome, id) },
    /** The run that a call has begun before. */
    runOf: (hookId: string, key: string): string | undefined => runOf.get(hookId, key),
    keep: (call: typeof calls.$inferInsert): void => { orm.insert(calls).values(call).run() },
    /** Forgets calls that came before. */
    forget: (beforeS: number): void => { forget.run(beforeS) }
  }
}
