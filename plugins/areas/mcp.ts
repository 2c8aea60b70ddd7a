import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { BrowserAttempts, Mcp, McpPromptCommands, McpSignIn, type McpAttempt } from '../../services/areas/mcp/index.js'

declare module 'fastify' {
  interface FastifyInstance { mcp: Mcp & { signIn: McpSignIn } }
}

/** Servers of the Model Context Protocol, whose tools the agent may use. */
export default fp(async (app: FastifyInstance) => {
  const { profiles, agent, commands, clock, sessions, audit, events, db } = app
  const mcp = new Mcp({
    profiles,
    agent,
    clock,
    db,
    events,
    audit,
    profileOf: (sessionId) => sessions.get(sessionId).profile,
    // `app.prompts` is read here and not above, because its plugin is registered after this one.
    rulesOf: (sessionId, profile) => {
      const { allowed, denied } = profiles.rules(profile)
      const { prompts } = app
      return {
        grants: [...prompts.sessionGrants(sessionId), ...allowed], denied, yolo: prompts.yolo.isOn(sessionId),
        planning: sessions.get(sessionId).mode === 'plan'
      }
    },
    grant: async (sessionId, patternKeys) => await app.prompts.grantSession(sessionId, patternKeys),
    removed: (had, issuer) => { void signIn.revoke(had, issuer) }
  })
  const signIn = new McpSignIn({
    profiles,
    attempts: new BrowserAttempts<McpAttempt>(clock),
    restart: async (profile, server) => await mcp.follow(profile, server),
    log: (message, details) => app.log.warn(details, message)
  })
  sessions.on('removed', async (ids) => {
    for (const id of ids) await mcp.views.forget(id, profiles.list().map(({ home }) => home))
  })
  profiles.on('changed', (profile) => { void mcp.follow(profile) })
  commands.addSource(new McpPromptCommands(mcp))
  commands.serve('reload-mcp', async (profile) => {
    const servers = await mcp.reload(profile)
    return servers.length === 0
      ? 'No MCP server is set up.'
      : servers.map(({ config, state }) =>
        `${config.name}: ${state.error === null ? `${state.status}, ${state.tools.length} tools` : `${state.status}. ${state.error}`}`).join(
        '\n'
      )
  })
  app.decorate('mcp', Object.assign(mcp, { signIn }))
}, { name: 'mcp', dependencies: ['database', 'events', 'profiles', 'agent', 'commands', 'sessions', 'audit'] })
