import { eq } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type PushMessageRow = typeof tables.pushMessages.$inferSelect

/** The statements of the table `push_messages`; writes run inside the caller's transaction. */
export function createPushMessageRows ({ orm, sqlite }: Database) {
  const { pushMessages: messages } = tables
  // With min(), SQLite takes the other columns from the row with the minimum.
  const due = sqlite.prepare<[number, number], PushMessageRow>(
    `select id, subscription_id as subscriptionId, kind, prompt_id as promptId, body, attempts, min(next_attempt_at) as nextAttemptAt, created_at as createdAt, expires_at as expiresAt
     from push_messages where next_attempt_at <= ? group by subscription_id order by nextAttemptAt limit ?`)
  const nextAfter = sqlite.prepare<[number], number | null>(
    'select min(next_attempt_at) from push_messages where next_attempt_at > ?'
  ).pluck()
  const dropSurplus = sqlite.prepare<[string, number]>(
    'delete from push_messages where id in (select id from push_messages where subscription_id = ? order by created_at desc, rowid desc limit -1 offset ?)')
  const count = sqlite.prepare<[], number>('select count(*) from push_messages').pluck()
  const held = sqlite.prepare<[string, string, number], Pick<PushMessageRow, 'id' | 'body'>>(
    `select id, body from push_messages where subscription_id = ? and id <> ? and prompt_id is null and kind <> 'pull' and next_attempt_at > ?
     order by next_attempt_at limit 1`)
  const hurry = sqlite.prepare<[{ atS: number }]>('update push_messages set next_attempt_at = @atS where next_attempt_at > @atS')

  return {
    /** Returns the earliest due message of each subscription. */
    due: (nowS: number, most: number): PushMessageRow[] => due.all(nowS, most),
    /** Returns when the next message after a moment is due, in epoch seconds. */
    nextAfter: (nowS: number): number | null => nextAfter.get(nowS) ?? null,
    count: (): number => oneRow(count),
    /** Adds a message, and drops a subscription's oldest ones beyond `most`. */
    insert (row: typeof messages.$inferInsert, most: number): void {
      orm.insert(messages).values(row).run()
      dropSurplus.run(row.subscriptionId, most)
    },
    again: (
      id: string, attempts: number, nextAttemptAt: number
    ): void => { orm.update(messages).set({ attempts, nextAttemptAt }).where(eq(messages.id, id)).run() },
    remove: (id: string): void => { orm.delete(messages).where(eq(messages.id, id)).run() },
    /** Returns another held message of the subscription about something that has ended. */
    held: (
      { id, subscriptionId }: PushMessageRow, nowS: number
    ): Pick<PushMessageRow, 'id' | 'body'> | undefined => held.get(subscriptionId, id, nowS),
    /** Replaces the content of a held message, and when it is due. */
    hold: (id: string, values: Pick<PushMessageRow, 'body' | 'kind' | 'nextAttemptAt' | 'expiresAt'>): void => {
      orm.update(messages).set(values).where(eq(messages.id, id)).run()
    },
    /** Makes all messages due at this time at the latest, in case the clock was set back. */
    hurry: (atS: number): void => { hurry.run({ atS }) }
  }
}

export type PushMessageRows = ReturnType<typeof createPushMessageRows>
