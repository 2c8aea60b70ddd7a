import { Type, type ObjectOptions, type TProperties } from '@sinclair/typebox'
import { Anything, Closed, Nullable, OneOf, Seconds } from './common.js'

/** What somebody else has sent may hold more, and less. */
const Open = <P extends TProperties>(properties: P, options: ObjectOptions) =>
  Type.Object(properties, { additionalProperties: true, ...options })

const MessageToolCall = Open({
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.String({ description: 'function' })),
  function: Type.Optional(Open({
    name: Type.Optional(Type.String()),
    arguments: Type.Optional(Type.Unsafe<string | Record<string, unknown>>({
      type: ['string', 'object'], additionalProperties: true, description: 'JSON, as a text; imports may have the object itself'
    }))
  }, { title: 'CalledFunction' }))
}, { title: 'MessageToolCall', description: 'a call that a row of the assistant makes; those of this service have all keys' })

const MessageAttachment = Open({
  name: Type.Optional(Type.String()),
  path: Type.Optional(Type.String()),
  mime: Type.Optional(Nullable(Type.String())),
  size: Type.Optional(Nullable(Type.Number(), 'bytes')),
  is_image: Type.Optional(Type.Boolean())
}, { title: 'MessageAttachment', description: 'a file that went with a message; those of this service have all keys' })

export const Message = Closed({
  role: OneOf(['user', 'assistant', 'tool', 'system']),
  content: Type.Unsafe<string | Array<Record<string, unknown>>>({
    type: ['string', 'array'], items: Anything('a part: text, image_url, …')
  }),
  message_id: Type.String(),
  tool_calls: Type.Optional(Type.Array(MessageToolCall, { description: 'rows of the assistant' })),
  reasoning: Type.Optional(Type.String({ description: 'rows of the assistant' })),
  attachments: Type.Optional(Type.Array(Type.Union([MessageAttachment, Type.String()]), { description: 'rows of the user' })),
  tool_call_id: Type.Optional(Type.String({ description: 'tool rows: the call that this is the result of' })),
  name: Type.Optional(Type.String({ description: 'tool rows: the tool' })),
  is_error: Type.Optional(Type.Boolean({ description: 'tool rows: the call has failed' })),
  duration: Type.Optional(Type.Number({ description: 'tool rows: seconds' })),
  finish_reason: Type.Optional(Type.String({ description: 'the answer was cut short: length, content_filter or budget_exhausted' })),
  hint: Type.Optional(Type.String({ description: 'with finish_reason: what to do about it' })),
  timestamp: Seconds(),
  _ts: Seconds('the same'),
  _source: Type.Optional(Type.String({
    description: 'steer: typed into a running turn; goal: sent for a goal; cron: the message, or the result, of a scheduled job'
  })),
  _active_turn_user: Type.Optional(Type.Boolean({ description: 'the message that is being answered' })),
  _partial: Type.Optional(Type.Boolean({ description: 'the part of an answer that was cut off by a cancel or a crash' })),
  _error: Type.Optional(Type.Boolean({ description: 'says what went wrong; the model is never shown it' })),
  _unreadable: Type.Optional(Type.Boolean({ description: 'stands for a row that is damaged, or too large to be shown' })),
  _usedModel: Type.Optional(Type.String({ description: 'the last row of a turn: what has answered' })),
  _usedProvider: Type.Optional(Type.String()),
  _turnDuration: Type.Optional(Type.Number({ description: 'the last row of a turn: seconds it has taken' })),
  _turnTps: Type.Optional(Type.Number({ description: 'the last row of a turn: tokens per second' })),
  _firstTokenMs: Type.Optional(Type.Number({ description: 'the last row of a turn: milliseconds until its first token' }))
}, {
  title: 'Message', additionalProperties: true,
  description: 'A transcript row in chat-completions form; those that were brought in may have more keys'
})

export const ToolCard = Closed({
  name: Type.String(),
  snippet: Type.String(),
  tid: Type.String(),
  assistant_msg_idx: Type.Integer({ description: 'index of the calling row in the whole transcript; -1 when unknown' }),
  args: Type.Record(Type.String(), Type.String()),
  is_error: Type.Optional(Type.Boolean()),
  done: Type.Optional(Type.Boolean()),
  duration: Type.Optional(Type.Number({ description: 'seconds' }))
}, {
  title: 'ToolCard', additionalProperties: true,
  description: 'A call of a tool as its card shows it; those of sessions that were brought in may have more keys'
})

export const TodoState = Closed({
  session_id: Type.String(),
  stream_id: Type.String(),
  source: Type.Literal('tool'),
  ts: Seconds(),
  todos: Type.Array(Closed({
    id: Type.String(), content: Type.String(), status: OneOf(['pending', 'in_progress', 'completed', 'cancelled'])
  })),
  summary: Closed({
    total: Type.Integer(), pending: Type.Integer(), in_progress: Type.Integer(), completed: Type.Integer(), cancelled: Type.Integer()
  }),
  version: Type.Integer()
}, { title: 'TodoState', description: 'the whole list of things to do, each time' })
