import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** Policy of every page; the page that a service worker generates has to declare it by itself. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  // Only files of a workspace may be framed; the app frames PDFs among them.
  "frame-src 'self'",
  "worker-src 'self'",
  "font-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'"
].join('; ')

const onEveryAnswer = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer'
}
const halfAYearS = 15_552_000

/**
 * Sets security headers on every answer, before the route runs, so that the route can replace one, and `Cache-Control: no-store` on API and
 * HTML answers that say nothing about caching. A browser is told to insist on TLS only after it has used it.
 */
export default fp(async (app: FastifyInstance) => {
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(onEveryAnswer)
    if (request.protocol === 'https') reply.header('strict-transport-security', `max-age=${halfAYearS}`)
    done()
  })

  app.addHook('onSend', (request, reply, payload, done) => {
    if (!reply.hasHeader('cache-control') && (request.url.startsWith('/api/') || isHtml(reply.getHeader('content-type')))) {
      reply.header('cache-control', 'no-store')
    }
    done(null, payload)
  })
}, { name: 'security' })

function isHtml (contentType: number | string | string[] | undefined): boolean {
  return typeof contentType === 'string' && contentType.startsWith('text/html')
}
