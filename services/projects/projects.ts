import { randomBytes } from 'node:crypto'
import { type Static } from '@sinclair/typebox'
import { asc, eq } from 'drizzle-orm'
import { type Project } from '../../schemas/projects.js'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { tables, type Database } from '../ground/database/index.js'
import { Invalid, NotFound } from '../ground/errors.js'

export type ProjectRow = typeof tables.projects.$inferSelect

/** Folders of sessions, each in one profile. */
export function createProjects ({ db, clock, changed }: { db: Database, clock: Clock, changed: (reason: string, sessionId?: string) => void }) {
  const { projects, sessions } = tables
  const others = db.sqlite.prepare<[string], number>('select count(*) from projects where profile <> ?').pluck()

  return {
    /** Oldest first. */
    list: (profile: string, allProfiles: boolean): ProjectRow[] =>
      db.orm.select().from(projects).where(allProfiles ? undefined : eq(projects.profile, profile)).orderBy(asc(projects.createdAt)).all(),

    /** How many there are in other profiles. */
    elsewhere: (profile: string): number => others.get(profile)!,

    /** Throws NotFound when it is not there, or another profile's. */
    get (id: string, profile: string): ProjectRow {
      const row = db.orm.select().from(projects).where(eq(projects.id, id)).get()
      if (row?.profile !== profile) throw new NotFound('Project not found')
      return row
    },

    async create ({ name, color, profile }: { name: string, color: string | null, profile: string }): Promise<ProjectRow> {
      const row = { id: randomBytes(6).toString('hex'), name: cleanName(name), color, profile, createdAt: epochSeconds(clock) }
      return await db.durably(() => db.orm.insert(projects).values(row).returning().get())
    },

    /** `color` undefined leaves it as it is, null takes it away. Throws NotFound. */
    async rename (id: string, { name, color }: { name: string, color?: string | null }): Promise<ProjectRow> {
      return await db.durably(() => {
        const row = db.orm.update(projects).set({ name: cleanName(name), ...(color === undefined ? {} : { color }) }).where(eq(projects.id, id)).returning().get()
        if (row === undefined) throw new NotFound('Project not found')
        return row
      })
    },

    /** Removes the folder; its sessions stay and lose their folder. Throws NotFound. */
    async remove (id: string): Promise<void> {
      await db.durably(() => {
        if (db.orm.delete(projects).where(eq(projects.id, id)).run().changes === 0) throw new NotFound('Project not found')
        db.orm.update(sessions).set({ projectId: null }).where(eq(sessions.projectId, id)).run()
        changed('project_delete')
      })
    }
  }
}

export type Projects = ReturnType<typeof createProjects>

export function projectToWire ({ id, name, color, profile, createdAt }: ProjectRow): Static<typeof Project> {
  return { project_id: id, name, color, profile, created_at: createdAt }
}

function cleanName (name: string): string {
  const clean = name.replaceAll(/\s+/g, ' ').trim()
  if (clean === '') throw new Invalid('name is required')
  return clean
}
