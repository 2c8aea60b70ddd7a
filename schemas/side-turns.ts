import { Type } from '@sinclair/typebox'
import { Closed, Id, Nullable, OneOf, Seconds } from './common.js'
import { Started } from './chat.js'

const text = (description: string) => Type.String({ maxLength: 4_000_000, description })

export const Goal = Closed({
  goal: Type.String(),
  status: Type.String({ description: 'active, paused, done or cleared' }),
  turns_used: Type.Integer(),
  max_turns: Type.Integer(),
  last_verdict: Nullable(Type.String({ description: 'done, continue or skipped' })),
  last_reason: Nullable(Type.String()),
  paused_reason: Nullable(Type.String())
}, { title: 'Goal' })
export const GoalBody = Type.Object({
  session_id: Id('session'),
  args: Type.Optional(text('empty or status; pause; resume; clear, stop or done; anything else is the goal')),
  text: Type.Optional(text('another name of args')),
  model: Type.Optional(Type.String()),
  model_provider: Type.Optional(Type.String()),
  profile: Type.Optional(Type.String()),
  workspace: Type.Optional(Type.String({ minLength: 1 }))
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

export const BtwBody = Type.Object({ session_id: Id('session'), question: text('what to answer on the side') })
export const BtwAnswer = Closed({
  stream_id: Type.String(),
  session_id: Type.String({ description: 'a hidden session that is thrown away' }),
  parent_session_id: Type.String()
}, { title: 'BtwAnswer' })

export const BackgroundBody = Type.Object({ session_id: Id('session'), prompt: text('what to do') })
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
  }), { description: 'each result is told once' })
}, { title: 'BackgroundResults' })
