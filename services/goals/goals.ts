import { type StartedTurn, type StartInput } from '../chat/index.js'
import { epochSeconds } from '../ground/clock.js'
import { Conflict, Forbidden, Invalid } from '../ground/errors.js'
import { GoalPursuit, type PursuitOptions } from './pursuit.js'
import { createGoalRows, type GoalRow } from './rows.js'
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

export interface GoalsOptions extends PursuitOptions {
  /** How many turns a goal of a profile may use. */
  maxTurns: (profile: string) => number
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
  const pursuit = new GoalPursuit(rows, options)

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
        return pursuit.pause(sessionId, 'paused by the user')
      })
      pursuit.standStill(goal)
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
      pursuit.standStill(goal)
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
      const started = await pursuit.startTurn({ ...input, message: text, explicitModelPick: false, attachments: [] }, true, () => rows.put(values)).catch((error: unknown) => {
        throw error instanceof Conflict ? agentRunning(sessionId) : error
      })
      pursuit.stay(sessionId)
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
      const continuation = pursuit.current(sessionId)?.continuation ?? null
      // Clients send it as it was shown to them.
      if (continuation !== null && (continuation === message || sessions.shown(continuation) === message)) {
        return await pursuit.sendContinuation(continuation, { ...input, message: continuation }, true).catch(async (error: unknown) => {
          const faster = error instanceof Conflict ? await chat.already(sessionId, message, 'goal') : null
          if (faster === null) throw error
          return faster
        })
      }
      const begun = wording.isContinuation(message) ? rows.begun(sessionId, message) : undefined
      return begun === undefined ? await chat.start(input) : { ...begun, sessionId, title: sessions.shown(sessions.get(sessionId).title), model: null }
    },

    /** What it holds, for tests and metrics. */
    size: (): number => pursuit.size()
  }
}

export type Goals = ReturnType<typeof createGoals>
