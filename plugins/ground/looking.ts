import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readerOf } from '../../services/areas/auth/index.js'
import { asError } from '../../services/ground/errors.js'
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
  const masked = async (payload: unknown): Promise<unknown> => app.sessions.isMasked() ? await redactDeepGently(payload) : payload

  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const { operator, routeOptions: { config } } = request
    if (operator === null || readerOf(operator).mayType || config.showsFiles === true) done(null, payload)
    else masked(payload).then((shown) => done(null, shown), (error: unknown) => done(asError(error)))
  })
}, { name: 'looking', dependencies: ['auth', 'sessions'] })
