import { type lookup } from 'node:dns'
import { isIP } from 'node:net'
import { createOutgoing } from '../ground/network/guarded-connector.js'
import { outgoingRoutes } from '../ground/proxy/outgoing.js'
import { bareHostname } from '../ground/network/resolved-addresses.js'
import { tried } from '../ground/tried.js'
import { isMetadataAddress, isMetadataName } from '../ground/network/metadata-address.js'
import { addressOf, directFetch } from './direct-fetch.js'

type Fetch = typeof globalThis.fetch

/** Thrown for a request to an address that cannot be a model server's. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED'

  constructor () {
    super('link-local and metadata addresses are not asked')
  }
}

/** Names that no third party can redirect: their servers prove their identity, or are this machine. */
const fixedName = /^(?:localhost|api\.openai\.com|api\.anthropic\.com|generativelanguage\.googleapis\.com|openrouter\.ai)$/

/**
 * Returns the fetch for model and speech servers. An address is checked when it is set, but a name may lead elsewhere a moment later, so
 * the address is checked again when the connection is made. Rejects like fetch, with AddressRefused as the cause.
 */
export function createGuardedFetch (resolve?: typeof lookup): Fetch {
  /** Opened for the first name: most services use only an address or a well-known provider, and load nothing for this. */
  const guarded = createOutgoing({
    allowAddress: (address) => !isMetadataAddress(address),
    allowName: (name) => !isMetadataName(name),
    isFixed: (name) => fixedName.test(name),
    refuse: () => new AddressRefused(),
    ...(resolve !== undefined && { resolve })
  })
  return async (input, init) => {
    const url = addressOf(input)
    const host = bareHostname(url)
    if (isMetadataAddress(host)) throw new TypeError('fetch failed', { cause: new AddressRefused() })
    // Redirects that are followed may lead anywhere.
    const stays = init?.redirect === 'manual' || init?.redirect === 'error'
    if (stays && (isIP(host) !== 0 || fixedName.test(host)) && !isProxied(url)) return await directFetch(input, init)
    return await globalThis.fetch(input, { ...init, dispatcher: await guarded.agent() as unknown } as RequestInit)
  }
}

export const guardedFetch: Fetch = createGuardedFetch()

/** Whether a proxy is used. True also if the proxy's address is unusable, because the connection then reports that. */
const isProxied = (url: URL): boolean => tried(() => outgoingRoutes().proxyFor(url) !== null, true)
