import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createTitles, type Titles } from '../../services/areas/titles/index.js'

declare module 'fastify' {
  interface FastifyInstance { titles: Titles }
}

/** Titles for conversations, written when a turn's answer is complete. */
export default fp(async (app: FastifyInstance) => {
  const { budgets, chat, db, sessions, settings, smallTasks, usage } = app
  const titles = createTitles({
    sessions,
    smallTasks,
    budgets,
    turnsOf (sessionId) {
      db.catchUp()
      return usage.turnsOf(sessionId)
    },
    refreshEvery: () => Number(settings.values().auto_title_refresh_every)
  })
  chat.turns.on('answered', titles.answered)
  app.decorate('titles', titles)
}, { name: 'titles', dependencies: ['database', 'sessions', 'settings', 'budgets', 'small-tasks', 'chat', 'usage'] })
