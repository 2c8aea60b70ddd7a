import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { errors, EventStream, isOn } from '../schemas/common.js'
import { feedFrames, FeedQuery } from '../schemas/feed.js'
import { readerOf } from '../services/areas/auth/index.js'
import { Invalid } from '../services/ground/errors.js'
import { type FeedRequest, type FolderRef } from '../services/areas/feed/index.js'

const usualRows = 50
const mostRows = 200

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/api/events', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      tags: ['events'],
      summary: 'Stream everything: followed turns and sessions, the session list, prompts, folders, settings and ' +
        'notices (Server-Sent Events)',
      description: 'Starts with `snapshot`, which replaces the state of the client. `session` follows a session and its turns, `follow` ' +
        'one turn. To resume, send the last id as `after_event_id` or `Last-Event-ID`: turns continue without loss, and other frames ' +
        'report what changed; if that is not possible, a `snapshot` comes. To follow more, reconnect with the cursor.',
      querystring: FeedQuery,
      response: { 200: EventStream('FeedEvent', feedFrames), ...errors(400) }
    }
  }, (request, reply) => {
    const { query } = request
    const lastEventId = request.headers['last-event-id']
    const subscription = app.feed.open({
      flags: {
        profile: request.activeProfile(), allProfiles: isOn(query.all_profiles), includeArchived: isOn(query.include_archived),
        source: 'all'
      },
      limit: rows(query.limit),
      follow: each(query.follow).map(followed),
      folders: each(query.folder).map(folder),
      sessions: each(query.session).map(session),
      reader: readerOf(request.operator),
      cursor: query.after_event_id ?? (typeof lastEventId === 'string' ? lastEventId : null)
    })
    app.eventStreams.send(request, reply, subscription, { keepalive: 'heartbeat' })
  })
}
export default plugin

const each = (value: string | string[] = []): string[] => [value].flat()

/** Reads `<stream_id>`, or the id of the last frame that the client knows: `<stream_id>:<seq>`. Throws Invalid. */
function followed (text: string): FeedRequest['follow'][number] {
  const [, streamId = '', seq] = /^([^:]*)(?::(\d{1,15}))?$/.exec(text) ?? []
  if (streamId === '') throw new Invalid('follow must be the id of a stream, or of a frame of it')
  return { streamId, afterSeq: Number(seq ?? 0) }
}

/** Reads `<session_id>:<path>`; without a path, the workspace. Throws Invalid. */
function folder (text: string): FolderRef {
  const [, sessionId = '', path = ''] = /^([^:]*)(?::(.*))?$/s.exec(text) ?? []
  if (sessionId === '') throw new Invalid('folder must be a session and a path: <session_id>:<path>')
  return { sessionId, path: path === '' ? '.' : path }
}

function session (id: string): string {
  if (id === '') throw new Invalid('session must be the id of a session')
  return id
}

function rows (text?: string): number {
  if (text === undefined) return usualRows
  const limit = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > mostRows) throw new Invalid(`limit must be a whole number from 1 to ${mostRows}`)
  return limit
}
