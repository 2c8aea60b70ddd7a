import { type McpServerView } from '../../mcp/index.js'
import { type Check, type Finding, coded, ok, problem, skipped, warning } from '../check.js'

/** The state of each MCP server. Starts none. */
export function mcpCheck ({ list }: { list: () => Promise<McpServerView[]> }): Check {
  return {
    id: 'mcp',
    group: 'agent',
    title: 'MCP servers',
    limitMs: 16_000,
    async run () {
      const servers = await list()
      if (servers.length === 0) return coded(skipped('No MCP server is set up.'), 'mcp_none')
      return servers.map((server) => ({ ...judge(server), about: server.config.name }))
    }
  }
}

function judge ({ config, state: { status, error, tools } }: McpServerView): Finding {
  if (config.problem !== null) return problem(config.problem, 'Correct its entry under Settings → MCP servers.')
  switch (status) {
    case 'ready': return coded(ok(`It runs and offers ${tools.length} tool${tools.length === 1 ? '' : 's'}.`), 'mcp_ready', { count: tools.length })
    case 'starting': return ok('It is starting.')
    case 'idle': return coded(ok('It starts when one of its tools is called.'), 'mcp_idle')
    case 'disabled': return coded(skipped('It is switched off.'), 'mcp_off')
    case 'needs_sign_in': return warning('It requires a sign-in.', 'Sign in under Settings → MCP servers.', 'mcp_sign_in')
    case 'failed': return problem(error ?? 'It failed.', 'Settings → MCP servers shows its output and starts it again.')
  }
}
