import { type AuxTasks } from '../agent/protocol.js'
import { chatPlan, type Chat, type StartedTurn, type StartInput, type Tell, type Turn, type TurnOutcome, type TurnPlan } from '../chat/index.js'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { Conflict, Forbidden, Invalid } from '../ground/errors.js'
import { type NewFrame } from '../ground/events/index.js'
import { type Sessions } from '../sessions/index.js'
import { createGoalRows, type GoalRow } from './goal-rows.js'
import { recoverGoals } from './recovery.js'
import { createReferee, type Verdict } from './referee.js'
import * as wire from './wire.js'
import * as wording from './wording.js'

/** What an operation on a goal answers; `started` is the turn it has begun. */
export interface GoalAnswer {
  action: 'status' | 'pause' | 'resume' | 'clear' | 'set'
  message: string
  messageKey: string
  goal: wire.GoalWire | null
  kickoffPrompt?: string
  started?: StartedTurn
}

export interface GoalsOptions {
  db: Database
  clock: Clock
  sessions: Sessions
  /** How many turns a goal of a profile may use. */
  maxTurns: (profile: string) => number
  /** Asks a model, `fallback` unless the profile names one for it, whether the goal is reached; null when there was no answer. */
  judge: (profile: string, input: AuxTasks['judge']['input'], fallback: { model?: string, provider?: string }) => Promise<Verdict | null>
  chat: Pick<Chat, 'start' | 'already' | 'isLive' | 'turns'>
  /** Somebody has the session, or the list of sessions, open. */
  isWatched: (sessionId: string) => boolean
  log: (message: string, details: Record<string, unknown>) => void
  /** How long a person or a client may say something first before a goal goes on by itself. */
  continueAfterMs: number
}

const maxGoalBytes = 64 * 1024

/**
 * Goals: turn after turn until a judge finds the goal reached. After each turn that went well the judge is asked; it goes
 * on while the budget lasts. A failure, a cancel, a used-up budget or a verdict that cannot be understood pauses it.
 * The next turn is stored before it is announced, so that a restart goes on where it was.
 */
export function createGoals (options: GoalsOptions) {
  const { db, clock, sessions } = options
  const rows = createGoalRows(options)
  const timers = new Map<string, NodeJS.Timeout>()
  const goalFrame = (state: 'evaluating' | 'continuing' | 'idle', goal: GoalRow, said: wording.Said): NewFrame => wire.goalFrame(state, sessions.shown(goal), sessions.shown(said))
  const continueFrame = (goal: GoalRow, said: wording.Said): NewFrame => wire.continueFrame(sessions.shown(goal), sessions.shown(said))
  let stopped = false
  listen(options.chat)

  const referee = createReferee({ judge: askJudge, turnOf: rows.generation, log: options.log })

  /** The model that did the work judges it, as the session need not have one of its own. */
  async function askJudge (sessionId: string, input: AuxTasks['judge']['input']): Promise<Verdict | null> {
    const last = rows.lastTurn(sessionId)
    return await options.judge(sessions.get(sessionId).profile, input, { model: last?.model ?? undefined, provider: last?.provider ?? undefined })
  }

  /** The goal that is under way. */
  function current (sessionId: string): GoalRow | undefined {
    const goal = rows.find(sessionId)
    return goal?.status === 'active' ? goal : undefined
  }

  function answer (action: GoalAnswer['action'], said: wording.Said, goal: GoalRow | undefined): GoalAnswer {
    return { action, message: said.message, messageKey: said.key, goal: goal === undefined || goal.status === 'cleared' ? null : wire.toWire(goal) }
  }

  /** Throws NotFound without the session and Invalid (`no_goal`) without a goal under way in it. */
  function mustHaveGoal (sessionId: string): void {
    sessions.get(sessionId)
    const status = rows.find(sessionId)?.status
    if (status !== 'active' && status !== 'paused') {
      throw new Invalid('no_goal', 'no_goal', { ok: false, action: 'error', message: 'This session has no goal under way.', message_key: 'goal_no_goal', goal: null })
    }
  }

  function agentRunning (sessionId: string): Conflict {
    const goal = rows.find(sessionId)
    return new Conflict('agent_running', 'agent_running', {
      ok: false, action: 'error', message: 'A turn is running in this session. Wait for it or stop it, then set the goal.',
      goal: goal === undefined ? null : wire.toWire(goal), active_stream_id: sessions.status(sessionId).active_stream_id
    })
  }

  function forgetTimer (sessionId: string): void {
    clearTimeout(timers.get(sessionId))
    timers.delete(sessionId)
  }

  /** Begins the next turn after a while, unless something else has begun by then. */
  function proceedLater (sessionId: string): void {
    forgetTimer(sessionId)
    if (stopped || current(sessionId)?.continuation == null) return
    timers.set(sessionId, setTimeout(() => {
      timers.delete(sessionId)
      proceed(sessionId).catch((error: unknown) => {
        // Somebody was faster; the goal is judged after their turn.
        if (error instanceof Conflict) return
        options.log('a goal could not go on by itself', { sessionId, reason: String(error) })
        pauseIfActive(sessionId, 'the next turn could not be started')
      })
    }, options.continueAfterMs))
  }

  async function proceed (sessionId: string): Promise<void> {
    const goal = current(sessionId)
    if (goal?.continuation == null || options.chat.isLive(sessionId)) return
    // It goes on with the model that it was going with, which need not be the session's own.
    const { model, provider } = rows.lastTurn(sessionId) ?? {}
    await sendContinuation(goal.continuation, {
      sessionId, message: goal.continuation, model: model ?? undefined, modelProvider: provider ?? undefined, explicitModelPick: false, attachments: []
    }, options.isWatched(sessionId))
  }

  /** `alongside` runs in the transaction that stores the message. */
  async function startTurn (input: StartInput, attended: boolean, alongside: () => void): Promise<StartedTurn> {
    return await options.chat.start(input, {
      alongside,
      fields: { _source: 'goal' },
      plan: (session) => ({ ...chatPlan(session.id, input), kind: 'goal', attended })
    })
  }

  async function sendContinuation (continuation: string, input: StartInput, attended: boolean): Promise<StartedTurn> {
    const started = await startTurn(input, attended, () => {
      if (current(input.sessionId)?.continuation !== continuation) throw new Conflict('The goal has changed meanwhile')
      rows.change(input.sessionId, { continuation: null })
    })
    forgetTimer(input.sessionId)
    return started
  }

  function pause (sessionId: string, reason: string): GoalRow {
    return rows.change(sessionId, { status: 'paused', pausedReason: reason, continuation: null })
  }

  function pauseIfActive (sessionId: string, reason: string): void {
    db.soonest(() => { if (current(sessionId) !== undefined) pause(sessionId, reason) })
  }

  /** A goal was stopped by hand: nothing follows of itself any more, and its stream says how it stands now. */
  function standStill (goal: GoalRow): void {
    forgetTimer(goal.sessionId)
    referee.dismiss(goal.sessionId, () => [goalFrame('idle', goal, wording.status(goal))])
  }

  /** What a verdict makes of the goal; rows and frames of one transaction. */
  function decide (sessionId: string, verdict: Verdict | null): NewFrame[] {
    if (verdict === null || verdict.verdict === 'unclear') {
      const why = verdict === null ? 'the judge did not answer' : `the judge was unclear: ${verdict.reason}`
      rows.change(sessionId, { lastVerdict: 'skipped', lastReason: verdict?.reason ?? null })
      return [goalFrame('idle', pause(sessionId, why), wording.paused(why))]
    }
    const { reason } = verdict
    const judged = rows.change(sessionId, { lastVerdict: verdict.verdict, lastReason: reason })
    if (verdict.verdict === 'done') return [goalFrame('idle', rows.change(sessionId, { status: 'done', continuation: null }), wording.achieved(reason))]
    if (judged.turnsUsed >= judged.maxTurns) {
      return [goalFrame('idle', pause(sessionId, `the budget of ${judged.maxTurns} turns is used up`), wording.budgetExhausted(judged))]
    }
    const going = rows.change(sessionId, { continuation: wording.continuationPrompt(judged) })
    const said = wording.continuing(going)
    return [goalFrame('continuing', going, said), continueFrame(going, said)]
  }

  /** Asks the judge about the last turn of a session, which counts for `spent` turns, and does what follows from it. */
  async function evaluate (sessionId: string, spent: number, text: string, tell: Tell): Promise<void> {
    const { goal, turnsUsed } = current(sessionId)!
    await referee.decide({
      sessionId,
      input: { goal, answer: text, turns: turnsUsed + spent },
      tell,
      asked () {
        const now = current(sessionId)
        if (now === undefined) return []
        const counted = rows.change(sessionId, { turnsUsed: now.turnsUsed + spent, continuation: null })
        return [goalFrame('evaluating', counted, wording.evaluating)]
      },
      decided (verdict) {
        const now = rows.find(sessionId)
        if (now === undefined) return []
        // Paused, cleared or overtaken by another turn while the judge was thinking: then that stands.
        return now.status === 'active' && verdict !== 'overtaken' ? decide(sessionId, verdict) : [goalFrame('idle', now, wording.status(now))]
      },
      streamEnded: () => proceedLater(sessionId)
    })
  }

  return {
    /** Throws NotFound. */
    status (sessionId: string): GoalAnswer {
      sessions.get(sessionId)
      const goal = rows.find(sessionId)
      return answer('status', goal === undefined ? wording.none : wording.status(goal), goal)
    },

    /** Stops after the turn that runs now. Throws NotFound and Invalid (`no_goal`). */
    async pause (sessionId: string): Promise<GoalAnswer> {
      const goal = await db.durably(() => {
        mustHaveGoal(sessionId)
        return pause(sessionId, 'paused by the user')
      })
      standStill(goal)
      return answer('pause', wording.paused('paused by the user'), goal)
    },

    /** Gives it its whole budget again; the next message goes on with it. Throws NotFound and Invalid (`no_goal`). */
    async resume (sessionId: string): Promise<GoalAnswer> {
      const goal = await db.durably(() => {
        mustHaveGoal(sessionId)
        return rows.change(sessionId, { status: 'active', pausedReason: null, turnsUsed: 0, maxTurns: options.maxTurns(sessions.get(sessionId).profile) })
      })
      return answer('resume', wording.resumed, goal)
    },

    /** Throws NotFound; without a goal there is nothing to do. */
    async clear (sessionId: string): Promise<GoalAnswer> {
      const goal = await db.durably(() => {
        sessions.get(sessionId)
        const status = rows.find(sessionId)?.status
        return status === undefined || status === 'cleared' ? undefined : rows.change(sessionId, { status: 'cleared', continuation: null })
      })
      if (goal === undefined) return answer('clear', wording.nothingToClear, undefined)
      standStill(goal)
      return answer('clear', wording.cleared, goal)
    },

    /**
     * Sets the goal and starts its first turn, both or neither: when the turn cannot start, the goal before stays.
     * Throws NotFound, Forbidden, Invalid (`invalid_goal`) and Conflict (`agent_running`).
     */
    async set (text: string, input: Pick<StartInput, 'sessionId' | 'model' | 'modelProvider' | 'profile' | 'workspace'>): Promise<GoalAnswer> {
      const { sessionId } = input
      const { profile, readOnly } = sessions.get(sessionId)
      // Where nobody may speak, it does not matter whether something runs.
      if (readOnly) throw new Forbidden('This session is read-only')
      if (Buffer.byteLength(text) > maxGoalBytes) {
        throw new Invalid('invalid_goal', 'invalid_goal', { ok: false, action: 'error', message: `A goal has at most ${maxGoalBytes / 1024} KiB.`, goal: null })
      }
      if (options.chat.isLive(sessionId)) throw agentRunning(sessionId)
      const now = epochSeconds(clock)
      const values: GoalRow = {
        sessionId, goal: text, status: 'active', turnsUsed: 0, maxTurns: options.maxTurns(profile), lastVerdict: null,
        lastReason: null, pausedReason: null, continuation: null, createdAt: now, updatedAt: now
      }
      const started = await startTurn({ ...input, message: text, explicitModelPick: false, attachments: [] }, true, () => rows.put(values)).catch((error: unknown) => {
        throw error instanceof Conflict ? agentRunning(sessionId) : error
      })
      forgetTimer(sessionId)
      return { ...answer('set', wording.set(values), values), kickoffPrompt: text, started }
    },

    /**
     * A person's message. The very message with which the goal goes on is a turn of the goal, whoever sends it, and is sent
     * once: clients that were told to continue do so, and where the service was faster they get the turn that it has begun.
     */
    async send (input: StartInput): Promise<StartedTurn> {
      const { sessionId, message } = input
      const chat = options.chat
      const running = await chat.already(sessionId, message, 'goal')
      if (running !== null) return running
      const continuation = current(sessionId)?.continuation ?? null
      // Clients send it as it was shown to them.
      if (continuation !== null && (continuation === message || sessions.shown(continuation) === message)) {
        return await sendContinuation(continuation, { ...input, message: continuation }, true).catch(async (error: unknown) => {
          const faster = error instanceof Conflict ? await chat.already(sessionId, message, 'goal') : null
          if (faster === null) throw error
          return faster
        })
      }
      const begun = wording.isContinuation(message) ? rows.begun(sessionId, message) : undefined
      return begun === undefined ? await chat.start(input) : { ...begun, sessionId, title: sessions.shown(sessions.get(sessionId).title), model: null }
    },

    /** What it holds, for tests and metrics. */
    size: (): number => timers.size + referee.size()
  }

  /** A turn has had its last frame. */
  function turnEnded ({ sessionId, plan: { kind } }: Turn, { state }: TurnOutcome): void {
    if (!isOfGoal(kind) || current(sessionId) === undefined) return
    if (state === 'done') {
      // Its verdict may still be on its way to the database.
      if (!referee.streamEnded(sessionId)) db.enqueue({ write () {}, committed: () => proceedLater(sessionId) })
      return
    }
    const why = state === 'cancelled' ? 'the turn was cancelled' : stopped ? cutOff : 'the turn failed'
    db.enqueue({
      write () {
        const goal = current(sessionId)
        // A goal that was set while a stopped turn came to its end has nothing to do with that one.
        if (goal !== undefined && (rows.lastEnded(sessionId)?.startedAt ?? 0) >= goal.createdAt) pause(sessionId, why)
      }
    })
  }

  /** What goals do about turns. */
  function listen ({ turns }: GoalsOptions['chat']): void {
    // A turn went well: while its last frame waits, the judge is asked.
    turns.on('done', async ({ sessionId, plan: { kind }, recorder }, tell) => {
      if (isOfGoal(kind) && current(sessionId) !== undefined) await evaluate(sessionId, kind === 'goal' ? 1 : 0, recorder.finalText, tell)
    })
    turns.on('stoppedLate', ({ sessionId }) => {
      if (current(sessionId) === undefined) return
      pauseIfActive(sessionId, 'the turn was cancelled')
      standStill(rows.find(sessionId)!)
    })
    turns.on('ended', turnEnded)
    // Those that were settling had their answer.
    turns.on('recovered', (interrupted) => recoverGoals({
      rows,
      log: options.log,
      evaluate,
      proceedLater,
      isLive: (sessionId) => options.chat.isLive(sessionId),
      pause: (sessionId) => pauseIfActive(sessionId, cutOff),
      tell: (write) => { db.soonest(write) }
    }, interrupted))
    // What is being judged is judged again after the next start.
    turns.on('stopping', () => {
      stopped = true
      referee.stop()
      for (const sessionId of [...timers.keys()]) forgetTimer(sessionId)
    })
  }
}

export type Goals = ReturnType<typeof createGoals>

const cutOff = 'the service was stopped in the middle of a turn'
const isOfGoal = (kind: TurnPlan['kind']): boolean => kind === 'chat' || kind === 'goal'
