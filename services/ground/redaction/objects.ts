import { mask } from './find.js'
import { redact, redactOver } from './redaction.js'
import { isSecretOfKey } from './rules.js'

/** Keys whose texts are identifiers or places: they stay as they are. */
const kept = new Set([
  'id', 'message_id', 'tool_call_id', 'tool_use_id', 'call_id', 'tid', 'session_id', 'parent_session_id', 'project_id', 'stream_id',
  'workspace', 'worktree_path', 'path', 'role', 'type', 'model', 'mime'
])
/** Below these stands what a model has made up: no key means what it is called. */
const ofTools = new Set(['args', 'input', 'arguments', 'todos'])

/**
 * A copy of a JSON value with every text in it redacted, or the value itself when nothing had to be masked. An error with
 * something to mask becomes a plain object; other objects with a class of their own are not looked into. `masked`: what becomes
 * of a text.
 */
export function redactDeep<T> (value: T, masked: (text: string) => string = redact): T {
  return walk(value, { depth: 0, isOfTool: false, masked }) as T
}

/** What {@link redactDeep} makes of a value of which there is a masked copy: what that hides stays hidden. */
export function redactDeepOver<T> (value: T, before: unknown): T {
  const earlier = new Map<string, string>()
  findMasked(value, before, earlier)
  return redactDeep(value, (text) => {
    const shown = earlier.get(text)
    return shown === undefined ? redact(text) : redactOver(text, shown)
  })
}

function findMasked (value: unknown, before: unknown, earlier: Map<string, string>): void {
  if (typeof value === 'string') {
    if (typeof before === 'string' && before !== value) earlier.set(value, before)
  } else if (typeof value === 'object' && value !== null && typeof before === 'object' && before !== null) {
    for (const [key, item] of Object.entries(value)) findMasked(item, (before as Record<string, unknown>)[key], earlier)
  }
}

/** The texts that {@link redactDeep} looks through, each once. */
export function textsIn (value: unknown): string[] {
  const texts = new Set<string>()
  redactDeep(value, (text) => {
    texts.add(text)
    return text
  })
  return [...texts]
}

const deepest = 50

interface Place { depth: number, isOfTool: boolean, masked: (text: string) => string }

function walk (value: unknown, place: Place): unknown {
  if (typeof value === 'string') return place.masked(value)
  if (typeof value !== 'object' || value === null || place.depth > deepest) return value
  const below = { ...place, depth: place.depth + 1 }
  if (Array.isArray(value)) {
    const items = value.map((item) => walk(item, below))
    return items.some((item, index) => item !== value[index]) ? items : value
  }
  if (value instanceof Error) return error(value, below)
  if (![Object.prototype, null].includes(Object.getPrototypeOf(value))) return value
  let changed = false
  const copy: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) {
    copy[key] = key === 'value' && isValueOfSecret(value)
      ? mask
      : entry(key, item, { ...below, isOfTool: place.isOfTool || ofTools.has(key) })
    changed ||= copy[key] !== item
  }
  return changed ? copy : value
}

/** `{ name: 'DB_PASSWORD', value: '…' }`, as containers and forms have it. */
function isValueOfSecret ({ name, value }: { name?: unknown, value?: unknown }): boolean {
  return typeof name === 'string' && typeof value === 'string' && isSecretOfKey(name, value)
}

/** What a log shows of an error is not enumerable. */
function error (value: Error, place: Place): unknown {
  const { name: type, message, stack, ...own } = Object.assign({ name: value.name, message: value.message, stack: value.stack }, value)
  const plain = { type, message, stack, ...(value.cause === undefined ? {} : { cause: value.cause }), ...own }
  const copy = walk(plain, place)
  return copy === plain ? value : copy
}

function entry (key: string, item: unknown, place: Place): unknown {
  if (typeof item !== 'string') return walk(item, place)
  if (kept.has(key) && !place.isOfTool) return item
  return isSecretOfKey(key, item) ? mask : place.masked(item)
}
