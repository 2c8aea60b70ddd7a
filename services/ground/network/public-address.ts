import ipaddr from 'ipaddr.js'

/** The only block of IPv6 from which globally routable unicast addresses are assigned (RFC 4291, IANA registry). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const wellKnownNat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')
const ipv4Compatible = ipaddr.IPv6.parseCIDR('::/96')

/**
 * Whether an IP address is a globally routable unicast address, so that a connection to it cannot reach this machine or its own networks.
 * An IPv6 address that only wraps an IPv4 one (mapped, compatible, 6to4, NAT64) is judged by the wrapped address. Forms whose destination
 * cannot be told (Teredo, local NAT64 prefixes) are refused, as is anything that is not an address.
 */
export function isPublicAddress (address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.range() === 'unicast'
  if (parsed.zoneId !== undefined) return false
  const wrapped = wrappedIPv4(parsed)
  if (wrapped !== null) return wrapped.range() === 'unicast'
  return parsed.range() === 'unicast' && parsed.match(globalUnicast)
}

/** Returns the IPv4 address that an IPv6 one only wraps (mapped, compatible, 6to4, NAT64); null for any other. */
export function ipv4Within (address: string): string | null {
  return ipaddr.IPv6.isValid(address) ? wrappedIPv4(ipaddr.IPv6.parse(address))?.toString() ?? null : null
}

function wrappedIPv4 (six: ipaddr.IPv6): ipaddr.IPv4 | null {
  const bytes = six.toByteArray()
  if (six.isIPv4MappedAddress() || six.match(wellKnownNat64) || six.match(ipv4Compatible)) return new ipaddr.IPv4(bytes.slice(12))
  if (six.range() === '6to4') return new ipaddr.IPv4(bytes.slice(2, 6))
  return null
}
