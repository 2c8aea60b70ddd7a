import { Type, type Static, type TSchema } from '@sinclair/typebox'

const text = Type.String()
const serverTool = Type.Object({ name: text, tool: text, description: text, read_only: Type.Union([Type.Boolean(), Type.Null()]) })
const state = Type.Object({
  name: text,
  status: Type.Union([
    Type.Literal('disabled'), Type.Literal('idle'), Type.Literal('starting'), Type.Literal('ready'), Type.Literal('needs_sign_in'),
    Type.Literal('failed')
  ]),
  error: Type.Union([text, Type.Null()]),
  startedAtMs: Type.Union([Type.Number(), Type.Null()]),
  tools: Type.Array(serverTool),
  leftOut: Type.Array(Type.Object({ tool: text, leftOut: text })),
  /** The last lines of its output outside the protocol, not redacted. */
  log: Type.Array(text)
})
const argument = Type.Object({ name: text, description: text, required: Type.Boolean() })

/**
 * What the web tier asks a host about its MCP servers, by kind: the request and the answer. Both tiers check what they receive against
 * these.
 */
export const mcpQueries = {
  status: { body: Type.Object({}), answer: Type.Array(state) },
  /** Reads the configuration again and restarts servers that have changed or failed; `server`: restarts this one in any case. */
  reload: { body: Type.Object({ server: Type.Union([text, Type.Null()]) }), answer: Type.Array(state) },
  prompts: {
    body: Type.Object({}), answer: Type.Array(Type.Object({ server: text, name: text, description: text, arguments: Type.Array(argument) }))
  },
  /**
   * A view calls a tool of its own server, or reads one of its resources (`uri`). If the policy would ask a person, the answer is that
   * question. `allowed` is the fingerprint of that answer: a person has been shown this call and allows it.
   */
  view_call: {
    body: Type.Object({
      server: text, tool: text, args: Type.Record(text, Type.Unknown()), uri: Type.Union([text, Type.Null()]),
      allowed: Type.Union([text, Type.Null()]), grants: Type.Array(text), denied: Type.Array(text), yolo: Type.Boolean(),
      planning: Type.Boolean()
    }),
    answer: Type.Union([
      Type.Object({ ask: Type.Object({ description: text, patternKeys: Type.Array(text), maxScope: text, fingerprint: text }) }),
      Type.Object({ refused: text }),
      Type.Object({ answer: Type.Unknown() })
    ])
  },
  prompt: { body: Type.Object({ server: text, name: text, args: Type.Record(text, text) }), answer: Type.Object({ text }) }
} satisfies Record<string, { body: TSchema, answer: TSchema }>

export type McpQueryKind = keyof typeof mcpQueries
export type McpQueryBody<K extends McpQueryKind> = Static<typeof mcpQueries[K]['body']>
export type McpQueryAnswer<K extends McpQueryKind> = Static<typeof mcpQueries[K]['answer']>
export type McpServerState = Static<typeof state>
/** A query of any kind. The host checks its body. */
export const mcpQueryForm = Type.Object({ requestId: text, what: text, body: Type.Unknown() })
export type McpQuery<K extends McpQueryKind = McpQueryKind> = Omit<Static<typeof mcpQueryForm>, 'what' | 'body'> & {
  what: K
  body: McpQueryBody<K>
}
/** `error`: why there is no answer, in words. */
export type McpReply = Static<typeof mcpReplyForm>
/** The sender of the query checks the `answer`. */
export const mcpReplyForm = Type.Object({ requestId: text, answer: Type.Unknown(), error: Type.Optional(text) })
