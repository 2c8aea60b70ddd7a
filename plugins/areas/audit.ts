import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createAudit, type Audit } from '../../services/areas/audit/index.js'

declare module 'fastify' {
  interface FastifyInstance { audit: Audit }
}

/** Records what was done, and by whom. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock } = app
  app.decorate('audit', createAudit({ db, clock }))
}, { name: 'audit', dependencies: ['database'] })
