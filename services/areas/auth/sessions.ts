import { hash, randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { type AuditPort } from '../audit/index.js'
import { type TokenScope } from './scopes.js'
import { type Signer } from './signer.js'

/** How a request was admitted. `csrfToken` is what its changing requests must carry; empty where none is needed. */
export interface Operator {
  readonly via: 'open' | 'cookie' | 'proxy' | 'token' | 'console'
  /** What tells it from others: SHA-256 (hex) of the session's token with `cookie`, the device with `token`. */
  readonly tokenHash?: string
  readonly csrfToken: string
  /** The device it is, by a token or by the session of a browser that was paired; absent: a person, who may do everything. */
  readonly deviceId?: string
  /** What that device, or a program at the console, may do. */
  readonly scope?: TokenScope
}

const noPassword = '-'
const oidcPrefix = 'oidc:'
const devicePrefix = 'device:'

/** Marks a session that was opened with a passkey. The password of that time is part of it: when that changes, this ends as well. */
export function passkeyMark (fingerprint: string | null, passkeyId: string): string {
  return `${fingerprint ?? noPassword}+${passkeyId}`
}

/** The same for one that was opened with OpenID Connect. A passkey's id has no colon. */
export function oidcMark (fingerprint: string | null, version: string): string {
  return `${fingerprint ?? noPassword}+${oidcPrefix}${version}`
}

/** The same for the browser that is a device. It ends with that, whatever becomes of the password. */
export function deviceMark (id: string): string {
  return `${noPassword}+${devicePrefix}${id}`
}

/**
 * The parts of a mark; `fingerprint` is null when there was no password, `passkeyId`, `oidc` and `deviceId` when it was opened otherwise.
 */
export function partsOfMark (mark: string): {
  fingerprint: string | null
  passkeyId: string | null
  oidc: string | null
  deviceId: string | null
} {
  const none = { passkeyId: null, oidc: null, deviceId: null }
  const plus = mark.indexOf('+')
  if (plus === -1) return { ...none, fingerprint: mark }
  const [password, way] = [mark.slice(0, plus), mark.slice(plus + 1)]
  const fingerprint = password === noPassword ? null : password
  if (way.startsWith(oidcPrefix)) return { ...none, fingerprint, oidc: way.slice(oidcPrefix.length) }
  if (way.startsWith(devicePrefix)) return { ...none, fingerprint, deviceId: way.slice(devicePrefix.length) }
  return { ...none, fingerprint, passkeyId: way }
}

/** What a sign-in is called where it is named, such as in the audit log: nobody gets in with it. */
export const signInId = (tokenHash: string): string => tokenHash.slice(0, 12)

const cookieValue = /^[0-9a-f]{64}\.[0-9a-f]{64}$/
/** How somebody has signed in whose session has this mark; null: a device was paired. */
function methodOf (mark: string): 'password' | 'passkey' | 'oidc' | null {
  const { passkeyId, oidc, deviceId } = partsOfMark(mark)
  return deviceId !== null ? null : oidc !== null ? 'oidc' : passkeyId !== null ? 'passkey' : 'password'
}

const sessionsKept = 1000
const verifiedKept = 512

/** Somebody who has signed in, as it is listed. Times in epoch seconds. */
interface SignIn {
  /** A {@link signInId}. */
  id: string
  method: 'password' | 'passkey' | 'oidc'
  createdAt: number
  expiresAt: number
  userAgent: string | null
}

/** Times in epoch seconds. */
interface SessionRow { credential: string, createdAt: number, expiresAt: number }

export interface AuthSessionsOptions {
  db: Database
  clock: Clock
  signer: Signer
  audit: AuditPort
  /** How long a session lasts, in seconds, as it is set now. */
  ttlS: () => number
}

/**
 * Sessions of clients that have signed in. A cookie's value is `<token>.<signature>`; the rows know only the token's hash, and
 * the mark of what a session was opened with: it ends when that is in force no more. The mark is the password's fingerprint, or
 * a {@link passkeyMark} or an {@link oidcMark}. A session lasts as long as was set when it began, and no longer than is set now.
 */
export function createSessions ({ db, clock, signer, audit, ttlS }: AuthSessionsOptions) {
  /** Cookies that were found valid, so that the requests which follow cost one look-up here. Oldest first. */
  const verified = new Map<string, { operator: Operator } & SessionRow>()

  const insert = db.sqlite.prepare<[string, string, number, number, string | null]>(
    'insert into auth_sessions (token_hash, password_fingerprint, created_at, expires_at, user_agent) values (?, ?, ?, ?, ?)')
  const find = db.sqlite.prepare<[string], SessionRow>(
    'select password_fingerprint as credential, created_at as createdAt, expires_at as expiresAt from auth_sessions where token_hash = ?')
  const select = db.sqlite.prepare<[], SessionRow & { tokenHash: string, userAgent: string | null }>(`select token_hash as tokenHash,
    password_fingerprint as credential, created_at as createdAt, expires_at as expiresAt, user_agent as userAgent
    from auth_sessions order by created_at desc, rowid desc`)
  const remove = db.sqlite.prepare<[string]>('delete from auth_sessions where token_hash = ?')
  const removeOthers = db.sqlite.prepare<[{ credential: string }]>(
    "delete from auth_sessions where password_fingerprint <> @credential and password_fingerprint not like @credential || '+%' and password_fingerprint not like '%+device:%'")
  const removeOfPasskey = db.sqlite.prepare<[string]>(
    "delete from auth_sessions where instr(password_fingerprint, '+') > 0 and substr(password_fingerprint, instr(password_fingerprint, '+') + 1) = ?")
  const removeExpired = db.sqlite.prepare<[number]>('delete from auth_sessions where expires_at <= ?')
  const removeSurplus = db.sqlite.prepare<[number]>(
    'delete from auth_sessions where token_hash in (select token_hash from auth_sessions order by created_at desc, rowid desc limit -1 offset ?)')

  /** The token in a cookie this service signed, or null. */
  function tokenOf (value: string): string | null {
    if (!cookieValue.test(value)) return null
    const token = value.slice(0, 64)
    return signer.verify('session', token, value.slice(65)) ? token : null
  }

  function isOpen ({ createdAt, expiresAt }: SessionRow): boolean {
    return Math.min(expiresAt, createdAt + ttlS()) > epochSeconds(clock)
  }

  /**
   * Opens a session inside a write of the caller's and returns its cookie's value. It lasts that long from now, however much it is used.
   */
  function openWithin (credential: string, userAgent?: string): string {
    const token = randomBytes(32).toString('hex')
    const tokenHash = hash('sha256', token)
    const now = epochSeconds(clock)
    removeExpired.run(now)
    insert.run(tokenHash, credential, now, now + ttlS(), userAgent?.slice(0, 200) ?? null)
    const method = methodOf(credential)
    // Of a browser that is paired, its device is recorded.
    if (method !== null) audit.record('auth.sign_in', { method, session: signInId(tokenHash) })
    if (removeSurplus.run(sessionsKept).changes > 0) verified.clear()
    return `${token}.${signer.sign('session', token)}`
  }

  return {
    openWithin,
    ttlS,
    /** The same as a write of its own. */
    open: (credential: string, userAgent?: string): Promise<string> => db.durably(() => openWithin(credential, userAgent)),

    /** Who is behind a cookie; null when it is forged, expired, closed, or of a credential that is not in force. */
    find (value: string, isInForce: (credential: string) => boolean): Operator | null {
      const known = verified.get(value)
      if (known !== undefined) {
        if (isOpen(known) && isInForce(known.credential)) return known.operator
        verified.delete(value)
        return null
      }
      const token = tokenOf(value)
      if (token === null) return null
      const tokenHash = hash('sha256', token)
      const row = find.get(tokenHash)
      if (row === undefined || !isOpen(row) || !isInForce(row.credential)) return null
      const { deviceId } = partsOfMark(row.credential)
      const operator: Operator = { via: 'cookie', tokenHash, csrfToken: signer.sign('csrf', token), ...(deviceId !== null && { deviceId }) }
      verified.set(value, { operator, ...row })
      keepNewest(verified, verifiedKept)
      return operator
    },

    /** A session that was opened is not over, and its credential is in force. */
    isOpen (tokenHash: string, isInForce: (credential: string) => boolean): boolean {
      const row = find.get(tokenHash)
      return row !== undefined && row.expiresAt > epochSeconds(clock) && isInForce(row.credential)
    },

    async close (value: string): Promise<void> {
      const token = tokenOf(value)
      if (token === null) return
      const tokenHash = hash('sha256', token)
      await db.durably(() => {
        if (remove.run(tokenHash).changes > 0) audit.record('auth.sign_out', { session: signInId(tokenHash) })
      })
      verified.delete(value)
    },

    /** Those of people that are open, the newest first; browsers that were paired are devices. */
    list: (): SignIn[] => select.all().filter(isOpen).flatMap(({ tokenHash, credential, createdAt, expiresAt, userAgent }) => {
      const method = methodOf(credential)
      return method === null ? [] : [{ id: signInId(tokenHash), method, createdAt, expiresAt, userAgent }]
    }),

    /** Ends sign-ins of people, by their ids. Returns those of them that there were. */
    async end (ids: readonly string[]): Promise<string[]> {
      return await db.durably(() => {
        const ended = select.all().filter(({ tokenHash, credential }) => ids.includes(signInId(tokenHash)) && methodOf(credential) !== null)
        for (const { tokenHash } of ended) {
          remove.run(tokenHash)
          audit.record('auth.sign_out', { session: signInId(tokenHash) })
        }
        db.afterCommit(() => verified.clear())
        return ended.map(({ tokenHash }) => signInId(tokenHash))
      })
    },

    /** Ends every session that was not opened under this password (null: all of them); inside a write of the caller's. */
    removeOthers (credential: string | null): void {
      removeOthers.run({ credential: credential ?? '' })
      db.afterCommit(() => verified.clear())
    },

    /** Ends the session of a browser that is this device; inside a write of the caller's. */
    removeOfDevice (deviceId: string): void {
      removeOfPasskey.run(devicePrefix + deviceId)
      db.afterCommit(() => verified.clear())
    },

    /** Ends the sessions that were opened with this passkey; inside a write of the caller's. */
    removeOfPasskey (passkeyId: string): void {
      removeOfPasskey.run(passkeyId)
      db.afterCommit(() => verified.clear())
    }
  }
}

export type AuthSessions = ReturnType<typeof createSessions>
