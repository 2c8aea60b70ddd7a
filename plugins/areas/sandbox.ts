import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { findSandbox, type SandboxStatus } from '../../services/agent/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    sandbox: {
      /** How terminal commands of a profile are confined: as its host says, or, before there is one, as it looks here. */
      status (profile: string): Promise<SandboxStatus>
    }
  }
}

export default fp(async (app: FastifyInstance) => {
  const { agent, config, profiles } = app
  let local: Promise<SandboxStatus> | undefined
  app.decorate('sandbox', {
    async status (profile: string): Promise<SandboxStatus> {
      if (config.sandbox === 'off' || profiles.rules(profile).sandbox === 'off') return { available: false, reason: 'it is switched off' }
      return agent.health(profile).sandbox ?? await (local ??= findSandbox(config.env))
    }
  })
}, { name: 'sandbox', dependencies: ['config', 'profiles', 'agent'] })
