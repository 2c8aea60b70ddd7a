import { type McpServer } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../ground/fields.js'
import { resolvedTarget, type McpServerConfig } from '../mcp/configuration.js'

/**
 * Returns the profile's MCP servers in the form that an agent takes, and those that it is not given, with the reason.
 *
 * @param proxyVariables those for the agent's sandbox, which few agents pass on to their servers
 */
export function passedServers (
  configured: readonly McpServerConfig[], variables: Readonly<Record<string, string>>, initialized: unknown,
  proxyVariables: Readonly<Record<string, string>> = {}
): { servers: McpServer[], leftOut: string[] } {
  const { http, stdio } = fieldsOf(fieldsOf(fieldsOf(initialized)['agentCapabilities'])['mcpCapabilities'])
  const servers: McpServer[] = []
  const leftOut: string[] = []
  for (const { name, enabled, target, selection } of configured) {
    if (!enabled || target === null) continue
    const leave = (why: string): void => { leftOut.push(`${name} (${why})`) }
    // An agent starts its servers itself, so the service's restrictions would not apply to them.
    if (target.transport === 'stdio' && target.sandbox) { leave('it is to run in the sandbox'); continue }
    if (selection.include !== null || selection.exclude.length > 0) { leave('only some of its tools are allowed'); continue }
    if (target.transport === 'http' && target.oauth !== null) { leave('it wants a sign-in'); continue }
    if (target.transport === 'http' && http !== true) { leave('the agent takes no servers with an address'); continue }
    if (target.transport === 'stdio' && stdio === false) { leave('the agent starts no servers'); continue }
    const filled = resolvedTarget(target, variables)
    if (typeof filled === 'string') leave('a variable of it is missing')
    else if (filled.transport === 'http') servers.push({ type: 'http', name, url: filled.url, headers: pairs(filled.headers) })
    else servers.push({ name, command: filled.command, args: filled.args, env: pairs({ ...filled.env, ...proxyVariables }) })
  }
  return { servers, leftOut }
}

const pairs = (values: Readonly<Record<string, string>>): Array<{ name: string, value: string }> =>
  Object.entries(values).map(([name, value]) => ({ name, value }))
