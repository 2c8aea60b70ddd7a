import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createTitles } from '../services/titles/index.js'

/** Names for conversations, found when a turn's answer stands. */
export default fp(async (app: FastifyInstance) => {
  const { agent, budgets, chat, models, sessions } = app
  const titles = createTitles({
    agent,
    sessions,
    budgets,
    model: async (profile) => {
      const choice = await models.chooser.auxiliary(profile, 'title_generation')
      return 'error' in choice || choice.ref.provider === 'offline-demo' ? null : choice
    }
  })
  chat.turns.on('answered', titles.answered)
}, { name: 'titles', dependencies: ['models', 'agent', 'sessions', 'budgets', 'chat'] })
