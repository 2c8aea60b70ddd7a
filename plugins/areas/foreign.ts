import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createAttachedRows, createForeign, createForeignIndex, type Foreign, type ForeignIndex } from '../../services/areas/foreign/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { foreign: Foreign, foreignStores: ForeignIndex['stores'] }
}

/** How often other front ends' conversations are checked, because front ends do not report what they have written. */
const lookEveryMs = 20_000

/** Conversations of other front ends on this machine, listed among the service's own. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, config, profiles, sessions, settings, workspace } = app
  const log = (message: string, details: Record<string, unknown>) => app.log.warn(details, message)
  const index = createForeignIndex({ db, clock, home: config.userHome, log })
  const foreign = createForeign({
    index,
    sessions,
    workspace,
    profile: profiles.active,
    taken: createAttachedRows(db),
    isShown: (source) => {
      const { show_cli_sessions: all, show_claude_code_sessions: claudeCode } = settings.values()
      return all && (source !== 'claude_code' || claudeCode)
    }
  })
  sessions.include(foreign)
  app.decorate('foreign', foreign)
  app.decorate('foreignStores', index.stores)
  regularly(app, lookEveryMs, 'sessions of other programs could not be read', async () => {
    if (settings.values().show_cli_sessions && await foreign.refresh()) sessions.changed('session_imported')
  })
  // An attached conversation that is deleted here belongs to the other front end alone again.
  sessions.on('removed', (ids) => { if (ids.some(foreign.has)) sessions.changed('session_imported') })
  app.addHook('preClose', async () => await index.stop())
}, { name: 'foreign', dependencies: ['config', 'database', 'profiles', 'settings', 'sessions', 'workspace'] })
