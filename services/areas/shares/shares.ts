import { createHash, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip, createGzip } from 'node:zlib'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { redact } from '../../ground/redaction/index.js'
import { type Exports } from '../export/index.js'
import { type Sessions } from '../sessions/index.js'
import { type AuditPort } from '../audit/index.js'
import { createShareRows } from './rows.js'

const perSession = 20

/** One page that is public; `createdAt` in epoch seconds. */
export interface SharedPage { id: string, title: string, sessionId: string, profile: string, createdAt: number }

const dayOf = (epochMs: number): string =>
  new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' }).format(epochMs)

/** Snapshots of sessions under an address that cannot be guessed. The service keeps the address's hash alone. */
export function createShares ({ db, clock, audit, sessions, exports }: {
  db: Database
  clock: Clock
  audit: AuditPort
  sessions: Pick<Sessions, 'get' | 'isForeign'>
  exports: Pick<Exports, 'snapshot'>
}) {
  const rows = createShareRows(db)

  /** Whether it was there; inside a write of the caller's. */
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
     * Makes a page of the session as it is now and keeps it; the token is told once. The oldest go when there are too many of
     * a session. Throws NotFound, also when it was deleted meanwhile, and Forbidden for one of another front end.
     */
    async create (sessionId: string): Promise<{ id: string, token: string, title: string, createdAtS: number }> {
      const title = redact(sessions.get(sessionId).title)
      // As text, one of a long conversation would hold up everybody while it is stored.
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

    /** The page as it would be shared now, in pieces; nothing is kept. Throws NotFound, and Forbidden for one of another front end. */
    async preview (sessionId: string): Promise<Buffer[]> {
      sessions.get(sessionId)
      return await snapshot(sessionId)
    },

    /** Everything that is public, of every session and profile, the latest first. */
    all: (): SharedPage[] => rows.all().map(({ tokenHash, ...page }) => ({ id: idOf(tokenHash), ...page })),

    /** Takes one of them back. Throws NotFound. */
    async revokeOne (id: string): Promise<void> {
      await db.durably(() => {
        const page = rows.all().find(({ tokenHash }) => idOf(tokenHash) === id)
        if (page === undefined || !remove(page.sessionId, page.tokenHash)) {
          throw new NotFound('This page is not shared, or no longer')
        }
      })
    },

    /** The page behind a token, in pieces. Throws NotFound, also for one that was revoked. */
    async page (token: string): Promise<Buffer[]> {
      const page = rows.page(hashOf(token))
      if (page === undefined) throw new NotFound('This page is not shared, or no longer')
      return typeof page === 'string' ? [Buffer.from(page)] : await Readable.from([page]).pipe(createGunzip()).toArray() as Buffer[]
    },

    /** Those of a session, the latest first; one of another front end has none. Throws NotFound. */
    list (sessionId: string): Array<{ id: string, title: string, createdAtS: number }> {
      if (sessions.isForeign(sessionId)) return []
      return rows.ofSession(sessions.get(sessionId).id).map(({
        tokenHash, title, createdAt
      }) => ({ id: idOf(tokenHash), title, createdAtS: createdAt }))
    },

    /** Without an id, every one of the session. How many there were. Throws NotFound, and Forbidden for one of another front end. */
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
/** Names a share without opening it. */
const idOf = (tokenHash: string): string => tokenHash.slice(0, 12)
