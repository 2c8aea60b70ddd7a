import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createHome, type Home } from '../../services/areas/home/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { home: Home }
}

const lookEveryMs = 15_000

/** The home page: what happened since a person last looked. */
export default fp(async (app: FastifyInstance) => {
  const { chat, db, clock, events, profiles, sessions } = app
  const home = createHome({
    db,
    clock,
    sessions,
    chat,
    heldOf: app.queue.heldOf,
    told: (profile) => events.publish({ kind: 'home', id: profile }, () => ({ event: 'home_changed', data: '{}' }))
  })
  app.decorate('home', home)
  regularly(app, lookEveryMs, 'silent turns could not be looked for', async () => home.lookForSilence())
  profiles.on('removing', home.forget)
  // For a profile whose home was removed by hand.
  profiles.on('listed', (name) => {
    if (profiles.get(name) !== undefined) return
    home.forget(name).catch((error: unknown) => app.log.warn({ reason: String(error) }, 'the mark of a deleted profile could not be removed'))
  })
}, { name: 'home', dependencies: ['chat', 'database', 'events', 'profiles', 'queue', 'sessions'] })
