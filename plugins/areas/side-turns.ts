import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createBackground, createBtw, createDelegation, type SideTurns } from '../../services/areas/side-turns/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { sideTurns: SideTurns }
}

const sweepEveryMs = 60_000

/** Turns that run beside a conversation: questions on the side, background tasks, sub-agents. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, events, agent, chat, sessions } = app
  const shared = { db, clock, sessions, chat, log: (message: string, details: Record<string, unknown>) => app.log.warn(details, message) }
  const btw = createBtw(shared)
  const background = createBackground({ ...shared, events })
  const delegation = createDelegation(shared)
  agent.serve('delegate', async ({ task }, { spec, span }) => await delegation.work(spec.runId, task, span))
  app.decorate('sideTurns', { btw, background })
  app.addHook('onReady', async () => background.recover())
  regularly(app, sweepEveryMs, 'side questions and background tasks could not be cleaned up', async () => {
    await btw.sweep()
    await background.sweep()
  })
}, { name: 'side-turns', dependencies: ['database', 'events', 'agent', 'sessions', 'chat'] })
