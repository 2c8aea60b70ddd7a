import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyRequest } from 'fastify'
import { audited } from '../plugins/ground/audited.js'
import { cookieAttributes, cookieValues } from '../plugins/ground/cookies.js'
import { errors, Nothing } from '../schemas/common.js'
import { McpCallbackPage, McpCallbackQuery, McpCallbackRefusal, McpClientDocument, McpRemoved, McpServerName, McpSignInBegun } from '../schemas/mcp.js'
import { isHostHeader } from '../services/areas/auth/index.js'
import { Invalid, NotFound } from '../services/ground/errors.js'
import { escapeHtml } from '../services/ground/text/html.js'
import { attemptAgeS, clientDocument, mcpCallbackPath, mcpClientPath } from '../services/areas/mcp/index.js'
import { pagePolicy } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

/** Signing in to MCP servers that require it, and signing out. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('mcp'))
  const { mcp, config } = app
  const cookieName = `${config.cookieName}_mcp`
  await app.register(cookie)

  app.post('/api/mcp/servers/:name/sign-in', {
    config: { scope: 'admin', audit: audited<typeof McpServerName>(({ name: server }, record) => record('mcp.sign_in', { server })) },
    schema: {
      summary: 'Start signing in to an MCP server that requires it',
      description: 'Open `url` in the same browser within ten minutes; the sign-in returns to the service. 502 with the reason if the ' +
        'server offers no sign-in. 404: unknown server.',
      params: McpServerName,
      body: Nothing,
      response: { 200: McpSignInBegun, ...errors(400, 404, 429, 502) }
    }
  }, async (request, reply) => {
    const { name } = request.params
    const { url, browser } = await mcp.signIn.begin(request.activeProfile(), name, {
      redirectUri: redirectUri(request), address: request.ip, browsers: browsers(request)
    })
    reply.setCookie(cookieName, browser, { ...cookieAttributes(request, config, attemptAgeS), path: '/api/mcp' })
    return { ok: true as const, name, url }
  })

  app.delete('/api/mcp/servers/:name/sign-in', {
    config: { scope: 'admin', audit: audited<typeof McpServerName>(({ name: server }, record) => record('mcp.sign_out', { server })) },
    schema: {
      summary: 'Sign out of an MCP server: its tokens are deleted, and revoked if the server can do that',
      description: 'Its tools need a new sign-in from then on. 404: unknown server.',
      params: McpServerName,
      response: { 200: McpRemoved, ...errors(400, 404) }
    }
  }, async (request) => {
    await mcp.signIn.signOut(request.activeProfile(), request.params.name)
    return { ok: true as const, name: request.params.name }
  })

  app.get(mcpCallbackPath, {
    exposeHeadRoute: false,
    config: { scope: 'person', loggedAs: mcpCallbackPath },
    schema: {
      summary: 'Receive the redirect of a sign-in to an MCP server',
      description: 'For browsers: shows a page that says whether the sign-in worked. Works once, in the browser that started it.',
      querystring: McpCallbackQuery,
      response: { 200: McpCallbackPage, 400: McpCallbackRefusal }
    }
  }, async (request, reply) => {
    const ended = await mcp.signIn.end(request.url.split('?')[1] ?? '', browsers(request))
    const [status, words] = 'server' in ended
      ? [200 as const, `You are signed in at the MCP server “${ended.server}”.`]
      : [400 as const, ended.failure]
    return await reply.code(status).type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy).header(
      'Cache-Control', 'no-store'
    )
      .header('Referrer-Policy', 'no-referrer').send(
        `<!doctype html><meta charset="utf-8"><title>MCP</title><p>${escapeHtml(words)} You can close this page.</p>`
      )
  })

  app.get(mcpClientPath, {
    exposeHeadRoute: false,
    config: { access: 'public' },
    schema: {
      summary: 'Read the OAuth client ID metadata document of this service',
      description: 'For authorization servers of MCP servers, which use this address as the client id. 404 unless the service is ' +
        'reached over https under a public name.',
      response: { 200: McpClientDocument, ...errors(404) }
    }
  }, async (request, reply) => {
    const document = clientDocument(originOf(request))
    if (document === null) throw new NotFound('This service has no public https address')
    reply.header('Cache-Control', 'public, max-age=3600')
    return document
  })

  const browsers = (request: FastifyRequest): string[] => cookieValues(request.headers.cookie, cookieName)

  const redirectUri = (request: FastifyRequest): string => new URL(mcpCallbackPath, originOf(request)).href

  /** Returns the origin of this service that the operator has set, or else the one at which the person has it open. */
  function originOf (request: FastifyRequest): string {
    const { protocol, host } = request.pageAddress()
    if (config.oidc?.redirectUri != null) return new URL(config.oidc.redirectUri).origin
    if (!isHostHeader(host)) throw new Invalid('The Host header is not a valid address to return to')
    return `${protocol}://${host}`
  }
}
export default plugin
