import { type AgentRuntime } from '../../agent/index.js'
import { type ApprovalAsk, type ApprovalChoice } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { type EventBroker, type Subscription } from '../../ground/events/index.js'
import { Listeners } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
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
  /** An approval was allowed by a person. Emitted inside the transaction that stores the answer, so listeners may only write rows. */
  allowed (ask: ApprovalAsk, choice: Exclude<ApprovalChoice, 'deny'>): void
  /** A prompt waits for a person. Emitted once, inside the transaction that stores it. */
  opened (prompt: OpenedPrompt): void
  /** A prompt no longer waits. Emitted once, inside the transaction that closes it. */
  closed (prompt: ClosedPrompt): void
}

export interface PromptsOptions {
  db: Database
  events: EventBroker
  clock: Clock
  audit: AuditPort
  agent: AgentRuntime
  /** Called when the attention that a session needs has changed, which lists show. */
  changed: (reason: string, sessionId: string) => void
  /** Whether credentials are masked in what is shown. */
  isMasked: () => boolean
  /** Returns the pattern keys that a profile always refuses now. */
  deniedIn: (profile: string) => readonly string[]
  /** Stores a permanent grant with the profile; on disk when it resolves. */
  allowAlways: (profile: string, patternKeys: string[]) => Promise<void>
  log?: Log
}

/**
 * Approvals and questions as rows. Answering is a compare-and-set, then the run is told, and only its acknowledgement closes the card: if
 * an answer could not be delivered, the card stays.
 */
export function createPrompts (
  { db, events, clock, audit, agent, changed, isMasked, deniedIn, allowAlways, log = () => {} }: PromptsOptions
) {
  const rows = createPromptRows({ db, clock })
  const expiries = new Expiries(clock)
  const cards = new PromptCards({ events, rows, expiries, isMasked })
  const closeOpen = (id: string, state: PromptEnd): void => lives.endOpen(id, state)
  const questionTime = new QuestionTime({ db, clock, agent, rows, expiries, cards, closeOpen })
  const delivery = new AnswerDelivery({ db, clock, agent, rows, expiries, closeOpen })
  const listeners = new Listeners<PromptsEvents>((event, error) =>
    log('a listener failed after an answer', { event, reason: String(error) }))
  const answers = new PromptAnswers({
    agent, audit, rows, cards, delivery, deniedIn, allowAlways, allowed: (...told) => listeners.emit('allowed', ...told)
  })
  const lives = new PromptLives({
    db, rows, expiries, questionTime, cards, changed, opened: (prompt) => listeners.emit('opened', prompt),
    closed: (prompt) => listeners.emit('closed', prompt)
  })

  return {
    on: listeners.on,

    /** Returns the card on top of a session, and the number of open ones. */
    pending: <K extends PromptKind>(sessionId: string, kind: K, reader: Reader = onlooker): PendingOf[K] =>
      cards.pending(sessionId, kind, reader),
    /** Returns all open prompts of all sessions, oldest first. */
    allOpen: (reader: Reader = onlooker) => cards.allOpen(reader),
    /**
     * For metrics: returns how many prompts are open in all sessions, and for how many seconds the oldest has been; kinds without open
     * prompts are missing.
     */
    standing: (): Array<{ kind: PromptKind, count: number, oldestS: number }> =>
      rows.standing().map(({ kind, count, oldestAt }) => ({ kind, count, oldestS: Math.max(0, epochSeconds(clock) - oldestAt) })),
    /** Returns the open prompts of a session, the first in front; null if there are none. */
    waiting: (sessionId: string, kind: PromptKind, reader: Reader = onlooker) => cards.waiting(sessionId, kind, reader),
    /** See {@link PromptCards.page}. */
    page: (sessionId: string, id: string, field: LongField, at: number): TextPage => cards.page(sessionId, id, field, at),
    /** Whether a prompt still waits for its answer. */
    isOpen (id: string): boolean {
      const row = rows.find(id)
      return row !== undefined && isOpen(row)
    },
    watch: (sessionId: string, kind: PromptKind, reader: Reader = onlooker): Subscription => cards.watch(sessionId, kind, reader),

    /** See {@link PromptLives.begin}. */
    opened: (sessionId: string, event: AskEvent): void => lives.begin(sessionId, event),

    /** Called when the first client that could see prompts has connected, or the last has gone. */
    somebodyThere: (is: boolean): Promise<void> => questionTime.somebodyThere(is),
    /** Stops all time limits. */
    stop: (): void => questionTime.stop(),

    /** See {@link PromptLives.followClock}. */
    followClock: (): Promise<void> => lives.followClock(),

    /** Called when the run no longer needs an answer, inside the transaction that folds its events. */
    settled (askId: string, how: 'answered' | 'expired' | 'cancelled' | 'yolo'): void {
      lives.endOpen(askId, how === 'yolo' ? 'answered' : how)
    },

    /** Closes the prompts that a finished stream leaves open; called inside the transaction that closes it. */
    abandon (streamId: string): void {
      for (const row of rows.ofStream(streamId)) lives.end(row, 'cancelled')
    },

    /** See {@link PromptAnswers.approval}. */
    answerApproval: (sessionId: string, choice: ApprovalChoice, approvalId?: string, live?: () => LiveRun[]): Promise<ApprovalAnswer> =>
      answers.approval(sessionId, choice, approvalId, live),
    /** See {@link PromptAnswers.question}. */
    answerQuestion: (sessionId: string, response: QuestionResponse, clarifyId?: string): Promise<{ relayed?: true }> =>
      answers.question(sessionId, response, clarifyId),

    /** Pattern keys that need no approval in this session. */
    sessionGrants: rows.grantsOf,
    /** Copies the grants of a session to another one, except raised budgets; called inside a transaction. */
    copyGrants: (from: string, to: string): void => rows.grant(to, rows.grantsOf(from).filter((key) => !key.startsWith('budget:'))),
    /** Grants keys to a session. On disk when it resolves. */
    grantSession: async (sessionId: string, patternKeys: string[]): Promise<void> =>
      await db.durably(() => rows.grant(sessionId, patternKeys)),
    /** Removes a key from the grants of all sessions of a profile. */
    takeGrant: async (profile: string, patternKey: string): Promise<void> => await db.durably(() => rows.ungrant(profile, patternKey)),

    /** Called after a start of the service: cancels prompts that cannot be read, because nobody could answer them; inside a transaction. */
    dropUnreadable: rows.dropUnreadable,
    /**
     * For a run that is followed again after a start of the service: it is unknown whether answers that were being delivered have arrived,
     * so the prompts are opened again; inside a transaction.
     */
    reopen: rows.reopen,
    /** Called after a start of the service: cancels prompts of streams that are not active; inside a transaction. */
    dropOrphans: rows.dropOrphans,

    yolo: new Yolo(agent, audit, async (live) => await answers.denyForbidden(live))
  }
}

export type Prompts = ReturnType<typeof createPrompts>
