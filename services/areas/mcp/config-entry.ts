import { isDeepStrictEqual } from 'node:util'
import { Conflict, Invalid, NotFound } from '../../ground/errors.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { filledIn, headerName, mcpServersOf, serverName, variableName, type McpServerConfig } from '../../agent/index.js'
import { reachedAddressProblem } from '../../providers/index.js'
import { type ConfigEdit, type ProfileSettings } from '../profiles/index.js'
import { keepMasked } from './masked-values.js'
import { type McpServerChange } from './server-change.js'

const keys = [
  'command', 'args', 'env', 'cwd', 'sandbox', 'url', 'headers', 'oauth', 'enabled', 'tools', 'sampling', 'timeout', 'connect_timeout'
] as const
const mostServers = 100

/** Throws Invalid for a name of a server, a variable or a header that cannot be one. */
export function assertNames (name: string, change: McpServerChange): void {
  if (!serverName.test(name)) throw new Invalid('name: letters, digits, ".", "_" and "-", 64 at most')
  for (const [values, form, field] of [[change.env, variableName, 'env'], [change.headers, headerName, 'headers']] as const) {
    const bad = Object.keys(values ?? {}).find((key) => !form.test(key))
    if (bad !== undefined) throw new Invalid(`${field}: a name is not valid`)
  }
}

/**
 * Writes a server into config.yaml; comments are kept. `shown`: the server as clients see it. `replace`: fields that are not given are
 * removed. Throws Invalid for an invalid server, NotFound if a server to change does not exist, and Conflict if config.yaml is broken.
 */
export function writeEntry (
  config: ConfigEdit, name: string,
  { change, shown, replace }: { change: McpServerChange, shown: McpServerConfig | undefined, replace: boolean }
): void {
  const before = config.get(['mcp_servers', name])
  const section = config.get(['mcp_servers'])
  if (before === undefined && !replace) throw new NotFound('MCP server not found')
  if (before === undefined && Object.keys(fieldsOf(section)).length >= mostServers) {
    throw new Invalid(`The limit of ${mostServers} MCP servers is reached. Remove one first`)
  }
  if (before !== undefined && !isRecord(before)) {
    throw new Conflict(`"mcp_servers.${name}" of config.yaml must be a mapping.`, 'config_broken')
  }
  const whole = keepMasked(change, shown, before)
  for (const key of keys) writeKey(config, name, key, whole[key], replace)
  assertHeadersStay(before, config.get(['mcp_servers', name]), change.headers ?? {})
  const [written] = mcpServersOf({ mcp_servers: { [name]: config.get(['mcp_servers', name]) } })
  if (written?.problem != null) throw new Invalid(written.problem)
}

/**
 * Addresses may be private, if an administrator names them, but never those of clouds' metadata, whatever their name; the connection is
 * checked again. Text that is not an address is refused by the reader of the entry. Throws Invalid.
 */
export async function assertReachable ({ url, oauth }: McpServerChange, { env, envFileKeys }: ProfileSettings): Promise<void> {
  const variables = Object.fromEntries(Object.entries(env).filter(([name]) => envFileKeys.has(name)))
  for (const [key, text] of [['url', url], ['oauth.issuer', oauth?.issuer]] as const) {
    const address = filledIn(text ?? '', variables)
    const problem = URL.canParse(address) ? await reachedAddressProblem(address) : null
    if (problem !== null) throw new Invalid(`${key} ${problem}`)
  }
}

/**
 * A change to another server must bring the header values that it is to be sent: clients never see stored values, and those are sent only
 * to their own server.
 */
function assertHeadersStay (before: unknown, after: unknown, given: Record<string, string | null>): void {
  if (originOf(before) === null || originOf(before) === originOf(after)) return
  const { headers } = fieldsOf(after)
  const kept = Object.keys(typeof headers === 'object' && headers !== null ? headers : {}).filter((name) => typeof given[name] !== 'string')
  if (kept.length > 0) {
    throw new Invalid('headers: send their values with the new address; stored values are only sent to the previous server')
  }
}

function originOf (server: unknown): string | null {
  const url = fieldsOf(server).url
  return typeof url === 'string' && URL.canParse(url) ? new URL(url).origin : null
}

function writeKey (config: ConfigEdit, name: string, key: typeof keys[number], value: McpServerChange[typeof key], replace: boolean): void {
  // An emptied folder means none.
  if (key === 'cwd' && value === '') return config.delete(['mcp_servers', name, key])
  if (value === undefined || value === null) return replace ? config.delete(['mcp_servers', name, key]) : undefined
  if (key !== 'env' && key !== 'headers') {
    if (!isDeepStrictEqual(config.get(['mcp_servers', name, key]), value)) config.set(['mcp_servers', name, key], value)
    return
  }
  const values = value as Record<string, string | null>
  const before = config.get(['mcp_servers', name, key])
  const present = typeof before === 'object' && before !== null ? Object.keys(before) : []
  if (replace) for (const each of present) if (!Object.hasOwn(values, each)) config.delete(['mcp_servers', name, key, each])
  for (const [each, item] of Object.entries(values)) {
    // Clients never see a value: with `replace`, null for an existing value keeps it.
    if (item === null && replace && !present.includes(each)) throw new Invalid(`${key}.${each}: there is no stored value to keep`)
    if (item !== null) config.set(['mcp_servers', name, key, each], item)
    else if (!replace) config.delete(['mcp_servers', name, key, each])
  }
}
