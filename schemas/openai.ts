import { Type, type TProperties } from '@sinclair/typebox'
import { Closed, EventStream, Flag, Nullable, OneOf } from './common.js'

/** Keys that OpenAI has and this service does not know are taken and passed over; what cannot be had is refused in the route. */
const model = Type.Optional(Type.String({
  minLength: 1, maxLength: 300, description: '`agent` for the usual one, or an id of GET /v1/models'
}))
const stream = Type.Optional(Type.Boolean())
const Incoming = Type.Object({
  type: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  content: Type.Optional(Type.Unknown({ description: 'text, or a list of text parts' }))
}, { description: 'a message with the role system, developer, user or assistant' })
const most = { minItems: 1, maxItems: 20_000 }

export const CompletionBody = Type.Object({
  model,
  messages: Type.Array(Incoming, most),
  stream,
  stream_options: Type.Optional(Type.Object({ include_usage: Type.Optional(Type.Boolean()) }))
}, { title: 'CompletionBody' })
export const ResponseBody = Type.Object({
  model,
  input: Type.Union([Type.String({ minLength: 1, maxLength: 4_000_000 }), Type.Array(Incoming, most)]),
  instructions: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  previous_response_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 512 }), { maxProperties: 16 })),
  background: Type.Optional(Type.Boolean({ description: 'true: it goes on without its client, and is read with GET /v1/responses/{id}' })),
  stream
}, { title: 'ResponseBody' })

export const ResponseParams = Type.Object({ response: Type.String({ minLength: 1, maxLength: 200 }) })
export const ResponseQuery = Type.Object({
  stream: Flag('its events, as they come'),
  starting_after: Type.Optional(Type.String({
    pattern: '^[0-9]{1,9}$', description: 'with `stream`: the `sequence_number` of the last event that arrived'
  }))
})

export const OpenAiHeaders = Type.Object({
  'x-session-id': Type.Optional(Type.String({
    minLength: 1, maxLength: 200, description: 'the conversation to go on with; each answer names its own in the same header'
  })),
  'x-agent-ask': Type.Optional(Type.String({
    enum: ['deny', 'wait'],
    description: 'deny (the default): what would be asked is denied. wait: it is a card in the app, and the answer waits for it'
  })),
  'x-agent-tools': Type.Optional(Type.String({
    enum: ['hidden', 'text'], description: 'hidden (the default), or text: each call of a tool is a line of the answer'
  }))
})

const Failed = Closed({
  error: Closed({
    message: Type.String(),
    type: Type.String(),
    param: Type.Null(),
    code: Nullable(Type.String())
  })
}, { title: 'OpenAiError', description: 'an error as clients of OpenAI expect it' })
const failing = [400, 401, 403, 404, 409, 413, 415, 429, 500, 502, 503] as const
export const openAiErrors = Object.fromEntries(failing.map((status) => [status, Failed]))

export const ModelEntry = Closed({
  id: Type.String(), object: Type.Literal('model'), created: Type.Integer(), owned_by: Type.String()
}, { title: 'OpenAiModel' })
export const ModelEntries = Closed({ object: Type.Literal('list'), data: Type.Array(ModelEntry) }, { title: 'OpenAiModels' })
export const ModelParams = Type.Object({ model: Type.String() })

const tokens = (...names: string[]) => Closed(Object.fromEntries(names.map((name) => [name, Type.Integer()])))
const finish = Nullable(OneOf(['stop', 'length', 'content_filter']))
const CompletionUsage = Closed({
  prompt_tokens: Type.Integer(),
  completion_tokens: Type.Integer(),
  total_tokens: Type.Integer(),
  prompt_tokens_details: tokens('cached_tokens', 'audio_tokens'),
  completion_tokens_details: tokens('reasoning_tokens', 'audio_tokens', 'accepted_prediction_tokens', 'rejected_prediction_tokens')
})
const Completion = Closed({
  id: Type.String(),
  object: Type.Literal('chat.completion'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(Closed({
    index: Type.Integer(),
    message: Closed({ role: Type.Literal('assistant'), content: Type.String(), refusal: Type.Null() }),
    logprobs: Type.Null(),
    finish_reason: finish
  })),
  usage: CompletionUsage
}, { title: 'Completion' })
const CompletionChunk = Closed({
  id: Type.String(),
  object: Type.Literal('chat.completion.chunk'),
  created: Type.Integer(),
  model: Type.String(),
  choices: Type.Array(Closed({
    index: Type.Integer(),
    delta: Closed({ role: Type.Optional(Type.Literal('assistant')), content: Type.Optional(Type.String()) }),
    logprobs: Type.Null(),
    finish_reason: finish
  })),
  usage: Type.Optional(CompletionUsage)
}, { title: 'CompletionChunk' })

const TextPart = Closed({
  type: Type.Literal('output_text'), text: Type.String(), annotations: Type.Tuple([]), logprobs: Type.Tuple([])
}, { title: 'OpenAiTextPart' })
const OutputMessage = Closed({
  type: Type.Literal('message'),
  id: Type.String(),
  status: OneOf(['in_progress', 'completed', 'incomplete']),
  role: Type.Literal('assistant'),
  content: Type.Array(TextPart)
}, { title: 'OpenAiOutputMessage' })
const Response = Closed({
  id: Type.String(),
  object: Type.Literal('response'),
  created_at: Type.Integer(),
  status: OneOf(['in_progress', 'completed', 'incomplete', 'failed', 'cancelled']),
  background: Type.Boolean(),
  error: Nullable(Closed({ code: Type.String(), message: Type.String() })),
  incomplete_details: Nullable(Closed({ reason: OneOf(['content_filter', 'max_output_tokens']) })),
  instructions: Nullable(Type.String()),
  max_output_tokens: Type.Null(),
  model: Type.String(),
  output: Type.Array(OutputMessage),
  parallel_tool_calls: Type.Boolean(),
  previous_response_id: Nullable(Type.String()),
  reasoning: Closed({ effort: Type.Null(), summary: Type.Null() }),
  store: Type.Boolean(),
  temperature: Type.Null(),
  text: Closed({ format: Closed({ type: Type.Literal('text') }) }),
  tool_choice: Type.Literal('auto'),
  tools: Type.Tuple([]),
  top_p: Type.Null(),
  truncation: Type.Literal('disabled'),
  usage: Nullable(Closed({
    input_tokens: Type.Integer(),
    input_tokens_details: tokens('cached_tokens'),
    output_tokens: Type.Integer(),
    output_tokens_details: tokens('reasoning_tokens'),
    total_tokens: Type.Integer()
  })),
  user: Type.Null(),
  metadata: Type.Record(Type.String(), Type.String(), { description: 'as the request has it, and session_id' })
}, { title: 'OpenAiResponse' })

const responseFrame = <Event extends string, More extends TProperties>(type: Event, more: More) =>
  [type, Closed({ type: Type.Literal(type), sequence_number: Type.Integer(), ...more })] as const
const whole = { response: Response }
const item = { output_index: Type.Integer(), item: OutputMessage }
const place = { item_id: Type.String(), output_index: Type.Integer(), content_index: Type.Integer() }
const part = { ...place, part: TextPart }
const responseFrames = Object.fromEntries([
  responseFrame('response.created', whole),
  responseFrame('response.in_progress', whole),
  responseFrame('response.output_item.added', item),
  responseFrame('response.content_part.added', part),
  responseFrame('response.output_text.delta', { ...place, delta: Type.String(), logprobs: Type.Tuple([]) }),
  responseFrame('response.output_text.done', { ...place, text: Type.String(), logprobs: Type.Tuple([]) }),
  responseFrame('response.content_part.done', part),
  responseFrame('response.output_item.done', item),
  responseFrame('response.completed', whole),
  responseFrame('response.incomplete', whole),
  responseFrame('response.failed', whole)
])

/** Whole, or word by word where `stream` asks for it. */
export const CompletionAnswer = {
  description: 'the answer; with `stream` its pieces, and [DONE] after the last',
  content: {
    'application/json': { schema: Completion },
    'text/event-stream': { schema: Type.Unsafe<unknown>({ title: 'CompletionEvent', anyOf: [Closed({ data: CompletionChunk }), Closed({ data: Failed })] }) }
  }
}
export const ResponseAnswer = {
  description: 'the answer; with `stream` its events',
  content: { 'application/json': { schema: Response }, ...EventStream('ResponseEvent', responseFrames).content }
}
export const ResponseWhole = { description: 'the response', content: { 'application/json': { schema: Response } } }
