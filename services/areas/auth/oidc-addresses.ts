import { isLoopback } from '../../ground/network/loopback.js'

export const oidcCallbackPath = '/api/auth/oidc/callback'

/** Whether an issuer may be reached without TLS: only on this machine. */
export function isPlain (address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'http:' && isLoopback(hostname)
}
