import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { mcpServersOf } from '../services/agent/index.js'
import { knownSecrets } from '../services/ground/redaction/index.js'
import { Mcp, secretsOfServers } from '../services/mcp/index.js'

declare module 'fastify' {
  interface FastifyInstance { mcp: Mcp }
}

/** Servers of the Model Context Protocol, whose tools the agent may use. */
export default fp(async (app: FastifyInstance) => {
  const { profiles, agent } = app
  const mcp = new Mcp({ profiles, agent })
  const learn = (config: Record<string, unknown>): void => knownSecrets.keep(secretsOfServers(mcpServersOf(config)))
  for (const { name } of profiles.list()) learn(profiles.settings(name).config)
  profiles.on('changed', (profile, { config }) => {
    learn(config)
    void mcp.follow(profile)
  })
  app.decorate('mcp', mcp)
}, { name: 'mcp', dependencies: ['profiles', 'agent'] })
