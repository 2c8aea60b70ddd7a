import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { boundaryFolder } from '../../services/agent/index.js'
import { Commands } from '../../services/areas/commands/index.js'

declare module 'fastify' {
  interface FastifyInstance { commands: Commands }
}

/** How long a machine may take to list its commands: the other commands are useful without them. */
const listMs = 2_000

/** Commands that can be typed after a slash. Plugins with further commands add a source, or serve a command. */
export default fp(async (app: FastifyInstance) => {
  const { asking, config, profiles, skills } = app
  app.decorate('commands', new Commands({
    profiles,
    skills,
    boundaryFolder: boundaryFolder(config.stateDir),
    remote: {
      list: async ({ host, path }) => await asking.ask(host, 'commands', { workspace: path }, { timeoutMs: listMs }),
      resolve: async ({ host, path }, name, args) => await asking.ask(host, 'command', { workspace: path, name, args })
    }
  }))
}, { name: 'commands', dependencies: ['asking', 'config', 'profiles', 'skills'] })
