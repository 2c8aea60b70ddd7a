import { toUSVString } from 'node:util'
import { type Pace } from '../concurrency/pace.js'

/** How much a JSON text may hold: levels of nesting, and values of any kind, counted by commas, objects and lists. */
export interface JsonLimits { levels: number, values: number }

/** More levels than anyone needs, and few enough for every program that reads them. */
export const mostLevels = 500

const scannedAtOnce = 256 * 1024
const quote = 0x22
const backslash = 0x5c
const comma = 0x2c
const openers = new Set([0x5b, 0x7b])
const closers = new Set([0x5d, 0x7d])

/**
 * Returns which limit a JSON text in UTF-8 exceeds, before anything is built from it; null if it exceeds none. Makes one pass over the
 * bytes, without recursion, and stops as soon as the answer is known. Whether the text is valid JSON is left to the parser.
 */
export const beyondLimits = (text: Uint8Array, limits: JsonLimits): keyof JsonLimits | null => scanOf(text, limits)(text.length)

/** Does the same with pauses. */
export async function beyondLimitsGently (text: Uint8Array, limits: JsonLimits, pace: Pace): Promise<keyof JsonLimits | null> {
  const scan = scanOf(text, limits)
  for (let to = scannedAtOnce; ; to += scannedAtOnce) {
    const beyond = scan(Math.min(to, text.length))
    if (beyond !== null || to >= text.length) return beyond
    await pace()
  }
}

/** Returns a function that reads on to a position, and returns which limit is exceeded there. */
function scanOf (text: Uint8Array, { levels, values }: JsonLimits): (to: number) => keyof JsonLimits | null {
  let at = 0
  let level = 0
  let count = 0
  let isInText = false
  return (to) => {
    for (; at < to; at++) {
      const byte = text[at] ?? 0
      if (isInText) {
        if (byte === backslash) at++
        else if (byte === quote) isInText = false
      } else if (byte === quote) isInText = true
      else if (byte === comma) {
        if (++count > values) return 'values'
      } else if (openers.has(byte)) {
        if (++level > levels) return 'levels'
        if (++count > values) return 'values'
      } else if (closers.has(byte)) level--
    }
    return null
  }
}

/** Returns a copy of a JSON value with `change` applied to every text in it. */
export function mapTexts<T> (value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)])) as T
}

/** Whether a JSON text has an escape that may be half of a surrogate pair: a quick check before the text is parsed. */
export const mayHoldHalves = (text: string): boolean => /\\u[dD][89a-fA-F]/.test(text)

/**
 * Returns the value with U+FFFD in place of every lone surrogate in its texts and keys; the same value if there is none. Only JSON escapes
 * can hold a lone surrogate, because UTF-8 cannot, and many parsers refuse the whole document for one.
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

/** Returns the place of the first text or key with a lone surrogate (`name`, `paths[3]`, `files[0].name`); null if there is none. */
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

/** Returns the JSON text of a value, without lone surrogates. */
export function jsonText (value: unknown): string {
  const text = JSON.stringify(value)
  return mayHoldHalves(text) ? JSON.stringify(wholeCharacters(value)) : text
}
