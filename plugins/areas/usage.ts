import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createUsageLog, type UsageLog } from '../../services/areas/usage/index.js'

declare module 'fastify' {
  interface FastifyInstance { usage: UsageLog }
}

/** The log of model usage. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock } = app
  app.decorate('usage', createUsageLog({ db, clock, log: (message, details) => app.log.warn(details, message) }))
}, { name: 'usage', dependencies: ['database'] })
