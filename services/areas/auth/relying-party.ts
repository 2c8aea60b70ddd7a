import ipaddr from 'ipaddr.js'
import { Invalid } from '../../ground/errors.js'
import { isSameHost } from './origins.js'

/** The address of a page, as its request shows it. */
export interface PageAddress {
  protocol: string
  /** The Host header, or what a trusted proxy sends in its place. */
  host: string
  /** The Origin header. */
  origin?: string
}

/** What passkeys are bound to: a host name, and the one origin whose pages may use them here. */
export interface RelyingParty { id: string, origin: string }

/**
 * Returns the WebAuthn relying party of a request: the host that it was sent to, or the page of an origin that the operator has allowed.
 * Forging the Host gains nothing: a passkey signs for the name that it was registered for, and its browser reports where it was asked.
 * Throws Invalid where browsers have no passkeys: on IP addresses, and on http except localhost.
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
