import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createShares, type Shares } from '../../services/areas/shares/index.js'

declare module 'fastify' {
  interface FastifyInstance { shares: Shares }
}

/** Pages of sessions that anyone who knows their address can read. */
export default fp(async (app: FastifyInstance) => {
  const { audit, db, clock, sessions, exports } = app
  app.decorate('shares', createShares({ db, clock, audit, sessions, exports }))
}, { name: 'shares', dependencies: ['audit', 'database', 'sessions', 'exports'] })
