import { networkInterfaces } from 'node:os'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { ipv4Within } from './public-address.js'

/** A way to everywhere, as of a tunnel, is no network of one's own. */
const shortestPrefix = 8

/**
 * Whether an IP address is this machine's, or of a network that it is directly in. Such an address may be public: what listens there
 * takes neighbours and the machine itself for its own all the same.
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
