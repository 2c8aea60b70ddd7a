import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createUsageLog, type UsageLog } from '../../services/areas/usage/index.js'

declare module 'fastify' {
  interface FastifyInstance { usageLog: UsageLog }
}

/** Records what was used. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock } = app
  app.decorate('usageLog', createUsageLog({ db, clock, log: (message, details) => app.log.warn(details, message) }))
}, { name: 'usage', dependencies: ['database'] })
