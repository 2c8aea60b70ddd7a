import { createHash, webcrypto } from 'node:crypto'

/** Up to here hashing takes less than a millisecond and need not leave the event loop. */
const quickBytes = 512 * 1024

/** Names a content: 22 characters that are the same for the same bytes and for no others. */
export function contentVersion (bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}

/** As contentVersion; large contents are hashed beside the event loop. */
export async function versionOf (bytes: Buffer): Promise<string> {
  if (bytes.length <= quickBytes) return contentVersion(bytes)
  const hash = await webcrypto.subtle.digest('SHA-256', bytes)
  return Buffer.from(hash).toString('base64url').slice(0, 22)
}
