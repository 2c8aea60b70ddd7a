import { type AgentRuntime } from '../../agent/index.js'
import { type ApprovalAsk, type ApprovalChoice } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type EventBroker, type Subscription } from '../../ground/events/index.js'
import { Listeners } from '../../ground/listeners.js'
import { type AuditPort } from '../audit/index.js'
import { PromptAnswers, type ApprovalAnswer, type QuestionResponse } from './answers.js'
import { onlooker, PromptCards, type Reader } from './cards.js'
import { AnswerDelivery } from './delivery.js'
import { Expiries } from './expiries.js'
import { PromptLives, type AskEvent, type ClosedPrompt, type OpenedPrompt } from './lives.js'
import { QuestionTime } from './question-time.js'
import { createPromptRows, isOpen, type PromptEnd, type PromptKind } from './rows.js'
import { type LongField, type TextPage } from './texts.js'
import { type PendingOf } from './wire.js'
import { Yolo, type LiveRun } from './yolo.js'

export interface PromptsEvents {
  /** An approval was allowed by a person; told inside the transaction that keeps the answer, so whoever listens only writes rows. */
  allowed (ask: ApprovalAsk, choice: Exclude<ApprovalChoice, 'deny'>): void
  /** Something waits for a person; told inside the transaction that stores it, and once. */
  opened (prompt: OpenedPrompt): void
  /** Something waits no longer; told inside the transaction that closes it, and once. */
  closed (prompt: ClosedPrompt): void
}

export interface PromptsOptions {
  db: Database
  events: EventBroker
  clock: Clock
  audit: AuditPort
  agent: AgentRuntime
  /** A session's attention changed: lists want to know. */
  changed: (reason: string, sessionId: string) => void
  /** Credentials are masked in what is shown. */
  isMasked: () => boolean
  /** Keeps a permanent grant with the profile; on disk when it resolves. */
  allowAlways: (profile: string, patternKeys: string[]) => Promise<void>
  log?: (message: string, details: Record<string, unknown>) => void
}

/**
 * Approvals and questions as rows. Answering is a compare-and-set, then the run is told, and only its acknowledgement
 * retires the card: an answer that could not be delivered leaves the card where it was.
 */
export function createPrompts ({ db, events, clock, audit, agent, changed, isMasked, allowAlways, log = () => {} }: PromptsOptions) {
  const rows = createPromptRows({ db, clock })
  const expiries = new Expiries(clock)
  const cards = new PromptCards({ events, rows, expiries, isMasked })
  const closeOpen = (id: string, state: PromptEnd): void => lives.endOpen(id, state)
  const questionTime = new QuestionTime({ db, clock, agent, rows, expiries, cards, closeOpen })
  const delivery = new AnswerDelivery({ db, clock, agent, rows, expiries, closeOpen })
  const listeners = new Listeners<PromptsEvents>((event, error) =>
    log('a listener failed after an answer', { event, reason: String(error) }))
  const answers = new PromptAnswers({
    agent, audit, rows, cards, delivery, allowAlways, allowed: (...told) => listeners.emit('allowed', ...told)
  })
  const lives = new PromptLives({
    db, rows, expiries, questionTime, cards, changed, opened: (prompt) => listeners.emit('opened', prompt),
    closed: (prompt) => listeners.emit('closed', prompt)
  })

  return {
    on: listeners.on,

    /** The card that is on top of a session, and how many there are. */
    pending: <K extends PromptKind>(sessionId: string, kind: K, reader: Reader = onlooker): PendingOf[K] =>
      cards.pending(sessionId, kind, reader),
    /** Every open prompt of every session, oldest first. */
    allOpen: (reader: Reader = onlooker) => cards.allOpen(reader),
    /** For metrics: how many wait in all sessions, and for how many seconds the oldest has; a kind of which none waits is left out. */
    standing: (): Array<{ kind: PromptKind, count: number, oldestS: number }> =>
      rows.standing().map(({ kind, count, oldestAt }) => ({ kind, count, oldestS: Math.max(0, epochSeconds(clock) - oldestAt) })),
    /** What waits in a session, the first in front; null when nothing does. */
    waiting: (sessionId: string, kind: PromptKind, reader: Reader = onlooker) => cards.waiting(sessionId, kind, reader),
    /** See {@link PromptCards.page}. */
    page: (sessionId: string, id: string, field: LongField, at: number): TextPage => cards.page(sessionId, id, field, at),
    /** Whether one still waits for its answer. */
    isOpen (id: string): boolean {
      const row = rows.find(id)
      return row !== undefined && isOpen(row)
    },
    watch: (sessionId: string, kind: PromptKind, reader: Reader = onlooker): Subscription => cards.watch(sessionId, kind, reader),

    /** See {@link PromptLives.begin}. */
    opened: (sessionId: string, event: AskEvent): void => lives.begin(sessionId, event),

    /** The first client that could see what waits has come, or the last has gone. */
    somebodyThere: (is: boolean): Promise<void> => questionTime.somebodyThere(is),
    /** No time passes any more. */
    stop: (): void => questionTime.stop(),

    /** See {@link PromptLives.followClock}. */
    followClock: (): Promise<void> => lives.followClock(),

    /** The run needs no answer any more; called inside the transaction that folds its events. */
    settled (askId: string, how: 'answered' | 'expired' | 'cancelled' | 'yolo'): void {
      lives.endOpen(askId, how === 'yolo' ? 'answered' : how)
    },

    /** Retires what a finished stream leaves open; inside the transaction that closes it. */
    abandon (streamId: string): void {
      for (const row of rows.ofStream(streamId)) lives.end(row, 'cancelled')
    },

    /** See {@link PromptAnswers.approval}. */
    answerApproval: (sessionId: string, choice: ApprovalChoice, approvalId?: string, live?: () => LiveRun[]): Promise<ApprovalAnswer> =>
      answers.approval(sessionId, choice, approvalId, live),
    /** See {@link PromptAnswers.question}. */
    answerQuestion: (sessionId: string, response: QuestionResponse, clarifyId?: string): Promise<{ relayed?: true }> =>
      answers.question(sessionId, response, clarifyId),

    /** Pattern keys that need no question in this session. */
    sessionGrants: rows.grantsOf,
    /** Copies what is allowed for a session to another one, except budgets that were raised; inside a transaction. */
    copyGrants: (from: string, to: string): void => rows.grant(to, rows.grantsOf(from).filter((key) => !key.startsWith('budget:'))),
    /** Allows keys for a session. On disk when it resolves. */
    grantSession: async (sessionId: string, patternKeys: string[]): Promise<void> =>
      await db.durably(() => rows.grant(sessionId, patternKeys)),
    /** Takes a key from what was allowed in the sessions of a profile. */
    takeGrant: async (profile: string, patternKey: string): Promise<void> => await db.durably(() => rows.ungrant(profile, patternKey)),

    /** After a start of the service: cancels what nobody could answer, as it cannot be read; inside a transaction. */
    dropUnreadable: rows.dropUnreadable,
    /**
     * For a run that is followed again after a start of the service: whether answers that were on their way have
     * arrived is not known; inside a transaction.
     */
    reopen: rows.reopen,
    /** After a start of the service: cancels what waits for streams that do not live; inside a transaction. */
    dropOrphans: rows.dropOrphans,

    yolo: new Yolo(agent, audit)
  }
}

export type Prompts = ReturnType<typeof createPrompts>
