import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { redact } from '../services/ground/redaction/index.js'
import { conflicts, errors, SessionBody } from '../schemas/common.js'
import {
  BranchAnswer, BranchBody, NothingToDo, OkSession, RetryAnswer, SessionAnswer, TruncateBody, TypedAnswer, TypedQuery, UndoAnswer
} from '../schemas/sessions.js'
import { attaching } from './sessions-attaching.js'
import { sendPieces } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

/** A turn is running, or the session changed while it was read. */
const changedMeanwhile = conflicts('uncoded')
/** The same, or messages of this session cannot be changed. */
const staysOrChanged = conflicts('attached_session', 'uncoded')
const previewChars = 40

/** Operations that make sessions from others, or change transcripts. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('sessions'))
  await app.register(attaching)
  await app.register(copying)
  await app.register(cutting)
}
export default plugin

const copying: FastifyPluginAsyncTypebox = async (app) => {
  const { foreign, sessions } = app

  app.post('/api/session/branch', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Branch a session: start another one with its first messages',
      description: 'Copies the first `keep_count` messages (default: all) into a new session; the old one is not changed. Possible ' +
        'while a turn runs, and for read-only sessions of other front ends (in the default folder, if the token may not use theirs). ' +
        'To replace a message and keep what it was, branch with `version_index`, remove it with retry or truncate, and send it again: ' +
        '`versions` of both sessions names both.',
      body: BranchBody,
      response: { 200: BranchAnswer, ...errors(400, 404), ...changedMeanwhile }
    }
  }, async (request) => {
    const { session_id: id, keep_count: keep, title, version_index: versionIndex } = request.body
    const row = sessions.isForeign(id)
      ? await foreign.adopt(id, {
        keep, title, profile: request.activeProfile(), folder: async (path) => await request.workspaceFolder(path)
      })
      : await sessions.branch(id, { keep, title, versionIndex })
    return { session_id: row.id, title: sessions.rowToWire(row).title, parent_session_id: id }
  })

  app.post('/api/session/duplicate', {
    config: { scope: 'chat', finishedBytes: true },
    schema: {
      summary: 'Copy a session',
      description: 'Returns the new session, with all messages. 409: the session changed while it was being copied. 403: ' +
        'the session is read-only.',
      body: SessionBody,
      response: { 200: SessionAnswer, ...errors(400, 403, 404), ...changedMeanwhile }
    }
  }, async ({ body }, reply) => { await sendPieces(reply, await sessions.answer((await sessions.duplicate(body.session_id)).id)) })
}

const cutting: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions } = app

  app.post('/api/session/truncate', {
    config: { scope: 'chat', finishedBytes: true },
    schema: {
      summary: 'Keep only the first messages of a session',
      description: 'Deletes every message after the first `keep_count`; this cannot be undone. Files of the workspace are not changed. ' +
        '409 with `active_stream_id` while a turn runs; 403 for read-only sessions.',
      body: TruncateBody,
      response: { 200: OkSession, ...errors(400, 403, 404), ...staysOrChanged }
    }
  }, async ({ body }, reply) => {
    await sessions.truncate(body.session_id, body.keep_count)
    await sendPieces(reply, await sessions.answer(body.session_id, undefined, { ok: true }))
  })

  app.post('/api/session/clear', {
    config: { scope: 'chat', finishedBytes: true },
    schema: {
      summary: 'Remove every message of a session',
      description: 'Deletes every message; this cannot be undone. The session keeps its settings. 409 with `active_stream_id` while a ' +
        'turn runs; 403 for read-only sessions.',
      body: SessionBody,
      response: { 200: OkSession, ...errors(400, 403, 404), ...staysOrChanged }
    }
  }, async ({ body }, reply) => {
    await sessions.truncate(body.session_id, 0, 'session_clear')
    await sendPieces(reply, await sessions.answer(body.session_id, undefined, { ok: true }))
  })

  app.post('/api/session/undo', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Undo the last turn of a session',
      description: 'Deletes the last message of a person and everything after it. If there is nothing to undo: 200 with `error`. Files ' +
        'of the workspace are not changed: restore a checkpoint for these. 409 with `active_stream_id` while a turn runs.',
      body: SessionBody,
      response: { 200: Type.Union([UndoAnswer, NothingToDo]), ...errors(400, 403, 404), ...staysOrChanged }
    }
  }, async ({ body }) => {
    const undone = await sessions.undo(body.session_id)
    return undone === null
      ? { error: 'Nothing to undo.' }
      : { ok: true, removed_count: undone.removed, removed_preview: preview(undone.text, app.settings.values().api_redact_enabled) }
  })

  app.post('/api/session/retry', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Remove the last turn and return its message, to send it again',
      description: 'Deletes the last turn and returns `last_user_text` as typed: send it with `POST /api/chat/start`. If there is ' +
        'nothing to retry: 200 with `error`. 409 with `active_stream_id` while a turn runs.',
      body: SessionBody,
      response: { 200: Type.Union([RetryAnswer, NothingToDo]), ...errors(400, 403, 404), ...staysOrChanged }
    }
  }, async ({ body }) => {
    const taken = await sessions.retry(body.session_id)
    return taken === null
      ? { error: 'No previous message to retry.' }
      : { ok: true, last_user_text: taken.text, removed_count: taken.removed }
  })

  app.get('/api/session/typed', {
    // Not for clients that only read, because nothing is masked.
    config: { scope: 'chat' },
    schema: {
      summary: 'Get a user message as it was typed, to edit it',
      description: '`index` is a position in the whole transcript. Credentials are not masked here. 404: no message of ' +
        'a person has this index.',
      querystring: TypedQuery,
      response: { 200: TypedAnswer, ...errors(400, 403, 404) }
    }
  }, async ({ query: { session_id: id, index } }) => {
    const { messageId, text } = sessions.typed(id, Number(index))
    return { message_id: messageId, text }
  })
}

function preview (text: string, isMasked: boolean): string {
  // Masked before it is cut, because a cut key would not be recognised.
  const shown = [...(isMasked ? redact(text) : text)]
  return shown.length > previewChars ? `${shown.slice(0, previewChars).join('')}...` : shown.join('')
}
