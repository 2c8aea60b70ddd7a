import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { mayUse, readerOf } from '../services/areas/auth/index.js'
import { Forbidden, NotFound } from '../services/ground/errors.js'
import { windowLimit } from '../services/areas/sessions/index.js'
import { conflicts, errors, EventStream, isNotOff, SessionQuery } from '../schemas/common.js'
import {
  DeleteAnswer, DeleteBody, DetailQuery, NewSessionBody, SessionAnswer, SessionOutline, sessionFrames, SessionStatus
} from '../schemas/sessions.js'
import { drafts } from './sessions-drafts.js'
import { describing } from './sessions-describing.js'
import { knownSession } from './shared/known-session.js'
import { wholeNumber } from './shared/numbers.js'
import { sendPieces } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

/** How long opening a session right after the start waits for the name of its model. */
const firstModelWaitMs = 1_000

/** One session: reading, opening, deleting and changing it; and its draft. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('sessions'))
  await app.register(reading)
  await app.register(keeping)
  await app.register(describing)
  await app.register(drafts)
}
export default plugin

const reading: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions } = app

  app.get('/api/session/stream', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      summary: 'Stream the changes of a session: starts of turns, ends of background tasks and others (Server-Sent Events)',
      description: '`initial` first, then `server_turn_started`, `session-updated` and `bg_task_complete`. For the frames of a turn, ' +
        'follow its `stream_id` with `GET /api/chat/stream`. No cursor: after reconnecting, `initial` has the present state.',
      querystring: SessionQuery,
      response: { 200: EventStream('SessionEvent', sessionFrames), ...errors(400, 404) }
    }
  }, (request, reply) => {
    const { session_id: id } = request.query
    knownSession(app, id)
    app.eventStreams.send(request, reply, app.events.watch({ kind: 'session', id }, () => sessions.opening(id)), { keepalive: 'keepalive' })
  })

  app.get('/api/session', {
    config: { scope: 'read', finishedBytes: true },
    schema: {
      summary: 'Get a session with its messages, all or a window of them',
      description: '`messages=0` leaves out the messages. `msg_limit` (1 to 500) gets the last rows, not counting tool rows; while ' +
        '`_messages_truncated` is true, pass `_messages_offset` as `msg_before` to get earlier ones. With either, tool results are cut ' +
        'at 4,096 characters. 409 `session_profile_mismatch` with the `profile` to switch to.',
      querystring: DetailQuery,
      response: { 200: SessionAnswer, ...errors(400, 404) }
    }
  }, async ({ query, operator }, reply) => {
    const options = {
      typed: readerOf(operator).mayType,
      messages: isNotOff(query.messages),
      window: { limit: windowSize(query.msg_limit), before: wholeNumber(query.msg_before) }
    }
    await sendPieces(reply, await (sessions.isForeign(query.session_id) ? app.foreign : sessions).answer(query.session_id, options))
  })

  app.get('/api/session/outline', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the outline of a session: its user messages and the headings of its answers',
      description: '`index` of an entry is a position in the whole transcript, like `msg_before`. `truncated`: ' +
        'earlier entries are left out.',
      querystring: SessionQuery,
      response: { 200: SessionOutline, ...errors(400, 404) }
    }
  }, async ({ query: { session_id: id } }) => sessions.isForeign(id) ? await app.foreign.outline(id) : await sessions.outline(id))

  app.get('/api/session/status', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get the status of a session',
      description: 'Counts, tokens and `active_stream_id` (null: no turn runs), without messages. `silent` says what a turn that has ' +
        'been silent for ten minutes waits for. `GET /api/session/stream` reports changes.',
      querystring: SessionQuery,
      response: { 200: SessionStatus, ...errors(400, 403, 404) }
    }
  }, async ({ query: { session_id: id } }) => sessions.isForeign(id)
    ? { ...app.foreign.status(id), silent: null }
    : { ...sessions.status(id), silent: app.home.silence(id) })
}

const keeping: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions } = app

  app.post('/api/session/new', {
    config: { scope: 'chat', finishedBytes: true, warmed: true },
    schema: {
      summary: 'Create a session',
      description: 'All fields are optional. Defaults: the folder of the project or else the default folder, and the model of the profile. `worktree: true` creates a git ' +
        'branch with a folder of its own. The session appears in lists once it has a message; with `temporary: true` never, and it is ' +
        'deleted after a day without activity. 400: the folder cannot be used, or both are true. 404: unknown profile or project. 503 ' +
        '`host_unreachable`: its machine is not connected.',
      body: NewSessionBody,
      response: { 200: SessionAnswer, ...errors(400, 404, 503), ...conflicts('conflict', 'dirty_worktree', 'operation_in_progress') }
    }
  }, async (request, reply) => {
    const { body } = request
    const profile = request.profileCalled(body.profile)
    if (app.profiles.get(profile) === undefined) throw new NotFound('Profile not found')
    const project = body.project_id === undefined ? undefined : app.projects.get(body.project_id, profile)
    await app.models.defaults.known(profile, firstModelWaitMs)
    const row = await sessions.worktrees.createSession({
      profile,
      workspace: body.workspace !== undefined && body.workspace !== project?.workspace
        ? await request.workspaceFolder(body.workspace)
        // An administrator has chosen it, so that also those may use it who may not choose a folder themselves.
        : project?.workspace == null ? app.workspace.defaultFolder : await app.workspace.folder(project.workspace),
      model: body.model,
      modelProvider: body.model_provider,
      projectId: body.project_id,
      temporary: body.temporary
    }, { worktree: body.worktree === true })
    await sendPieces(reply, await sessions.answer(row.id))
  })

  app.post('/api/session/delete', {
    // Whoever may begin a temporary chat may leave it; the handler asks for more for any other session.
    config: { scope: 'chat' },
    schema: {
      summary: 'Delete a session and everything that belongs to it',
      description: 'Stops a running turn first. Deletes messages, draft, attachments and shared pages; this cannot be undone. A ' +
        'worktree stays, and the answer says where. `session_gone` follows on `GET /api/events`. `temporary: true` deletes a temporary ' +
        'chat, unless it has been kept meanwhile; without it, this needs the scope `approve`. 404: unknown session.',
      body: DeleteBody,
      response: { 200: DeleteAnswer, ...errors(400, 403, 404) }
    }
  }, async ({ body, operator }) => {
    if (body.temporary !== true && !mayUse(operator, 'approve')) {
      throw new Forbidden('Deleting a session needs the scope approve', 'scope_too_narrow', { scope: operator?.scope, needed_scope: 'approve' })
    }
    const { worktreePath, worktreeBranch, worktreeRepoRoot } = sessions.removable(body.session_id)
    if (body.temporary === true) return await sessions.removeTemporary(body.session_id) ? { ok: true } : { ok: true, kept: true as const }
    await sessions.remove(body.session_id)
    if (worktreePath === null) return { ok: true }
    return {
      ok: true, worktree_retained: true, worktree_path: worktreePath, worktree_branch: worktreeBranch, worktree_repo_root: worktreeRepoRoot
    }
  })
}

/** Returns the size of a window, limited to 1..500; undefined if it is absent or unreadable, which means no window. */
function windowSize (text: string | undefined): number | undefined {
  const size = wholeNumber(text)
  return size === undefined ? undefined : Math.min(Math.max(size, 1), windowLimit)
}
