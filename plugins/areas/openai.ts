import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createOpenAi, createResponseRows, type OpenAi } from '../../services/areas/openai/index.js'

declare module 'fastify' {
  interface FastifyInstance { openai: OpenAi }
}

/** Turns for clients that speak OpenAI's interface. */
export default fp(async (app: FastifyInstance) => {
  const { chat, clock, db, events, models, sessions, workers, workspace } = app
  app.decorate('openai', createOpenAi({
    chat, clock, events, models: models.catalog, sessions, workers, rows: createResponseRows(db),
    defaultWorkspace: () => workspace.defaultFolder
  }))
}, { name: 'openai', dependencies: ['database', 'events', 'sessions', 'workers', 'workspace', 'models', 'chat'] })
