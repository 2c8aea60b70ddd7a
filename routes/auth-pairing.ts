import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox, type Static } from '@fastify/type-provider-typebox'
import { readFileSync } from 'node:fs'
import { setSessionCookie } from '../plugins/ground/cookies.js'
import { pageWordsFor } from '../plugins/ground/page-language.js'
import { DeviceRef, NewDevice, PairDevice, Paired, PairingBegun, PairingEnded } from '../schemas/auth-devices.js'
import { conflicts, errors } from '../schemas/common.js'
import { deviceToWire } from '../services/areas/auth/index.js'
import { asset } from '../services/ground/assets.js'
import { fillPage } from '../services/ground/text/html.js'

const bodyLimit = 4 * 1024
const pairPath = '/pair'
const template = readFileSync(asset('web/pair.html'), 'utf8')

/** Codes with which a device fetches its token, or a browser its session. */
export const pairing: FastifyPluginAsyncTypebox = async (app) => {
  const { auth: { devices }, config } = app
  // Writes the session's cookie.
  await app.register(cookie)

  app.post('/api/auth/tokens/pair', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      summary: 'Create a pairing code that a device exchanges for its token within five minutes',
      description: 'Show `code`, or the address of the service followed by `path` as a QR code. The device exchanges it with ' +
        '`POST /api/auth/pair`, once. 403 for a wider scope than that of the requesting token; 409 above 100 devices; 429 if ' +
        'too many codes are open.',
      body: NewDevice,
      response: { 200: PairingBegun, ...errors(400, 429), ...conflicts('uncoded') }
    }
  }, async (request) => {
    const { code, id, expiresAt } = await devices.beginPairing(request.signedIn(), newDeviceOf(request.body))
    return { ok: true as const, id, code, path: `${pairPath}#${code}`, expires_at: expiresAt }
  })

  app.post('/api/auth/tokens/pair/end', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      summary: 'Revoke an unused pairing code',
      description: 'The code stops working at once. The answer is `ok` even if the code was used or has expired.',
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
      summary: 'Exchange a pairing code for a token, or for a browser session',
      description: 'Public, called by the device. `as: "token"` (default) returns the token, once; `as: "session"` sets the ' +
        'session cookie of a browser, and `token` is null. 401: the code is unknown, used, or older than five minutes. 429 after ' +
        'five wrong codes within a minute.',
      body: PairDevice,
      response: { 200: Paired, ...errors(400, 401, 403, 429), ...conflicts('uncoded') }
    }
  }, async (request, reply) => {
    const { code, as = 'token' } = request.body
    const { device, token, cookie } = await devices.pair(code, { as, address: request.ip, userAgent: request.headers['user-agent'] })
    if (cookie !== null) setSessionCookie(request, reply, config, cookie)
    return { ok: true as const, token, device: deviceToWire(device, devices.isOver(device), request.operator) }
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
}

/** Returns what a request asks for a device. */
export function newDeviceOf ({ name, scope, expires_in_seconds: expiresInS = null }: Static<typeof NewDevice>) {
  return { name, scope, expiresInS }
}
