import { asc, eq } from 'drizzle-orm'
import { oneRow, tables, type Database } from '../../ground/database/index.js'

export type ProjectRow = typeof tables.projects.$inferSelect

/** The statements of the table `projects`; writes run inside the caller's transaction. */
export function createProjectRows ({ orm, sqlite }: Database) {
  const { projects } = tables
  const others = sqlite.prepare<[string], number>('select count(*) from projects where profile <> ?').pluck()

  return {
    find: (id: string): ProjectRow | undefined => orm.select().from(projects).where(eq(projects.id, id)).get(),
    /** Returns the projects of a profile, or of all if it is null; oldest first. */
    list: (profile: string | null): ProjectRow[] =>
      orm.select().from(projects).where(profile === null ? undefined : eq(projects.profile, profile)).orderBy(
        asc(projects.createdAt)
      ).all(),
    /** Returns how many projects do not belong to this profile. */
    elsewhere: (profile: string): number => oneRow(others, profile),
    insert: (row: ProjectRow): ProjectRow => orm.insert(projects).values(row).returning().get(),
    /** Returns undefined if the project does not exist. */
    set: (id: string, values: Partial<ProjectRow>): ProjectRow | undefined =>
      orm.update(projects).set(values).where(eq(projects.id, id)).returning().get(),
    /** Returns false if the project does not exist. */
    remove: (id: string): boolean => orm.delete(projects).where(eq(projects.id, id)).run().changes > 0
  }
}
