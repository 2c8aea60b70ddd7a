import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyRequest } from 'fastify'
import { DeviceMade, Devices, DevicesChanged, DevicesRevoked, NewDevice, RenameDevice, RevokeDevice } from '../schemas/auth-devices.js'
import { conflicts, errors } from '../schemas/common.js'
import { deviceToWire } from '../services/areas/auth/index.js'
import { Invalid } from '../services/ground/errors.js'
import { newDeviceOf, pairing } from './auth-pairing.js'
import { tagged } from './shared/tagged.js'

const bodyLimit = 4 * 1024

/** Tokens of devices: a person, or a token with the scope `admin`, creates, lists, names and revokes them. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('auth'))
  const { auth: { devices } } = app
  const list = ({ operator }: FastifyRequest) => devices.list().map((device) => deviceToWire(device, devices.isOver(device), operator))

  app.get('/api/auth/tokens', {
    config: { scope: 'admin' },
    schema: {
      summary: 'List device tokens, without their secrets',
      description: 'Each has a name, scope, expiry and last use. `is_current` marks the token of this request.',
      response: { 200: Devices }
    }
  }, async (request) => ({ tokens: list(request) }))

  app.post('/api/auth/tokens/create', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      summary: 'Create a token; it is shown once',
      description: '`token` is shown only in this answer: store it, and send it as `Authorization: Bearer <token>`. 403 if a token asks ' +
        'for a wider scope or a longer lifetime than its own; 409 above 100 devices.',
      body: NewDevice,
      response: { 200: DeviceMade, ...errors(400), ...conflicts('uncoded') }
    }
  }, async (request) => {
    const { device, token } = await devices.create(request.signedIn(), newDeviceOf(request.body))
    return { ok: true as const, token, device: deviceToWire(device, devices.isOver(device), request.operator) }
  })

  app.post('/api/auth/tokens/rename', {
    config: { scope: 'admin' },
    bodyLimit,
    schema: {
      summary: 'Rename a token',
      description: 'Changes the name in lists; the token stays valid. Returns the whole list. 404: no such token.',
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
      summary: 'Revoke a token, the devices that it paired, and their open streams',
      description: 'Send either `id` or `all: true`, else 400. The token, and those that it created, get a 401 from then on, and their ' +
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

  await app.register(pairing)
}
export default plugin
