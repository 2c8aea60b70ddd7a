import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { accepts } from '../services/ground/network/accepted-encoding.js'
import { Invalid } from '../services/ground/errors.js'
import { gzipEnd } from '../services/ground/gzip.js'
import { listAnswer, listEnd, type ListFlags } from '../services/areas/sessions/index.js'
import { errors, EventStream, isNotOff, isOn } from '../schemas/common.js'
import { SessionPage } from '../schemas/sessions-pages.js'
import { ListQuery, SearchAnswer, SearchQuery, SessionList, sessionListFrames } from '../schemas/sessions.js'
import { wholeNumber } from './shared/numbers.js'
import { sendFinished, sendPieces, sendUnchanged } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

const archivedLimit = 2_000
const pageLimit = 200
const archivedOffsetLimit = 200_000
/** How many of the last messages of a session a search reads. */
const defaultDepth = 5

/** The list of sessions, as a whole or in pages; searching in them; and changes of the list. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('sessions'))
  const { sessions } = app
  const bootId = Date.now().toString(36)

  app.get('/api/sessions', {
    config: { scope: 'read', finishedBytes: true },
    schema: {
      summary: 'List sessions, newest first',
      description: 'Without `limit`, the whole list. With `limit` (1 to 200), a page: pass `next_cursor` as `before` to get the next ' +
        'one; null: there is none. Sessions without messages are left out unless a turn runs in them, they are pinned or have a ' +
        'worktree. Send the `ETag` as `If-None-Match`: 304 while nothing has changed. `GET /api/events` reports changes.',
      querystring: ListQuery,
      response: {
        200: Type.Union([SessionList, SessionPage]), 304: Type.Null({ description: 'not changed since the ETag that was sent; no body' }),
        ...errors(400)
      }
    }
  }, async (request, reply) => {
    const flags = listFlags(request, request.query)
    if (request.query.limit !== undefined) return await sendPage(request, reply, flags, request.query)
    const list = await sessions.list(flags)
    const etag = `W/"${bootId}-${list.version}-${list.name}"`
    reply.header('ETag', etag).header('Cache-Control', 'no-cache').header('Vary', 'Accept-Encoding')
    if (request.headers['if-none-match'] === etag) return await sendUnchanged(reply)
    const { pieces, compressed } = listAnswer(list, flags)
    const end = listEnd(app.clock.now())
    if (!accepts(request.headers['accept-encoding'], 'gzip')) return await sendPieces(reply, [...pieces, end])
    await sendFinished(reply.header('content-encoding', 'gzip'), gzipEnd(await compressed(), end))
  })

  async function sendPage (
    request: FastifyRequest, reply: FastifyReply, { profile, allProfiles, includeArchived, source }: ListFlags,
    { limit, before }: Static<typeof ListQuery>
  ): Promise<void> {
    const page = sessions.pages.page({ profile, allProfiles, includeArchived, source }, pageSize(limit), before)
    const etag = `W/"${bootId}-p${page.mark}"`
    reply.header('ETag', etag).header('Cache-Control', 'no-cache').header('Vary', 'Accept-Encoding')
    if (request.headers['if-none-match'] === etag) return await sendUnchanged(reply)
    if (!accepts(request.headers['accept-encoding'], 'gzip')) return await sendFinished(reply, page.body)
    await sendFinished(reply.header('content-encoding', 'gzip'), await page.gzipped())
  }

  app.get('/api/sessions/search', {
    config: { scope: 'read', finishedBytes: true },
    schema: {
      summary: 'Search sessions by title and content',
      description: 'Searches titles, then the last `depth` messages of each session (default 5; 0: all), ignoring case and accents. ' +
        '`content=0` searches titles only. Title matches come first; at most 200. Archived sessions are included.',
      querystring: SearchQuery,
      response: { 200: SearchAnswer, ...errors(400) }
    }
  }, async (request, reply) => {
    const { q = '', content, depth, all_profiles: allProfiles } = request.query
    const flags = listFlags(request, { all_profiles: allProfiles, include_archived: '1' })
    await sendPieces(reply, await sessions.search(flags, {
      query: q, content: isNotOff(content), depth: Math.max(0, wholeNumber(depth) ?? defaultDepth)
    }))
  })

  app.get('/api/sessions/events', {
    config: { scope: 'read' },
    exposeHeadRoute: false,
    schema: {
      summary: 'Stream a notice whenever the list of sessions changes (Server-Sent Events)',
      description: 'Frames `sessions_changed`; the first has the reason `initial`. Get the list again after each: its `ETag` makes that ' +
        'cheap. No cursor: reconnect. `GET /api/events` carries the rows themselves.',
      response: { 200: EventStream('SessionListEvent', sessionListFrames) }
    }
  }, (request, reply) => {
    const subscription = app.events.watch({ kind: 'sessions', id: 'all' }, sessions.openingOfList)
    app.eventStreams.send(request, reply, subscription, { keepalive: 'keepalive' })
  })
}
export default plugin

function listFlags (request: FastifyRequest, query: Static<typeof ListQuery>): ListFlags {
  const { sidebar_source: source } = query
  return {
    profile: request.activeProfile(),
    allProfiles: isOn(query.all_profiles),
    includeArchived: isOn(query.include_archived),
    archivedLimit: clamp(wholeNumber(query.archived_limit) ?? archivedLimit, 0, archivedLimit),
    archivedOffset: clamp(wholeNumber(query.archived_offset) ?? 0, 0, archivedOffsetLimit),
    source: source === 'webui' || source === 'cli' ? source : 'all'
  }
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

/** Returns the number of rows of a page of the list. Throws Invalid. */
function pageSize (text = ''): number {
  const size = wholeNumber(text) ?? 0
  if (size < 1 || size > pageLimit) throw new Invalid(`limit must be a whole number from 1 to ${pageLimit}`)
  return size
}
