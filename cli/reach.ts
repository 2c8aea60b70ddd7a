import ipaddr from 'ipaddr.js'
import { type NetworkInterfaceInfo } from 'node:os'
import { hostPortText } from '../services/ground/network/host-port.js'
import { isReachable } from '../web/src/core/service/reachable.js'

export interface Listening {
  /** The address that the service listens on, and its port. */
  host: string
  port: number
  /** Origins that the operator has configured for the service. */
  allowedOrigins: readonly string[]
}

/** Names of interfaces at which no other device reaches this machine, such as bridges of containers. */
const internalInterface = /^(?:lo|docker|br-|veth|virbr|podman|cni|flannel|lxc|vmnet|vboxnet|utun|awdl|llw|bridge)/
/** Names of network cards. Other interfaces may be tunnels. */
const networkCard = /^(?:en|eth|wl|wlan)/

/**
 * Returns the address at which another device can reach a service: an origin that the operator has configured, preferably with https, or
 * else the address of a network card. Null if only this machine can reach the service. Pure.
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
  return isReachable(host) ? `http://${hostPortText({ host, port })}` : null
}

const isWildcard = (host: string): boolean => ['0.0.0.0', '::', '[::]'].includes(host)

/** Returns this machine's IPv4 addresses that others may reach: those of network cards first, and private ones before public ones. */
function ownAddresses (interfaces: NodeJS.Dict<NetworkInterfaceInfo[]>): string[] {
  const found = Object.entries(interfaces).filter(([name]) => !internalInterface.test(name)).flatMap(([name, addresses = []]) =>
    addresses.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => ({ name, address })))
  const rank = ({ name, address }: { name: string, address: string }): number =>
    (networkCard.test(name) ? 0 : 2) + (ipaddr.parse(address).range() === 'private' ? 0 : 1)
  return found.filter(({ address }) => ipaddr.parse(address).range() !== 'linkLocal').sort((one, other) => rank(one) - rank(other))
    .map(({ address }) => address)
}
