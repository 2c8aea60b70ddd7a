import { createECDH, hash } from 'node:crypto'
import { Invalid } from '../../ground/errors.js'
import { leadsToPrivate, namesPrivateAddress } from '../../ground/network/outgoing.js'

/** A subscription as a browser provides it: `PushSubscription.toJSON()`. */
export interface BrowserSubscription { endpoint: string, keys: { p256dh: string, auth: string } }

const longestEndpoint = 2_000
const notPrivate = 'endpoint: this machine and private networks need SVC_WEBUI_WEBHOOK_PRIVATE=1 in the environment of the service'
const base64url = /^[A-Za-z0-9_-]+={0,2}$/

/** Identifies a browser to clients that must not see its endpoint; a browser can compute its own id. */
export const idOf = (endpoint: string): string => hash('sha256', endpoint).slice(0, 32)

/**
 * Parses the address for messages to a browser. Throws Invalid for an address that messages are never sent to: plain http is accepted only
 * if the operator permits private addresses, and only for those.
 */
export function endpointUrl (text: string, isPrivateAllowed: boolean): URL {
  if (text.length > longestEndpoint || !URL.canParse(text)) throw new Invalid('endpoint: must be the address that the browser received')
  const url = new URL(text)
  const isPrivate = namesPrivateAddress(url)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isPrivate && isPrivateAllowed)) {
    throw new Invalid('endpoint: must begin with https://')
  }
  if (url.username !== '' || url.password !== '') throw new Invalid('endpoint: must not contain a user name or a password')
  if (isPrivate && !isPrivateAllowed) throw new Invalid(notPrivate)
  return url
}

/** Does the same for an endpoint that is to be stored, and also checks where its name leads. Throws Invalid. */
export async function reachedEndpointUrl (text: string, isPrivateAllowed: boolean): Promise<URL> {
  const url = endpointUrl(text, isPrivateAllowed)
  if (!isPrivateAllowed && await leadsToPrivate(url)) throw new Invalid(notPrivate)
  return url
}

/** Throws Invalid for keys that cannot be used for encryption. */
export function checkKeys ({ p256dh, auth }: BrowserSubscription['keys']): void {
  if (!base64url.test(auth) || Buffer.from(auth, 'base64url').length !== 16) throw new Invalid('keys.auth: must be 16 bytes in base64url')
  const point = base64url.test(p256dh) ? Buffer.from(p256dh, 'base64url') : Buffer.alloc(0)
  try {
    const curve = createECDH('prime256v1')
    curve.generateKeys()
    if (point.length !== 65) throw new Error('not an uncompressed point')
    curve.computeSecret(point)
  } catch {
    throw new Invalid('keys.p256dh: must be a public key of the curve P-256 in base64url')
  }
}
