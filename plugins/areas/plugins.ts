import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Plugins } from '../../services/areas/plugins/index.js'

declare module 'fastify' {
  interface FastifyInstance { plugins: Plugins }
}

/** Plugins: folders with commands, skills and MCP servers, which are used once a person has accepted them. */
export default fp(async (app: FastifyInstance) => {
  app.decorate('plugins', new Plugins(app.profiles))
}, { name: 'plugins', dependencies: ['profiles'] })
