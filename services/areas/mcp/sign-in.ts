import { type AuthorizationServerMetadata, type FetchLike, type OAuthProtectedResourceMetadata } from '@modelcontextprotocol/client'
import { fieldsOf } from '../../ground/fields.js'
import { codeOf, Invalid, NotFound, RelayFailed, TooMany } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { knownSecrets } from '../../ground/redaction/index.js'
import {
  clientOf, createSignInFetch, expiryOf, forgetCredentials, keepCredentials, McpAddressRefused, mcpLibrary, namedOf, resolvedTarget,
  secretsOfCredentials, serversOf, signInProblem, type McpCredentials, type McpTarget
} from '../../agent/index.js'
import { type Profiles } from '../profiles/index.js'
import { type BrowserAttempts } from './browser-attempts.js'
import { clientFor } from './client-registration.js'

/** A sign-in at a server from which the person has not returned yet. */
export interface McpAttempt {
  profile: string
  server: string
  /** The address that the tokens will be for. */
  url: string
  /** The PKCE verifier. */
  verifier: string
  redirectUri: string
  metadata: AuthorizationServerMetadata
  revocationEndpoint: string | null
  resource: string | null
  clientId: string
  clientSecret: string | null
  issuerNamed: string | null
}

export interface McpSignInOptions {
  profiles: Pick<Profiles, 'settings'>
  attempts: BrowserAttempts<McpAttempt>
  /** Called when the server is to be used with its new tokens. */
  restart: (profile: string, server: string) => Promise<void>
  log: Log
}

/** The result of a sign-in: the server, or a sentence about why it failed. */
export type McpSignedIn = { server: string } | { failure: string }

/** The version of the protocol in which a message needs no `initialize` before it. */
const newest = '2026-07-28'
type HttpTarget = Extract<McpTarget, { transport: 'http' }>
interface AuthorizationServer {
  metadata: AuthorizationServerMetadata
  resourceMetadata: OAuthProtectedResourceMetadata | undefined
  scope: string | undefined
  revocationEndpoint: string | null
}

/** Signing in at MCP servers that require it: OAuth 2.1 with PKCE, as the protocol defines it. */
export class McpSignIn {
  constructor (private readonly options: McpSignInOptions) {}

  /**
   * Returns the address to which the browser of the person signing in is sent, and the browser's token. Throws NotFound, Invalid for a
   * server without a sign-in, TooMany, and RelayFailed if the server or its authorization server does not provide what is needed.
   * @param redirectUri where the browser is sent back to: `mcpCallbackPath` of this service's own address
   */
  async begin (
    profile: string, server: string,
    { redirectUri, address, browsers }: { redirectUri: string, address: string, browsers: readonly string[] }
  ): Promise<{ url: string, browser: string }> {
    const target = this.#target(profile, server)
    const { startAuthorization } = await mcpLibrary()
    const fetchFn = createSignInFetch(namedOf(target.url, target.oauth?.issuer ?? null))
    try {
      const { metadata, resourceMetadata, scope, revocationEndpoint } = await this.#discover(target, fetchFn)
      const wanted = target.oauth?.scope ?? scope ?? resourceMetadata?.scopes_supported?.join(' ')
      const scoped = wanted === undefined || wanted === '' ? {} : { scope: wanted.slice(0, 1_000) }
      const client = await clientFor({ metadata, oauth: target.oauth, redirectUri, scope: scoped, fetchFn })
      const resource = resourceMetadata?.resource ?? null
      const started = await startAuthorization(metadata.issuer, {
        metadata, clientInformation: client, redirectUrl: redirectUri, ...scoped, ...(resource === null ? {} : { resource })
      })
      const begun = this.options.attempts.begin({
        profile, server, url: target.url, verifier: started.codeVerifier, redirectUri, metadata, revocationEndpoint, resource,
        clientId: client.client_id, clientSecret: client.client_secret ?? null, issuerNamed: target.oauth?.issuer ?? null
      }, address, browsers)
      if (begun === null) throw new TooMany('Too many sign-ins are waiting')
      started.authorizationUrl.searchParams.set('state', begun.state)
      return { url: started.authorizationUrl.href, browser: begun.browser }
    } catch (error) {
      if (error instanceof Invalid || error instanceof TooMany || error instanceof RelayFailed) throw error
      throw new RelayFailed(`The sign-in could not start: ${reasonOf(error)}`)
    }
  }

  /** Processes what the browser has brought back. Never rejects. */
  async end (answer: string, browsers: readonly string[]): Promise<McpSignedIn> {
    const query = new URLSearchParams(answer)
    const attempt = this.options.attempts.take(query.get('state') ?? '', browsers)
    if (attempt === null) return { failure: 'This sign-in was not begun here, or has taken too long. Begin again.' }
    try {
      const code = query.get('code')
      const { validateAuthorizationResponseIssuer } = await mcpLibrary()
      const { metadata } = attempt
      const iss = query.get('iss')
      validateAuthorizationResponseIssuer({
        iss: iss ?? undefined, expectedIssuer: metadata.issuer,
        issParameterSupported: metadata.authorization_response_iss_parameter_supported === true
      })
      if (query.get('error') !== null || code === null) {
        return { failure: query.get('error') === 'access_denied' ? 'The sign-in was not allowed there.' : 'The sign-in failed there.' }
      }
      if (this.#target(attempt.profile, attempt.server).url !== attempt.url) {
        return { failure: 'The MCP server has another address now. Begin again.' }
      }
      await this.#exchange(attempt, code, iss)
      await this.options.restart(attempt.profile, attempt.server)
      return { server: attempt.server }
    } catch (error) {
      const reason = reasonOf(error)
      this.options.log('a sign-in at an MCP server failed', { profile: attempt.profile, server: attempt.server, reason })
      return { failure: `The sign-in failed: ${reason}` }
    }
  }

  /** Deletes the tokens of a server, and revokes them. Throws NotFound. */
  async signOut (profile: string, server: string): Promise<void> {
    const settings = this.options.profiles.settings(profile)
    const config = serversOf(settings).find(({ name }) => name === server)
    if (config === undefined) throw new NotFound('MCP server not found')
    const had = forgetCredentials(settings.home, server)
    if (had === null) return
    await this.options.restart(profile, server)
    const issuer = config.target?.transport === 'http' ? config.target.oauth?.issuer ?? null : null
    await this.revoke(had, issuer)
  }

  /** Revokes tokens that are no longer stored, if that is possible. Never rejects. */
  async revoke (had: McpCredentials, issuer: string | null): Promise<void> {
    const { metadata, clientInformation } = clientOf(had)
    const { revocation_endpoint: endpoint } = metadata
    if (endpoint === undefined) return
    const { client_id: id, client_secret: secret } = clientInformation
    const token = had.refreshToken ?? had.accessToken
    const isBasic = secret !== undefined && had.authMethods?.includes('client_secret_post') !== true
    const body = new URLSearchParams({
      token, token_type_hint: had.refreshToken === null ? 'access_token' : 'refresh_token', client_id: id,
      ...(secret === undefined || isBasic ? {} : { client_secret: secret })
    })
    const headers = {
      'content-type': 'application/x-www-form-urlencoded', ...(isBasic
        ? { authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}` }
        : {})
    }
    await createSignInFetch(namedOf(had.url, issuer))(endpoint, {
      method: 'POST', headers, body: body.toString()
    }).catch((error: unknown) => {
      this.options.log('tokens of an MCP server were deleted, but could not be revoked', { reason: reasonOf(error) })
    })
  }

  #target (profile: string, server: string): HttpTarget {
    const settings = this.options.profiles.settings(profile)
    const { env, envFileKeys } = settings
    const config = serversOf(settings).find(({ name }) => name === server)
    if (config === undefined) throw new NotFound('MCP server not found')
    if (config.target === null) throw new Invalid(config.problem ?? 'This MCP server is not set up')
    const target = resolvedTarget(config.target, Object.fromEntries(Object.entries(env).filter(([name]) => envFileKeys.has(name))))
    if (typeof target === 'string') throw new Invalid(target)
    if (target.transport !== 'http') throw new Invalid('Only MCP servers with an address have a sign-in')
    if (Object.keys(target.headers).some((name) => name.toLowerCase() === 'authorization')) {
      throw new Invalid('This MCP server has an Authorization header. Remove it to sign in')
    }
    return target
  }

  /** Asks the server for its authorization server, and that for its addresses. */
  async #discover (target: HttpTarget, fetchFn: FetchLike): Promise<AuthorizationServer> {
    const { checkResourceAllowed, discoverOAuthServerInfo, extractWWWAuthenticateParams } = await mcpLibrary()
    const response = await refusedFirst(target, fetchFn)
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response)
    let told: unknown
    // The library drops the revocation endpoint from the metadata.
    const listening: FetchLike = async (address, init) => {
      const answer = await fetchFn(address, init)
      if (answer.ok && /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/.test(String(address))) {
        told = await answer.clone().json().catch(() => undefined)
      }
      return answer
    }
    const { authorizationServerUrl, authorizationServerMetadata: metadata, resourceMetadata } = await discoverOAuthServerInfo(target.url, {
      ...(resourceMetadataUrl === undefined ? {} : { resourceMetadataUrl }), fetchFn: listening
    })
    if (metadata === undefined) throw new RelayFailed('The MCP server does not publish where to sign in')
    const issuer = target.oauth?.issuer
    if (issuer != null && new URL(issuer).href !== new URL(authorizationServerUrl).href) {
      throw new RelayFailed('The MCP server names an authorization server other than "oauth.issuer"')
    }
    if (resourceMetadata?.resource !== undefined && !checkResourceAllowed({
      requestedResource: target.url, configuredResource: resourceMetadata.resource
    })) throw new RelayFailed('The MCP server identifies itself as a different server')
    const named = namedOf(target.url, issuer ?? null)
    // The browser of the person signing in is sent there.
    const problem = await signInProblem(metadata.authorization_endpoint, named)
    if (problem !== null) throw new McpAddressRefused(problem)
    const { revocation_endpoint: revocation } = fieldsOf(told)
    const isKept = typeof revocation === 'string' && URL.canParse(revocation) && await signInProblem(revocation, named) === null
    return { metadata, resourceMetadata, scope, revocationEndpoint: isKept ? revocation : null }
  }

  async #exchange ({
    profile, server, url, verifier, redirectUri, metadata, revocationEndpoint, resource, clientId, clientSecret, issuerNamed
  }: McpAttempt, code: string, iss: string | null): Promise<void> {
    const { exchangeAuthorization } = await mcpLibrary()
    const tokens = await exchangeAuthorization(metadata.issuer, {
      metadata,
      clientInformation: { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) },
      authorizationCode: code,
      ...(iss === null ? {} : { iss }),
      codeVerifier: verifier,
      redirectUri,
      ...(resource === null ? {} : { resource }),
      fetchFn: createSignInFetch(namedOf(url, issuerNamed))
    })
    const kept: McpCredentials = {
      url,
      issuer: metadata.issuer,
      tokenEndpoint: metadata.token_endpoint,
      revocationEndpoint,
      authMethods: metadata.token_endpoint_auth_methods_supported ?? null,
      resource,
      clientId,
      clientSecret,
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? null,
      expiresAtMs: expiryOf(tokens.expires_in)
    }
    knownSecrets.keep(secretsOfCredentials(kept))
    await keepCredentials(this.options.profiles.settings(profile).home, server, kept, null)
  }
}

/**
 * Returns the server's refusal of the first message for which it requires a token: some servers accept `initialize` from anyone. Throws
 * Invalid if it requires none.
 */
async function refusedFirst (target: HttpTarget, fetchFn: FetchLike): Promise<Response> {
  const clientInfo = { name: 'agent-service', version: '1' }
  const messages = [
    ['initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }, {}],
    ['tools/list', {
      _meta: {
        'io.modelcontextprotocol/protocolVersion': newest, 'io.modelcontextprotocol/clientInfo': clientInfo,
        'io.modelcontextprotocol/clientCapabilities': {}
      }
    }, { 'mcp-protocol-version': newest, 'mcp-method': 'tools/list' }]
  ] as const
  for (const [method, params, headers] of messages) {
    const response = await fetchFn(target.url, {
      method: 'POST',
      headers: { ...target.headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 0, method, params })
    })
    if (response.status === 401) return response
  }
  throw new Invalid('This MCP server does not ask for a sign-in')
}

/** Returns the words of the libraries and of this service about a failure, and nothing that the other side has written. */
function reasonOf (error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof McpAddressRefused) return cause.message
    if (cause.name === 'TimeoutError') return 'it did not answer in time'
    const code = codeOf(cause)
    if (typeof code === 'string' && /^[A-Z_]{3,40}$/.test(code)) return `it cannot be reached (${code})`
  }
  const { name, code } = fieldsOf(error)
  if (name === 'OAuthError') return `it was refused (${/^[a-z_]{1,60}$/.test(String(code)) ? String(code) : 'error'})`
  return name === 'IssuerMismatchError' ? 'it came from another issuer' : 'the answer could not be used'
}
