import { toUSVString } from 'node:util'

/** How much a JSON text may hold: levels of nesting, and values of any kind with their keys counted along. */
export interface JsonLimits { levels: number, values: number }

/** More levels than anybody needs, and fewer than anything that reads them stumbles over. */
export const mostLevels = 500

const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openers = new Set([0x5b, 0x7b])
const closers = new Set([0x5d, 0x7d])

/**
 * Which limit a JSON text in UTF-8 goes beyond, before anything of it is built: one pass over its bytes, without
 * recursion, ended as soon as the answer is known. Whether it is JSON at all is the parser's business.
 */
export function beyondLimits (text: Uint8Array, { levels, values }: JsonLimits): keyof JsonLimits | null {
  let level = 0
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const byte = text[at] ?? 0
    if (byte === quote) {
      while (++at < text.length && text[at] !== quote) if (text[at] === backslash) at++
    } else if (byte === comma) {
      if (++count > values) return 'values'
    } else if (openers.has(byte)) {
      if (++level > levels) return 'levels'
      if (++count > values) return 'values'
    } else if (closers.has(byte)) level--
  }
  return null
}

/** An escape for what may be half of a character: a quick look at a JSON text, before anything of it is searched. */
export const mayHoldHalves = (text: string): boolean => /\\u[dD][89a-fA-F]/.test(text)

/**
 * The value with U+FFFD in the place of every half of a character in its texts and keys; the very same value when there is
 * none. Only JSON can write such halves down; in UTF-8 there are none, and many parsers refuse a whole document for one.
 */
export function wholeCharacters<T> (value: T): T {
  if (typeof value === 'string') return toUSVString(value) as T
  if (Array.isArray(value)) {
    const items = value.map(wholeCharacters)
    return items.some((item, index) => item !== value[index]) ? items as T : value
  }
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  const whole = entries.map(([key, item]) => {
    const [wholeKey, wholeItem] = [toUSVString(key), wholeCharacters(item)]
    return { entry: [wholeKey, wholeItem] as const, isSame: wholeKey === key && wholeItem === item }
  })
  return whole.every(({ isSame }) => isSame) ? value : Object.fromEntries(whole.map(({ entry }) => entry)) as T
}

/** Where the first text with half a character in it stands: `name`, `paths[3]`, `files[0].name`; null without one. */
export function halfCharacterAt (value: unknown, place = ''): string | null {
  if (typeof value === 'string') return toUSVString(value) === value ? null : place
  if (typeof value !== 'object' || value === null) return null
  for (const [key, item] of Object.entries(value)) {
    const below = Array.isArray(value) ? `${place}[${key}]` : place === '' ? toUSVString(key) : `${place}.${toUSVString(key)}`
    const found = toUSVString(key) === key ? halfCharacterAt(item, below) : below
    if (found !== null) return found
  }
  return null
}

/** The JSON text of a value, without halves of characters. */
export function jsonText (value: unknown): string {
  const text = JSON.stringify(value)
  return mayHoldHalves(text) ? JSON.stringify(wholeCharacters(value)) : text
}
