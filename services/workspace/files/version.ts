import { createHash } from 'node:crypto'

/** Names a content: 22 characters that are the same for the same bytes and for no others. */
export function contentVersion (bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, 22)
}
