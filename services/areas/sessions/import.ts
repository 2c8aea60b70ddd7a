import { withAttachmentNames, withoutAttachmentNames } from '../../ground/attachment-names.js'
import { Invalid } from '../../ground/errors.js'
import { fieldsOf, isRecord } from '../../ground/fields.js'
import { beyondLimits, mostLevels } from '../../ground/text/json.js'
import { resultFor } from '../../ground/quoted-material.js'
import { isOneOf } from '../../ground/one-of.js'
import { beginningOf } from '../../ground/redaction/index.js'
import { withoutUnseenWords } from '../../ground/text/visible.js'
import { parseJson } from '../../ground/text/parse-json.js'
import { cardFields, messageFields, type WireCard, type WireMessage } from './message-fields.js'
import { textOf } from './message-text.js'
import { type RawMessage } from './transcript-writes.js'

interface WireCall { id?: unknown, call_id?: unknown, function?: { name?: unknown, arguments?: unknown } }

const roles = ['user', 'assistant', 'tool', 'system'] as const
const maxMessages = 200_000
/** The limit of parts, calls or files in one message, which is processed without a pause. */
const maxParts = 2_000
/** Epoch seconds, in the year 5138. */
const latestS = 1e11

/**
 * What an import leaves out: the number of messages with the role `system`, and of texts for the model that no reader of the conversation
 * would see.
 */
export interface LeftOut { system: number, context: number }

/**
 * Makes rows of an import from messages in chat-completions form, of this service or of any other program. `toolCalls` are the cards. What
 * the model is told later is derived from what is shown, and from nothing else: `context`, which an export says of it, is only compared.
 * Throws Invalid.
 */
export function importedRows (
  { messages, toolCalls, context = [] }: { messages: unknown[], toolCalls: unknown[], context?: unknown[] | undefined }, nowS: number
): { rows: RawMessage[], leftOut: LeftOut } {
  if (messages.length > maxMessages) throw new Invalid(`messages: at most ${maxMessages} at once`)
  const read = messages.map(checked)
  const shown = read.filter(({ role }) => role !== 'system')
  const cards = new Map(toolCalls.filter(isRecord).map((card) => [String(card.tid ?? ''), card]))
  const owners = new Map<string, { position: number, call: ImportedCall }>()
  let different = 0
  const rows = shown.map(({ message, role, content, at }, position): RawMessage => {
    // A message with a time in the future would stay at the top for ever.
    const createdAtS = Math.min(seconds(message._ts) ?? seconds(message.timestamp) ?? nowS, nowS)
    const body = { ...messageFields(message), role, content, timestamp: createdAtS, _ts: createdAtS }
    const calls = answered(callsOf(message, position), shown, position)
    for (const call of calls) owners.set(call.id, { position, call })
    const callId = callIdOf(message)
    const owner = owners.get(callId)
    const isTool = role === 'tool'
    const replay = withoutUnseen(replayOf(message, calls, owner?.call))
    // In an export, the context of a job's result differs from the derived one only in the name of the job.
    if (context.length === messages.length && !isJobResult(message) && textOfReplay(context[at]) !== textOfReplay(replay)) different++
    return {
      role,
      body,
      createdAtS,
      counted: !isTool && !(message._partial === true && textOf(content).trim() === ''),
      replay,
      ...(isTool ? { card: cardOf(cards.get(callId), message, callId, owner), assistantPosition: owner?.position ?? -1 } : {})
    }
  })
  dropLostResults(rows)
  return { rows, leftOut: { system: read.length - shown.length, context: different } }
}

interface CheckedMessage extends Pick<WireMessage, 'role' | 'content'> { message: Record<string, unknown>, at: number }

function checked (message: unknown, at: number): CheckedMessage {
  if (!isRecord(message)) throw new Invalid(`messages[${at}] must be an object`)
  const { role } = message
  const content = partsOf(message.content)
  if (!isOneOf(roles, role)) throw new Invalid(`messages[${at}].role must be user, assistant, tool or system`)
  if (typeof content !== 'string' && !(Array.isArray(content) && content.every(isRecord)) && content !== null) {
    throw new Invalid(`messages[${at}].content must be a text or a list of parts`)
  }
  for (const [key, list] of Object.entries({ content, tool_calls: message.tool_calls, attachments: message.attachments })) {
    if (Array.isArray(list) && list.length > maxParts) throw new Invalid(`messages[${at}].${key}: at most ${maxParts} in one message`)
  }
  return { message, role, content: content ?? '', at }
}

/** A bare text among parts is turned into a part. */
const partsOf = (content: unknown): unknown => Array.isArray(content)
  ? content.map((part: unknown) => typeof part === 'string' ? { type: 'text', text: part } : part)
  : content ?? ''

/**
 * Returns the calls of a message whose results follow directly behind it, each id once. The others have no card on which anybody would see
 * them, and providers do not accept results that come later.
 */
function answered (calls: ImportedCall[], shown: readonly CheckedMessage[], position: number): ImportedCall[] {
  const ids = new Set<string>()
  for (let at = position + 1; calls.length > 0; at++) {
    const next = shown[at]
    if (next?.role !== 'tool') break
    ids.add(callIdOf(next.message))
  }
  return calls.filter(({ id }) => ids.delete(id))
}

const callIdOf = (message: Record<string, unknown>): string => String(message.tool_call_id ?? message.tool_use_id ?? '')

/** Returns all that a model would read of a message; empty if the value is not a message. */
function textOfReplay (replay: unknown): string {
  if (!isRecord(replay)) return ''
  const { content } = replay
  if (!Array.isArray(content)) return textOf(content)
  return content.filter(isRecord).map(({ type, text, input, output }) =>
    type === 'text' ? text : type === 'tool-call' ? JSON.stringify(input) : isRecord(output) ? output.value : '').join('')
}

/** Providers refuse a result whose call is not in the step before it, and one that occurs twice: these are not shown to the model. */
function dropLostResults (rows: RawMessage[]): void {
  let open = new Set<unknown>()
  for (const row of rows) {
    const { role, content } = fieldsOf(row.replay)
    const parts = Array.isArray(content) ? content.map(fieldsOf) : []
    if (role === 'assistant') open = new Set(parts.filter((part) => part.type === 'tool-call').map((part) => part.toolCallId))
    if (role === 'tool' && !parts.every((part) => part.type === 'tool-result' && open.delete(part.toolCallId))) row.replay = null
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'

/**
 * A card shows what the model is told of the call: its arguments and the beginning of its result, whatever the imported card says.
 */
function cardOf (
  card: Record<string, unknown> | undefined, message: Record<string, unknown>, callId: string,
  owner: { position: number, call: ImportedCall } | undefined
): WireCard {
  const args = Object.entries(owner?.call.input ?? {}).map(([name, value]): [string, string] =>
    [name, typeof value === 'string' ? value : JSON.stringify(value) ?? ''])
  return {
    ...cardFields(card),
    name: owner?.call.name ?? (typeof message.name === 'string' ? message.name : 'tool'),
    snippet: beginningOf(textOf(message.content), 4_000),
    tid: callId,
    assistant_msg_idx: owner?.position ?? -1,
    args: Object.fromEntries(args)
  }
}

const isJobResult = ({ role, _source: source }: Record<string, unknown>): boolean => role === 'assistant' && source === 'cron'

function withoutUnseen (replay: unknown): unknown {
  const text = JSON.stringify(replay)
  const seen = withoutUnseenWords(text)
  return seen === text ? replay : JSON.parse(seen)
}

/** Returns what the model is shown for a message, derived from the message itself. `answers`: the call whose result it is. */
function replayOf (message: Record<string, unknown>, calls: ImportedCall[], answers: ImportedCall | undefined): unknown {
  const text = textOf(message.content)
  if (message._error === true) return null
  // Results of jobs are shown as answers, but the model gets them as messages of the user.
  if (isJobResult(message)) return text === '' ? null : { role: 'user', content: [{ type: 'text', text: resultFor({ job: '', text }) }] }
  if (message.role === 'user') {
    const files = filesOf(message)
    const told = withAttachmentNames(files.length === 0 ? text : withoutAttachmentNames(text), files)
    return told === '' ? null : { role: 'user', content: [{ type: 'text', text: told }] }
  }
  if (message.role === 'tool') {
    if (answers === undefined) return null
    return {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: answers.told.id, toolName: answers.told.name, output: { type: 'text', value: text } }]
    }
  }
  const { reasoning } = message
  const content = [
    ...(typeof reasoning === 'string' && reasoning !== '' ? [{ type: 'reasoning', text: reasoning }] : []),
    ...(text === '' ? [] : [{ type: 'text', text }]),
    ...calls.map(({ told: { id, name }, input }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input }))
  ]
  return content.every(({ type }) => type === 'reasoning') ? null : { role: 'assistant', content }
}

/** A folder that tells nothing but where its file is. */
const plainFolder = /^[\w./-]{0,100}$/

/** Returns the files that are shown at a message, by name or path. The model is told the path only if the name shown is the end of it. */
function filesOf ({ attachments }: Record<string, unknown>): Array<{ name: string, path?: string }> {
  if (!Array.isArray(attachments)) return []
  return attachments.flatMap((file: unknown) => {
    const { name, filename, path } = isRecord(file) ? file : { name: file }
    const shown = [name, filename, path].find((text) => isText(text) && text !== '')
    if (!isText(shown)) return []
    const isTold = isText(path) && (path === shown || (path.endsWith(`/${shown}`) && plainFolder.test(path.slice(0, -shown.length))))
    return [{ name: shown, ...(isTold ? { path } : {}) }]
  })
}

/** `told`: in the form that providers accept. Ids are not shown to anybody, so that one is generated. */
interface ImportedCall { id: string, name: string, input: Record<string, unknown>, told: { id: string, name: string } }

function callsOf ({ role, tool_calls: calls }: Record<string, unknown>, position: number): ImportedCall[] {
  if (role !== 'assistant' || !Array.isArray(calls)) return []
  return calls.filter(isRecord).flatMap((call: WireCall, index) => {
    const id = call.id ?? call.call_id
    if (typeof id !== 'string' || !isRecord(call.function) || typeof call.function.name !== 'string') return []
    const { name } = call.function
    return [{
      id, name, input: parsed(call.function.arguments),
      told: { id: `call_${position}_${index}`, name: name.replaceAll(/[^\w-]/g, '_').slice(0, 64) }
    }]
  })
}

function parsed (value: unknown): Record<string, unknown> {
  if (typeof value !== 'string') return fieldsOf(value)
  // Deeper ones could be parsed, but not serialised again.
  if (beyondLimits(Buffer.from(value), { levels: mostLevels, values: Infinity }) !== null) return {}
  return fieldsOf(parseJson(value))
}

function seconds (value: unknown): number | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) return undefined
  // Some programs count milliseconds; read as seconds, they would stay at the top for ever.
  return value > latestS ? value / 1000 : value
}
