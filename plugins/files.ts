import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createFolderWatch, createTerritories, type FolderWatch, type Territories } from '../services/files/index.js'
import { createWorkers, type Workers } from '../services/workers/index.js'
import { createWorkspaces, type Workspaces } from '../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Threads for what would hold up the event loop. */
    workers: Workers
    workspaces: Workspaces
    /** What of the machine each session's folder opens. */
    territories: Territories
    /** Live notice of changes in a folder. */
    folderWatch: FolderWatch
  }
}

/** The folders that conversations work in, and the files in them. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, config, sessions, guests, profiles } = app
  app.decorate('workers', createWorkers())
  app.decorate('workspaces', createWorkspaces({ db, clock, defaultWorkspace: () => app.defaultWorkspace() }))
  app.decorate('territories', createTerritories({
    sessions,
    guests,
    stateDir: config.stateDir,
    homes: () => [config.home, ...profiles.list().map(({ home }) => home)]
  }))
  app.decorate('folderWatch', createFolderWatch({ events: app.events, workers: app.workers }))
  app.addHook('onClose', async () => { await app.workers.close() })
}, { name: 'files', dependencies: ['sessions'] })
