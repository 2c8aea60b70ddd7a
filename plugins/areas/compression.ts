import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createCompression, type Compression } from '../../services/areas/compression/index.js'

declare module 'fastify' {
  interface FastifyInstance { compression: Compression }
}

/** Summaries of conversations that a person asks for between turns. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, agent, budgets, models, sessions } = app
  app.decorate('compression', createCompression({
    db,
    clock,
    agent,
    sessions,
    budgets,
    chooseModel: async (sessionId) => {
      const { profile, model, modelProvider } = sessions.get(sessionId)
      return await models.chooser.auxiliary(profile, 'compression', { model: model ?? undefined, provider: modelProvider ?? undefined })
    }
  }))
}, { name: 'compression', dependencies: ['database', 'models', 'agent', 'sessions', 'budgets'] })
