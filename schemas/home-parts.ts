import { Type } from '@sinclair/typebox'
import { Closed, Count, Nullable, OneOf } from './common.js'

const causes = ['model', 'command', 'tool', 'sub_agent', 'person'] as const
export const Silent = Closed({
  since: Type.Integer({ description: 'epoch seconds: when the turn was last active' }),
  waiting_for: OneOf(
    causes,
    'model: the answer of a model; command: a command without output; tool: another ' +
    'tool; sub_agent: a sub-agent; person: the answer of a person'
  ),
  detail: Nullable(Type.String(), 'name of the model or tool, or the command (shortened, credentials masked)')
}, { title: 'SilentTurn', description: 'what a turn that has been silent for ten minutes waits for' })

export const HomeCounts = Closed({
  running: Count('turns under way, including those that wait for a person or for a limit; at most 50'),
  silent: Count('how many of these have been silent for ten minutes'),
  waiting: Count('approvals, questions and turns at a limit that wait for a person; at most 50'),
  queued: Count('messages, runs of jobs and background tasks that wait to start'),
  ended: Count('chats and jobs whose turns ended since someone last looked; at most 50'),
  failed: Count('how many of these ended with a failed turn')
}, { title: 'HomeCounts', description: 'GET /api/home as numbers' })
