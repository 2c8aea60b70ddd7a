// How tests compare values, where deep equality is not enough:
// - same: 1 and '1' are the same, and so are undefined, null and a missing value; the class of an object does not matter.
// - match: a pattern. For an object, it has the keys that matter; for an array, the first items; for a text, a part or an expression;
//   `String`, `Number`, a class: any such value.
import { structuredPatch } from 'diff'
import { inspect, isDeepStrictEqual } from 'node:util'

export type Manner = 'same' | 'match'

/** Whether the contents of a value are not compared, except for keys that a pattern names. */
const isOpaque = (value: object): boolean => [Date, RegExp, Set, Map, Uint8Array].some((type) => value instanceof type)

type Thing = Record<PropertyKey, unknown>

/** Returns `wanted` itself if it was found; otherwise what was found, with the wanted value wherever it matches. */
export function likened (found: unknown, wanted: unknown, manner: Manner): unknown {
  const isMatch = manner === 'match'
  if (isDeepStrictEqual(found, wanted) || isLike(found, wanted) || (isMatch && fits(found, wanted))) return wanted
  if (!isObject(found) || !isObject(wanted) || (wanted instanceof Error && !(found instanceof Error))) return found
  if (isOpaque(wanted) || (isOpaque(found) && (!isMatch || keysOf(wanted).length === 0))) return found
  if (Array.isArray(wanted) ? !Array.isArray(found) : Array.isArray(found) && !isMatch) return found
  if (Array.isArray(found) && Array.isArray(wanted)) {
    const items = [...isMatch ? found.slice(0, wanted.length) : found].map((item, index) => likened(item, wanted[index], manner))
    return items.length === wanted.length && items.every((item, index) => Object.is(item, wanted[index])) ? wanted : items
  }
  const keys = new Set([...keysOf(wanted), ...isMatch ? [] : keysOf(found)])
  const values = [...keys].map((key) => [key, likened(found[key], wanted[key], manner)] as const)
  return values.every(([key, value]) => Object.is(value, wanted[key])) ? wanted : Object.fromEntries(values)
}

/** Returns lines that show how what was found (+) differs from what is wanted (-). */
export function difference (found: unknown, wanted: unknown): string {
  const [one, other] = [wanted, found].map((value) => `${inspect(value, { depth: 8, maxStringLength: 4_000, maxArrayLength: 200, sorted: true, compact: false })}\n`) as [string, string]
  const hunks = structuredPatch('', '', one, other, '', '', { context: 3, timeout: 1_000 })?.hunks ?? []
  const lines = hunks.length > 0 ? ['found +, wanted -', ...hunks.flatMap(({ lines }) => ['...', ...lines]).slice(1)] : ['not the same, though both look so:', ...other.trimEnd().split('\n')]
  return lines.map((line) => `  ${line.trimEnd()}\n`).join('')
}

/** Whether two values count as the same without comparing their contents. */
function isLike (found: unknown, wanted: unknown): boolean {
  if (found instanceof Uint8Array && wanted instanceof Uint8Array) return Buffer.compare(found, wanted) === 0
  return !isObject(found) && !isObject(wanted) && found == wanted // eslint-disable-line eqeqeq -- what is loose here
}

const kinds = new Map<unknown, (found: unknown) => boolean>([
  [String, (found) => typeof found === 'string'],
  [Number, (found) => Number.isFinite(found)],
  [Boolean, (found) => typeof found === 'boolean'],
  [Function, (found) => typeof found === 'function'],
  [Array, Array.isArray]
])

/** Whether a value matches a pattern that is an expression, a part of a text or a class. */
function fits (found: unknown, pattern: unknown): boolean {
  if (found === undefined || found === null) return false
  if (pattern instanceof RegExp) return !(found instanceof RegExp) && pattern.test(String(found))
  if (typeof pattern === 'string') return typeof found === 'string' && pattern !== '' && found.includes(pattern)
  if (typeof pattern !== 'function') return false
  const isOfKind = kinds.get(pattern)
  return isOfKind === undefined ? isObject(pattern.prototype) && found instanceof pattern : isOfKind(found)
}

function isObject (value: unknown): value is Thing {
  return typeof value === 'object' && value !== null
}

/** Returns the keys to compare, including the message and name of an error, which are not enumerable. */
function keysOf (value: Thing): PropertyKey[] {
  return [...value instanceof Error ? ['message', 'name', ...Object.hasOwn(value, 'cause') ? ['cause'] : []] : [], ...Object.keys(value)]
}
