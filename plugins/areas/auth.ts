import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import {
  createAuth, localPath, mayUse, tokenPrefix, type Asker, type Auth, type Operator, type PageAddress, type PasswordCost, type RouteScope
} from '../../services/areas/auth/index.js'
import { readProfileSettings } from '../../services/areas/profiles/index.js'
import { asError, Forbidden, Unauthenticated } from '../../services/ground/errors.js'
import { isLoopback } from '../../services/ground/network/loopback.js'
import { knownSecrets } from '../../services/ground/redaction/index.js'
import { opensPage } from '../ground/error-page.js'
import { cookieValues } from '../ground/cookies.js'
import { createCrossSiteChecks } from '../ground/cross-site.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance {
    auth: Auth
  }
  interface FastifyContextConfig {
    /** Whom the guard admits: `operator`, which is the default, or everybody. */
    access?: 'operator' | 'public'
    /**
     * The scope that a token needs for a route that is not public. `person`: no token may use it; `console`: nothing that comes over the
     * network may. A route without a scope is closed to tokens, and fails the tests.
     */
    scope?: RouteScope
    /** The body is validated before the sender is authenticated; both happen before anything is done. */
    bodyFirst?: true
    /** For signing in, which creates the session: it cannot require a CSRF token that belongs to one. */
    csrfToken?: 'none'
    /**
     * A GET of this route has an effect or a cost: no page of another site may send it, and of this site only its code.
     * `opened`: a person may also open the address, for instance to download something.
     */
    changes?: true | 'opened'
    /** Pages may embed the answer, such as a picture. Every other route refuses to be embedded. */
    embedded?: true
  }
  interface FastifyRequest {
    /** How this request was admitted; null only on public paths. */
    operator: Operator | null
    /** Returns the signed-in operator, on a route that admits nobody else. Throws Unauthenticated. */
    signedIn (): Operator
    /** Returns every value that the Cookie header has for the session cookie: a sibling host may have set one beside the service's. */
    sessionCookies (): string[]
    /** Whether the request would still be admitted. Open streams check this repeatedly, because a sign-out must end them. */
    isStillAdmitted (): boolean
    /**
     * Calls `cut` when the access of the device that sent the request is revoked. The caller calls the returned function when that no
     * longer matters.
     */
    untilRevoked (cut: () => void): () => void
    /** Returns who sent the request, as far as that is certain: without an address if it came through a proxy that is not trusted. */
    asker (): Asker
    /** Returns the address of the page that sent the request. */
    pageAddress (): PageAddress
  }
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
/** How long an expired token may continue with what it has open. */
const sweepEveryMs = 5_000

export interface AuthPluginOptions {
  /** Cost of hashing a password. Default: a cost that is safe for real passwords. */
  passwordCost?: PasswordCost
}

/**
 * The guard before every route: refuses what another site sends, admits the operator, and asks browsers for the CSRF
 * token. It needs only the headers; Node discards the body of a refused request, so its connection stays usable.
 */
export default fp(async (app: FastifyInstance, { passwordCost }: AuthPluginOptions) => {
  const { config } = app
  const { proxyHeader } = config
  const onLoopback = isLoopback(config.host)
  const auth = createAuth({
    db: app.db,
    clock: app.clock,
    audit: app.audit,
    password: config.password,
    passwordCost,
    proxySecret: proxyHeader?.value ?? null,
    sessionTtlS: () => config.sessionTtlS ?? app.settings.values().session_ttl_seconds,
    isLocal: onLoopback,
    onboardingOpen: config.onboardingOpen,
    passkeys: {
      isEnabled: config.passkeys ?? readProfileSettings(config.home, config.env).config.webui_passkey_enabled === true,
      name: config.botName,
      allowedOrigins: new Set(config.allowedOrigins)
    },
    oidc: config.oidc,
    learned: (secret) => knownSecrets.keep([secret]),
    log: (message, details) => app.log.warn(details, message)
  })
  const crossSite = createCrossSiteChecks({ config, auth })
  app.decorate('auth', auth)
  app.decorateRequest('operator', null)
  app.decorateRequest('signedIn', function () {
    if (this.operator === null) throw new Unauthenticated('Authentication required')
    return this.operator
  })
  app.decorateRequest('isStillAdmitted', function (this: FastifyRequest) { return admit(this) !== null })
  cutRevoked(app, auth)
  app.decorateRequest('sessionCookies', function () {
    return cookieValues(this.headers.cookie, config.cookieName)
  })
  app.decorateRequest('asker', function () {
    return { address: certainAddress(this), userAgent: this.headers['user-agent'], isDevice: this.operator?.scope !== undefined }
  })
  app.decorateRequest('pageAddress', function () {
    return { protocol: this.protocol, host: this.host, origin: this.headers.origin }
  })
  app.addHook('onReady', () => auth.ready())
  app.addHook('onRoute', (route) => { route.config = { access: 'operator', ...route.config } })

  app.addHook('onRequest', (request, reply, done) => {
    try {
      if (onLoopback && !auth.gated) crossSite.assertLocalHost(request)
      crossSite.allowOrigin(request, reply)
      if (request.method === 'OPTIONS') {
        crossSite.answerPreflight(request, reply)
        return
      }
      const changing = !reading.has(request.method)
      // Read once: Fastify builds `routeOptions` anew each time.
      const { config } = request.routeOptions
      request.operator = admit(request)
      crossSite.assertNotEmbedded(request, config)
      if (changing || config?.changes !== undefined) crossSite.assertNotCrossSite(request)
      // Decided by the matched route, so that no spelling of a path can make a route public.
      const isPublic = config?.access === 'public'
      if (request.operator === null && !isPublic && tokenOf(request) !== undefined) {
        refuseToken(request, reply, done)
        return
      }
      if (request.operator === null && !isPublic && config?.bodyFirst !== true) {
        refuse(request, reply, done)
        return
      }
      if (!isPublic) assertScope(request, reply, config?.scope)
      if (changing) crossSite.assertCsrfToken(request)
      if (request.operator?.deviceId !== undefined) auth.devices.noteUse(request.operator.deviceId)
      done()
    } catch (error) {
      done(asError(error))
    }
  })

  app.addHook('preHandler', (request, _reply, done) => {
    const isRefused = request.operator === null && request.routeOptions.config.bodyFirst === true
    done(isRefused ? new Unauthenticated('Authentication required') : undefined)
  })

  function admit (request: FastifyRequest): Operator | null {
    const secret = proxyHeader === null ? undefined : request.headers[proxyHeader.name]
    return auth.admit({
      console: app.console.hasSent(request.raw),
      // Node reads header bytes as Latin-1.
      proxySecret: typeof secret === 'string' ? Buffer.from(secret, 'latin1') : undefined,
      cookies: request.sessionCookies(),
      token: tokenOf(request)
    })
  }

  /** Refuses a token. Wrong tokens are counted, so that a sender who tries many has to wait. */
  function refuseToken (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
    const nobody = { kind: 'nobody' as const, id: null, name: null, address: request.ip ?? null }
    app.audit.as(nobody, () => auth.devices.countWrong(request.ip)).then(() => {
      reply.header('www-authenticate', 'Bearer error="invalid_token"')
      done(new Unauthenticated('This token is not valid: it is wrong, expired or revoked'))
    }).catch(done)
  }
}, { name: 'auth', dependencies: ['audit', 'config', 'console', 'database', 'settings'] })

/**
 * Returns the token of a request that looks like one of the service's, valid or not. Any other token is meant for a proxy in front,
 * which leaves it in the header: it neither admits nor excludes anybody.
 */
function tokenOf ({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  return token?.startsWith(tokenPrefix) === true ? token : undefined
}

/** Throws Forbidden when the route needs more than the token may do. */
function assertScope ({ operator, is404 }: FastifyRequest, reply: FastifyReply, wanted: RouteScope = 'person'): void {
  const held = operator?.scope
  if (is404 || mayUse(operator, wanted)) return
  if (wanted === 'console') {
    throw new Forbidden('Only a program on the machine of the service may do this', 'scope_too_narrow', { scope: held, needed_scope: wanted })
  }
  if (wanted === 'person') {
    throw new Forbidden('No token may do this. Sign in to do it', 'scope_too_narrow', { scope: held, needed_scope: wanted })
  }
  reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${wanted}"`)
  throw new Forbidden(`This token may ${held}; this needs a token that may ${wanted}`, 'scope_too_narrow', {
    scope: held, needed_scope: wanted
  })
}

/** Redirects a person who opens a page to the sign-in; programs get a plain 401. */
function refuse (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
  if (opensPage(request)) reply.redirect(`/login?next=${encodeURIComponent(localPath(request.url))}`, 302)
  else done(new Unauthenticated('Authentication required'))
}

/** Returns the client's address; undefined behind an untrusted proxy, whose own address would be taken for the client's. */
function certainAddress ({ headers, ip, ips = [] }: FastifyRequest): string | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers['x-real-ip'] !== undefined
  return isForwarded && ips.length < 2 ? undefined : ip
}

/** Ends what devices have open once their access is revoked. */
function cutRevoked (app: FastifyInstance, { devices }: Auth): void {
  const open = new Map<() => void, string>()
  devices.on('revoked', (ids) => { for (const [cut, id] of [...open]) if (ids.includes(id)) cut() })
  regularly(app, sweepEveryMs, 'event streams of devices could not be checked', async () => {
    for (const [cut, id] of [...open]) if (!devices.isInForce(id)) cut()
  })
  app.decorateRequest('untilRevoked', function (this: FastifyRequest, cut) {
    const id = this.operator?.deviceId
    if (id !== undefined) open.set(cut, id)
    return () => { open.delete(cut) }
  })
}
