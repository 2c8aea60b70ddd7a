import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from '@sinclair/typebox'
import { visitorWordsFor } from '../plugins/ground/page-language.js'
import { rates } from '../plugins/ground/rate-limit.js'
import { errors, SessionBody, SessionQuery } from '../schemas/common.js'
import {
  AllShares, RevokeBody, Revoked, RevokeShare, ShareAnswer, SharedPage, SharedSession, ShareList, ShareRevoked, SharesRevoked
} from '../schemas/shares.js'
import { pagePolicy, sendPieces } from './shared/sending.js'
import { tagged } from './shared/tagged.js'

const html = 'text/html; charset=utf-8'

/** Pages of sessions that anyone with their address may read: publishing, listing and revoking them, then the pages themselves. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('sessions'))
  await app.register(ofSession)
  await app.register(ofAll)
  await app.register(pages)
}
export default plugin

const ofSession: FastifyPluginAsyncTypebox = async (app) => {
  const { sessions, shares } = app

  app.post('/api/session/share', {
    config: { scope: 'admin', rateLimit: rates.page },
    schema: {
      summary: 'Share a session as a page that anyone with its address can read',
      description: 'Anyone who knows `path` can read the page without signing in. It is a copy: later messages do not appear in it. ' +
        'Credentials are always masked. `token` is shown only in this answer. 429: too many pages within a minute.',
      body: SessionBody,
      response: { 200: ShareAnswer, ...errors(400, 403, 404, 429) }
    }
  }, async ({ body }) => {
    const { id, token, createdAtS } = await shares.create(body.session_id)
    return { ok: true, share_id: id, token, path: `/share/${token}`, created_at: createdAtS }
  })

  // The same two operations, under the addresses that other front ends use.
  app.post('/api/share/create', {
    config: { scope: 'admin', rateLimit: rates.page },
    schema: {
      summary: 'Share a session as a page, and return the session',
      description: 'The same as `POST /api/session/share`, with the session in the answer.',
      body: SessionBody,
      response: { 200: SharedSession, ...errors(400, 403, 404, 429) }
    }
  }, async ({ body }) => {
    const { token, title, createdAtS } = await shares.create(body.session_id)
    const session = sessions.rowToWire(sessions.get(body.session_id))
    return {
      ok: true, share: {
        token, url: `/share/${token}`, title, message_count: session.message_count, created_at: createdAtS, updated_at: createdAtS
      }, session
    }
  })

  app.post('/api/share/revoke', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Revoke all shared pages of a session',
      description: 'The addresses of all its pages are a 404 from then on. `revoked` counts them.',
      body: SessionBody,
      response: { 200: SharesRevoked, ...errors(400, 403, 404) }
    }
  }, async ({
    body: { session_id: id }
  }) => ({ ok: true, revoked: await shares.revoke(id), session: sessions.rowToWire(sessions.get(id)) }))

  app.get('/api/session/shares', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the shared pages of a session',
      description: 'Newest first, each with its `share_id`, which revokes it. Addresses are not stored and cannot be shown again.',
      querystring: SessionQuery,
      response: { 200: ShareList, ...errors(400, 403, 404) }
    }
  }, async ({ query }) => ({
    shares: shares.list(query.session_id).map(({ id, title, createdAtS }) => ({ share_id: id, title, created_at: createdAtS }))
  }))

  app.post('/api/session/share/revoke', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Revoke one shared page of a session, or all',
      description: 'With `share_id`, one page; without it, all pages of the session. Their addresses are a 404 from then ' +
        'on. `revoked` counts them.',
      body: RevokeBody,
      response: { 200: Revoked, ...errors(400, 403, 404) }
    }
  }, async ({ body }) => ({ ok: true, revoked: await shares.revoke(body.session_id, body.share_id) }))
}

const ofAll: FastifyPluginAsyncTypebox = async (app) => {
  const { shares } = app

  app.get('/api/shares', {
    config: { scope: 'read' },
    schema: {
      summary: 'List all public pages of all sessions and profiles, newest first',
      description: 'Across all profiles. Addresses are not stored and cannot be shown again; `share_id` revokes a page.',
      response: { 200: AllShares }
    }
  }, async () => ({
    shares: shares.all().map(({
      id, title, sessionId, profile, createdAt
    }) => ({ share_id: id, title, session_id: sessionId, profile, created_at: createdAt }))
  }))

  app.post('/api/shares/revoke', {
    config: { scope: 'admin' },
    schema: {
      summary: 'Revoke a public page',
      description: 'The address of the page is a 404 from then on. 404: no such page.',
      body: RevokeShare,
      response: { 200: ShareRevoked, ...errors(400, 404) }
    }
  }, async ({ body: { share_id: id } }) => {
    await shares.revokeOne(id)
    return { ok: true as const, share_id: id }
  })
}

const pages: FastifyPluginAsyncTypebox = async (app) => {
  const { shares } = app

  app.get('/api/session/share/preview', {
    exposeHeadRoute: false,
    config: { scope: 'read', rateLimit: rates.page },
    schema: {
      summary: 'Preview the page that sharing a session would make public',
      description: 'An HTML page without script, exactly as `POST /api/session/share` would publish it. Publishes nothing. 429: too ' +
        'many pages within a minute.',
      querystring: SessionQuery,
      response: { 200: SharedPage, ...errors(400, 403, 404, 429) }
    }
  }, async (request, reply) => {
    const page = await shares.preview(request.query.session_id, visitorWordsFor(request))
    await sendPieces(reply.header('Content-Security-Policy', pagePolicy).header('Cache-Control', 'no-store'), page, html)
  })

  app.get('/share/:token', {
    exposeHeadRoute: false,
    config: { access: 'public', loggedAs: '/share/…', rateLimit: rates.public, isForVisitors: true },
    schema: {
      summary: 'Get a shared page; needs no sign-in',
      description: 'Public: an HTML page without script. 404: unknown or revoked. Its labels are in the language of Accept-Language. Search engines are told to leave it out.',
      params: Type.Object({ token: Type.String({ maxLength: 100 }) }),
      response: { 200: SharedPage, ...errors(404, 429) }
    }
  }, async (request, reply) => {
    const page = await shares.page(request.params.token, visitorWordsFor(request))
    await sendPieces(reply.header('Content-Security-Policy', pagePolicy).header('Cache-Control', 'no-store')
      .header('Vary', 'Accept-Language, Cookie').header('X-Robots-Tag', 'noindex').header('Referrer-Policy', 'no-referrer'), page, html)
  })
}
