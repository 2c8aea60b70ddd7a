import { type Server } from 'node:net'
import { join } from 'node:path'
import { readHostPort } from '../../ground/network/host-port.js'
import { listenPrivately } from '../../ground/network/local-socket.js'
import { OutgoingProxies, type OutgoingProxiesOptions } from './outgoing-proxies.js'

/** The way out of a sandbox without network: sockets in a folder that is mounted in it. */
export interface Bridge {
  /** Port of the HTTP proxy in the sandbox. */
  proxyPort: number
  /** Names of the sockets, by the ports in the sandbox that lead to them. */
  sockets: Readonly<Record<number, string>>
  /** Closes all connections. The caller removes the folder. */
  close: () => void
}

/** If an open place has this port, the next free one is used. */
const usualProxyPort = 18_128
const thisMachine = /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|::1?)$/

/**
 * Opens a bridge in a folder that only its own user can enter: an HTTP proxy, and a port for each open place on this machine, so that
 * programs that use no proxy for such addresses can reach it too. Rejects with the system's error.
 */
export async function openBridge (folder: string, options: OutgoingProxiesOptions): Promise<Bridge> {
  const local = new Map(options.reach.places.map(readHostPort).filter((place) => place !== null)
    .filter(({ host }) => thisMachine.test(host)).map((place) => [place.port, place]))
  let proxyPort = usualProxyPort
  while (local.has(proxyPort)) proxyPort++
  const proxies = new OutgoingProxies(options)
  const servers: Array<[port: number, name: string, server: Server]> = [[proxyPort, 'proxy', proxies.proxy()]]
  for (const [port, place] of local) servers.push([port, String(port), proxies.door(place)])
  const close = (): void => {
    for (const [, , server] of servers) server.close()
    proxies.close()
  }
  try {
    for (const [, name, server] of servers) await listenPrivately(server, join(folder, name))
  } catch (error) {
    close()
    throw error
  }
  return { proxyPort, sockets: Object.fromEntries(servers.map(([port, name]) => [port, name])), close }
}
