import type * as OpenidClient from 'openid-client'
import { type ClientAuth, type Configuration, type ServerMetadata } from 'openid-client'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { codeOf } from '../../ground/errors.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { guardedFetch } from '../../providers/index.js'
import { isPlain } from './oidc-addresses.js'

export interface OidcProviderOptions {
  issuer: string
  clientId: string
  /** Null: a public client, which proves itself by PKCE alone. */
  clientSecret: string | null
  clock: Clock
  /** How long one request to the provider may take. */
  limitMs?: number
}

/** The provider could not be reached; `message` says why, for the log. */
export class OidcUnavailable extends Error {}

const usualLimitMs = 10_000
const mostBytes = 1024 * 1024
/** The provider's metadata is fetched again after this. */
const freshMs = 3_600_000
/** For this long after a failure the provider is not asked again. */
const pauseMs = 5_000
const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'] as const

/** Fetches the provider's metadata when it is first needed, and again from time to time. */
export class OidcProvider {
  #found: { configuration: Configuration, atMs: number } | null = null
  #failed: { reason: string, atMs: number } | null = null
  #asking: Promise<Configuration> | null = null

  constructor (readonly options: OidcProviderOptions) {}

  /** Returns its addresses and capabilities. While it does not answer, the last known ones stay valid. Throws OidcUnavailable. */
  async configuration (): Promise<Configuration> {
    const nowMs = monotonicMs(this.options.clock)
    if (this.#found !== null && nowMs - this.#found.atMs < freshMs) return this.#found.configuration
    if (this.#failed !== null && nowMs - this.#failed.atMs < pauseMs) {
      if (this.#found !== null) return this.#found.configuration
      throw new OidcUnavailable(this.#failed.reason)
    }
    this.#asking ??= this.#discover().finally(() => { this.#asking = null })
    return await this.#asking
  }

  async #discover (): Promise<Configuration> {
    const client = await import('openid-client')
    const { issuer, clientId, clientSecret, clock, limitMs = usualLimitMs } = this.options
    try {
      const configuration = await client.discovery(new URL(issuer), clientId, undefined, authentication(client, clientSecret), {
        // Without it the signature of an ID token that came over TLS would not be verified.
        execute: [client.enableNonRepudiationChecks, ...isPlain(issuer) ? [client.allowInsecureRequests] : []],
        timeout: limitMs / 1_000,
        [client.customFetch]: boundedFetch(limitMs)
      })
      assertUsable(configuration.serverMetadata(), issuer)
      this.#found = { configuration, atMs: monotonicMs(clock) }
      this.#failed = null
      return configuration
    } catch (error) {
      this.#failed = { reason: reasonOf(error), atMs: monotonicMs(clock) }
      if (this.#found !== null) return this.#found.configuration
      throw new OidcUnavailable(this.#failed.reason)
    }
  }
}

/** Returns a reason for the log: the messages of the libraries, and nothing that the provider has written. */
export function reasonOf (error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  const { cause } = error
  const code = codeOf(error)
  const inner = cause instanceof Error ? `: ${codeOf(cause) ?? cause.message}` : ''
  return `${code === undefined ? '' : `${code} `}${error.message}${inner}`.slice(0, 300)
}

/** Prefers client_secret_basic, the default of OpenID Connect, for providers that support it. */
function authentication (client: typeof OpenidClient, secret: string | null): ClientAuth {
  if (secret === null) return client.None()
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    const chosen = methods.includes('client_secret_basic') ? basic : post
    chosen(server, ...rest)
  }
}

/** Throws for an issuer of many tenants: it names another issuer than itself, and so vouches for nobody in particular. */
function assertUsable (metadata: ServerMetadata, issuer: string): void {
  if (new URL(metadata.issuer).href !== new URL(issuer).href) {
    throw new Error('the provider\'s issuer differs from SVC_WEBUI_OIDC_ISSUER')
  }
  if (metadata.authorization_endpoint === undefined || metadata.token_endpoint === undefined || metadata.jwks_uri === undefined) {
    throw new Error('the provider does not publish its sign-in address')
  }
  for (const endpoint of endpoints) {
    const address = metadata[endpoint]
    if (address === undefined) continue
    if (!URL.canParse(address) || !(address.startsWith('https:') || (isPlain(issuer) && isPlain(address)))) {
      throw new Error(`the provider's ${endpoint} is not reached over https`)
    }
  }
}

/**
 * Returns a fetch with a limit of time and of size (1 MiB), which does not connect to the addresses where clouds serve credentials.
 */
function boundedFetch (limitMs: number) {
  return async (address: string, init: object): Promise<Response> => {
    const { signal, clear } = timeLimit(limitMs)
    try {
      const response = await guardedFetch(address, { ...init, signal })
      const pieces: Uint8Array[] = []
      let bytes = 0
      for await (const piece of response.body ?? []) {
        bytes += piece.length
        if (bytes > mostBytes) throw new Error('the provider\'s answer is too large')
        pieces.push(piece)
      }
      const hasBody = response.body !== null && ![204, 205, 304].includes(response.status)
      return new Response(hasBody ? Buffer.concat(pieces) : null, { status: response.status, headers: response.headers })
    } finally {
      clear()
    }
  }
}
