import { createHash } from 'node:crypto'

/** Converts a text to a name as it is stored here: Latin-1, one character per byte, because names need not be UTF-8. */
export const asName = (text: string): string => Buffer.from(text).toString('latin1')
/** Converts such a name to text. */
export const readable = (name: string): string => Buffer.from(name, 'latin1').toString()
/** Returns the bytes of such a name, for a path that the system takes as it is. */
export const asBytes = (name: string): Buffer => Buffer.from(name, 'latin1')
/** Formats names as git reads and prints lists: each ended by a null character. */
export const nameList = (names: readonly string[]): Uint8Array => Buffer.from(names.map((name) => `${name}\0`).join(''), 'latin1')
export const namesOf = (list: Uint8Array): string[] =>
  Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString('latin1').split('\0').slice(0, -1)
/** Returns a short name for a long one. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24)
