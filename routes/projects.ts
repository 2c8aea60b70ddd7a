import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { projectListToWire, projectToWire } from '../services/areas/projects/index.js'
import { errors, isOn, Ok } from '../schemas/common.js'
import { CreateProject, ProjectAnswer, ProjectList, ProjectRef, ProjectsQuery, RenameProject, UpdateProject } from '../schemas/projects.js'
import { tagged } from './shared/tagged.js'

/** Returns null for an empty colour, which removes it; undefined if none was sent. */
const colorOf = (sent: string | undefined): string | null | undefined => sent === '' ? null : sent

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('projects'))
  const { projects, workspace } = app

  app.get('/api/projects', {
    config: { scope: 'read' },
    schema: {
      summary: 'List projects',
      description: 'Projects group sessions. `all_profiles` includes those of every profile; `other_profile_count` counts ' +
        'those of other profiles.',
      querystring: ProjectsQuery,
      response: { 200: ProjectList, ...errors(400) }
    }
  }, async (request) => projectListToWire(projects, request.activeProfile(), isOn(request.query.all_profiles)))

  app.post('/api/projects/create', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Create a project',
      description: 'Returns the new project; move sessions into it with `POST /api/session/move`.',
      body: CreateProject,
      response: { 200: ProjectAnswer, ...errors(400) }
    }
  }, async (request) => {
    const { name, color } = request.body
    const row = await projects.create({ name, color: colorOf(color) ?? null, profile: request.activeProfile() })
    return { ok: true, project: projectToWire(row) }
  })

  app.post('/api/projects/rename', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Rename or colour a project',
      description: 'Changes the name. A colour that is absent stays as it is; an empty one removes it. 404: unknown project.',
      body: RenameProject,
      response: { 200: ProjectAnswer, ...errors(400, 404) }
    }
  }, async (request) => {
    const { project_id: id, name, color } = request.body
    return { ok: true, project: projectToWire(await projects.rename(id, request.activeProfile(), { name, color: colorOf(color) })) }
  })

  app.post('/api/projects/update', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Set the folder and the instructions of a project',
      description: 'New sessions of the project begin in `workspace`, unless they name another folder. The agent gets `instructions` in ' +
        'every session of the project, from its next turn on. A field that is absent stays as it is. 404: unknown project. 400: the ' +
        'folder cannot be used.',
      body: UpdateProject,
      response: { 200: ProjectAnswer, ...errors(400, 404, 503) }
    }
  }, async (request) => {
    const { project_id: id, workspace: path, instructions } = request.body
    projects.get(id, request.activeProfile())
    const row = await projects.setUp(id, request.activeProfile(), {
      ...path === undefined ? {} : { workspace: path === '' ? null : await workspace.folder(path) },
      ...instructions === undefined ? {} : { instructions: instructions.trim() === '' ? null : instructions }
    })
    return { ok: true, project: projectToWire(row) }
  })

  app.post('/api/projects/delete', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Delete a project; its sessions stay',
      description: 'This cannot be undone. 404: unknown project.',
      body: ProjectRef,
      response: { 200: Ok, ...errors(400, 404) }
    }
  }, async (request) => {
    await projects.remove(request.body.project_id, request.activeProfile())
    return { ok: true }
  })
}
export default plugin
