import { hostPortText, readHostPort } from '../ground/host-port.js'

/**
 * What an agent of another maker reaches from its sandbox. `all`: whatever the machine does; `none`: nothing; otherwise addresses of the
 * internet or none of them, and `places`, each a host with a port.
 */
export type AgentNetwork = 'all' | 'none' | { isPublic: boolean, places: readonly string[] }

const usual: AgentNetwork = { isPublic: true, places: [] }

/** Reads `network` of an agent. What does not say where it leads opens nothing. */
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
