import { networkInterfaces } from 'node:os'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ipv4Within } from './public-address.js'

/** A route to everywhere, such as a tunnel's, is not a network of the machine's own. */
const shortestPrefix = 8

/**
 * Whether an IP address belongs to this machine, or to a network that the machine is directly in. Such an address may be public, but
 * services there trust their neighbours and the machine itself.
 */
export function isOnOwnNetwork (address: string, interfaces: ReturnType<typeof networkInterfaces> = networkInterfaces()): boolean {
  const plain = isIP(address) === 6 ? ipv4Within(address) ?? address : address
  if (!ipaddr.isValid(plain)) return false
  const parsed = ipaddr.parse(plain)
  return Object.values(interfaces).flatMap((entries) => entries ?? []).some(({ address: own, cidr }) => {
    if (own === plain) return true
    if (cidr === null) return false
    const [network, prefix] = ipaddr.parseCIDR(cidr)
    return prefix >= shortestPrefix && network.kind() === parsed.kind() && parsed.match(network, prefix)
  })
}
