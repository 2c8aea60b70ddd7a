import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type KnownRequest = typeof tables.knownRequests.$inferSelect

/** The statements of the table `known_requests`; writes run inside the caller's transaction. */
export function createRequestRows ({ orm, sqlite }: Database) {
  const { knownRequests: requests } = tables
  const isOne = (owner: string, clientId: string) => and(eq(requests.owner, owner), eq(requests.clientId, clientId))
  const dropOldest = sqlite.prepare<[string, number]>(
    'delete from known_requests where rowid in (select rowid from known_requests where owner = ? order by created_at desc limit -1 offset ?)')

  return {
    /** Returns a request that arrived after `sinceS` (epoch seconds). */
    find: (owner: string, clientId: string, sinceS: number): KnownRequest | undefined =>
      orm.select().from(requests).where(and(isOne(owner, clientId), gt(requests.createdAt, sinceS))).get(),
    /** Replaces an older one; deletes the oldest of its owner beyond `most`. */
    put ({ owner, clientId, sessionId, ...beside }: KnownRequest, most: number): void {
      // The session may be gone by now, and a machine that has joined has no sessions.
      const values = { ...beside, sessionId: sql`(select id from sessions where id = ${sessionId})` }
      orm.insert(requests).values({ owner, clientId, ...values }).onConflictDoUpdate({
        target: [requests.owner, requests.clientId], set: values
      }).run()
      dropOldest.run(owner, most)
    },
    setAnswer: (
      owner: string, clientId: string, answer: string
    ): void => { orm.update(requests).set({ answer }).where(isOne(owner, clientId)).run() },
    remove: (owner: string, clientId: string): void => { orm.delete(requests).where(isOne(owner, clientId)).run() },
    removeAll: (owner: string): void => { orm.delete(requests).where(eq(requests.owner, owner)).run() },
    /** Removes at most `most` requests that arrived up to `untilS`, and returns how many it removed. */
    prune: (untilS: number, most: number): number =>
      orm.delete(requests).where(
        sql`rowid in ${orm.select({ rowid: sql`rowid` }).from(requests).where(lte(requests.createdAt, untilS)).limit(most)}`
      ).run().changes
  }
}
