import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createCompression, type Compression } from '../../services/areas/compression/index.js'

declare module 'fastify' {
  interface FastifyInstance { compression: Compression }
}

/** Summaries of conversations that a person asks for between turns. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, budgets, sessions, smallTasks } = app
  app.decorate('compression', createCompression({ db, clock, budgets, sessions, smallTasks }))
}, { name: 'compression', dependencies: ['database', 'sessions', 'budgets', 'small-tasks'] })
