import { BlockList, isIP } from 'node:net'
import { ipv4Within } from '../ground/public-address.js'
import { addressesOf, hostOf } from '../ground/resolved-addresses.js'

const longestAddress = 2_000

/** Where clouds tell a machine its own credentials: no model is served there, and nobody's request shall be led there. */
const metadata = new BlockList()
metadata.addSubnet('169.254.0.0', 16, 'ipv4')
metadata.addSubnet('fe80::', 10, 'ipv6')
metadata.addAddress('100.100.100.200', 'ipv4')
metadata.addAddress('192.0.0.192', 'ipv4')
metadata.addAddress('168.63.129.16', 'ipv4')
metadata.addAddress('fd00:ec2::254', 'ipv6')
metadata.addAddress('fd20:ce::254', 'ipv6')
const metadataNames = /^(?:metadata|metadata\.goog|metadata\.google\.internal|instance-data(?:\..*)?)\.?$/i
const isNone = 'must not be a link-local or metadata address'

/** Whether clouds call their metadata servers by this name. */
export const isMetadataName = (host: string): boolean => metadataNames.test(host)

/** Why an address cannot be that of a model server, in words that follow its name; null when it can. Asks no name server. */
export function addressProblem (address: string): string | null {
  if (address.length > longestAddress || !URL.canParse(address)) return 'must be an http or https address'
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https address'
  if (url.username !== '' || url.password !== '') return 'must not hold a name or password: send the key on its own'
  const host = hostOf(url)
  if (isMetadataName(host) || isMetadataAddress(host)) return isNone
  return null
}

/**
 * The same for an address that somebody sends, with what its name stands for: a name of one's own may lead anywhere. One that
 * is not known, or not in time, is no problem here, as nothing can be sent there.
 */
export async function reachedAddressProblem (address: string, lookup?: Parameters<typeof addressesOf>[1]): Promise<string | null> {
  const problem = addressProblem(address)
  if (problem !== null) return problem
  return (await addressesOf(new URL(address), lookup)).some(isMetadataAddress) ? isNone : null
}

/**
 * Whether an IP address is link-local or one of clouds' metadata; false for a name. An IPv6 address that only
 * wraps an IPv4 one is judged by what it wraps.
 */
export function isMetadataAddress (host: string): boolean {
  const address = isIP(host) === 6 ? ipv4Within(host) ?? host : host
  const family = isIP(address)
  return family !== 0 && metadata.check(address, family === 4 ? 'ipv4' : 'ipv6')
}
