import { hash, timingSafeEqual } from 'node:crypto'
import { type Operator } from './sessions.js'
import { type Signer } from './signer.js'

/** Lets in requests from an authenticating proxy, which sends a secret in a fixed header. `secret` is null without a proxy. */
export function createProxyGate (secret: string | null, signer: Signer) {
  const expected = secret === null ? null : digest(Buffer.from(secret))
  let operator: Operator | undefined

  return {
    isOpen: expected !== null,

    /** `presented`: the raw bytes of the header. Returns null if they do not match. */
    admit (presented: Buffer | undefined): Operator | null {
      if (expected === null || presented === undefined || !timingSafeEqual(digest(presented), expected)) return null
      operator ??= { via: 'proxy', csrfToken: signer.sign('csrf', 'proxy') }
      return operator
    }
  }
}

function digest (secret: Buffer): Buffer {
  return hash('sha256', secret, 'buffer')
}

export type ProxyGate = ReturnType<typeof createProxyGate>
