import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { conflicts, errors, Nothing } from '../schemas/common.js'
import {
  McpPrompts, McpRemoved, McpServerBody, McpServerName, McpServerReply, McpServers, McpTools, type McpServer
} from '../schemas/mcp.js'
import { redact } from '../services/ground/redaction/index.js'
import { type McpServerView } from '../services/areas/mcp/index.js'

const tags = ['mcp']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { mcp } = app

  app.get('/api/mcp/servers', {
    config: { scope: 'read' },
    schema: { tags, summary: 'List the MCP servers of the profile and their states', response: { 200: McpServers } }
  }, async (request) => ({ servers: (await mcp.list(request.activeProfile())).map(toWire) }))

  app.get('/api/mcp/tools', {
    config: { scope: 'read' },
    schema: { tags, summary: 'List the known tools of MCP servers', response: { 200: McpTools } }
  }, async (request) => ({
    tools: (await mcp.list(request.activeProfile())).flatMap(({ config, state }) =>
      state.tools.map((tool) => ({ server: config.name, ...tool })))
  }))

  app.get('/api/mcp/prompts', {
    config: { scope: 'chat', changes: true },
    schema: {
      tags, summary: 'List the prompts that MCP servers offer; servers that have some are started',
      response: { 200: McpPrompts, ...errors(503) }
    }
  }, async (request) => ({ prompts: await mcp.prompts(request.activeProfile()) }))

  app.put('/api/mcp/servers/:name', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Add or replace an MCP server; null keeps the present value of a variable or header',
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
      tags,
      summary: 'Change an MCP server; null removes a setting, a variable or a header',
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
      tags, summary: 'Remove an MCP server', params: McpServerName,
      response: { 200: McpRemoved, ...errors(400, 404), ...conflicts('config_broken', 'of_plugin') }
    }
  }, async (request) => {
    await mcp.remove(request.activeProfile(), request.params.name)
    return { ok: true as const, name: request.params.name }
  })

  app.post('/api/mcp/servers/:name/restart', {
    config: { scope: 'admin' },
    schema: {
      tags, summary: 'Restart an MCP server, and ask it for its tools', params: McpServerName, body: Nothing,
      response: { 200: McpServerReply, ...errors(400, 404, 503) }
    }
  }, async (request) => {
    const { name } = request.params
    const servers = await mcp.reload(request.activeProfile(), name)
    return { ok: true as const, server: toWire(servers.find(({ config }) => config.name === name)!) }
  })

  app.post('/api/mcp/reload', {
    config: { scope: 'admin' },
    schema: {
      tags, summary: 'Reload the configuration of MCP servers, and ask all servers for their tools', body: Nothing,
      response: { 200: McpServers, ...errors(400, 503) }
    }
  }, async (request) => ({ servers: (await mcp.reload(request.activeProfile())).map(toWire) }))
}
export default plugin

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
