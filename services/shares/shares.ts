import { createHash, randomBytes } from 'node:crypto'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { NotFound } from '../ground/errors.js'
import { type Sessions } from '../sessions/index.js'
import { createShareRows } from './rows.js'

const perSession = 20

/** Snapshots of sessions under an address that cannot be guessed. The service keeps the address's hash alone. */
export function createShares ({ db, clock, sessions }: { db: Database, clock: Clock, sessions: Pick<Sessions, 'get'> }) {
  const rows = createShareRows(db)

  return {
    /** Keeps the page; the token is told once. The oldest go when there are too many of a session. Throws NotFound when it was deleted meanwhile. */
    async create (sessionId: string, title: string, html: string): Promise<{ token: string, createdAtS: number }> {
      const token = randomBytes(24).toString('base64url')
      const createdAt = epochSeconds(clock)
      await db.durably(() => {
        sessions.get(sessionId)
        rows.insert({ tokenHash: hashOf(token), sessionId, title, html, createdAt })
        for (const { tokenHash } of rows.ofSession(sessionId).slice(perSession)) rows.remove(sessionId, tokenHash)
      })
      return { token, createdAtS: createdAt }
    },

    /** The page behind a token. Throws NotFound, also for one that was revoked. */
    page (token: string): string {
      const html = rows.html(hashOf(token))
      if (html === undefined) throw new NotFound('This page is not shared, or not any more')
      return html
    },

    list: (sessionId: string) => rows.ofSession(sessionId).map(({ tokenHash, title, createdAt }) => ({ id: idOf(tokenHash), title, createdAtS: createdAt })),

    /** Without an id, every one of the session. How many there were. */
    async revoke (sessionId: string, id?: string): Promise<number> {
      return await db.durably(() => {
        let revoked = 0
        for (const { tokenHash } of rows.ofSession(sessionId)) {
          if (id !== undefined && idOf(tokenHash) !== id) continue
          if (rows.remove(sessionId, tokenHash)) revoked++
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
