import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { errors, startConflicts } from '../schemas/common.js'
import {
  CancelAnswer, Queued, ResumeAnswer, ResumeBody, StartBody, Started, SteerAnswer, SteerBody, StreamRef, Suppressed
} from '../schemas/chat.js'
import { following } from './chat-stream.js'
import { attachmentsOf } from './shared/attachments.js'
import { changedMode } from './shared/mode.js'
import { sender } from './shared/start-or-queue.js'
import { tagged } from './shared/tagged.js'

/** A placeholder that other front ends send instead of a message. */
const silentMessage = '[SILENT]'

/** Turns: starting, following, resuming, stopping and steering them. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('chat'))
  await app.register(starting)
  await app.register(following)
  await app.register(controlling)
}
export default plugin

const starting: FastifyPluginAsyncTypebox = async (app) => {
  const { audit, idempotency, personalities, planning, sessions } = app
  const send = sender(app)

  app.post('/api/chat/start', {
    config: { scope: 'chat', bodyHalves: 'mended', otherProfiles: 'hidden', warmed: true },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Send a message and start its turn',
      description: 'Returns once the message is on disk and in the transcript. Follow `stream_id` with `GET /api/chat/stream`. Send a ' +
        '`client_id` to be able to repeat the request safely. 409 with `active_stream_id` while a turn runs; with `if_busy: queue`, the ' +
        'message is queued instead. 409 `client_id_reused`; 404: unknown session, or of another profile; 503 `restarting`: try again in ' +
        'a few seconds. The message `[SILENT]` starts no turn.',
      body: StartBody,
      response: {
        200: Type.Union([Started, Queued, Suppressed]), ...errors(400, 403, 404, 503),
        ...startConflicts('client_id_reused', 'queue_full')
      }
    }
  }, async (request) => {
    const { body } = request
    if (body.message === silentMessage) return { status: 'suppressed' as const, reason: 'silent_control_message' as const }
    const { client_id: clientId, ...asked } = body
    return await idempotency.once<Static<typeof Started> | Static<typeof Queued>>({
      of: { session: body.session_id }, clientId, operation: 'chat/start', asked
    }, async (keep) => {
      const mode = body.mode === undefined ? undefined : changedMode(request, body.mode, sessions.get(body.session_id).mode)
      const input = {
        sessionId: body.session_id,
        profile: body.profile === undefined ? undefined : request.profileCalled(body.profile),
        message: body.message,
        workspace: body.workspace === undefined ? undefined : await request.workspaceFolder(body.workspace, body.session_id),
        model: body.model,
        modelProvider: body.model_provider,
        explicitModelPick: body.explicit_model_pick ?? false,
        effort: body.effort,
        personality: body.personality === undefined ? undefined : personalities.named(body.session_id, body.personality),
        attachments: attachmentsOf(body.attachments ?? []),
        mode
      }
      const sent = await send(input, body.if_busy, (answer) => {
        if (mode !== undefined && 'stream_id' in answer) audit.record('mode.switched', { session: body.session_id, mode })
        keep(answer)
      })
      // A queued message has no turn yet that could carry the mode, and clients of the conversation have to be told about it.
      if (mode !== undefined && ('queued' in sent || mode === 'plan')) await planning.setMode(body.session_id, mode)
      return sent
    })
  })
}

const controlling: FastifyPluginAsyncTypebox = async (app) => {
  const { chat } = app

  app.post('/api/chat/resume', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Continue a parked turn',
      description: 'For a turn that waits for the limit of a provider (frame `parked`, `resumes_at` of its session). It continues at ' +
        'once, in the same stream, or with `now: false` at its time; `model` continues it with another model. Repeated requests ' +
        'continue it only once: `resumed: false` means that it was no longer parked. 400: no such model; 404: unknown stream; 503 ' +
        '`restarting`: try again.',
      body: ResumeBody,
      response: { 200: ResumeAnswer, ...errors(400, 404, 503) }
    }
  }, async ({ body: { stream_id: streamId, now = true, model, model_provider: modelProvider } }) => {
    const { resumed, resumesAt } = await chat.resume({ streamId, now, model, modelProvider })
    return { ok: true, resumed, stream_id: streamId, resumes_at: resumesAt }
  })

  const cancel = (streamId: string) => ({ ok: true, cancelled: chat.cancel(streamId), stream_id: streamId })
  app.get('/api/chat/cancel', {
    exposeHeadRoute: false,
    config: { scope: 'chat', changes: true },
    schema: {
      summary: 'Stop a turn',
      description: 'The same as `POST /api/chat/cancel`, for clients that send no body.',
      querystring: StreamRef,
      response: { 200: CancelAnswer, ...errors(400) }
    }
  }, async ({ query }) => cancel(query.stream_id))
  app.post('/api/chat/cancel', {
    config: { scope: 'chat' },
    // Some clients also put the id into the query here.
    schema: {
      summary: 'Stop a turn',
      description: 'Frees the session at once; the last frame `cancel` follows within 5 seconds. The text so far stays as a partial ' +
        'message. `cancelled: false`: no turn was running under this id.',
      body: StreamRef,
      querystring: Type.Partial(StreamRef),
      response: { 200: CancelAnswer, ...errors(400) }
    },
    preValidation: async (request) => {
      const { body, query } = request
      if (body.stream_id === undefined && query.stream_id !== undefined) body.stream_id = query.stream_id
    }
  }, async ({ body }) => cancel(body.stream_id))

  app.post('/api/chat/steer', {
    config: { scope: 'chat', bodyHalves: 'mended' },
    bodyLimit: bodyLimits.text,
    schema: {
      summary: 'Steer the running turn with a message',
      description: 'The model gets the text after the next tool result; text that it never got is returned in a frame ' +
        '`pending_steer_leftover`. A refusal is a 200 with `accepted: false` and the reason in `fallback`: send the ' +
        'text as a message instead.',
      body: SteerBody,
      response: { 200: SteerAnswer, ...errors(400, 404) }
    }
  }, async ({ body }) => {
    const { accepted, fallback, streamId } = await chat.steer(body.session_id, body.text)
    return { accepted, fallback, stream_id: streamId }
  })
}
