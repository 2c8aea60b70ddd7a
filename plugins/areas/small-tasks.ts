import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createSmallTasks, type SmallTasks } from '../../services/areas/small-tasks/index.js'

declare module 'fastify' {
  interface FastifyInstance { smallTasks: SmallTasks }
}

/** Small tasks that models do beside the turns. */
export default fp(async (app: FastifyInstance) => {
  const { agent, budgets, models: { chooser }, traces } = app
  app.decorate('smallTasks', createSmallTasks({ agent, budgets, chooser, ...traces !== null && { around: traces.task } }))
}, { name: 'small-tasks', dependencies: ['agent', 'models', 'budgets', 'traces'] })
