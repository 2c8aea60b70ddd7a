import { join } from 'node:path'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createTurnCheckpoints } from '../../services/areas/checkpoints/index.js'
import { createCheckpoints, type Checkpoints } from '../../services/workspace/checkpoints/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** The state of workspaces before turns wrote to them. */
    checkpoints: Checkpoints
  }
}

export default fp(async (app: FastifyInstance) => {
  const { agent, machines, chat, db, clock, config, sessions, workers, workspace } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const checkpoints = createCheckpoints({
    db,
    clock,
    workers,
    folder: join(config.stateDir, 'checkpoints'),
    env: config.env,
    log
  })
  const { beforeWriting, taken } = createTurnCheckpoints({ chat, checkpoints, sessions, territory: workspace.territories.around, log })
  agent.serve('checkpoint', async ({ place }, { spec }) => {
    if (place === 'workspace') await beforeWriting(spec)
    return null
  })
  machines.onNotice('checkpoint', taken)
  app.decorate('checkpoints', checkpoints)
  app.addHook('onReady', async () => checkpoints.begin())
  app.addHook('onClose', async () => await checkpoints.stop())
}, { name: 'checkpoints', dependencies: ['machines', 'config', 'database', 'agent', 'workers', 'sessions', 'workspace', 'chat'] })
