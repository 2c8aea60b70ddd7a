import { Type } from '@sinclair/typebox'
import { Started } from './chat.js'
import { ClientId, Closed, Id, Nullable, OneOf } from './common.js'
import { Goal } from './goals-state.js'

const text = (description: string) => Type.String({ maxLength: 4_000_000, description })

export const GoalBody = Type.Object({
  session_id: Id('session'),
  args: Type.Optional(text('empty or `status`; `pause`; `resume`; `clear`, `stop` or `done`; any other text is a new goal')),
  text: Type.Optional(text('another name for args')),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  profile: Type.Optional(Type.String({ description: 'the profile of the session; empty: the active profile' })),
  workspace: Type.Optional(Type.String({ minLength: 1 })),
  client_id: ClientId()
})
export const GoalAnswer = Closed({
  ok: Type.Boolean(),
  action: OneOf(['status', 'pause', 'resume', 'clear', 'set']),
  message: Type.String(),
  message_key: Type.String(),
  goal: Nullable(Goal),
  kickoff_prompt: Type.Optional(Type.String({ description: 'the message of the turn that was started' })),
  ...Type.Partial(Started).properties
}, { title: 'GoalAnswer' })

const said = {
  message: Type.String(),
  message_key: Type.String({ description: 'key of the message, for translations' }),
  message_args: Type.Record(Type.String(), Type.Unsafe<string | number>({ type: ['string', 'number'] }))
}
const GoalDecision = Closed({
  status: Goal.properties.status,
  should_continue: Type.Boolean(),
  continuation_prompt: Nullable(Type.String()),
  verdict: Goal.properties.last_verdict,
  reason: Nullable(Type.String()),
  ...said
}, { title: 'GoalDecision' })

/** Frames on the stream of the turn after which a goal is judged. */
export const goalFrames = {
  goal: Closed({
    session_id: Type.String(),
    state: OneOf(['evaluating', 'continuing', 'idle']),
    ...said,
    goal: Goal,
    decision: Type.Optional(GoalDecision)
  }, { title: 'GoalState', description: 'the state of the goal after this turn' }),
  goal_continue: Closed({
    session_id: Type.String(),
    continuation_prompt: Nullable(Type.String()),
    text: Nullable(Type.String({ description: 'the same as continuation_prompt' })),
    ...said,
    decision: GoalDecision
  }, { title: 'GoalContinue', description: 'the message of the next turn, which starts automatically' })
}
