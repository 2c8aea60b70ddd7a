import { createHash, randomBytes } from 'node:crypto'

export type AttributeValue = string | number | boolean | readonly string[]
export type Attributes = Readonly<Record<string, AttributeValue>>

/** Identifies a span: 32 and 16 hexadecimal digits, in small letters. */
export interface SpanContext { traceId: string, spanId: string }

/** A context that came from a caller, with the caller's decision whether the trace is recorded. */
export interface RemoteContext extends SpanContext { isSampled: boolean }

/** A span that has ended. Times are epoch milliseconds. It failed if it has the attribute `error.type`. */
export interface Span extends SpanContext {
  /** Null: the span begins the trace. */
  parentId: string | null
  /** Whether the parent is a span of another program. */
  hasRemoteParent?: boolean
  name: string
  kind: 'internal' | 'server' | 'client'
  startMs: number
  endMs: number
  attributes: Attributes
}

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')
/** Returns the id of a span that exists only once for `what`. */
export const spanIdOf = (what: string): string => createHash('sha256').update(what).digest('hex').slice(0, 16)

const form = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const isNone = (id: string): boolean => /^0+$/.test(id)

/** Reads a `traceparent` header (W3C Trace Context). Returns null if it is invalid. */
export function readTraceparent (header: unknown): RemoteContext | null {
  const [, version, traceId = '', spanId = '', flags = '', more] = typeof header === 'string' && header.length <= 512 ? form.exec(header) ?? [] : []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined) || isNone(traceId) || isNone(spanId)) return null
  return { traceId, spanId, isSampled: (parseInt(flags, 16) & 1) === 1 }
}

/** Returns the `traceparent` header for a service that is called in a span. */
export const traceparentOf = ({ traceId, spanId }: SpanContext, isSampled = true): string => `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
