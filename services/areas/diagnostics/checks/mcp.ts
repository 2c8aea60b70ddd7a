import { type McpServerView } from '../../mcp/index.js'
import { type Check, type Finding, ok, problem, skipped, warning } from '../check.js'

/** The state of each MCP server. Starts none. */
export function mcpCheck ({ list }: { list: () => Promise<McpServerView[]> }): Check {
  return {
    id: 'mcp',
    group: 'agent',
    title: 'MCP servers',
    limitMs: 16_000,
    async run () {
      const servers = await list()
      if (servers.length === 0) return skipped('No MCP server is set up.')
      return servers.map((server) => ({ ...judge(server), about: server.config.name }))
    }
  }
}

function judge ({ config, state: { status, error, tools } }: McpServerView): Finding {
  if (config.problem !== null) return problem(config.problem, 'Correct its entry under Settings → MCP servers.')
  switch (status) {
    case 'ready': return ok(`It runs and offers ${tools.length} tool${tools.length === 1 ? '' : 's'}.`)
    case 'starting': return ok('It is starting.')
    case 'idle': return ok('It starts when one of its tools is called.')
    case 'disabled': return skipped('It is switched off.')
    case 'needs_sign_in': return warning('It requires a sign-in.', 'Sign in under Settings → MCP servers.')
    case 'failed': return problem(error ?? 'It failed.', 'Settings → MCP servers shows its output and starts it again.')
  }
}
