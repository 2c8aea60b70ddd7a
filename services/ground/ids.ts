import { randomBytes } from 'node:crypto'

/** Random identifiers of the interface's lengths, lower-case hex. */
export const sessionId = (): string => randomBytes(6).toString('hex')
export const streamId = (): string => randomBytes(16).toString('hex')
export const messageId = (): string => randomBytes(10).toString('hex')

/**
 * Returns message ids for rows that are written together, at most 65,536. They differ only in their last digits, so that their index
 * entries share a page: one page is written instead of one for each row.
 */
export function messageIds (count: number): string[] {
  const shared = randomBytes(8).toString('hex')
  return Array.from({ length: count }, (_, index) => shared + index.toString(16).padStart(4, '0'))
}

export const promptId = (): string => randomBytes(8).toString('hex')
