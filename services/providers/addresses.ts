import { BlockList, isIP } from 'node:net'

const longestAddress = 2_000

/** Where clouds tell a machine its own credentials: no model is served there, and nobody's request shall be led there. */
const metadata = new BlockList()
metadata.addSubnet('169.254.0.0', 16, 'ipv4')
metadata.addSubnet('fe80::', 10, 'ipv6')
metadata.addAddress('100.100.100.200', 'ipv4')
metadata.addAddress('fd00:ec2::254', 'ipv6')
const metadataNames = /^(?:metadata|metadata\.google\.internal|instance-data(?:\..*)?)\.?$/i

/** Why an address cannot be that of a model server, in words that follow its name; null when it can. */
export function addressProblem (address: string): string | null {
  if (address.length > longestAddress || !URL.canParse(address)) return 'must be an http or https address'
  const url = new URL(address)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https address'
  if (url.username !== '' || url.password !== '') return 'must not hold a name or password: send the key on its own'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (metadataNames.test(host) || isMetadata(host)) return 'must not be a link-local or metadata address'
  return null
}

function isMetadata (host: string): boolean {
  const family = isIP(host)
  if (family === 0) return false
  if (family === 4) return metadata.check(host, 'ipv4')
  // As URLs are normalised, an IPv4 address inside an IPv6 one is two groups of hex digits.
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/i.exec(host)
  if (mapped === null) return metadata.check(host, 'ipv6')
  const [high, low] = [parseInt(mapped[1] as string, 16), parseInt(mapped[2] as string, 16)]
  return metadata.check([high >> 8, high & 255, low >> 8, low & 255].join('.'), 'ipv4')
}
