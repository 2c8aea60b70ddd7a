import type Sqlite from 'better-sqlite3'
import { and, asc, eq, gt, isNotNull, lte, max, sql } from 'drizzle-orm'
import { type Attachment } from '../../agent/protocol.js'
import { inFolder, oneRow, tables, type Database } from '../../ground/database/index.js'

type EntryRow = typeof tables.queueEntries.$inferSelect
type QueueRow = typeof tables.queues.$inferSelect

/** A waiting message. */
export interface Entry extends Omit<EntryRow, 'attachments'> { attachments: Attachment[] }
export type StoredHold = NonNullable<QueueRow['heldReason']>

/** Owned texts that a run has not taken yet: they may return to the queue. */
const returning = "from streams join steers on stream_id = streams.id where steers.state = 'pending' and origin is not null"

const entryOf = (row: EntryRow): Entry => ({ ...row, attachments: JSON.parse(row.attachments) as Attachment[] })

/** The tables `queue_entries` and `queues`; writes run inside the caller's transaction. */
export function createQueueRows ({ orm, sqlite }: Database) {
  const { queueEntries: entries, queues } = tables
  const count = sqlite.prepare<[string], number>('select count(*) from queue_entries where session_id = ?').pluck()
  const over = sqlite.prepare<[{ sessionId: string }], number>(
    `select not exists (select 1 from queue_entries where session_id = @sessionId) and not exists (
       select 1 ${returning} and streams.session_id = @sessionId
       and exists (select 1 from queues where queues.session_id = @sessionId and held_reason = 'restored'))`).pluck()
  const all = sqlite.prepare<[], number>('select count(*) from queue_entries').pluck()
  const first = orm.select().from(entries).where(eq(entries.sessionId, sql.placeholder('sessionId'))).orderBy(asc(entries.position))
    .limit(1).prepare()
  const queue = orm.select().from(queues).where(eq(queues.sessionId, sql.placeholder('sessionId'))).prepare()
  const raise = sqlite.prepare<[string], number>(
    `insert into queues (session_id, version) values (?, 1)
     on conflict do update set version = version + 1 returning version`).pluck()
  const place = sqlite.prepare('update queue_entries set position = ? where id = ?')
  const within = sqlite.prepare<[{ folder: string }], string>(`select distinct session_id from queue_entries where ${inFolder}`).pluck()
  const moveOut = sqlite.prepare(
    `update queue_entries set workspace = @to, version = @version where session_id = @sessionId and ${inFolder}`)

  const list = (sessionId: string): Entry[] =>
    orm.select().from(entries).where(eq(entries.sessionId, sessionId)).orderBy(asc(entries.position)).all().map(entryOf)

  /** Moves an entry to an index in the order, from 0; beyond the end means the end. */
  function put (sessionId: string, id: string, index: number): void {
    const others = list(sessionId).map((entry) => entry.id).filter((other) => other !== id)
    for (const [position, other] of others.toSpliced(index, 0, id).entries()) place.run(position, other)
  }

  return {
    list,
    count: (sessionId: string): number => oneRow(count, sessionId),
    /** Whether a queue is empty. With the hold of a restored backup it is not over while messages may still return to it. */
    isOver: (sessionId: string): boolean => oneRow(over, { sessionId }) === 1,
    /** Returns how many messages wait in all sessions. */
    countAll: (): number => oneRow(all),
    find (sessionId: string, id: string): Entry | undefined {
      const row = orm.select().from(entries).where(and(eq(entries.id, id), eq(entries.sessionId, sessionId))).get()
      return row && entryOf(row)
    },
    /** Returns the next entry. */
    first (sessionId: string): Entry | undefined {
      const row = first.get({ sessionId })
      return row && entryOf(row)
    },
    queue: (sessionId: string): QueueRow | undefined => queue.get({ sessionId }),
    /** Returns the sessions with waiting messages. */
    sessions: (): string[] => orm.selectDistinct({ id: entries.sessionId }).from(entries).all().map(({ id }) => id),
    /** Returns the sessions with a message whose time has come; `nextTime` returns the next such time, in epoch seconds. */
    due: (nowS: number): string[] =>
      orm.selectDistinct({ id: entries.sessionId }).from(entries).where(lte(entries.notBefore, nowS)).all().map(({ id }) => id),
    nextTime: (nowS: number): number | null =>
      orm.select({ at: sql<number | null>`min(${entries.notBefore})` }).from(entries)
        .where(and(isNotNull(entries.notBefore), gt(entries.notBefore, nowS))).get()?.at ?? null,

    /** Raises the version of the queue for a change, and returns it. */
    raise: (sessionId: string): number => oneRow(raise, sessionId),
    /** Inserts an entry at an index; beyond the end means the end. */
    insert ({ attachments, ...values }: Omit<Entry, 'position'>, index: number): void {
      const last = orm.select({ position: max(entries.position) }).from(entries).where(eq(entries.sessionId, values.sessionId)).get()
      const isLast = index >= oneRow(count, values.sessionId)
      orm.insert(entries).values({ ...values, position: (last?.position ?? -1) + 1, attachments: JSON.stringify(attachments) }).run()
      if (!isLast) put(values.sessionId, values.id, index)
    },
    change (id: string, { attachments, ...values }: Partial<Entry>): void {
      const files = attachments === undefined ? {} : { attachments: JSON.stringify(attachments) }
      orm.update(entries).set({ ...values, ...files }).where(eq(entries.id, id)).run()
    },
    put,
    /** Returns false if the entry is gone or was changed. */
    remove: ({ id, version }: Pick<Entry, 'id' | 'version'>): boolean =>
      orm.delete(entries).where(and(eq(entries.id, id), eq(entries.version, version))).run().changes === 1,
    /** Returns the sessions with messages that are to begin in a folder, or below it. */
    within: (folder: string): string[] => within.all({ folder }),
    /** Has those messages of a session begin in `to`. */
    moveOut: (move: { sessionId: string, folder: string, to: string, version: number }): void => { moveOut.run(move) },
    clear: (sessionId: string): void => { orm.delete(entries).where(eq(entries.sessionId, sessionId)).run() },
    hold: (sessionId: string, heldReason: StoredHold | null): void => {
      orm.update(queues).set({ heldReason }).where(eq(queues.sessionId, sessionId)).run()
    },
    resumed: (sessionId: string, resumedAt: number): void => {
      orm.update(queues).set({ heldReason: null, resumedAt }).where(eq(queues.sessionId, sessionId)).run()
    }
  }
}

/** Holds the queues of a restored database: their messages may have begun since it was copied, so a person has to look first. */
export function holdRestored (sqlite: Sqlite.Database): void {
  const has = sqlite.prepare<[table: string, column: string], number>('select 1 from pragma_table_info(?) where name = ?').pluck()
  // The copy may be from before queues existed, or before turns returned messages to them.
  if (has.get('queue_entries', 'id') === undefined) return
  const too = has.get('steers', 'origin') === undefined ? '' : `union select session_id ${returning}`
  sqlite.exec(`update queues set held_reason = 'restored' where session_id in (select session_id from queue_entries ${too})`)
}

export type QueueRows = ReturnType<typeof createQueueRows>
