import { hash, randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { type AuditPort } from '../audit/index.js'
import { type TokenScope } from './scopes.js'
import { methodOf, partsOfMark, wayOfDevice, type SignInMethod } from './session-marks.js'
import { createAuthSessionRows, type AuthSessionRow } from './session-rows.js'
import { type Signer } from './signer.js'

/** How a request was admitted. `csrfToken` is what its changing requests must carry; empty if none is needed. */
export interface Operator {
  readonly via: 'open' | 'cookie' | 'proxy' | 'token' | 'console'
  /** Identifies the operator: SHA-256 (hex) of the session's token for `cookie`, the device for `token`. */
  readonly tokenHash?: string
  readonly csrfToken: string
  /** The device, admitted by a token or by the session of a paired browser; absent: a person, who may do everything. */
  readonly deviceId?: string
  /** The scope of that device, or of a program at the console. */
  readonly scope?: TokenScope
}

/** The name of a sign-in where it is mentioned, such as in the audit log; it does not grant access. */
export const signInId = (tokenHash: string): string => tokenHash.slice(0, 12)

const cookieValue = /^[0-9a-f]{64}\.[0-9a-f]{64}$/
const sessionsKept = 1000
const verifiedKept = 512

/** A sign-in of a person, as it is listed. Times in epoch seconds. */
interface SignIn {
  /** A {@link signInId}. */
  id: string
  method: SignInMethod
  createdAt: number
  expiresAt: number
  userAgent: string | null
}

export interface AuthSessionsOptions {
  db: Database
  clock: Clock
  signer: Signer
  audit: AuditPort
  /** Returns the current lifetime of a session, in seconds. */
  ttlS: () => number
}

/**
 * Sessions of clients that have signed in. A cookie's value is `<token>.<signature>`; the rows have only the token's hash, and the mark of
 * what the session was opened with: it ends when that is no longer in force. The mark is the password's fingerprint, or one of those in
 * session-marks.ts. A session lasts as long as was set when it began, and no longer than is set now.
 */
export function createAuthSessions ({ db, clock, signer, audit, ttlS }: AuthSessionsOptions) {
  /** Cookies that were found valid, so that later requests cost one look-up in memory. Oldest first. */
  const verified = new Map<string, { operator: Operator } & AuthSessionRow>()
  const rows = createAuthSessionRows(db)

  const isOpen = ({ createdAt, expiresAt }: AuthSessionRow): boolean => Math.min(expiresAt, createdAt + ttlS()) > epochSeconds(clock)

  /**
   * Opens a session inside a write of the caller's and returns its cookie's value. Its lifetime begins now and is not extended by use.
   */
  function openWithin (credential: string, userAgent?: string): string {
    const token = randomBytes(32).toString('hex')
    const tokenHash = hash('sha256', token)
    const now = epochSeconds(clock)
    rows.removeExpired(now)
    rows.insert({ tokenHash, credential, createdAt: now, expiresAt: now + ttlS(), userAgent: userAgent?.slice(0, 200) ?? null })
    const method = methodOf(credential)
    // For a paired browser, its device is recorded instead.
    if (method !== null) audit.record('auth.sign_in', { method, session: signInId(tokenHash) })
    if (rows.removeSurplus(sessionsKept) > 0) verified.clear()
    return `${token}.${signer.sign('session', token)}`
  }

  const ending = <T>(remove: (of: T) => number) => (of: T): void => {
    remove(of)
    db.afterCommit(() => verified.clear())
  }

  return {
    openWithin,
    ttlS,
    /** Opens a session in a write of its own. */
    open: (credential: string, userAgent?: string): Promise<string> => db.durably(() => openWithin(credential, userAgent)),

    /** Returns the operator for a cookie; null if it is forged, expired, closed, or of a credential that is not in force. */
    find (value: string, isInForce: (credential: string) => boolean): Operator | null {
      const known = verified.get(value)
      if (known !== undefined) {
        if (isOpen(known) && isInForce(known.credential)) return known.operator
        verified.delete(value)
        return null
      }
      const token = tokenOf(value, signer)
      if (token === null) return null
      const tokenHash = hash('sha256', token)
      const row = rows.find(tokenHash)
      if (row === undefined || !isOpen(row) || !isInForce(row.credential)) return null
      const { deviceId } = partsOfMark(row.credential)
      const operator: Operator = { via: 'cookie', tokenHash, csrfToken: signer.sign('csrf', token), ...(deviceId !== null && { deviceId }) }
      verified.set(value, { operator, ...row })
      keepNewest(verified, verifiedKept)
      return operator
    },

    /** Whether a session that was opened has not expired, and its credential is in force. */
    isOpen (tokenHash: string, isInForce: (credential: string) => boolean): boolean {
      const row = rows.find(tokenHash)
      return row !== undefined && isOpen(row) && isInForce(row.credential)
    },

    async close (value: string): Promise<void> {
      const token = tokenOf(value, signer)
      if (token === null) return
      const tokenHash = hash('sha256', token)
      await db.durably(() => {
        if (rows.remove(tokenHash) > 0) audit.record('auth.sign_out', { session: signInId(tokenHash) })
      })
      verified.delete(value)
    },

    /** Lists the open sessions of people, the newest first; paired browsers are listed as devices. */
    list: (): SignIn[] => rows.all().filter(isOpen).flatMap(({ tokenHash, credential, createdAt, expiresAt, userAgent }) => {
      const method = methodOf(credential)
      return method === null ? [] : [{ id: signInId(tokenHash), method, createdAt, expiresAt, userAgent }]
    }),

    /** Ends sign-ins of people by their ids. Returns the ids of those that existed. */
    async end (ids: readonly string[]): Promise<string[]> {
      return await db.durably(() => {
        const ended = rows.all().filter(({ tokenHash, credential }) => ids.includes(signInId(tokenHash)) && methodOf(credential) !== null)
        for (const { tokenHash } of ended) {
          rows.remove(tokenHash)
          audit.record('auth.sign_out', { session: signInId(tokenHash) })
        }
        db.afterCommit(() => verified.clear())
        return ended.map(({ tokenHash }) => signInId(tokenHash))
      })
    },

    /** Ends every session that was not opened under this password (null: all of them), except those of devices. Called inside a write. */
    removeOthers: ending((credential: string | null) => rows.removeOthers(credential ?? '')),

    /** Ends the session of the browser that is this device. Called inside a write. */
    removeOfDevice: ending((deviceId: string) => rows.removeOfWay(wayOfDevice(deviceId))),

    /** Ends the sessions that were opened with this passkey. Called inside a write. */
    removeOfPasskey: ending((passkeyId: string) => rows.removeOfWay(passkeyId))
  }
}

export type AuthSessions = ReturnType<typeof createAuthSessions>

/** Returns the token in a cookie that this service signed, or null. */
function tokenOf (value: string, signer: Signer): string | null {
  if (!cookieValue.test(value)) return null
  const token = value.slice(0, 64)
  return signer.verify('session', token, value.slice(65)) ? token : null
}
