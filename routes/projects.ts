import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { projectListToWire, projectToWire } from '../services/areas/projects/index.js'
import { errors, isOn, Ok } from '../schemas/common.js'
import { CreateProject, ProjectAnswer, ProjectList, ProjectRef, ProjectsQuery, RenameProject } from '../schemas/projects.js'

const tags = ['projects']

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { projects } = app

  app.get('/api/projects', {
    config: { scope: 'read' },
    schema: { tags, summary: 'List projects', querystring: ProjectsQuery, response: { 200: ProjectList } }
  }, async (request) => projectListToWire(projects, request.activeProfile(), isOn(request.query.all_profiles)))

  app.post('/api/projects/create', {
    config: { scope: 'chat' },
    schema: { tags, summary: 'Create a folder', body: CreateProject, response: { 200: ProjectAnswer, ...errors(400) } }
  }, async (request) => {
    const { name, color } = request.body
    return { ok: true, project: projectToWire(await projects.create({ name, color: color ?? null, profile: request.activeProfile() })) }
  })

  app.post('/api/projects/rename', {
    config: { scope: 'chat' },
    schema: { tags, summary: 'Rename or colour a project', body: RenameProject, response: { 200: ProjectAnswer, ...errors(400, 404) } }
  }, async (request) => ({
    ok: true, project: projectToWire(
      await projects.rename(request.body.project_id, request.activeProfile(), { name: request.body.name, color: request.body.color })
    )
  }))

  app.post('/api/projects/delete', {
    config: { scope: 'chat' },
    schema: { tags, summary: 'Delete a project; its sessions stay', body: ProjectRef, response: { 200: Ok, ...errors(400, 404) } }
  }, async (request) => {
    await projects.remove(request.body.project_id, request.activeProfile())
    return { ok: true }
  })
}
export default plugin
