import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createInsights, type Insights } from '../../services/areas/insights/index.js'

declare module 'fastify' {
  interface FastifyInstance { insights: Insights }
}

/** Usage statistics by model, day, kind of turn, project, tool and job. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, sessions } = app
  const insights = createInsights({ db, clock })
  sessions.on('removed', insights.forget)
  app.decorate('insights', insights)
}, { name: 'insights', dependencies: ['database', 'sessions'] })
