import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import {
  createAuth, localPath, mayUse, tokenPrefix, type Asker, type Auth, type Operator, type PageAddress, type PasswordCost, type RouteScope
} from '../../services/areas/auth/index.js'
import { readProfileSettings } from '../../services/areas/profiles/index.js'
import { asError, Forbidden, Unauthenticated } from '../../services/ground/errors.js'
import { knownSecrets } from '../../services/ground/redaction/index.js'
import { isLoopback } from '../ground/config.js'
import { opensPage } from '../ground/error-page.js'
import { cookieValues } from '../ground/cookies.js'
import { createCrossSiteChecks } from '../ground/cross-site.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance {
    auth: Auth
  }
  interface FastifyContextConfig {
    /** Who may use this route: the `operator` (the default) or everybody. */
    access?: 'operator' | 'public'
    /**
     * Scope that a token needs for this route; set on every route that is not public. `person`: no token is enough; `console`: nothing that
     * comes over the network is. A route without a scope is closed to tokens, and fails the tests.
     */
    scope?: RouteScope
    /** Reports mistakes in the body before the sender is checked, which still happens before anything is done. */
    bodyFirst?: true
    /** Set on routes that sign in: they create the session, so they cannot require a CSRF token that belongs to one. */
    csrfToken?: 'none'
    /**
     * Set if a GET of this route has an effect or a cost. No page of another site may cause it, and of this site only scripts may.
     * `opened`: it may also be opened as an address, for example to download a file.
     */
    changes?: true | 'opened'
    /** Pages may embed the answer, for example as a picture. Every other route refuses requests for embedding. */
    embedded?: true
  }
  interface FastifyRequest {
    /** How this request was admitted; null only on public paths. */
    operator: Operator | null
    /** Returns the operator who is signed in, on a route that admits no one else. Throws Unauthenticated. */
    signedIn (): Operator
    /** Every value the Cookie header has for the session cookie: a sibling host may have set one beside ours. */
    sessionCookies (): string[]
    /** Whether the request would still be admitted. Long-lived connections check this repeatedly, because a sign-out must end them. */
    isStillAdmitted (): boolean
    /** Calls `cut` when the device that sent the request is no longer admitted. Returns a function that cancels this. */
    untilRevoked (cut: () => void): () => void
    /** Who sent the request, as far as that is certain: the address is left out if an untrusted proxy forwarded it. */
    asker (): Asker
    /** Address of the page that sent the request. */
    pageAddress (): PageAddress
  }
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
/** How long an expired token may keep its open connections at most. */
const sweepEveryMs = 5_000

export interface AuthPluginOptions {
  /** Cost of a password hash. Default: what real passwords need. */
  passwordCost?: PasswordCost
}

/**
 * The guard before every route: refuses what other sites send, admits the operator, and asks browsers for the CSRF token. It uses only the
 * headers; Node drains the body of a refused request, so its connection stays usable.
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
      request.operator = admit(request)
      crossSite.assertNotEmbedded(request)
      if (changing || request.routeOptions.config?.changes !== undefined) crossSite.assertNotCrossSite(request)
      // Decided by the matched route, so that no spelling of a path can be public unless it leads to something public.
      const isPublic = request.routeOptions.config?.access === 'public'
      if (request.operator === null && !isPublic && tokenOf(request) !== undefined) {
        refuseToken(request, reply, done)
        return
      }
      if (request.operator === null && !isPublic && request.routeOptions.config?.bodyFirst !== true) {
        refuse(request, reply, done)
        return
      }
      if (!isPublic) assertScope(request, reply)
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

  /** Counts wrong tokens, so that a client that guesses tokens is told to wait. */
  function refuseToken (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
    const nobody = { kind: 'nobody' as const, id: null, name: null, address: request.ip ?? null }
    app.audit.as(nobody, () => auth.devices.countWrong(request.ip)).then(() => {
      reply.header('www-authenticate', 'Bearer error="invalid_token"')
      done(new Unauthenticated('This token is not valid: it is wrong, expired or revoked'))
    }).catch(done)
  }
}, { name: 'auth', dependencies: ['audit', 'config', 'console', 'database', 'settings'] })

/**
 * Returns the bearer token if it begins like the service's own, valid or not. Any other token is meant for a proxy in front, which leaves
 * it in the header: it neither admits nor excludes anyone.
 */
function tokenOf ({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  return token?.startsWith(tokenPrefix) === true ? token : undefined
}

/** Throws Forbidden if the route requires more than the token may do. */
function assertScope ({ operator, routeOptions, is404 }: FastifyRequest, reply: FastifyReply): void {
  const held = operator?.scope
  const wanted = routeOptions.config?.scope ?? 'person'
  if (is404 || mayUse(operator, wanted)) return
  if (wanted === 'console') {
    throw new Forbidden('Only a program on the machine of the service may do this', 'scope_too_narrow', { scope: held, needed_scope: wanted })
  }
  if (wanted === 'person') {
    throw new Forbidden('No token may do this. Sign in to do it', 'scope_too_narrow', { scope: held, needed_scope: wanted })
  }
  reply.header('www-authenticate', `Bearer error="insufficient_scope", scope="${wanted}"`)
  throw new Forbidden(`This token may ${held}; this asks for one that may ${wanted}`, 'scope_too_narrow', {
    scope: held, needed_scope: wanted
  })
}

/** Redirects a person who opens a page to the sign-in page; every program gets a plain 401. */
function refuse (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
  if (opensPage(request)) reply.redirect(`/login?next=${encodeURIComponent(localPath(request.url))}`, 302)
  else done(new Unauthenticated('Authentication required'))
}

/** Returns undefined if an untrusted proxy forwarded the request, because its own address would be taken for the client's. */
function certainAddress ({ headers, ip, ips = [] }: FastifyRequest): string | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers['x-real-ip'] !== undefined
  return isForwarded && ips.length < 2 ? undefined : ip
}

/** Ends the open connections of devices that are no longer admitted. */
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
