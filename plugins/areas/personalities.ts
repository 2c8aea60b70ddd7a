import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Personalities } from '../../services/areas/personalities/index.js'

declare module 'fastify' {
  interface FastifyInstance { personalities: Personalities }
}

/** Personalities: styles in which the agent speaks. */
export default fp(async (app: FastifyInstance) => {
  const { profiles, sessions } = app
  app.decorate('personalities', new Personalities({ profiles, sessions }))
}, { name: 'personalities', dependencies: ['profiles', 'sessions'] })
