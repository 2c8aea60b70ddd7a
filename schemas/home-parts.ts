import { Type } from '@sinclair/typebox'
import { Closed, Count, Nullable, OneOf } from './common.js'

const causes = ['model', 'command', 'tool', 'sub_agent', 'person'] as const
export const Silent = Closed({
  since: Type.Integer({ description: 'epoch seconds: when the turn last said something' }),
  waiting_for: OneOf(causes, 'the answer of a model; a command that prints nothing; another tool; a sub-agent; a person who is asked'),
  detail: Nullable(Type.String(), 'the model, the command (shortened, credentials masked) or the tool')
}, { title: 'SilentTurn', description: 'what a turn waits for that has said nothing for ten minutes' })

export const HomeCounts = Closed({
  running: Count('turns under way'),
  silent: Count('of these, those that have said nothing for ten minutes'),
  waiting: Count('approvals and questions that wait for a person'),
  queued: Count('messages, runs of jobs and background tasks that wait to begin'),
  ended: Count('chats and jobs whose turns ended since somebody last looked; at most 50'),
  failed: Count('of these, those whose last turn failed')
}, { title: 'HomeCounts', description: 'GET /api/home as numbers' })
