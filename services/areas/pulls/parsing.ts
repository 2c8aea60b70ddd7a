import { fieldsOf } from '../../ground/fields.js'
import { isKeyOf } from '../../ground/one-of.js'

/**
 * Parsers for data of a forge, which may be anything: missing values and those of another type become empty, and all lengths are limited.
 */
const longestText = 65_536
const longestLine = 500
const mostItems = 100

export { fieldsOf }

export const textOf = (value: unknown, most = longestText): string => typeof value === 'string' ? value.slice(0, most) : ''
export const lineOf = (value: unknown): string => textOf(value, longestLine).replaceAll(/\s+/g, ' ').trim()
export const listOf = (value: unknown, most = mostItems): unknown[] => Array.isArray(value) ? value.slice(0, most) : []
export const wholeOf = (value: unknown): number | null => typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : null
export const yesOrNo = (value: unknown): boolean | null => typeof value === 'boolean' ? value : null
/** Returns an id, which some forges send as a number and some as a text. */
export const idOf = (value: unknown): string => typeof value === 'number' ? String(value) : textOf(value, 200)

/** Returns the epoch seconds of an ISO time; 0 for anything else. */
export function secondsOf (value: unknown): number {
  const ms = typeof value === 'string' ? Date.parse(value) : NaN
  return Number.isNaN(ms) ? 0 : Math.floor(ms / 1_000)
}

/** Returns an address that is safe to open in a browser; empty for any other. */
export function webOf (value: unknown): string {
  const text = textOf(value, 2_000)
  return /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text).href : ''
}

/** Returns the names in a list of objects: `[{ login: 'ann' }, …]`. */
export const namesIn = (value: unknown, key: string): string[] =>
  listOf(value).map((item) => lineOf(fieldsOf(item)[key])).filter((name) => name !== '')

/** Looks up a word of the forge in a table; undefined for an unknown word. */
export const meaningOf = <Meaning>(table: Readonly<Record<string, Meaning>>, word: unknown): Meaning | undefined =>
  isKeyOf(table, word) ? table[word] : undefined
