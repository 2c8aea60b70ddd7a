import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createAuth, isLocalHost, isSameHost, localPath, type Asker, type Auth, type Operator, type PageAddress } from '../services/auth/index.js'
import { readProfileSettings } from '../services/profiles/index.js'
import { Forbidden, Unauthenticated } from '../services/ground/errors.js'
import { knownSecrets } from '../services/ground/redaction/index.js'
import { isLoopback } from './config.js'
import { cookieValues } from './cookies.js'

declare module 'fastify' {
  interface FastifyInstance {
    auth: Auth
  }
  interface FastifyContextConfig {
    /** Whom the guard lets in: `operator`, which every route means that does not say otherwise, or everybody. */
    access?: 'operator' | 'public'
    /** Signing in is how one gets a session in the first place: it cannot ask for a token that belongs to one. */
    csrfToken?: 'none'
    /** A GET of this route has an effect: no page of another site may cause it. */
    changes?: true
  }
  interface FastifyRequest {
    /** How this request was admitted; null only on public paths. */
    operator: Operator | null
    /** Every value the Cookie header has for the session cookie: a sibling host may have set one beside ours. */
    sessionCookies (): string[]
    /** Whether it would still be let in: what stays open asks again, since a sign-out must end it. */
    isStillAdmitted (): boolean
    /** Who it comes from, as far as that is certain: without an address where a proxy stands between that is not trusted. */
    asker (): Asker
    /** Where the page is that has sent it. */
    pageAddress (): PageAddress
  }
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
const preflightAgeS = 600

/**
 * The guard before every route: refuses what another site sends, admits the operator, and asks browsers for the CSRF
 * token. It runs on the headers alone; Node reads a refused request's body away, so its connection stays usable.
 */
export default fp(async (app: FastifyInstance) => {
  const { config } = app
  const { proxyHeader } = config
  const allowedOrigins = new Set(config.allowedOrigins)
  const onLoopback = isLoopback(config.host)
  const expectedHosts = new Set([config.host.toLowerCase(), ...config.allowedOrigins.map((origin) => new URL(origin).hostname.replace(/^\[|\]$/g, ''))])
  const auth = createAuth({
    db: app.db,
    clock: app.clock,
    password: config.password,
    proxySecret: proxyHeader?.value ?? null,
    sessionTtlS: config.sessionTtlS,
    isLocal: onLoopback,
    onboardingOpen: config.onboardingOpen,
    passkeys: {
      isEnabled: config.passkeys ?? readProfileSettings(config.home, config.env).config.webui_passkey_enabled === true,
      name: config.botName,
      allowedOrigins
    },
    learned: (secret) => knownSecrets.keep([secret])
  })
  app.decorate('auth', auth)
  app.decorateRequest('operator', null)
  app.decorateRequest('isStillAdmitted', function (this: FastifyRequest) { return admit(this) !== null })
  app.decorateRequest('sessionCookies', function () {
    return cookieValues(this.headers.cookie, config.cookieName)
  })
  app.decorateRequest('asker', function () {
    return { address: certainAddress(this), userAgent: this.headers['user-agent'] }
  })
  app.decorateRequest('pageAddress', function () {
    return { protocol: this.protocol, host: this.host, origin: this.headers.origin }
  })
  app.addHook('onReady', () => auth.ready())
  app.addHook('onRoute', (route) => { route.config = { access: 'operator', ...route.config } })

  app.addHook('onRequest', (request, reply, done) => {
    try {
      if (onLoopback && !auth.gated) assertLocalHost(request)
      const { origin } = request.headers
      if (allowedOrigins.size > 0) reply.header('vary', 'Origin')
      if (origin !== undefined && allowedOrigins.has(origin)) allowOrigin(reply, origin)
      if (request.method === 'OPTIONS') {
        answerPreflight(request, reply)
        return
      }
      const changing = !reading.has(request.method)
      if (changing || request.routeOptions.config?.changes === true) assertNotCrossSite(request)
      request.operator = admit(request)
      // By the route that was matched: no spelling of a path can be public without leading to something public.
      if (request.operator === null && request.routeOptions.config?.access !== 'public') {
        refuse(request, reply, done)
        return
      }
      if (changing) assertCsrfToken(request)
      done()
    } catch (error) {
      done(error as Error)
    }
  })

  function admit (request: FastifyRequest): Operator | null {
    const secret = proxyHeader === null ? undefined : request.headers[proxyHeader.name]
    return auth.admit({
      // Node reads header bytes as Latin-1.
      proxySecret: typeof secret === 'string' ? Buffer.from(secret, 'latin1') : undefined,
      cookies: request.sessionCookies()
    })
  }

  /** A page of this machine's browser may set X-Forwarded-Host once its name points here, but never Host: both must fit. */
  function assertLocalHost (request: FastifyRequest): void {
    const { host = '' } = request.headers
    if (isLocalHost(host, expectedHosts) && (request.host === host || isLocalHost(request.host, expectedHosts))) return
    throw new Forbidden('Refused: this service is open to its own machine only, and the Host header names another one. Add the address to SVC_WEBUI_ALLOWED_ORIGINS if it is yours.')
  }

  /** A GET has no Origin where a page merely embeds or follows it; then the Referer, if there is one, says whose page it was. */
  function assertNotCrossSite (request: FastifyRequest): void {
    const { referer, 'sec-fetch-site': site } = request.headers
    const origin = request.headers.origin ?? (referer === undefined ? undefined : originOf(referer))
    if (origin !== undefined && allowedOrigins.has(origin)) return
    const isForeign = site === 'cross-site' || (site === 'same-site' && origin === undefined)
    if (!isForeign && (origin === undefined || isSameHost(origin, request.host))) return
    throw new Forbidden('Refused as a cross-origin request: it was sent by a page of another site')
  }

  /** Native clients send none of the three headers and no page can keep a browser from sending them all. */
  function assertCsrfToken (request: FastifyRequest): void {
    const { operator, headers } = request
    if (operator === null || operator.via === 'open') return
    if (headers.origin === undefined && headers.referer === undefined && headers['sec-fetch-site'] === undefined) return
    if (request.routeOptions.config?.csrfToken === 'none') return
    const token = headers['x-svc-csrf-token'] ?? headers['x-csrf-token']
    if (typeof token === 'string' && auth.isCsrfToken(operator, token)) return
    throw new Forbidden('The session of this page has expired. Reload the page and try again.')
  }

  function answerPreflight (request: FastifyRequest, reply: FastifyReply): void {
    const { origin } = request.headers
    if (origin !== undefined && (allowedOrigins.has(origin) || isSameHost(origin, request.host))) {
      allowOrigin(reply, origin)
      reply.headers({
        'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
        'access-control-allow-headers': 'Content-Type, Authorization, X-Svc-CSRF-Token',
        'access-control-max-age': String(preflightAgeS)
      })
    }
    reply.header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers').code(204).send()
  }
}, { name: 'auth', dependencies: ['config', 'database'] })

/** A person who opens a page is led to sign in; every program gets a plain 401. */
function refuse (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
  const path = request.routeOptions.url ?? request.url
  const opensPage = request.method === 'GET' && !/^\/+api(?:\/|$)/i.test(path) && request.headers.accept?.includes('text/html') === true
  if (opensPage) reply.redirect(`/login?next=${encodeURIComponent(localPath(request.url))}`, 302)
  else done(new Unauthenticated('Authentication required'))
}

/** Undefined where a proxy says for whom it asks and is not one whose word counts: its own address would be taken for the client's. */
function certainAddress ({ headers, ip, ips = [] }: FastifyRequest): string | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers['x-real-ip'] !== undefined
  return isForwarded && ips.length < 2 ? undefined : ip
}

function originOf (address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'null'
}

function allowOrigin (reply: FastifyReply, origin: string): void {
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' })
}
