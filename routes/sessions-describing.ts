import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { rates } from '../plugins/ground/rate-limit.js'
import { conflicts, errors, SessionBody } from '../schemas/common.js'
import {
  ArchiveBody, ChangedSession, MoveBody, PinBody, RenameBody, RetitledAnswer, SessionAnswer, SessionRowAnswer, UpdateBody
} from '../schemas/sessions.js'
import { changedMode } from './shared/mode.js'
import { sendPieces } from './shared/sending.js'

/** The title of a session, its place in the list, and the settings of its turns. Its messages are changed in sessions-editing.ts. */
export const describing: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions } = app

  app.post('/api/session/rename', {
    // Clients may cut a title anywhere, even in the middle of a character.
    config: { scope: 'chat', bodyHalves: 'mended' },
    schema: {
      summary: 'Rename a session',
      description: 'Titles are cut at 80 characters. A blank title returns the session to automatic titles.',
      body: RenameBody,
      response: { 200: SessionRowAnswer, ...errors(400, 404) }
    }
  }, async ({ body }) => ({ session: sessions.rowToWire(await sessions.rename(body.session_id, body.title)) }))

  app.post('/api/session/title/regenerate', {
    config: { scope: 'chat', rateLimit: rates.model },
    schema: {
      summary: 'Generate a new title for a session from its content',
      description: 'Asks a small model, and replaces even a title that a person set. 409 `budget_used_up`: a hard budget is used up. ' +
        '429: too many model requests within a minute.',
      body: SessionBody,
      response: { 200: RetitledAnswer, ...errors(400, 403, 404, 429), ...conflicts('budget_used_up', 'uncoded') }
    }
  }, async ({ body: { session_id: id } }) => {
    await app.titles.regenerate(id)
    const session = sessions.rowToWire(sessions.get(id))
    return { ok: true as const, title: session.title, session }
  })

  app.post('/api/session/pin', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Pin or unpin a session',
      description: '`pinned` is true by default. 400 above the setting `pinned_sessions_limit`, which is 3 by default.',
      body: PinBody,
      response: { 200: ChangedSession, ...errors(400, 403, 404) }
    }
  }, async ({ body }) => ({ ok: true, session: sessions.rowToWire(await sessions.pin(body.session_id, body.pinned ?? true)) }))

  app.post('/api/session/archive', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Archive a session, or unarchive it',
      description: '`archived` is true by default. Archived sessions leave the list unless `include_archived` is set; search still ' +
        'finds them. 400 for read-only sessions.',
      body: ArchiveBody,
      response: { 200: ChangedSession, ...errors(400, 403, 404) }
    }
  }, async ({ body }) => ({ ok: true, session: sessions.rowToWire(await sessions.archive(body.session_id, body.archived ?? true)) }))

  app.post('/api/session/move', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Move a session into a project, or out of it',
      description: 'Without `project_id`, the session leaves its project. Waits up to 5 seconds for a running turn; then 503. 404: ' +
        'unknown session or project.',
      body: MoveBody,
      response: { 200: ChangedSession, ...errors(400, 403, 404, 503) }
    }
  }, async ({ body }) => ({ ok: true, session: sessions.rowToWire(await sessions.move(body.session_id, body.project_id ?? null)) }))

  app.post('/api/session/update', {
    config: { scope: 'chat', finishedBytes: true },
    schema: {
      summary: 'Change the folder, the model or the mode of a session, or keep a temporary chat',
      description: 'Changes only the fields that are sent: `workspace`, `model`, `model_provider`, `mode`. Changing the model resets ' +
        'the token counters. `temporary: false` keeps a temporary chat; so does pinning, archiving or moving it into a project. ' +
        'Leaving plan mode needs the scope `approve`. 400: the folder cannot be used. 502: plan mode is on, but the running turn could ' +
        'not be notified. 503: the session stays busy, or its machine is not connected.',
      body: UpdateBody,
      response: { 200: SessionAnswer, ...errors(400, 403, 404, 502, 503) }
    }
  }, async (request, reply) => {
    const { body } = request
    const workspace = body.workspace === undefined ? undefined : await request.workspaceFolder(body.workspace, body.session_id)
    const mode = body.mode === undefined ? undefined : changedMode(request, body.mode, sessions.get(body.session_id).mode)
    const { id } = await sessions.update(body.session_id, {
      workspace, model: body.model, modelProvider: body.model_provider, keep: body.temporary === false
    })
    if (mode !== undefined) await app.planning.setMode(id, mode)
    await sendPieces(reply, await sessions.answer(id))
  })
}
