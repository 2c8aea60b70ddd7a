import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyInstance } from 'fastify'
import { setSessionCookie } from '../plugins/ground/cookies.js'
import { LoggedIn } from '../schemas/auth.js'
import {
  Assertion, Attestation, PasskeyNamed, PasskeyRef, Passkeys, PasskeysLeft, RegisterOptions, RenamePasskey, SignInOptions
} from '../schemas/auth-passkeys.js'
import { conflicts, errors, Nothing } from '../schemas/common.js'
import { type Passkey } from '../services/areas/auth/index.js'
import { tagged } from './shared/tagged.js'

const bodyLimit = 32 * 1024
/** Limit for bodies that are not read. */
const emptyLimit = 1024

/** Passkeys: signing in with them, and managing them when signed in. All routes answer 404 while passkeys are switched off. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('auth'))
  await app.register(signingIn)
  await app.register(keeping)
}
export default plugin

const signingIn: FastifyPluginAsyncTypebox = async (app) => {
  const { auth: { passkeys }, config } = app
  // Writes the session's cookie.
  await app.register(cookie)

  app.post('/api/auth/passkey/options', {
    config: { access: 'public', csrfToken: 'none' },
    bodyLimit: emptyLimit,
    schema: {
      summary: 'Get the options to sign in with a passkey',
      description: 'Public. Pass `publicKey` to `navigator.credentials.get`, and send its result to `POST /api/auth/passkey/login` ' +
        'within 90 seconds. 400: no passkey is registered for this host name. 404: passkeys are switched off.',
      body: Nothing,
      response: { 200: SignInOptions, ...errors(400, 404, 429) }
    }
  }, async (request) => ({ ok: true as const, publicKey: passkeys.signInOptions(request.pageAddress(), request.ip) }))

  app.post('/api/auth/passkey/login', {
    config: { access: 'public', csrfToken: 'none' },
    bodyLimit,
    schema: {
      summary: 'Sign in with a passkey',
      description: 'Public. Sets the session cookie. A challenge is valid for one attempt. 401: the passkey was not accepted; failures ' +
        'count together with wrong passwords (429).',
      body: Assertion,
      response: { 200: LoggedIn, ...errors(400, 401, 404, 429) }
    }
  }, async (request, reply) => {
    const from = { address: request.ip, userAgent: request.headers['user-agent'] }
    setSessionCookie(request, reply, config, await passkeys.signIn(request.body, request.pageAddress(), from))
    return { ok: true as const }
  })
}

const keeping: FastifyPluginAsyncTypebox = async (app) => {
  const { auth: { passkeys } } = app

  app.post('/api/auth/passkey/register/options', {
    config: { scope: 'person' },
    bodyLimit: emptyLimit,
    schema: {
      summary: 'Get the options to create a passkey in a browser',
      description: 'For a signed-in person. Pass `publicKey` to `navigator.credentials.create`, and send its result to `POST ' +
        '/api/auth/passkey/register` within 90 seconds. 409 on a service that needs no sign-in. 404: passkeys are switched off.',
      body: Nothing,
      response: { 200: RegisterOptions, ...errors(400, 404, 429), ...conflicts('uncoded') }
    }
  }, async (request) => ({ ok: true as const, publicKey: passkeys.registerOptions(request.signedIn(), request.pageAddress()) }))

  app.post('/api/auth/passkey/register', {
    config: { scope: 'person' },
    bodyLimit,
    schema: {
      summary: 'Register a passkey',
      description: 'Works once, and only from the session that requested the options. The passkey belongs to the host name ' +
        'where it was registered.',
      body: Attestation,
      response: { 200: PasskeyNamed, ...errors(400, 404), ...conflicts('uncoded') }
    }
  }, async (request) => {
    const { label, ...attestation } = request.body
    const { id, label: named } = await passkeys.register(request.signedIn(), request.pageAddress(), attestation, label)
    return { ok: true as const, credential: { id, label: named }, credentials: list(app) }
  })

  app.post('/api/auth/passkey/rename', {
    config: { scope: 'person' },
    bodyLimit,
    schema: {
      summary: 'Rename a passkey',
      description: 'Changes the label in lists, at most 80 characters. 404: no such passkey, or passkeys are switched off.',
      body: RenamePasskey,
      response: { 200: PasskeyNamed, ...errors(400, 404) }
    }
  }, async (request) => {
    const { id, label } = await passkeys.rename(request.body.id, request.body.label)
    return { ok: true as const, credential: { id, label }, credentials: list(app) }
  })

  app.post('/api/auth/passkey/delete', {
    config: { scope: 'person' },
    bodyLimit,
    schema: {
      summary: 'Delete a passkey; sign-ins made with it end',
      description: 'Ends the sessions that were opened with it. 409 for the last one while passkeys are the only way to sign ' +
        'in. 404: no such passkey.',
      body: PasskeyRef,
      response: { 200: PasskeysLeft, ...errors(400, 404), ...conflicts('uncoded') }
    }
  }, async (request) => {
    await passkeys.remove(request.body.id)
    return { ok: true as const, credentials: list(app) }
  })

  app.post('/api/auth/passkeys', {
    config: { scope: 'person' },
    bodyLimit: emptyLimit,
    schema: {
      summary: 'List passkeys',
      description: 'Labels, times of creation and last use. 404: passkeys are switched off.',
      body: Nothing,
      response: { 200: Passkeys, ...errors(400, 404) }
    }
  }, async () => ({ credentials: list(app) }))
}

const list = ({ auth: { passkeys } }: FastifyInstance) => passkeys.list().map(toWire)

function toWire ({ id, label, createdAt, lastUsedAt, signCount }: Passkey) {
  return { id, label, created_at: createdAt, last_used_at: lastUsedAt, sign_count: signCount }
}
