import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createBackups, removeStaging, type Backups } from '../../services/areas/backups/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Scheduled backups, and the result of a check of the database; null for a database in memory. */
    backups: Backups | null
  }
}

/** Backups and checks of the database. A database in memory has none. */
export default fp(async (app: FastifyInstance) => {
  const { audit, clock, config, db, environment } = app
  const backups = db.sqlite.memory
    ? null
    : createBackups({
      environment,
      ...config.backup,
      home: config.home,
      stateDir: config.stateDir,
      clock,
      audit,
      log: (message, details) => app.log.error(details, message)
    })
  app.decorate('backups', backups)
  app.addHook('onReady', async () => {
    if (backups !== null) removeStaging(config.stateDir)
    backups?.begin()
  })
  app.addHook('preClose', async () => backups?.stop())
}, { name: 'backups', dependencies: ['audit', 'config', 'database'] })
