import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type TurnSpans } from '../../services/areas/traces/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Null if traces are off. */
    turnSpans: TurnSpans | null
  }
}

/** Spans of turns and of the work within them. */
export default fp(async (app: FastifyInstance) => {
  const { clock, db, tracing } = app
  if (tracing === null) {
    app.decorate('turnSpans', null)
    return
  }
  const { createTurnTraces } = await import('../../services/areas/traces/index.js')
  app.decorate('turnSpans', createTurnTraces({ tracing, db, clock }))
}, { name: 'traces', dependencies: ['database', 'tracing'] })
