import { type lookup } from 'node:dns'
import { isIP } from 'node:net'
import { once } from '../ground/concurrency/once.js'
import { guardedConnector } from '../ground/guarded-connector.js'
import { hostOf } from '../ground/resolved-addresses.js'
import { isMetadataAddress } from './addresses.js'

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
  const guarded = once(async () => await openAgent(resolve))
  return async (input, init) => {
    const host = hostOf(new URL(input instanceof Request ? input.url : input))
    if (isMetadataAddress(host)) throw new TypeError('fetch failed', { cause: new AddressRefused() })
    // Redirects that are followed lead anywhere.
    const stays = init?.redirect === 'manual' || init?.redirect === 'error'
    if (stays && (isIP(host) !== 0 || fixedName.test(host))) return await globalThis.fetch(input, init)
    return await globalThis.fetch(input, { ...init, dispatcher: await guarded() } as RequestInit)
  }
}

export const guardedFetch: Fetch = createGuardedFetch()

async function openAgent (resolve: typeof lookup | undefined): Promise<unknown> {
  const { default: { Agent } } = await import('undici')
  return new Agent({ connect: await guardedConnector((address) => !isMetadataAddress(address), () => new AddressRefused(), resolve) })
}
