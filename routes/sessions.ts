import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type, type Static } from '@sinclair/typebox'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/bodies.js'
import { Invalid, NotFound } from '../services/ground/errors.js'
import { gzipEnd } from '../services/ground/gzip.js'
import { listAnswer, listEnd, windowLimit, type ListFlags } from '../services/sessions/index.js'
import { errors, EventStream, isOn, SessionBody, SessionQuery } from '../schemas/common.js'
import { SessionPage } from '../schemas/sessions-pages.js'
import {
  ArchiveBody, ChangedSession, DeleteAnswer, DetailQuery, DraftAnswer, DraftBody, ListQuery, MoveBody, NewSessionBody, PinBody, RenameBody, SearchAnswer,
  SearchQuery, SessionAnswer, SessionList, SessionRowAnswer, sessionFrames, sessionListFrames, SessionStatus, UpdateBody
} from '../schemas/sessions.js'
import { sendFinished, sendPieces, sendUnchanged } from './sending.js'

const tags = ['sessions']
const archivedLimit = 2_000
const pageLimit = 200
const archivedOffsetLimit = 200_000
/** How many of the last messages a search looks into. */
const defaultDepth = 5
/** A session opened right after the start waits so long for the name of its model. */
const firstModelWaitMs = 1_000

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions } = app
  const bootId = Date.now().toString(36)

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

  app.get('/api/sessions', {
    config: { finishedBytes: true },
    schema: { tags, summary: 'List sessions, latest first', querystring: ListQuery, response: { 200: Type.Union([SessionList, SessionPage]), 304: Type.Null({ description: 'unchanged since the ETag that was sent; no body' }), ...errors(400) } }
  }, async (request, reply) => {
    const flags = listFlags(request, request.query)
    if (request.query.limit !== undefined) return await sendPage(request, reply, flags)
    const list = sessions.list(flags)
    const etag = `W/"${bootId}-${list.version}-${list.name}"`
    reply.header('ETag', etag).header('Cache-Control', 'no-cache').header('Vary', 'Accept-Encoding')
    if (request.headers['if-none-match'] === etag) return await sendUnchanged(reply)
    const { pieces, compressed } = listAnswer(list, flags)
    const end = listEnd(app.clock.now())
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return await sendPieces(reply, [...pieces, end])
    await sendFinished(reply.header('content-encoding', 'gzip'), gzipEnd(await compressed(), end))
  })

  async function sendPage (request: FastifyRequest, reply: FastifyReply, { profile, allProfiles, includeArchived, source }: ListFlags): Promise<void> {
    const { limit, before } = request.query as Static<typeof ListQuery>
    const page = sessions.pages.page({ profile, allProfiles, includeArchived, source }, pageSize(limit), before)
    const etag = `W/"${bootId}-p${page.mark}"`
    reply.header('ETag', etag).header('Cache-Control', 'no-cache').header('Vary', 'Accept-Encoding')
    if (request.headers['if-none-match'] === etag) return await sendUnchanged(reply)
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return await sendFinished(reply, page.body)
    await sendFinished(reply.header('content-encoding', 'gzip'), await page.gzipped())
  }

  app.get('/api/sessions/search', {
    config: { finishedBytes: true },
    schema: { tags, summary: 'Find sessions by title and by what was said in them', querystring: SearchQuery, response: { 200: SearchAnswer, ...errors(400) } }
  }, async (request, reply) => {
    const { q = '', content, depth, all_profiles: allProfiles } = request.query
    const flags = listFlags(request, { all_profiles: allProfiles, include_archived: '1' })
    await sendFinished(reply, sessions.search(flags, { query: q, content: content === undefined || isOn(content), depth: Math.max(0, wholeNumber(depth) ?? defaultDepth) }))
  })

  app.get('/api/sessions/events', {
    exposeHeadRoute: false,
    schema: { tags, summary: 'Tells when the list of sessions has changed (Server-Sent Events)', response: { 200: EventStream('SessionListEvent', sessionListFrames) } }
  }, (request, reply) => {
    const subscription = app.events.watch({ kind: 'sessions', id: 'all' }, sessions.openingOfList)
    app.eventStreams.send(request, reply, subscription, { keepalive: 'keepalive' })
  })

  app.get('/api/session/stream', {
    exposeHeadRoute: false,
    schema: { tags, summary: 'Tells what happens to a session: changes, turns that begin, background tasks that end (Server-Sent Events)', querystring: SessionQuery, response: { 200: EventStream('SessionEvent', sessionFrames), ...errors(400, 404) } }
  }, (request, reply) => {
    const { session_id: id } = request.query
    if (!app.sessions.isForeign(id)) sessions.get(id)
    app.eventStreams.send(request, reply, app.events.watch({ kind: 'session', id }, () => sessions.opening(id)), { keepalive: 'keepalive' })
  })

  app.get('/api/session', {
    config: { finishedBytes: true },
    schema: { tags, summary: 'A session with its messages, whole or a window of them', querystring: DetailQuery, response: { 200: SessionAnswer, ...errors(400, 404) } }
  }, async ({ query }, reply) => {
    const options = {
      messages: query.messages === undefined || isOn(query.messages),
      window: { limit: windowSize(query.msg_limit), before: wholeNumber(query.msg_before) }
    }
    if (app.sessions.isForeign(query.session_id)) return { session: await app.foreign.detail(query.session_id, options) }
    await sendFinished(reply, sessions.answer(query.session_id, options))
  })

  app.get('/api/session/status', {
    schema: { tags, summary: 'Where a session stands', querystring: SessionQuery, response: { 200: SessionStatus, ...errors(400, 403, 404) } }
  }, async ({ query: { session_id: id } }) => app.sessions.isForeign(id) ? app.foreign.status(id) : sessions.status(id))

  app.post('/api/session/new', {
    config: { finishedBytes: true },
    schema: { tags, summary: 'Open a session', body: NewSessionBody, response: { 200: SessionAnswer, ...errors(400, 404, 409, 503) } }
  }, async (request, reply) => {
    const { body } = request
    const profile = body.profile ?? request.activeProfile()
    if (app.profiles.get(profile) === undefined) throw new NotFound('Profile not found')
    if (body.project_id !== undefined) app.projects.get(body.project_id, profile)
    await app.models.defaults.known(profile, firstModelWaitMs)
    const row = await app.sessions.worktrees.createSession({
      profile,
      workspace: body.workspace === undefined ? app.workspace.defaultFolder : await app.workspace.folder(body.workspace),
      model: body.model,
      modelProvider: body.model_provider,
      projectId: body.project_id
    }, { worktree: body.worktree === true })
    await sendFinished(reply, sessions.answer(row.id))
  })

  app.post('/api/session/rename', {
    schema: { tags, summary: 'Name a session', body: RenameBody, response: { 200: SessionRowAnswer, ...errors(400, 404) } }
  }, async ({ body }) => ({ session: sessions.rowToWire(await sessions.rename(body.session_id, body.title)) }))

  app.post('/api/session/delete', {
    schema: { tags, summary: 'Delete a session and everything of it', body: SessionBody, response: { 200: DeleteAnswer, ...errors(400, 403, 404) } }
  }, async ({ body }) => {
    const { worktreePath, worktreeBranch, worktreeRepoRoot } = sessions.removable(body.session_id)
    await sessions.remove(body.session_id)
    if (worktreePath === null) return { ok: true }
    return { ok: true, worktree_retained: true, worktree_path: worktreePath, worktree_branch: worktreeBranch, worktree_repo_root: worktreeRepoRoot }
  })

  app.post('/api/session/pin', {
    schema: { tags, summary: 'Pin a session, or take the pin out', body: PinBody, response: { 200: ChangedSession, ...errors(400, 403, 404) } }
  }, async ({ body }) => ({ ok: true, session: sessions.rowToWire(await sessions.pin(body.session_id, body.pinned ?? true)) }))

  app.post('/api/session/archive', {
    schema: { tags, summary: 'Archive a session, or bring it back', body: ArchiveBody, response: { 200: ChangedSession, ...errors(400, 403, 404) } }
  }, async ({ body }) => ({ ok: true, session: sessions.rowToWire(await sessions.archive(body.session_id, body.archived ?? true)) }))

  app.post('/api/session/move', {
    schema: { tags, summary: 'Put a session into a project, or out of it', body: MoveBody, response: { 200: ChangedSession, ...errors(400, 403, 404, 503) } }
  }, async ({ body }) => ({ ok: true, session: sessions.rowToWire(await sessions.move(body.session_id, body.project_id ?? null)) }))

  app.post('/api/session/update', {
    config: { finishedBytes: true },
    schema: { tags, summary: 'Give a session another folder or model', body: UpdateBody, response: { 200: SessionAnswer, ...errors(400, 403, 404) } }
  }, async ({ body }, reply) => {
    const workspace = body.workspace === undefined ? undefined : await app.workspace.folder(body.workspace)
    const { id } = await sessions.update(body.session_id, { workspace, model: body.model, modelProvider: body.model_provider })
    await sendFinished(reply, sessions.answer(id))
  })

  app.get('/api/session/draft', {
    schema: { tags, summary: 'What stands in the composer of a session', querystring: SessionQuery, response: { 200: DraftAnswer, ...errors(400, 403, 404) } }
  }, async ({ query: { session_id: id } }) => ({ ok: true, draft: app.sessions.isForeign(id) ? { text: '', files: [] } : sessions.draft(id) }))

  app.post('/api/session/draft', {
    bodyLimit: bodyLimits.text,
    schema: { tags, summary: 'Keep what stands in the composer of a session', body: DraftBody, response: { 200: DraftAnswer, ...errors(400, 403, 404) } }
  }, async ({ body }) => ({ ok: true, draft: await sessions.setDraft(body.session_id, { text: body.text ?? '', files: body.files ?? [] }) }))
}
export default plugin

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most)

/** Rows of a page of the list. Throws Invalid. */
function pageSize (text = ''): number {
  const size = wholeNumber(text) ?? 0
  if (size < 1 || size > pageLimit) throw new Invalid(`limit must be a whole number from 1 to ${pageLimit}`)
  return size
}

/** Absent or unreadable means no window; anything else is brought into 1..500. */
function windowSize (text: string | undefined): number | undefined {
  const size = wholeNumber(text)
  return size === undefined ? undefined : Math.min(Math.max(size, 1), windowLimit)
}

function wholeNumber (text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d{1,200}\s*$/.test(text) ? Number(text) : undefined
}
