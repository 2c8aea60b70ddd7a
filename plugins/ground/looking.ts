import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readerOf } from '../../services/areas/auth/index.js'
import { redactDeepGently } from '../../services/ground/redaction/index.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route answers are files, or what git says of them: they are shown as they are. */
    showsFiles?: true
  }
}

/**
 * What one types comes back as typed, to whoever may type. Tokens that only look on get every answer with its credentials masked, whatever
 * its area knows of masks; routes that send finished bytes see to it themselves.
 */
export default fp(async (app: FastifyInstance) => {
  app.addHook('preSerialization', async (request, reply, payload) => {
    const { operator, routeOptions: { config } } = request
    if (operator === null || readerOf(operator).mayType || config.showsFiles === true || !app.sessions.isMasked()) return payload
    return await redactDeepGently(payload)
  })
}, { name: 'looking', dependencies: ['auth', 'sessions'] })
