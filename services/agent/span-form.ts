import { Type, type Static } from '@sinclair/typebox'
import { type AttributeValue } from '../ground/tracing/span.js'
import { oneOf } from './forms.js'

/** What a run is told about the trace that it belongs to. */
export interface RunTrace {
  traceId: string
  /** The span of the turn. */
  spanId: string
  /** Whether models, MCP servers and agents of other makers are told of the trace. */
  propagates: boolean
  /** Whether spans also contain texts. */
  hasTexts: boolean
}

const id = Type.String({ pattern: '^[0-9a-f]{16}$' })
const ms = Type.Number({ minimum: 0, maximum: 1e14 })
const value = Type.Union([
  Type.String({ maxLength: 20_000 }), Type.Number(), Type.Boolean(), Type.Array(Type.String({ maxLength: 200 }), { maxItems: 16 })
])

/**
 * A span that a run has finished; `word` is its kind. The web tier checks it against this form, and ignores one that does not match: no
 * turn fails because of its trace.
 */
export type RunSpan = Static<typeof spanForm>
export const spanForm = Type.Object({
  word: oneOf('chat', 'tool'),
  id,
  parent: id,
  startMs: ms,
  endMs: ms,
  attributes: Type.Unsafe<Record<string, AttributeValue>>(Type.Record(Type.String({ maxLength: 100 }), value, { maxProperties: 40 }))
})
