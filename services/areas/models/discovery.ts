import { Conflict } from '../../ground/errors.js'
import { discoverServers, resolveProviders, type DiscoveredServer } from '../../providers/index.js'
import { type Profiles } from '../profiles/index.js'

/** `isConfigured`: whether the profile already names this address. */
export interface FoundServer extends DiscoveredServer { isConfigured: boolean }

export interface DiscoveryOptions {
  profiles: Pick<Profiles, 'settings'>
  /** Whether the operator allows this service to probe ports of this machine. */
  enabled: boolean
  /** Ports of this machine to probe besides the usual ones. */
  ports: readonly number[]
  fetch?: typeof globalThis.fetch
  /** Which of the usual servers to look for; default: all. */
  servers?: string[]
}

/** How long a server may take to list its models; one that is loading a model is slow. */
const timeoutMs = 3_000

/** Looks for model servers on this machine, when a person asks for it. */
export class Discovery {
  constructor (readonly options: DiscoveryOptions) {}

  /** Throws Conflict if the operator has switched probing off. */
  async look (profile: string): Promise<FoundServer[]> {
    const { profiles, enabled, ports, fetch, servers } = this.options
    if (!enabled) {
      throw new Conflict('This service may not look for model servers on its machine, because SVC_WEBUI_PROBE_LOCAL is off', 'not_supported')
    }
    const { env, envFileKeys, config } = profiles.settings(profile)
    const found = await discoverServers({
      ollamaHost: env['OLLAMA_HOST'], ports, timeoutMs, ...(fetch !== undefined && { fetch }), ...(servers !== undefined && { servers })
    })
    const configured = new Set(resolveProviders({ env, envFileKeys, config, local: [] }).map(({ baseUrl }) => baseUrl))
    return found.map((server) => ({ ...server, isConfigured: configured.has(server.baseUrl) }))
  }
}
