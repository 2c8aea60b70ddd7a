import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { type TurnSpans } from '../../services/areas/traces/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    /** Null if there are no traces. */
    traces: TurnSpans | null
  }
}

/** Spans of turns and of everything that belongs to them. */
export default fp(async (app: FastifyInstance) => {
  const { clock, db, tracing } = app
  if (tracing === null) {
    app.decorate('traces', null)
    return
  }
  const { createTurnTraces } = await import('../../services/areas/traces/index.js')
  app.decorate('traces', createTurnTraces({ tracing, db, clock }))
}, { name: 'traces', dependencies: ['database', 'tracing'] })
