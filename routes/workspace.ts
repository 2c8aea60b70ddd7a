import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bodyLimits } from '../plugins/bodies.js'
import { errors, EventStream } from '../schemas/common.js'
import {
  AddWorkspaceBody, ChangedWorkspaces, FolderEventsQuery, RenameWorkspaceBody, ReorderBody, SuggestQuery, Suggestions, WorkspaceList, WorkspaceRef
} from '../schemas/workspace.js'
import { expandHome, makeWorkspaceFolder, suggestFolders, workspaceFolder } from '../services/workspace/index.js'

const tags = ['workspace']

/** The folders a new conversation can be given. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { workspaces, config } = app
  const reserved = [config.stateDir, config.backup.folder]
  /** A path as somebody writes it, as the list has it: the folder need not be there any more. */
  const listed = (path: string): string => expandHome(path, config.userHome).replace(/(?<=.)\/+$/, '')

  app.get('/api/workspaces', {
    schema: { tags, summary: 'The folders to choose from', response: { 200: WorkspaceList } }
  }, async (request) => {
    const profile = app.activeProfile(request)
    return { workspaces: workspaces.list(profile), last: workspaces.last(profile), terminal_remote_backend: false }
  })

  app.get('/api/workspaces/suggest', {
    schema: { tags, summary: 'Folders that complete what has been typed', querystring: SuggestQuery, response: { 200: Suggestions, ...errors(400) } }
  }, async (request) => {
    const { prefix = '' } = request.query
    const known = workspaces.list(app.activeProfile(request)).map(({ path }) => path)
    return { suggestions: await suggestFolders(prefix, { known, userHome: config.userHome, reserved }), prefix }
  })

  app.post('/api/workspaces/add', {
    schema: { tags, summary: 'Add a folder to choose from', body: AddWorkspaceBody, response: { 200: ChangedWorkspaces, ...errors(400) } }
  }, async (request) => {
    const { path, name, create } = request.body
    const wanted = expandHome(path.trim(), config.userHome)
    const real = create === true ? await makeWorkspaceFolder(wanted, reserved) : await workspaceFolder(wanted, reserved)
    return { ok: true, workspaces: await workspaces.add(app.activeProfile(request), real, name ?? undefined) }
  })

  app.post('/api/workspaces/remove', {
    schema: { tags, summary: 'Take a folder out of the list; the folder itself stays', body: WorkspaceRef, response: { 200: ChangedWorkspaces, ...errors(400, 404) } }
  }, async (request) => ({ ok: true, workspaces: await workspaces.remove(app.activeProfile(request), listed(request.body.path)) }))

  app.post('/api/workspaces/rename', {
    schema: { tags, summary: 'Give a folder of the list another name', body: RenameWorkspaceBody, response: { 200: ChangedWorkspaces, ...errors(400, 404) } }
  }, async (request) => ({ ok: true, workspaces: await workspaces.rename(app.activeProfile(request), listed(request.body.path), request.body.name) }))

  app.post('/api/workspaces/reorder', {
    bodyLimit: bodyLimits.paths,
    schema: { tags, summary: 'Put the list into another order', body: ReorderBody, response: { 200: ChangedWorkspaces, ...errors(400) } }
  }, async (request) => ({ ok: true, workspaces: await workspaces.reorder(app.activeProfile(request), request.body.paths.map(listed)) }))

  app.get('/api/workspace/events', {
    exposeHeadRoute: false,
    schema: { tags, summary: 'Tells when a folder that is shown has changed (Server-Sent Events)', querystring: FolderEventsQuery, response: { 200: EventStream, ...errors(400, 403, 404, 429) } }
  }, async (request, reply) => {
    const { session_id: sessionId, path = '.' } = request.query
    const subscription = await app.folderWatch.subscribe(await app.territories.reading(sessionId), path)
    app.sendEvents(request, reply, subscription, { keepalive: 'keepalive' })
  })
}
export default plugin
