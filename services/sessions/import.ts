import { Invalid } from '../ground/errors.js'
import { beyondLimits, mostLevels } from '../ground/json.js'
import { beginningOf } from '../ground/redaction/index.js'
import { textOf } from './message-text.js'
import { type RawMessage } from './transcript.js'

interface WireCall { id?: unknown, call_id?: unknown, function?: { name?: unknown, arguments?: unknown } }

const roles = new Set(['user', 'assistant', 'tool', 'system'])
const maxMessages = 200_000
/** In the year 5138. */
const latestS = 1e11

/**
 * Rows of an import, from messages in chat-completions form: ours, or anybody's. `toolCalls` are the cards, `context` what
 * the model is to be shown for each message; both are made up for where they are missing. Throws Invalid.
 */
export function importedRows ({ messages, toolCalls, context }: { messages: unknown[], toolCalls: unknown[], context: unknown[] | undefined }, nowS: number): RawMessage[] {
  if (messages.length > maxMessages) throw new Invalid(`messages: at most ${maxMessages} at once`)
  const cards = new Map(toolCalls.filter(isObject).map((card) => [String(card.tid ?? ''), card]))
  const owners = new Map<string, number>()
  const exact = context !== undefined && context.length === messages.length ? context : undefined
  const rows = messages.map((message, position): RawMessage => {
    if (!isObject(message)) throw new Invalid(`messages[${position}] must be an object`)
    const { role, content = '' } = message
    if (typeof role !== 'string' || !roles.has(role)) throw new Invalid(`messages[${position}].role must be user, assistant, tool or system`)
    if (typeof content !== 'string' && !(Array.isArray(content) && content.every(isObject)) && content !== null) {
      throw new Invalid(`messages[${position}].content must be a text or a list of parts`)
    }
    // What claims to come from the future would stand above everything for ever.
    const createdAtS = Math.min(seconds(message._ts) ?? seconds(message.timestamp) ?? nowS, nowS)
    const body = { ...knownOf(message), role, content: content ?? '', timestamp: createdAtS, _ts: createdAtS }
    const calls = callsOf(message)
    for (const call of calls) owners.set(call.id, position)
    const callId = String(message.tool_call_id ?? message.tool_use_id ?? '')
    const isTool = role === 'tool'
    return {
      role,
      body,
      createdAtS,
      counted: !isTool && !(message._partial === true && textOf(content).trim() === ''),
      replay: exact === undefined ? replayOf(message, calls) : replayOrNull(exact[position], { role, source: message._source }),
      ...(isTool ? { card: cardOf(cards.get(callId), message, callId, owners.get(callId) ?? -1), assistantPosition: owners.get(callId) ?? -1 } : {})
    }
  })
  dropLostResults(rows)
  return rows
}

/** Providers refuse a result whose call does not stand in the step before it, and one that comes twice: the model is not shown those. */
function dropLostResults (rows: RawMessage[]): void {
  let open = new Set<unknown>()
  for (const row of rows) {
    const { role, content } = (row.replay ?? {}) as { role?: string, content?: Array<{ type: string, toolCallId?: unknown }> }
    if (role === 'assistant') open = new Set(content!.filter((part) => part.type === 'tool-call').map((part) => part.toolCallId))
    if (role === 'tool' && !content!.every((part) => part.type === 'tool-result' && open.delete(part.toolCallId))) row.replay = null
  }
}

/** Which values the known keys of something may have. */
type Kinds = Record<string, (value: unknown) => boolean>

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): boolean => typeof value === 'string'
const isNumber = (value: unknown): boolean => typeof value === 'number'
const isFlag = (value: unknown): boolean => typeof value === 'boolean'
const messageKinds: Kinds = {
  tool_calls: (value) => Array.isArray(value) && value.every(isObject),
  attachments: Array.isArray,
  reasoning: isText,
  name: isText,
  tool_call_id: isText,
  tool_use_id: isText,
  finish_reason: isText,
  hint: isText,
  duration: isNumber,
  is_error: isFlag,
  _source: isText,
  _usedModel: isText,
  _usedProvider: isText,
  _turnTps: isNumber,
  _turnDuration: isNumber,
  _firstTokenMs: isNumber,
  _partial: isFlag,
  _error: isFlag,
  _unreadable: isFlag,
  // No turn runs in what is brought in.
  _active_turn_user: () => false
}
const callKinds: Kinds = { id: isText, type: isText, function: isObject }
const functionKinds: Kinds = { name: isText, arguments: (value) => isText(value) || isObject(value) }
const attachmentKinds: Kinds = {
  name: isText, path: isText, mime: (value) => value === null || isText(value), size: (value) => value === null || isNumber(value), is_image: isFlag
}
const cardKinds: Kinds = { duration: isNumber, is_error: isFlag, done: isFlag }

/** Clients that know a key rely on what it holds: one that holds something else is left out. */
function ofKnownKinds (value: Record<string, unknown>, kinds: Kinds): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([key, item]) => kinds[key]?.(item) ?? true))
}

function knownOf (message: Record<string, unknown>): Record<string, unknown> {
  const { tool_calls: calls, attachments, ...known } = ofKnownKinds(message, messageKinds)
  return {
    ...known,
    ...(Array.isArray(calls) && { tool_calls: calls.map((call) => callOf(ofKnownKinds(call as Record<string, unknown>, callKinds))) }),
    ...(Array.isArray(attachments) && { attachments: attachments.filter((file) => isText(file) || isObject(file)).map((file) => isObject(file) ? ofKnownKinds(file, attachmentKinds) : file) })
  }
}

function callOf (call: Record<string, unknown>): Record<string, unknown> {
  return isObject(call.function) ? { ...call, function: ofKnownKinds(call.function, functionKinds) } : call
}

function cardOf (card: Record<string, unknown> | undefined, message: Record<string, unknown>, callId: string, owner: number): Record<string, unknown> {
  const args = isObject(card?.args) ? Object.fromEntries(Object.entries(card.args).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value) ?? ''])) : {}
  return {
    ...ofKnownKinds(card ?? {}, cardKinds),
    name: typeof card?.name === 'string' ? card.name : typeof message.name === 'string' ? message.name : 'tool',
    snippet: typeof card?.snippet === 'string' ? card.snippet : beginningOf(textOf(message.content), 4_000),
    tid: callId,
    assistant_msg_idx: owner,
    args
  }
}

/** What the model is shown for a message, as far as the message itself tells. */
function replayOf (message: Record<string, unknown>, calls: Array<{ id: string, name: string, input: unknown }>): unknown {
  const text = textOf(message.content)
  if (message._error === true || message.role === 'system') return null
  if (message.role === 'user') return text === '' ? null : { role: 'user', content: [{ type: 'text', text }] }
  if (message.role === 'tool') {
    const toolCallId = String(message.tool_call_id ?? message.tool_use_id ?? '')
    if (toolCallId === '') return null
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: typeof message.name === 'string' ? message.name : 'tool', output: { type: 'text', value: text } }] }
  }
  const content = [
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ id, name, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input }))
  ]
  return content.length === 0 ? null : { role: 'assistant', content }
}

/** An exported replay is taken when it is one; whatever else stands there is not put before a model. Results of jobs are shown as answers, and are none to the model. */
function replayOrNull (replay: unknown, { role, source }: { role: string, source: unknown }): unknown {
  const isFitting = isObject(replay) && (replay.role === role || (replay.role === 'user' && role === 'assistant' && source === 'cron'))
  return isFitting && Array.isArray(replay.content) && replay.content.every((part) => isObject(part) && typeof part.type === 'string') ? replay : null
}

function callsOf ({ role, tool_calls: calls }: Record<string, unknown>): Array<{ id: string, name: string, input: unknown }> {
  if (role !== 'assistant' || !Array.isArray(calls)) return []
  return calls.filter(isObject).flatMap((call: WireCall) => {
    const id = call.id ?? call.call_id
    if (typeof id !== 'string' || !isObject(call.function) || typeof call.function.name !== 'string') return []
    return [{ id, name: call.function.name, input: parsed(call.function.arguments) }]
  })
}

function parsed (value: unknown): unknown {
  if (typeof value !== 'string') return isObject(value) ? value : {}
  // Deeper ones could be read, and not be written again.
  if (beyondLimits(Buffer.from(value), { levels: mostLevels, values: Infinity }) !== null) return {}
  try {
    const input: unknown = JSON.parse(value)
    return isObject(input) ? input : {}
  } catch {
    return {}
  }
}

function seconds (value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined
  // Some programs count milliseconds; as seconds they would stand above everything for ever.
  return value > latestS ? value / 1000 : value
}
