import { type Static } from '@sinclair/typebox'
import { type GoalAnswer } from '../../schemas/goals.js'
import { startedToWire } from '../../services/areas/chat/index.js'
import { type GoalAnswer as GoalOutcome } from '../../services/areas/goals/index.js'
import { type Sessions } from '../../services/areas/sessions/index.js'

/** Returns the answer of an operation on a goal. */
export function goalAnswerToWire (
  sessions: Pick<Sessions, 'shown'>, { action, message, messageKey, goal, kickoffPrompt, started }: GoalOutcome
): Static<typeof GoalAnswer> {
  return {
    ok: true,
    action,
    ...sessions.shown({ message, message_key: messageKey }),
    goal: goal === null ? null : { ...sessions.shown(goal), goal: goal.goal },
    ...(kickoffPrompt === undefined ? {} : { kickoff_prompt: kickoffPrompt }),
    ...(started === undefined ? {} : startedToWire(started))
  }
}
