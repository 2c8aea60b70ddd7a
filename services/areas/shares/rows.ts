import { and, desc, eq, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

/** `page`: its HTML, compressed. */
export type ShareRow = Omit<typeof tables.shares.$inferSelect, 'html'> & { page: Buffer }

/** The statements of the table `shares`; writes run inside the caller's transaction. */
export function createShareRows ({ orm, sqlite }: Database) {
  const { shares, sessions } = tables
  // Joined with the sessions, because the overview shows the profile of each.
  const all = orm.select({
    tokenHash: shares.tokenHash, title: shares.title, createdAt: shares.createdAt, sessionId: shares.sessionId, profile: sessions.profile
  })
    .from(shares).innerJoin(sessions, eq(sessions.id, shares.sessionId)).orderBy(
      desc(shares.createdAt), sql`${shares}.rowid desc`
    ).prepare()

  const insert = sqlite.prepare<[string, string, string, Buffer, number]>(
    'insert into shares (token_hash, session_id, title, html, created_at) values (?, ?, ?, ?, ?)'
  )
  const page = sqlite.prepare<[string], { html: Buffer | string, createdAt: number }>(
    'select html, created_at as createdAt from shares where token_hash = ?'
  )

  return {
    insert: ({
      tokenHash, sessionId, title, page, createdAt
    }: ShareRow): void => { insert.run(tokenHash, sessionId, title, page, createdAt) },
    /** Returns a page with its time; as text if an earlier version has stored it. */
    page: (tokenHash: string): { html: Buffer | string, createdAt: number } | undefined => page.get(tokenHash),
    /** Sorted from latest to earliest; in the same moment, by order of insertion. */
    ofSession: (sessionId: string) =>
      orm.select({ tokenHash: shares.tokenHash, title: shares.title, createdAt: shares.createdAt }).from(shares)
        .where(eq(shares.sessionId, sessionId)).orderBy(desc(shares.createdAt), sql`rowid desc`).all(),
    /** Returns the shares of all sessions, latest first. */
    all: () => all.all(),
    /** Returns false if the share does not exist. */
    remove: (sessionId: string, tokenHash: string): boolean =>
      orm.delete(shares).where(and(eq(shares.tokenHash, tokenHash), eq(shares.sessionId, sessionId))).run().changes > 0
  }
}
