import { isIP } from 'node:net'
import { isLoopback, withoutBrackets } from '../ground/network/loopback.js'
import { ipv4Within, isPublicAddress } from '../ground/network/public-address.js'
import { text, type ProviderKind } from './known-providers.js'

/** Adds the path of the API version that clients need, because people give only the server's address. */
export function withVersionPath (address: string | null, kind: ProviderKind): string | null {
  if (address === null || new URL(address).pathname !== '/') return address
  return `${address}${kind === 'google' ? '/v1beta' : kind === 'openrouter' ? '/api/v1' : '/v1'}`
}

export const publicHosts: ReadonlyArray<[host: RegExp, kind: ProviderKind]> = [
  [/^api\.openai\.com$/, 'openai'],
  [/^api\.anthropic\.com$/, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/, 'google'],
  [/^openrouter\.ai$/, 'openrouter']
]

export function kindOfAddress (address: string | null): ProviderKind {
  const host = address === null ? '' : hostnameOf(address)
  return publicHosts.find(([pattern]) => pattern.test(host))?.[1] ?? 'openai-compatible'
}

/**
 * Returns the address in OLLAMA_HOST without a trailing slash, in any form that Ollama's own client accepts: `host`, `host:port`, `:port`
 * or a full address. The wildcard address of a server means this machine.
 */
export function ollamaAddress (value: string | undefined): string | undefined {
  const given = text(value)
  if (given === undefined) return undefined
  const full = /^https?:\/\//.test(given) ? given : `http://${given.startsWith(':') ? '127.0.0.1' : ''}${given}`
  try {
    const url = new URL(full)
    const host = ['0.0.0.0', '[::]'].includes(url.hostname) ? '127.0.0.1' : url.hostname
    const port = url.port !== '' ? url.port : /^https?:\/\//.test(given) ? '' : '11434'
    return `${url.protocol}//${host}${port === '' ? '' : `:${port}`}${url.pathname.replace(/\/+$/, '')}`
  } catch {
    return undefined
  }
}

/** Whether an address is this machine's. Wildcard addresses (`0.0.0.0`, `::`) count too. */
export function leadsToThisMachine (address: string): boolean {
  const host = bareHost(hostnameOf(address))
  return [host, ipv4Within(host) ?? ''].some((form) => isLoopback(form) || form === '0.0.0.0')
}

/** Whether a host is on this machine or its networks: an address that is not public, or a name such as `box`, `box.local` or `box.lan`. */
export function isLocalNetworkHost (host: string): boolean {
  const bare = bareHost(host)
  return isIP(bare) === 0 ? !bare.includes('.') || /\.(?:local|lan|internal|home\.arpa)$/.test(bare) : !isPublicAddress(bare)
}

const bareHost = (host: string): string => withoutBrackets(host).replace(/\.$/, '')

/** Returns the host in an address, an IPv6 address with its brackets; '' for anything but an address. */
export function hostnameOf (address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : ''
}

export function httpUrl (value: unknown): string | undefined {
  const address = text(value)
  if (address === undefined || !URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return undefined
  return address.replace(/\/+$/, '')
}
