import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { ProviderTests } from '../../services/areas/models/index.js'

declare module 'fastify' {
  interface FastifyInstance { providerTests: ProviderTests }
}

/** Tests whether providers can be used. Their cost is counted. */
export default fp(async (app: FastifyInstance) => {
  const { agent, budgets, clock, models: { catalog, chooser }, sandbox } = app
  app.decorate('providerTests', new ProviderTests({ catalog, chooser, agent, budgets, clock, sandbox }))
}, { name: 'models-tests', dependencies: ['database', 'agent', 'models', 'budgets', 'sandbox'] })
