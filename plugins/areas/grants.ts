import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Grants } from '../../services/areas/grants/index.js'

declare module 'fastify' {
  interface FastifyInstance { grants: Grants }
}

/** Permanent permissions of the agent. */
export default fp(async (app: FastifyInstance) => {
  const { agent, chat, profiles, prompts } = app
  app.decorate('grants', new Grants({
    agent,
    profiles,
    takeFromSessions: async (profile, patternKey) => {
      await prompts.takeGrant(profile, patternKey)
      return chat.liveRunsOf(profile)
    }
  }))
}, { name: 'grants', dependencies: ['agent', 'chat', 'profiles', 'prompts'] })
