import { Type, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { budgetOfferForm } from '../budget-ask.js'
import { type FromHost, type RunBatch, type RunEventBody } from '../protocol.js'

// What a host says is not trusted: a host of another release, or one that something has gone wrong in, must not take the web
// tier with it. What has the form of the protocol passes, and nothing else.

/** A batch whose events were looked at: null stands for one of a kind that this release does not know. */
export interface ReadBatch extends Omit<RunBatch, 'events'> { events: Array<RunEventBody | null> }

export type Incoming =
  | Exclude<FromHost, { type: 'events' }>
  | { type: 'events', batches: ReadBatch[] }
  /** Events that do not have the form of their kind, of this run. */
  | { type: 'garbled', runId: string, generation: number }

const text = Type.String()
const brief = Type.String({ maxLength: 500 })
const count = Type.Integer({ minimum: 0 })
const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const oneOf = (...words: string[]) => Type.Union(words.map((word) => Type.Literal(word)))
const object = Type.Object({})
// Goes into sums that are kept: they never become smaller, stay whole, and a year of them can be added up.
const tokens = Type.Integer({ minimum: 0, maximum: 10_000_000_000 })
const usage = Type.Object({ inputTokens: tokens, outputTokens: tokens, cacheReadTokens: tokens, cacheWriteTokens: tokens, estimated: Type.Boolean() })
const ofTurn = Type.Integer({ minimum: 0, maximum: 10_000_000_000_000 })
const turnUsage = Type.Object({ inputTokens: ofTurn, outputTokens: ofTurn, cacheReadTokens: ofTurn, cacheWriteTokens: ofTurn, estimated: Type.Boolean(), lastPromptTokens: tokens })
const told = Type.Object({ source: oneOf('agent', 'none'), context: Type.Optional(Type.Object({ tokens, length: tokens })), costUsd: Type.Optional(Type.Number({ minimum: 0, maximum: 1_000_000 })) })
const toolCall = Type.Object({ id: text, name: text, args: object })
const origin = { askId: text, callId: text, beside: Type.Boolean(), expiresAtMs: nullable(Type.Number()) }
const foresight = Type.Optional(Type.Object({
  change: Type.Optional(Type.Union([Type.Object({ path: text, diff: text, masked: Type.Optional(text), isCut: Type.Boolean() }), Type.Object({ path: text, note: text })])),
  command: Type.Optional(Type.Object({ parts: Type.Array(Type.Object({ program: text, args: Type.Array(text) })), isCut: Type.Boolean(), folder: text, isConfined: Type.Boolean() })),
  request: Type.Optional(Type.Object({ method: text, scheme: text, host: text, path: text }))
}))
const approval = Type.Object({
  personal: Type.Optional(Type.Literal(true)),
  command: text,
  isCommandLine: Type.Optional(Type.Literal(true)),
  description: text,
  patternKey: text,
  patternKeys: Type.Array(text),
  maxScope: oneOf('once', 'session', 'always'),
  timeoutS: Type.Number(),
  content: Type.Optional(Type.Object({ text, isCut: Type.Boolean() })),
  foresight,
  budget: Type.Optional(Type.Array(budgetOfferForm))
})
const clarify = Type.Object({ question: text, choices: Type.Array(text), timeoutS: Type.Number() })

const eventForms: Record<RunEventBody['t'], TSchema> = {
  token: Type.Object({ text }),
  reasoning: Type.Object({ text }),
  segment: Type.Object({ text }),
  retracted: Type.Object({ text: Type.Optional(text) }),
  step: Type.Object({ message: Type.Object({ role: Type.Literal('assistant'), content: Type.Array(Type.Object({ type: text })) }), toolCalls: Type.Array(toolCall), usage: nullable(usage), cut: Type.Optional(Type.Object({ reason: oneOf('length', 'content_filter', 'budget_exhausted'), message: text, hint: text })), told: Type.Optional(told) }),
  tool: Type.Object({ id: text, name: text, preview: text, args: object, foresight }),
  tool_complete: Type.Object({
    id: text, name: text, preview: text, args: object, isError: Type.Boolean(), durationS: Type.Number(), result: text, replay: Type.Object({ type: Type.Literal('tool-result') })
  }),
  tool_output: Type.Object({ id: text, text, leftOutBytes: count }),
  ask: Type.Union([
    Type.Object({ ...origin, kind: Type.Literal('approval'), body: approval }),
    Type.Object({ ...origin, kind: Type.Literal('clarify'), body: clarify })
  ]),
  ask_closed: Type.Object({ askId: text, how: oneOf('answered', 'expired', 'cancelled', 'yolo') }),
  reworded: Type.Object({ text }),
  steered: Type.Object({ texts: Type.Array(text) }),
  todo: Type.Object({ todos: Type.Array(Type.Object({ id: text, content: text, status: oneOf('pending', 'in_progress', 'completed', 'cancelled') })) }),
  compressing: object,
  compressed: Type.Object({ summary: text, keptRows: count, tokensBefore: tokens, tokensAfter: tokens, usage }),
  warning: Type.Object({ kind: text, message: text }),
  side_usage: Type.Object({ slot: oneOf('vision', 'web_extract', 'session_search', 'mcp_sampling'), provider: text, id: text, usage }),
  attempt_used: Type.Object({ usage }),
  fallback: Type.Object({ provider: text, id: text, message: text }),
  end: Type.Object({
    state: oneOf('done', 'cancelled', 'failed', 'lost'),
    usage: turnUsage,
    error: Type.Optional(Type.Object({ type: text, message: text, hint: Type.Optional(text), terminalState: Type.Optional(text), host: Type.Optional(brief), attempts: Type.Optional(count) })),
    steerLeftover: Type.Optional(text),
    terminalState: Type.Optional(oneOf('tool_limit_reached', 'budget_exhausted'))
  })
}

const run = { runId: text, generation: Type.Integer() }
const messageForms: Record<Exclude<FromHost['type'], 'events'>, TSchema> = {
  ready: Type.Object({ v: Type.Number(), pid: Type.Number() }),
  sandbox: Type.Object({ status: Type.Object({ available: Type.Boolean() }) }),
  missing: Type.Object(run),
  ack: Type.Object({ ack: Type.Object({ controlId: text, result: oneOf('applied', 'stale', 'unsupported', 'not_running', 'error'), detail: Type.Optional(text) }) }),
  aux: Type.Object({ reply: Type.Object({ requestId: text, result: Type.Unknown(), error: Type.Optional(text), usage: Type.Optional(usage) }) }),
  // What it says is looked at by who has asked.
  mcp: Type.Object({ reply: Type.Object({ requestId: text, answer: Type.Unknown(), error: Type.Optional(text) }) }),
  mcp_tokens: Type.Object({}),
  ended_badly: Type.Object({ ended: Type.Object({ what: oneOf('mcp_server', 'agent'), name: brief, host: nullable(brief), code: nullable(brief), attempts: count, reason: brief }) }),
  // What it asks for is looked at by who answers it.
  request: Type.Object({ request: Type.Object({ ...run, requestId: text, what: text, body: Type.Unknown(), deadlineMs: nullable(Type.Number({ minimum: 0 })) }) }),
  pong: Type.Object({ beat: count, runs: Type.Array(Type.Object({ ...run, seq: count, isOver: Type.Boolean(), requests: Type.Array(text) })) })
}

/** What a host's message is; nothing for one of a type that is not known, null for one that is garbled as a whole. */
export function readMessage (message: unknown): Incoming[] | null {
  const type = (message as { type?: unknown } | null | undefined)?.type
  if (typeof type !== 'string') return null
  if (type === 'events') return readBatches((message as { batches?: unknown }).batches)
  if (!Object.hasOwn(messageForms, type)) return []
  return Value.Check(messageForms[type as keyof typeof messageForms], message) ? [message as Incoming] : null
}

function readBatches (batches: unknown): Incoming[] | null {
  if (!Array.isArray(batches)) return null
  const read: Incoming[] = []
  for (const batch of batches as unknown[]) {
    if (!isBatch(batch)) return null
    const { runId, generation } = batch
    const events = batch.events.map(readEvent)
    read.push(events.includes(undefined)
      ? { type: 'garbled', runId, generation }
      : { type: 'events', batches: [{ ...batch, events: events as Array<RunEventBody | null> }] })
  }
  return read
}

/** By hand: there is one for every few milliseconds of every run. */
function isBatch (batch: unknown): batch is RunBatch {
  const { runId, generation, seq, events } = (batch ?? {}) as Partial<RunBatch>
  return typeof runId === 'string' && Number.isSafeInteger(generation) && Number.isSafeInteger(seq) && seq! >= 1 && Array.isArray(events)
}

/** Null: of an unknown kind. Undefined: no event. */
function readEvent (event: unknown): RunEventBody | null | undefined {
  const { t, text } = (event ?? {}) as { t?: unknown, text?: unknown }
  if (t === 'token' || t === 'reasoning') return typeof text === 'string' ? event as RunEventBody : undefined
  if (typeof t !== 'string') return undefined
  if (!Object.hasOwn(eventForms, t)) return null
  return Value.Check(eventForms[t as RunEventBody['t']], event) ? event as RunEventBody : undefined
}
