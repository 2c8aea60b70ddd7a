import { type Static } from '@sinclair/typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { conflicts, errors } from '../schemas/common.js'
import {
  AbsolutePath, CreateFileBody, CreateFolderBody, EntryAnswer, EntryBody, MovedEntry, MoveEntryBody,
  RenameEntryBody, SaveFileBody, WrittenFile
} from '../schemas/files-editing.js'
import { int64, type SavedFile } from '../services/workspace/files/index.js'
import { tagged } from './shared/tagged.js'

/** Conflicts of a change with the operating system, or with an existing entry of that name. */
const inTheWay = conflicts('exists', 'mounted', 'running')

/** Changes of a workspace's files and folders by a person. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('files'))
  const { files: { edits }, workspace: { territories } } = app

  app.post('/api/file/create', {
    config: { scope: 'approve', relay: true },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Create a text file',
      description: 'Never overwrites: 409 `exists`. `parents` creates missing folders. 403 in read-only sessions. 503 `disk_full`. Keep ' +
        '`version` for the next save.',
      body: CreateFileBody,
      response: { 200: WrittenFile, ...errors(400, 403, 404, 503), ...inTheWay }
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
      summary: 'Replace the text of a file',
      description: 'Saves all or nothing, and returns once the file is on disk. Send the `version` that was read as ' +
        '`if_match`: 409 `changed` if the file has changed since; without it, the last save wins. 400 `not_text`, `office` or ' +
        '`symlink`; 403 `read_only`.',
      body: SaveFileBody,
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
      summary: 'Rename a file or folder',
      description: '`new_name` is a name without a path. Never overwrites: 409 `exists`; 409 `mounted` or `running` if the system ' +
        'prevents it. 404: no such entry.',
      body: RenameEntryBody,
      response: { 200: MovedEntry, ...errors(400, 403, 404, 503), ...inTheWay }
    }
  }, async ({ body }) => {
    const { oldPath, newPath } = await edits.rename(territories.changing(body.session_id), body.path, body.new_name)
    return { ok: true, old_path: oldPath, new_path: newPath }
  })

  app.post('/api/file/move', {
    config: { scope: 'approve', relay: true },
    schema: {
      summary: 'Move a file or folder into another folder',
      description: '`dest_dir` is an existing folder of the workspace. Never overwrites: 409 `exists`; 409 `mounted` or `running` if ' +
        'the system prevents it. 404: no such entry or folder.',
      body: MoveEntryBody,
      response: { 200: MovedEntry, ...errors(400, 403, 404, 503), ...inTheWay }
    }
  }, async ({ body }) => {
    const { oldPath, newPath } = await edits.move(territories.changing(body.session_id), body.path, body.dest_dir)
    return { ok: true, old_path: oldPath, new_path: newPath }
  })

  app.post('/api/file/create-dir', {
    config: { scope: 'approve', relay: true },
    schema: {
      summary: 'Create a folder',
      description: '409 `exists`: the name is taken. `parents` creates missing folders.',
      body: CreateFolderBody,
      response: { 200: EntryAnswer, ...errors(400, 403, 404, 503), ...inTheWay }
    }
  }, async ({
    body
  }) => ({ ok: true, ...await edits.createFolder(territories.changing(body.session_id), body.path, { parents: body.parents ?? false }) }))

  app.post('/api/file/path', {
    config: { scope: 'read', showsFiles: true, relay: true },
    schema: {
      summary: 'Get the absolute path of a file or folder',
      description: 'For commands that run outside the service. 404: no such entry.',
      body: EntryBody,
      response: { 200: AbsolutePath, ...errors(400, 403, 404) }
    }
  }, async ({ body }) => ({ ok: true, path: await edits.absolutePath(await territories.reading(body.session_id), body.path) }))
}
export default plugin

function writtenToWire ({ path, sizeBytes, version, modifiedNs }: SavedFile): Static<typeof WrittenFile> {
  return { ok: true, path, size: sizeBytes, version, mtime_ns: int64(modifiedNs) }
}
