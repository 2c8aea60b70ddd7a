import { type IncomingMessage, type ServerResponse } from 'node:http'
import Provider from 'oidc-provider'
import { type TestLike } from '../app.js'
import { serving } from '../listening.js'

export interface GuardedServer {
  /** Address of the MCP server, which requires a token. */
  url: string
  /** Address of the server that issues it. */
  issuer: string
  /** Requests to both: method and path. */
  requests: string[]
  /** Tokens that the server received. */
  shown: string[]
  /** What the token endpoint received. */
  grants: URLSearchParams[]
  /** Tokens that the server no longer accepts. */
  stale: Set<string>
  /** The server's metadata; `null`: none. */
  resource: { resource: string, authorization_servers: string[], scopes_supported: string[] } | null
  /** Whether the person refuses to sign in. */
  denies: boolean
  /** Answers in place of either if it returns true. */
  intercept: (request: IncomingMessage, response: ServerResponse, who: 'server' | 'issuer') => boolean
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

/** Starts a server of tools that requires a sign-in, and a real authorization server, where people sign in without being asked. */
export async function startGuardedServer (t: TestLike): Promise<GuardedServer> {
  const issuer = await serving(t, (request, response) => {
    guarded.requests.push(`${request.method} ${request.url!.split('?')[0]}`)
    if (guarded.intercept(request, response, 'issuer')) return
    if (request.url!.startsWith('/interaction/')) interact(request, response).catch((error: unknown) => { response.writeHead(500).end(String(error)) })
    else {
      if (request.url === '/token') {
        // The provider reads the body when it is ready; this only observes it.
        const emit = request.emit.bind(request) as (name: string | symbol, ...rest: unknown[]) => boolean
        let text = ''
        request.emit = (name: string | symbol, ...rest: unknown[]) => {
          if (name === 'data') text += String(rest[0])
          if (name === 'end') guarded.grants.push(new URLSearchParams(text))
          return emit(name, ...rest)
        }
      }
      provider.callback()(request, response)
    }
  })
  const origin = await serving(t, (request, response) => {
    if (guarded.intercept(request, response, 'server')) return
    serve(request, response).catch(() => response.destroy())
  })
  const url = `${origin}/mcp`
  const guarded: GuardedServer = {
    url, issuer, requests: [], shown: [], grants: [], stale: new Set(), denies: false, intercept: () => false, resource: { resource: url, authorization_servers: [issuer], scopes_supported: ['tools'] }
  }
  const provider: Provider = new Provider(issuer, {
    clients: [],
    scopes: ['openid', 'offline_access', 'tools'],
    findAccount: (_: unknown, accountId: string) => ({ accountId, claims: () => ({ sub: accountId }) }),
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: { enabled: true, useGrantedResource: () => true, getResourceServerInfo: () => ({ scope: 'tools', audience: url, accessTokenTTL: 3_600, accessTokenFormat: 'opaque' }) }
    },
    issueRefreshToken: () => true,
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    pkce: { required: () => true, methods: ['S256'] },
    cookies: { keys: ['not secret'] },
    ttl: { AccessToken: 3_600, AuthorizationCode: 60, Grant: 3_600, Interaction: 600, Session: 600, RefreshToken: 3_600 }
  })

  async function interact (request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { prompt, params } = await provider.interactionDetails(request, response)
    const finish = async (result: object) => await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true })
    if (guarded.denies) return await finish({ error: 'access_denied' })
    if (prompt.name === 'login') return await finish({ login: { accountId: 'somebody' } })
    const grant = new provider.Grant({ accountId: 'somebody', clientId: params.client_id })
    grant.addOIDCScope('openid offline_access tools')
    if (params.resource !== undefined) grant.addResourceScope(params.resource, 'tools')
    await finish({ consent: { grantId: await grant.save() } })
  }

  async function serve (request: IncomingMessage, response: ServerResponse): Promise<void> {
    guarded.requests.push(`${request.method} ${request.url}`)
    const json = (status: number, body: unknown, headers = {}): void => { response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body)) }
    if (request.url === '/.well-known/oauth-protected-resource/mcp') return guarded.resource === null ? json(404, {}) : json(200, guarded.resource)
    if (request.url !== '/mcp') return json(404, {})
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (token !== undefined) guarded.shown.push(token)
    const found = token === undefined || guarded.stale.has(token) ? undefined : await provider.AccessToken.find(token)
    if (found === undefined || found.aud !== url) return json(401, {}, { 'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` })
    if (request.method !== 'POST') return json(405, {})
    const { id, method, params } = JSON.parse(await bodyOf(request))
    if (id === undefined) return json(202, {})
    const results: Record<string, () => unknown> = {
      initialize: () => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'guarded', version: '1' } }),
      'tools/list': () => ({ tools: [{ name: 'token', description: 'Says the token.', inputSchema: { type: 'object', properties: {} } }] }),
      'tools/call': () => ({ content: [{ type: 'text', text: `It was ${token}.` }] })
    }
    const answer = results[method]
    json(200, { jsonrpc: '2.0', id, ...(answer === undefined ? { error: { code: -32601, message: 'unknown' } } : { result: answer() }) })
  }
  return guarded
}
