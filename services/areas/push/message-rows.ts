import { eq } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type MessageRow = typeof tables.pushMessages.$inferSelect

/** The statements of the table `push_messages`; what writes runs inside the caller's transaction. */
export function createMessageRows ({ orm, sqlite }: Database) {
  const { pushMessages: messages } = tables
  // With min(), the other columns are those of the row that has the least.
  const due = sqlite.prepare<[number, number], MessageRow>(
    `select id, subscription_id as subscriptionId, kind, prompt_id as promptId, body, attempts, min(next_attempt_at) as nextAttemptAt, created_at as createdAt, expires_at as expiresAt
     from push_messages where next_attempt_at <= ? group by subscription_id order by nextAttemptAt limit ?`)
  const nextAfter = sqlite.prepare<[number], number | null>(
    'select min(next_attempt_at) from push_messages where next_attempt_at > ?'
  ).pluck()
  const dropSurplus = sqlite.prepare<[string, number]>(
    'delete from push_messages where id in (select id from push_messages where subscription_id = ? order by created_at desc, rowid desc limit -1 offset ?)')
  const count = sqlite.prepare<[], number>('select count(*) from push_messages').pluck()
  const held = sqlite.prepare<[string, string, number], Pick<MessageRow, 'id' | 'body'>>(
    `select id, body from push_messages where subscription_id = ? and id <> ? and prompt_id is null and kind <> 'pull' and next_attempt_at > ?
     order by next_attempt_at limit 1`)
  const hurry = sqlite.prepare<[{ atS: number }]>('update push_messages set next_attempt_at = @atS where next_attempt_at > @atS')

  return {
    /** The first of each subscription whose time has come. */
    due: (nowS: number, most: number): MessageRow[] => due.all(nowS, most),
    /** When the first is due after a moment, in epoch seconds. */
    nextAfter: (nowS: number): number | null => nextAfter.get(nowS) ?? null,
    count: (): number => oneRow(count),
    /** Adds one, and drops the oldest of a subscription that has more than `most`. */
    insert (row: typeof messages.$inferInsert, most: number): void {
      orm.insert(messages).values(row).run()
      dropSurplus.run(row.subscriptionId, most)
    },
    again: (
      id: string, attempts: number, nextAttemptAt: number
    ): void => { orm.update(messages).set({ attempts, nextAttemptAt }).where(eq(messages.id, id)).run() },
    remove: (id: string): void => { orm.delete(messages).where(eq(messages.id, id)).run() },
    /** Another message of a subscription that tells of something that has ended and is due later. */
    held: (
      { id, subscriptionId }: MessageRow, nowS: number
    ): Pick<MessageRow, 'id' | 'body'> | undefined => held.get(subscriptionId, id, nowS),
    /** It says something else, and is due at another time. */
    hold: (id: string, values: Pick<MessageRow, 'body' | 'kind' | 'nextAttemptAt' | 'expiresAt'>): void => {
      orm.update(messages).set(values).where(eq(messages.id, id)).run()
    },
    /** None waits longer than this: the clock was put back. */
    hurry: (atS: number): void => { hurry.run({ atS }) }
  }
}

export type MessageRows = ReturnType<typeof createMessageRows>
