import { Type } from '@sinclair/typebox'
import { ClientId, Closed, Id, Nullable, OneOf, Seconds } from './common.js'
import { Started } from './chat.js'
import { Goal } from './goals.js'

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

export const BtwBody = Type.Object({ session_id: Id('session'), question: text('the question'), client_id: ClientId() })
export const BtwAnswer = Closed({
  stream_id: Type.String(),
  session_id: Type.String({ description: 'a hidden session, deleted after the answer' }),
  parent_session_id: Type.String()
}, { title: 'BtwAnswer' })

export const BackgroundBody = Type.Object({ session_id: Id('session'), prompt: text('the task'), client_id: ClientId() })
export const BackgroundAnswer = Closed({
  task_id: Type.String({ description: '8 hex digits' }),
  stream_id: Type.String(),
  session_id: Type.String({ description: 'a hidden session' }),
  parent_session_id: Type.String()
}, { title: 'BackgroundAnswer' })
export const BackgroundResults = Closed({
  results: Type.Array(Closed({
    task_id: Type.String(),
    prompt: Type.String(),
    answer: Type.String(),
    completed_at: Seconds()
  }), { description: 'new results; each is returned once' })
}, { title: 'BackgroundResults' })

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
