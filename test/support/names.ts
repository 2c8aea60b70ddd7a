import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { isIP } from 'node:net'

const known = new Map<string, string>()

/** Makes a name lead to an address, for this process only, as the names of wildcard DNS services do. A second call changes the address. */
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
