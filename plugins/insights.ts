import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createInsights, type Insights } from '../services/insights/index.js'

declare module 'fastify' {
  interface FastifyInstance { insights: Insights }
}

/** What was used, by model and day. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock } = app
  app.decorate('insights', createInsights({ db, clock }))
}, { name: 'insights', dependencies: ['database'] })
