import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { type FastifyRequest } from 'fastify'
import { bodyLimits } from '../plugins/bodies.js'
import { rates } from '../plugins/rate-limit.js'
import { epochSeconds } from '../services/ground/clock.js'
import { Invalid } from '../services/ground/errors.js'
import { exportFileName, sessionPage } from '../services/export/index.js'
import { redact, redactDeep } from '../services/ground/redaction/index.js'
import { exportJson, readImport, type ReadImport, type SessionWire } from '../services/sessions/index.js'
import { errors, SessionBody, SessionQuery } from '../schemas/common.js'
import {
  ExportFile, ExportQuery, ImportBody, OkSession, RemoveWorktreeBody, RevokeBody, Revoked, ShareAnswer, SharedPage, SharedSession, ShareList, SharesRevoked, WorktreeRemoved, WorktreeStatus
} from '../schemas/sessions.js'
import { sendFinished } from './sending.js'

const tags = ['sessions']
/** Up to this size an import is read at once; the way to a worker thread would take longer. */
const smallImportBytes = 64 * 1024
const importLimitMs = 120_000
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

/** Sessions as files: exported, imported, shared, and with a worktree of their own. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions, shares, settings, clock } = app
  const isMasked = (): boolean => settings.values().api_redact_enabled

  /** The page of a session. What is shared is masked whatever the settings say. */
  async function page (id: string, options: { theme?: 'light' | 'dark', palette?: string, notice?: string }, masked: boolean): Promise<string> {
    const row = sessions.get(id)
    const variant = masked ? 'masked' : 'plain'
    const wire = sessions.rowToWire(row)
    const anchor = sessions.transcript.compressionAnchor(row, variant)
    return await sessionPage({ ...wire, ...anchor, title: masked ? redact(row.title) : wire.title }, masked ? maskedAgain(sessions.transcript.messages(id, variant)) : sessions.transcript.messages(id, variant), options)
  }

  async function guestPage (id: string, options: { theme?: 'light' | 'dark', palette?: string }): Promise<string> {
    const { messages, ...detail } = await app.foreign.detail(id, { messages: true }) as unknown as SessionWire & { messages: unknown[] }
    return await sessionPage(detail, messages, options)
  }

  function ownRow (id: string) {
    const row = sessions.get(id)
    return { row, wire: sessions.rowToWire(row) }
  }

  app.get('/api/session/export', {
    config: { finishedBytes: true },
    exposeHeadRoute: false,
    schema: { tags, summary: 'A session as a file: JSON that can be imported, or a page to read', querystring: ExportQuery, response: { 200: ExportFile, ...errors(400, 403, 404) } }
  }, async ({ query }, reply) => {
    const { session_id: id, format = 'json', theme, palette } = query
    if (format !== 'json' && format !== 'html') throw new Invalid('format must be json or html')
    if (!app.sessions.isForeign(id)) sessions.get(id)
    const file = { 'Content-Disposition': `attachment; filename="${exportFileName('session', id, format)}"`, 'Cache-Control': 'no-store' }
    if (format === 'html') {
      if (theme !== undefined && theme !== '' && theme !== 'light' && theme !== 'dark') throw new Invalid('theme must be light or dark')
      const html = await (app.sessions.isForeign(id) ? guestPage : page)(id, { ...(theme === 'light' || theme === 'dark' ? { theme } : {}), palette }, isMasked())
      return await reply.headers(file).type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy).send(html)
    }
    const document = app.sessions.isForeign(id) ? await app.foreign.exported(id) : exportJson({ ...ownRow(id), transcript: sessions.transcript, masked: isMasked() })
    await sendFinished(reply.headers(file), JSON.stringify(document, null, 2))
  })

  /** What imports hold, from when they were read until they are stored. */
  const brought = new WeakMap<FastifyRequest, ReadImport>()

  async function readBody (request: FastifyRequest): Promise<void> {
    if (!Buffer.isBuffer(request.body)) return
    const input = { bytes: request.body, nowS: epochSeconds(clock) }
    const read = input.bytes.length <= smallImportBytes ? readImport(input) : await app.workers.run('readImport', input, { timeoutMs: importLimitMs })
    brought.set(request, read)
    request.body = read.body
  }

  app.post('/api/session/import', {
    bodyLimit: bodyLimits.text,
    config: { bodyUnread: true, finishedBytes: true },
    preValidation: readBody,
    schema: { tags, summary: 'Bring a session in', body: ImportBody, response: { 200: OkSession, ...errors(400, 413, 503) } }
  }, async (request, reply) => {
    const { title, workspace, model, model_provider: modelProvider, pinned = false } = request.body
    const profile = request.activeProfile()
    const row = await sessions.bringIn({
      profile,
      // A session from another machine names a folder that need not be here.
      workspace: workspace === undefined ? app.workspace.defaultFolder : await app.workspace.folder(workspace).catch(() => app.workspace.defaultFolder),
      title: title === undefined || title.trim() === '' ? 'Imported session' : title,
      model,
      modelProvider,
      pinned
    }, brought.get(request)!.pieces, () => sessions.checkPin(profile, ''))
    await sendFinished(reply, sessions.answer(row.id, undefined, { ok: true }))
  })

  async function share (id: string) {
    const title = redact(sessions.get(id).title)
    const html = await page(id, { notice: `Shared on ${new Date(clock.now()).toISOString().slice(0, 10)}. It does not change when the conversation goes on.` }, true)
    return { title, ...await shares.create(id, title, html) }
  }

  app.post('/api/session/share', {
    config: { rateLimit: rates.page },
    schema: { tags, summary: 'Make a page of a session that whoever knows its address may read', body: SessionBody, response: { 200: ShareAnswer, ...errors(400, 403, 404, 429) } }
  }, async ({ body }) => {
    const { token, createdAtS } = await share(body.session_id)
    return { ok: true, token, path: `/share/${token}`, created_at: createdAtS }
  })

  // The same two, as other front ends call them.
  app.post('/api/share/create', {
    config: { rateLimit: rates.page },
    schema: { tags, summary: 'Make a page of a session, with the session in the answer', body: SessionBody, response: { 200: SharedSession, ...errors(400, 403, 404, 429) } }
  }, async ({ body }) => {
    const { token, title, createdAtS } = await share(body.session_id)
    const session = sessions.rowToWire(sessions.get(body.session_id))
    return { ok: true, share: { token, url: `/share/${token}`, title, message_count: session.message_count, created_at: createdAtS, updated_at: createdAtS }, session }
  })

  app.post('/api/share/revoke', {
    schema: { tags, summary: 'Take every shared page of a session back', body: SessionBody, response: { 200: SharesRevoked, ...errors(400, 403, 404) } }
  }, async ({ body }) => {
    const { id } = sessions.get(body.session_id)
    return { ok: true, revoked: await shares.revoke(id), session: sessions.rowToWire(sessions.get(id)) }
  })

  app.get('/api/session/shares', {
    schema: { tags, summary: 'The pages of a session that are shared', querystring: SessionQuery, response: { 200: ShareList, ...errors(400, 403, 404) } }
  }, async ({ query }) => ({
    shares: (app.sessions.isForeign(query.session_id) ? [] : shares.list(sessions.get(query.session_id).id)).map(({ id, title, createdAtS }) => ({ share_id: id, title, created_at: createdAtS }))
  }))

  app.post('/api/session/share/revoke', {
    schema: { tags, summary: 'Take shared pages of a session back', body: RevokeBody, response: { 200: Revoked, ...errors(400, 403, 404) } }
  }, async ({ body }) => ({ ok: true, revoked: await shares.revoke(sessions.get(body.session_id).id, body.share_id) }))

  app.get('/share/:token', {
    exposeHeadRoute: false,
    config: { access: 'public', loggedAs: '/share/…', rateLimit: rates.public },
    schema: { tags, summary: 'A shared page; needs no login', params: Type.Object({ token: Type.String({ maxLength: 100 }) }), response: { 200: SharedPage, ...errors(404, 429) } }
  }, async ({ params }, reply) => {
    const html = shares.page(params.token)
    return await reply.type('text/html; charset=utf-8').header('Content-Security-Policy', pagePolicy).header('Cache-Control', 'no-store')
      .header('X-Robots-Tag', 'noindex').header('Referrer-Policy', 'no-referrer').send(html)
  })

  app.get('/api/session/worktree/status', {
    schema: { tags, summary: 'How the worktree of a session stands', querystring: SessionQuery, response: { 200: WorktreeStatus, ...errors(400, 403, 404, 409) } }
  }, async ({ query }) => {
    const status = app.sessions.isForeign(query.session_id) ? null : await app.sessions.worktrees.status(query.session_id)
    return {
      ok: true,
      session_id: query.session_id,
      has_worktree: status !== null,
      exists: status?.exists ?? false,
      path: status?.path ?? null,
      branch: status?.branch ?? null,
      dirty_files: status?.dirtyFiles ?? 0,
      untracked_files: status?.untrackedFiles ?? 0,
      ahead: status?.ahead ?? 0,
      merged: status?.merged ?? false,
      locked: status?.locked ?? false
    }
  })

  app.post('/api/session/worktree/remove', {
    schema: { tags, summary: 'Remove the worktree of a session; work that is nowhere else stays', body: RemoveWorktreeBody, response: { 200: WorktreeRemoved, ...errors(400, 403, 404, 409) } }
  }, async ({ body }) => {
    const { removed, branchDeleted } = await app.sessions.worktrees.remove(body.session_id, body.force ?? false)
    return { ok: true, removed, branch_deleted: branchDeleted }
  })
}
export default plugin

/** What is known to be a secret by now need not have been when the messages were stored. */
function * maskedAgain (messages: Iterable<Record<string, unknown>>): Generator<Record<string, unknown>> {
  for (const message of messages) yield redactDeep(message)
}
