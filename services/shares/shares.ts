import { createHash, randomBytes } from 'node:crypto'
import { and, desc, eq, ne, sql } from 'drizzle-orm'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { tables, type Database } from '../ground/database/index.js'
import { NotFound } from '../ground/errors.js'

const perSession = 20

/** Snapshots of sessions under an address that cannot be guessed. The service keeps the address's hash alone. */
export function createShares ({ db, clock }: { db: Database, clock: Clock }) {
  const { sessions, shares } = tables
  // Of the same moment, the later one comes first.
  const ofSession = (sessionId: string) => db.orm.select({ tokenHash: shares.tokenHash, title: shares.title, createdAt: shares.createdAt }).from(shares)
    .where(eq(shares.sessionId, sessionId)).orderBy(desc(shares.createdAt), sql`rowid desc`).all()

  return {
    /** Keeps the page; the token is told once. The oldest go when there are too many of a session. Throws NotFound when it was deleted meanwhile. */
    async create (sessionId: string, title: string, html: string): Promise<{ token: string, createdAtS: number }> {
      const token = randomBytes(24).toString('base64url')
      const createdAt = epochSeconds(clock)
      await db.durably(() => {
        if (db.orm.select({ id: sessions.id }).from(sessions).where(and(eq(sessions.id, sessionId), ne(sessions.source, 'deleted'))).get() === undefined) throw new NotFound('Session not found')
        db.orm.insert(shares).values({ tokenHash: hashOf(token), sessionId, title, html, createdAt }).run()
        for (const { tokenHash } of ofSession(sessionId).slice(perSession)) db.orm.delete(shares).where(eq(shares.tokenHash, tokenHash)).run()
      })
      return { token, createdAtS: createdAt }
    },

    /** The page behind a token. Throws NotFound, also for one that was revoked. */
    page (token: string): string {
      const row = db.orm.select({ html: shares.html }).from(shares).where(eq(shares.tokenHash, hashOf(token))).get()
      if (row === undefined) throw new NotFound('This page is not shared, or not any more')
      return row.html
    },

    list: (sessionId: string) => ofSession(sessionId).map(({ tokenHash, title, createdAt }) => ({ id: idOf(tokenHash), title, createdAtS: createdAt })),

    /** Without an id, every one of the session. How many there were. */
    async revoke (sessionId: string, id?: string): Promise<number> {
      return await db.durably(() => {
        let revoked = 0
        for (const { tokenHash } of ofSession(sessionId)) {
          if (id !== undefined && idOf(tokenHash) !== id) continue
          revoked += db.orm.delete(shares).where(and(eq(shares.tokenHash, tokenHash), eq(shares.sessionId, sessionId))).run().changes
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
