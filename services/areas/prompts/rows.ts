import { type ApprovalAsk, type ClarifyAsk } from '../../agent/protocol.js'
import { and, asc, eq, sql } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type PromptKind = 'approval' | 'clarify'
type StoredPrompt = typeof tables.prompts.$inferSelect
/** A prompt with a body of its kind. */
export type PromptRow = Omit<StoredPrompt, 'kind' | 'body'> & PromptBody
type PromptBody = { kind: 'approval', body: ApprovalAsk } | { kind: 'clarify', body: ClarifyAsk }
export type ApprovalRow = Extract<PromptRow, { kind: 'approval' }>
export type QuestionRow = Extract<PromptRow, { kind: 'clarify' }>
/** How a prompt ends. */
export type PromptEnd = 'answered' | 'expired' | 'cancelled'

/** The statements of the tables `prompts` and `grants`. Writes run inside the caller's transaction. */
export function createPromptRows ({ db: { orm, sqlite }, clock }: { db: Database, clock: Clock }) {
  const { prompts, grants, sessions } = tables
  // As literals: SQLite uses a partial index only if it knows the values.
  const isOpen = sql`${prompts.state} in ('open', 'answering')`
  const byId = orm.select().from(prompts).where(eq(prompts.id, sql.placeholder('id'))).prepare()
  const headOf = orm.select().from(prompts)
    .where(and(eq(
      prompts.sessionId, sql.placeholder('sessionId')
    ), eq(prompts.kind, sql.placeholder('kind')), isOpen))
    .orderBy(asc(prompts.arrival)).limit(1).prepare()
  const countOf = sqlite.prepare<[string, string], number>(
    "select count(*) from prompts where session_id = ? and kind = ? and state in ('open', 'answering')").pluck()
  const standing = sqlite.prepare<[], { kind: PromptKind, count: number, oldestAt: number }>(
    "select kind, count(*) as count, min(created_at) as oldestAt from prompts where state in ('open', 'answering') group by kind")
  const openOfStream = orm.select().from(prompts).where(and(eq(prompts.streamId, sql.placeholder('streamId')), isOpen)).prepare()
  const grantsOf = orm.select({ patternKey: grants.patternKey }).from(grants).where(
    eq(grants.sessionId, sql.placeholder('sessionId'))
  ).prepare()
  // Joined with the sessions, because the overview names them; the area itself gets only ids of sessions.
  const everyOpen = orm.select({ prompt: prompts, title: sessions.title, profile: sessions.profile }).from(prompts)
    .innerJoin(sessions, eq(sessions.id, prompts.sessionId)).where(isOpen)
    // Without the sign, SQLite reads every prompt that was ever asked, in this order.
    .orderBy(sql`+${prompts.arrival}`).prepare()
  const queueOf = orm.select({ prompt: prompts, title: sessions.title, profile: sessions.profile }).from(prompts).innerJoin(
    sessions, eq(sessions.id, prompts.sessionId)
  )
    .where(and(eq(prompts.sessionId, sql.placeholder('sessionId')), eq(prompts.kind, sql.placeholder('kind')), isOpen)).orderBy(
      asc(prompts.arrival)
    ).prepare()
  const ungrant = sqlite.prepare('delete from grants where pattern_key = ? and session_id in (select id from sessions where profile = ?)')
  const profileOf = sqlite.prepare<[string], string>('select profile from sessions where id = ?').pluck()
  const dropUnreadable = sqlite.prepare(
    "update prompts set state = 'cancelled', body = '{}', closed_at = ? where state in ('open', 'answering') and not json_valid(body)"
  )
  // Streams are written by turns, which are built on prompts; one statement finds which of many are gone.
  const dropOrphans = sqlite.prepare(`update prompts set state = 'cancelled', closed_at = ? where state in ('open', 'answering')
    and stream_id not in (select id from streams where state = 'active')`)

  return {
    find: (id: string): PromptRow | undefined => promptOf(byId.get({ id })),
    /** Returns the first open prompt. */
    head: (sessionId: string, kind: PromptKind): PromptRow | undefined => promptOf(headOf.get({ sessionId, kind })),
    /** Returns the number of open prompts. */
    count: (sessionId: string, kind: PromptKind): number => oneRow(countOf, sessionId, kind),
    /**
     * Returns how many prompts are open in all sessions, and since when the oldest is, in epoch seconds; kinds without open prompts are
     * missing.
     */
    standing: () => standing.all(),
    ofStream: (streamId: string): PromptRow[] => openOfStream.all({ streamId }).map(promptOf),
    /** Returns all open prompts, oldest first, with title and profile of the session. */
    everyOpen: () => everyOpen.all().map(inItsSession),
    /** Returns those of one kind in one session. */
    queue: (sessionId: string, kind: PromptKind) => queueOf.all({ sessionId, kind }).map(inItsSession),
    /** Returns the profile of a session. */
    profileOf: (sessionId: string): string | undefined => profileOf.get(sessionId),

    /** Appends a prompt to the queue. An existing one stays as it is. */
    insert (row: Omit<typeof prompts.$inferInsert, 'arrival' | 'state' | 'createdAt'>): void {
      orm.insert(prompts).values({
        ...row, state: 'open', arrival: sql`(select coalesce(max(arrival), 0) + 1 from prompts)`, createdAt: epochSeconds(clock)
      })
        .onConflictDoNothing().run()
    },
    /** `body`: replaces the stored body by a shorter one, if not null. */
    close: (id: string, state: PromptEnd, body: ApprovalAsk | null): void => {
      orm.update(prompts).set({ state, closedAt: epochSeconds(clock), ...(body === null ? {} : { body }) }).where(eq(prompts.id, id)).run()
    },
    /** Returns false when the prompt is no longer open, or is being answered. */
    claim: (id: string, answer: string): boolean =>
      orm.update(prompts).set({ state: 'answering', answer }).where(and(eq(prompts.id, id), eq(prompts.state, 'open'))).run().changes === 1,
    release: (id: string): void => {
      orm.update(prompts).set({ state: 'open', answer: null }).where(and(eq(prompts.id, id), eq(prompts.state, 'answering'))).run()
    },
    /** Opens prompts again whose answers may not have arrived, so that they can be answered again. */
    reopen: (streamId: string): void => {
      orm.update(prompts).set({ state: 'open', answer: null }).where(
        and(eq(prompts.streamId, streamId), eq(prompts.state, 'answering'))
      ).run()
    },
    setExpiry: (id: string, expiresAt: number | null): void => { orm.update(prompts).set({ expiresAt }).where(eq(prompts.id, id)).run() },
    /** Cancels prompts that cannot be read, because nobody could answer them. */
    dropUnreadable: (): void => { dropUnreadable.run(epochSeconds(clock)) },
    /** Cancels prompts of streams that are not active. */
    dropOrphans: (): void => { dropOrphans.run(epochSeconds(clock)) },

    /** Removes a grant from every session of a profile. */
    ungrant: (profile: string, patternKey: string): void => { ungrant.run(patternKey, profile) },
    grantsOf: (sessionId: string): string[] => grantsOf.all({ sessionId }).map((row) => row.patternKey),
    grant (sessionId: string, patternKeys: string[]): void {
      const createdAt = epochSeconds(clock)
      for (const patternKey of patternKeys) orm.insert(grants).values({ sessionId, patternKey, createdAt }).onConflictDoNothing().run()
    }
  }
}

/** Returns a row with the body of its kind, as it was inserted. */
const promptOf = <Row extends StoredPrompt | undefined>(row: Row) => row as PromptRow | Extract<Row, undefined>
const inItsSession = <Row extends { prompt: StoredPrompt }>({ prompt, ...session }: Row) => ({ ...session, prompt: promptOf(prompt) })

export type PromptRows = ReturnType<typeof createPromptRows>

export function isOpen ({ state }: Pick<PromptRow, 'state'>): boolean {
  return state === 'open' || state === 'answering'
}
