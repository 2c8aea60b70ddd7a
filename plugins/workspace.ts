import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createWorkspace, type Workspace } from '../services/workspace/index.js'

declare module 'fastify' {
  interface FastifyInstance { workspace: Workspace }
}

/** The folders that conversations work in. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, config, profiles, sessions } = app
  app.decorate('workspace', await createWorkspace({
    db,
    clock,
    defaultFolder: config.defaultWorkspace,
    reserved: [config.stateDir, config.backup.folder],
    userHome: config.userHome,
    folderOf: sessions.folderOf,
    homes: profiles.homes,
    lastUsed: sessions.rows.lastWorkspace
  }))
}, { name: 'workspace', dependencies: ['config', 'database', 'profiles', 'sessions'] })
