import { Type } from '@sinclair/typebox'
import { AttachmentInput, ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'
import { EffortWish } from './models.js'
import { MessageAttachment } from './sessions-messages.js'

/** Why a queue does not continue by itself. */
export const Held = Nullable(Closed({
  reason: OneOf(
    ['failed', 'cancelled', 'budget', 'restored', 'waiting', 'limit'],
    'the last turn failed, was stopped, or has used up a budget, or a backup was restored: `resume` goes on. waiting: the running turn waits for a person, limit: for the limit of a provider to pass, and the queue goes on after it'
  )
}), 'null: it goes on by itself')

export const QueuedMessage = Closed({
  id: Type.String(),
  message: Type.String({ description: 'as it was typed; to a token of the scope `read` with credentials masked' }),
  attachments: Type.Array(MessageAttachment),
  created_at: Seconds(),
  not_before: Nullable(Seconds(), 'epoch seconds; null: as soon as the turns before it have settled'),
  version: Type.Integer({ description: 'another one after every change of it' }),
  model: Type.Optional(Type.String({ description: 'what it was sent with; absent: what the session has when it begins' })),
  model_provider: Type.Optional(Type.String()),
  explicit_model_pick: Type.Optional(Type.Boolean()),
  effort: Type.Optional(EffortWish('as it was sent; absent: what the profile has when it begins')),
  personality: Type.Optional(Type.String({ description: 'as it was sent; absent: that of the session when it begins' })),
  workspace: Type.Optional(Type.String())
}, { title: 'QueuedMessage' })

export const Queue = Closed({
  queue: Type.Array(QueuedMessage, { description: 'the next one first' }), held: Held
}, { title: 'Queue', description: 'What begins in a session after its running turn' })

const queueActions = ['add', 'edit', 'move', 'remove', 'send_now', 'resume', 'clear'] as const

export const QueueBody = Type.Object({
  session_id: Id('session'),
  action: OneOf(queueActions, 'send_now hands the message to the running turn, or begins it; resume goes on with a queue that is held; clear removes all'),
  id: Maybe(Type.String({ maxLength: 200, description: 'the message; not for add, resume and clear' })),
  message: Maybe(Type.String({ maxLength: 4_000_000, description: 'add, edit: not blank' })),
  index: Maybe(Type.Integer({ minimum: 0, description: 'add, move: its place, from 0; default: the end' })),
  version: Maybe(Type.Integer({
    description: 'edit, move, remove, send_now: the version of the message that is meant; clear: the highest one that is known. Absent: whatever is there'
  })),
  attachments: Maybe(Type.Array(AttachmentInput, { description: 'add, edit: only the first 20 are used; absent in an edit: they stay' })),
  not_before: Maybe(Type.Number({ minimum: 0, description: 'add: epoch seconds' })),
  model: Maybe(Type.String({ description: 'add, as this and the next two of POST /api/chat/start' })),
  model_provider: Maybe(Type.String()),
  explicit_model_pick: Maybe(Type.Boolean()),
  effort: Maybe(EffortWish('add, edit: how much the model thinks in its turn; empty: as the model does by itself; absent: what the profile has')),
  personality: Maybe(Type.String({ maxLength: 200, description: 'add, edit: the personality of its turn; empty or none: without one; absent: that of the session' })),
  workspace: Maybe(Type.String({ minLength: 1 })),
  client_id: ClientId()
})

export const QueueAnswer = Closed({
  ok: Type.Literal(true),
  id: Type.Optional(Type.String({ description: 'of the message that was added' })),
  sent: Type.Optional(OneOf(
    ['started', 'steered', 'next'],
    'send_now: a turn has begun with it; the running turn has it; or that could not take it, and it is the next one'
  )),
  ...Queue.properties
}, { title: 'QueueAnswer', description: 'What was done, and the queue as it is now' })
