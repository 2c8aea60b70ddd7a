import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { consoleActor, type Actor } from '../../services/areas/audit/index.js'
import { signInId } from '../../services/areas/auth/index.js'

/**
 * Runs each route's handler on behalf of the sender of the request, and records under the same name what the route declares
 * for the audit log.
 */
export default fp(async (app: FastifyInstance) => {
  const { audit, auth: { devices } } = app
  app.addHook('onRoute', (route) => {
    const { handler, config } = route
    route.handler = function (request, reply) {
      return audit.as(actorOf(request), () => handler.call(this, request, reply))
    }
    const tell = config?.audit
    if (tell === undefined) return
    route.onSend = [...[route.onSend ?? []].flat(), async (request: FastifyRequest, reply: FastifyReply) => {
      if (reply.statusCode < 300) audit.as(actorOf(request), () => tell(request, audit.soonest))
    }]
  })

  function actorOf ({ operator, ip }: FastifyRequest): Actor {
    const address = ip ?? null
    if (operator === null) return { kind: 'nobody', id: null, name: null, address }
    const { via, tokenHash = '', deviceId } = operator
    if (via === 'console') return consoleActor()
    if (deviceId !== undefined) return { kind: 'device', id: deviceId, name: devices.nameOf(deviceId), address }
    return { kind: 'person', id: via === 'cookie' ? signInId(tokenHash) : via, name: null, address }
  }
}, { name: 'audit-acting', dependencies: ['audit', 'auth'] })
