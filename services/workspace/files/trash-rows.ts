import { and, asc, desc, eq, inArray, lt } from 'drizzle-orm'
import { type Database, tables } from '../../ground/database/index.js'

const { trash: table } = tables

export type TrashRow = typeof table.$inferSelect

const mostListed = 1_000
/** Of so many rows one transaction, or one sweep, takes care. */
export const portionOfRows = 200

/** The statements on the table of the trash: where each thing was, and since when it is in it. */
export function createTrashRows (db: Database) {
  const { orm } = db
  return {
    /** Is on the disk when it resolves. */
    async add (row: TrashRow): Promise<void> {
      await db.durably(() => orm.insert(table).values(row).run())
    },

    /** For a thing that was found without a row. */
    addFound (row: TrashRow): void {
      db.transaction(() => orm.insert(table).values(row).onConflictDoNothing().run())
    },

    get: (workspace: string, id: string): TrashRow | undefined =>
      orm.select().from(table).where(and(eq(table.id, id), eq(table.workspace, workspace))).get(),

    /** The newest 1,000, newest first. */
    newest: (workspace: string): TrashRow[] =>
      orm.select().from(table).where(eq(table.workspace, workspace)).orderBy(desc(table.deletedAt), desc(table.id)).limit(mostListed).all(),

    /** All of a workspace. */
    times: (workspace: string): Array<Pick<TrashRow, 'id' | 'deletedAt'>> =>
      orm.select({ id: table.id, deletedAt: table.deletedAt }).from(table).where(eq(table.workspace, workspace)).all(),

    /** A portion of those deleted before a time in epoch seconds, oldest first. */
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
