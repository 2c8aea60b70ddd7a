import { type AttributeValue, type Span } from './span.js'

interface Word {
  kind: Span['kind']
  attributes: readonly string[]
  /** Attributes that hold texts, sent only if that is configured. */
  texts?: readonly string[]
}

/**
 * All kinds of spans, and their attributes. Names follow the conventions of OpenTelemetry for HTTP, GenAI and MCP where those have one;
 * others begin with `svc.`, like the names of metrics.
 */
export const vocabulary = {
  /** A request to the service. */
  request: {
    kind: 'server',
    attributes: ['http.request.method', 'http.route', 'http.response.status_code', 'error.type', 'svc.request.id']
  },
  /** A turn, from its message to its last frame. */
  turn: {
    kind: 'internal',
    attributes: [
      'gen_ai.operation.name', 'gen_ai.agent.name', 'gen_ai.conversation.id', 'gen_ai.provider.name', 'gen_ai.request.model', 'error.type',
      'svc.turn.id', 'svc.turn.kind', 'svc.turn.outcome', 'svc.machine'
    ],
    texts: ['gen_ai.input.messages', 'gen_ai.output.messages']
  },
  /** One request to a model. */
  chat: {
    kind: 'client',
    attributes: [
      'gen_ai.operation.name', 'gen_ai.conversation.id', 'gen_ai.provider.name', 'gen_ai.request.model', 'gen_ai.request.max_tokens',
      'gen_ai.request.stream', 'gen_ai.response.model', 'gen_ai.response.finish_reasons', 'gen_ai.response.time_to_first_chunk',
      'gen_ai.usage.input_tokens', 'gen_ai.usage.output_tokens', 'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_creation.input_tokens', 'error.type', 'svc.usage.estimated', 'svc.model.attempt', 'svc.model.task'
    ],
    texts: ['gen_ai.system_instructions', 'gen_ai.input.messages', 'gen_ai.output.messages']
  },
  /** A call of a tool, without the time in which it waited for a person. */
  tool: {
    kind: 'internal',
    attributes: [
      'gen_ai.operation.name', 'gen_ai.conversation.id', 'gen_ai.tool.name', 'gen_ai.tool.type', 'gen_ai.tool.call.id', 'mcp.method.name',
      'error.type', 'svc.mcp.server'
    ],
    texts: ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']
  },
  /** An approval or a question, from when it is asked until it is closed. */
  prompt: {
    kind: 'internal',
    attributes: ['gen_ai.conversation.id', 'gen_ai.tool.call.id', 'svc.prompt.kind', 'svc.prompt.outcome']
  },
  /** The start of an agent process that a turn waited for. */
  host: { kind: 'internal', attributes: ['gen_ai.agent.name', 'svc.machine'] },
  /** A request that another machine answers, because it has the folder. */
  machine: {
    kind: 'client',
    attributes: ['http.request.method', 'http.route', 'http.response.status_code', 'error.type', 'svc.machine']
  }
} as const satisfies Record<string, Word>

export type SpanWord = keyof typeof vocabulary
type AttributeName<W extends SpanWord> =
  typeof vocabulary[W]['attributes'][number] | (typeof vocabulary[W] extends { texts: ReadonlyArray<infer Text extends string> } ? Text : never)

/** The attributes of a span. Undefined ones are left out. */
export type SpanAttributes<W extends SpanWord> = { readonly [name in AttributeName<W>]?: AttributeValue | undefined }

/** Returns the attributes without undefined ones. */
export function attributesOf<W extends SpanWord> (said: SpanAttributes<W>): Record<string, AttributeValue> {
  const entries: Array<[string, AttributeValue | undefined]> = Object.entries(said)
  return Object.fromEntries(entries.flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))
}

const longest = 16_000
/** Cuts an attribute to this many characters. */
export const cutText = (text: string): string => text.length <= longest ? text : `${text.slice(0, longest)}…`
