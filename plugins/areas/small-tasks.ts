import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createSmallTasks, type SmallTasks } from '../../services/areas/small-tasks/index.js'

declare module 'fastify' {
  interface FastifyInstance { smallTasks: SmallTasks }
}

/** Small tasks that models do besides turns. */
export default fp(async (app: FastifyInstance) => {
  const { agent, budgets, models: { chooser }, turnSpans } = app
  app.decorate('smallTasks', createSmallTasks({ agent, budgets, chooser, ...turnSpans !== null && { around: turnSpans.task } }))
}, { name: 'small-tasks', dependencies: ['agent', 'models', 'budgets', 'traces'] })
