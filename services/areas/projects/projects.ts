import { randomBytes } from 'node:crypto'
import { type Static } from '@sinclair/typebox'
import { type Project, type ProjectList } from '../../../schemas/projects.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { asSaved } from '../../ground/redaction/index.js'
import { type Sessions } from '../sessions/index.js'
import { type AuditPort } from '../audit/index.js'
import { createProjectRows, type ProjectRow } from './rows.js'

/** Folders of sessions, each in one profile. */
export function createProjects ({ db, clock, audit, sessions }: {
  db: Database
  clock: Clock
  audit: AuditPort
  sessions: Pick<Sessions, 'changed' | 'rows'>
}) {
  const rows = createProjectRows(db)

  return {
    /** Returns the projects, oldest first. */
    list: (profile: string, allProfiles: boolean): ProjectRow[] => rows.list(allProfiles ? null : profile),

    /** Returns how many projects other profiles have. */
    elsewhere: rows.elsewhere,

    /** Throws NotFound if the project does not exist or belongs to another profile. */
    get (id: string, profile: string): ProjectRow {
      const row = rows.find(id)
      if (row?.profile !== profile) throw new NotFound('Project not found')
      return row
    },

    async create ({ name, color, profile }: { name: string, color: string | null, profile: string }): Promise<ProjectRow> {
      const row = {
        id: randomBytes(6).toString('hex'), name: cleanName(asSaved('name', name, null)), color, profile, createdAt: epochSeconds(clock)
      }
      return await db.durably(() => rows.insert(row))
    },

    /** `color`: undefined leaves it as it is, null removes it. Throws NotFound, also for a project of another profile. */
    async rename (id: string, profile: string, { name, color }: { name: string, color?: string | null }): Promise<ProjectRow> {
      return await db.durably(() => {
        const before = rows.find(id)
        const row = before?.profile !== profile
          ? undefined
          : rows.set(id, { name: cleanName(asSaved('name', name, before.name)), ...(color === undefined ? {} : { color }) })
        if (row === undefined) throw new NotFound('Project not found')
        return row
      })
    },

    /** Removes the folder; its sessions stay, without a folder. Throws NotFound, also for a project of another profile. */
    async remove (id: string, profile: string): Promise<void> {
      await db.durably(() => {
        const row = rows.find(id)
        if (row?.profile !== profile || !rows.remove(id)) throw new NotFound('Project not found')
        audit.record('project.deleted', { profile, project: id, name: row.name })
        sessions.rows.leaveProject(id)
        sessions.changed('project_delete')
      })
    }
  }
}

export type Projects = ReturnType<typeof createProjects>

/** Lists the projects of a profile, or of all, as clients see them. */
export function projectListToWire (
  projects: Pick<Projects, 'list' | 'elsewhere'>, profile: string, allProfiles: boolean
): Static<typeof ProjectList> {
  return {
    projects: projects.list(profile, allProfiles).map(projectToWire), active_profile: profile, all_profiles: allProfiles,
    other_profile_count: projects.elsewhere(profile)
  }
}

export function projectToWire ({ id, name, color, profile, createdAt }: ProjectRow): Static<typeof Project> {
  return { project_id: id, name, color, profile, created_at: createdAt }
}

function cleanName (name: string): string {
  const clean = name.replaceAll(/\s+/g, ' ').trim()
  if (clean === '') throw new Invalid('name is required')
  return clean
}
