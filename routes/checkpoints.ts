import { type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { audited } from '../plugins/ground/audited.js'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { type SharedRoutes } from '../plugins/ground/shared-app.js'
import { type ListedCheckpoint } from '../services/workspace/checkpoints/index.js'
import { Invalid, NotFound } from '../services/ground/errors.js'
import { textOfDocument, type Territory } from '../services/workspace/files/index.js'
import { conflicts, errors } from '../schemas/common.js'
import {
  type CheckpointEntry, CheckpointDiff, CheckpointFileQuery, CheckpointList, CheckpointQuery, CheckpointsQuery, RestoreBody, Restored
} from '../schemas/checkpoints.js'
import { FileBytes } from '../schemas/files.js'
import { refuseAsCode, sendContents, sendText } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

interface Place { session_id?: string | null, workspace?: string | null }

/** Checkpoints: the content of workspaces before turns wrote to them. */
const plugin: SharedRoutes = async (app) => {
  app.addHook('onRoute', tagged('checkpoints'))
  const { checkpoints, workers, workspace: { list, territories } } = app

  /** Returns the folder that a request is about, and its session ('' if it names a workspace). Throws Invalid and NotFound. */
  async function placeOf (
    request: FastifyRequest, { session_id: sessionId, workspace }: Place, mode: 'reading' | 'changing'
  ): Promise<{ territory: Territory, sessionId: string }> {
    if (sessionId != null && sessionId !== '') return { territory: await territories[mode](sessionId), sessionId }
    if (workspace == null || workspace === '') throw new Invalid('Missing required field(s): session_id')
    const isKnown = checkpoints.isKnown(workspace) || list(request.activeProfile()).some(({ path }) => path === workspace)
    if (!isKnown) throw new NotFound('Workspace not found')
    return { territory: territories.around(workspace), sessionId: '' }
  }

  app.get('/api/rollback/list', {
    config: { scope: 'read', relay: { takesFolder: true, addsTitles: true } },
    schema: {
      summary: 'List the checkpoints of a workspace',
      description: 'Newest first. `state: skipped` has a `reason`, such as a folder that was too large. Name the folder by ' +
        '`session_id`, or by `workspace`.',
      querystring: CheckpointsQuery,
      response: { 200: CheckpointList, ...errors(400, 404) }
    }
  }, async (request) => {
    const { territory: { root } } = await placeOf(request, request.query, 'reading')
    return { checkpoints: checkpoints.list(root).map(toWire), workspace: root, checkpoint_dir: '' }
  })

  app.get('/api/rollback/diff', {
    config: { scope: 'read', showsFiles: true, relay: { takesFolder: true } },
    schema: {
      summary: 'Get what has changed in a workspace since a checkpoint',
      description: 'From the checkpoint to the present files, or to the checkpoint `to`. 404: no such checkpoint, or `skipped`.',
      querystring: CheckpointQuery,
      response: { 200: CheckpointDiff, ...errors(400, 404, 413, 503) }
    }
  }, async (request) => {
    const { checkpoint, to, renames } = request.query
    const { territory } = await placeOf(request, request.query, 'reading')
    const { diff, truncated, files, count } = await checkpoints.diff(territory, checkpoint, { to, renames: renames === '1' })
    const shown = files.map(({ file, status, from }) => ({ file, status, ...(from === undefined ? {} : { old_file: from }) }))
    return { checkpoint, diff, truncated, files_changed: shown, total_changes: count }
  })

  app.get('/api/rollback/file', {
    config: { scope: 'read', showsFiles: true, relay: { takesFolder: true } },
    compress: false,
    preHandler: refuseAsCode,
    schema: {
      summary: 'Download a file as a checkpoint has it',
      description: 'The file before a turn changed it, for example to compare pictures. 404: no such checkpoint, or it has no such ' +
        'file. 413: above 20 MiB.',
      querystring: CheckpointFileQuery,
      response: { 200: FileBytes, ...errors(400, 403, 404, 413, 503) }
    }
  }, async (request, reply) => {
    const { checkpoint, path, as } = request.query
    const { territory } = await placeOf(request, request.query, 'reading')
    const bytes = await checkpoints.contents(territory, checkpoint, path)
    if (as === 'text') await sendText(reply, await textOfDocument(path, bytes, workers))
    else await sendContents(reply, path, bytes)
  })

  app.post('/api/rollback/restore', {
    config: {
      scope: 'approve', relay: { takesFolder: true, refusedWhileWorking: true },
      audit: audited<typeof RestoreBody>(({ session_id: session, checkpoint, paths }, record) =>
        record('checkpoint.restored', { session: session ?? null, checkpoint, files: paths?.length ?? null }))
    },
    bodyLimit: bodyLimits.paths,
    schema: {
      summary: 'Restore a workspace, or some of its files, from a checkpoint',
      description: 'First makes a checkpoint of the present state (`safety_checkpoint`), so that the restore can be undone. `paths` ' +
        'restores only these. 409 `active_stream` while a turn runs in the folder; 409 `no_safety_checkpoint`: repeat with `force` to ' +
        'continue without one. `errors` names what could not be restored.',
      body: RestoreBody,
      response: { 200: Restored, ...errors(400, 403, 404, 413, 503), ...conflicts('active_stream', 'no_safety_checkpoint') }
    }
  }, async (request) => {
    const { checkpoint, paths, force } = request.body
    const place = await placeOf(request, request.body, 'changing')
    const { files, errors, safety } = await checkpoints.restore({ ...place, id: checkpoint, paths: paths ?? null, force: force === true })
    return { ok: errors.length === 0, files_restored: files, files_restored_count: files.length, errors, safety_checkpoint: safety }
  })
}
export default plugin

function toWire ({
  id, kind, state, reason, sessionId, streamId, title, files, createdAtS
}: ListedCheckpoint): Static<typeof CheckpointEntry> {
  return {
    id, checkpoint: id, kind, state, reason, session_id: sessionId, stream_id: streamId, title, files_count: files, created_at: createdAtS
  }
}
