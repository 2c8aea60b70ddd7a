import { hostPortText, readHostPort } from '../ground/network/host-port.js'

/**
 * What another maker's agent can reach from its sandbox. `all`: whatever the machine reaches; `none`: nothing; otherwise public addresses
 * if `isPublic`, and `places`, each a host with a port.
 */
export type AgentNetwork = 'all' | 'none' | { isPublic: boolean, places: readonly string[] }

const usual: AgentNetwork = { isPublic: true, places: [] }

/** Reads `network` of an agent. An entry that does not say where it leads opens nothing. */
export function agentNetwork (value: unknown): AgentNetwork {
  if (value === undefined || value === null || value === true) return usual
  const words = [value].flat()
  if (value === false || words.includes('none')) return 'none'
  if (words.includes('all')) return 'all'
  return {
    isPublic: words.includes('public'),
    places: words.flatMap((word) => {
      const place = typeof word === 'string' ? readHostPort(word.trim()) : null
      return place === null ? [] : [hostPortText(place)]
    })
  }
}
