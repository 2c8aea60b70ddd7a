import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { boundaryFolder } from '../../services/agent/index.js'
import { Commands } from '../../services/areas/commands/index.js'

declare module 'fastify' {
  interface FastifyInstance { commands: Commands }
}

/** How long to wait for the commands of a machine; without them the other commands are still useful. */
const listMs = 2_000

/** The slash commands. Plugins with further ones add a source, or serve a command. */
export default fp(async (app: FastifyInstance) => {
  const { config, machines, profiles, skills } = app
  app.decorate('commands', new Commands({
    profiles,
    skills,
    boundaryFolder: boundaryFolder(config.stateDir),
    remote: {
      list: async ({ machine, path }) => await machines.ask(machine, 'commands', { workspace: path }, { timeoutMs: listMs }),
      resolve: async ({ machine, path }, name, args) => await machines.ask(machine, 'command', { workspace: path, name, args })
    }
  }))
}, { name: 'commands', dependencies: ['config', 'machines', 'profiles', 'skills'] })
