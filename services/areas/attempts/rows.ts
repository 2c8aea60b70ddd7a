import { and, asc, desc, eq, inArray, lt, sql } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type AttemptsRow = typeof tables.attempts.$inferSelect
export type AttemptRow = typeof tables.attemptSessions.$inferSelect
export type TakeRow = typeof tables.attemptTakes.$inferSelect

/** The use of an attempt. `cost` in US dollars, as far as prices are known. */
export interface AttemptUse { inputTokens: number, outputTokens: number, cost: number | null }

/** The tables `attempts`, `attempt_sessions` and `attempt_takes`; writes run inside the caller's transaction. */
export function createAttemptRows ({ orm, sqlite }: Database) {
  const { attempts, attemptSessions: each, attemptTakes: takes } = tables
  const byId = orm.select().from(attempts).where(eq(attempts.id, sql.placeholder('id'))).prepare()
  const bySession = orm.select().from(each).where(eq(each.sessionId, sql.placeholder('id'))).prepare()
  const members = orm.select().from(each).where(eq(each.attemptsId, sql.placeholder('id'))).orderBy(asc(each.position)).prepare()
  const use = sqlite.prepare<[string, string], AttemptUse>(
    `select coalesce(sum(input_tokens), 0) as inputTokens, coalesce(sum(output_tokens), 0) as outputTokens, sum(cost) as cost from usage
     where session_id in (select ? union all select id from sessions where parent_session_id = ? and source = 'subagent')`)
  const raise = sqlite.prepare<[string], number>('update attempts set version = version + 1 where id = ? returning version').pluck()

  return {
    find: (id: string): AttemptsRow | undefined => byId.get({ id }),
    /** Returns the attempt that belongs to a session. */
    member: (sessionId: string): AttemptRow | undefined => bySession.get({ id: sessionId }),
    members: (id: string): AttemptRow[] => members.all({ id }),
    /** Returns the attempts of a profile, latest first. */
    list: (profile: string, most: number): AttemptsRow[] => orm.select().from(attempts)
      .where(and(eq(attempts.profile, profile), sql`state <> 'preparing'`)).orderBy(desc(attempts.createdAt)).limit(most).all(),
    /** Returns all that are not finished. */
    open: (): AttemptsRow[] => orm.select().from(attempts).where(sql`state <> 'ready'`).all(),
    /** Returns attempts that are not settled, including those that a person has continued later. */
    unsettled: (): AttemptRow[] => orm.select().from(each).where(inArray(each.state, ['waiting', 'running', 'checking', 'reviewing'])).all(),
    /** Returns attempts whose worktrees need not be kept any longer. */
    due: (nowS: number): AttemptsRow[] => orm.select().from(attempts).where(lt(attempts.keptUntil, nowS)).all(),
    use: (sessionId: string): AttemptUse => oneRow(use, sessionId, sessionId),

    insert: (row: typeof attempts.$inferInsert): void => { orm.insert(attempts).values(row).run() },
    insertMember: (row: typeof each.$inferInsert): void => { orm.insert(each).values(row).run() },
    set: (id: string, values: Partial<AttemptsRow>): void => { orm.update(attempts).set(values).where(eq(attempts.id, id)).run() },
    setMember: (sessionId: string, values: Partial<AttemptRow>): void => {
      orm.update(each).set(values).where(eq(each.sessionId, sessionId)).run()
    },
    remove: (id: string): void => { orm.delete(attempts).where(eq(attempts.id, id)).run() },
    /** Returns the version after a change; undefined if the attempts are gone. */
    raise: (id: string): number | undefined => raise.get(id),

    take: (id: string): TakeRow | undefined => orm.select().from(takes).where(eq(takes.id, id)).get(),
    /** Sorted from latest to earliest. */
    takes: (id: string): TakeRow[] => orm.select().from(takes).where(eq(takes.attemptsId, id)).orderBy(desc(takes.at), desc(sql`rowid`)).all(),
    /** Returns takes that a stop of the service has interrupted. */
    writing: (): TakeRow[] => orm.select().from(takes).where(eq(takes.state, 'writing')).all(),
    insertTake: (row: typeof takes.$inferInsert): void => { orm.insert(takes).values(row).run() },
    setTake: (id: string, state: TakeRow['state']): void => { orm.update(takes).set({ state }).where(eq(takes.id, id)).run() }
  }
}

export type AttemptRows = ReturnType<typeof createAttemptRows>
