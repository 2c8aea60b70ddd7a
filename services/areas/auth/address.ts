import ipaddr from 'ipaddr.js'

const near = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal'])

/** Whether an address is of this machine or of a private network (RFC 1918, RFC 4193, link-local). False for no address. */
export function isNearby (address = ''): boolean {
  return ipaddr.isValid(address) && near.has(ipaddr.process(address).range())
}
