import { randomBytes } from 'node:crypto'

/** Random identifiers of the interface's lengths, lower-case hex. */
export const sessionId = (): string => randomBytes(6).toString('hex')
export const streamId = (): string => randomBytes(16).toString('hex')
export const messageId = (): string => randomBytes(10).toString('hex')
export const promptId = (): string => randomBytes(8).toString('hex')
