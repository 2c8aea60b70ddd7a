import { asc, eq } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type ProjectRow = typeof tables.projects.$inferSelect

/** The statements of the table `projects`; what writes runs inside the caller's transaction. */
export function createProjectRows ({ orm, sqlite }: Database) {
  const { projects } = tables
  const others = sqlite.prepare<[string], number>('select count(*) from projects where profile <> ?').pluck()

  return {
    find: (id: string): ProjectRow | undefined => orm.select().from(projects).where(eq(projects.id, id)).get(),
    /** Oldest first; null: of all profiles. */
    list: (profile: string | null): ProjectRow[] =>
      orm.select().from(projects).where(profile === null ? undefined : eq(projects.profile, profile)).orderBy(
        asc(projects.createdAt)
      ).all(),
    /** How many are not this profile's. */
    elsewhere: (profile: string): number => oneRow(others, profile),
    insert: (row: ProjectRow): ProjectRow => orm.insert(projects).values(row).returning().get(),
    /** Undefined when it is not there. */
    set: (id: string, values: Partial<ProjectRow>): ProjectRow | undefined =>
      orm.update(projects).set(values).where(eq(projects.id, id)).returning().get(),
    /** False when it is not there. */
    remove: (id: string): boolean => orm.delete(projects).where(eq(projects.id, id)).run().changes > 0
  }
}
