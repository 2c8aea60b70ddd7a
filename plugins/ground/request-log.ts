import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { redact } from '../../services/ground/redaction/index.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The log names this instead of the path: the address itself is a key. */
    loggedAs?: string
  }
}

const slowMs = 1_000

/** One line per answered request, at a level that says how it went; the query stays out, as it may name files. */
export default fp(async (app: FastifyInstance) => {
  const tellsAll = app.log.level === 'debug' || app.log.level === 'trace'
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode, elapsedTime } = reply
    const isUsual = statusCode < 400 && (elapsedTime < slowMs || isEventStream(reply))
    // Masking a line that nobody reads would be a tenth of a small request.
    if (isUsual && !tellsAll) return done()
    const line = { method: request.method, path: pathOf(request), statusCode, ms: Math.round(elapsedTime * 10) / 10 }
    if (statusCode === 500) request.log.error(line, 'request')
    // What cannot be had just now, or from another machine, is answered in words: nothing is wrong in here.
    else if (statusCode > 500) request.log.warn(line, 'request')
    else if (!isUsual) request.log.info(line, 'request')
    else request.log.debug(line, 'request')
    done()
  })
}, { name: 'request-log' })

/** Without the query, which the router begins behind either sign. */
function pathOf (request: FastifyRequest): string {
  return request.routeOptions.config?.loggedAs ?? redact(request.url.replace(/[?#].*$/, ''))
}

/** Event streams are open for as long as somebody listens; that is not slow. */
function isEventStream (reply: FastifyReply): boolean {
  return reply.raw.getHeader('content-type') === 'text/event-stream'
}
