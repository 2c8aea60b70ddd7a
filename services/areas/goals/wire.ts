import { type Static } from '@sinclair/typebox'
import { type Goal } from '../../../schemas/goals-state.js'
import { type goalFrames } from '../../../schemas/goals.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { pauseCodeOf } from './pauses.js'
import { type GoalRow } from './rows.js'
import { type Sentence } from './wording.js'

const frame = framesOf<typeof goalFrames>()

export type GoalWire = Static<typeof Goal>

export function toWire (row: GoalRow): GoalWire {
  const { goal, status, turnsUsed, maxTurns, lastVerdict, lastReason, pausedReason } = row
  return {
    goal, status, turns_used: turnsUsed, max_turns: maxTurns, last_verdict: lastVerdict, last_reason: lastReason,
    paused_reason: pausedReason, paused_code: pauseCodeOf(row)
  }
}

/** The frame with the state of a goal. */
export function goalFrame (state: 'evaluating' | 'continuing' | 'idle', goal: GoalRow, said: Sentence): NewFrame {
  return frame('goal', {
    session_id: goal.sessionId, state, message: said.message, message_key: said.key, message_args: said.args ?? {},
    goal: toWire(goal), ...(state === 'evaluating' ? {} : { decision: decisionOf(goal, said) })
  })
}

/** The frame that tells clients which message continues the goal, if they want to send it themselves. */
export function continueFrame (goal: GoalRow, said: Sentence): NewFrame {
  return frame('goal_continue', {
    session_id: goal.sessionId, continuation_prompt: goal.continuation, text: goal.continuation, message: said.message,
    message_key: said.key,
    message_args: said.args ?? {}, decision: decisionOf(goal, said)
  })
}

function decisionOf (goal: GoalRow, said: Sentence) {
  return {
    status: goal.status, should_continue: goal.status === 'active' && goal.continuation !== null, continuation_prompt: goal.continuation,
    verdict: goal.lastVerdict, reason: goal.lastReason, message: said.message, message_key: said.key, message_args: said.args ?? {}
  }
}
