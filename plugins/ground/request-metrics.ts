import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createRequestMeter, type RequestMeter, type RouteMeter } from '../../services/areas/metrics/index.js'

declare module 'fastify' {
  interface FastifyInstance { requestMeter: RequestMeter }
  interface FastifyContextConfig { meter?: RouteMeter }
}

const eventStream = 'text/event-stream'

/** Counts every answer under the route that gave it; registered before any route. */
export default fp(async (app: FastifyInstance) => {
  const requestMeter = createRequestMeter()
  app.decorate('requestMeter', requestMeter)
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, meter: requestMeter.route([route.method].flat().join('|'), route.url) }
  })
  app.addHook('onResponse', (request, reply, done) => {
    const contentType = reply.raw.getHeader('content-type')
    // app.eventStreams counts its own streams: this hook is not called for a stream that its client drops.
    if (contentType === eventStream) return done()
    const isStream = typeof contentType === 'string' && contentType.startsWith(eventStream)
    const meter = request.routeOptions.config?.meter ?? requestMeter.unknown(request.method)
    meter.count(reply.statusCode, isStream ? null : reply.elapsedTime)
    done()
  })
}, { name: 'request-metrics' })
