import { type Configuration, type IDToken } from 'openid-client'
import { type Clock } from '../../ground/time/clock.js'
import { Invalid, NotFound, TooMany } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type OidcFailure } from '../../ground/languages/index.js'
import { type Log } from '../../ground/log.js'
import { present } from '../../ground/present.js'
import { oidcCallbackPath } from './oidc-addresses.js'
import { OidcProvider, OidcUnavailable, reasonOf } from './oidc-provider.js'
import { judgeOidcClaims, type OidcRule, type OidcVerdict } from './oidc-rules.js'
import { isHostHeader, localPath } from './origins.js'
import { type PasswordGate } from './password-gate.js'
import { type PageAddress } from './relying-party.js'
import { oidcMark } from './session-marks.js'
import { type AuthSessions } from './sessions.js'
import { SealedAttempts, type AttemptCookie } from './sealed-attempts.js'
import { type Signer } from './signer.js'
import { type Throttle } from './throttle.js'

/** The operator's settings for an OpenID Connect provider. */
export interface OidcSettings {
  /** https, or http on this machine. */
  issuer: string
  clientId: string
  /** Null: a public client. */
  clientSecret: string | null
  scopes: string
  /** Never empty. */
  allow: readonly OidcRule[]
  /** The name on the button. */
  name: string
  /** The address to which the provider redirects people; null: the one they came from. */
  redirectUri: string | null
}

export interface OidcOptions {
  settings: OidcSettings | null
  clock: Clock
  signer: Signer
  throttle: Throttle
  sessions: Pick<AuthSessions, 'open'>
  password: Pick<PasswordGate, 'fingerprint'>
  log: Log
}

/** What a sign-in needs when its person comes back from the provider. */
interface OidcAttempt {
  nonce: string
  /** The code verifier of PKCE. */
  verifier: string
  redirectUri: string
  /** Where to go afterwards, a path of this service. */
  next: string
}

/** Who asks, with the sign-ins that the browser has begun. */
export interface OidcAsker { address?: string, userAgent?: string, attempts: readonly AttemptCookie[] }

/** `surplus`: tags of attempts whose cookies the browser can drop. */
export type OidcBegun = { url: string, cookie: AttemptCookie, surplus: string[] } | { failure: OidcFailure }
/** `cookie`: the value of a session. `over`: tags of attempts whose cookies the browser can drop. */
export type OidcEnded = { next: string, over: string[] } & ({ cookie: string } | { failure: OidcFailure })

/** Signing in with OpenID Connect: authorization code flow with PKCE. People who come back are checked against the operator's list. */
export function createOidc ({ settings, clock, signer, throttle, sessions, password, log }: OidcOptions) {
  const attempts = new SealedAttempts<OidcAttempt>(clock)
  const provider = settings === null ? null : new OidcProvider({ ...settings, clock })
  const version = settings === null ? null : signer.sign('oidc', JSON.stringify([settings.issuer, settings.clientId, settings.allow]))

  function existing (): { settings: OidcSettings, provider: OidcProvider, version: string } {
    if (settings === null || provider === null || version === null) {
      throw new NotFound('OpenID Connect is not set up. Set SVC_WEBUI_OIDC_ISSUER')
    }
    return { settings, provider, version }
  }

  function failed (failure: OidcFailure, details: Record<string, unknown> = {}): { failure: OidcFailure } {
    log('a sign-in with OpenID Connect failed', { failure, ...details })
    return { failure }
  }

  /** Returns the session's cookie for a person who comes back with the provider's answer to this attempt. */
  async function admit (
    answer: string, attempt: OidcAttempt, { address, userAgent }: OidcAsker
  ): Promise<{ cookie: string } | { failure: OidcFailure }> {
    const { settings, provider, version } = existing()
    const counted = await throttle.begin('oidc', address)
    try {
      const { verdict, subject } = await identify(await provider.configuration(), answer, attempt, settings.allow)
      if (verdict !== 'in') {
        await counted.failed()
        return failed(verdict === 'unverified' ? 'oidc_unverified' : 'oidc_refused', { subject })
      }
      const cookie = await sessions.open(oidcMark(password.fingerprint, version), userAgent)
      counted.succeeded()
      return { cookie }
    } catch (error) {
      const isOutage = isUnreachable(error)
      if (isOutage) counted.abandoned()
      else await counted.failed()
      return failed(isOutage ? 'oidc_unavailable' : 'oidc_failed', { reason: reasonOf(error) })
    }
  }

  return {
    /** Whether people can sign in here; true even while the provider is down. */
    isOpen: settings !== null,
    name: settings?.name ?? null,
    /** Whether sessions with this mark were opened for the same issuer and the same list. */
    isInForce: (mark: string): boolean => mark === version,
    /** The number of sign-ins that are remembered as used. */
    used: (): number => attempts.size(),

    /**
     * Returns the address to which the browser is sent to sign in, and the cookie that it is to keep. `next`: where to go afterwards.
     * Throws NotFound without a provider, and Invalid for a malformed Host.
     */
    async begin ({ next, page, asker }: { next: unknown, page: PageAddress, asker: OidcAsker }): Promise<OidcBegun> {
      const { settings, provider } = existing()
      const redirectUri = settings.redirectUri ?? callbackOf(page)
      const client = await import('openid-client')
      try {
        const configuration = await provider.configuration()
        const attempt = { nonce: client.randomNonce(), verifier: client.randomPKCECodeVerifier(), redirectUri, next: localPath(next) }
        // If the path to return to is too long for a cookie, it is left out.
        const begun = attempts.begin(attempt) ?? present(attempts.begin({ ...attempt, next: '/' }), 'the cookie of a sign-in')
        const url = client.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          state: begun.state,
          nonce: attempt.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
          code_challenge_method: 'S256'
        })
        return { url: url.href, cookie: begun.cookie, surplus: attempts.surplus(asker.attempts) }
      } catch (error) {
        return failed('oidc_unavailable', { reason: reasonOf(error) })
      }
    },

    /**
     * Signs in the person whom the provider has redirected back. Throws NotFound without a provider.
     *
     * @param answer the query that the provider has added to the address
     */
    async end (answer: string, asker: OidcAsker): Promise<OidcEnded> {
      existing()
      const query = new URLSearchParams(answer)
      const state = query.get('state') ?? ''
      const attempt = attempts.take(state, asker.attempts)
      if (attempt === null) return { next: '/', over: [], ...failed('oidc_expired') }
      const ended = { next: attempt.next, over: asker.attempts.map(({ tag }) => tag).filter((tag) => state.startsWith(tag)) }
      if (query.get('error') === 'access_denied') return { ...ended, ...failed('oidc_cancelled') }
      try {
        return { ...ended, ...await admit(answer, attempt, asker) }
      } catch (error) {
        if (!(error instanceof TooMany)) throw error
        return { ...ended, ...failed('oidc_busy') }
      }
    }
  }
}
export type Oidc = ReturnType<typeof createOidc>

/** Exchanges the code and judges the person behind it. Claims that are missing in the ID token are fetched from the provider. */
async function identify (
  configuration: Configuration, answer: string, { nonce, verifier, redirectUri }: OidcAttempt, allow: readonly OidcRule[]
): Promise<{ verdict: OidcVerdict, subject: string }> {
  const client = await import('openid-client')
  const tokens = await client.authorizationCodeGrant(configuration, new URL(`${redirectUri}?${answer}`), {
    pkceCodeVerifier: verifier,
    expectedNonce: nonce,
    expectedState: new URLSearchParams(answer).get('state') ?? '',
    idTokenExpected: true
  })
  const claims = tokens.claims() as IDToken
  const verdict = judgeOidcClaims(allow, claims)
  const asks = verdict !== 'in' && allow.some(({ kind }) => kind !== 'sub') &&
    configuration.serverMetadata().userinfo_endpoint !== undefined
  if (!asks) return { verdict, subject: claims.sub }
  const told = judgeOidcClaims(allow, await client.fetchUserInfo(configuration, tokens.access_token, claims.sub))
  return { verdict: told === 'refused' ? verdict : told, subject: claims.sub }
}

/** True if nothing was found out about the person, because the network or the provider itself is down. */
function isUnreachable (error: unknown): boolean {
  if (error instanceof OidcUnavailable) return true
  const { code, cause, name } = fieldsOf(error)
  if (code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT' || name === 'TimeoutError') return true
  if (cause instanceof Response) return cause.status >= 500
  // What fetch throws when there is no connection.
  return error instanceof TypeError && error.message === 'fetch failed'
}

/** Returns the address at which the person has the service open. Providers redirect only to addresses that are registered with them. */
function callbackOf ({ protocol, host }: PageAddress): string {
  if (!isHostHeader(host)) throw new Invalid('The Host header is not a valid address to return to')
  return `${protocol}://${host}${oidcCallbackPath}`
}
