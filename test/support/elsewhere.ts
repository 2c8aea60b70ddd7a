import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'

/** A name that no address of this machine or network has by its looks, where models are free of charge. */
const name = 'models.elsewhere.example'
let isKnown = false

/**
 * The address of a server of this process as if it were somebody else's: under a name that leads back here, for this process alone.
 */
export function elsewhere (url: string): string {
  if (!isKnown) {
    isKnown = true
    const { lookup } = dns
    const here = ((host: string, ...rest: [never, never]) => Reflect.apply(lookup, dns, [host === name ? '127.0.0.1' : host, ...rest])) as typeof lookup
    dns.lookup = Object.assign(here, lookup)
    syncBuiltinESMExports()
  }
  return url.replace('127.0.0.1', name)
}
