import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { chatFrames, StreamQuery, StreamRef, StreamStatus } from '../schemas/chat.js'
import { errors, EventStream } from '../schemas/common.js'
import { goalFrames } from '../schemas/goals.js'
import { readerOf } from '../services/areas/auth/index.js'
import { NotFound } from '../services/ground/errors.js'

/** The frames of turns, and how far each turn has come. */
export const following: FastifyPluginAsyncTypebox = async (app) => {
  const { chat, events } = app
  const { readers } = chat

  app.get('/api/chat/stream', {
    exposeHeadRoute: false,
    // Frames that were sent to a client are remembered, and not sent again if it attaches without a cursor.
    config: { scope: 'read', changes: true, warmed: true },
    schema: {
      summary: 'Stream the frames of a turn, replayed and live (Server-Sent Events)',
      description: 'Each frame has the id `<stream_id>:<seq>`; `seq` counts from 1 without gaps. To resume, send the last id as ' +
        '`after_event_id` or `Last-Event-ID`: no frame is lost or repeated. `replay=1` starts at the beginning. Exactly one last frame ' +
        'ends a stream: `stream_end` (after `done`), `cancel` or `apperror`. A response that ends without it was interrupted. 204: the ' +
        'cursor is the last frame. 404: unknown stream, or expired frames.',
      querystring: StreamQuery,
      response: {
        200: EventStream('ChatEvent', { ...chatFrames, ...goalFrames }),
        204: Type.Null({ description: 'The cursor is the last frame of the turn' }), ...errors(400, 404)
      }
    }
  }, (request, reply) => {
    const { stream_id: streamId } = request.query
    const client = clientOf(request)
    const cursor = cursorOf(request.query, request.headers['last-event-id'])
    const head = events.journal.head(streamId)
    // An EventSource opens every stream that ends again, except after this status.
    if (head?.ended === true && cursor === head.lastSeq) {
      void reply.code(204).send(null)
      return
    }
    const subscription = events.subscribe(streamId, cursor ?? readers.position(streamId, client), readerOf(request.operator))
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
      summary: 'Check whether a stream is live and can be replayed',
      description: '`active`: the turn is running. `journal.terminal_state`: how it ended. `journal.last_seq`: how many frames it ' +
        'has. 404: unknown stream.',
      querystring: StreamRef,
      response: { 200: StreamStatus, ...errors(400, 404) }
    }
  }, async ({ query: { stream_id: streamId } }) => {
    const { active, replayAvailable, journal } = chat.streamStatus(streamId)
    return { active, stream_id: streamId, replay_available: replayAvailable, journal }
  })
}

/**
 * Returns the last sequence number that the client has seen; undefined if it names none. A cursor that is unreadable or of another stream
 * means the start; the broker corrects one from the future.
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

/** Returns an id of the client for attaches without a cursor: its sign-in, or else where it comes from. */
function clientOf (request: FastifyRequest): string {
  return request.operator?.tokenHash ?? `${request.ip} ${request.headers['user-agent'] ?? ''}`
}
