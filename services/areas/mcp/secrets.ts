import { secretsOfVariables } from '../../ground/redaction/index.js'
import { type McpServerConfig, type McpTarget } from '../../agent/index.js'

/** Headers that say nothing that anybody would hide. */
const plainHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent', 'mcp-protocol-version'])
const shortest = 8

const named = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
/** A place, a number or a word says nothing that anybody would hide, and masked it would be missed everywhere. */
const plainValue = /^(?:[~./][^\s]*|[a-z]+:\/\/[^\s@?]*|[\d.:,]+|[a-z]+(?:[-_ ][a-z]+)*)$/i

/**
 * What is not to be shown of servers: variables by their names, every header but those that are known to be harmless, and
 * what is taken from the profile's `.env` (`variables`) for them, unless it is plainly no secret.
 */
export function secretsOfServers (servers: readonly McpServerConfig[], variables: Readonly<Record<string, string>> = {}): string[] {
  return servers.flatMap(({ target }) => {
    if (target === null) return []
    const names = new Set([...JSON.stringify(target).matchAll(named)].map(([, name = '']) => name))
    const taken = [...names].flatMap((name) => variables[name] ?? []).filter((value) =>
      value.length >= shortest && !plainValue.test(value))
    return [...taken, ...written(target)]
  })
}

function written (target: McpTarget): string[] {
  if (target.transport === 'stdio') return secretsOfVariables(target.env)
  const headers = Object.entries(target.headers).filter(([name, value]) => !plainHeaders.has(name.toLowerCase()) && !value.includes('${'))
  const { clientSecret = null } = target.oauth ?? {}
  const own = clientSecret === null || clientSecret.includes('${') ? [] : [clientSecret]
  return [
    ...own,
    ...headers.map(([, value]) => value.replace(/^(?:Bearer|Basic|Token)\s+/i, '').trim()).filter((value) => value.length >= shortest)
  ]
}
