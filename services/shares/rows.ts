import { and, desc, eq, sql } from 'drizzle-orm'
import { tables, type Database } from '../ground/database/index.js'

export type ShareRow = typeof tables.shares.$inferSelect

/** The statements of the table `shares`; what writes runs inside the caller's transaction. */
export function createShareRows ({ orm }: Database) {
  const { shares, sessions } = tables
  // Joined with the sessions, as an overview names each.
  const all = orm.select({ tokenHash: shares.tokenHash, title: shares.title, createdAt: shares.createdAt, sessionId: shares.sessionId, profile: sessions.profile })
    .from(shares).innerJoin(sessions, eq(sessions.id, shares.sessionId)).orderBy(desc(shares.createdAt), sql`${shares}.rowid desc`).prepare()

  return {
    insert: (row: ShareRow): void => { orm.insert(shares).values(row).run() },
    html: (tokenHash: string): string | undefined => orm.select({ html: shares.html }).from(shares).where(eq(shares.tokenHash, tokenHash)).get()?.html,
    /** The latest first; of the same moment, the later one. */
    ofSession: (sessionId: string) => orm.select({ tokenHash: shares.tokenHash, title: shares.title, createdAt: shares.createdAt }).from(shares)
      .where(eq(shares.sessionId, sessionId)).orderBy(desc(shares.createdAt), sql`rowid desc`).all(),
    /** Of every session, the latest first. */
    all: () => all.all(),
    /** False when it is not there. */
    remove: (sessionId: string, tokenHash: string): boolean =>
      orm.delete(shares).where(and(eq(shares.tokenHash, tokenHash), eq(shares.sessionId, sessionId))).run().changes > 0
  }
}
