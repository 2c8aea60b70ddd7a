// How tests compare values:
// - same: equal in depth; 1 and '1' are, and so are undefined and null.
// - strict: equal in depth, and of the same type.
// - match: a pattern. Of an object it has the keys that matter, of an array the first items, of a text a part or an expression;
//   `String`, `Number`, a class: any such value.

export type Manner = 'same' | 'strict' | 'match'

/** Where two values differ: the path is '' for the values themselves. */
export interface Difference { path: string, found: unknown, wanted: unknown }

const mostDifferences = 10

type Thing = Record<PropertyKey, unknown>
/** Whether a key is in neither, in one of them, or in both. */
interface Presence { isFound: boolean, isWanted: boolean }

const both: Presence = { isFound: true, isWanted: true }

/** Returns where the value is not as wanted, at most ten places; none when it is. */
export function differences (found: unknown, wanted: unknown, manner: Manner): Difference[] {
  const all: Difference[] = []
  compare({ manner, all, within: [] }, '', found, wanted, both)
  return all
}

interface Comparison { manner: Manner, all: Difference[], within: Array<readonly [unknown, unknown]> }

function compare (comparison: Comparison, path: string, found: unknown, wanted: unknown, presence: Presence): void {
  const { manner, all, within } = comparison
  if (all.length >= mostDifferences) return
  const simple = test(found, wanted, manner, presence)
  const differs = (): void => { all.push({ path, found, wanted }) }
  if (isObject(found) || isObject(wanted)) {
    // What holds itself has to do so at the same depth.
    const seen = isObject(found) ? within.findLastIndex(([one]) => one === found) : -1
    const seenWanted = isObject(wanted) ? within.findLastIndex(([, one]) => one === wanted) : -1
    if (seen !== seenWanted) return differs()
    if (seen !== -1 && simple !== false) return
  }
  if (simple === true) return
  if (simple === false) return differs()
  within.push([found, wanted])
  compareInside(comparison, path, found as Thing, wanted as Thing, differs)
  within.pop()
}

function compareInside (comparison: Comparison, path: string, found: Thing, wanted: Thing, differs: () => void): void {
  const { manner } = comparison
  const isMatch = manner === 'match'
  if (found instanceof Set) return isSameSet(comparison, found, wanted as unknown as Set<unknown>) ? undefined : differs()
  if (found instanceof Map) return compareMaps(comparison, path, found, wanted as unknown as Map<unknown, unknown>, differs)
  if (!(found instanceof Error) && isList(found) && (!isMatch || isList(wanted))) {
    const items = [...found]
    const wantedItems = [...wanted as unknown as Iterable<unknown>]
    if (isMatch ? items.length < wantedItems.length : items.length !== wantedItems.length) return differs()
    for (const [index, item] of wantedItems.entries()) compare(comparison, `${path}[${index}]`, items[index], item, both)
    return
  }
  const wantedKeys = keysOf(wanted)
  const keys = new Set([...isMatch ? [] : keysOf(found), ...wantedKeys])
  const own = new Set(keysOf(found))
  for (const key of keys) {
    const isWanted = Object.hasOwn(wanted, key) || wanted[key] !== undefined
    const isFound = own.has(key) || key in found || (isMatch && (wanted[key] ?? undefined) === undefined)
    compare(comparison, typeof key === 'string' && /^[\w$]+$/.test(key) ? `${path}.${key}` : `${path}[${String(key)}]`, isFound ? found[key] : undefined, wanted[key], { isFound, isWanted })
  }
}

function compareMaps (comparison: Comparison, path: string, found: Map<unknown, unknown>, wanted: Map<unknown, unknown>, differs: () => void): void {
  const rest = new Map(wanted)
  const others: unknown[] = []
  for (const [key, value] of found) {
    if (!rest.has(key)) others.push(key)
    else compare(comparison, `${path}.get(${String(key)})`, value, rest.get(key), both)
    rest.delete(key)
  }
  for (const key of others) {
    const like = [...rest.keys()].find((one) => isLike(comparison, key, one))
    if (like === undefined) {
      if (comparison.manner === 'match') continue
      return differs()
    }
    compare(comparison, `${path}.get(${String(key)})`, found.get(key), rest.get(like), both)
    rest.delete(like)
  }
  if (rest.size > 0) differs()
}

function isSameSet (comparison: Comparison, found: Set<unknown>, wanted: Set<unknown>): boolean {
  if (comparison.manner === 'match' ? found.size < wanted.size : found.size !== wanted.size) return false
  const rest = new Set(found)
  return [...wanted].every((value) => {
    const like = rest.has(value) ? value : [...rest].find((one) => isLike(comparison, one, value))
    return rest.delete(like)
  })
}

const isLike = ({ manner }: Comparison, found: unknown, wanted: unknown): boolean => differences(found, wanted, manner).length === 0

/** Without a look inside; 'inside' where that is what decides. */
function test (found: unknown, wanted: unknown, manner: Manner, presence: Presence): boolean | 'inside' {
  const same = testSame(found, wanted, presence)
  if (manner === 'same') return same
  if (manner === 'match') return same === true ? true : testMatch(found, wanted)
  if (same === false || presence.isFound !== presence.isWanted) return false
  if (Object.is(found, wanted) || found === wanted) return true
  if (!isObject(found) || !isObject(wanted)) return false
  if (found instanceof Date || found instanceof RegExp || Buffer.isBuffer(found)) return found.constructor === wanted.constructor ? same : false
  return found.constructor === wanted.constructor || (Array.isArray(found) && Array.isArray(wanted)) ? 'inside' : false
}

function testSame (found: unknown, wanted: unknown, { isFound, isWanted }: Presence): boolean | 'inside' {
  if (!isFound) return !isWanted
  if (!isWanted) return found === undefined
  if (typeof found === 'function' && typeof wanted === 'function') return found === wanted || (found.name === wanted.name && String(found) === String(wanted))
  if (typeof found === 'symbol' || typeof wanted === 'symbol') return typeof found === typeof wanted && String(found) === String(wanted)
  if (Object.is(found, wanted) || found === wanted) return true
  if (typeof found !== 'object' && typeof wanted !== 'object') return found == wanted // eslint-disable-line eqeqeq -- what is loose here
  if (found instanceof Date && wanted instanceof Date) return found.getTime() === wanted.getTime()
  if (valueOf(found) === valueOf(wanted) && found !== undefined && found !== null) return true
  if (!isObject(found) || !isObject(wanted)) return (found ?? undefined) === undefined && (wanted ?? undefined) === undefined
  if (found instanceof Error ? (given(wanted.message) && wanted.message !== found.message) || (given(wanted.name) && wanted.name !== found.name) : wanted instanceof Error) return false
  if ((found instanceof Set && !(wanted instanceof Set)) || (found instanceof Map && !(wanted instanceof Map)) || (isList(found) && !isList(wanted))) return false
  if (Buffer.isBuffer(found) && Buffer.isBuffer(wanted)) return found.equals(wanted)
  if (found instanceof RegExp && wanted instanceof RegExp) return found.source === wanted.source && found.flags === wanted.flags && found.lastIndex === wanted.lastIndex
  return 'inside'
}

const kinds = new Map<unknown, (found: unknown) => boolean>([
  [String, (found) => typeof found === 'string'],
  [Number, (found) => Number.isFinite(found)],
  [Boolean, (found) => typeof found === 'boolean'],
  [BigInt, (found) => typeof found === 'bigint'],
  [Symbol, (found) => typeof found === 'symbol'],
  [Function, (found) => typeof found === 'function'],
  [Object, (found) => isObject(found)],
  [Array, isList],
  [Buffer, (found) => Buffer.isBuffer(found)]
])

function testMatch (found: unknown, wanted: unknown): boolean | 'inside' {
  if ((found ?? undefined) === undefined || (wanted ?? undefined) === undefined || typeof wanted === 'symbol') return false
  if (wanted instanceof RegExp) return !(found instanceof RegExp) && wanted.test(String(found))
  if ((Buffer.isBuffer(found) && Buffer.isBuffer(wanted)) || (found instanceof Date && wanted instanceof Date)) return false
  if (typeof wanted === 'string' && wanted !== '' && typeof found === 'string') return found.includes(wanted)
  if (typeof wanted === 'string' && found instanceof Date) return found.getTime() === new Date(wanted).getTime()
  const isOfKind = kinds.get(wanted)
  if (isOfKind !== undefined) return isOfKind(found)
  if (typeof wanted === 'function') return isObject(found) && isObject(wanted.prototype) && found instanceof wanted
  if (!isObject(found) || !isObject(wanted)) return false
  if (!(found instanceof Error) && wanted instanceof Error) return false
  if (found instanceof Error && ['message', 'name'].some((key) => given(wanted[key]) && test(found[key as 'message' | 'name'], wanted[key], 'match', both) === false)) return false
  if ((found instanceof Set && !(wanted instanceof Set)) || (found instanceof Map && !(wanted instanceof Map))) return false
  return 'inside'
}

/** Of an error's own text and name only what is there counts. */
const given = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

function isObject (value: unknown): value is Thing {
  return typeof value === 'object' && value !== null
}

function valueOf (value: unknown): unknown {
  return typeof (value as Thing | null | undefined)?.valueOf === 'function' ? (value as Thing).valueOf() : value
}

/** Arrays and whatever else can be walked through. */
function isList (value: unknown): value is Thing & Iterable<unknown> {
  return isObject(value) && !(value instanceof Set) && !(value instanceof Map) && typeof value[Symbol.iterator] === 'function' &&
    !(typeof value.pipe === 'function' || typeof value.pipeTo === 'function' || (typeof value.write === 'function' && typeof value.end === 'function'))
}

function keysOf (value: Thing): PropertyKey[] {
  const keys = [...Object.keys(value), ...Object.getOwnPropertySymbols(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key))]
  return value instanceof Error ? [...['errors', 'cause'].filter((key) => Object.hasOwn(value, key) && !keys.includes(key)), ...keys] : keys
}
