import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createHooks, type Hooks } from '../../services/areas/hooks/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { hooks: Hooks }
}

const sweepEveryMs = 3_600_000

/** Incoming webhooks: addresses that other programs call to start turns. */
export default fp(async (app: FastifyInstance) => {
  const { audit, clock, crons, db } = app
  const hooks = createHooks({ audit, clock, crons, db })
  app.decorate('hooks', hooks)
  regularly(app, sweepEveryMs, 'old calls of hooks could not be forgotten', async () => hooks.sweep())
}, { name: 'hooks', dependencies: ['audit', 'crons', 'database'] })
