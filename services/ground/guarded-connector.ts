import { lookup, type LookupAddress, type LookupOptions } from 'node:dns'
import { isIP } from 'node:net'

/**
 * Connects only to permitted addresses, for an Agent of undici. The check sits where the connection is made, so the address
 * that was judged is the one that is used, whatever a name server answers a moment later.
 *
 * @param allowAddress which IP addresses may be connected to
 * @param refuse the error for one that may not
 * @param resolve looks names up
 */
export async function guardedConnector (
  allowAddress: (address: string) => boolean, refuse: (host: string, address: string) => Error, resolve: typeof lookup = lookup
) {
  const { default: { buildConnector } } = await import('undici')
  const connect = buildConnector({
    timeout: 10_000,
    lookup: (
      host: string, options: LookupOptions, done: (error: Error | null, address: string | LookupAddress[], family?: number) => void
    ) => {
      resolve(host, { ...options, all: true }, (error, addresses) => {
        if (error !== null) { done(error, ''); return }
        const forbidden = addresses.find(({ address }) => !allowAddress(address))
        const first = addresses[0]
        if (forbidden !== undefined || first === undefined) done(refuse(host, forbidden?.address ?? host), '')
        else if (options.all === true) done(null, addresses)
        else done(null, first.address, first.family)
      })
    }
  } as Parameters<typeof buildConnector>[0])
  const guarded: typeof connect = (options, done) => {
    // A literal address is never looked up, so it is judged here.
    const host = options.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !allowAddress(host)) done(refuse(host, host), null)
    else connect(options, done)
  }
  return guarded
}
