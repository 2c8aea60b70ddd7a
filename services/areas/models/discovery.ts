import { Conflict } from '../../ground/errors.js'
import { discoverServers, resolveProviders, type DiscoveredServer } from '../../providers/index.js'
import { type Profiles } from '../profiles/index.js'

/** `isConfigured`: the profile names this address already. */
export interface FoundServer extends DiscoveredServer { isConfigured: boolean }

export interface DiscoveryOptions {
  profiles: Pick<Profiles, 'settings'>
  /** Whether the operator lets this service look at ports of this machine. */
  enabled: boolean
  /** Ports of this machine to look at beside the usual ones. */
  ports: readonly number[]
  fetch?: typeof globalThis.fetch
  /** Which of the usual servers to look for; all by default. */
  servers?: string[]
}

/** How long a server may take until it has listed its models: one that loads a model at that moment is slow. */
const timeoutMs = 3_000

/** Looks for model servers on this machine, when a person asks for it. */
export class Discovery {
  constructor (readonly options: DiscoveryOptions) {}

  /** Throws Conflict where the operator has switched looking off. */
  async look (profile: string): Promise<FoundServer[]> {
    const { profiles, enabled, ports, fetch, servers } = this.options
    if (!enabled) {
      throw new Conflict('SVC_WEBUI_PROBE_LOCAL forbids this service to look for model servers on its machine', 'not_supported')
    }
    const { env, envFileKeys, config } = profiles.settings(profile)
    const found = await discoverServers({
      ollamaHost: env['OLLAMA_HOST'], ports, timeoutMs, ...(fetch !== undefined && { fetch }), ...(servers !== undefined && { servers })
    })
    const configured = new Set(resolveProviders({ env, envFileKeys, config, local: [] }).map(({ baseUrl }) => baseUrl))
    return found.map((server) => ({ ...server, isConfigured: configured.has(server.baseUrl) }))
  }
}
