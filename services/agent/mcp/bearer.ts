import { type AuthProvider } from '@modelcontextprotocol/client'
import { knownSecrets } from '../../ground/redaction/index.js'
import { keepCredentials, readCredentials, secretsOfCredentials, type McpCredentials } from './credentials.js'
import { createSignInFetch } from './guarded-fetch.js'

/** Thrown when a person has to sign in, in a browser, before the server can be used. */
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
  /** The authorization server that the operator has configured; null if none. */
  issuer: string | null
  /** Called when there are new tokens, before they are used. */
  refreshed: () => void
}

/** A token that expires within this time is renewed before it is used. */
const earlyMs = 30_000
/** Codes of errors that say nothing about the token. The library uses `server_error` for every answer outside the protocol. */
const passing: ReadonlySet<string> = new Set(['server_error', 'temporarily_unavailable', 'too_many_requests', 'slow_down'])

/** The token of a server, as stored when a person signed in. It is renewed when it expires. */
export class Bearer implements AuthProvider {
  #renewing: Promise<void> | null = null

  constructor (private readonly options: BearerOptions) {}

  async token (): Promise<string | undefined> {
    const kept = this.#read()
    if (kept === null) return undefined
    const { expiresAtMs, refreshToken } = kept.found
    // If the renewal fails for now, the old token is used, and the server decides.
    if (refreshToken !== null && expiresAtMs !== null && expiresAtMs - earlyMs < Date.now()) await this.#renew().catch(() => {})
    return this.#read()?.found.accessToken
  }

  /** Renews a token that the server rejected. Throws SignInNeeded when it cannot be renewed. */
  async onUnauthorized (): Promise<void> {
    if (this.#read()?.found.refreshToken == null) throw new SignInNeeded()
    await this.#renew()
  }

  #read (): ReturnType<typeof readCredentials> {
    const { profileHome, server, url } = this.options
    return readCredentials(profileHome, server, url)
  }

  /** Renews the token, one renewal at a time: a refresh token can often be used only once. */
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
      // Another process, or a new sign-in, was faster. A refresh token can be used only once, so the tokens stored meanwhile are used.
      if (now !== null && now.version !== kept.version) return
      if (!(error instanceof OAuthError)) throw error
      // A refusal of the authorization server is final; a failure that is temporary may pass.
      throw passing.has(error.code) ? new Error('Its sign-in could not be renewed for now') : new SignInNeeded()
    }
  }
}

/** Returns the addresses that a person has configured. They may be private ones. */
export const namedOf = (url: string, issuer: string | null): string[] => issuer === null ? [url] : [url, issuer]

export const expiryOf = (expiresInS: number | undefined): number | null => expiresInS === undefined ? null : Date.now() + expiresInS * 1_000

/** Returns the metadata and the client as the library expects them. */
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
