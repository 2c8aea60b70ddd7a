// How tests compare values, where equal in depth is not enough:
// - same: 1 and '1' are, and so are undefined, null and what is not there; of which class an object is does not matter.
// - match: a pattern. Of an object it has the keys that matter, of an array the first items, of a text a part or an expression;
//   `String`, `Number`, a class: any such value.
import { structuredPatch } from 'diff'
import { inspect, isDeepStrictEqual } from 'node:util'

export type Manner = 'same' | 'match'

/** What is not looked into, but for the keys that a pattern names. */
const isOpaque = (value: object): boolean => [Date, RegExp, Set, Map, Uint8Array].some((type) => value instanceof type)

type Thing = Record<PropertyKey, unknown>

/** Returns what is wanted itself, when it was found; otherwise what was found, with what is wanted in the places where it was. */
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

/** Tells in lines how what was found (+) differs from what is wanted (-). */
export function difference (found: unknown, wanted: unknown): string {
  const [one, other] = [wanted, found].map((value) => `${inspect(value, { depth: 8, maxStringLength: 4_000, maxArrayLength: 200, sorted: true, compact: false })}\n`) as [string, string]
  const hunks = structuredPatch('', '', one, other, '', '', { context: 3, timeout: 1_000 })?.hunks ?? []
  const lines = hunks.length > 0 ? ['found +, wanted -', ...hunks.flatMap(({ lines }) => ['...', ...lines]).slice(1)] : ['not the same, though both look so:', ...other.trimEnd().split('\n')]
  return lines.map((line) => `  ${line.trimEnd()}\n`).join('')
}

/** Whether two values count as the same without a look inside. */
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

/** Whether a value is such as a pattern for it says, when that is an expression, a part of a text or a class. */
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

/** Returns the keys that count: of an error also its message and its name, which cannot be listed. */
function keysOf (value: Thing): PropertyKey[] {
  return [...value instanceof Error ? ['message', 'name', ...Object.hasOwn(value, 'cause') ? ['cause'] : []] : [], ...Object.keys(value)]
}
