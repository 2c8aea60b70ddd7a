import { randomBytes } from 'node:crypto'

/** Random identifiers of the interface's lengths, lower-case hex. */
export const sessionId = (): string => randomBytes(6).toString('hex')
export const streamId = (): string => randomBytes(16).toString('hex')
export const messageId = (): string => randomBytes(10).toString('hex')

/**
 * As many message ids as rows are written at once, 65,536 at most. They differ in their last digits only: entries that lie
 * together in the index are one page to write, and not one for each row.
 */
export function messageIds (count: number): string[] {
  const shared = randomBytes(8).toString('hex')
  return Array.from({ length: count }, (_, index) => shared + index.toString(16).padStart(4, '0'))
}

export const promptId = (): string => randomBytes(8).toString('hex')
