import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createBudgets, type Budgets } from '../../services/areas/budgets/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { budgets: Budgets }
}

const sweepEveryMs = 6 * 3600_000

/** Budgets of turns, conversations, jobs and days. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, profiles, prompts, sessions, usage } = app
  const budgets = createBudgets({
    db,
    clock,
    usageLog: usage,
    config: (profile) => profiles.settings(profile).config,
    sessionGrants: prompts.sessionGrants
  })
  prompts.on('allowed', ({ budget }, choice) => { if (budget !== undefined && choice === 'once') budgets.allow(budget) })
  sessions.on('removed', (ids) => {
    budgets.forget(ids).catch((error: unknown) =>
      app.log.warn({ reason: String(error) }, 'usage of deleted sessions could not be removed'))
  })
  app.decorate('budgets', budgets)
  regularly(app, sweepEveryMs, 'old budgets could not be removed', budgets.sweep)
}, { name: 'budgets', dependencies: ['database', 'profiles', 'sessions', 'prompts', 'usage'] })
