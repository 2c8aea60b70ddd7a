import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { type FastifyRequest } from 'fastify'
import { cookieAttributes, cookieValues } from '../plugins/cookies.js'
import { conflicts, errors, Nothing } from '../schemas/common.js'
import { McpCallbackPage, McpCallbackQuery, McpPrompts, McpRemoved, McpServerBody, McpServerName, McpServerReply, McpServers, McpSignInBegun, McpTools, type McpServer } from '../schemas/mcp.js'
import { attemptAgeS, isHostHeader } from '../services/auth/index.js'
import { Invalid } from '../services/ground/errors.js'
import { escapeHtml } from '../services/ground/html.js'
import { redact } from '../services/ground/redaction/index.js'
import { mcpCallbackPath, type McpServerView } from '../services/mcp/index.js'
import { pagePolicy } from './sending.js'

const tags = ['mcp']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { mcp, config } = app
  const cookieName = `${config.cookieName}_mcp`
  await app.register(cookie)

  app.get('/api/mcp/servers', {
    config: { scope: 'read' },
    schema: { tags, summary: 'The MCP servers of the profile, and how they do', response: { 200: McpServers } }
  }, async (request) => ({ servers: (await mcp.list(request.activeProfile())).map(toWire) }))

  app.get('/api/mcp/tools', {
    config: { scope: 'read' },
    schema: { tags, summary: 'The tools of MCP servers, as far as they are known', response: { 200: McpTools } }
  }, async (request) => ({
    tools: (await mcp.list(request.activeProfile())).flatMap(({ config, state }) => state.tools.map((tool) => ({ server: config.name, ...tool })))
  }))

  app.get('/api/mcp/prompts', {
    config: { scope: 'chat', changes: true },
    schema: { tags, summary: 'Prompts that MCP servers offer; servers that have some are started for it', response: { 200: McpPrompts, ...errors(503) } }
  }, async (request) => ({ prompts: await mcp.prompts(request.activeProfile()) }))

  app.put('/api/mcp/servers/:name', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Set up an MCP server, or set it up anew; null keeps the value of a variable or header that is there',
      params: McpServerName,
      body: McpServerBody,
      response: { 200: McpServerReply, ...errors(400), ...conflicts('config_broken') }
    }
  }, async (request) => ({ ok: true as const, server: toWire(await mcp.write(request.activeProfile(), request.params.name, request.body, { replace: true })) }))

  app.patch('/api/mcp/servers/:name', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'Change an MCP server; null takes a setting, a variable or a header away',
      params: McpServerName,
      body: McpServerBody,
      response: { 200: McpServerReply, ...errors(400, 404), ...conflicts('config_broken') }
    }
  }, async (request) => ({ ok: true as const, server: toWire(await mcp.write(request.activeProfile(), request.params.name, request.body, { replace: false })) }))

  app.delete('/api/mcp/servers/:name', {
    config: { scope: 'admin' },
    schema: { tags, summary: 'Take an MCP server away', params: McpServerName, response: { 200: McpRemoved, ...errors(404), ...conflicts('config_broken') } }
  }, async (request) => {
    await mcp.remove(request.activeProfile(), request.params.name)
    return { ok: true as const, name: request.params.name }
  })

  app.post('/api/mcp/servers/:name/restart', {
    config: { scope: 'admin' },
    schema: { tags, summary: 'Start an MCP server anew, and ask it for its tools', params: McpServerName, body: Nothing, response: { 200: McpServerReply, ...errors(400, 404, 503) } }
  }, async (request) => {
    const { name } = request.params
    const servers = await mcp.reload(request.activeProfile(), name)
    return { ok: true as const, server: toWire(servers.find(({ config }) => config.name === name)!) }
  })

  app.post('/api/mcp/servers/:name/sign-in', {
    config: { scope: 'admin' },
    schema: { tags, summary: 'Begin to sign in at an MCP server that asks for it', params: McpServerName, body: Nothing, response: { 200: McpSignInBegun, ...errors(400, 404, 429, 502) } }
  }, async (request, reply) => {
    const { name } = request.params
    const { url, browser } = await mcp.signIn.begin(request.activeProfile(), name, { redirectUri: redirectUri(request), address: request.ip, browsers: browsers(request) })
    reply.setCookie(cookieName, browser, { ...cookieAttributes(request, config, attemptAgeS), path: '/api/mcp' })
    return { ok: true as const, name, url }
  })

  app.delete('/api/mcp/servers/:name/sign-in', {
    config: { scope: 'admin' },
    schema: { tags, summary: 'Sign out at an MCP server: its tokens are forgotten, and revoked where that can be done', params: McpServerName, response: { 200: McpRemoved, ...errors(404) } }
  }, async (request) => {
    await mcp.signIn.signOut(request.activeProfile(), request.params.name)
    return { ok: true as const, name: request.params.name }
  })

  app.get(mcpCallbackPath, {
    exposeHeadRoute: false,
    config: { scope: 'person', loggedAs: mcpCallbackPath },
    schema: { tags, summary: 'Where browsers come back to from signing in at an MCP server', querystring: McpCallbackQuery, response: { 200: McpCallbackPage, 400: McpCallbackPage } }
  }, async (request, reply) => {
    const ended = await mcp.signIn.end(request.url.split('?')[1] ?? '', browsers(request))
    const [status, words] = 'server' in ended ? [200 as const, `You are signed in at the MCP server “${ended.server}”.`] : [400 as const, ended.failure]
    return await reply.code(status).type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy).header('Cache-Control', 'no-store')
      .header('Referrer-Policy', 'no-referrer').send(`<!doctype html><meta charset="utf-8"><title>MCP</title><p>${escapeHtml(words)} You can close this page.</p>`)
  })

  const browsers = (request: FastifyRequest): string[] => cookieValues(request.headers.cookie, cookieName)

  /** Where the operator says that this service is, else where the person has it open. */
  function redirectUri (request: FastifyRequest): string {
    const { protocol, host } = request.pageAddress()
    if (config.oidc?.redirectUri != null) return new URL(mcpCallbackPath, config.oidc.redirectUri).href
    if (!isHostHeader(host)) throw new Invalid('The Host header names no place to come back to')
    return `${protocol}://${host}${mcpCallbackPath}`
  }

  app.post('/api/mcp/reload', {
    config: { scope: 'admin' },
    schema: { tags, summary: 'Read the configuration of MCP servers again, and ask all of them for their tools', body: Nothing, response: { 200: McpServers, ...errors(400, 503) } }
  }, async (request) => ({ servers: (await mcp.reload(request.activeProfile())).map(toWire) }))
}
export default plugin

function toWire ({ config, state, isSignedIn }: McpServerView): Static<typeof McpServer> {
  const { name, enabled, target, selection, sampling, timeoutMs, connectTimeoutMs } = config
  const { tools } = state
  return {
    name,
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
    oauth: target?.transport === 'http' && target.oauth !== null ? { client_id: target.oauth.clientId, scope: target.oauth.scope, issuer: target.oauth.issuer } : null,
    cwd: target?.transport === 'stdio' && target.cwd !== null ? redact(target.cwd) : null,
    sandbox: target?.transport === 'stdio' && target.sandbox,
    sampling,
    timeout: timeoutMs / 1_000,
    connect_timeout: connectTimeoutMs / 1_000,
    include: selection.include,
    exclude: selection.exclude,
    tools_count: tools.length,
    tools,
    left_out: state.leftOut.map(({ tool, leftOut }) => ({ tool, reason: leftOut })),
    started_at: state.startedAtMs === null ? null : state.startedAtMs / 1_000,
    log: state.log
  }
}
