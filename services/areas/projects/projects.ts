import { randomBytes } from 'node:crypto'
import { type Static } from '@sinclair/typebox'
import { type Project, type ProjectList } from '../../../schemas/projects.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { asSaved, refuseOwnSecrets } from '../../ground/redaction/index.js'
import { present } from '../../ground/present.js'
import { type SessionRow, type Sessions } from '../sessions/index.js'
import { type AuditPort } from '../audit/index.js'
import { createProjectRows, type ProjectRow } from './rows.js'

/** What a project tells the agent. */
export interface Instructions { project: string, text: string }

/** Sources of sessions that work for another one, which they name as their parent. */
const helpers: ReadonlySet<SessionRow['source']> = new Set(['btw', 'background', 'subagent'])

/** Folders of sessions, each in one profile. */
export function createProjects ({ db, clock, audit, sessions }: {
  db: Database
  clock: Clock
  audit: AuditPort
  sessions: Pick<Sessions, 'changed' | 'get' | 'has' | 'rows'>
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
        id: randomBytes(6).toString('hex'), name: cleanName(asSaved('name', name, null)), color, profile, workspace: null, instructions: null,
        createdAt: epochSeconds(clock)
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

    /**
     * Sets the folder of new sessions, and what the agent is told in each session of the project; undefined leaves it, null removes it.
     * Throws NotFound, also for a project of another profile, and Invalid for a secret of the service.
     */
    async setUp (id: string, profile: string, wanted: Partial<Pick<ProjectRow, 'workspace' | 'instructions'>>): Promise<ProjectRow> {
      return await db.durably(() => {
        const before = rows.find(id)
        if (before?.profile !== profile) throw new NotFound('Project not found')
        const values = { ...wanted }
        if (values.instructions != null) {
          values.instructions = asSaved('instructions', values.instructions, before.instructions)
          refuseOwnSecrets('The project', [values.instructions], before.instructions)
        }
        const { workspace = before.workspace, instructions = before.instructions } = values
        if (workspace === before.workspace && instructions === before.instructions) return before
        const row = present(rows.set(id, { workspace, instructions }), 'the project')
        audit.record('project.changed', {
          profile, project: id, name: row.name,
          workspace: row.workspace !== before.workspace, instructions: row.instructions !== before.instructions
        })
        sessions.changed('project_update')
        return row
      })
    },

    /** Returns what the agent is told in a session because of its project, or of the project of the session that it works for. */
    instructionsFor (session: Pick<SessionRow, 'projectId' | 'parentSessionId' | 'source'>): Instructions | null {
      const { projectId, parentSessionId: parentId, source } = session
      if (projectId === null) {
        return parentId !== null && helpers.has(source) && sessions.has(parentId) ? this.instructionsFor(sessions.get(parentId)) : null
      }
      const row = rows.find(projectId)
      return row?.instructions == null ? null : { project: row.name, text: row.instructions }
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

export function projectToWire ({ id, name, color, profile, workspace, instructions, createdAt }: ProjectRow): Static<typeof Project> {
  return {
    project_id: id, name, color, profile, ...workspace === null ? {} : { workspace }, ...instructions === null ? {} : { instructions },
    created_at: createdAt
  }
}

function cleanName (name: string): string {
  const clean = name.replaceAll(/\s+/g, ' ').trim()
  if (clean === '') throw new Invalid('name is required')
  return clean
}
