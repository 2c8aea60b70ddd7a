import { audited } from '../plugins/ground/audited.js'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { conflicts, errors, SessionBody, SessionQuery } from '../schemas/common.js'
import {
  DeletedEntry, DeleteEntryBody, RemovedCount, RestoreBody, RestoredEntry, TrashList, TrashRef
} from '../schemas/files-editing.js'
import { tagged } from './shared/tagged.js'

/** Conflicts of moving an entry to the trash, or restoring it. */
const trashing = conflicts('exists', 'mounted', 'not_removed', 'running', 'trash_blocked')

/** Deleting files and folders of a workspace: they go to its trash, from which they can be restored, or are removed permanently. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('files'))
  const { files: { trash }, workspace: { territories } } = app

  app.post('/api/file/delete', {
    config: {
      scope: 'approve', relay: true, audit: audited<typeof DeleteEntryBody>(({ session_id: session, path, permanent }, record) =>
        record('file.deleted', { session, path, permanent: permanent === true }))
    },
    schema: {
      summary: 'Move a file or folder to the trash, or delete it permanently',
      description: 'Moves it to the trash of the workspace for 30 days; `trash_id` restores it. A folder needs `recursive` ' +
        '(400 `is_folder`). `permanent` deletes it permanently: use it for 400 `other_disk`. 409 `mounted`, `running`, ' +
        '`not_removed` or `trash_blocked`.',
      body: DeleteEntryBody,
      response: { 200: DeletedEntry, ...errors(400, 403, 404, 503), ...trashing }
    }
  }, async ({ body }) => {
    const { session_id: sessionId, path, permanent } = body
    const recursive = body.recursive ?? false
    if (permanent === true) return { ok: true, ...await trash.bypass(territories.changing(sessionId), path, { recursive }), trash_id: null }
    const deleted = await trash.put(territories.changing(sessionId), path, { recursive })
    return { ok: true, path: deleted.path, trash_id: deleted.id }
  })

  app.get('/api/trash', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'List the trash of the workspace',
      description: 'Newest first; `id` restores or deletes an item. Items are deleted after 30 days.',
      querystring: SessionQuery,
      response: { 200: TrashList, ...errors(400, 403, 404), ...trashing }
    }
  }, async ({ query }) => ({
    items: (await trash.list(await territories.reading(query.session_id))).map(({ id, path, isFolder, sizeBytes, deletedAtS }) =>
      ({ id, path, name: path.slice(path.lastIndexOf('/') + 1), is_dir: isFolder, size: sizeBytes, deleted_at: deletedAtS }))
  }))

  app.post('/api/trash/restore', {
    config: { scope: 'approve', relay: true },
    schema: {
      summary: 'Restore an item from the trash',
      description: 'Returns it to its former folder, or moves it into `dest_dir`, under another name if its own is taken: the answer ' +
        'has the path. 404: it is no longer in the trash.',
      body: RestoreBody,
      response: { 200: RestoredEntry, ...errors(400, 403, 404, 503), ...trashing }
    }
  }, async ({
    body
  }) => ({ ok: true, ...await trash.restore(territories.changing(body.session_id), body.id, { folder: body.dest_dir ?? null }) }))

  app.post('/api/trash/delete', {
    config: {
      scope: 'approve', relay: true,
      audit: audited<typeof TrashRef>(({ session_id: session, id: item }, record) => record('trash.removed', { session, item }))
    },
    schema: {
      summary: 'Delete an item of the trash permanently',
      description: 'This cannot be undone. 404: it is no longer in the trash.',
      body: TrashRef,
      response: { 200: RemovedCount, ...errors(400, 403, 404), ...trashing }
    }
  }, async ({ body }) => ({ ok: true, ...await trash.remove(territories.changing(body.session_id), body.id) }))

  app.post('/api/trash/empty', {
    config: {
      scope: 'approve', relay: true,
      audit: audited<typeof SessionBody>(({ session_id: session }, record) => record('trash.removed', { session, item: null }))
    },
    schema: {
      summary: 'Empty the trash',
      description: 'This cannot be undone. `removed` counts the items.',
      body: SessionBody,
      response: { 200: RemovedCount, ...errors(400, 403, 404), ...trashing }
    }
  }, async ({ body }) => ({ ok: true, ...await trash.empty(territories.changing(body.session_id)) }))
}
export default plugin
