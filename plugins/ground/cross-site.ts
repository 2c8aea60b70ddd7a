import { type FastifyReply, type FastifyRequest } from 'fastify'
import { isLocalHost, isSameHost, type Auth } from '../../services/areas/auth/index.js'
import { Forbidden } from '../../services/ground/errors.js'
import { type Config } from './config.js'

export interface CrossSiteOptions {
  config: Pick<Config, 'host' | 'allowedOrigins'>
  auth: Pick<Auth, 'isCsrfToken' | 'admit'>
}

const preflightAgeS = 600
/** How much of an origin an error repeats. */
const mostOriginChars = 200

const foreignPage = 'a page of another site sent it'

/** Says why a page's origin and the address of its request differ: most often, a proxy has replaced the Host header. */
function mismatch (origin: string | undefined, host: string): string {
  if (origin === undefined || !URL.canParse(origin)) return foreignPage
  return `the page is at ${origin.slice(0, mostOriginChars)}, but the request is for ${host}. If both are yours, let the proxy pass ` +
    "Host on unchanged, or add the page's origin to SVC_WEBUI_ALLOWED_ORIGINS."
}

/** Checks that keep pages of other sites from using the service through the operator's browser. The assertions throw Forbidden. */
export function createCrossSiteChecks ({ config, auth }: CrossSiteOptions) {
  const allowedOrigins = new Set(config.allowedOrigins)
  const expectedHosts = new Set([
    config.host.toLowerCase(), ...config.allowedOrigins.map((origin) => new URL(origin).hostname.replace(/^\[|\]$/g, ''))
  ])

  /** The last host that was local: nearly all requests name the same one. */
  let known: string | undefined
  const isLocal = (host: string): boolean => {
    if (host !== known && isLocalHost(host, expectedHosts)) known = host
    return host === known
  }

  return {
    /** After DNS rebinding, a page can set X-Forwarded-Host, but never Host: all hosts that a request names must be local. */
    assertLocalHost (request: FastifyRequest): void {
      if (namedHosts(request.raw).every(isLocal) && isLocal(request.host)) return
      throw new Forbidden('Refused: without a sign-in, this service answers its own machine only, and the Host header names another one. If the address is yours, add it to SVC_WEBUI_ALLOWED_ORIGINS.')
    },

    /**
     * A GET has no Origin if a page merely embeds or follows it; then the Referer, if there is one, tells whose page it was.
     * A request with a token and without cookies does not misuse the operator's browser, since its sender must know the token.
     */
    assertNotCrossSite (request: FastifyRequest): void {
      if (request.operator?.via === 'token' && request.headers.cookie === undefined) return
      const { referer, 'sec-fetch-site': site } = request.headers
      const origin = request.headers.origin ?? (referer === undefined ? undefined : originOf(referer))
      if (origin !== undefined && allowedOrigins.has(origin)) return
      const isForeign = site === 'cross-site' || (site === 'same-site' && origin === undefined)
      if (!isForeign && (origin === undefined || isSameHost(origin, request.host))) return
      throw new Forbidden(`Refused as a cross-origin request: ${site === 'cross-site' ? foreignPage : mismatch(origin, request.host)}`)
    },

    /**
     * Text of a model or a web page can make a page embed any address, for instance as a picture: only routes that are meant to be
     * embedded answer that. A GET with an effect cannot be opened by a link either. Only browsers say what they request a resource
     * for; an address that a person has typed comes from no site.
     */
    assertNotEmbedded ({ headers, is404 }: FastifyRequest, config: FastifyRequest['routeOptions']['config'] | undefined): void {
      const { 'sec-fetch-dest': wanted = 'empty', 'sec-fetch-site': site } = headers
      if (is404 || wanted === 'empty' || config?.embedded === true) return
      if (wanted === 'document' && (config?.changes !== true || site === 'none')) return
      throw new Forbidden(wanted === 'document'
        ? 'Refused: this address has an effect, so a link cannot open it'
        : 'Refused: this address cannot be embedded in a page')
    },

    /** Native clients send none of the three headers, and no page can keep a browser from sending all of them. */
    assertCsrfToken (request: FastifyRequest): void {
      const { headers } = request
      // A session that comes with a token is checked as if it came alone; without a session there is nothing to forge.
      const operator = request.operator?.via === 'token' ? auth.admit({ cookies: request.sessionCookies() }) : request.operator
      if (operator === null || operator.via === 'open') return
      if (headers.origin === undefined && headers.referer === undefined && headers['sec-fetch-site'] === undefined) return
      if (request.routeOptions.config?.csrfToken === 'none') return
      const token = headers['x-svc-csrf-token'] ?? headers['x-csrf-token']
      if (typeof token === 'string' && auth.isCsrfToken(operator, token)) return
      throw new Forbidden('The session of this page has expired. Reload the page and try again.')
    },

    /** Lets pages of the origins that the operator has allowed read the answer. */
    allowOrigin ({ headers: { origin } }: FastifyRequest, reply: FastifyReply): void {
      if (allowedOrigins.size > 0) reply.header('vary', 'Origin')
      if (origin !== undefined && allowedOrigins.has(origin)) allow(reply, origin)
    },

    answerPreflight (request: FastifyRequest, reply: FastifyReply): void {
      const { origin } = request.headers
      if (origin !== undefined && (allowedOrigins.has(origin) || isSameHost(origin, request.host))) {
        allow(reply, origin)
        reply.headers({
          'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
          'access-control-allow-headers': 'Content-Type, Authorization, X-Svc-CSRF-Token',
          'access-control-max-age': String(preflightAgeS)
        })
      }
      reply.header('vary', 'Origin, Access-Control-Request-Method, Access-Control-Request-Headers').code(204).send()
    }
  }
}

/** Returns each Host header, of which Node reads only the first, and the host of a target that is a whole address. */
function namedHosts ({ rawHeaders, headers, url = '/' }: FastifyRequest['raw']): string[] {
  const hosts = rawHeaders.filter((_, at) => at % 2 === 1 && rawHeaders[at - 1]?.toLowerCase() === 'host')
  if (url.startsWith('/') || url === '*') return hosts.length > 1 ? hosts : [headers.host ?? '']
  return [...hosts, URL.canParse(url) ? new URL(url).host : '']
}

function originOf (address: string): string {
  return URL.canParse(address) ? new URL(address).origin : 'null'
}

function allow (reply: FastifyReply, origin: string): void {
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-allow-credentials': 'true' })
}
