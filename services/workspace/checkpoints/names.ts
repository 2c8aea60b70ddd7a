import { createHash } from 'node:crypto'

/** Names of files as they are held here: Latin-1, a character for each byte, since a name need not be UTF-8. */
export const bytesAsText = (text: string): string => Buffer.from(text).toString('latin1')
/** Such a name as people read it. */
export const readable = (name: string): string => Buffer.from(name, 'latin1').toString()
/** As git takes and prints lists of them: each with NUL at its end. */
export const nameList = (names: readonly string[]): Uint8Array => Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1')
export const namesOf = (list: Uint8Array): string[] => Buffer.from(list).toString('latin1').split('\0').slice(0, -1)
/** A short name for a long one. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24)
