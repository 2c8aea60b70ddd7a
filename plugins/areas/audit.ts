import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createAudit, type Actor, type Audit } from '../../services/areas/audit/index.js'
import { signInId } from '../../services/areas/auth/index.js'

declare module 'fastify' {
  interface FastifyInstance { audit: Audit }
  interface FastifyRequest {
    /** Who has sent it, for the audit log. */
    actor (): Actor
  }
}

/** The log of what was done and by whom. The handler of each route acts for whoever has sent the request. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock } = app
  const audit = createAudit({ db, clock })
  app.decorate('audit', audit)
  app.decorateRequest('actor', function () {
    const { operator, ip } = this
    const address = ip ?? null
    if (operator === null) return { kind: 'nobody', id: null, name: null, address }
    const { via, tokenHash = '', deviceId } = operator
    if (deviceId !== undefined) return { kind: 'device', id: deviceId, name: app.auth.devices.nameOf(deviceId), address }
    return { kind: 'person', id: via === 'cookie' ? signInId(tokenHash) : via, name: null, address }
  })
  app.addHook('onRoute', (route) => {
    const { handler } = route
    route.handler = function (request, reply) {
      return audit.as(request.actor(), () => handler.call(this, request, reply))
    }
  })
  app.addHook('onSend', async (request, reply) => {
    const tell = request.routeOptions.config.audit
    if (tell !== undefined && reply.statusCode < 300) audit.as(request.actor(), () => tell(request, audit.soonest))
  })
}, { name: 'audit', dependencies: ['database'] })
