import { type Static } from '@sinclair/typebox'
import { type Message, type ToolCard } from '../../../schemas/sessions-messages.js'
import { isRecord } from '../../ground/fields.js'

export type WireMessage = Static<typeof Message>
export type WireCard = Static<typeof ToolCard>

/** A message without its role, content, id and times. */
export type MessageFields = Omit<WireMessage, 'role' | 'content' | 'message_id' | 'timestamp' | '_ts'>

/** Returns the value if it is of the right kind. */
type FieldReader<T> = (value: unknown) => T | undefined
/** One reader for each key of the interface: a missing key does not compile. */
type Readers<T> = { [Key in keyof T]-?: FieldReader<Exclude<T[Key], undefined>> }

const text: FieldReader<string> = (value) => typeof value === 'string' ? value : undefined
const number: FieldReader<number> = (value) => typeof value === 'number' ? value : undefined
const flag: FieldReader<boolean> = (value) => typeof value === 'boolean' ? value : undefined
const record: FieldReader<Record<string, unknown>> = (value) => isRecord(value) ? value : undefined
const orNull = <T>(read: FieldReader<T>): FieldReader<T | null> => (value) => value === null ? null : read(value)
const either = <One, Other>(one: FieldReader<One>, other: FieldReader<Other>): FieldReader<One | Other> =>
  (value) => one(value) ?? other(value)
const list = <T>(read: FieldReader<T>): FieldReader<T[]> => (value) =>
  Array.isArray(value) ? value.map(read).filter((item) => item !== undefined) : undefined

const object = <T>(readers: Readers<T>): FieldReader<Partial<T>> => (value) => {
  if (!isRecord(value)) return undefined
  const kept: Partial<T> = {}
  for (const key in readers) {
    const item = value[key] === undefined ? undefined : readers[key](value[key])
    if (item !== undefined) kept[key] = item
  }
  return kept
}

type FieldItem<Key extends 'tool_calls' | 'attachments' | '_partial_tool_calls'> = Exclude<NonNullable<WireMessage[Key]>[number], string>

const args = either(text, record)
const called = object<NonNullable<FieldItem<'tool_calls'>['function']>>({ name: text, arguments: args })
const call = object<FieldItem<'tool_calls'>>({ id: text, call_id: text, type: text, function: called, name: text, args })
const file = object<FieldItem<'attachments'>>({
  name: text, filename: text, path: text, mime: orNull(text), size: orNull(number), is_image: flag
})
const partialCall = object<FieldItem<'_partial_tool_calls'>>({
  name: text, tid: text, args, snippet: text, done: flag, is_error: flag, duration: number
})
const named = object<NonNullable<WireMessage['_errorAbout']>>({ provider: text, model: text })
const about: FieldReader<NonNullable<WireMessage['_errorAbout']>> = (value) => {
  const { provider, model } = named(value) ?? {}
  return provider === undefined ? undefined : { provider, ...(model !== undefined && { model }) }
}
const message = object<MessageFields>({
  tool_calls: list(call),
  reasoning: text,
  attachments: list(either(text, file)),
  tool_call_id: text,
  name: text,
  is_error: flag,
  duration: number,
  finish_reason: text,
  hint: text,
  _source: text,
  // No turn runs in an imported session.
  _active_turn_user: () => undefined,
  _partial: flag,
  _error: flag,
  _errorAbout: about,
  _unreadable: flag,
  _usedModel: text,
  _usedProvider: text,
  _turnDuration: number,
  _turnTps: number,
  _firstTokenMs: number,
  id: text,
  tool_use_id: text,
  reasoning_content: text,
  thinking: text,
  _reasoning: text,
  provider_details: text,
  provider_details_label: text,
  _partial_tool_calls: list(partialCall),
  _recovered: flag,
  _pending_journal_recovery: flag,
  _gatewayRouting: record,
  _compressionRecovery: record,
  _statusCard: record,
  _anchor_activity_scene: record
})
const card = object<Pick<WireCard, 'is_error' | 'done' | 'duration'>>({ is_error: flag, done: flag, duration: number })

/** Returns the fields of an imported message that the interface has, if they are of the right kind. */
export const messageFields = (value: unknown): MessageFields => message(value) ?? {}

/** Returns the fields of an imported card that cannot be derived from its message. */
export const cardFields = (value: unknown) => card(value) ?? {}

/** Returns a stored message without the keys that the interface does not have. */
export const closedMessage = (value: Record<string, unknown>): Record<string, unknown> =>
  ({ ...picked(value, ['role', 'content', 'message_id', 'timestamp', '_ts']), ...messageFields(value) })

/** Returns a stored card without the keys that the interface does not have. */
export const closedCard = (value: Record<string, unknown>): Record<string, unknown> =>
  ({ ...picked(value, ['name', 'snippet', 'tid', 'assistant_msg_idx', 'args']), ...cardFields(value) })

const picked = (value: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(keys.filter((key) => Object.hasOwn(value, key)).map((key) => [key, value[key]]))
