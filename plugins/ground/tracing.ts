import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { knownSecrets } from '../../services/ground/redaction/index.js'
import { ofTrace, withinContext } from '../../services/ground/tracing/current.js'
import { readTraceparent, traceparentOf } from '../../services/ground/tracing/span.js'
import { type BegunSpan, type Tracing } from '../../services/ground/tracing/tracing.js'
import { attributesOf, vocabulary } from '../../services/ground/tracing/vocabulary.js'
import { areTracesWanted } from '../../services/ground/tracing/variables.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Null if no traces are configured, or if they cannot be sent as configured. */
    tracing: Tracing | null
  }
  interface FastifyRequest {
    /** Its span; null if there are no traces. */
    span: BegunSpan | null
  }
}

const scopeName = 'agent-web-service'
/** Requested every few seconds by monitoring, so they get no spans. */
const unwatched = new Set(['/livez', '/readyz', '/health', '/metrics'])

/** Traces, with a span for every request. Registered before the request log. If traces are off, none of their code is loaded. */
export default fp(async (app: FastifyInstance) => {
  app.decorateRequest('span', null)
  const tracing = areTracesWanted(app.config.env) ? await open(app) : null
  app.decorate('tracing', tracing)
  if (tracing !== null) traceRequests(app, tracing)
}, { name: 'tracing', dependencies: ['config', 'secrets', 'version'] })

async function open (app: FastifyInstance): Promise<Tracing | null> {
  const { createTracing, readTracing } = await import('../../services/ground/tracing/index.js')
  const { settings, remarks } = readTracing(app.config.env, app.serviceVersion)
  for (const remark of remarks) app.log.warn(remark)
  if (settings === null) return null
  // For `Authorization: Basic …`, also the last word.
  knownSecrets.keep(Object.values(settings.headers).flatMap((value) => [value, value.replace(/^[^]*\s/, '')]))
  const tracing = createTracing(settings, { log: app.log, scope: { name: scopeName, version: app.serviceVersion } })
  app.addHook('onClose', async () => await tracing.close())
  return tracing
}

function traceRequests (app: FastifyInstance, tracing: Tracing): void {
  const tell = (request: FastifyRequest, reply: FastifyReply, span: BegunSpan): void => {
    request.span = span
    const { traceId, isSampled } = span
    request.log = reply.log = ofTrace(app.log, traceId)
    reply.header('x-trace-id', traceId).header('traceresponse', traceparentOf(span, isSampled))
  }
  app.addHook('onRequest', (request, reply, done) => {
    tell(request, reply, tracing.begin(null))
    done()
  })
  // A client that is not admitted cannot set the trace: otherwise anybody could have everything recorded.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    const parent = tracing.propagates && request.operator !== null ? readTraceparent(request.headers.traceparent) : null
    if (parent !== null) tell(request, reply, tracing.begin({ ...parent, isRemote: true }))
    done()
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      const { span } = request
      return span === null ? handler.call(this, request, reply) : withinContext(span, () => handler.call(this, request, reply))
    }
  })
  app.addHook('onResponse', (request, reply, done) => {
    const { span } = request
    const { url: route } = request.routeOptions
    // A stream that is open for hours is not a unit of work; its reader may leave at any moment.
    const isStream = reply.raw.getHeader('content-type') === 'text/event-stream'
    if (span?.isSampled !== true || isStream || unwatched.has(route ?? '')) return done()
    const { isSampled: _, ...place } = span
    const endMs = Date.now()
    tracing.record({
      ...place,
      name: route === undefined ? request.method : `${request.method} ${route}`,
      kind: vocabulary.request.kind,
      startMs: endMs - reply.elapsedTime,
      endMs,
      attributes: attributesOf<'request'>({
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
        'error.type': reply.statusCode >= 500 ? String(reply.statusCode) : undefined,
        'svc.request.id': request.id
      })
    })
    done()
  })
}
