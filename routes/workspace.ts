import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { hostOnWire } from '../services/ground/remote-folder.js'
import { type WorkspaceRecord } from '../services/workspace/index.js'
import { errors, EventStream } from '../schemas/common.js'
import {
  AddWorkspaceBody, ChangedWorkspaces, folderFrames, FolderEventsQuery, RenameWorkspaceBody, ReorderBody, SuggestQuery, Suggestions,
  WorkspaceList, WorkspaceRef
} from '../schemas/workspace.js'
import { tagged } from './shared/tagged.js'

/** The folders in which a new conversation can work. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('workspace'))
  const { workspace } = app

  app.get('/api/workspaces', {
    config: { scope: 'read' },
    schema: {
      summary: 'List workspaces',
      description: 'Folders for new sessions, in the order of the list; `last` is the last used one.',
      response: { 200: WorkspaceList }
    }
  }, async (request) => {
    const profile = request.activeProfile()
    return { workspaces: workspace.list(profile).map(toWire), last: workspace.last(profile), terminal_remote_backend: false }
  })

  app.get('/api/workspaces/suggest', {
    config: { scope: 'read' },
    schema: {
      summary: 'Suggest folders to complete a path',
      description: 'Folders of this machine whose path starts with `prefix`. Empty: none, or none that may be a workspace.',
      querystring: SuggestQuery,
      response: { 200: Suggestions, ...errors(400) }
    }
  }, async (request) => {
    const { prefix = '' } = request.query
    return { suggestions: await workspace.suggest(request.activeProfile(), prefix), prefix }
  })

  app.post('/api/workspaces/add', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Add a folder to the list of workspaces',
      description: 'An absolute path; `create` creates the folder. 400: it cannot be a workspace, or `duplicate`. 503 ' +
        '`host_unreachable`: its machine is not connected. Returns the whole list.',
      body: AddWorkspaceBody,
      response: { 200: ChangedWorkspaces, ...errors(400, 503) }
    }
  }, async (request) => {
    const { path, name, create } = request.body
    return changed(await workspace.add(request.activeProfile(), path, { name: name ?? undefined, create: create === true }))
  })

  app.post('/api/workspaces/remove', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Remove a folder from the list of workspaces; the folder itself stays',
      description: 'Sessions in it keep working. 404: it is not in the list. Returns the whole list.',
      body: WorkspaceRef,
      response: { 200: ChangedWorkspaces, ...errors(400, 404) }
    }
  }, async (request) => changed(await workspace.remove(request.activeProfile(), request.body.path)))

  app.post('/api/workspaces/rename', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Rename a workspace in the list',
      description: 'Changes the name in the list; the folder itself is not renamed. 404: it is not in the list. Returns the whole list.',
      body: RenameWorkspaceBody,
      response: { 200: ChangedWorkspaces, ...errors(400, 404) }
    }
  }, async (request) => changed(await workspace.rename(request.activeProfile(), request.body.path, request.body.name)))

  app.post('/api/workspaces/reorder', {
    config: { scope: 'admin' },
    bodyLimit: bodyLimits.paths,
    schema: {
      summary: 'Reorder the list of workspaces',
      description: 'Folders that `paths` does not name come last. Returns the whole list.',
      body: ReorderBody,
      response: { 200: ChangedWorkspaces, ...errors(400) }
    }
  }, async (request) => changed(await workspace.reorder(request.activeProfile(), request.body.paths)))

  app.get('/api/workspace/events', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      summary: 'Stream the changes of a folder (Server-Sent Events)',
      description: '`initial` first, then `workspace_changed`, each with the `signature` of `GET /api/list`; null while the folder does ' +
        'not exist. `workspace_unreachable` while its machine is not connected. 429: too many folders are watched.',
      querystring: FolderEventsQuery,
      response: { 200: EventStream('FolderEvent', folderFrames), ...errors(400, 403, 404, 429, 503) }
    }
  }, async (request, reply) => {
    const { session_id: sessionId, path = '.' } = request.query
    const subscription = await app.watching.subscribe(sessionId, path)
    app.eventStreams.send(request, reply, subscription, { keepalive: 'keepalive' })
  })
}
export default plugin

const toWire = ({ path, name }: WorkspaceRecord) => ({ path, ...hostOnWire(path), name })
const changed = (records: WorkspaceRecord[]) => ({ ok: true, workspaces: records.map(toWire) })
