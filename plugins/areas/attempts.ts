import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createAttempts, type Attempts } from '../../services/areas/attempts/index.js'
import { regularly } from '../ground/regularly.js'

declare module 'fastify' {
  interface FastifyInstance { attempts: Attempts }
}

const sweepEveryMs = 3_600_000

/** Attempts: the same task done several times, in worktrees. */
export default fp(async (app: FastifyInstance) => {
  const {
    audit, budgets, chat, checkpoints, clock, db, events, models: { chooser }, prompts, sandbox, sessions, smallTasks, workers, workspace
  } = app
  const attempts = createAttempts({
    audit, budgets, chat, checkpoints, chooser, clock, db, events, sessions, smallTasks, workers,
    territory: workspace.territories.around,
    copyGrants: prompts.copyGrants,
    isAsking: (id) => (['approval', 'clarify'] as const).some((kind) => (prompts.waiting(id, kind)?.prompts.length ?? 0) > 0),
    runCheck: sandbox.runCheck,
    log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('attempts', attempts)
  chat.turns.on('recovered', () => {
    attempts.recover().catch((error: unknown) => app.log.warn({ reason: String(error) }, 'attempts could not be resumed'))
  })
  regularly(app, sweepEveryMs, 'worktrees of attempts could not be removed', attempts.sweep)
}, {
  name: 'attempts',
  dependencies: [
    'audit', 'budgets', 'chat', 'checkpoints', 'database', 'events', 'models', 'prompts', 'sandbox', 'sessions', 'small-tasks', 'workers',
    'workspace'
  ]
})
