import cookie from '@fastify/cookie'
import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { cookieAttributes, cookiesNamed, setSessionCookie } from '../plugins/ground/cookies.js'
import { OidcCallbackQuery, OidcLoginQuery, Redirected } from '../schemas/auth-oidc.js'
import { errors } from '../schemas/common.js'
import { localPath, oidcCallbackPath, sealedAgeS, type AttemptCookie, type OidcAsker } from '../services/areas/auth/index.js'
import { tagged } from './shared/tagged.js'

/** Signing in with OpenID Connect: a browser is sent to the provider and comes back. 404 if no provider is configured. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('auth'))
  const { auth: { oidc }, config } = app
  const prefix = `${config.cookieName}_oidc_`
  // Writes the session cookie, and those of sign-ins in progress.
  await app.register(cookie)

  app.get('/api/auth/oidc/login', {
    config: { access: 'public', changes: 'opened' },
    exposeHeadRoute: false,
    schema: {
      summary: 'Redirect to the identity provider to sign in',
      description: 'For browsers; public. Redirects to the provider, and sets a cookie that binds the sign-in to this browser. `next` ' +
        'is the path to return to. A failure redirects to `/login?error=<code>`. 404: no provider is configured.',
      querystring: OidcLoginQuery,
      response: { 302: Redirected, ...errors(400, 404) }
    }
  }, async (request, reply) => {
    const next = localPath(request.query.next)
    const begun = await oidc.begin({ next, page: request.pageAddress(), asker: asker(request) })
    if ('failure' in begun) return reply.redirect(signInPage(begun.failure, next), 302)
    forget(request, reply, begun.surplus)
    reply.setCookie(`${prefix}${begun.cookie.tag}`, begun.cookie.sealed, {
      ...cookieAttributes(request, config, sealedAgeS), path: '/api/auth/oidc'
    })
    return reply.redirect(begun.url, 302)
  })

  app.get(oidcCallbackPath, {
    config: { access: 'public' },
    exposeHeadRoute: false,
    schema: {
      summary: 'Receive the redirect of the identity provider',
      description: 'For browsers; public. Sets the session cookie and redirects to `next`, or to `/login?error=<code>`. A sign-in works ' +
        'once, within ten minutes. 404: no provider is configured.',
      querystring: OidcCallbackQuery,
      response: { 302: Redirected, ...errors(400, 404) }
    }
  }, async (request, reply) => {
    const ended = await oidc.end(request.url.split('?')[1] ?? '', asker(request))
    forget(request, reply, ended.over)
    if ('failure' in ended) return reply.redirect(signInPage(ended.failure, ended.next), 302)
    setSessionCookie(request, reply, config, ended.cookie)
    return reply.redirect(ended.next, 302)
  })

  function asker (request: FastifyRequest): OidcAsker {
    return { address: request.ip, userAgent: request.headers['user-agent'], attempts: attemptsOf(request) }
  }

  /** Returns the cookies that are named like an attempt to sign in; a sibling host may have set others beside ours. */
  function attemptsOf (request: FastifyRequest): AttemptCookie[] {
    return cookiesNamed(request.headers.cookie, (name) => name.startsWith(prefix))
      .map(({ name, value }) => ({ tag: name.slice(prefix.length), sealed: value }))
      .filter(({ tag }) => /^[\w-]{8}$/.test(tag))
  }

  function forget (request: FastifyRequest, reply: FastifyReply, tags: readonly string[]): void {
    for (const tag of tags) reply.setCookie(`${prefix}${tag}`, '', { ...cookieAttributes(request, config, 0), path: '/api/auth/oidc' })
  }
}
export default plugin

function signInPage (failure: string, next: string): string {
  return `/login?error=${failure}${next === '/' ? '' : `&next=${encodeURIComponent(next)}`}`
}
