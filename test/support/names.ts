import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'

const known = new Map<string, string>()

/** Lets a name lead to an address, for this process alone, as the names of wildcard services do. Called again, it leads elsewhere. */
export function nameLeadsTo (name: string, address: string): void {
  if (known.size === 0) {
    const { lookup } = dns
    const here = ((host: string, ...rest: [never, never]) => Reflect.apply(lookup, dns, [known.get(host) ?? host, ...rest])) as typeof lookup
    dns.lookup = Object.assign(here, lookup)
    syncBuiltinESMExports()
  }
  if (isIP(address) === 0) throw new Error(`${address} is no address`)
  known.set(name, address)
}
