import { Type } from '@sinclair/typebox'
import { AttachmentInput, ClientId, Closed, Id, Maybe, Nullable, OneOf, Seconds } from './common.js'
import { EffortWish } from './models.js'
import { MessageAttachment } from './sessions-messages.js'

const storedHolds = ['failed', 'cancelled', 'budget', 'restored'] as const

/** Why a queue does not continue by itself. */
export const Held = Nullable(Closed({
  reason: OneOf(
    [...storedHolds, 'waiting', 'limit'],
    'failed, cancelled, budget, restored: the last turn failed, was stopped or used up a budget, or a backup was restored; ' +
    'the action `resume` continues. waiting, limit: the running turn waits for a person or for the limit of a provider; the ' +
    'queue continues after it'
  )
}), 'why the queue is held; null: it continues automatically')

export const QueuedMessage = Closed({
  id: Type.String(),
  message: Type.String({ description: 'the message as typed; credentials are masked for tokens with the scope `read`' }),
  attachments: Type.Array(MessageAttachment),
  created_at: Seconds(),
  not_before: Nullable(
    Seconds(), 'epoch seconds: the message starts then at the earliest; null: as soon as the turns before it have ended'
  ),
  version: Type.Integer({ description: 'version of the message; increases with every change' }),
  model: Type.Optional(Type.String({ description: 'model that it was sent with; absent: that of the session when it starts' })),
  model_provider: Type.Optional(Type.String()),
  explicit_model_pick: Type.Optional(Type.Boolean()),
  effort: Type.Optional(EffortWish('reasoning effort that it was sent with; absent: that of the profile when it starts')),
  personality: Type.Optional(Type.String({ description: 'personality that it was sent with; absent: that of the session when it starts' })),
  workspace: Type.Optional(Type.String())
}, { title: 'QueuedMessage' })

export const Queue = Closed({
  queue: Type.Array(QueuedMessage, { description: 'the next one first' }), held: Held
}, { title: 'Queue', description: 'The messages that wait in a session for its running turn' })

const queueActions = ['add', 'edit', 'move', 'remove', 'send_now', 'resume', 'clear'] as const

export const QueueBody = Type.Object({
  session_id: Id('session'),
  action: OneOf(
    queueActions,
    'send_now: gives the message to the running turn if it is only a text, or starts a turn with it; ' +
    'resume: continues a held queue; clear: removes all messages'
  ),
  id: Maybe(Type.String({ maxLength: 200, description: 'id of the message; not for add, resume and clear' })),
  message: Maybe(Type.String({ maxLength: 4_000_000, description: 'add, edit: not blank' })),
  index: Maybe(Type.Integer({ minimum: 0, description: 'add, move: position in the queue, counted from 0; default: the end' })),
  version: Maybe(Type.Integer({
    description: 'edit, move, remove, send_now: the version of the message; clear: the highest version that you know. Absent: any version'
  })),
  attachments: Maybe(Type.Array(AttachmentInput, { description: 'add, edit: only the first 20 are used; absent in an edit: unchanged' })),
  not_before: Maybe(Type.Number({ minimum: 0, description: 'add, edit: epoch seconds before which the message does not start; 0 in an edit: no time' })),
  held: Maybe(OneOf(storedHolds, 'add: the queue is held for this reason afterwards; to restore messages of a held queue that were removed')),
  model: Maybe(Type.String({ description: 'add, edit: this and the next two fields are as in POST /api/chat/start; absent in an edit: ' +
    'unchanged; empty in an edit: that of the session' })),
  model_provider: Maybe(Type.String()),
  explicit_model_pick: Maybe(Type.Boolean()),
  effort: Maybe(EffortWish('add, edit: reasoning effort of its turn; empty: the default of the model; absent: that of the profile')),
  personality: Maybe(Type.String({
    maxLength: 200, description: 'add, edit: personality of its turn; empty or none: no personality; absent: that of the session'
  })),
  workspace: Maybe(Type.String({ minLength: 1, description: 'add, edit: folder of its turn; absent in an edit: unchanged' })),
  client_id: ClientId()
})

export const QueueAnswer = Closed({
  ok: Type.Literal(true),
  id: Type.Optional(Type.String({ description: 'id of the message that was added' })),
  sent: Type.Optional(OneOf(
    ['started', 'steered', 'next'],
    'result of send_now. started: a turn started with it; steered: the running turn got it; next: the running turn could not take it, ' +
    'and it is next in the queue'
  )),
  ...Queue.properties
}, { title: 'QueueAnswer', description: 'The result, and the queue after the change' })
