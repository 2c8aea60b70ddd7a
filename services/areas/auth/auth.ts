import { type Clock } from '../../ground/time/clock.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { type Database } from '../../ground/database/index.js'
import { type Log } from '../../ground/log.js'
import { type AuditPort } from '../audit/index.js'
import { createAccess, type AuthAccess } from './access.js'
import { createAccessNews } from './access-news.js'
import { createAdmission } from './admission.js'
import { Challenges } from './challenges.js'
import { createAccessChanges } from './changes.js'
import { createDevices } from './devices.js'
import { createOidc, type OidcSettings } from './oidc.js'
import { createOpenness } from './openness.js'
import { PasskeyGate } from './passkey-gate.js'
import { createPasskeyRows } from './passkey-rows.js'
import { createPasskeys } from './passkeys.js'
import { PasswordGate } from './password-gate.js'
import { type PasswordCost } from './password.js'
import { createPasswordSignIn } from './password-sign-in.js'
import { createProxyGate } from './proxy-gate.js'
import { createAuthSessions, type Operator } from './sessions.js'
import { type TokenScope } from './scopes.js'
import { createSigner } from './signer.js'
import { createThrottle } from './throttle.js'

export interface AuthOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  /** The password that the environment sets, or null. */
  password: string | null
  /** The cost of a password hash. Default: what a real one needs. */
  passwordCost?: PasswordCost
  /** The secret that an authenticating proxy sends to be admitted, or null. */
  proxySecret: string | null
  /** Returns the current lifetime of a sign-in, in seconds. */
  sessionTtlS: () => number
  /** Whether only this machine can reach the service. */
  isLocal: boolean
  /** Whether the first password may be set from any address. */
  onboardingOpen: boolean
  passkeys: {
    /** The state at the start; `switchPasskeys` changes it. */
    isEnabled: boolean
    /** The name of the service that an authenticator shows. */
    name: string
    allowedOrigins: ReadonlySet<string>
  }
  /** Null: no sign-in with OpenID Connect. */
  oidc: OidcSettings | null
  /** Called with each secret of the service that is created or read here. */
  learned: (secret: string) => void
  log: Log
}

export interface AuthStatus extends AuthAccess {
  authenticated: boolean
  password_required: boolean
  csrf_token: string
  token_scope: TokenScope | null
}

/**
 * Decides who may use the service. There are gates, each a separate way to sign in, and sessions, which know who has signed in but not how.
 * There is one password and no accounts; a service without any gate is open to everybody who can reach it. Await `ready()` before the first
 * request.
 */
export function createAuth ({
  db, clock, audit, password: pinned, passwordCost: cost, proxySecret, sessionTtlS, isLocal, onboardingOpen,
  passkeys: { isEnabled, name, allowedOrigins }, oidc: oidcSettings, learned, log
}: AuthOptions) {
  const signer = createSigner({ db, clock, learned })
  const throttle = createThrottle({ db, clock, audit })
  const sessions = createAuthSessions({ db, clock, signer, audit, ttlS: sessionTtlS })
  const password = new PasswordGate({ db, clock, signer, throttle, pinned, cost, endSessions: sessions.removeOthers })
  const proxy = createProxyGate(proxySecret, signer)
  const rows = createPasskeyRows(db)
  const oidc = createOidc({ settings: oidcSettings, clock, signer, throttle, sessions, password, log })
  const isGatedOtherwise = (): boolean => password.isOpen || proxy.isOpen || oidc.isOpen
  const passkeyGate = new PasskeyGate({ db, clock, rows, isEnabled, isGatedOtherwise })
  const devices = createDevices({
    db, clock, audit, sessions,
    stands: (operator) => admission.stands(operator),
    throttles: { tokens: createThrottle({ db, clock, audit, kind: 'token ' }), codes: createThrottle({ db, clock, audit, kind: 'code ' }) },
    log
  })
  const openness = createOpenness({ db, clock })
  const inTurn = createQueue()
  const challenges = new Challenges(clock)
  let preparing: Promise<void> | undefined

  const isGated = (): boolean => isGatedOtherwise() || passkeyGate.isOpen
  const takesPasswords = (): boolean => password.isOpen && !passkeyGate.isPasswordless

  const admission = createAdmission({ isGated, password, proxy, oidc, devices, passkeys: passkeyGate, sessions })
  const access = createAccess({ passkeys: passkeyGate, oidc, openness, isGated, takesPasswords })
  const news = createAccessNews({ access: () => access(null), log })
  const changed = news.look

  return {
    on: news.on,
    /** Whether there is a gate at all. */
    get gated (): boolean { return isGated() },
    /** Whether a password can be used to sign in. */
    get passwordGated (): boolean { return takesPasswords() },
    /** Whether a passkey can be used to sign in. */
    get passkeyGated (): boolean { return passkeyGate.isOpen },
    /** The number of passkey challenges that wait for their answer. */
    openChallenges: (): number => challenges.size(),

    /** Hashes the pinned password, and ends the sessions of an earlier one. */
    ready (): Promise<void> {
      preparing ??= password.prepare()
      return preparing
    },

    ...admission,
    access,

    /** What `GET /api/auth/status` answers. */
    status (operator: Operator | null): AuthStatus {
      return {
        ...access(operator), authenticated: operator !== null, password_required: isGated(), csrf_token: operator?.csrfToken ?? '',
        token_scope: operator?.scope ?? null
      }
    },

    /** Ends the sessions of these cookie values; values of other services are ignored. */
    async logout (cookies: string[]): Promise<void> {
      await Promise.all(cookies.map((value) => sessions.close(value)))
    },

    oidc,
    devices,
    /** Sign-ins of people; devices are listed apart. */
    signIns: { list: sessions.list, end: sessions.end },
    ...createPasswordSignIn({ password, passkeys: passkeyGate, sessions, oidcName: oidc.name, isGated }),
    passkeys: createPasskeys({
      db, clock, audit, inTurn, signer, throttle, sessions, password, gate: passkeyGate, rows, challenges, name, allowedOrigins, isGated,
      isGatedOtherwise, changed
    }),

    /** Switches passkeys on or off, as config.yaml says now. */
    switchPasskeys (isOn: boolean): void {
      if (isOn === passkeyGate.isEnabled) return
      if (passkeyGate.switch(isOn)) changed()
      else log('passkeys stay on until the next start, because they are the only way to sign in', {})
    },
    changes: createAccessChanges({
      db, audit, inTurn, password, passkeys: passkeyGate, openness, sessions, isGated, changed, onboardingOpen,
      isSafeWithout: () => isLocal || proxy.isOpen || oidc.isOpen
    }),

    /** Returns the lifetime of a sign-in that begins now, in seconds. */
    sessionTtlS,

    /** Signatures with the service's key, for values that other areas hand out (such as the profile cookie). */
    sign: signer.sign,
    verify: signer.verify
  }
}
export type Auth = ReturnType<typeof createAuth>
