import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createChecks, createSiteHere, createSitesElsewhere, type Checks } from '../../services/areas/checks/index.js'
import { isWatched } from './goals.js'

declare module 'fastify' {
  interface FastifyInstance { checks: Checks }
}

/** The project's own tests, linters and type checks. */
export default fp(async (app: FastifyInstance) => {
  const { audit, budgets, chat, checkpoints, clock, db, events, machines, queue, sandbox, sessions, workspace: { territories } } = app
  const here = createSiteHere({ territory: territories.around, checkpoints, runner: sandbox.runner, sandbox: sandbox.status })
  const elsewhere = createSitesElsewhere({ asking: machines, sandboxRule: sandbox.rule })
  const checks = createChecks({
    audit, budgets, chat, clock, db, events, sessions,
    site: (machine) => machine === null ? here : elsewhere(machine),
    isQueued: async (sessionId) => (await queue.read(sessionId, { typed: true })).queue.length > 0,
    isWatched: (sessionId) => isWatched(events, sessionId),
    log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('checks', checks)
  chat.turns.on('recovered', () => checks.recover())
}, {
  name: 'checks',
  dependencies: ['audit', 'budgets', 'chat', 'checkpoints', 'database', 'events', 'machines', 'queue', 'sandbox', 'sessions', 'workspace']
})
