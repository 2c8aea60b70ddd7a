import { and, asc, desc, eq, inArray, lt } from 'drizzle-orm'
import { type Database, tables } from '../../ground/database/index.js'

const { trash: table } = tables

export type TrashRow = typeof table.$inferSelect

const mostListed = 1_000
/** How many rows one transaction, or one sweep, handles at most. */
export const portionOfRows = 200

/** Statements for the table of the trash, which records where each entry was and when it was deleted. */
export function createTrashRows (db: Database) {
  const { orm } = db
  return {
    /** Adds a row. It is stored durably when it resolves. */
    async add (row: TrashRow): Promise<void> {
      await db.durably(() => orm.insert(table).values(row).run())
    },

    /** Adds a row for an entry that was found without one. */
    addFound (row: TrashRow): void {
      db.transaction(() => orm.insert(table).values(row).onConflictDoNothing().run())
    },

    get: (workspace: string, id: string): TrashRow | undefined =>
      orm.select().from(table).where(and(eq(table.id, id), eq(table.workspace, workspace))).get(),

    /** Returns the newest 1,000 rows, newest first. */
    newest: (workspace: string): TrashRow[] =>
      orm.select().from(table).where(eq(table.workspace, workspace)).orderBy(desc(table.deletedAt), desc(table.id)).limit(mostListed).all(),

    /** Returns the times of all rows of a workspace. */
    times: (workspace: string): Array<Pick<TrashRow, 'id' | 'deletedAt'>> =>
      orm.select({ id: table.id, deletedAt: table.deletedAt }).from(table).where(eq(table.workspace, workspace)).all(),

    /** Returns up to 200 rows that were deleted before a time (epoch seconds), oldest first. */
    deletedBefore: (timeS: number): TrashRow[] =>
      orm.select().from(table).where(lt(table.deletedAt, timeS)).orderBy(asc(table.deletedAt)).limit(portionOfRows).all(),

    workspaces: (): string[] => orm.selectDistinct({ root: table.workspace }).from(table).limit(mostListed).all().map(({ root }) => root),

    remove (ids: readonly string[]): void {
      for (let start = 0; start < ids.length; start += portionOfRows) {
        db.transaction(() => orm.delete(table).where(inArray(table.id, ids.slice(start, start + portionOfRows))).run())
      }
    }
  }
}

export type TrashRows = ReturnType<typeof createTrashRows>
