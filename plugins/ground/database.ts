import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { systemClock, type Clock } from '../../services/ground/time/clock.js'
import { type Database } from '../../services/ground/database/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The only connection that reads and writes; see services/ground/database. The caller of buildApp opens it, this plugin closes it. */
    db: Database
    clock: Clock
  }
}

export default fp(async (app: FastifyInstance, { db, clock = systemClock }: { db: Database, clock?: Clock }) => {
  app.decorate('db', db)
  app.decorate('clock', clock)
  app.addHook('onClose', async () => db.close())
}, { name: 'database', dependencies: ['config'] })
