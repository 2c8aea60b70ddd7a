import { type lookup } from 'node:dns'
import { isIP } from 'node:net'
import { createOutgoing } from '../ground/guarded-connector.js'
import { routesOut } from '../ground/proxy/way-out.js'
import { hostOf } from '../ground/resolved-addresses.js'
import { tried } from '../ground/tried.js'
import { isMetadataAddress, isMetadataName } from '../ground/metadata-address.js'

type Fetch = typeof globalThis.fetch

/** The address that a request to a provider would be sent to is none of a model server. */
export class AddressRefused extends Error {
  readonly code = 'ERR_ADDRESS_REFUSED'

  constructor () {
    super('link-local and metadata addresses are not asked')
  }
}

/** Names that nobody else can lead elsewhere: their servers prove who they are, or are this machine. */
const fixedName = /^(?:localhost|api\.openai\.com|api\.anthropic\.com|generativelanguage\.googleapis\.com|openrouter\.ai)$/

/**
 * The fetch for servers of models and of speech. An address is looked at when it is set, but a name may lead elsewhere a
 * moment later: so the address that is connected to is judged again, where the connection is made. Rejects like fetch, with
 * AddressRefused as the cause.
 */
export function createGuardedFetch (resolve?: typeof lookup): Fetch {
  /** Opened for the first name there is: most services ask an address or a provider that everybody knows, and load nothing for it. */
  const guarded = createOutgoing({
    allowAddress: (address) => !isMetadataAddress(address),
    allowName: (name) => !isMetadataName(name),
    isFixed: (name) => fixedName.test(name),
    refuse: () => new AddressRefused(),
    ...(resolve !== undefined && { resolve })
  })
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const host = hostOf(url)
    if (isMetadataAddress(host)) throw new TypeError('fetch failed', { cause: new AddressRefused() })
    // Redirects that are followed lead anywhere.
    const stays = init?.redirect === 'manual' || init?.redirect === 'error'
    if (stays && (isIP(host) !== 0 || fixedName.test(host)) && !isProxied(url)) return await globalThis.fetch(input, init)
    return await globalThis.fetch(input, { ...init, dispatcher: await guarded.agent() as unknown } as RequestInit)
  }
}

export const guardedFetch: Fetch = createGuardedFetch()

/** Also where the address of the proxy is not usable: that is said where the connection is made. */
const isProxied = (url: URL): boolean => tried(() => routesOut().proxyFor(url) !== null, true)
