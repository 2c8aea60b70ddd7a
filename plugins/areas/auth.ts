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
    /** Whom the guard lets in: `operator`, which every route means that does not say otherwise, or everybody. */
    access?: 'operator' | 'public'
    /**
     * What a token needs for it, of every route that is not public; `person`: no token is enough, `console`: nothing that comes over the
     * network is. One that says nothing is closed to tokens, and fails the tests.
     */
    scope?: RouteScope
    /** What is wrong with a body is told first, and who asks is asked after that, before anything is done. */
    bodyFirst?: true
    /** Signing in is how one gets a session in the first place: it cannot ask for a token that belongs to one. */
    csrfToken?: 'none'
    /**
     * A GET of this route has an effect or a cost: no page of another site may cause it, and of this one only its code.
     * `opened`: also whoever opens the address, such as to download something.
     */
    changes?: true | 'opened'
    /** Pages show what it answers within them, such as a picture. Every other route refuses what a page embeds. */
    embedded?: true
  }
  interface FastifyRequest {
    /** How this request was admitted; null only on public paths. */
    operator: Operator | null
    /** Whoever is signed in, on a route that admits nobody else. Throws Unauthenticated. */
    signedIn (): Operator
    /** Every value the Cookie header has for the session cookie: a sibling host may have set one beside ours. */
    sessionCookies (): string[]
    /** Whether it would still be let in: what stays open asks again, since a sign-out must end it. */
    isStillAdmitted (): boolean
    /**
     * Calls `cut` when the device that has sent it is let in no more; the function that it returns is
     * called when that does not matter any more.
     */
    untilRevoked (cut: () => void): () => void
    /** Who it comes from, as far as that is certain: without an address where a proxy stands between that is not trusted. */
    asker (): Asker
    /** Where the page is that has sent it. */
    pageAddress (): PageAddress
  }
}

const reading = new Set(['GET', 'HEAD', 'OPTIONS'])
/** So long a token that is over may go on with what it has open. */
const sweepEveryMs = 5_000

export interface AuthPluginOptions {
  /** What a hash of a password costs. Default: what a real one needs. */
  passwordCost?: PasswordCost
}

/**
 * The guard before every route: refuses what another site sends, admits the operator, and asks browsers for the CSRF
 * token. It runs on the headers alone; Node reads a refused request's body away, so its connection stays usable.
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
      // By the route that was matched: no spelling of a path can be public without leading to something public.
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

  /** Wrong tokens are counted, so that somebody who tries some is told to wait. */
  function refuseToken (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
    const nobody = { kind: 'nobody' as const, id: null, name: null, address: request.ip ?? null }
    app.audit.as(nobody, () => auth.devices.countWrong(request.ip)).then(() => {
      reply.header('www-authenticate', 'Bearer error="invalid_token"')
      done(new Unauthenticated('This token is not valid: it is wrong, expired or revoked'))
    }).catch(done)
  }
}, { name: 'auth', dependencies: ['audit', 'config', 'console', 'database', 'settings'] })

/**
 * The token that a request shows as ours; a wrong one as well. What begins otherwise is meant for a proxy in front, which
 * leaves it in the header: it lets nobody in and keeps nobody out.
 */
function tokenOf ({ headers: { authorization = '' } }: FastifyRequest): string | undefined {
  const token = /^bearer +(\S+) *$/i.exec(authorization)?.[1]
  return token?.startsWith(tokenPrefix) === true ? token : undefined
}

/** Throws Forbidden where the route asks for more than the token may do. */
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

/** A person who opens a page is led to sign in; every program gets a plain 401. */
function refuse (request: FastifyRequest, reply: FastifyReply, done: (error: Error) => void): void {
  if (opensPage(request)) reply.redirect(`/login?next=${encodeURIComponent(localPath(request.url))}`, 302)
  else done(new Unauthenticated('Authentication required'))
}

/** Undefined where a proxy says for whom it asks and is not one whose word counts: its own address would be taken for the client's. */
function certainAddress ({ headers, ip, ips = [] }: FastifyRequest): string | undefined {
  const isForwarded = headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined || headers['x-real-ip'] !== undefined
  return isForwarded && ips.length < 2 ? undefined : ip
}

/** Ends what devices have open once they are let in no more. */
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
