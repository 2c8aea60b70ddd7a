import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { NotFound } from '../../services/ground/errors.js'
import { createMcpServer, type McpServerService } from '../../services/areas/mcp-server/index.js'

declare module 'fastify' {
  interface FastifyInstance { mcpServer: McpServerService }
}

/** The chats of this service for programs that use the Model Context Protocol. */
export default fp(async (app: FastifyInstance) => {
  const { clock, sessions, foreign, chat, prompts, events, profiles, workspace } = app
  const mcpServer = createMcpServer({
    clock, sessions, foreign, chat, prompts, events,
    version: app.serviceVersion,
    isSessionOf: app.isSessionOf,
    assertSessionOf: app.assertSessionOf,
    async openSession ({ profile, workspace: folder }) {
      if (profiles.get(profile) === undefined) throw new NotFound('Profile not found')
      const session = await sessions.create({ profile, workspace: folder ?? workspace.defaultFolder })
      return session.id
    },
    log: (message, details) => app.log.warn(details, message)
  })
  app.addHook('preClose', async () => { await mcpServer.close() })
  app.decorate('mcpServer', mcpServer)
}, {
  name: 'mcp-server',
  dependencies: ['version', 'events', 'profiles', 'workspace', 'sessions', 'sessions-profiles', 'foreign', 'chat', 'prompts']
})
