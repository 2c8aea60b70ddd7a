import { type StartedTurn } from '../chat/index.js'
import { Conflict, Invalid } from '../../ground/errors.js'
import { type GoalRow } from './rows.js'
import * as wire from './wire.js'
import { type Sentence } from './wording.js'

/** The answer to an operation on a goal; `started` is the turn that it has begun. */
export interface GoalAnswer {
  action: 'status' | 'pause' | 'resume' | 'clear' | 'set'
  message: string
  messageKey: string
  goal: wire.GoalWire | null
  kickoffPrompt?: string
  started?: StartedTurn
}

export const maxGoalBytes = 64 * 1024

export function goalAnswer (action: GoalAnswer['action'], said: Sentence, goal: GoalRow | undefined): GoalAnswer {
  return {
    action, message: said.message, messageKey: said.key, goal: goal === undefined || goal.status === 'cleared' ? null : wire.toWire(goal)
  }
}

export function noGoal (): Invalid {
  return new Invalid('no_goal', 'no_goal', {
    ok: false, action: 'error', message: 'This session has no active goal.', message_key: 'goal_no_goal', goal: null
  })
}

export function goalTooLong (): Invalid {
  return new Invalid('invalid_goal', 'invalid_goal', {
    ok: false, action: 'error', message: `A goal has at most ${maxGoalBytes / 1024} KiB.`, goal: null
  })
}

/** `goal`: the session's present goal. */
export function agentRunning (goal: GoalRow | undefined, streamId: string | null): Conflict {
  return new Conflict('agent_running', 'agent_running', {
    ok: false, action: 'error', message: 'A turn is running in this session. Wait for it or stop it, then set the goal.',
    goal: goal === undefined ? null : wire.toWire(goal), active_stream_id: streamId
  })
}
