import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createExports, forgetHighlighted, type Exports } from '../../services/areas/exports/index.js'

declare module 'fastify' {
  interface FastifyInstance { exports: Exports }
}

/** Conversations as documents to keep, to read or to share. */
export default fp(async (app: FastifyInstance) => {
  const { sessions, foreign } = app
  sessions.on('removed', forgetHighlighted)
  app.decorate('exports', createExports({ sessions, foreign }))
}, { name: 'exports', dependencies: ['sessions', 'foreign'] })
