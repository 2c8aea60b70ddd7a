import { createHmac, hash, timingSafeEqual } from 'node:crypto'

/** How a caller proves its identity: with an HMAC of the body (GitHub, Gitea), or with the secret itself (GitLab). */
export interface Proof { signature: string | undefined, token: string | undefined }

const digest = (text: string): Buffer => hash('sha256', text, 'buffer')
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))

/** Returns `sha256=` and the HMAC of a body, in hex. */
const signatureOf = (secret: string, body: Buffer): string => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

/** Whether the caller knows the secret. Takes the same time for either answer. A token does not make up for a wrong signature. */
export function isProven (secret: string, body: Buffer, { signature, token }: Proof): boolean {
  return signature === undefined
    ? isSame(token ?? '', secret)
    : isSame(signature.toLowerCase(), signatureOf(secret, body))
}
