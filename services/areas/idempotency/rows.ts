import { and, eq, gt, lte, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'

export type KnownRequest = typeof tables.knownRequests.$inferSelect

/** The statements of the table `known_requests`; what writes runs inside the caller's transaction. */
export function createRequestRows ({ orm, sqlite }: Database) {
  const { knownRequests: requests } = tables
  const isOne = (owner: string, clientId: string) => and(eq(requests.owner, owner), eq(requests.clientId, clientId))
  const dropOldest = sqlite.prepare<[string, number]>(
    'delete from known_requests where rowid in (select rowid from known_requests where owner = ? order by created_at desc limit -1 offset ?)')

  return {
    /** One that came after `sinceS` (epoch seconds). */
    find: (owner: string, clientId: string, sinceS: number): KnownRequest | undefined =>
      orm.select().from(requests).where(and(isOne(owner, clientId), gt(requests.createdAt, sinceS))).get(),
    /** Takes the place of an older one; the oldest of its owner beyond `most` go. */
    put ({ owner, clientId, sessionId, ...beside }: KnownRequest, most: number): void {
      // A session may be gone by now, and a machine that has joined knows none.
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
    /** Removes `most` of those that came until then, and says how many there were. */
    prune: (untilS: number, most: number): number =>
      orm.delete(requests).where(
        sql`rowid in ${orm.select({ rowid: sql`rowid` }).from(requests).where(lte(requests.createdAt, untilS)).limit(most)}`
      ).run().changes
  }
}
