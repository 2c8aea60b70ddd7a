import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { redact } from '../../services/ground/redaction/index.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The log shows this instead of the path, because the address itself is a key. */
    loggedAs?: string
  }
}

const slowMs = 1_000

/** Logs one line for each answered request, at a level that depends on the result; the query is left out, because it may name files. */
export default fp(async (app: FastifyInstance) => {
  const tellsAll = app.log.level === 'debug' || app.log.level === 'trace'
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id)
    done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { statusCode, elapsedTime } = reply
    const isUsual = statusCode < 400 && (elapsedTime < slowMs || isEventStream(reply))
    // Masking a line that is not written would take a tenth of the time of a small request.
    if (isUsual && !tellsAll) return done()
    const line = { method: request.method, path: pathOf(request), statusCode, ms: Math.round(elapsedTime * 10) / 10 }
    if (statusCode === 500) request.log.error(line, 'request')
    // Something that is unavailable for now, or on another machine, is answered with a reason; the service itself has no fault.
    else if (statusCode > 500) request.log.warn(line, 'request')
    else if (!isUsual) request.log.info(line, 'request')
    else request.log.debug(line, 'request')
    done()
  })
}, { name: 'request-log' })

/** Removes the query, which the router starts at either character. */
function pathOf (request: FastifyRequest): string {
  return request.routeOptions.config?.loggedAs ?? redact(request.url.replace(/[?#].*$/, ''))
}

/** Event streams are open as long as their client listens; that does not make them slow. */
function isEventStream (reply: FastifyReply): boolean {
  return reply.raw.getHeader('content-type') === 'text/event-stream'
}
