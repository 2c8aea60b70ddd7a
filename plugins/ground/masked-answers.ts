import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { readerOf } from '../../services/areas/auth/index.js'
import { asError } from '../../services/ground/errors.js'
import { redactDeepGently } from '../../services/ground/redaction/index.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route answers with files, or with git's output about them, which are shown unchanged. */
    showsFiles?: true
  }
}

/**
 * Redacts credentials in every answer to a token that may only read, whatever the area of the route does itself. Readers who may write see
 * texts as they were typed. Routes that send finished bytes redact themselves.
 */
export default fp(async (app: FastifyInstance) => {
  const masked = async (payload: unknown): Promise<unknown> => app.sessions.isMasked() ? await redactDeepGently(payload) : payload

  app.addHook('preSerialization', (request, _reply, payload, done) => {
    const { operator, routeOptions: { config } } = request
    if (operator === null || readerOf(operator).mayType || config.showsFiles === true) done(null, payload)
    else masked(payload).then((shown) => done(null, shown), (error: unknown) => done(asError(error)))
  })
}, { name: 'masked-answers', dependencies: ['auth', 'sessions'] })
