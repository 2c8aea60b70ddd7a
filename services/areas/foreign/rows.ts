import { desc, eq, gt, sql } from 'drizzle-orm'
import { tables, type Database } from '../../ground/database/index.js'
import { type Maker } from './maker.js'
import { type ForeignRow } from './tally.js'

/** The table `foreign_sessions`: what was read of each file, and up to where. */
export function createForeignRows (db: Database) {
  const { orm, sqlite } = db
  const { foreignSessions } = tables
  const byId = orm.select().from(foreignSessions).where(eq(foreignSessions.id, sql.placeholder('id'))).prepare()
  const bySource = orm.select().from(foreignSessions).where(eq(foreignSessions.source, sql.placeholder('source'))).prepare()
  const removal = sqlite.prepare<[string]>('delete from foreign_sessions where id = ?')
  // Rows without a user's message only record how far their file was read, and are not shown.
  const shown = orm.select().from(foreignSessions).where(gt(foreignSessions.userMessageCount, 0))
    .orderBy(desc(foreignSessions.lastMessageAt), foreignSessions.id).prepare()

  return {
    /** Returns the rows that are shown, newest first. */
    shown: (): ForeignRow[] => shown.all(),

    /** Returns a row that is shown. */
    get (id: string): ForeignRow | undefined {
      const row = byId.get({ id })
      return row === undefined || row.userMessageCount === 0 ? undefined : row
    },

    /** Returns all rows of a front end, by the paths of their files. */
    ofSource: (source: ForeignRow['source']): Map<string, ForeignRow> => new Map(bySource.all({ source }).map((row) => [row.path, row])),

    /** Returns the front end's own id of a conversation, made unique if it is taken. */
    freeId ({ suffix }: Pick<Maker, 'suffix'>, nativeId: string): string {
      const own = nativeId.replaceAll(/[^\w.-]/g, '_').slice(0, 100)
      let id = own
      for (let copy = 1; byId.get({ id }) !== undefined; copy++) id = copy === 1 ? `${own}-${suffix}` : `${own}-${suffix}-${copy}`
      return id
    },

    /** Called inside the caller's transaction. */
    store (row: ForeignRow): void {
      orm.insert(foreignSessions).values(row).onConflictDoUpdate({ target: foreignSessions.path, set: row }).run()
    },

    remove (ids: string[]): void {
      if (ids.length > 0) db.transaction(() => { for (const id of ids) removal.run(id) })
    }
  }
}

export type ForeignSessionRows = ReturnType<typeof createForeignRows>
