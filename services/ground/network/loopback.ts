import ipaddr from 'ipaddr.js'

/**
 * Whether a host is reached from this machine only: `localhost`, an address in 127.0.0.0/8 (also as `::ffff:127.0.0.1`), or `::1`, with
 * or without the brackets of a URL. False for wildcard addresses (`0.0.0.0`, `::`), which accept connections from everywhere, and for all
 * other names, which may lead to any machine.
 */
export function isLoopback (host: string): boolean {
  const bare = withoutBrackets(host)
  if (bare.toLowerCase() === 'localhost') return true
  return ipaddr.isValid(bare) && ipaddr.process(bare).range() === 'loopback'
}

/** Returns an IPv6 address as it is without the brackets that it has in URLs and Host headers, and any other host unchanged. */
export const withoutBrackets = (host: string): string => host.replace(/^\[(.*)\]$/, '$1')
