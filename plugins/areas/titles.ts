import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createTitles, type Titles } from '../../services/areas/titles/index.js'

declare module 'fastify' {
  interface FastifyInstance { titles: Titles }
}

/** Names for conversations, found when a turn's answer stands. */
export default fp(async (app: FastifyInstance) => {
  const { agent, budgets, chat, db, models, sessions, settings, usageLog } = app
  const titles = createTitles({
    agent,
    sessions,
    budgets,
    turnsOf (sessionId) {
      db.catchUp()
      return usageLog.turnsOf(sessionId)
    },
    refreshEvery: () => Number(settings.values().auto_title_refresh_every),
    model: async (profile) => {
      const choice = await models.chooser.auxiliary(profile, 'title_generation')
      return 'error' in choice || choice.ref.provider === 'offline-demo' ? null : choice
    }
  })
  chat.turns.on('answered', titles.answered)
  app.decorate('titles', titles)
}, { name: 'titles', dependencies: ['models', 'agent', 'database', 'sessions', 'settings', 'budgets', 'chat', 'usage'] })
