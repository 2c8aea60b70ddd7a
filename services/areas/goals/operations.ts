import { type OpenInput, type StartedTurn, type MessageInput } from '../chat/index.js'
import { epochSeconds } from '../../ground/time/clock.js'
import { Conflict, Forbidden } from '../../ground/errors.js'
import { agentRunning, goalAnswer, goalTooLong, maxGoalBytes, noGoal, type GoalAnswer } from './answers.js'
import { pauseOf } from './pauses.js'
import { type GoalPursuit, type PursuitOptions } from './pursuit.js'
import { type GoalRow, type GoalRows } from './rows.js'
import * as wording from './wording.js'

export interface OperationsOptions extends Pick<PursuitOptions, 'db' | 'clock' | 'sessions' | 'chat'> {
  rows: GoalRows
  pursuit: GoalPursuit
  /** How many turns a goal of a profile may use. */
  maxTurns: (profile: string) => number
}

/** How a goal begins: with a message other than the goal itself, and with what else is stored together with it. */
interface Kickoff { message?: string, alongside?: NonNullable<OpenInput['alongside']> }

const byPerson = pauseOf('person')

/** Called in the transaction that makes what the answer says. */
type Accepted = (answer: GoalAnswer) => void

/** The operations of a person on the goal of a session. */
export function createGoalOperations ({ db, clock, sessions, chat, rows, pursuit, maxTurns }: OperationsOptions) {
  /** Throws NotFound without the session, and Invalid (`no_goal`) without an active or paused goal in it. */
  function mustHaveGoal (sessionId: string): void {
    sessions.get(sessionId)
    const status = rows.find(sessionId)?.status
    if (status !== 'active' && status !== 'paused') throw noGoal()
  }

  function running (sessionId: string): Conflict {
    return agentRunning(rows.find(sessionId), sessions.status(sessionId).active_stream_id)
  }

  async function changed<Goal extends GoalRow | undefined> (
    action: GoalAnswer['action'], accepted: Accepted | undefined, change: () => { said: wording.Sentence, goal: Goal }
  ) {
    return await db.durably(() => {
      const { said, goal } = change()
      const answer = goalAnswer(action, said, goal)
      accepted?.(answer)
      return { answer, goal }
    })
  }

  return {
    /** Throws NotFound. */
    status (sessionId: string): GoalAnswer {
      sessions.get(sessionId)
      const goal = rows.find(sessionId)
      return goalAnswer('status', goal === undefined ? wording.none : wording.status(goal), goal)
    },

    /** Pauses the goal after the running turn. Throws NotFound and Invalid (`no_goal`). */
    async pause (sessionId: string, accepted?: Accepted): Promise<GoalAnswer> {
      const { answer, goal } = await changed('pause', accepted, () => {
        mustHaveGoal(sessionId)
        return { said: wording.paused(byPerson), goal: pursuit.pause(sessionId, byPerson) }
      })
      pursuit.standStill(goal)
      return answer
    },

    /** Resumes the goal with its full budget; the next message continues it. Throws NotFound and Invalid (`no_goal`). */
    async resume (sessionId: string, accepted?: Accepted): Promise<GoalAnswer> {
      const { answer } = await changed('resume', accepted, () => {
        mustHaveGoal(sessionId)
        const turns = maxTurns(sessions.get(sessionId).profile)
        return {
          said: wording.resumed,
          goal: rows.change(sessionId, { status: 'active', pausedReason: null, pausedCode: null, turnsUsed: 0, maxTurns: turns })
        }
      })
      return answer
    },

    /** Clears the goal, if there is one. Throws NotFound. */
    async clear (sessionId: string, accepted?: Accepted): Promise<GoalAnswer> {
      const { answer, goal } = await changed('clear', accepted, () => {
        sessions.get(sessionId)
        const status = rows.find(sessionId)?.status
        if (status === undefined || status === 'cleared') return { said: wording.nothingToClear, goal: undefined }
        return { said: wording.cleared, goal: rows.change(sessionId, { status: 'cleared', continuation: null }) }
      })
      if (goal !== undefined) pursuit.standStill(goal)
      return answer
    },

    /**
     * Sets the goal and starts its first turn, both or neither: if the turn cannot start, or `kickoff` throws, the previous goal stays.
     * Throws NotFound, Forbidden, Invalid (`invalid_goal`) and Conflict (`agent_running`).
     */
    async set (
      text: string, input: Pick<MessageInput, 'sessionId' | 'model' | 'modelProvider' | 'profile' | 'workspace'>, accepted?: Accepted,
      { message: first = text, alongside = () => {} }: Kickoff = {}
    ): Promise<GoalAnswer> {
      const { sessionId } = input
      const { profile, readOnly } = sessions.get(sessionId)
      // In a read-only session, it does not matter whether a turn is running.
      if (readOnly) throw new Forbidden('This session is read-only')
      if (Buffer.byteLength(text) > maxGoalBytes) throw goalTooLong()
      if (chat.isLive(sessionId)) throw running(sessionId)
      const values = newGoal(sessionId, text, maxTurns(profile), epochSeconds(clock))
      const answerWith = (started: StartedTurn): GoalAnswer => ({
        ...goalAnswer('set', wording.set(values), values), kickoffPrompt: first, started
      })
      const message = {
        ...input, message: first, explicitModelPick: false, attachments: [],
        accepted: (started: StartedTurn) => accepted?.(answerWith(started))
      }
      const started = await pursuit.begin(message, (opened) => {
        alongside(opened)
        rows.put(values)
      }).catch((error: unknown) => {
        throw error instanceof Conflict && error.code === undefined ? running(sessionId) : error
      })
      pursuit.stay(sessionId)
      return answerWith(started)
    }
  }
}

const newGoal = (sessionId: string, goal: string, maxTurns: number, nowS: number): GoalRow => ({
  sessionId, goal, status: 'active', turnsUsed: 0, maxTurns, lastVerdict: null, lastReason: null, pausedReason: null,
  pausedCode: null, continuation: null, createdAt: nowS, updatedAt: nowS
})
