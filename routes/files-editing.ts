import { type Static } from '@sinclair/typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { audited } from '../plugins/ground/audited.js'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { conflicts, errors, SessionBody, SessionQuery } from '../schemas/common.js'
import {
  AbsolutePath, CreateFileBody, CreateFolderBody, DeletedEntry, DeleteEntryBody, EntryAnswer, EntryBody, MovedEntry, MoveEntryBody,
  RemovedCount, RenameEntryBody, RestoreBody, RestoredEntry, SaveFileBody, TrashList, TrashRef, WrittenFile
} from '../schemas/files-editing.js'
import { int64, type Written } from '../services/workspace/files/index.js'

const tags = ['files']
/** What the operating system, or something of that name, has against a change. */
const inTheWay = conflicts('exists', 'mounted', 'running')
const trashing = conflicts('exists', 'mounted', 'not_removed', 'running', 'trash_blocked')

/** Files and folders of a workspace, changed by a person; what is deleted can be brought back. */
const plugin: SharedRoutes = async (app) => {
  const { files: { edits, trash }, workspace: { territories } } = app

  app.post('/api/file/create', {
    config: { scope: 'approve', relay: true },
    bodyLimit: bodyLimits.text,
    schema: {
      tags, summary: 'Make a text file', body: CreateFileBody, response: { 200: WrittenFile, ...errors(400, 403, 404, 503), ...inTheWay }
    }
  }, async ({ body }) => {
    const written = await edits.create(territories.changing(body.session_id), body.path, body.content ?? '', {
      parents: body.parents ?? false
    })
    return writtenToWire(written)
  })

  app.post('/api/file/save', {
    config: { scope: 'approve', relay: true },
    bodyLimit: bodyLimits.text,
    schema: {
      tags, summary: 'Replace the text of a file', body: SaveFileBody,
      response: { 200: WrittenFile, ...errors(400, 403, 404, 413, 503), ...conflicts('changed', 'exists', 'mounted', 'running') }
    }
  }, async ({ body }) => {
    const written = await edits.save(territories.changing(body.session_id), body.path, body.content, {
      ifMatch: body.if_match ?? null, force: body.force ?? false
    })
    return writtenToWire(written)
  })

  app.post('/api/file/rename', {
    config: { scope: 'approve', relay: true },
    schema: {
      tags, summary: 'Give a file or folder another name', body: RenameEntryBody,
      response: { 200: MovedEntry, ...errors(400, 403, 404, 503), ...inTheWay }
    }
  }, async ({ body }) => {
    const { oldPath, newPath } = await edits.rename(territories.changing(body.session_id), body.path, body.new_name)
    return { ok: true, old_path: oldPath, new_path: newPath }
  })

  app.post('/api/file/move', {
    config: { scope: 'approve', relay: true },
    schema: {
      tags, summary: 'Move a file or folder into another folder', body: MoveEntryBody,
      response: { 200: MovedEntry, ...errors(400, 403, 404, 503), ...inTheWay }
    }
  }, async ({ body }) => {
    const { oldPath, newPath } = await edits.move(territories.changing(body.session_id), body.path, body.dest_dir)
    return { ok: true, old_path: oldPath, new_path: newPath }
  })

  app.post('/api/file/create-dir', {
    config: { scope: 'approve', relay: true },
    schema: {
      tags, summary: 'Make a folder', body: CreateFolderBody, response: { 200: EntryAnswer, ...errors(400, 403, 404, 503), ...inTheWay }
    }
  }, async ({
    body
  }) => ({ ok: true, ...await edits.createFolder(territories.changing(body.session_id), body.path, { parents: body.parents ?? false }) }))

  app.post('/api/file/path', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      tags, summary: 'The absolute path of a file or folder', body: EntryBody, response: { 200: AbsolutePath, ...errors(400, 403, 404) }
    }
  }, async ({ body }) => ({ ok: true, path: await edits.absolutePath(await territories.reading(body.session_id), body.path) }))

  app.post('/api/file/delete', {
    config: {
      scope: 'approve', relay: true, audit: audited<typeof DeleteEntryBody>(({ session_id: session, path, permanent }, record) =>
        record('file.deleted', { session, path, permanent: permanent === true }))
    },
    schema: {
      tags, summary: 'Put a file or folder into the trash, or remove it for good', body: DeleteEntryBody,
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
      tags, summary: 'What was deleted from the workspace and can be restored', querystring: SessionQuery,
      response: { 200: TrashList, ...errors(400, 403, 404), ...trashing }
    }
  }, async ({ query }) => ({
    items: (await trash.list(await territories.reading(query.session_id))).map(({ id, path, isFolder, sizeBytes, deletedAtS }) =>
      ({ id, path, name: path.slice(path.lastIndexOf('/') + 1), is_dir: isFolder, size: sizeBytes, deleted_at: deletedAtS }))
  }))

  app.post('/api/trash/restore', {
    config: { scope: 'approve', relay: true },
    schema: {
      tags, summary: 'Bring back what was deleted', body: RestoreBody,
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
      tags, summary: 'Remove something from the trash for good', body: TrashRef,
      response: { 200: RemovedCount, ...errors(400, 403, 404), ...trashing }
    }
  }, async ({ body }) => ({ ok: true, ...await trash.remove(territories.changing(body.session_id), body.id) }))

  app.post('/api/trash/empty', {
    config: {
      scope: 'approve', relay: true,
      audit: audited<typeof SessionBody>(({ session_id: session }, record) => record('trash.removed', { session, item: null }))
    },
    schema: {
      tags, summary: 'Remove everything in the trash for good', body: SessionBody,
      response: { 200: RemovedCount, ...errors(400, 403, 404), ...trashing }
    }
  }, async ({ body }) => ({ ok: true, ...await trash.empty(territories.changing(body.session_id)) }))
}
export default plugin

function writtenToWire ({ path, sizeBytes, version, modifiedNs }: Written): Static<typeof WrittenFile> {
  return { ok: true, path, size: sizeBytes, version, mtime_ns: int64(modifiedNs) }
}
