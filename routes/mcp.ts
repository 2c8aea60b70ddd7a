import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { conflicts, errors, Nothing } from '../schemas/common.js'
import {
  McpPrompts, McpRemoved, McpServerBody, McpServerName, McpServerReply, McpServers, McpTools, McpView, McpViewAnswerBody, McpViewCall,
  McpViewCallBody, McpViewCalls, McpViewQuery,
  McpViews, McpViewsQuery, type McpServer
} from '../schemas/mcp.js'
import { Invalid } from '../services/ground/errors.js'
import { redact } from '../services/ground/redaction/index.js'
import { type McpServerView, type ViewCallOutcome } from '../services/areas/mcp/index.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('mcp'))
  await app.register(reading)
  await app.register(changing)
}
export default plugin

const reading: FastifyPluginAsyncTypebox = async (app) => {
  const { mcp, sessions } = app

  app.get('/api/mcp/servers', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the MCP servers of the profile and their states',
      description: 'Starts no servers: `idle` ones start when they are needed. `status` is `disabled`, `idle`, `starting`, `ready`, ' +
        '`needs_sign_in` or `failed` with an `error`. Values of variables and headers are never shown.',
      response: { 200: McpServers }
    }
  }, async (request) => ({ servers: (await mcp.list(request.activeProfile())).map(toWire) }))

  app.get('/api/mcp/tools', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the known tools of MCP servers',
      description: 'With the names that the model uses. Starts no servers: those that have not run yet have no tools here.',
      response: { 200: McpTools }
    }
  }, async (request) => ({
    tools: (await mcp.list(request.activeProfile())).flatMap(({ config, state }) =>
      state.tools.map((tool) => ({ server: config.name, ...tool })))
  }))

  app.get('/api/mcp/views', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the tool calls of a session that have a view',
      description: 'Views of the extension `io.modelcontextprotocol/ui` (MCP Apps), stored with the call. Clients without views show ' +
        'the text of the result as usual. 404: unknown session.',
      querystring: McpViewsQuery,
      response: { 200: McpViews, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id } }) =>
    // A session of another front end has no views here.
    ({ call_ids: sessions.isForeign(id) ? [] : mcp.views.of(id) }))

  app.get('/api/mcp/view', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the view of a tool call',
      description: 'The HTML page from the server, with the arguments and the whole answer of the call. The page is foreign code: show ' +
        'it in a frame with an opaque origin, as the app does. Available after restarts and without the server. 404: no view.',
      querystring: McpViewQuery,
      response: { 200: McpView, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id, call_id: callId } }) => {
    const { server, tool, uri, page, args, answer } = await mcp.views.find(id, callId)
    return { call_id: callId, server, tool, uri, page, arguments: args, result: answer }
  })

  app.post('/api/mcp/view/call', {
    config: { scope: 'chat' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Call a tool for a view, or read a resource',
      description: 'A tool, or with `uri` a resource, of the server of the view, under the rules of the session. `asked`: show the call ' +
        'to a person, then send `POST /api/mcp/view/answer`; it waits for 10 minutes. Works without a turn, and the model does not see ' +
        'it; `GET /api/mcp/view/calls` lists the calls. 429: more than 60 a minute in a session, or 4 at once.',
      body: McpViewCallBody,
      response: { 200: McpViewCall, ...errors(400, 404, 429, 503) }
    }
  }, async ({ body: { session_id: id, call_id: callId, tool, arguments: args = {}, uri } }) => {
    if ((tool === undefined) === (uri === undefined)) throw new Invalid('Send either tool or uri')
    return outcomeToWire(await mcp.views.call(id, callId, tool === undefined ? { uri: uri ?? '' } : { tool, args }))
  })

  app.get('/api/mcp/view/calls', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the calls that views of a session have made',
      description: 'The last 200 calls of tools and resources, oldest first. `running`: not finished; `refused`: not made; ' +
        '`lost`: the service stopped during the call, so its effect is unknown. Clients of the session get the frame ' +
        '`view_calls_changed`. 404: unknown session.',
      querystring: McpViewsQuery,
      response: { 200: McpViewCalls, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id } }) => ({ calls: sessions.isForeign(id) ? [] : mcp.views.calls(id) }))

  app.post('/api/mcp/view/answer', {
    config: { scope: 'approve' },
    schema: {
      summary: 'Answer the approval of a view\'s call',
      description: 'The call is made once a person allows it. 404: the call is no longer waiting.',
      body: McpViewAnswerBody,
      response: { 200: McpViewCall, ...errors(400, 404, 429, 503) }
    }
  }, async ({ body: { session_id: id, ask_id: askId, choice } }) => outcomeToWire(await mcp.views.answer(id, askId, choice)))

  app.get('/api/mcp/prompts', {
    config: { scope: 'chat', changes: true },
    schema: {
      summary: 'List the prompts of MCP servers, starting servers if necessary',
      description: 'Waits for servers that are starting. To use a prompt, send its name as a command with `POST /api/chat/start`.',
      response: { 200: McpPrompts, ...errors(503) }
    }
  }, async (request) => ({ prompts: await mcp.prompts(request.activeProfile()) }))
}

const changing: FastifyPluginAsyncTypebox = async (app) => {
  const { mcp } = app

  app.put('/api/mcp/servers/:name', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Add or replace an MCP server; null keeps the present value of a variable or header',
      description: 'Written to config.yaml. Send `command` with `args` and `env`, or `url` with `headers`; omitted keys are removed. ' +
        'Adding a server means running a program on this machine. 409 `config_broken` or `of_plugin`.',
      params: McpServerName,
      body: McpServerBody,
      response: { 200: McpServerReply, ...errors(400), ...conflicts('config_broken', 'of_plugin') }
    }
  }, async (request) => ({
    ok: true as const, server: toWire(await mcp.write(request.activeProfile(), request.params.name, request.body, { replace: true }))
  }))

  app.patch('/api/mcp/servers/:name', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Change an MCP server; null removes a setting, a variable or a header',
      description: 'Written to config.yaml; omitted keys are not changed. Masked values that are sent back as shown stay unchanged. ' +
        '404: unknown server; 409 `config_broken` or `of_plugin`.',
      params: McpServerName,
      body: McpServerBody,
      response: { 200: McpServerReply, ...errors(400, 404), ...conflicts('config_broken', 'of_plugin') }
    }
  }, async (request) => ({
    ok: true as const, server: toWire(await mcp.write(request.activeProfile(), request.params.name, request.body, { replace: false }))
  }))

  app.delete('/api/mcp/servers/:name', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Remove an MCP server',
      description: 'Stops the server and removes it from config.yaml. 404: unknown server; 409 `of_plugin`: switch its plugin off instead.',
      params: McpServerName,
      response: { 200: McpRemoved, ...errors(400, 404), ...conflicts('config_broken', 'of_plugin') }
    }
  }, async (request) => {
    await mcp.remove(request.activeProfile(), request.params.name)
    return { ok: true as const, name: request.params.name }
  })

  app.post('/api/mcp/servers/:name/restart', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Restart an MCP server, and list its tools',
      description: 'Waits a few seconds for the tools; `status: starting` if it takes longer. 404: unknown server.',
      params: McpServerName,
      body: Nothing,
      response: { 200: McpServerReply, ...errors(400, 404, 503) }
    }
  }, async (request) => ({ ok: true as const, server: toWire(await mcp.restart(request.activeProfile(), request.params.name)) }))

  app.post('/api/mcp/reload', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Reload the configuration of MCP servers, and list the tools of all servers',
      description: 'Reads config.yaml again, and restarts servers that are not running or have failed. Returns the whole list.',
      body: Nothing,
      response: { 200: McpServers, ...errors(400, 503) }
    }
  }, async (request) => ({ servers: (await mcp.reload(request.activeProfile())).map(toWire) }))
}

function outcomeToWire (outcome: ViewCallOutcome): Static<typeof McpViewCall> {
  if (outcome.state !== 'asked') return outcome
  const { state, askId, server, tool, args, description, mayLast } = outcome
  return { state, ask_id: askId, server, tool, arguments: args, description, may_last: mayLast }
}

function toWire ({ config, state, isSignedIn }: McpServerView): Static<typeof McpServer> {
  const { name, plugin, enabled, target, selection, sampling, timeoutMs, connectTimeoutMs } = config
  const { tools } = state
  return {
    name,
    plugin,
    transport: target?.transport ?? null,
    enabled,
    status: state.status,
    error: state.error,
    command: target?.transport === 'stdio' ? redact(target.command) : null,
    args: target?.transport === 'stdio' ? target.args.map(redact) : [],
    url: target?.transport === 'http' ? redact(target.url) : null,
    env: target?.transport === 'stdio' ? Object.keys(target.env) : [],
    headers: target?.transport === 'http' ? Object.keys(target.headers) : [],
    signed_in: isSignedIn,
    oauth: target?.transport === 'http' && target.oauth !== null
      ? { client_id: target.oauth.clientId, scope: target.oauth.scope, issuer: target.oauth.issuer }
      : null,
    cwd: target?.transport === 'stdio' && target.cwd !== null ? redact(target.cwd) : null,
    sandbox: target?.transport === 'stdio' && target.sandbox,
    sampling,
    timeout: timeoutMs / 1_000,
    connect_timeout: connectTimeoutMs / 1_000,
    include: selection.include,
    exclude: selection.exclude,
    tools_count: tools.length,
    tool_count: tools.length,
    toggle_supported: true as const,
    tools,
    left_out: state.leftOut.map(({ tool, leftOut }) => ({ tool, reason: leftOut })),
    started_at: state.startedAtMs === null ? null : state.startedAtMs / 1_000,
    log: state.log
  }
}
