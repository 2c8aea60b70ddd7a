import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { type Static } from '@sinclair/typebox'
import { type AgentRuntime } from '../agent/index.js'
import { type ApprovalAsk, type ApprovalChoice, type ClarifyAsk, type RunEvent } from '../agent/protocol.js'
import { epochSeconds, monotonicMs, type Clock } from '../ground/clock.js'
import { tables, type Database } from '../ground/database/index.js'
import { Conflict, Invalid, RelayFailed } from '../ground/errors.js'
import { framesOf, type EventBroker, type NewFrame, type Subscription } from '../ground/events/index.js'
import { type approvalFrames, type ApprovalPending, type ClarifyPending, type OpenPrompts, type PendingApproval, type PendingClarification, type questionFrames } from '../../schemas/prompts.js'
import { contentToWire } from './content.js'
import { foresightToWire, masked } from './foresight.js'

const approvalFrame = framesOf<typeof approvalFrames>()
const questionFrame = framesOf<typeof questionFrames>()

export type PromptKind = 'approval' | 'clarify'
type PromptRow = typeof tables.prompts.$inferSelect
type AskEvent = Extract<RunEvent, { t: 'ask' }>

/** The prompt that waits first, as clients are shown it, and how many wait. */
export interface PendingOf { approval: Static<typeof ApprovalPending>, clarify: Static<typeof ClarifyPending> }
export type PendingPrompt = Static<typeof PendingApproval> | Static<typeof PendingClarification>
/** A prompt in the overview of all sessions. */
export type OpenPrompt = Static<typeof OpenPrompts>['prompts'][number]

export type ApprovalAnswer =
  | { outcome: 'resolved' }
  /** There is nothing left to answer. */
  | { outcome: 'stale' }
  /** The click meant an older approval than the one that is open now, which it must not resolve. */
  | { outcome: 'other_pending' }

/** A run that is under way, and whose prompts a session shows. */
export interface LiveRun { profile: string, runId: string }

export interface PromptsOptions {
  db: Database
  events: EventBroker
  clock: Clock
  agent: AgentRuntime
  /** A session's attention changed: lists want to know. */
  changed: (reason: string, sessionId: string) => void
  /** A value as it is shown: with credentials masked, unless the settings say otherwise. */
  shown: <T>(value: T) => T
  /** Keeps a permanent grant with the profile; on disk when it resolves. */
  allowAlways: (profile: string, patternKeys: string[]) => Promise<void>
}

const maxAnswerBytes = 64 * 1024
/** Clocks are adjusted by small steps all the time. */
const clockToleranceS = 2

/**
 * Approvals and questions as rows. Answering is a compare-and-set, then the run is told, and only its acknowledgement
 * retires the card: an answer that could not be delivered leaves the card where it was.
 */
export function createPrompts ({ db, events, clock, agent, changed, shown, allowAlways }: PromptsOptions) {
  const { orm } = db
  const { prompts, grants, sessions } = tables
  const openStates = ['open', 'answering'] as const
  const headOf = orm.select().from(prompts)
    .where(and(eq(prompts.sessionId, sql.placeholder('sessionId')), eq(prompts.kind, sql.placeholder('kind')), sql`${prompts.state} in ('open', 'answering')`))
    .orderBy(asc(prompts.arrival)).limit(1).prepare()
  const queueOf = orm.select({ prompt: prompts, title: sessions.title, profile: sessions.profile }).from(prompts).innerJoin(sessions, eq(sessions.id, prompts.sessionId))
    .where(and(eq(prompts.sessionId, sql.placeholder('sessionId')), eq(prompts.kind, sql.placeholder('kind')), sql`${prompts.state} in ('open', 'answering')`))
    .orderBy(asc(prompts.arrival)).prepare()
  const countOf = db.sqlite.prepare<[string, string], { count: number }>(
    "select count(*) as count from prompts where session_id = ? and kind = ? and state in ('open', 'answering')")
  const openOfStream = orm.select().from(prompts)
    .where(and(eq(prompts.streamId, sql.placeholder('streamId')), inArray(prompts.state, [...openStates]))).prepare()
  const grantsOf = orm.select({ patternKey: grants.patternKey }).from(grants).where(eq(grants.sessionId, sql.placeholder('sessionId'))).prepare()
  const everyOpen = orm.select({ prompt: prompts, title: sessions.title, profile: sessions.profile }).from(prompts)
    .innerJoin(sessions, eq(sessions.id, prompts.sessionId)).where(inArray(prompts.state, [...openStates])).orderBy(asc(prompts.arrival)).prepare()
  const profileOf = db.sqlite.prepare<[string], string>('select profile from sessions where id = ?').pluck()
  const yolo = new Set<string>()
  /** Answers on their way to a run: whoever comes second waits for what becomes of the first. */
  const answering = new Map<string, Promise<unknown>>()
  /** When open prompts expire, by a clock that nobody sets. What a row says is for people, and for the next start of the service. */
  const deadlines = new Map<string, number>()

  function pending<K extends PromptKind> (sessionId: string, kind: K): PendingOf[K] {
    const row = headOf.get({ sessionId, kind })
    return { pending: row === undefined ? null : shown(toWire({ ...row, expiresAt: expiryOf(row) })), pending_count: countOf.get(sessionId, kind)!.count } as PendingOf[K]
  }

  function pendingFrame (sessionId: string, kind: PromptKind, event: PromptKind | 'initial'): NewFrame {
    return kind === 'approval'
      ? approvalFrame(event === 'initial' ? event : kind, pending(sessionId, kind))
      : questionFrame(event === 'initial' ? event : kind, pending(sessionId, kind))
  }

  function publish (sessionId: string, kind: PromptKind): void {
    events.publish({ kind: kind === 'approval' ? 'approvals' : 'questions', id: sessionId }, () => pendingFrame(sessionId, kind, kind))
  }

  /** Stores the change and tells every device about the card that is now on top. */
  function close (row: PromptRow, state: 'answered' | 'expired' | 'cancelled'): void {
    orm.update(prompts).set({ state, closedAt: epochSeconds(clock) }).where(eq(prompts.id, row.id)).run()
    db.afterCommit(() => deadlines.delete(row.id))
    changed('attention_resolved', row.sessionId)
    db.afterCommit(() => publish(row.sessionId, row.kind))
  }

  /** Epoch seconds; null: never. As long as it is open here, so much time is left as has not passed, whatever the wall clock was set to. */
  function expiryOf (row: Pick<PromptRow, 'id' | 'expiresAt'>): number | null {
    const deadlineMs = deadlines.get(row.id)
    if (row.expiresAt === null || deadlineMs === undefined) return row.expiresAt
    const expiresAt = epochSeconds(clock) + (deadlineMs - monotonicMs(clock)) / 1000
    return Math.abs(expiresAt - row.expiresAt) < clockToleranceS ? row.expiresAt : expiresAt
  }

  function find (id: string): PromptRow | undefined {
    return orm.select().from(prompts).where(eq(prompts.id, id)).get()
  }

  /** The answer and the run's own word both close a prompt: whichever comes first does. */
  function closeOpen (id: string, state: 'answered' | 'expired' | 'cancelled'): void {
    const row = find(id)
    if (row !== undefined && openStates.some((open) => open === row.state)) close(row, state)
  }

  /** Claims an open prompt for this answer; false when somebody else is already answering it. */
  async function claim (row: PromptRow, answer: string): Promise<boolean> {
    return await db.durably(() => orm.update(prompts).set({ state: 'answering', answer })
      .where(and(eq(prompts.id, row.id), eq(prompts.state, 'open'))).run().changes === 1)
  }

  function release (row: PromptRow): void {
    db.soonest(() => { orm.update(prompts).set({ state: 'open', answer: null }).where(and(eq(prompts.id, row.id), eq(prompts.state, 'answering'))).run() })
  }

  /** Claims the prompt and hands the answer to the run. True when it took it; false when it no longer wants it; null when somebody else was faster. */
  async function deliver (row: PromptRow, profile: string, value: string): Promise<boolean | null> {
    if (!await claim(row, value)) return null
    try {
      const ack = await agent.control(profile, { op: 'answer', runId: row.streamId, askId: row.id, value })
      if (ack.result === 'applied') return true
      if (ack.result === 'stale') return false
      if (ack.result === 'not_running') throw new Conflict('The run that asked this is not reachable any more', 'gateway_run_unavailable', { ok: false })
      throw new RelayFailed('The agent did not take the answer; the question stays open', 'gateway_approval_relay_failed', { ok: false })
    } catch (error) {
      release(row)
      throw error
    }
  }

  /**
   * Answers `row`: claims it, tells the run, and retires the card once the run has acknowledged. Null when it is open no
   * more, also because another device was faster. Throws Conflict and RelayFailed when the run cannot be told.
   */
  async function answer (row: PromptRow, value: string, kept: () => void = () => {}): Promise<'taken' | 'refused' | null> {
    while (answering.has(row.id)) await answering.get(row.id)!.catch(() => {})
    const profile = profileOf.get(row.sessionId)
    const expired = row.expiresAt !== null && expiryOf(row)! <= epochSeconds(clock)
    if (profile === undefined || expired) return null
    const delivery = deliver(row, profile, value)
    answering.set(row.id, delivery)
    try {
      const taken = await delivery
      // Its session may be gone by now, and everything of it.
      if (taken === null || find(row.id) === undefined) return null
      // The run has it and goes on: what the disk does not take now is stored later.
      db.soonest(() => {
        closeOpen(row.id, taken ? 'answered' : 'expired')
        if (taken) kept()
      })
      return taken ? 'taken' : 'refused'
    } finally {
      answering.delete(row.id)
    }
  }

  return {
    pending,

    /** Every open prompt of every session, oldest first. */
    allOpen: (): OpenPrompt[] => everyOpen.all().map(({ prompt, title, profile }) => shown(inOverview(toWire({ ...prompt, expiresAt: expiryOf(prompt) }), { session_title: title, profile }))),

    /** What waits in a session, the first in front; null when nothing does. */
    waiting (sessionId: string, kind: PromptKind): { title: string, profile: string, prompts: PendingPrompt[] } | null {
      const rows = queueOf.all({ sessionId, kind })
      const [first] = rows
      return first === undefined
        ? null
        : { title: shown(first.title), profile: first.profile, prompts: rows.map(({ prompt }) => shown(toWire({ ...prompt, expiresAt: expiryOf(prompt) }))) }
    },

    watch (sessionId: string, kind: PromptKind): Subscription {
      return events.watch({ kind: kind === 'approval' ? 'approvals' : 'questions', id: sessionId },
        () => pendingFrame(sessionId, kind, 'initial'))
    },

    /** Records what a run asks; called inside the transaction that folds its events. */
    opened (sessionId: string, event: AskEvent): void {
      if (event.expiresAtMs !== null) deadlines.set(event.askId, monotonicMs(clock) + event.expiresAtMs - clock.now())
      orm.insert(prompts).values({
        id: event.askId,
        arrival: sql`(select coalesce(max(arrival), 0) + 1 from prompts)`,
        sessionId,
        streamId: event.runId,
        kind: event.kind,
        body: maskedBody(event.body),
        state: 'open',
        callId: event.callId,
        beside: event.beside,
        createdAt: epochSeconds(clock),
        expiresAt: event.expiresAtMs === null ? null : event.expiresAtMs / 1000
      }).onConflictDoNothing().run()
      changed('attention_pending', sessionId)
      db.afterCommit(() => publish(sessionId, event.kind))
    },

    /** The wall clock may have been set: what people see and what the next start goes by follows it. To be called now and then. */
    async followClock (): Promise<void> {
      const open = everyOpen.all().map(({ prompt }) => prompt)
      // Of sessions that were deleted nothing is closed.
      const ids = new Set(open.map(({ id }) => id))
      for (const id of deadlines.keys()) if (!ids.has(id)) deadlines.delete(id)
      const moved = open.filter((row) => expiryOf(row) !== row.expiresAt)
      if (moved.length === 0) return
      await db.durably(() => {
        for (const row of moved) orm.update(prompts).set({ expiresAt: expiryOf(row) }).where(eq(prompts.id, row.id)).run()
      })
      for (const { sessionId, kind } of moved) publish(sessionId, kind)
    },

    /** The run needs no answer any more; called inside the transaction that folds its events. */
    settled (askId: string, how: 'answered' | 'expired' | 'cancelled' | 'yolo'): void {
      closeOpen(askId, how === 'yolo' ? 'answered' : how)
    },

    /** Retires what a finished stream leaves open; inside the transaction that closes it. */
    abandon (streamId: string): void {
      for (const row of openOfStream.all({ streamId })) close(row, 'cancelled')
    },

    /**
     * Without an id, the approval that is on top is meant. What it allows for the session holds in every run that asks there,
     * `live` among them, from when this resolves.
     */
    async answerApproval (sessionId: string, choice: ApprovalChoice, approvalId?: string, live: () => LiveRun[] = () => []): Promise<ApprovalAnswer> {
      const head = headOf.get({ sessionId, kind: 'approval' })
      const row = approvalId === undefined ? head : find(approvalId)
      if (row === undefined || row.sessionId !== sessionId || row.kind !== 'approval' || !openStates.some((state) => state === row.state)) {
        return { outcome: head === undefined ? 'stale' : 'other_pending' }
      }
      const profile = profileOf.get(sessionId)!
      const outcome = await answer(row, choice, () => grantForSession(row, choice))
      if (outcome === 'taken') await grantLive(row, choice, live())
      if (outcome === 'taken' && choice === 'always' && (row.body as ApprovalAsk).maxScope === 'always') {
        await allowAlways(profile, (row.body as ApprovalAsk).patternKeys)
      }
      return { outcome: outcome === 'taken' ? 'resolved' : 'stale' }
    },

    /** Throws Invalid for an answer that is too long, and Conflict with `stale: true` when the question is gone, answered, expired or another session's. */
    async answerQuestion (sessionId: string, response: string, clarifyId?: string): Promise<void> {
      if (Buffer.byteLength(response) > maxAnswerBytes) throw new Invalid('response is too long: at most 64 KiB')
      const row = clarifyId === undefined ? headOf.get({ sessionId, kind: 'clarify' }) : find(clarifyId)
      const isOpen = row !== undefined && row.sessionId === sessionId && row.kind === 'clarify' && openStates.some((state) => state === row.state)
      if (!isOpen || await answer(row, meant(row, response)) !== 'taken') throw staleQuestion()
    },

    /** Pattern keys that need no question in this session. */
    sessionGrants (sessionId: string): string[] {
      return grantsOf.all({ sessionId }).map((row) => row.patternKey)
    },

    yolo: {
      /** In memory only: a restart is back to asking. */
      isOn: (sessionId: string): boolean => yolo.has(sessionId),
      /** Resolves what is pending as well. If a live run cannot be told, nothing is switched and the error goes to the caller. */
      async set (sessionId: string, on: boolean, live: LiveRun[]): Promise<void> {
        const before = yolo.has(sessionId)
        const toggle = (value: boolean): void => { if (value) yolo.add(sessionId); else yolo.delete(sessionId) }
        // First, so that a run that starts meanwhile begins with it.
        toggle(on)
        const told: LiveRun[] = []
        for (const { profile, runId } of live) {
          // A run that has ended meanwhile has nothing to be told.
          const ack = await agent.control(profile, { op: 'yolo', runId, on }).catch((error: unknown) => {
            return error instanceof Conflict ? null : { result: 'error' as const }
          })
          if (ack?.result === 'error') {
            toggle(before)
            await Promise.allSettled(told.map((run) => agent.control(run.profile, { op: 'yolo', runId: run.runId, on: before })))
            throw new RelayFailed('A running turn could not be told, so nothing was switched; what was let through meanwhile stays so')
          }
          told.push({ profile, runId })
        }
      },
      forget: (sessionId: string): void => { yolo.delete(sessionId) }
    }
  }

  /** A run that cannot be told any more asks once too often, or is over. */
  async function grantLive (row: PromptRow, choice: ApprovalChoice, live: LiveRun[]): Promise<void> {
    const { patternKeys } = row.body as ApprovalAsk
    if (!isLasting(row, choice)) return
    await Promise.allSettled(live.filter(({ runId }) => runId !== row.streamId)
      .map(({ profile, runId }) => agent.control(profile, { op: 'grant', runId, patternKeys })))
  }

  /** Whoever chose from what is shown means what was offered. */
  function meant (row: PromptRow, response: string): string {
    const { choices } = row.body as ClarifyAsk
    return choices.includes(response) ? response : choices.find((choice) => shown(choice) === response) ?? response
  }

  function grantForSession (row: PromptRow, choice: ApprovalChoice): void {
    const { patternKeys } = row.body as ApprovalAsk
    if (!isLasting(row, choice)) return
    const createdAt = epochSeconds(clock)
    for (const patternKey of patternKeys) orm.insert(grants).values({ sessionId: row.sessionId, patternKey, createdAt }).onConflictDoNothing().run()
  }
}

export type Prompts = ReturnType<typeof createPrompts>

function isLasting (row: PromptRow, choice: ApprovalChoice): boolean {
  return (choice === 'session' || choice === 'always') && (row.body as ApprovalAsk).maxScope !== 'once'
}

function staleQuestion (): Conflict {
  return new Conflict('This question is no longer open', undefined, { ok: false, stale: true })
}

function inOverview (prompt: PendingPrompt, session: { session_title: string, profile: string }): OpenPrompt {
  return 'approval_id' in prompt ? { type: 'approval', ...session, ...prompt } : { type: 'clarify', ...session, ...prompt }
}

function maskedBody (body: ApprovalAsk | ClarifyAsk): ApprovalAsk | ClarifyAsk {
  return 'foresight' in body && body.foresight !== undefined ? { ...body, foresight: masked(body.foresight) } : body
}

function toWire (row: PromptRow): PendingPrompt {
  if (row.kind === 'approval') {
    const { command, description, patternKey, patternKeys, maxScope, timeoutS, content, foresight } = row.body as ApprovalAsk
    return {
      approval_id: row.id, session_id: row.sessionId, command, description,
      pattern_key: patternKey, pattern_keys: patternKeys, max_scope: maxScope, ...contentToWire(content), ...foresightToWire(foresight),
      requested_at: row.createdAt, timeout_seconds: timeoutS, expires_at: row.expiresAt ?? 0
    }
  }
  const { question, choices, timeoutS } = row.body as ClarifyAsk
  return {
    clarify_id: row.id, session_id: row.sessionId, question, choices_offered: choices,
    kind: choices.length > 0 ? 'choice' : 'open',
    requested_at: row.createdAt, timeout_seconds: timeoutS, expires_at: row.expiresAt ?? 0
  }
}
