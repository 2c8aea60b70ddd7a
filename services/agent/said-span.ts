import { Type, type Static } from '@sinclair/typebox'
import { type AttributeValue } from '../ground/tracing/span.js'
import { oneOf } from './forms.js'

/** What a run is told of the trace that it belongs to. */
export interface RunTrace {
  traceId: string
  /** That of the turn. */
  spanId: string
  /** Models, MCP servers and agents of other makers are told of the trace. */
  propagates: boolean
  /** Texts are to be said as well. */
  hasTexts: boolean
}

const id = Type.String({ pattern: '^[0-9a-f]{16}$' })
const ms = Type.Number({ minimum: 0, maximum: 1e14 })
const value = Type.Union([
  Type.String({ maxLength: 20_000 }), Type.Number(), Type.Boolean(), Type.Array(Type.String({ maxLength: 200 }), { maxItems: 16 })
])

/**
 * A span that a run has finished, by its word of the vocabulary. The web tier holds it against this, and leaves one that does not fit: no
 * turn ends because of what is told of it.
 */
export type SaidSpan = Static<typeof saidSpanForm>
export const saidSpanForm = Type.Object({
  word: oneOf('chat', 'tool'),
  id,
  parent: id,
  startMs: ms,
  endMs: ms,
  attributes: Type.Unsafe<Record<string, AttributeValue>>(Type.Record(Type.String({ maxLength: 100 }), value, { maxProperties: 40 }))
})
