import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createPlans, type Plans } from '../../services/areas/plans/index.js'

declare module 'fastify' {
  interface FastifyInstance { plans: Plans }
}

/** The plans of conversations, as documents. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, events, sessions } = app
  app.decorate('plans', createPlans({ db, clock, events, sessions }))
}, { name: 'plans', dependencies: ['database', 'events', 'sessions'] })
