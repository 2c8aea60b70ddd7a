import { type Static } from '@sinclair/typebox'
import { type AgentRuntime } from '../agent/index.js'
import { type ApprovalAsk, type ApprovalChoice, type ClarifyAsk, type RunEvent } from '../agent/protocol.js'
import { type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { Conflict, Invalid } from '../ground/errors.js'
import { framesOf, type EventBroker, type NewFrame, type Subscription } from '../ground/events/index.js'
import { type approvalFrames, type ApprovalPending, type ClarifyPending, type OpenPrompts, type PendingApproval, type PendingClarification, type questionFrames } from '../../schemas/prompts.js'
import { contentToWire } from './content.js'
import { AnswerDelivery } from './delivery.js'
import { Expiries } from './expiries.js'
import { foresightToWire, masked } from './foresight.js'
import { createPromptRows, isOpen, type PromptEnd, type PromptKind, type PromptRow } from './rows.js'
import { Yolo, type LiveRun } from './yolo.js'

const approvalFrame = framesOf<typeof approvalFrames>()
const questionFrame = framesOf<typeof questionFrames>()

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

/**
 * Approvals and questions as rows. Answering is a compare-and-set, then the run is told, and only its acknowledgement
 * retires the card: an answer that could not be delivered leaves the card where it was.
 */
export function createPrompts ({ db, events, clock, agent, changed, shown, allowAlways }: PromptsOptions) {
  const rows = createPromptRows({ db, clock })
  const expiries = new Expiries(clock)
  const delivery = new AnswerDelivery({ db, clock, agent, rows, expiries, closeOpen })
  const current = (row: PromptRow): PromptRow => ({ ...row, expiresAt: expiries.of(row) })

  function pending<K extends PromptKind> (sessionId: string, kind: K): PendingOf[K] {
    const row = rows.head(sessionId, kind)
    return { pending: row === undefined ? null : shown(toWire(current(row))), pending_count: rows.count(sessionId, kind) } as PendingOf[K]
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
  function close (row: PromptRow, state: PromptEnd): void {
    rows.close(row.id, state)
    db.afterCommit(() => expiries.end(row.id))
    changed('attention_resolved', row.sessionId)
    db.afterCommit(() => publish(row.sessionId, row.kind))
  }

  /** The answer and the run's own word both close a prompt: whichever comes first does. */
  function closeOpen (id: string, state: PromptEnd): void {
    const row = rows.find(id)
    if (row !== undefined && isOpen(row)) close(row, state)
  }

  return {
    pending,

    /** Every open prompt of every session, oldest first. */
    allOpen: (): OpenPrompt[] => rows.everyOpen().map(({ prompt, title, profile }) => shown(inOverview(toWire(current(prompt)), { session_title: title, profile }))),

    /** What waits in a session, the first in front; null when nothing does. */
    waiting (sessionId: string, kind: PromptKind): { title: string, profile: string, prompts: PendingPrompt[] } | null {
      const queue = rows.queue(sessionId, kind)
      const [first] = queue
      return first === undefined
        ? null
        : { title: shown(first.title), profile: first.profile, prompts: queue.map(({ prompt }) => shown(toWire(current(prompt)))) }
    },

    watch (sessionId: string, kind: PromptKind): Subscription {
      return events.watch({ kind: kind === 'approval' ? 'approvals' : 'questions', id: sessionId },
        () => pendingFrame(sessionId, kind, 'initial'))
    },

    /** Records what a run asks; called inside the transaction that folds its events. */
    opened (sessionId: string, event: AskEvent): void {
      expiries.begin(event.askId, event.expiresAtMs)
      rows.insert({
        id: event.askId,
        sessionId,
        streamId: event.runId,
        kind: event.kind,
        body: maskedBody(event.body),
        callId: event.callId,
        beside: event.beside,
        expiresAt: event.expiresAtMs === null ? null : event.expiresAtMs / 1000
      })
      changed('attention_pending', sessionId)
      db.afterCommit(() => publish(sessionId, event.kind))
    },

    /** The wall clock may have been set: what people see and what the next start goes by follows it. To be called now and then. */
    async followClock (): Promise<void> {
      const open = rows.everyOpen().map(({ prompt }) => prompt)
      // Of sessions that were deleted nothing is closed.
      expiries.keepOnly(new Set(open.map(({ id }) => id)))
      const moved = open.map(current).filter((row, index) => row.expiresAt !== open[index]!.expiresAt)
      if (moved.length === 0) return
      await db.durably(() => { for (const { id, expiresAt } of moved) rows.setExpiry(id, expiresAt) })
      for (const { sessionId, kind } of moved) publish(sessionId, kind)
    },

    /** The run needs no answer any more; called inside the transaction that folds its events. */
    settled (askId: string, how: 'answered' | 'expired' | 'cancelled' | 'yolo'): void {
      closeOpen(askId, how === 'yolo' ? 'answered' : how)
    },

    /** Retires what a finished stream leaves open; inside the transaction that closes it. */
    abandon (streamId: string): void {
      for (const row of rows.ofStream(streamId)) close(row, 'cancelled')
    },

    /**
     * Without an id, the approval that is on top is meant. What it allows for the session holds in every run that asks there,
     * `live` among them, from when this resolves.
     */
    async answerApproval (sessionId: string, choice: ApprovalChoice, approvalId?: string, live: () => LiveRun[] = () => []): Promise<ApprovalAnswer> {
      const head = rows.head(sessionId, 'approval')
      const row = approvalId === undefined ? head : rows.find(approvalId)
      if (row === undefined || row.sessionId !== sessionId || row.kind !== 'approval' || !isOpen(row)) {
        return { outcome: head === undefined ? 'stale' : 'other_pending' }
      }
      const profile = rows.profileOf(sessionId)!
      const outcome = await delivery.answer(row, choice, () => grantForSession(row, choice))
      if (outcome === 'taken') await grantLive(row, choice, live())
      if (outcome === 'taken' && choice === 'always' && (row.body as ApprovalAsk).maxScope === 'always') {
        await allowAlways(profile, (row.body as ApprovalAsk).patternKeys)
      }
      return { outcome: outcome === 'taken' ? 'resolved' : 'stale' }
    },

    /** Throws Invalid for an answer that is too long, and Conflict with `stale: true` when the question is gone, answered, expired or another session's. */
    async answerQuestion (sessionId: string, response: string, clarifyId?: string): Promise<void> {
      if (Buffer.byteLength(response) > maxAnswerBytes) throw new Invalid('response is too long: at most 64 KiB')
      const row = clarifyId === undefined ? rows.head(sessionId, 'clarify') : rows.find(clarifyId)
      const isAsked = row !== undefined && row.sessionId === sessionId && row.kind === 'clarify' && isOpen(row)
      if (!isAsked || await delivery.answer(row, meant(row, response)) !== 'taken') throw staleQuestion()
    },

    /** Pattern keys that need no question in this session. */
    sessionGrants: rows.grantsOf,

    /** After a start of the service: cancels what nobody could answer, as it cannot be read; inside a transaction. */
    dropUnreadable: rows.dropUnreadable,
    /** After a start of the service: cancels what waits for streams that do not live; inside a transaction. */
    dropOrphans: rows.dropOrphans,

    yolo: new Yolo(agent)
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
    if (isLasting(row, choice)) rows.grant(row.sessionId, (row.body as ApprovalAsk).patternKeys)
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
