import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { type FastifyRequest } from 'fastify'
import { readFileSync } from 'node:fs'
import { setSessionCookie } from '../plugins/ground/cookies.js'
import { pageWordsFor } from '../plugins/ground/page-language.js'
import {
  DeviceMade, DeviceRef, Devices, DevicesChanged, DevicesRevoked, NewDevice, PairDevice, Paired, PairingBegun, PairingEnded, RenameDevice,
  RevokeDevice, type Device as DeviceSchema
} from '../schemas/auth-devices.js'
import { conflicts, errors } from '../schemas/common.js'
import { type Device } from '../services/areas/auth/index.js'
import { asset } from '../services/ground/assets.js'
import { Invalid } from '../services/ground/errors.js'
import { fillPage } from '../services/ground/html.js'

const tags = ['auth']
const bodyLimit = 4 * 1024
const pairPath = '/pair'
const template = readFileSync(asset('web/pair.html'), 'utf8')

/** Tokens of devices: made, listed, named and revoked by a person or a token that may `admin`, and fetched by a device with a code. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  const { auth: { devices }, config } = app
  // It writes the session's.
  await app.register(cookie)

  app.get('/api/auth/tokens', {
    config: { scope: 'admin' },
    schema: {
      tags,
      summary: 'List device tokens, without their secrets',
      description: 'Each with name, scope, expiry and last use. `is_current` marks the one of this request.',
      response: { 200: Devices }
    }
  }, async (request) => ({ tokens: list(request) }))

  app.post('/api/auth/tokens/create', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      tags,
      summary: 'Create a token; it is shown once',
      description: '`token` is shown this once: store it, and send it as `Authorization: Bearer <token>`. 403 when a token asks for a ' +
        'wider scope or a longer life than its own; 409 above 100 devices.',
      body: NewDevice,
      response: { 200: DeviceMade, ...errors(400), ...conflicts('uncoded') }
    }
  }, async (request) => {
    const { device, token } = await devices.create(request.operator!, wanted(request.body))
    return { ok: true as const, token, device: toWire(device, request) }
  })

  app.post('/api/auth/tokens/rename', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      tags,
      summary: 'Rename a token',
      description: 'Changes the name in lists; the token stays valid. Answers the whole list. 404: no such token.',
      body: RenameDevice,
      response: { 200: DevicesChanged, ...errors(400, 404) }
    }
  }, async (request) => {
    await devices.rename(request.body.id, request.body.name)
    return { ok: true as const, tokens: list(request) }
  })

  app.post('/api/auth/tokens/revoke', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      tags,
      summary: 'Revoke a token, the devices that it paired, and their open streams',
      description: 'Send either `id` or `all: true`, else 400. The token, and those that it created, get 401 from then on, and their ' +
        'event streams end. `revoked` lists the ids. 404: no such token.',
      body: RevokeDevice,
      response: { 200: DevicesRevoked, ...errors(400, 404) }
    }
  }, async (request) => {
    const { id, all = false } = request.body
    if ((id === undefined) !== all) throw new Invalid('Send either id or all')
    const revoked = id === undefined ? await devices.revokeAll() : await devices.revoke(id)
    return { ok: true as const, revoked, tokens: list(request) }
  })

  app.post('/api/auth/tokens/pair', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      tags,
      summary: 'Create a pairing code that a device exchanges for its token within five minutes',
      description: 'Show `code`, or the address of the service followed by `path` as a QR code. The device exchanges it with `POST ' +
        '/api/auth/pair`, once. 403 for a wider scope than that of the asking token; 409 above 100 devices; 429 when too many codes are ' +
        'open.',
      body: NewDevice,
      response: { 200: PairingBegun, ...errors(400, 429), ...conflicts('uncoded') }
    }
  }, async (request) => {
    const { code, id, expiresAt } = await devices.beginPairing(request.operator!, wanted(request.body))
    return { ok: true as const, id, code, path: `${pairPath}#${code}`, expires_at: expiresAt }
  })

  app.post('/api/auth/tokens/pair/end', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      tags,
      summary: 'Revoke an unused pairing code',
      description: 'The code stops working at once. Answers `ok` also if it was used or has expired.',
      body: DeviceRef,
      response: { 200: PairingEnded, ...errors(400) }
    }
  }, async (request) => {
    await devices.endPairing(request.body.id)
    return { ok: true as const }
  })

  app.post('/api/auth/pair', {
    config: { access: 'public', csrfToken: 'none' },
    bodyLimit,
    schema: {
      tags,
      summary: 'Exchange a pairing code for a token, or for a browser session',
      description: 'Public, called by the device. `as: "token"` (default) answers the token, once; `as: "session"` sets the session ' +
        'cookie of a browser, and `token` is null. 401: the code is unknown, used, or older than five minutes. 429 after five wrong ' +
        'codes within a minute.',
      body: PairDevice,
      response: { 200: Paired, ...errors(400, 401, 403, 429), ...conflicts('uncoded') }
    }
  }, async (request, reply) => {
    const { code, as = 'token' } = request.body
    const { device, token, cookie } = await devices.pair(code, { as, address: request.ip, userAgent: request.headers['user-agent'] })
    if (cookie !== null) setSessionCookie(request, reply, config, cookie)
    return { ok: true as const, token, device: toWire(device, request) }
  })

  app.get(pairPath, {
    config: { access: 'public' },
    schema: { hide: true }
  }, async (request, reply) => {
    const { tag, pairing, signIn } = pageWordsFor(request)
    const name = app.settings.values().bot_name
    return reply.type('text/html; charset=utf-8').header('vary', 'Accept-Language, Cookie').send(fillPage(template, {
      lang: tag, name, title: pairing.title(name), code: pairing.code, use: pairing.use, note: pairing.note,
      needs_script: pairing.needsScript, unreachable: signIn.unreachable
    }))
  })

  const list = (request: FastifyRequest) => devices.list().map((device) => toWire(device, request))

  function toWire (device: Device, { operator }: FastifyRequest): Static<typeof DeviceSchema> {
    const { id, name, scope, tokenHash, createdAt, expiresAt, lastUsedAt, madeBy } = device
    return {
      id,
      name,
      scope,
      kind: tokenHash === null ? 'browser' : 'token',
      created_at: createdAt,
      expires_at: expiresAt,
      is_expired: devices.isOver(device),
      last_used_at: lastUsedAt,
      made_by: madeBy,
      is_current: operator?.deviceId === id
    }
  }
}
export default plugin

function wanted ({ name, scope, expires_in_seconds: expiresInS = null }: Static<typeof NewDevice>) {
  return { name, scope, expiresInS }
}
