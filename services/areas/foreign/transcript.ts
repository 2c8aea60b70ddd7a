import { type ModelMessage } from '../../agent/protocol.js'
import { answerLimits, isDeeperThan } from '../../providers/index.js'
import { cardArgs, cardSnippet, type WireCard, type WireMessage } from '../sessions/index.js'
import { asEntry, RecentKeys, type Fact, type ForeignCall } from './facts.js'
import { beginningOf } from '../../ground/redaction/index.js'

/** All by position: JSON texts of the wire's messages, whether windows count them, and what a model is shown for them. */
export interface ForeignTranscript {
  messages: string[]
  counted: boolean[]
  /** AI SDK messages that later turns replay; null for nothing from this row. */
  replay: Array<ModelMessage | null>
  /** JSON texts of the session-level `tool_calls`, in the order of the results; `assistant_msg_idx` is absolute. */
  toolCalls: string[]
}

interface Call { id: string, name: string, args: Record<string, unknown>, argsText: string }
interface UserRow { role: 'user', text: string }
interface AnswerRow { role: 'assistant', texts: string[], reasonings: string[], calls: Call[], isError: boolean }
interface ResultRow { role: 'tool', callId: string, text: string, isError: boolean, call: Call | null, answeredAt: number }
type Row = (UserRow | AnswerRow | ResultRow) & { uuid?: string, atS: number, position: number }

/** A longer result is cut. */
const maxResultChars = 100_000
/** How much text is assembled before other work gets its turn. */
const charsPerStretch = 64 * 1024

/** Builds rows from the facts of one file. `atS`: the time of rows before the first known time. */
export class TranscriptBuilder {
  readonly #id: string
  readonly #rows: Row[] = []
  readonly #answers = new RecentKeys<Row & AnswerRow>()
  readonly #calls = new Map<string, { call: Call, position: number }>()
  readonly #callIds = new Map<string, number>()
  #atS: number

  constructor ({ id, atS }: { id: string, atS: number }) {
    this.#id = id
    this.#atS = atS
  }

  take (fact: Fact): void {
    if ('atS' in fact && fact.atS !== undefined) this.#atS = fact.atS
    const origin = { uuid: 'uuid' in fact ? fact.uuid : undefined, atS: this.#atS, position: this.#rows.length }
    if (fact.t === 'user') this.#rows.push({ role: 'user', text: fact.text, ...origin })
    if (fact.t === 'answer') this.#answer(fact, origin)
    if (fact.t === 'result') {
      const made = this.#calls.get(fact.callId)
      this.#rows.push({
        role: 'tool', callId: fact.callId, text: shortened(fact.text), isError: fact.isError,
        call: made?.call ?? null, answeredAt: made?.position ?? -1, ...origin
      })
    }
  }

  #answer (fact: Extract<Fact, { t: 'answer' }>, origin: Pick<Row, 'uuid' | 'atS' | 'position'>): void {
    let row = this.#answers.get(fact.answer)
    if (row === undefined) {
      row = { role: 'assistant', texts: [], reasonings: [], calls: [], isError: false, ...origin }
      this.#answers.set(fact.answer, row)
      this.#rows.push(row)
    }
    if (fact.text !== undefined) row.texts.push(fact.text)
    if (fact.reasoning !== undefined) row.reasonings.push(fact.reasoning)
    if (fact.isError === true) row.isError = true
    // The same call appears twice if a front end writes an answer again.
    if (fact.call === undefined || this.#calls.get(fact.call.id)?.position === row.position) return
    const call = callOf(fact.call, this.#callIds)
    row.calls.push(call)
    this.#calls.set(fact.call.id, { call, position: row.position })
  }

  /** Awaits `pause` periodically. */
  async finish (pause: () => Promise<unknown>): Promise<ForeignTranscript> {
    const made: ForeignTranscript = { messages: [], counted: [], replay: [], toolCalls: [] }
    const used = new Set<string>()
    let step: Step = { calls: [], open: new Set() }
    let chars = 0
    for (const row of this.#rows) {
      if (row.role !== 'tool') step = this.#stepOf(row)
      const message = JSON.stringify(wireOf(row, this.#messageId(row, used)))
      made.messages.push(message)
      made.counted.push(row.role !== 'tool')
      made.replay.push(replayOf(row, step))
      const card = row.role === 'tool' ? cardOf(row) : null
      if (card !== null) made.toolCalls.push(JSON.stringify(card))
      chars += message.length
      if (chars < charsPerStretch && row.position % 500 !== 499) continue
      chars = 0
      await pause()
    }
    return made
  }

  /** Returns the calls of a row that have a result among the tool rows directly after it: providers accept no others. */
  #stepOf (row: Row): Step {
    if (row.role !== 'assistant') return { calls: [], open: new Set() }
    const answered = new Set<Call | null>()
    for (let at = row.position + 1, next = this.#rows[at]; next?.role === 'tool'; next = this.#rows[++at]) answered.add(next.call)
    const calls = row.calls.filter((call) => answered.has(call))
    return { calls, open: new Set(calls) }
  }

  #messageId ({ uuid, position }: Row, used: Set<string>): string {
    const own = `${this.#id}-${position}`
    let id = uuid !== undefined && /^[\w.-]{1,100}$/.test(uuid) ? uuid : own
    for (let copy = 1; used.has(id); copy++) id = copy === 1 ? own : `${own}-${copy}`
    used.add(id)
    return id
  }
}

/** `open`: calls whose result has not been replayed yet. */
interface Step { calls: Call[], open: Set<Call> }

/** Makes ids and names acceptable to every provider, and ids unique; `taken`: used ids, and how often each was requested. */
function callOf ({ id, name, args }: ForeignCall, taken: Map<string, number>): Call {
  const plain = plainName(id).slice(0, 50)
  let copy = taken.get(plain) ?? 0
  let own = plain
  while (taken.has(own)) own = `${plain}_${++copy + 1}`
  taken.set(plain, copy)
  if (own !== plain) taken.set(own, 0)
  return { id: own, name: plainName(name).slice(0, 64), ...argsOf(args) }
}

const plainName = (text: string): string => text.replaceAll(/[^\w-]/g, '_')

function argsOf (given: unknown): Pick<Call, 'args' | 'argsText'> {
  try {
    const value: unknown = typeof given === 'string' ? JSON.parse(given) : given
    if (isDeeperThan(value, answerLimits.depth)) return { args: {}, argsText: '{}' }
    const args = asEntry(value) ?? (value == null ? {} : { input: value })
    return { args, argsText: JSON.stringify(args) }
  } catch {
    // Not JSON.
    const args = typeof given === 'string' ? { input: given } : {}
    return { args, argsText: JSON.stringify(args) }
  }
}

function wireOf (row: Row, messageId: string): WireMessage {
  const head = { message_id: messageId, timestamp: row.atS, _ts: row.atS }
  if (row.role === 'user') return { role: row.role, content: row.text, ...head }
  if (row.role === 'tool') {
    return {
      role: row.role, content: row.text, ...head, tool_call_id: row.call?.id ?? row.callId, name: row.call?.name ?? 'tool',
      ...(row.isError ? { is_error: true } : {})
    }
  }
  return {
    role: row.role, content: row.texts.join('\n\n'), ...head,
    ...(row.reasonings.length === 0 ? {} : { reasoning: row.reasonings.join('\n\n') }),
    ...(row.calls.length === 0
      ? {}
      : { tool_calls: row.calls.map(({ id, name, argsText }) => ({ id, type: 'function', function: { name, arguments: argsText } })) }),
    ...(row.isError ? { _error: true } : {})
  }
}

/**
 * Returns what a model is shown: the texts, and the calls with their results, in the order that providers require. Leaves out reasoning,
 * whose signatures are valid only for the model that wrote it, errors, and calls that were cut off.
 */
function replayOf (row: Row, step: Step): ModelMessage | null {
  if (row.role === 'user') return { role: 'user', content: [{ type: 'text', text: row.text }] }
  if (row.role === 'tool') {
    if (row.call === null || !step.open.delete(row.call)) return null
    const output = { type: row.isError ? 'error-text' as const : 'text' as const, value: row.text }
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: row.call.id, toolName: row.call.name, output }] }
  }
  if (row.isError) return null
  const text = row.texts.join('\n\n')
  const calls = step.calls.map(({ id, name, args }) => ({ type: 'tool-call' as const, toolCallId: id, toolName: name, input: args }))
  if (text === '' && calls.length === 0) return null
  return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text' as const, text }]), ...calls] }
}

function cardOf ({ call, callId, text, isError, answeredAt }: ResultRow): WireCard {
  return {
    name: call?.name ?? 'tool', snippet: cardSnippet(text), tid: call?.id ?? callId, assistant_msg_idx: answeredAt,
    args: call === null ? {} : cardArgs(call.args), is_error: isError, done: true
  }
}

function shortened (text: string): string {
  return text.length <= maxResultChars ? text : `${beginningOf(text, maxResultChars)}\n… (shortened)`
}
