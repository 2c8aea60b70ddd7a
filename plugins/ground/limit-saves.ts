import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { LimitSaves } from '../../services/areas/settings/index.js'

declare module 'fastify' {
  interface FastifyInstance { limitSaves: LimitSaves }
}

/** Saves of settings that also change a profile's config.yaml. */
export default fp(async (app: FastifyInstance) => {
  const { clock, db, profiles } = app
  const saves = new LimitSaves({ db, clock, profiles, log: (message, details) => app.log.warn(details, message) })
  // Before anything reads what an interrupted save has left behind.
  await saves.recover()
  app.decorate('limitSaves', saves)
}, { name: 'limit-saves', dependencies: ['database', 'profiles', 'settings'] })
