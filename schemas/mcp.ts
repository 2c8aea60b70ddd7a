import { Type } from '@sinclair/typebox'
import { Closed, errors, Maybe, Nullable, OneOf, Seconds } from './common.js'

const text = (maxLength: number, description?: string) => Type.String({ maxLength, ...(description === undefined ? {} : { description }) })

const McpTool = Closed({
  name: Type.String({ description: 'the name that the model uses; empty: not offered to the model' }),
  tool: Type.String({ description: 'the name that the server uses' }),
  description: Type.String(),
  read_only: Nullable(Type.Boolean({ description: 'a hint of the server, which nothing relies on' }))
}, { title: 'McpTool' })

export const McpServer = Closed({
  name: Type.String(),
  plugin: Nullable(Type.String({ description: 'the plugin that provides the server: switch it off with the plugin' })),
  transport: Nullable(Type.Union([Type.Literal('stdio'), Type.Literal('http')])),
  enabled: Type.Boolean(),
  status: Type.Union([
    Type.Literal('disabled'), Type.Literal('idle'), Type.Literal('starting'), Type.Literal('ready'), Type.Literal('needs_sign_in'),
    Type.Literal('failed')
  ], { description: 'idle: started when needed; needs_sign_in: a person has to sign in first' }),
  error: Nullable(Type.String({ description: 'why it failed, for a person' })),
  command: Nullable(Type.String()),
  args: Type.Array(Type.String()),
  url: Nullable(Type.String()),
  env: Type.Array(Type.String(), { description: 'names of its variables; values are never shown' }),
  headers: Type.Array(Type.String(), { description: 'names of its headers; values are never shown' }),
  signed_in: Type.Boolean({ description: 'someone has signed in to it' }),
  oauth: Nullable(Closed({
    client_id: Nullable(Type.String()), scope: Nullable(Type.String()), issuer: Nullable(Type.String())
  }, { description: 'the sign-in settings; the secret is never shown' })),
  cwd: Nullable(Type.String({ description: 'the folder it runs in; null: the profile\'s home' })),
  sandbox: Type.Boolean(),
  sampling: Type.Boolean({ description: 'the server may send requests to the model of the turn that calls it; a person approves each one' }),
  timeout: Type.Number({ description: 'time limit of a call in seconds' }),
  connect_timeout: Type.Number({ description: 'time limit in seconds for listing its tools' }),
  include: Nullable(Type.Array(Type.String())),
  exclude: Type.Array(Type.String()),
  tools_count: Type.Integer(),
  tool_count: Type.Integer({ description: 'the same as tools_count' }),
  toggle_supported: Type.Literal(true, { description: 'it can be switched on and off with PATCH and `enabled`' }),
  tools: Type.Array(McpTool),
  left_out: Type.Array(Closed({ tool: Type.String(), reason: Type.String() }), { description: 'tools that cannot be offered to a model' }),
  started_at: Nullable(Seconds()),
  log: Type.Array(Type.String(), { description: 'the last lines that it printed outside the protocol, credentials masked' })
}, { title: 'McpServer' })

export const McpServers = Closed({ servers: Type.Array(McpServer) }, { title: 'McpServers' })
export const McpServerReply = Closed({ ok: Type.Literal(true), server: McpServer })
export const McpSignInBegun = Closed({
  ok: Type.Literal(true), name: Type.String(),
  url: Type.String({ description: 'the address at which this browser signs in; it redirects back to this service' })
})
/** The query that the authorization server adds to the address; it may add more. */
export const McpCallbackQuery = Type.Object({
  state: Type.Optional(Type.String({ maxLength: 200 })),
  code: Type.Optional(Type.String({ maxLength: 8_192 })),
  iss: Type.Optional(Type.String({ maxLength: 2_048 })),
  error: Type.Optional(Type.String({ maxLength: 200 }))
})
export const McpCallbackPage = {
  description: 'a page with the result', content: { 'text/html': { schema: Type.String({ contentMediaType: 'text/html' }) } }
}
/** A query that no server can have sent is refused, as in any route. */
export const McpCallbackRefusal = {
  description: McpCallbackPage.description, content: { ...McpCallbackPage.content, 'application/json': { schema: errors(400)[400] } }
}
export const McpClientDocument = Closed({
  client_id: Type.String({ description: 'the address of this document' }), client_name: Type.String(),
  redirect_uris: Type.Array(Type.String()), grant_types: Type.Array(Type.String()), response_types: Type.Array(Type.String()),
  token_endpoint_auth_method: Type.String(), application_type: Type.String()
}, { title: 'McpClientDocument' })
export const McpRemoved = Closed({ ok: Type.Literal(true), name: Type.String() })

export const McpTools = Closed({
  tools: Type.Array(Closed({ server: Type.String(), ...McpTool.properties }))
}, { title: 'McpTools' })

export const McpPrompts = Closed({
  prompts: Type.Array(Closed({
    server: Type.String(),
    name: Type.String(),
    description: Type.String(),
    arguments: Type.Array(Closed({ name: Type.String(), description: Type.String(), required: Type.Boolean() }))
  }))
}, { title: 'McpPrompts' })

export const McpViewsQuery = Type.Object({ session_id: Type.String({ minLength: 1, maxLength: 128 }) })
export const McpViewQuery = Type.Object({ ...McpViewsQuery.properties, call_id: Type.String({ minLength: 1, maxLength: 512 }) })
export const McpViews = Closed({ call_ids: Type.Array(Type.String()) }, { title: 'McpViews' })
const origins = Type.Array(Type.String())
export const McpView = Closed({
  call_id: Type.String(),
  server: Type.String(),
  tool: Type.String({ description: 'the name that the server uses' }),
  uri: Type.String(),
  page: Nullable(Closed({
    html: Type.String({ description: 'HTML from the server: show it only in an origin of its own' }),
    domains: Closed({ connect: origins, resource: origins, frame: origins, base: origins }, {
      description: 'the network hosts that the server declares for the view'
    })
  }, { description: 'null: it is no longer kept' })),
  arguments: Type.Record(Type.String(), Type.Unknown({ description: 'value of the argument; open, because the tool defines it' })),
  result: Type.Unknown({ description: 'the answer of the server to the call, as its view gets it, credentials masked' })
}, { title: 'McpView' })

export const McpViewCallBody = Type.Object({
  ...McpViewQuery.properties,
  tool: Type.Optional(Type.String({
    minLength: 1, maxLength: 128, description: 'a tool of the server of the view, by the server\'s name for it'
  })),
  arguments: Type.Optional(Type.Record(Type.String({ maxLength: 256 }), Type.Unknown(), { maxProperties: 200 })),
  uri: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, description: 'instead of a tool: a resource of the server to read' }))
}, { additionalProperties: false })
export const McpViewAnswerBody = Type.Object({
  ...McpViewsQuery.properties,
  ask_id: Type.String({ minLength: 1, maxLength: 64 }),
  choice: Type.Union([Type.Literal('once'), Type.Literal('session'), Type.Literal('deny')])
}, { additionalProperties: false })
export const McpViewCall = Type.Union([
  Closed({ state: Type.Literal('done'), result: Type.Unknown({ description: 'the answer of the server, credentials masked' }) }),
  Closed({ state: Type.Literal('refused'), message: Type.String() }),
  Closed({
    state: Type.Literal('asked'),
    ask_id: Type.String(),
    server: Type.String(),
    tool: Nullable(Type.String(), 'null: the call reads the resource `uri` of the arguments'),
    arguments: Type.Record(Type.String(), Type.Unknown({ description: 'value of the argument; open, because the tool defines it' })),
    description: Type.String(),
    may_last: Type.Boolean({ description: 'it can be allowed for the rest of the session' })
  })
], { title: 'McpViewCall' })

export const McpViewMade = Closed({
  id: Type.String(),
  call_id: Type.String({ description: 'id of the call whose view made this one' }),
  server: Type.String(),
  tool: Nullable(Type.String(), 'null: the call read the resource `uri` of the arguments'),
  arguments: Type.Record(Type.String(), Type.Unknown({
    description: 'value of the argument, credentials masked; open, because the tool defines it'
  })),
  state: OneOf(['running', 'done', 'failed', 'refused', 'lost']),
  answer: Type.String({ description: 'the answer of the server, or why it has none: the first 2,000 characters, credentials masked' }),
  created_at: Seconds()
}, { title: 'McpViewMade' })
export const McpViewCalls = Closed({ calls: Type.Array(McpViewMade) }, { title: 'McpViewCalls' })

/** Frames on the stream of a session. */
export const viewCallFrames = {
  view_calls_changed: Closed({
    session_id: Type.String(), call_id: Type.String()
  }, { title: 'ViewCallsChanged', description: 'a call of a view has started or ended: read GET /api/mcp/view/calls' })
}

export const McpServerName = Type.Object({ name: Type.String({ minLength: 1, maxLength: 64 }) })

const names = Type.Array(text(128), { maxItems: 1_000 })
const values = Type.Record(Type.String({ maxLength: 128 }), Nullable(text(16_384)), { maxProperties: 200 })

export const McpServerBody = Type.Object({
  command: Maybe(text(4_096, 'the program to run; send this or url')),
  args: Maybe(Type.Array(text(16_384), { maxItems: 200 })),
  env: Maybe(values),
  cwd: Maybe(text(4_096, 'the folder that it runs in; default: the home of the profile')),
  sandbox: Maybe(Type.Boolean({ description: 'run it without network access, and with access only to cwd' })),
  url: Maybe(text(4_096, 'the address of the server; send this or command')),
  headers: Maybe(values),
  oauth: Maybe(Type.Object({
    client_id: Type.Optional(text(1_024)),
    client_secret: Type.Optional(text(4_096, 'store it in .env and name the variable here')),
    scope: Type.Optional(text(1_000)),
    issuer: Type.Optional(text(2_048, 'the only authorization server that may sign people in'))
  }, {
    additionalProperties: false,
    description: 'sign-in settings for an address that requires a sign-in, as far as the server does not announce them'
  })),
  enabled: Maybe(Type.Boolean()),
  tools: Maybe(Type.Union([names, Type.Object({
    include: Type.Optional(names),
    exclude: Type.Optional(names),
    resources: Type.Optional(Type.Boolean()),
    prompts: Type.Optional(Type.Boolean())
  }, { additionalProperties: false })])),
  sampling: Maybe(Type.Boolean({
    description: 'the server may send requests to the model of the turn during its calls; a person approves each one first'
  })),
  timeout: Maybe(Type.Number({ minimum: 1, maximum: 3_600 })),
  connect_timeout: Maybe(Type.Number({ minimum: 1, maximum: 3_600 }))
}, { additionalProperties: false })
