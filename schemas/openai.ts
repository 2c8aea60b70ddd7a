import { Type, type TProperties } from '@sinclair/typebox'
import { Anything, Closed, EventStream, Flag, Maybe, Nullable, OneOf } from './common.js'

/** The route refuses unsupported features and unknown keys; docs/openai.md lists them all. */
const model = Type.Optional(Type.String({
  minLength: 1, maxLength: 300, description: '`agent` for the default model, or an id of GET /v1/models'
}))
const stream = Type.Optional(Type.Boolean())
const Incoming = Type.Object({
  type: Type.Optional(Type.String()),
  role: Type.Optional(Type.String()),
  content: Type.Optional(Type.Unknown({ description: 'text, or a list of parts: texts, and images of the user' }))
}, { description: 'a message, a call of a client tool (function_call) or its result (function_call_output)' })
const most = { minItems: 1, maxItems: 20_000 }
const ofClient = {
  tools: Type.Optional(Type.Unknown({ description: 'functions that the client runs; the answer contains the calls' })),
  tool_choice: Type.Optional(Type.Unknown()),
  parallel_tool_calls: Type.Optional(Type.Boolean())
}
/** Values are checked with the other parameters, for errors in the form of OpenAI. */
const Tokens = Type.Optional(Type.Number({ description: 'output tokens of all model calls of the turn together' }))
const toModel = {
  temperature: Type.Optional(Type.Number({ description: 'from 0 to 2' })),
  top_p: Type.Optional(Type.Number({ description: 'from 0 to 1' })),
  store: Type.Optional(Type.Boolean({ description: 'false: the conversation is removed with the end of the answer' }))
}

export const CompletionBody = Type.Object({
  model,
  messages: Type.Array(Incoming, most),
  stream,
  stream_options: Type.Optional(Type.Object({ include_usage: Maybe(Type.Boolean()) })),
  ...ofClient,
  ...toModel,
  frequency_penalty: Type.Optional(Type.Number({ description: 'from -2 to 2' })),
  presence_penalty: Type.Optional(Type.Number({ description: 'from -2 to 2' })),
  seed: Type.Optional(Type.Number()),
  max_tokens: Tokens,
  max_completion_tokens: Tokens,
  verbosity: Type.Optional(Type.String({ description: 'low, medium or high' })),
  response_format: Type.Optional(Type.Unknown({ description: 'text, json_object or json_schema' })),
  reasoning_effort: Type.Optional(Type.String())
}, { title: 'CompletionBody' })
export const ResponseBody = Type.Object({
  model,
  input: Type.Union([Type.String({ minLength: 1, maxLength: 4_000_000 }), Type.Array(Incoming, most)]),
  instructions: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  previous_response_id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  metadata: Type.Optional(Type.Record(Type.String(), Type.String({ maxLength: 512 }), { maxProperties: 16 })),
  background: Type.Optional(Type.Boolean({
    description: 'true: the response continues without its client; read it with GET /v1/responses/{id}'
  })),
  stream,
  ...ofClient,
  ...toModel,
  max_output_tokens: Tokens,
  text: Type.Optional(Type.Object({
    format: Type.Optional(Type.Unknown({ description: 'text, json_object or json_schema' })),
    verbosity: Maybe(Type.String({ description: 'low, medium or high' }))
  })),
  reasoning: Type.Optional(Type.Object({ effort: Maybe(Type.String()) }))
}, { title: 'ResponseBody' })

export const ResponseParams = Type.Object({ response: Type.String({ minLength: 1, maxLength: 200 }) })
export const ResponseQuery = Type.Object({
  stream: Flag('return its events as they arrive'),
  starting_after: Type.Optional(Type.String({
    pattern: '^[0-9]{1,9}$', description: 'with `stream`: the `sequence_number` of the last event that you have'
  }))
})

export const OpenAiHeaders = Type.Object({
  'x-session-id': Type.Optional(Type.String({
    minLength: 1, maxLength: 200, description: 'the session to continue; each answer has this header with its session'
  })),
  'x-agent-ask': Type.Optional(Type.String({
    enum: ['deny', 'wait'],
    description: 'deny (default): calls that need an approval are refused; wait: the answer waits for a person, who decides in the app'
  })),
  'x-agent-tools': Type.Optional(Type.String({
    enum: ['hidden', 'text'], description: 'hidden (default); text: each tool call is a line of the answer'
  }))
})

const Failed = Closed({
  error: Closed({
    message: Type.String(),
    type: Type.String(),
    param: Nullable(Type.String()),
    code: Nullable(Type.String())
  })
}, { title: 'OpenAiError', description: 'an error in the form that clients of OpenAI expect' })
const failing = [400, 401, 403, 404, 409, 413, 415, 429, 500, 502, 503] as const
export const openAiErrors = Object.fromEntries(failing.map((status) => [status, Failed]))

export const ModelEntry = Closed({
  id: Type.String(),
  object: Type.Literal('model'),
  created: Type.Integer(),
  owned_by: Type.String(),
  name: Type.Optional(Type.String()),
  context_length: Type.Optional(Type.Integer({
    description: 'context window in tokens; this key and the following ones are absent if unknown'
  })),
  architecture: Type.Optional(Closed({
    input_modalities: Type.Array(OneOf(['text', 'image'])), output_modalities: Type.Array(Type.Literal('text'))
  })),
  supported_parameters: Type.Optional(Type.Array(Type.String(), {
    description: 'supported request parameters; includes `reasoning` if the model can reason'
  }))
}, { title: 'OpenAiModel' })
export const ModelEntries = Closed({ object: Type.Literal('list'), data: Type.Array(ModelEntry) }, { title: 'OpenAiModels' })
export const ModelParams = Type.Object({ model: Type.String() })

const tokens = (...names: string[]) => Closed(Object.fromEntries(names.map((name) => [name, Type.Integer()])))
const finish = Nullable(OneOf(['stop', 'length', 'content_filter', 'tool_calls']))
const ToolCall = Closed({
  id: Type.String(), type: Type.Literal('function'), function: Closed({ name: Type.String(), arguments: Type.String() })
}, { title: 'OpenAiToolCall' })
const ToolCallPiece = Closed({
  index: Type.Integer(),
  id: Type.Optional(Type.String()),
  type: Type.Optional(Type.Literal('function')),
  function: Closed({ name: Type.Optional(Type.String()), arguments: Type.String() })
}, { title: 'OpenAiToolCallPiece' })
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
    message: Closed({
      role: Type.Literal('assistant'), content: Nullable(Type.String()), refusal: Type.Null(), tool_calls: Type.Optional(Type.Array(ToolCall))
    }),
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
    delta: Closed({
      role: Type.Optional(Type.Literal('assistant')), content: Type.Optional(Type.String()), tool_calls: Type.Optional(Type.Array(ToolCallPiece))
    }),
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
const OutputCall = Closed({
  type: Type.Literal('function_call'),
  id: Type.String(),
  call_id: Type.String(),
  name: Type.String(),
  arguments: Type.String(),
  status: OneOf(['in_progress', 'completed'])
}, { title: 'OpenAiFunctionCall' })
const OutputItem = Type.Union([OutputMessage, OutputCall])
const schema = Anything('a JSON Schema')
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
  output: Type.Array(OutputItem),
  parallel_tool_calls: Type.Boolean(),
  previous_response_id: Nullable(Type.String()),
  reasoning: Closed({ effort: Type.Null(), summary: Type.Null() }),
  store: Type.Boolean(),
  temperature: Type.Null(),
  text: Closed({
    format: Type.Union([
      Closed({ type: OneOf(['text', 'json_object']) }),
      Closed({
        type: Type.Literal('json_schema'), name: Type.String(), description: Type.Optional(Type.String()), schema, strict: Type.Boolean()
      })
    ])
  }),
  tool_choice: Type.Union([OneOf(['auto', 'required']), Closed({ type: Type.Literal('function'), name: Type.String() })]),
  tools: Type.Array(Closed({
    type: Type.Literal('function'), name: Type.String(), description: Nullable(Type.String()), parameters: schema,
    strict: Nullable(Type.Boolean())
  })),
  top_p: Type.Null(),
  truncation: OneOf(['auto', 'disabled']),
  usage: Nullable(Closed({
    input_tokens: Type.Integer(),
    input_tokens_details: tokens('cached_tokens'),
    output_tokens: Type.Integer(),
    output_tokens_details: tokens('reasoning_tokens'),
    total_tokens: Type.Integer()
  })),
  user: Type.Null(),
  metadata: Type.Record(Type.String(), Type.String(), { description: 'metadata of the request, plus session_id' })
}, { title: 'OpenAiResponse' })

const responseFrame = <Event extends string, More extends TProperties>(type: Event, more: More) =>
  [type, Closed({ type: Type.Literal(type), sequence_number: Type.Integer(), ...more })] as const
const whole = { response: Response }
const item = { output_index: Type.Integer(), item: OutputItem }
const placeOfCall = { item_id: Type.String(), output_index: Type.Integer() }
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
  responseFrame('response.function_call_arguments.delta', { ...placeOfCall, delta: Type.String() }),
  responseFrame('response.function_call_arguments.done', { ...placeOfCall, name: Type.String(), arguments: Type.String() }),
  responseFrame('response.completed', whole),
  responseFrame('response.incomplete', whole),
  responseFrame('response.failed', whole)
])

/** The answer, as a whole, or as a stream if `stream` is set. */
export const CompletionAnswer = {
  description: 'the answer; with `stream`, its chunks, and [DONE] after the last',
  content: {
    'application/json': { schema: Completion },
    'text/event-stream': { schema: Type.Unsafe<unknown>({ title: 'CompletionEvent', anyOf: [Closed({ data: CompletionChunk }), Closed({ data: Failed })] }) }
  }
}
export const ResponseAnswer = {
  description: 'the answer; with `stream`, its events',
  content: { 'application/json': { schema: Response }, ...EventStream('ResponseEvent', responseFrames).content }
}
export const ResponseWhole = { description: 'the response', content: { 'application/json': { schema: Response } } }
