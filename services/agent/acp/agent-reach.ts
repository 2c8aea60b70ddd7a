import { reason, type Reason } from '../../../reasons/index.js'
import { hostPortOf, hostPortText, type HostPort } from '../../ground/network/host-port.js'
import { createRoutes, type Routes } from '../../ground/proxy/routes.js'
import { outgoingRoutes, proxyVariables } from '../../ground/proxy/outgoing.js'
import { type ConfiguredAgent } from '../../providers/index.js'
import { type McpServerConfig } from '../mcp/configuration.js'
import { type OutOfReach, type Reach } from '../sandbox/index.js'
import { passedServers } from './mcp-servers.js'
import { redact } from '../../ground/redaction/index.js'

interface ReachOptions {
  /** The agent's own variables, filled in. */
  own: Readonly<Record<string, string>>
  servers: readonly McpServerConfig[]
  /** Variables of the profile's `.env`. */
  variables: Readonly<Record<string, string>>
  /** Where this service listens. */
  servicePort: number | undefined
}

const proxyVariable = /^(?:https?|all|no)_proxy$/i

/**
 * Returns what an agent may reach from its sandbox: what `network` says, and what its user has set up for it, namely the addresses in its
 * variables and its MCP servers. The service itself is excluded: an agent that reaches it could answer its own questions.
 */
export function reachOf ({ network }: Pick<ConfiguredAgent, 'network'>, options: ReachOptions): 'all' | 'none' | Reach {
  if (typeof network === 'string') return network
  const { own, servers, variables, servicePort } = options
  const addresses = [
    ...Object.entries(own).filter(([name]) => !proxyVariable.test(name)).map(([, value]) => value.trim()),
    ...mcpAddresses(servers, variables)
  ]
  const setUp = addresses.flatMap((address) => hostPortOf(address) ?? []).filter(({ port }) => port !== servicePort).map(hostPortText)
  return { isPublic: network.isPublic, places: [...new Set([...network.places, ...setUp])].sort() }
}

/** Returns the agent's routes to the network. A proxy among its own variables replaces the service's proxy. */
export function routesOf (own: Readonly<Record<string, string>>): () => Routes {
  const names = new Set(Object.keys(own).filter((name) => proxyVariable.test(name)).map((name) => name.toUpperCase()))
  if (names.size === 0) return outgoingRoutes
  const others = Object.entries(proxyVariables(true)).filter(([name]) => !names.has(name.toUpperCase()))
  const routes = createRoutes({ ...Object.fromEntries(others), ...own })
  return () => routes
}

function mcpAddresses (servers: readonly McpServerConfig[], variables: Readonly<Record<string, string>>): string[] {
  const takesAll = { agentCapabilities: { mcpCapabilities: { http: true } } }
  return passedServers(servers, variables, takesAll).servers.flatMap((server) => 'url' in server ? [server.url] : [])
}

/**
 * Tells a person which connection was refused, and how to allow it.
 *
 * @param key path of the agent's `network` in config.yaml
 */
export function refusedBy (
  { displayName, network }: Pick<ConfiguredAgent, 'displayName' | 'network'>, { place, isMetadata }: OutOfReach, key: string
): Reason {
  const text = redact(shortened(place))
  const agent = redact(displayName)
  if (isMetadata) return reason('agent_kept_from_metadata', { agent, place: text })
  const { isPublic, places } = typeof network === 'string' ? { isPublic: false, places: [] } : network
  const opened = [...isPublic ? ['public'] : [], ...places, text].map((word) => word.startsWith('[') ? JSON.stringify(word) : word)
  return reason(isPublic ? 'agent_kept_from_private' : 'agent_kept_from', {
    agent, place: text, key: redact(key), value: redact(`[${opened.join(', ')}]`)
  })
}

/** Shortens a place for the message; nobody would type such a long one into the configuration. */
const shortened = (place: HostPort): string => {
  const text = hostPortText(place)
  return text.length <= 100 ? text : `${text.slice(0, 100)}…`
}
