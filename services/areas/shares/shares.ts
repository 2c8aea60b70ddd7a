import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip, createGzip } from 'node:zlib'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { redact } from '../../ground/redaction/index.js'
import { type Exports } from '../exports/index.js'
import { type Sessions } from '../sessions/index.js'
import { type AuditPort } from '../audit/index.js'
import { createShareRows } from './rows.js'

const perSession = 20

/** A public page; `createdAt` in epoch seconds. */
export interface SharedPage { id: string, title: string, sessionId: string, profile: string, createdAt: number }

const dayOf = (epochMs: number): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(epochMs)

/** Snapshots of sessions at addresses that cannot be guessed. The service stores only a hash of the address. */
export function createShares ({ db, clock, audit, sessions, exports }: {
  db: Database
  clock: Clock
  audit: AuditPort
  sessions: Pick<Sessions, 'get' | 'isForeign'>
  exports: Pick<Exports, 'snapshot'>
}) {
  const rows = createShareRows(db)

  /** Removes a share inside a write of the caller's. Returns whether it existed. */
  function remove (sessionId: string, tokenHash: string): boolean {
    const isRemoved = rows.remove(sessionId, tokenHash)
    if (isRemoved) audit.record('share.revoked', { session: sessionId, share: idOf(tokenHash) })
    return isRemoved
  }

  async function snapshot (sessionId: string): Promise<Buffer[]> {
    return await exports.snapshot(sessionId, `${dayOf(clock.now())} · Read only`)
  }

  return {
    /**
     * Makes a page of the present session and stores it; the token is returned only here. The oldest pages of a session are removed if
     * there are too many. Throws NotFound, also if the session was deleted meanwhile, and Forbidden for a session of another program.
     */
    async create (sessionId: string): Promise<{ id: string, token: string, title: string, createdAtS: number }> {
      const title = redact(sessions.get(sessionId).title)
      // Uncompressed, the page of a long conversation would block everyone while it is stored.
      const page = await buffer(Readable.from(await snapshot(sessionId)).pipe(createGzip()))
      const token = randomBytes(24).toString('base64url')
      const createdAt = epochSeconds(clock)
      await db.durably(() => {
        sessions.get(sessionId)
        rows.insert({ tokenHash: hashOf(token), sessionId, title, page, createdAt })
        for (const { tokenHash } of rows.ofSession(sessionId).slice(perSession)) remove(sessionId, tokenHash)
        audit.record('share.created', { session: sessionId, share: idOf(hashOf(token)) })
      })
      return { id: idOf(hashOf(token)), token, title, createdAtS: createdAt }
    },

    /**
     * Returns the page as it would be shared now, in pieces; stores nothing. Throws NotFound, and Forbidden for a session of another
     * program.
     */
    async preview (sessionId: string): Promise<Buffer[]> {
      sessions.get(sessionId)
      return await snapshot(sessionId)
    },

    /** Returns all public pages, of every session and profile, latest first. */
    all: (): SharedPage[] => rows.all().map(({ tokenHash, ...page }) => ({ id: idOf(tokenHash), ...page })),

    /** Revokes one public page. Throws NotFound. */
    async revokeOne (id: string): Promise<void> {
      await db.durably(() => {
        const page = rows.all().find(({ tokenHash }) => idOf(tokenHash) === id)
        if (page === undefined || !remove(page.sessionId, page.tokenHash)) {
          throw new NotFound('This page does not exist, or is no longer shared')
        }
      })
    },

    /** Returns the page of a token, in pieces. Throws NotFound, also for a revoked one. */
    async page (token: string): Promise<Buffer[]> {
      const page = rows.page(hashOf(token))
      if (page === undefined) throw new NotFound('This page does not exist, or is no longer shared')
      return typeof page === 'string' ? [Buffer.from(page)] : await Readable.from([page]).pipe(createGunzip()).toArray() as Buffer[]
    },

    /** Returns the pages of a session, latest first; none for a session of another program. Throws NotFound. */
    list (sessionId: string): Array<{ id: string, title: string, createdAtS: number }> {
      if (sessions.isForeign(sessionId)) return []
      return rows.ofSession(sessions.get(sessionId).id).map(({
        tokenHash, title, createdAt
      }) => ({ id: idOf(tokenHash), title, createdAtS: createdAt }))
    },

    /**
     * Revokes one page of a session, or without an id all of them. Returns how many were revoked. Throws NotFound, and Forbidden for a
     * session of another program.
     */
    async revoke (sessionId: string, id?: string): Promise<number> {
      sessions.get(sessionId)
      return await db.durably(() => {
        let revoked = 0
        for (const { tokenHash } of rows.ofSession(sessionId)) {
          if (id !== undefined && idOf(tokenHash) !== id) continue
          if (remove(sessionId, tokenHash)) revoked++
        }
        return revoked
      })
    }
  }
}

export type Shares = ReturnType<typeof createShares>

const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')
/** Identifies a share without giving access to it. */
const idOf = (tokenHash: string): string => tokenHash.slice(0, 12)
