import { secretsOfVariables } from '../../ground/redaction/index.js'
import { type McpServerConfig, type McpTarget } from '../../agent/index.js'

/** Headers whose values are never secret. */
const plainHeaders = new Set(['accept', 'accept-encoding', 'accept-language', 'content-type', 'user-agent', 'mcp-protocol-version'])
const shortest = 8

const named = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g
/** A path, a number or a word is not secret, and masking it would hide it everywhere. */
const plainValue = /^(?:[~./][^\s]*|[a-z]+:\/\/[^\s@?]*|[\d.:,]+|[a-z]+(?:[-_ ][a-z]+)*)$/i

/**
 * Returns the secrets of servers: variables that are secret by their names, every header except those known to be harmless, and the values
 * that they take from the profile's `.env` (`variables`), unless they are plainly not secret.
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
