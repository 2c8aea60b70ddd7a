import ipaddr from 'ipaddr.js'
import { type NetworkInterfaceInfo } from 'node:os'
import { isReachable } from '../web/src/core/service/reachable.js'

export interface Listening {
  /** The address that the service listens on, and its port. */
  host: string
  port: number
  /** Origins that the operator has named as the service's. */
  allowedOrigins: readonly string[]
}

/** Networks that only programs of this machine are in. */
const inner = /^(?:lo|docker|br-|veth|virbr|podman|cni|flannel|lxc|vmnet|vboxnet|utun|awdl|llw|bridge)/
/** Of a network card: the others may be tunnels. */
const card = /^(?:en|eth|wl|wlan)/

/**
 * The address by which another device reaches a service: one that the operator has named, https before http; else that of a network
 * card. Null: only this machine reaches it. Pure.
 */
export function reachableAddress (
  { host, port, allowedOrigins }: Listening, interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>
): string | null {
  const named = allowedOrigins.filter((origin) => isReachable(new URL(origin).hostname))
  const origin = named.find((each) => each.startsWith('https://')) ?? named[0]
  if (origin !== undefined) return origin
  if (isWildcard(host)) {
    const own = ownAddresses(interfaces)[0]
    return own === undefined ? null : `http://${own}:${port}`
  }
  return isReachable(host) ? `http://${host.includes(':') ? `[${host}]` : host}:${port}` : null
}

const isWildcard = (host: string): boolean => ['0.0.0.0', '::', '[::]'].includes(host)

/** IPv4 addresses that others may reach, network cards first, private networks before all else. */
function ownAddresses (interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string[] {
  const found = Object.entries(interfaces).filter(([name]) => !inner.test(name)).flatMap(([name, addresses = []]) =>
    addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => ({ name, address })))
  const rank = ({ name, address }: { name: string, address: string }): number =>
    (card.test(name) ? 0 : 2) + (ipaddr.parse(address).range() === 'private' ? 0 : 1)
  return found.filter(({ address }) => ipaddr.parse(address).range() !== 'linkLocal').sort((one, other) => rank(one) - rank(other))
    .map(({ address }) => address)
}
