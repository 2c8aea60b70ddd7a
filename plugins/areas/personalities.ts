import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Personalities } from '../../services/areas/personalities/index.js'

declare module 'fastify' {
  interface FastifyInstance { personalities: Personalities }
}

/** Ways for the agent to speak. */
export default fp(async (app: FastifyInstance) => {
  const { profiles, sessions } = app
  app.decorate('personalities', new Personalities({ profiles, sessions }))
}, { name: 'personalities', dependencies: ['profiles', 'sessions'] })
