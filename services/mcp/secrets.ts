import { secretsOfVariables } from '../ground/redaction/index.js'
import { type McpServerConfig } from '../agent/index.js'

/** Headers that say nothing that anybody would hide. */
const plainHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent', 'mcp-protocol-version'])
const shortest = 8

/** What is not to be shown of servers: variables by their names, and every header but those that are known to be harmless. */
export function secretsOfServers (servers: readonly McpServerConfig[]): string[] {
  return servers.flatMap(({ target }) => {
    if (target === null) return []
    if (target.transport === 'stdio') return secretsOfVariables(target.env)
    const headers = Object.entries(target.headers).filter(([name, value]) => !plainHeaders.has(name.toLowerCase()) && !value.includes('${'))
    return headers.map(([, value]) => value.replace(/^(?:Bearer|Basic|Token)\s+/i, '').trim()).filter((value) => value.length >= shortest)
  })
}
