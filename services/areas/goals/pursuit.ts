import { type SmallTaskInput } from '../../agent/index.js'
import {
  Outdated, type Chat, type MessageInput, type OpenInput, type StartedTurn, type Tell, type Turn, type TurnOutcome, type TurnPlan
} from '../chat/index.js'
import { type Account } from '../budgets/index.js'
import { type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict } from '../../ground/errors.js'
import { type NewFrame } from '../../ground/events/index.js'
import { type Log } from '../../ground/log.js'
import { present } from '../../ground/present.js'
import { type Sessions } from '../sessions/index.js'
import { pauseOf, turnsUsedUp, unclear, type Pause } from './pauses.js'
import { recoverGoals } from './recovery.js'
import { createJudging, type GoalVerdict } from './judging.js'
import { type GoalRow, type GoalRows } from './rows.js'
import * as wire from './wire.js'
import * as wording from './wording.js'

export interface PursuitOptions {
  db: Database
  clock: Clock
  sessions: Sessions
  /** Runs the small task `judge` with `fallback`, unless the profile names a model for it. Returns null if there was no answer. */
  judge: (
    account: Account & { session: string }, input: SmallTaskInput<'judge'>, fallback: { model?: string, provider?: string }
  ) => Promise<GoalVerdict | null>
  chat: Pick<Chat, 'send' | 'recogniseWith' | 'already' | 'isLive' | 'lastTurn' | 'lastEnded' | 'begunWith' | 'turns'>
  /** Whether a client has the session, or the list of sessions, open. */
  isWatched: (sessionId: string) => boolean
  /** Whether messages of a person wait that begin by themselves: they come before the next turn of a goal. */
  isQueued: (sessionId: string) => boolean
  log: Log
  /** How long a person or a client may act first before a goal continues by itself. */
  continueAfterMs: number
}

/** What makes a turn count for the goal of its session. */
export const ofGoal = { plan: { kind: 'goal' }, fields: { _source: 'goal' } } as const

const isOfGoal = (kind: TurnPlan['kind']): boolean => kind === 'chat' || kind === 'goal'

/** What follows from turns for the goals of their sessions: a verdict, and then the next turn or a pause. */
export class GoalPursuit {
  /** Timers of goals that are about to continue by themselves. */
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #judging: ReturnType<typeof createJudging>
  #stopped = false

  constructor (readonly rows: GoalRows, readonly options: PursuitOptions) {
    this.#judging = createJudging({
      judge: (sessionId, input) => this.#askJudge(sessionId, input),
      turnOf: (sessionId) => options.sessions.rows.find(sessionId)?.generation, log: options.log
    })
    this.#listen()
  }

  /** Returns the session's active goal. */
  current (sessionId: string): GoalRow | undefined {
    const goal = this.rows.find(sessionId)
    return goal?.status === 'active' ? goal : undefined
  }

  /** Begins the next turn after a delay, unless something else has begun by then. */
  #proceedLater (sessionId: string): void {
    this.stay(sessionId)
    if (this.#stopped || this.current(sessionId)?.continuation == null) return
    this.#timers.set(sessionId, setTimeout(() => {
      this.#timers.delete(sessionId)
      this.#proceed(sessionId).catch((error: unknown) => {
        // A person was faster; the goal is judged after that turn.
        if (error instanceof Conflict) return
        this.options.log('a goal could not be continued', { sessionId, reason: String(error) })
        this.#pauseIfActive(sessionId, pauseOf('not_started'))
      })
    }, this.options.continueAfterMs))
  }

  /**
   * Begins a turn of the goal. `isUnasked`: the service begins it, so it waits while no turn may begin, and asks only a person who watches.
   * `alongside` runs in the transaction that stores the message.
   */
  async begin (
    message: MessageInput, alongside: NonNullable<OpenInput['alongside']>, { isUnasked = false }: { isUnasked?: boolean } = {}
  ): Promise<StartedTurn> {
    const attended = !isUnasked || this.options.isWatched(message.sessionId)
    return await this.options.chat.send(message, {
      ...ofGoal, plan: { ...ofGoal.plan, attended }, isPlain: true, waits: isUnasked, alongside
    })
  }

  /**
   * Called in the transaction that stores the message that continues the goal: it is not sent again. Throws Outdated if it no longer
   * continues the goal.
   */
  continued (sessionId: string, continuation: string): void {
    if (this.current(sessionId)?.continuation !== continuation) throw new Outdated('The goal has changed in the meantime')
    this.rows.change(sessionId, { continuation: null })
    this.options.db.afterCommit(() => this.stay(sessionId))
  }

  /** Pauses a goal; called inside a transaction. */
  pause (sessionId: string, { code, reason }: Pause): GoalRow {
    return this.rows.change(sessionId, { status: 'paused', pausedReason: reason, pausedCode: code, continuation: null })
  }

  /** Called when a person has stopped a goal: nothing continues by itself any more, and the goal's stream shows its present state. */
  standStill (goal: GoalRow): void {
    this.stay(goal.sessionId)
    this.#judging.dismiss(goal.sessionId, () => [this.#goalFrame('idle', goal, wording.status(goal))])
  }

  /** Asks the judge about the last turn of a session, which counts for `spent` turns, and does what follows from it. */
  async #evaluate (sessionId: string, spent: number, text: string, tell: Tell): Promise<void> {
    const { goal, turnsUsed } = present(this.current(sessionId), 'the goal that is judged')
    await this.#judging.decide({
      sessionId,
      input: { goal, answer: text, turns: turnsUsed + spent },
      tell,
      asked: () => {
        const now = this.current(sessionId)
        if (now === undefined) return []
        // A goal that is judged again after a restart stays unchanged: a row newer than the last turn would mean that the goal was resumed
        // since.
        const isSame = spent === 0 && now.continuation === null
        const counted = isSame ? now : this.rows.change(sessionId, { turnsUsed: now.turnsUsed + spent, continuation: null })
        return [this.#goalFrame('evaluating', counted, wording.evaluating)]
      },
      decided: (verdict) => {
        const now = this.rows.find(sessionId)
        if (now === undefined) return []
        // If the goal was paused, cleared or overtaken by another turn while the judge was thinking, that state stays.
        return now.status === 'active' && verdict !== 'overtaken'
          ? this.#decide(sessionId, verdict)
          : [this.#goalFrame('idle', now, wording.status(now))]
      },
      streamEnded: () => this.#proceedLater(sessionId)
    })
  }

  /** Applies a verdict to the goal; returns the frames that belong to the rows, in one transaction. */
  #decide (sessionId: string, verdict: GoalVerdict | null): NewFrame[] {
    if (verdict === null || verdict.verdict === 'unclear') {
      const why = verdict === null ? pauseOf('judge_silent') : unclear(verdict.reason)
      this.rows.change(sessionId, { lastVerdict: 'skipped', lastReason: verdict?.reason ?? null })
      return [this.#goalFrame('idle', this.pause(sessionId, why), wording.paused(why))]
    }
    const { reason } = verdict
    const judged = this.rows.change(sessionId, { lastVerdict: verdict.verdict, lastReason: reason })
    if (verdict.verdict === 'done') {
      return [this.#goalFrame('idle', this.rows.change(sessionId, { status: 'done', continuation: null }), wording.achieved(reason))]
    }
    if (judged.turnsUsed >= judged.maxTurns) {
      return [
        this.#goalFrame('idle', this.pause(sessionId, turnsUsedUp(judged.maxTurns)), wording.budgetExhausted(judged))
      ]
    }
    const going = this.rows.change(sessionId, { continuation: wording.continuationPrompt(judged) })
    const said = wording.continuing(going)
    return [this.#goalFrame('continuing', going, said), this.#continueFrame(going, said)]
  }

  async #proceed (sessionId: string): Promise<void> {
    const goal = this.current(sessionId)
    if (goal?.continuation == null || this.options.chat.isLive(sessionId)) return
    if (this.options.isQueued(sessionId)) return this.#proceedLater(sessionId)
    // It continues with the model it has been using, which need not be the session's own.
    const { model, provider } = this.options.chat.lastTurn(sessionId) ?? {}
    const { continuation: message } = goal
    await this.begin({
      sessionId, message, model: model ?? undefined, modelProvider: provider ?? undefined, explicitModelPick: false, attachments: []
    }, () => this.continued(sessionId, message), { isUnasked: true })
  }

  /** The model that did the work also judges it, because the session may have none of its own. */
  async #askJudge (sessionId: string, input: SmallTaskInput<'judge'>): Promise<GoalVerdict | null> {
    const last = this.options.chat.lastTurn(sessionId)
    return await this.options.judge({
      profile: this.options.sessions.get(sessionId).profile, session: sessionId
    }, input, { model: last?.model ?? undefined, provider: last?.provider ?? undefined })
  }

  /** Pauses without asking the judge: to continue, a person must allow more first. */
  #pauseOnBudget (sessionId: string): NewFrame[] {
    const why = pauseOf('budget')
    return this.current(sessionId) === undefined ? [] : [this.#goalFrame('idle', this.pause(sessionId, why), wording.paused(why))]
  }

  #pauseIfActive (sessionId: string, why: Pause): void {
    this.options.db.soonest(() => { if (this.current(sessionId) !== undefined) this.pause(sessionId, why) })
  }

  /** Cancels the goal's timer, so that it does not continue by itself for now. */
  stay (sessionId: string): void {
    clearTimeout(this.#timers.get(sessionId))
    this.#timers.delete(sessionId)
  }

  /** Called when a turn has sent its last frame. */
  #turnEnded ({ sessionId, plan: { kind } }: Turn, { state }: TurnOutcome): void {
    if (!isOfGoal(kind) || this.current(sessionId) === undefined) return
    if (state === 'done') {
      // The verdict may not be stored yet.
      if (!this.#judging.streamEnded(sessionId)) this.options.db.enqueue({ write () {}, committed: () => this.#proceedLater(sessionId) })
      return
    }
    const why = pauseOf(state === 'cancelled' ? 'cancelled' : this.#stopped ? 'cut_off' : 'failed')
    this.options.db.enqueue({
      write: () => {
        const goal = this.current(sessionId)
        // A goal that was set while a stopped turn was ending is not affected by that turn.
        if (goal !== undefined && (this.options.chat.lastEnded(sessionId)?.startedAt ?? 0) >= goal.createdAt) this.pause(sessionId, why)
      }
    })
  }

  /** Connects goals to the events of turns. */
  #listen (): void {
    const { turns } = this.options.chat
    // A turn went well: the judge is asked while the turn's last frame waits.
    turns.on('done', async ({ sessionId, plan: { kind }, recorder }, tell) => {
      if (!isOfGoal(kind) || this.current(sessionId) === undefined) return
      if (recorder.cut?.reason === 'budget_exhausted') return tell(() => this.#pauseOnBudget(sessionId))
      await this.#evaluate(sessionId, kind === 'goal' ? 1 : 0, recorder.finalText, tell)
    })
    turns.on('stoppedLate', ({ sessionId }) => {
      if (this.current(sessionId) === undefined) return
      this.#pauseIfActive(sessionId, pauseOf('cancelled'))
      this.standStill(present(this.rows.find(sessionId), 'the paused goal'))
    })
    turns.on('ended', (turn, outcome) => this.#turnEnded(turn, outcome))
    this.options.sessions.on('removing', (ids) => { for (const id of ids) this.stay(id) })
    // Turns that were settling already had their answer.
    turns.on('recovered', (interrupted) => recoverGoals({
      goals: this.rows.active,
      lastTurn: this.options.chat.lastTurn,
      lastAnswer: (sessionId) => this.options.sessions.transcript.lastAnswer(sessionId),
      log: this.options.log,
      evaluate: (...judged) => this.#evaluate(...judged),
      proceedLater: (sessionId) => this.#proceedLater(sessionId),
      isLive: (sessionId) => this.options.chat.isLive(sessionId),
      pause: (sessionId) => this.#pauseIfActive(sessionId, pauseOf('cut_off')),
      tell: (write) => { this.options.db.soonest(write) }
    }, interrupted))
    // A goal that is being judged now is judged again after the next start.
    turns.on('stopping', () => {
      this.#stopped = true
      this.#judging.stop()
      for (const sessionId of [...this.#timers.keys()]) this.stay(sessionId)
    })
  }

  /** Returns how many goals are about to continue or being judged. */
  size (): number {
    return this.#timers.size + this.#judging.size()
  }

  #goalFrame (state: 'evaluating' | 'continuing' | 'idle', goal: GoalRow, said: wording.Sentence): NewFrame {
    const { sessions } = this.options
    return wire.goalFrame(state, sessions.shown(goal), sessions.shown(said))
  }

  #continueFrame (goal: GoalRow, said: wording.Sentence): NewFrame {
    const { sessions } = this.options
    return wire.continueFrame(sessions.shown(goal), sessions.shown(said))
  }
}
