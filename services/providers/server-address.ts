import { isIP } from 'node:net'
import { ipv4Within, isPublicAddress } from '../ground/public-address.js'
import { text, type ProviderKind } from './known-providers.js'

/** People give the server's address; the clients want that of the interface's version on it. */
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
  const host = address === null ? '' : hostOf(address)
  return publicHosts.find(([pattern]) => pattern.test(host))?.[1] ?? 'openai-compatible'
}

/**
 * Where OLLAMA_HOST points, without a trailing slash: the forms its own client takes (`host`, `host:port`, `:port`, a
 * full address). The wildcard a server binds to means this machine.
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

/** The addresses that a server listens on to be reached everywhere lead here as well (`0.0.0.0`, `::`). */
export function leadsToThisMachine (address: string): boolean {
  const host = bareHost(hostOf(address))
  return [host, ipv4Within(host) ?? ''].some((form) => /^(?:localhost|127(?:\.\d+){3}|0\.0\.0\.0|::1)$/.test(form))
}

/** Of this machine or a network of one's own: an address that nobody else reaches, or a name that nobody else has. */
export function isPrivateHost (host: string): boolean {
  const bare = bareHost(host)
  return isIP(bare) === 0 ? !bare.includes('.') || /\.(?:local|lan|internal|home\.arpa)$/.test(bare) : !isPublicAddress(bare)
}

const bareHost = (host: string): string => host.replace(/^\[|\]$|\.$/g, '')

export function hostOf (address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : ''
}

export function httpUrl (value: unknown): string | undefined {
  const address = text(value)
  if (address === undefined || !URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol)) return undefined
  return address.replace(/\/+$/, '')
}
