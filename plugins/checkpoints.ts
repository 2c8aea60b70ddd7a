import { join } from 'node:path'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createCheckpoints, type Checkpoints } from '../services/workspace/checkpoints/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** What workspaces held before turns wrote to them. */
    checkpoints: Checkpoints
  }
}

export default fp(async (app: FastifyInstance) => {
  const { db, clock, config, workers } = app
  app.decorate('checkpoints', createCheckpoints({
    db,
    clock,
    workers,
    folder: join(config.stateDir, 'checkpoints'),
    env: config.env,
    log: (message, details) => app.log.warn(details, message)
  }))
  app.addHook('onReady', async () => app.checkpoints.begin())
  app.addHook('onClose', async () => await app.checkpoints.stop())
}, { name: 'checkpoints', dependencies: ['files'] })
