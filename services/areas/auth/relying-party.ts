import ipaddr from 'ipaddr.js'
import { Invalid } from '../../ground/errors.js'
import { isSameHost } from './origins.js'

/** Where a page says it is, as its request shows. */
export interface PageAddress {
  protocol: string
  /** The Host header, or what a trusted proxy says in its place. */
  host: string
  /** The Origin header. */
  origin?: string
}

/** What passkeys are bound to: a host name, and the one origin whose pages may use them here. */
export interface RelyingParty { id: string, origin: string }

/**
 * The relying party of WebAuthn that a request is about: the host it was sent to, or the page of an origin that the operator
 * has allowed. A made-up Host helps nobody: a passkey signs for the name that it was registered for, and its browser says
 * where it was asked. Throws Invalid where browsers have no passkeys: at a bare address, and on http but for localhost.
 */
export function relyingPartyOf ({ protocol, host, origin }: PageAddress, allowedOrigins: ReadonlySet<string>): RelyingParty {
  const page = origin !== undefined && (allowedOrigins.has(origin) || isSameHost(origin, host)) ? origin : `${protocol}://${host}`
  if (!URL.canParse(page)) throw new Invalid('The Host header is not a valid address for a passkey')
  const { hostname, origin: own, protocol: scheme } = new URL(page)
  if (ipaddr.isValid(hostname.replace(/^\[|\]$/g, ''))) {
    throw new Invalid('Passkeys need a host name. Open the service by its name or as localhost, not by its IP address')
  }
  if (scheme !== 'https:' && hostname !== 'localhost' && !hostname.endsWith('.localhost')) {
    throw new Invalid('Passkeys need https. Open the service with https, or as localhost')
  }
  return { id: hostname, origin: own }
}
