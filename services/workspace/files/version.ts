import { createHash, webcrypto } from 'node:crypto'

/** Up to this size, hashing takes less than a millisecond, so it may run on the event loop. */
const quickBytes = 512 * 1024

/** Identifies a content: returns 22 characters that are the same only for the same bytes. */
export function contentVersion (bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}

/** Like contentVersion, but large contents are hashed outside of the event loop. */
export async function versionOf (bytes: Buffer): Promise<string> {
  if (bytes.length <= quickBytes) return contentVersion(bytes)
  const hash = await webcrypto.subtle.digest('SHA-256', bytes)
  return Buffer.from(hash).toString('base64url').slice(0, 22)
}
