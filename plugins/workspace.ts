import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createWorkspace, type Workspace } from '../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance { workspace: Workspace }
}

/** The folders that conversations work in. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, config, profiles, sessions, settings } = app
  app.decorate('workspace', await createWorkspace({
    db,
    clock,
    defaultFolder: config.defaultWorkspace,
    chosenFolder: () => settings.values().default_workspace,
    reserved: [config.stateDir, config.backup.folder],
    userHome: config.userHome,
    folderOf: sessions.folderOf,
    homes: profiles.homes,
    lastUsed: sessions.rows.lastWorkspace
  }))
  settings.vet('default_workspace', async (path) => path === app.workspace.defaultFolder ? settings.values().default_workspace : await app.workspace.typed(path as string))
}, { name: 'workspace', dependencies: ['config', 'database', 'profiles', 'sessions', 'settings'] })
