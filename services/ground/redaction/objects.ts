import { mask } from './find.js'
import { redact, redactOver } from './redaction.js'
import { isSecretOfKey } from './rules.js'

/** Keys whose texts are identifiers or paths, and are not masked. */
const kept = new Set([
  'id', 'message_id', 'tool_call_id', 'tool_use_id', 'call_id', 'tid', 'session_id', 'parent_session_id', 'project_id', 'stream_id',
  'workspace', 'worktree_path', 'path', 'role', 'type', 'model', 'mime'
])
/** Below these keys the content comes from a model, so the meaning of its keys is unknown. */
const ofTools = new Set(['args', 'input', 'arguments', 'todos'])

/**
 * Returns a copy of a JSON value with every text in it masked by `masked`, or the value itself if nothing was masked. An error with
 * something to mask becomes a plain object; other objects with a class of their own are left as they are.
 */
export function redactDeep<T> (value: T, masked: (text: string) => string = redact): T {
  return walk(value, { depth: 0, isOfTool: false, masked }) as T
}

/** Masks like {@link redactDeep}, and also hides what an earlier masked copy of the value hides. */
export function redactDeepOver<T> (value: T, before: unknown): T {
  const earlier = earlierMasks(value, before)
  return redactDeep(value, (text) => {
    const shown = earlier.get(text)
    return shown === undefined ? redact(text) : redactOver(text, shown)
  })
}

/** Returns the texts of a value that an earlier masked copy shows in another way, with what it shows. */
export function earlierMasks (value: unknown, before: unknown, earlier = new Map<string, string>()): Map<string, string> {
  if (typeof value === 'string') {
    if (typeof before === 'string' && before !== value) earlier.set(value, before)
  } else if (typeof value === 'object' && value !== null && typeof before === 'object' && before !== null && before !== value) {
    for (const [key, item] of Object.entries(value)) earlierMasks(item, (before as Record<string, unknown>)[key], earlier)
  }
  return earlier
}

/** Returns the texts that {@link redactDeep} searches, each once. */
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

/** Whether an object is like `{ name: 'DB_PASSWORD', value: '…' }`, as in containers and forms. */
function isValueOfSecret ({ name, value }: { name?: unknown, value?: unknown }): boolean {
  return typeof name === 'string' && typeof value === 'string' && isSecretOfKey(name, value)
}

/** Includes the fields of an error that a log shows but that are not enumerable. */
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
