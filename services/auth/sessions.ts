import { hash, randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { equalInConstantTime, type Signer } from './signer.js'

/** How a request was admitted. `csrfToken` is what its changing requests must carry; empty where none is needed. */
export interface Operator {
  readonly via: 'open' | 'cookie' | 'proxy'
  /** SHA-256 (hex) of the session's token; only with `cookie`. */
  readonly tokenHash?: string
  readonly csrfToken: string
}

const cookieValue = /^[0-9a-f]{64}\.[0-9a-f]{64}$/
const sessionsKept = 1000
const verifiedKept = 512

/** Sessions opened with the password. A cookie's value is `<token>.<signature>`; the rows know only the token's hash. */
export function createSessions ({ db, clock, signer, ttlS }: { db: Database, clock: Clock, signer: Signer, ttlS: number }) {
  /** Cookies that were found valid, so that the requests which follow cost one look-up here. Oldest first. */
  const verified = new Map<string, { operator: Operator, expiresAt: number }>()

  const insert = db.sqlite.prepare<[string, string, number, number, string | null]>(
    'insert into auth_sessions (token_hash, password_fingerprint, created_at, expires_at, user_agent) values (?, ?, ?, ?, ?)')
  const find = db.sqlite.prepare<[string], { fingerprint: string, expiresAt: number }>(
    'select password_fingerprint as fingerprint, expires_at as expiresAt from auth_sessions where token_hash = ?')
  const remove = db.sqlite.prepare<[string]>('delete from auth_sessions where token_hash = ?')
  const removeOthers = db.sqlite.prepare<[string]>('delete from auth_sessions where password_fingerprint <> ?')
  const removeExpired = db.sqlite.prepare<[number]>('delete from auth_sessions where expires_at <= ?')
  const removeSurplus = db.sqlite.prepare<[number]>(
    'delete from auth_sessions where token_hash in (select token_hash from auth_sessions order by created_at desc, rowid desc limit -1 offset ?)')

  /** The token in a cookie this service signed, or null. */
  function tokenOf (value: string): string | null {
    if (!cookieValue.test(value)) return null
    const token = value.slice(0, 64)
    return signer.verify('session', token, value.slice(65)) ? token : null
  }

  return {
    /** Opens a session and returns its cookie's value. It lasts `ttlS` from now, however much it is used. */
    async open (fingerprint: string, userAgent?: string): Promise<string> {
      const token = randomBytes(32).toString('hex')
      await db.durably(() => {
        const now = epochSeconds(clock)
        removeExpired.run(now)
        insert.run(hash('sha256', token), fingerprint, now, now + ttlS, userAgent?.slice(0, 200) ?? null)
        if (removeSurplus.run(sessionsKept).changes > 0) verified.clear()
      })
      return `${token}.${signer.sign('session', token)}`
    },

    /** Who is behind a cookie; null when it is forged, expired, closed or of another password. */
    find (value: string, fingerprint: string): Operator | null {
      const known = verified.get(value)
      if (known !== undefined) {
        if (known.expiresAt > epochSeconds(clock)) return known.operator
        verified.delete(value)
        return null
      }
      const token = tokenOf(value)
      if (token === null) return null
      const tokenHash = hash('sha256', token)
      const row = find.get(tokenHash)
      if (row === undefined || row.expiresAt <= epochSeconds(clock) || !equalInConstantTime(row.fingerprint, fingerprint)) return null
      const operator: Operator = { via: 'cookie', tokenHash, csrfToken: signer.sign('csrf', token) }
      verified.set(value, { operator, expiresAt: row.expiresAt })
      if (verified.size > verifiedKept) verified.delete(verified.keys().next().value as string)
      return operator
    },

    async close (value: string): Promise<void> {
      const token = tokenOf(value)
      if (token === null) return
      await db.durably(() => { remove.run(hash('sha256', token)) })
      verified.delete(value)
    },

    /** Ends every session that was not opened with the password of this fingerprint (null: all of them); inside a write of the caller's. */
    removeOthers (fingerprint: string | null): void {
      verified.clear()
      removeOthers.run(fingerprint ?? '')
      db.afterCommit(() => verified.clear())
    }
  }
}
