import { Type } from '@sinclair/typebox'
import { Closed, Nullable, OneOf } from './shapes.js'

export const PauseCode = OneOf([
  'person', 'turns', 'budget', 'cancelled', 'failed', 'cut_off', 'not_started', 'judge_silent', 'judge_unclear'
])

export const Goal = Closed({
  goal: Type.String(),
  status: OneOf(['active', 'paused', 'done', 'cleared']),
  turns_used: Type.Integer(),
  max_turns: Type.Integer({ description: 'the goal pauses after this many turns' }),
  last_verdict: Nullable(OneOf(['done', 'continue', 'skipped'])),
  last_reason: Nullable(Type.String({ description: 'why the last verdict was given' })),
  paused_reason: Nullable(Type.String({ description: 'why the goal is paused, in English' })),
  paused_code: Nullable(PauseCode)
}, { title: 'Goal' })
