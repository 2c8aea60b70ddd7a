import fp from 'fastify-plugin'
import { createWorkers, type Workers } from '../../services/ground/workers/index.js'
import { kinds } from '../../services/threads/kinds.js'
import { type SharedApp } from './shared-app.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Threads for work that would block the event loop. */
    workers: Workers
  }
}

export default fp(async (app: SharedApp) => {
  const workers = createWorkers({ kinds, log: (message, details) => app.log.warn(details, message) })
  app.decorate('workers', workers)
  app.db.checkpointBy(async (file) => await workers.run('checkpointWal', { file }))
  app.addHook('onClose', async () => { await workers.close() })
}, { name: 'workers', dependencies: ['database'] })
