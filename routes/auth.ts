import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { AuthStatus, LoggedIn, LoggedOut, Login, LoginForm, LoginPageQuery } from '../schemas/auth.js'
import { bodyParser } from '../plugins/ground/bodies.js'
import { cookieAttributes, setSessionCookie } from '../plugins/ground/cookies.js'
import { errors } from '../schemas/common.js'
import { localPath } from '../services/areas/auth/index.js'
import { oidcFailures } from '../services/ground/languages/index.js'
import { Invalid, TooMany, Unauthenticated } from '../services/ground/errors.js'
import { fieldsOf } from '../services/ground/fields.js'
import { sendSignInPage } from './auth-sign-in-page.js'
import { tagged } from './shared/tagged.js'

const bodyLimit = 16 * 1024

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('auth'))
  const { auth, config } = app
  // Writes cookies. The guard reads them itself, all that have a name: a sibling host may have set another next to ours, which must not
  // lock anyone out.
  await app.register(cookie)

  app.get('/api/auth/status', {
    config: { access: 'public' },
    schema: {
      summary: 'Check whether sign-in is required, and whether this client is signed in',
      description: 'Call this first. `password_required: false`: no sign-in is needed. `authenticated: true`: the credentials of this ' +
        'request are valid, and `csrf_token` is what a browser sends as `X-Svc-CSRF-Token` with each change. `token_scope` is the scope ' +
        'of a token; null means a person.',
      response: { 200: AuthStatus }
    }
  }, (request, reply) => {
    reply.send(auth.status(request.operator))
  })

  app.post('/api/auth/login', {
    config: { access: 'public', csrfToken: 'none' },
    bodyLimit,
    schema: {
      summary: 'Sign in',
      description: 'Sets the session cookie. 401: the password is wrong. After five wrong passwords within a minute from one ' +
        'address, every attempt is a 429 with `Retry-After`. If no sign-in is required, the answer is `ok` with a `message`, ' +
        'without a cookie. Needs no CSRF token.',
      body: Login,
      response: { 200: LoggedIn, ...errors(400, 401, 429) }
    }
  }, async (request, reply) => {
    const opened = await login(app, request, reply, request.body?.password)
    return opened ? { ok: true as const } : { ok: true as const, message: 'Authentication is off: no sign-in is needed' }
  })

  app.post('/api/auth/logout', {
    config: { scope: 'read' },
    bodyLimit,
    schema: {
      summary: 'Sign out',
      description: 'Ends the session of the cookie and its event streams. A paired browser loses its pairing as well. Does not revoke a ' +
        'token: use `POST /api/auth/tokens/revoke`.',
      response: { 200: LoggedOut, ...errors(400, 401) }
    }
  }, async (request, reply) => {
    await auth.logout(request.sessionCookies())
    // A browser that was paired has no other way to come back, so its device is revoked too.
    if (request.operator?.via === 'cookie' && request.operator.deviceId !== undefined) await auth.devices.revoke(request.operator.deviceId)
    for (const name of [config.cookieName, config.profileCookieName]) reply.setCookie(name, '', cookieAttributes(request, config, 0))
    return { ok: true as const }
  })

  app.get('/login', {
    config: { access: 'public' },
    schema: { hide: true, querystring: LoginPageQuery }
  }, async (request, reply) => {
    const next = localPath(request.query.next)
    if (request.operator !== null) return reply.redirect(next, 302)
    const failure = oidcFailures.find((known) => known === request.query.error)
    return sendSignInPage(app, request, reply, {
      next, message: ({ oidc }) => failure === undefined ? '' : oidc[failure](auth.oidc.name ?? '')
    })
  })

  /** The form of the same page, for a browser without scripts. Only here are bodies accepted that are forms. */
  const formRoutes: FastifyPluginAsyncTypebox = async (form) => {
    form.addContentTypeParser(
      'application/x-www-form-urlencoded', bodyParser((bytes) => Object.fromEntries(new URLSearchParams(bytes.toString())))
    )
    form.post('/login', {
      config: { access: 'public', csrfToken: 'none' },
      bodyLimit,
      schema: { hide: true, body: LoginForm },
      errorHandler: explainOnPage
    }, async (request, reply) => {
      await login(app, request, reply, request.body.password)
      return reply.redirect(localPath(request.body.next), 303)
    })
  }
  await app.register(formRoutes)

  function explainOnPage (error: Error, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const status = error instanceof Unauthenticated ? 401 : error instanceof TooMany ? 429 : error instanceof Invalid ? 400 : undefined
    if (status === undefined) throw error
    const waitS = error instanceof TooMany ? String(error.details.retryAfterS) : null
    if (waitS !== null) reply.header('retry-after', waitS)
    return sendSignInPage(app, request, reply.code(status), {
      next: localPath(fieldsOf(request.body)['next']),
      message: (words) => waitS !== null ? words.tooMany(waitS) : error instanceof Invalid ? words.enterPassword : words.wrongPassword
    })
  }
}
export default plugin

/** Opens a session. Returns false if no sign-in is needed. */
async function login (
  { auth, config }: FastifyInstance, request: FastifyRequest, reply: FastifyReply, password?: string
): Promise<boolean> {
  const value = await auth.login({ password, address: request.ip, userAgent: request.headers['user-agent'] })
  if (value === null) return false
  setSessionCookie(request, reply, config, value)
  return true
}
