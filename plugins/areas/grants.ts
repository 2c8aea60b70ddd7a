import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Grants } from '../../services/areas/grants/index.js'

declare module 'fastify' {
  interface FastifyInstance { grants: Grants }
}

/** Permanent permissions of the agent. */
export default fp(async (app: FastifyInstance) => {
  const { agent, chat, profiles, prompts } = app
  const grants = new Grants({
    agent,
    profiles,
    takeFromSessions: prompts.takeGrant,
    sessionGrants: prompts.sessionGrants,
    liveRuns: chat.liveRunsOf,
    untold: ({ runId }) => app.log.warn({ stream: runId }, 'a turn that an older version runs goes on by the rules it began with')
  })
  profiles.on('changed', (profile, { config }, before) => { void grants.follow(profile, config, before.config) })
  // Turns that went on while the service was down.
  app.addHook('onReady', async () => { for (const { name } of profiles.list()) void grants.tellDenied(name) })
  app.decorate('grants', grants)
}, { name: 'grants', dependencies: ['agent', 'chat', 'profiles', 'prompts'] })
