import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createGoals, type Goals } from '../../services/areas/goals/index.js'
import { hostField } from '../../services/ground/location.js'

declare module 'fastify' {
  interface FastifyInstance { goals: Goals }
}

const judgeLimitMs = 40_000
export interface GoalsPluginOptions {
  /** A person, or the client that was told to go on, may speak first. Default: a second. */
  continueAfterMs?: number
}

/** Goals that sessions pursue turn after turn. */
export default fp(async (app: FastifyInstance, { continueAfterMs = 1_000 }: GoalsPluginOptions) => {
  const { db, clock, events, agent, budgets, chat, models, profiles, sessions } = app
  app.decorate('goals', createGoals({
    db,
    clock,
    sessions,
    chat,
    maxTurns: (profile) => profiles.rules(profile).goalTurns,
    judge: async (account, input, fallback) => {
      const { profile } = account
      if (budgets.isUsedUp(account)) return { verdict: 'unclear', reason: 'The budget is used up, so nobody was asked.' }
      const choice = await models.chooser.auxiliary(profile, 'goal_judge', fallback)
      return 'error' in choice
        ? null
        : await agent.aux({
          profile, ...hostField(sessions.get(account.session).workspace)
        }, { task: 'judge', model: choice.ref, input }, judgeLimitMs, budgets.counting('judge', account, choice))
    },
    isWatched: (sessionId) =>
      ([['approvals', sessionId], ['questions', sessionId], ['session', sessionId], ['sessions', 'all'], ['feed', 'all']] as const)
        .some(([kind, id]) => events.isWatched({ kind, id })),
    log: (message, details) => app.log.warn(details, message),
    continueAfterMs
  }))
}, { name: 'goals', dependencies: ['database', 'events', 'profiles', 'models', 'agent', 'sessions', 'budgets', 'chat'] })
