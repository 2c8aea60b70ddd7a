import { type Wire } from '../service/api.js'
import { isRecord } from '../service/records.js'
import { attachmentsOf } from './message-wire.js'
import { emptyTurn, textOf, type CallPart, type Part, type Problem, type Turn, type TurnState, type UserMessage } from './turn.js'

/** A row of the transcript, and its index there. */
export interface StoredRow { index: number, message: Wire<'Message'> }

/** The key of the last message that only the summary covers, and the summary. */
export interface Anchor { key: NonNullable<Wire<'SessionDetail'>['compression_anchor_message_key']>, text: string }

const shortenedMark = /\n… \(shortened here; the whole result is in the full transcript\)$/
/** Other clients also write the file names into the text, for the model. */
const attachedMark = /\s*\[Attached files: [^\]]*\]\s*$/
const problemShape = /^\*\*([^*\n]+):\*\* ([\s\S]*?)(?:\n\n\*([\s\S]+)\*)?$/

/** Returns the summary of a session's earlier messages; null without one. */
export function anchorOf ({
  compression_anchor_message_key: key, compression_anchor_summary: text
}: Pick<Wire<'SessionDetail'>, 'compression_anchor_message_key' | 'compression_anchor_summary'>): Anchor | null {
  return key === null || text === null ? null : { key, text }
}

/**
 * Returns the exchanges of consecutive rows. The first may have begun before them. None of them runs, so calls without a result count as
 * abandoned.
 */
export function turnsOf (rows: readonly StoredRow[], anchor: Anchor | null = null): Turn[] {
  const groups: StoredRow[][] = []
  for (const row of rows) {
    const group = groups.at(-1)
    if (group === undefined || beginsTurn(row.message)) groups.push([row])
    else group.push(row)
  }
  return groups.flatMap((group) => turnOf(group, anchor) ?? [])
}

/**
 * Whether a message begins a turn. A note belongs to the turn that it was added to; the result of a scheduled job is a message of its own.
 */
function beginsTurn ({ role, _source: source }: Wire<'Message'>): boolean {
  return role === 'user' ? source !== 'steer' : role === 'assistant' && source === 'cron'
}

/** Returns the exchange of rows; null for no rows. */
function turnOf (rows: readonly StoredRow[], anchor: Anchor | null): Turn | null {
  const [first, last] = [rows[0], rows.at(-1)]
  if (first === undefined || last === undefined) return null
  const parts: Part[] = []
  let problem: Problem | null = null
  let summary: Turn['summary'] = null
  for (const row of rows) {
    const { message } = row
    if (message._error === true) problem = problemOf(textOf(message.content), message._errorAbout)
    else addRow(parts, message)
    if (anchor !== null && isAnchor(message, anchor.key)) summary = anchor.text
  }
  return {
    ...emptyTurn,
    messageIds: rows.map(({ message }) => message.message_id),
    firstIndex: first.index,
    endIndex: last.index + 1,
    user: first.message.role === 'user' && beginsTurn(first.message) ? userOf(first) : null,
    isCut: first.index > 0 && !beginsTurn(first.message),
    parts: parts.map((part) => part.kind === 'call' && part.state === 'running' ? { ...part, state: 'abandoned' } : part),
    state: stateOf(last.message, problem),
    startedAtS: first.message.timestamp,
    durationS: numberOf(last.message._turnDuration),
    model: typeof last.message._usedModel === 'string' ? last.message._usedModel : null,
    tokensPerSecond: numberOf(last.message._turnTps),
    problem,
    summary
  }
}

function addRow (parts: Part[], message: Wire<'Message'>): void {
  const text = textOf(message.content)
  if (message.role === 'user') {
    if (!beginsTurn(message)) parts.push({ kind: 'note', key: keyFor(parts, 'note'), text, isTaken: true })
  } else if (message.role === 'tool') addResult(parts, message, text)
  else if (message.role === 'assistant') {
    if (typeof message.reasoning === 'string' && message.reasoning.trim() !== '') {
      parts.push({ kind: 'reasoning', key: keyFor(parts, 'reasoning'), text: message.reasoning, isOpen: false })
    }
    if (text.trim() !== '') {
      const { finish_reason: reason, hint, _partial: partial } = message
      parts.push({
        kind: 'text', key: keyFor(parts, 'text'), text, isOpen: false, isPartial: partial === true,
        cut: reason === undefined ? null : { reason, hint: hint ?? null }
      })
    }
    for (const call of callsOf(message.tool_calls)) parts.push(call(callKey(parts, call.id)))
  }
}

/** Returns the key of the next part of a kind, by count: a live part and its stored twin have the same key. */
export function keyFor (parts: readonly Part[], kind: Exclude<Part['kind'], 'call'>): string {
  return `${kind}:${parts.reduce((count, part) => part.kind === kind ? count + 1 : count, 0)}`
}

/** Returns the key of a call, by its id. Some servers use the same id twice. */
export function callKey (parts: readonly Part[], id: string): string {
  const twins = parts.reduce((count, part) => part.kind === 'call' && part.id === id ? count + 1 : count, 0)
  return twins === 0 ? `call:${id}` : `call:${id}:${twins}`
}

export function newCall (key: string, id: string, name: string, args: Readonly<Record<string, unknown>>): CallPart {
  return {
    kind: 'call', key, id, name, args, preview: null, output: null, result: null, resultTruncated: false, durationS: null, state: 'running',
    startedAtS: null, foresight: null
  }
}

/**
 * Returns the call that a result is for: the last one with its id that has no result, else the last one with its id; undefined if there is
 * none.
 */
export function callOf (parts: readonly Part[], id: string): CallPart | undefined {
  const calls = parts.filter((part): part is CallPart => part.kind === 'call' && part.id === id)
  return calls.findLast(({ result }) => result === null) ?? calls.at(-1)
}

function addResult (parts: Part[], message: Wire<'Message'>, content: string): void {
  const id = message.tool_call_id ?? ''
  const found = callOf(parts, id)
  const before = found ?? newCall(callKey(parts, id), id, typeof message.name === 'string' ? message.name : '', {})
  const result = content.replace(shortenedMark, '')
  const call: CallPart = {
    ...before,
    state: message.is_error === true ? 'failed' : 'done',
    durationS: numberOf(message.duration),
    result,
    resultTruncated: result.length < content.length
  }
  if (found === undefined) parts.push(call)
  else parts[parts.indexOf(found)] = call
}

export function userOf ({ index, message }: StoredRow): UserMessage {
  const text = textOf(message.content)
  const attachments = attachmentsOf(message.attachments)
  return {
    messageId: message.message_id,
    index,
    text: attachments.length === 0 ? text : text.replace(attachedMark, ''),
    attachments,
    source: typeof message._source === 'string' ? message._source : null,
    atS: message.timestamp,
    state: 'stored'
  }
}

/** Returns a function for each call that creates its part once its key is known. */
function callsOf (calls: unknown): Array<((key: string) => CallPart) & { id: string }> {
  if (!Array.isArray(calls)) return []
  return calls.flatMap((call: unknown) => {
    if (!isRecord(call) || !isRecord(call.function)) return []
    const { id, function: { name, arguments: given } } = call
    if (typeof name !== 'string') return []
    const [callId, args] = [typeof id === 'string' ? id : '', argumentsOf(given)]
    return [Object.assign((key: string) => newCall(key, callId, name, args), { id: callId })]
  })
}

function argumentsOf (given: unknown): Record<string, unknown> {
  try {
    const args: unknown = typeof given === 'string' ? JSON.parse(given) : given
    return isRecord(args) ? args : {}
  } catch {
    return {}
  }
}

/** The `type` of a problem, by the label in its row. */
const typeOf: Readonly<Record<string, string>> = {
  Interrupted: 'interrupted', 'Not accepted': 'auth_mismatch', 'Model not found': 'model_not_found', 'Not allowed': 'mode_not_allowed',
  'Quota used up': 'quota_exhausted', 'Rate limit': 'rate_limit', 'No answer': 'no_response', 'Answer too long': 'answer_too_large'
}

/** Parses a row about a problem, whose text is written for people, into its parts. */
function problemOf (content: string, about: Problem['about']): Problem {
  const [, label = null, message = content, hint = null] = problemShape.exec(content) ?? []
  return { label, message, hint, type: typeOf[label ?? ''] ?? null, about }
}

function stateOf (last: Wire<'Message'>, problem: Problem | null): TurnState {
  if (last._error === true) return problem?.type === 'interrupted' ? 'interrupted' : 'failed'
  const isAnswer = last.role === 'assistant' && last._partial !== true && callsOf(last.tool_calls).length === 0
  return isAnswer ? 'completed' : 'cancelled'
}

/**
 * Whether a message is the anchor, by its key: the anchor's index counts from the first message, and a window of a long transcript does not
 * know how many come before it.
 */
function isAnchor ({ role, timestamp, content }: Wire<'Message'>, { role: anchorRole, ts, text }: Anchor['key']): boolean {
  return role === anchorRole && timestamp === ts &&
    (typeof content === 'string' ? content.replaceAll(/\s+/g, ' ').trim().slice(0, 160) : '') === text
}

function numberOf (value: unknown): number | null {
  return typeof value === 'number' ? value : null
}
