import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/ground/bodies.js'
import { readerOf } from '../services/areas/auth/index.js'
import { NotFound } from '../services/ground/errors.js'
import { conflicts, errors, EventStream } from '../schemas/common.js'
import {
  CancelAnswer, chatFrames, Queued, ResumeAnswer, ResumeBody, StartBody,
  Started, SteerAnswer, SteerBody, StreamQuery, StreamRef, StreamStatus,
  Suppressed
} from '../schemas/chat.js'
import { goalFrames } from '../schemas/side-turns.js'
import { attachmentsOf } from './shared/attachments.js'
import { changedMode } from './shared/mode.js'
import { sender } from './shared/start-or-queue.js'

const tags = ['chat']
/** A message that other front ends send to say nothing. */
const silentMessage = '[SILENT]'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { audit, chat, events, idempotency, personalities, planning, sessions } = app
  const send = sender(app)
  const { readers } = chat

  app.post('/api/chat/start', {
    config: { scope: 'chat', bodyHalves: 'mended', otherProfiles: 'hidden', warmed: true },
    bodyLimit: bodyLimits.text,
    schema: {
      tags,
      summary: 'Send a message and start its turn',
      description: 'Answers once the message is on disk: from then on it is in the transcript. Follow `stream_id` with `GET ' +
        '/api/chat/stream`. Send a `client_id` to be able to repeat the request safely. 409 with `active_stream_id` while a turn runs, ' +
        'unless `if_busy` is `queue`: then it waits in the queue. ' +
        '409 `client_id_reused`; 404: unknown session, or of another profile; 503 `restarting`: try again in a few seconds. The message ' +
        '`[SILENT]` starts nothing.',
      body: StartBody,
      response: {
        200: Type.Union([Started, Queued, Suppressed]), ...errors(400, 403, 404, 503),
        ...conflicts('client_id_reused', 'queue_full', 'uncoded')
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
      // What waits has no turn yet that could carry it, and what runs beside the conversation is to hear of it.
      if (mode !== undefined && ('queued' in sent || mode === 'plan')) await planning.setMode(body.session_id, mode)
      return sent
    })
  })

  app.get('/api/chat/stream', {
    exposeHeadRoute: false,
    // What was sent to a client is remembered, and not sent again to a plain attach.
    config: { scope: 'read', changes: true, warmed: true },
    schema: {
      tags,
      summary: 'Stream the frames of a turn, replayed and live (Server-Sent Events)',
      description: 'Each frame has the id `<stream_id>:<seq>`; `seq` counts from 1 without gaps. To resume, send the last id as ' +
        '`after_event_id` or `Last-Event-ID`: nothing is lost or repeated. `replay=1` starts at the beginning. Exactly one last frame ' +
        'ends a stream: `stream_end` (after `done`), `cancel` or `apperror`. A response that ends without it was cut off. 404: unknown ' +
        'stream, or its frames have expired.',
      querystring: StreamQuery,
      response: { 200: EventStream('ChatEvent', { ...chatFrames, ...goalFrames }), ...errors(400, 404) }
    }
  }, (request, reply) => {
    const { stream_id: streamId } = request.query
    const client = clientOf(request)
    const subscription = events.subscribe(streamId, cursorOf(request.query, request.headers['last-event-id']) ??
      readers.position(streamId, client), readerOf(request.operator))
    if (subscription === null) throw new NotFound('stream not found')
    const over = readers.follow(streamId, client, subscription)
    app.eventStreams.send(request, reply, subscription, {
      keepalive: 'heartbeat',
      closed: () => over(!subscription.ended && app.events.journal.head(streamId)?.ended === false)
    })
  })

  app.get('/api/chat/stream/status', {
    config: { scope: 'read' },
    schema: {
      tags,
      summary: 'Get whether a stream is live and can be replayed',
      description: '`active` says whether the turn runs, `journal.terminal_state` how it ended, `journal.last_seq` how many frames it ' +
        'has. 404: unknown stream.',
      querystring: StreamRef,
      response: { 200: StreamStatus, ...errors(400, 404) }
    }
  }, async ({ query: { stream_id: streamId } }) => {
    const status = chat.streamStatus(streamId)
    return {
      active: status.active,
      stream_id: streamId,
      replay_available: status.replayAvailable,
      journal: {
        session_id: status.sessionId,
        run_id: streamId,
        last_seq: status.lastSeq,
        last_event_id: `${streamId}:${status.lastSeq}`,
        last_event: status.lastEvent,
        terminal: status.terminal,
        terminal_state: status.terminalState
      }
    }
  })

  app.post('/api/chat/resume', {
    config: { scope: 'chat' },
    schema: {
      tags,
      summary: 'Continue a parked turn',
      description: 'For a turn that waits for the limit of a provider (frame `parked`, `resumes_at` of its session). It goes on at once, in ' +
        'the same stream, or with `now: false` at its time; `model` names another model for it. However many ask, it goes on once: ' +
        '`resumed: false` means that it was not parked any more. 400: no such model; 404: unknown stream; 503 `restarting`: try again.',
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
      tags,
      summary: 'Stop a turn',
      description: 'The same as `POST /api/chat/cancel`, for clients that send no body.',
      querystring: StreamRef,
      response: { 200: CancelAnswer, ...errors(400) }
    }
  }, async ({ query }) => cancel(query.stream_id))
  app.post('/api/chat/cancel', {
    config: { scope: 'chat' },
    // Some clients put the id into the query here as well.
    schema: {
      tags,
      summary: 'Stop a turn',
      description: 'Frees the session at once; the last frame `cancel` follows within 5 seconds. What was said so far stays as a ' +
        'partial message. `cancelled: false`: nothing was running under this id.',
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
      tags,
      summary: 'Steer the running turn with a message',
      description: 'The model gets the text after the next tool result; text it never got comes back in a frame ' +
        '`pending_steer_leftover`. A refusal is a 200 with `accepted: false` and `fallback`, the reason: send the text as a message ' +
        'then.',
      body: SteerBody,
      response: { 200: SteerAnswer, ...errors(400, 404) }
    }
  }, async ({ body }) => {
    const { accepted, fallback, streamId } = await chat.steer(body.session_id, body.text)
    return { accepted, fallback, stream_id: streamId }
  })
}
export default plugin

/**
 * The last sequence number the client has seen, undefined when it names none. A cursor that is unreadable or of another
 * stream means the start; one from the future is brought back by the broker.
 */
function cursorOf (query: Static<typeof StreamQuery>, lastEventId: string | string[] | undefined): number | undefined {
  const { stream_id: streamId, after_event_id: eventId, after_seq: seq, replay } = query
  if (eventId !== undefined) return seqOf(eventId, streamId)
  if (seq !== undefined) return /^\d{1,15}$/.test(seq) ? Number(seq) : 0
  if (typeof lastEventId === 'string' && lastEventId !== '') return seqOf(lastEventId, streamId)
  return replay === undefined ? undefined : 0
}

function seqOf (eventId: string, streamId: string): number {
  const colon = eventId.lastIndexOf(':')
  const number = eventId.slice(colon + 1)
  if (!/^\d{1,15}$/.test(number) || (colon !== -1 && eventId.slice(0, colon) !== streamId)) return 0
  return Number(number)
}

/** Tells clients apart for attaches without a cursor: by login, else by where they come from. */
function clientOf (request: FastifyRequest): string {
  return request.operator?.tokenHash ?? `${request.ip} ${request.headers['user-agent'] ?? ''}`
}
