import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Plugins } from '../../services/areas/plugins/index.js'

declare module 'fastify' {
  interface FastifyInstance { plugins: Plugins }
}

/** Commands, skills and MCP servers that come in one folder. They take effect once a person has approved them. */
export default fp(async (app: FastifyInstance) => {
  app.decorate('plugins', new Plugins(app.profiles))
}, { name: 'plugins', dependencies: ['profiles'] })
