import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { bareHostname } from './resolved-addresses.js'

/** A host (a name in lower case or an IP address in its canonical spelling) and a port. */
export interface HostPort { host: string, port: number }

const form = /^[^\s/?#@\\]+:(\d{1,5})$/
const highestPort = 65_535
const usualPorts: Readonly<Record<string, number>> = { 'http:': 80, 'ws:': 80, 'https:': 443, 'wss:': 443 }

/**
 * Reads `host:port`, with IPv6 addresses in brackets. All spellings of an address give the same result. Returns null if the text is
 * something else.
 */
export function readHostPort (text: string): HostPort | null {
  const port = Number(form.exec(text)?.[1] ?? 0)
  const address = `http://${text}`
  return port > 0 && port <= highestPort && URL.canParse(address) ? named(bareHostname(new URL(address)), port) : null
}

/** Returns the host and port of an HTTP or WebSocket address; null for anything else. */
export function hostPortOf (address: string): HostPort | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  const usual = usualPorts[url.protocol]
  return usual === undefined ? null : named(bareHostname(url), url.port === '' ? usual : Number(url.port))
}

export const hostPortText = ({ host, port }: HostPort): string => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`

function named (found: string, port: number): HostPort | null {
  const host = found.toLowerCase().replace(/\.$/, '')
  if (host === '') return null
  return { host: isIP(host) === 0 ? host : ipaddr.process(host).toString(), port }
}
