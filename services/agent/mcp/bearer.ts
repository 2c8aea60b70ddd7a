import { type AuthProvider } from '@modelcontextprotocol/client'
import { knownSecrets } from '../../ground/redaction/index.js'
import { keepCredentials, readCredentials, secretsOfCredentials, type McpCredentials } from './credentials.js'
import { createSignInFetch } from './guarded-fetch.js'

/** Somebody has to sign in, in a browser, before the server can be used. */
export class SignInNeeded extends Error {
  constructor () {
    super('It asks for a sign-in.')
    this.name = 'SignInNeeded'
  }
}

export interface BearerOptions {
  profileHome: string
  server: string
  url: string
  /** Who the operator says signs people in. */
  issuer: string | null
  /** New tokens are there, and not in use yet. */
  refreshed: () => void
}

/** A token that ends so soon is renewed before it is used. */
const earlyMs = 30_000
/** Codes of errors that say nothing of the token; the library has `server_error` for every answer that is none of the protocol. */
const passing: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable', 'too_many_requests', 'slow_down'])

/** The token of a server, as whoever signed in has left it; renewed when it ends. */
export class Bearer implements AuthProvider {
  #renewing: Promise<void> | null = null

  constructor (private readonly options: BearerOptions) {}

  async token (): Promise<string | undefined> {
    const kept = this.#read()
    if (kept === null) return undefined
    const { expiresAtMs, refreshToken } = kept.found
    // A renewal that fails for now leaves the old one, which the server will judge.
    if (refreshToken !== null && expiresAtMs !== null && expiresAtMs - earlyMs < Date.now()) await this.#renew().catch(() => {})
    return this.#read()?.found.accessToken
  }

  /** The server does not take the token. Throws SignInNeeded when there is no other. */
  async onUnauthorized (): Promise<void> {
    if (this.#read()?.found.refreshToken == null) throw new SignInNeeded()
    await this.#renew()
  }

  #read (): ReturnType<typeof readCredentials> {
    const { profileHome, server, url } = this.options
    return readCredentials(profileHome, server, url)
  }

  /** Once at a time: a refresh token often counts once. */
  #renew (): Promise<void> {
    this.#renewing ??= this.#refresh().finally(() => { this.#renewing = null })
    return this.#renewing
  }

  async #refresh (): Promise<void> {
    const kept = this.#read()
    const refreshToken = kept?.found.refreshToken
    if (kept === null || refreshToken == null) throw new SignInNeeded()
    const { profileHome, server, url, issuer, refreshed } = this.options
    const { OAuthError, refreshAuthorization } = await import('@modelcontextprotocol/client')
    const { found } = kept
    try {
      const tokens = await refreshAuthorization(found.issuer, {
        ...clientOf(found),
        refreshToken,
        ...(found.resource === null ? {} : { resource: found.resource }),
        fetchFn: createSignInFetch(namedOf(url, issuer))
      })
      const next: McpCredentials = {
        ...found, accessToken: tokens.access_token, refreshToken: tokens.refresh_token ?? refreshToken,
        expiresAtMs: expiryOf(tokens.expires_in)
      }
      knownSecrets.keep(secretsOfCredentials(next))
      await keepCredentials(profileHome, server, next, kept.version)
      refreshed()
    } catch (error) {
      const now = this.#read()
      // Somebody else, in another process or by signing in anew, was faster: a refresh token counts once, and theirs counts.
      if (now !== null && now.version !== kept.version) return
      if (!(error instanceof OAuthError)) throw error
      // What the authorization server refuses, it refuses for good; what it could not do now, it may do later.
      throw passing.has(error.code) ? new Error('Its sign-in could not be renewed for now') : new SignInNeeded()
    }
  }
}

/** Addresses that a person has written down, and that may be private ones. */
export const namedOf = (url: string, issuer: string | null): string[] => issuer === null ? [url] : [url, issuer]

export const expiryOf = (expiresInS: number | undefined): number | null => expiresInS === undefined ? null : Date.now() + expiresInS * 1_000

/** As the library wants to hear it. */
export function clientOf ({ issuer, tokenEndpoint, revocationEndpoint, authMethods, clientId, clientSecret }: McpCredentials) {
  return {
    metadata: {
      issuer,
      authorization_endpoint: issuer,
      token_endpoint: tokenEndpoint,
      response_types_supported: ['code'],
      ...(revocationEndpoint === null ? {} : { revocation_endpoint: revocationEndpoint }),
      ...(authMethods === null ? {} : { token_endpoint_auth_methods_supported: authMethods })
    },
    clientInformation: { client_id: clientId, ...(clientSecret === null ? {} : { client_secret: clientSecret }) }
  }
}
