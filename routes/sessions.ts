import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { createHash } from 'node:crypto'
import { Type } from '@sinclair/typebox'
import { Invalid } from '../services/errors.js'
import { windowLimit } from '../services/sessions/index.js'
import { workspaceFolder } from '../services/workspace/index.js'
import { errors, EventStream, isOn, Ok, SessionBody, SessionQuery } from '../schemas/common.js'
import { DetailQuery, ListQuery, NewSessionBody, RenameBody, SessionAnswer, SessionList, SessionRowAnswer, SessionStatus } from '../schemas/sessions.js'
import { frame } from '../services/events/index.js'

const json = 'application/json; charset=utf-8'
const tags = ['sessions']
/** A session opened right after the start waits so long for the name of its model. */
const firstModelWaitMs = 1_000

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions, chat } = app
  const bootId = Date.now().toString(36)

  app.get('/api/sessions', {
    schema: { tags, summary: 'List sessions, latest first', querystring: ListQuery, response: { 200: SessionList, 304: Type.Null({ description: 'unchanged since the ETag that was sent; no body' }) } }
  }, async (request, reply) => {
    const flags = {
      profile: app.activeProfile(request),
      allProfiles: isOn(request.query.all_profiles),
      includeArchived: isOn(request.query.include_archived),
      excludeHidden: isOn(request.query.exclude_hidden)
    }
    const list = sessions.list(flags)
    const etag = `W/"${bootId}-${list.version}-${createHash('sha256').update(list.key).digest('base64url').slice(0, 12)}"`
    reply.header('ETag', etag).header('Cache-Control', 'no-cache')
    if (request.headers['if-none-match'] === etag) return await reply.code(304).removeHeader('content-type').send('' as never)
    const rest = JSON.stringify({
      sidebar_reference_sessions: [],
      cli_count: 0,
      archived_count: sessions.archivedCount(),
      active_profile: flags.profile,
      all_profiles: flags.allProfiles,
      include_archived: flags.includeArchived,
      server_time: app.clock.now() / 1000,
      server_tz: timeZoneOffset(new Date(app.clock.now()))
    })
    return await reply.type(json).send(Buffer.concat([Buffer.from('{"sessions":'), list.bytes, Buffer.from(`,${rest.slice(1)}`)]) as never)
  })

  app.get('/api/sessions/events', {
    exposeHeadRoute: false,
    schema: { tags, summary: 'Tells when the list of sessions has changed (Server-Sent Events)', response: { 200: EventStream } }
  }, (request, reply) => {
    const subscription = app.events.watch({ kind: 'sessions', id: 'all' }, () =>
      frame('sessions_changed', { type: 'sessions_changed', version: sessions.version(), reason: 'initial' }))
    app.sendEvents(request, reply, subscription, { keepalive: 'keepalive' })
  })

  app.get('/api/session', {
    schema: { tags, summary: 'A session with its messages, whole or a window of them', querystring: DetailQuery, response: { 200: SessionAnswer, ...errors(400, 404) } }
  }, async ({ query }, reply) => {
    const detail = sessions.detail(query.session_id, {
      messages: query.messages === undefined || isOn(query.messages),
      window: { limit: windowSize(query.msg_limit), before: wholeNumber(query.msg_before) }
    })
    return await reply.type(json).send(`{"session":${detail}}` as never)
  })

  app.get('/api/session/status', {
    schema: { tags, summary: 'Where a session stands', querystring: SessionQuery, response: { 200: SessionStatus, ...errors(400, 404) } }
  }, async ({ query }) => sessions.status(query.session_id))

  app.post('/api/session/new', {
    schema: { tags, summary: 'Open a session', body: NewSessionBody, response: { 200: SessionAnswer, ...errors(400) } }
  }, async (request, reply) => {
    const { body } = request
    const profile = body.profile ?? app.activeProfile(request)
    if (app.profiles.get(profile) === undefined) throw new Invalid('invalid profile')
    if (body.worktree === true) throw new Invalid('Worktrees are not available yet: open the session without one')
    await app.defaultModels.known(profile, firstModelWaitMs)
    const row = await sessions.create({
      profile,
      workspace: body.workspace === undefined ? app.defaultWorkspace() : await workspaceFolder(body.workspace, [app.config.stateDir]),
      model: body.model,
      modelProvider: body.model_provider,
      projectId: body.project_id
    })
    return await reply.type(json).send(`{"session":${sessions.detail(row.id, { messages: true })}}` as never)
  })

  app.post('/api/session/rename', {
    schema: { tags, summary: 'Name a session', body: RenameBody, response: { 200: SessionRowAnswer, ...errors(400, 404) } }
  }, async ({ body }) => ({ session: sessions.rowToWire(await sessions.rename(body.session_id, body.title)) }))

  app.post('/api/session/delete', {
    schema: { tags, summary: 'Delete a session and everything of it', body: SessionBody, response: { 200: Ok, ...errors(400, 404) } }
  }, async ({ body }) => {
    await chat.removeSession(body.session_id)
    return { ok: true }
  })
}
export default plugin

/** Absent or unreadable means no window; anything else is brought into 1..500. */
function windowSize (text: string | undefined): number | undefined {
  const size = wholeNumber(text)
  return size === undefined ? undefined : Math.min(Math.max(size, 1), windowLimit)
}

function wholeNumber (text: string | undefined): number | undefined {
  return text !== undefined && /^\s*-?\d{1,12}\s*$/.test(text) ? Number(text) : undefined
}

/** `+HHMM` of the server's own zone. */
function timeZoneOffset (date: Date): string {
  const minutes = -date.getTimezoneOffset()
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  return `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}${two(Math.abs(minutes) % 60)}`
}
