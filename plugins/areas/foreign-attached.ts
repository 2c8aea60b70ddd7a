import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { AttachedSessions, attachedTurns, createAttachedRows } from '../../services/areas/foreign/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { attached: AttachedSessions }
}

/** How often files of other front ends are checked, since these do not report what they write. */
const lookEveryMs = 20_000

/** Conversations of other front ends that are continued in place. */
export default fp(async (app: FastifyInstance) => {
  const { audit, clock, db, foreign, foreignStores, models, profiles, providerTests, sessions, workspace } = app
  const attached = new AttachedSessions({
    db,
    rows: createAttachedRows(db),
    clock,
    audit,
    sessions,
    foreign,
    stores: foreignStores,
    agents: async (profile) => await models.catalog.agents(profile),
    homeOf: (profile) => profiles.existing(profile).home,
    look: async (profile, agent) => await providerTests.run(profile, { provider: agent, model: null, apiKey: null, baseUrl: null }),
    folder: async (path) => await workspace.folder(path),
    pause: nextTurn,
    log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('attached', attached)
  app.addHook('onReady', async () => attachedTurns(attached, app.chat.turns, db))
  regularly(app, lookEveryMs, 'attached sessions could not be checked', async () => await attached.refresh())
}, {
  name: 'foreign-attached', dependencies: ['audit', 'database', 'foreign', 'models', 'profiles', 'models-tests', 'sessions', 'workspace']
})
