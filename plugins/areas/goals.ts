import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createGoals, type Goals } from '../../services/areas/goals/index.js'
import { type EventBroker } from '../../services/ground/events/index.js'
import { isNoModel } from '../../services/areas/small-tasks/index.js'

declare module 'fastify' {
  interface FastifyInstance { goals: Goals }
}

export interface GoalsPluginOptions {
  /**
   * How long to wait before a goal continues, so that a person, or a client that was told to continue, may speak first. Default: a second.
   */
  continueAfterMs?: number
}

/** Goals that sessions pursue turn after turn. */
export default fp(async (app: FastifyInstance, { continueAfterMs = 1_000 }: GoalsPluginOptions) => {
  const { db, clock, events, budgets, chat, profiles, queue, sessions, smallTasks } = app
  app.decorate('goals', createGoals({
    db,
    clock,
    sessions,
    chat,
    maxTurns: (profile) => profiles.rules(profile).goalTurns,
    judge: async (account, input, fallback) => {
      if (budgets.isUsedUp(account)) return { verdict: 'unclear', reason: 'The budget is used up, so nobody was asked.' }
      const { workspace } = sessions.get(account.session)
      return await smallTasks.run('judge', input, { account, workspace, fallback }).catch((error: unknown) => {
        if (isNoModel(error)) return null
        throw error
      })
    },
    isWatched: (sessionId) => isWatched(events, sessionId),
    isQueued: queue.isReady,
    log: (message, details) => app.log.warn(details, message),
    continueAfterMs
  }))
}, { name: 'goals', dependencies: ['database', 'events', 'profiles', 'sessions', 'budgets', 'chat', 'queue', 'small-tasks'] })

/** Whether a client has the session or the list of sessions open. If so, turns that begin by themselves may ask a person. */
export const isWatched = (events: Pick<EventBroker, 'isWatched'>, sessionId: string): boolean =>
  ([['approvals', sessionId], ['questions', sessionId], ['session', sessionId], ['sessions', 'all'], ['feed', 'all']] as const)
    .some(([kind, id]) => events.isWatched({ kind, id }))
