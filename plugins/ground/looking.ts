import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readerOf } from '../../services/areas/auth/index.js'
import { asError } from '../../services/ground/errors.js'
import { redactDeepGently } from '../../services/ground/redaction/index.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers with files, or with what git says about them: both are shown unmasked. */
    showsFiles?: true
  }
}

/**
 * Clients that may type get what they typed back as they typed it. Tokens that may only read get every answer with its credentials masked,
 * whatever its area does by itself; routes that send finished bytes take care of that themselves.
 */
export default fp(async (app: FastifyInstance) => {
  const masked = async (payload: unknown): Promise<unknown> => app.sessions.isMasked() ? await redactDeepGently(payload) : payload

  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const { operator, routeOptions: { config } } = request
    if (operator === null || readerOf(operator).mayType || config.showsFiles === true) done(null, payload)
    else masked(payload).then((shown) => done(null, shown), (error: unknown) => done(asError(error)))
  })
}, { name: 'looking', dependencies: ['auth', 'sessions'] })
