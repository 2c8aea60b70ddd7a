import { Type } from '@sinclair/typebox'
import { Anything, Closed, Nullable, OneOf, Seconds } from './common.js'

const Arguments = Type.Unsafe<string | Record<string, unknown>>({
  type: ['string', 'object'], additionalProperties: true,
  description: 'JSON text; imported calls may have the object itself. Its keys are open, because each tool defines its own'
})

/** What the message of an error names. */
export const ErrorAbout = Closed({
  provider: Type.String({ description: 'display name of the provider' }),
  model: Type.Optional(Type.String({ description: 'model_not_found: the model' }))
}, {
  description: 'whom and which model the message names; only if it is the usual sentence of its type, so that a client can say it in its own ' +
    'words. Absent: the message says more, and is shown as it is'
})

const MessageToolCall = Closed({
  id: Type.Optional(Type.String()),
  call_id: Type.Optional(Type.String({ description: 'imported calls: another name of id that some programs use' })),
  type: Type.Optional(Type.String({ description: 'function' })),
  function: Type.Optional(Closed({
    name: Type.Optional(Type.String()),
    arguments: Type.Optional(Arguments)
  }, { title: 'CalledFunction' })),
  name: Type.Optional(Type.String({ description: 'imported calls without `function`: name of the tool' })),
  args: Type.Optional(Arguments)
}, { title: 'MessageToolCall', description: 'A tool call of an assistant message. Calls of this service have id, type and function' })

export const MessageAttachment = Closed({
  name: Type.Optional(Type.String()),
  filename: Type.Optional(Type.String({ description: 'imported files: another name of name that some programs use' })),
  path: Type.Optional(Type.String()),
  mime: Type.Optional(Nullable(Type.String())),
  size: Type.Optional(Nullable(Type.Number(), 'bytes')),
  is_image: Type.Optional(Type.Boolean())
}, { title: 'MessageAttachment', description: 'A file sent with a message. Files of this service have all keys but filename' })

const PartialToolCall = Closed({
  name: Type.Optional(Type.String()),
  tid: Type.Optional(Type.String({ description: 'the id of the call' })),
  args: Type.Optional(Arguments),
  snippet: Type.Optional(Type.String({ description: 'the beginning of the result' })),
  done: Type.Optional(Type.Boolean()),
  is_error: Type.Optional(Type.Boolean()),
  duration: Type.Optional(Type.Number({ description: 'seconds' }))
}, { title: 'PartialToolCall' })

/**
 * Fields that other servers of this API write for their clients: this service only stores and returns them. Objects among them stay open,
 * because the program that wrote them defines their keys, and a conversation that is imported and exported again must not lose any.
 */
const imported = {
  id: Type.Optional(Type.String({ description: 'imported messages: their former id' })),
  tool_use_id: Type.Optional(Type.String({ description: 'imported tool messages: the id of the call' })),
  reasoning_content: Type.Optional(Type.String({ description: 'imported messages: the reasoning' })),
  thinking: Type.Optional(Type.String({ description: 'imported messages: the reasoning' })),
  _reasoning: Type.Optional(Type.String({ description: 'imported messages: the reasoning' })),
  provider_details: Type.Optional(Type.String({ description: 'imported errors: what the provider said' })),
  provider_details_label: Type.Optional(Type.String({ description: 'imported errors: the heading of provider_details' })),
  _partial_tool_calls: Type.Optional(Type.Array(PartialToolCall, { description: 'imported partial answers: their tool calls' })),
  _recovered: Type.Optional(Type.Boolean({ description: 'imported messages: restored after a crash' })),
  _pending_journal_recovery: Type.Optional(Type.Boolean({ description: 'imported messages: restored from a journal' })),
  _gatewayRouting: Type.Optional(Anything('imported messages: how a gateway chose the model; open, because the program that wrote it defines the keys')),
  _compressionRecovery: Type.Optional(Anything('imported errors: the choices after a failed compression; open, because the program that wrote it defines the keys')),
  _statusCard: Type.Optional(Anything('imported messages: a card of the app that wrote it; open, because that app defines the keys')),
  _anchor_activity_scene: Type.Optional(Anything('imported messages: the display state of the app that wrote it; open, because that app defines the keys'))
}

export const Message = Closed({
  role: OneOf(['user', 'assistant', 'tool', 'system']),
  content: Type.Unsafe<string | Array<Record<string, unknown>>>({
    type: ['string', 'array'],
    items: Anything('a part, such as text, image_url, tool_use or tool_result; open, because the provider that wrote it defines the keys'),
    description: 'text; imported messages may have an array of parts'
  }),
  message_id: Type.String(),
  tool_calls: Type.Optional(Type.Array(MessageToolCall, { description: 'of assistant messages' })),
  reasoning: Type.Optional(Type.String({ description: 'of assistant messages' })),
  attachments: Type.Optional(Type.Array(Type.Union([MessageAttachment, Type.String()]), {
    description: 'of user messages; a string is a file name'
  })),
  tool_call_id: Type.Optional(Type.String({ description: 'tool messages: id of the call that this is the result of' })),
  name: Type.Optional(Type.String({ description: 'tool messages: the tool' })),
  is_error: Type.Optional(Type.Boolean({ description: 'tool messages: the call failed' })),
  duration: Type.Optional(Type.Number({ description: 'tool messages: seconds' })),
  finish_reason: Type.Optional(Type.String({ description: 'why the answer was cut short: length, content_filter or budget_exhausted' })),
  hint: Type.Optional(Type.String({ description: 'what to do about finish_reason' })),
  timestamp: Seconds(),
  _ts: Seconds('the same as timestamp'),
  _source: Type.Optional(Type.String({
    description: 'where the message comes from. steer: typed into a running turn; goal: sent for a goal; cron: message or result of a ' +
      'scheduled job; check: results of checks that ran automatically; review, checks, pull_request: review comments, check results or ' +
      'fixes for a pull request that a person sent and the service worded; absent: typed by a person'
  })),
  _active_turn_user: Type.Optional(Type.Boolean({ description: 'the running turn answers this message' })),
  _partial: Type.Optional(Type.Boolean({ description: 'the answer was cut short by a cancel or a crash' })),
  _error: Type.Optional(Type.Boolean({ description: 'the message is an error, which the model never sees' })),
  _errorAbout: Type.Optional(ErrorAbout),
  _unreadable: Type.Optional(Type.Boolean({ description: 'stands for a message that is damaged, or too large to show' })),
  _usedModel: Type.Optional(Type.String({ description: 'the last message of a turn: the model that answered' })),
  _usedProvider: Type.Optional(Type.String({ description: 'the last message of a turn: the provider of that model' })),
  _turnDuration: Type.Optional(Type.Number({ description: 'the last message of a turn: how many seconds it took' })),
  _turnTps: Type.Optional(Type.Number({ description: 'the last message of a turn: tokens per second' })),
  _firstTokenMs: Type.Optional(Type.Number({ description: 'the last message of a turn: milliseconds until its first token' })),
  ...imported
}, { title: 'Message', description: 'A message of a transcript, in chat-completions form' })

export const ToolCard = Closed({
  name: Type.String(),
  snippet: Type.String({ description: 'the beginning of the result' }),
  tid: Type.String({ description: 'the id of the call' }),
  assistant_msg_idx: Type.Integer({ description: 'index, in the whole transcript, of the message that made the call; -1 if unknown' }),
  args: Type.Record(Type.String(), Type.String(), { description: 'arguments by name; long ones are cut' }),
  is_error: Type.Optional(Type.Boolean()),
  done: Type.Optional(Type.Boolean()),
  duration: Type.Optional(Type.Number({ description: 'seconds' }))
}, { title: 'ToolCard', description: 'A tool call, as its card shows it' })

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
}, { title: 'TodoState', description: 'the complete to-do list; each frame replaces the one before' })
