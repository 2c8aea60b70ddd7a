import { isLoopback, withoutBrackets } from '../../ground/network/loopback.js'

const hostHeader = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d{1,5})?$/i

/** Whether a Host header names a host, with or without a port, and nothing more. */
export function isHostHeader (host: string): boolean {
  return hostHeader.test(host)
}

/**
 * Whether an Origin header names the host and port that a Host header names; either may include a default port. False for anything that is
 * not a web origin (`null`, a list, an extension).
 */
export function isSameHost (origin: string, host: string): boolean {
  if (origin === `http://${host}` || origin === `https://${host}`) return host !== ''
  if (!/^https?:\/\/[^/]+$/i.test(origin) || !hostHeader.test(host) || !URL.canParse(origin)) return false
  const sender = new URL(origin)
  const target = `${sender.protocol}//${host}`
  return URL.canParse(target) && new URL(target).host === sender.host
}

/**
 * Whether a Host header can be meant for a service that only this machine reaches. A page elsewhere may point a name of its own at
 * 127.0.0.1 and then call the service as its own origin; the Host header still has that name. `expected` holds further names of this
 * service, lower case.
 */
export function isLocalHost (host: string, expected: ReadonlySet<string>): boolean {
  const name = hostHeader.exec(host)?.[1]?.toLowerCase()
  return name !== undefined && (isLoopback(name) || name.endsWith('.localhost') || expected.has(withoutBrackets(name)))
}

/**
 * Returns the path of this service to go to after signing in. Only a path that begins with one slash counts: a browser reads `//name`,
 * `/\name` and the like as another site.
 */
export function localPath (next: unknown): string {
  const base = 'http://localhost'
  if (typeof next !== 'string' || !/^\/(?![/\\])/.test(next) || !URL.canParse(next, base)) return '/'
  const { origin, pathname, search, hash } = new URL(next, base)
  return origin === base && !pathname.startsWith('//') ? `${pathname}${search}${hash}` : '/'
}
