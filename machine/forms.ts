import { Type, type TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { type Control, type RunSpec } from '../services/agent/protocol.js'
import { type ToMachine } from '../services/agent/machine-messages.js'

// A process of a profile trusts whoever has started it. What comes over the network is looked at before it gets there.

const text = Type.String()
const texts = Type.Array(text)
const object = Type.Object({})
/** One token of a subject. */
const token = Type.String({ pattern: '^[A-Za-z0-9_-]{1,128}$' })
const control = Type.Object({ controlId: text, runId: text, op: text, value: Type.Optional(text), text: Type.Optional(text), patternKeys: Type.Optional(texts), on: Type.Optional(Type.Boolean()) })
const model = Type.Object({ provider: text, id: text })
const spec = Type.Object({
  v: Type.Integer(),
  runId: token,
  sessionId: text,
  writesFor: Type.Optional(Type.Object({ sessionId: text, runId: token })),
  profile: text,
  kind: text,
  generation: Type.Integer(),
  engine: text,
  model,
  system: texts,
  history: Type.Array(object),
  input: Type.Union([Type.Null(), Type.Object({ text, attachments: Type.Array(object) })]),
  places: Type.Intersect([Type.Object({ workspace: text }), Type.Record(text, text)]),
  sandbox: text,
  toolset: text,
  attended: Type.Boolean(),
  yolo: Type.Boolean(),
  grants: texts,
  denied: texts,
  todos: Type.Array(object),
  limits: Type.Object({ steps: Type.Integer() }),
  clarifyTimeoutS: Type.Number(),
  approvalTimeoutS: Type.Number(),
  context: object
})
const said: Partial<Record<ToMachine['type'], TSchema>> = {
  reply: Type.Object({ reply: Type.Object({ requestId: text, runId: text }) }),
  aux: Type.Object({ request: Type.Object({ requestId: text, task: text, model }) }),
  mcp: Type.Object({ query: Type.Object({ requestId: text, what: text }) }),
  ping: Type.Object({ beat: Type.Integer() }),
  kill: object
}

/** What a service wants to be run; null for what is nothing of the kind. Of another release it may hold anything beside its number. */
export function readStart (message: unknown): RunSpec | { v: number } | null {
  const { spec: wanted } = (message ?? {}) as { spec?: unknown }
  if (Value.Check(spec, wanted)) return wanted as unknown as RunSpec
  return Value.Check(Type.Object({ v: Type.Integer() }), wanted) ? wanted : null
}

export function readControl (message: unknown): Control | null {
  const { control: wanted } = (message ?? {}) as { control?: unknown }
  if (!Value.Check(control, wanted)) return null
  const { op, value, text: steer, patternKeys, on } = wanted
  const isWhole = op === 'answer' ? value !== undefined : op === 'steer' ? steer !== undefined : op === 'grant' ? patternKeys !== undefined : op !== 'yolo' || on !== undefined
  return isWhole ? wanted as unknown as Control : null
}

/** Null for what is nothing that a machine knows. */
export function readSaid (message: unknown): ToMachine | null {
  const type = (message as { type?: unknown } | null | undefined)?.type
  const form = typeof type === 'string' && Object.hasOwn(said, type) ? said[type as ToMachine['type']] : undefined
  return form !== undefined && Value.Check(form, message) ? message as ToMachine : null
}
