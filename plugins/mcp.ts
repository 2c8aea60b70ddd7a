import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { Mcp, McpPromptCommands } from '../services/mcp/index.js'

declare module 'fastify' {
  interface FastifyInstance { mcp: Mcp }
}

/** Servers of the Model Context Protocol, whose tools the agent may use. */
export default fp(async (app: FastifyInstance) => {
  const { profiles, agent, commands } = app
  const mcp = new Mcp({ profiles, agent })
  profiles.on('changed', (profile) => { void mcp.follow(profile) })
  commands.addSource(new McpPromptCommands(mcp))
  commands.serve('reload-mcp', async (profile) => {
    const servers = await mcp.reload(profile)
    return servers.length === 0 ? 'No MCP server is set up.' : servers.map(({ config, state }) => `${config.name}: ${state.error === null ? `${state.status}, ${state.tools.length} tools` : `${state.status}. ${state.error}`}`).join('\n')
  })
  app.decorate('mcp', mcp)
}, { name: 'mcp', dependencies: ['profiles', 'agent', 'commands'] })
