import { eq } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'
import { type PullSnapshot } from './news.js'

type Row = typeof tables.followedPulls.$inferSelect
export interface FollowedPull extends Omit<Row, 'seen'> { seen: PullSnapshot }

const followedOf = (row: Row): FollowedPull => ({ ...row, seen: JSON.parse(row.seen) as PullSnapshot })

/** The statements of the table `followed_pulls`. Writes run inside the caller's transaction. */
export function createFollowedRows ({ orm, sqlite }: Database) {
  const { followedPulls: followed } = tables
  const columns = 'id, session_id as sessionId, host, repository, number, seen, unchanged, next_look_at as nextLookAt, changed_at as changedAt'
  const due = sqlite.prepare<[number, number], Row>(`select ${columns} from followed_pulls where next_look_at <= ? order by next_look_at limit ?`)
  const nextAfter = sqlite.prepare<[number], number | null>('select min(next_look_at) from followed_pulls where next_look_at > ?').pluck()
  // Inserts nothing if the session no longer exists.
  const insert = sqlite.prepare<[Row]>(
    `insert into followed_pulls (id, session_id, host, repository, number, seen, unchanged, next_look_at, changed_at)
     select @id, id, @host, @repository, @number, @seen, @unchanged, @nextLookAt, @changedAt from sessions where id = @sessionId`)
  const dropSurplus = sqlite.prepare<[number]>(
    'delete from followed_pulls where id in (select id from followed_pulls order by changed_at desc, rowid desc limit -1 offset ?)')
  const remove = sqlite.prepare<[Pick<Row, 'host' | 'repository' | 'number'>]>(
    'delete from followed_pulls where host = @host and repository = @repository and number = @number')
  const has = sqlite.prepare<[Pick<Row, 'host' | 'repository' | 'number'>], number>(
    'select 1 from followed_pulls where host = @host and repository = @repository and number = @number').pluck()
  const count = sqlite.prepare<[], number>('select count(*) from followed_pulls').pluck()

  return {
    /** Returns those that are due, the earliest first. */
    due: (nowS: number, most: number): FollowedPull[] => due.all(nowS, most).map(followedOf),
    /** Returns when the first one after a moment is due, in epoch seconds. */
    nextAfter: (nowS: number): number | null => nextAfter.get(nowS) ?? null,
    /** Adds one, and removes those beyond `most` that have not changed for the longest time. */
    insert ({ seen, ...values }: FollowedPull, most: number): void {
      insert.run({ ...values, seen: JSON.stringify(seen) })
      dropSurplus.run(most)
    },
    /** Returns false if it no longer exists. */
    set: (id: string, { seen, ...values }: Partial<FollowedPull>): boolean => orm.update(followed)
      .set({ ...values, ...(seen !== undefined && { seen: JSON.stringify(seen) }) }).where(eq(followed.id, id)).run().changes > 0,
    drop: (id: string): void => { orm.delete(followed).where(eq(followed.id, id)).run() },
    remove: (pull: Pick<Row, 'host' | 'repository' | 'number'>): void => { remove.run(pull) },
    has: (pull: Pick<Row, 'host' | 'repository' | 'number'>): boolean => has.get(pull) !== undefined,
    count: (): number => oneRow(count)
  }
}
