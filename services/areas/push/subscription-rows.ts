import { asc, eq, sql } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type SubscriptionRow = typeof tables.pushSubscriptions.$inferSelect

/** The statements of the table `push_subscriptions`; writes run inside the caller's transaction. */
export function createSubscriptionRows ({ orm, sqlite }: Database) {
  const { pushSubscriptions: subscriptions } = tables
  const byId = orm.select().from(subscriptions).where(eq(subscriptions.id, sql.placeholder('id'))).prepare()
  const all = orm.select().from(subscriptions).orderBy(asc(subscriptions.createdAt)).prepare()
  const counted = sqlite.prepare<[], number>('select count(*) from push_subscriptions').pluck()

  return {
    find: (id: string): SubscriptionRow | undefined => byId.get({ id }),
    /** Oldest first. */
    all: (): SubscriptionRow[] => all.all(),
    count: (): number => oneRow(counted),
    /** Adds a subscription; replaces what the same browser said before. */
    put (row: typeof subscriptions.$inferInsert): SubscriptionRow {
      const { createdAt, ...said } = row
      return orm.insert(subscriptions).values(row).onConflictDoUpdate({ target: subscriptions.id, set: said }).returning().get()
    },
    set: (
      id: string, values: Pick<Partial<SubscriptionRow>, 'lastSentAt' | 'lastError'>
    ): void => { orm.update(subscriptions).set(values).where(eq(subscriptions.id, id)).run() },
    /** Removes a subscription and its pending messages. Returns false if it does not exist. */
    remove: (id: string): boolean => orm.delete(subscriptions).where(eq(subscriptions.id, id)).run().changes > 0
  }
}

export type SubscriptionRows = ReturnType<typeof createSubscriptionRows>
