import { BlockList, isIP } from 'node:net'
import { ipv4Within } from './public-address.js'

/** Addresses where clouds give a machine its own credentials. No request may be led there. */
const metadata = new BlockList()
metadata.addSubnet('169.254.0.0', 16, 'ipv4')
metadata.addSubnet('fe80::', 10, 'ipv6')
metadata.addAddress('100.100.100.200', 'ipv4')
metadata.addAddress('192.0.0.192', 'ipv4')
metadata.addAddress('168.63.129.16', 'ipv4')
metadata.addAddress('fd00:ec2::254', 'ipv6')
metadata.addAddress('fd20:ce::254', 'ipv6')
const metadataNames = /^(?:metadata|metadata\.goog|metadata\.google\.internal|instance-data(?:\..*)?)\.?$/i

/** Whether clouds use this name for their metadata servers. */
export const isMetadataName = (host: string): boolean => metadataNames.test(host)

/**
 * Whether an IP address is link-local or a metadata address of a cloud; false for a name. An IPv6 address that only wraps an IPv4 one is
 * judged by the wrapped address.
 */
export function isMetadataAddress (host: string): boolean {
  const address = isIP(host) === 6 ? ipv4Within(host) ?? host : host
  const family = isIP(address)
  return family !== 0 && metadata.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
