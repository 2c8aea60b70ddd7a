import { type AttributeValue, type Span } from './span.js'

interface Word {
  kind: Span['kind']
  attributes: readonly string[]
  /** Attributes that hold texts, which are sent only where that is asked for. */
  texts?: readonly string[]
}

/**
 * Every kind of span there is, and what is said of it: by the conventions of OpenTelemetry for HTTP, GenAI and MCP where they have a word;
 * the rest begins with `svc.`, as the names of metrics do.
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
  /** A call of a tool, without the time in which a person was asked. */
  tool: {
    kind: 'internal',
    attributes: [
      'gen_ai.operation.name', 'gen_ai.conversation.id', 'gen_ai.tool.name', 'gen_ai.tool.type', 'gen_ai.tool.call.id', 'mcp.method.name',
      'error.type', 'svc.mcp.server'
    ],
    texts: ['gen_ai.tool.call.arguments', 'gen_ai.tool.call.result']
  },
  /** An approval or a question, from the moment in which it is asked until it is closed. */
  prompt: {
    kind: 'internal',
    attributes: ['gen_ai.conversation.id', 'gen_ai.tool.call.id', 'svc.prompt.kind', 'svc.prompt.outcome']
  },
  /** The start of the agent's process that a turn has waited for. */
  host: { kind: 'internal', attributes: ['gen_ai.agent.name', 'svc.machine'] },
  /** A request that another machine answers, as it holds the folder. */
  machine: {
    kind: 'client',
    attributes: ['http.request.method', 'http.route', 'http.response.status_code', 'error.type', 'svc.machine']
  }
} as const satisfies Record<string, Word>

export type SpanWord = keyof typeof vocabulary
type Named<W extends SpanWord> =
  typeof vocabulary[W]['attributes'][number] | (typeof vocabulary[W] extends { texts: ReadonlyArray<infer Text extends string> } ? Text : never)

/** What is said of a span; what is undefined is not. */
export type Said<W extends SpanWord> = { readonly [name in Named<W>]?: AttributeValue | undefined }

/** The same without what is undefined. */
export function attributesOf<W extends SpanWord> (said: Said<W>): Record<string, AttributeValue> {
  const entries: Array<[string, AttributeValue | undefined]> = Object.entries(said)
  return Object.fromEntries(entries.flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))
}

const longest = 16_000
/** An attribute is no longer than this, in characters. */
export const cutText = (text: string): string => text.length <= longest ? text : `${text.slice(0, longest)}…`
