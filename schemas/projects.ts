import { Type } from '@sinclair/typebox'
import { Closed, Flag, Id, Nullable, Seconds } from './common.js'

const Name = Type.String({ minLength: 1, maxLength: 128 })
const Color = Type.Optional(Type.Union([
  Type.String({ pattern: '^#[0-9a-fA-F]{3,8}$', description: '# and 3 to 8 hex digits' }), Type.Literal('', { description: 'no colour' })
]))

export const Project = Closed({
  project_id: Type.String(),
  name: Type.String(),
  color: Nullable(Type.String()),
  profile: Type.String(),
  workspace: Type.Optional(Type.String({ description: 'folder of new sessions; absent: the default one' })),
  instructions: Type.Optional(Type.String({ description: 'what the agent is told in each session of the project; absent: nothing' })),
  created_at: Seconds()
}, { title: 'Project', description: 'A folder of sessions' })

export const ProjectsQuery = Type.Object({ all_profiles: Flag('include projects of every profile') })
export const ProjectList = Closed({
  projects: Type.Array(Project), active_profile: Type.String(), all_profiles: Type.Boolean(),
  other_profile_count: Type.Integer({ minimum: 0, description: 'how many projects other profiles have' })
}, { title: 'ProjectList' })
export const CreateProject = Type.Object({ name: Name, color: Color })
export const RenameProject = Type.Object({ project_id: Id('project'), name: Name, color: Color })
export const UpdateProject = Type.Object({
  project_id: Id('project'),
  workspace: Type.Optional(Type.String({ description: 'absolute path of an existing folder; empty: the default one' })),
  instructions: Type.Optional(Type.String({ maxLength: 8_000, description: 'empty: none' }))
})
export const ProjectRef = Type.Object({ project_id: Id('project') })
export const ProjectAnswer = Closed({ ok: Type.Boolean(), project: Project }, { title: 'ProjectAnswer' })
