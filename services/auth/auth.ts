import { hash, timingSafeEqual } from 'node:crypto'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { createValues, type Database } from '../ground/database/index.js'
import { Conflict, Invalid, Unauthenticated } from '../ground/errors.js'
import { createTurnstile, hashPassword, matchesPassword } from './password.js'
import { createSessions, type Operator } from './sessions.js'
import { createSigner, equalInConstantTime } from './signer.js'
import { createThrottle } from './throttle.js'

export interface AuthOptions {
  db: Database
  clock: Clock
  /** The password that the operator pinned in the environment, or null. */
  password: string | null
  /** What an authenticating proxy sends to be admitted, or null. */
  proxySecret: string | null
  sessionTtlS: number
  /** Told each secret of the service that comes into being here. */
  learned: (secret: string) => void
}

export interface AuthStatus {
  authenticated: boolean
  password_required: boolean
  auth_enabled: boolean
  logged_in: boolean
  password_auth_enabled: boolean
  passkeys_enabled: boolean
  passwordless_enabled: boolean
  csrf_token: string
}

/** The password in force: its hash, and what sessions opened with it are marked with. */
interface Credential { hash: string, fingerprint: string }

const open: Operator = { via: 'open', csrfToken: '' }

/**
 * Who may use the service. There is one password and no accounts; a service without any gate is open to everybody who
 * can reach it. Await `ready()` before the first request.
 */
export function createAuth ({ db, clock, password, proxySecret, sessionTtlS, learned }: AuthOptions) {
  const signer = createSigner({ db, clock, learned })
  const sessions = createSessions({ db, clock, signer, ttlS: sessionTtlS })
  const throttle = createThrottle({ db, clock })
  const pass = createTurnstile({ atOnce: 2, waiting: 20 })

  const proxyDigest = proxySecret === null ? null : digest(Buffer.from(proxySecret))
  let proxyOperator: Operator | undefined
  let credential: Credential | null = null
  let preparing: Promise<void> | undefined

  const values = createValues(db.sqlite)
  const stored = password === null ? values.get('password_hash') : undefined
  if (stored !== undefined) adopt(String(stored))

  /** The pinned password is hashed too: what lies in the database must not be quicker to guess from than a hash is. */
  async function prepare (): Promise<void> {
    if (password !== null) adopt(await hashPassword(password, Buffer.from(signer.sign('salt', 'password'), 'hex').subarray(0, 16)))
    // Their fingerprint keeps them out already: on a full disk they are removed later.
    const fingerprint = credential?.fingerprint
    if (fingerprint !== undefined) db.soonest(() => sessions.removeOthers(fingerprint))
  }

  function adopt (passwordHash: string): void {
    credential = { hash: passwordHash, fingerprint: signer.sign('password', passwordHash) }
  }

  const isPasswordGated = (): boolean => password !== null || credential !== null
  const isGated = (): boolean => isPasswordGated() || proxyDigest !== null

  function assertNotPinned (): void {
    if (password !== null) throw new Conflict('The password is set by SVC_WEBUI_PASSWORD: change it there and restart the service')
  }

  /** The credential that `candidate` matches, or null. Throws TooMany. */
  async function check (candidate: string, address?: string): Promise<Credential | null> {
    const asked = credential
    if (asked === null) return null
    const attempt = await throttle.begin(address)
    let matches: boolean
    try {
      matches = await pass(() => matchesPassword(candidate, asked.hash))
    } catch (error) {
      attempt.abandoned()
      throw error
    }
    if (!matches) return null
    attempt.succeeded()
    return asked
  }

  return {
    /** Whether there is a gate at all. */
    get gated (): boolean { return isGated() },
    /** Whether one can sign in with a password. */
    get passwordGated (): boolean { return isPasswordGated() },
    /** Whether the environment sets the password, so that it cannot be changed here. */
    get passwordPinned (): boolean { return password !== null },

    /** Hashes the pinned password, and ends the sessions of an earlier one. */
    ready (): Promise<void> {
      preparing ??= prepare()
      return preparing
    },

    /**
     * Who sends a request with these credentials: the fixed header's bytes as they came, and the values of all cookies
     * that have the session cookie's name. Null: nobody we know.
     */
    admit (presented: { proxySecret?: Buffer, cookies: string[] }): Operator | null {
      if (!isGated()) return open
      if (proxyDigest !== null && presented.proxySecret !== undefined && timingSafeEqual(digest(presented.proxySecret), proxyDigest)) {
        proxyOperator ??= { via: 'proxy', csrfToken: signer.sign('csrf', 'proxy') }
        return proxyOperator
      }
      if (credential === null) return null
      for (const value of presented.cookies) {
        const operator = sessions.find(value, credential.fingerprint)
        if (operator !== null) return operator
      }
      return null
    },

    isCsrfToken: (operator: Operator, token: string): boolean =>
      operator.csrfToken !== '' && equalInConstantTime(operator.csrfToken, token),

    /** What `GET /api/auth/status` answers, in the interface's words. */
    status (operator: Operator | null): AuthStatus {
      const gated = isGated()
      return {
        authenticated: operator !== null,
        password_required: gated,
        auth_enabled: gated,
        logged_in: gated && operator !== null,
        password_auth_enabled: isPasswordGated(),
        passkeys_enabled: false,
        passwordless_enabled: false,
        csrf_token: operator?.csrfToken ?? ''
      }
    },

    /**
     * Opens a session and returns its cookie's value, or null when there is no gate to sign in at. Throws Invalid
     * without a password, Unauthenticated for a wrong one, TooMany (with `retryAfterS`) after five wrong ones in a
     * minute from one address, or when too many are being checked.
     */
    async login ({ password: candidate, address, userAgent }: { password?: string, address?: string, userAgent?: string }): Promise<string | null> {
      if (!isGated()) return null
      if (!isPasswordGated()) throw new Unauthenticated('There is no password to sign in with: this service is reached through its proxy')
      if (candidate === undefined || candidate === '') throw new Invalid('Missing required field(s): password')
      const matched = await check(candidate, address)
      if (matched === null) throw new Unauthenticated('Invalid password')
      return await sessions.open(matched.fingerprint, userAgent)
    },

    /** Whether this is the password in force; counts against the address like a sign-in. Throws TooMany. */
    async isPassword (candidate: string, address?: string): Promise<boolean> {
      return await check(candidate, address) !== null
    },

    /** Opens a session without asking, for who has just set the password. Returns the cookie's value. */
    async openSession (userAgent?: string): Promise<string> {
      if (credential === null) throw new Conflict('There is no password that a session could belong to')
      return await sessions.open(credential.fingerprint, userAgent)
    },

    /** Ends the sessions of these cookie values, as far as they are ours. */
    async logout (cookies: string[]): Promise<void> {
      await Promise.all(cookies.map((value) => sessions.close(value)))
    },

    /** Sets or changes the password and ends every session. Throws Conflict when the environment pins it. */
    async setPassword (next: string): Promise<void> {
      assertNotPinned()
      if (next === '') throw new Invalid('The password must not be empty')
      const passwordHash = await pass(() => hashPassword(next))
      await db.durably(() => {
        values.set('password_hash', passwordHash, epochSeconds(clock))
        sessions.removeOthers(null)
      })
      adopt(passwordHash)
    },

    /** Removes the password and ends every session. Throws Conflict when the environment pins it. */
    async clearPassword (): Promise<void> {
      assertNotPinned()
      await db.durably(() => {
        values.remove('password_hash')
        sessions.removeOthers(null)
      })
      credential = null
    },

    /** Signatures with the service's key, for what other areas hand out (such as the profile cookie). */
    sign: signer.sign,
    verify: signer.verify
  }
}
export type Auth = ReturnType<typeof createAuth>

function digest (secret: Buffer): Buffer {
  return hash('sha256', secret, 'buffer')
}
