import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { boundaryFolder } from '../services/agent/index.js'
import { Commands } from '../services/commands/index.js'

declare module 'fastify' {
  interface FastifyInstance { commands: Commands }
}

/** What can be typed behind a slash. Whoever has more of it adds a source, or serves a command. */
export default fp(async (app: FastifyInstance) => {
  const { config, profiles, skills } = app
  app.decorate('commands', new Commands({ profiles, skills, boundaryFolder: boundaryFolder(config.stateDir) }))
}, { name: 'commands', dependencies: ['config', 'profiles', 'skills'] })
