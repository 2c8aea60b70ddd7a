import { type AttributeValue, type Span } from './span.js'

/** Spans that are sent together. `scope` identifies what makes them. */
export interface Batch { resource: Readonly<Record<string, string>>, scope: { name: string, version: string }, spans: readonly Span[] }

/** Encodes a batch in one of the two forms of OTLP over HTTP. */
export interface Encoding { contentType: string, encode (batch: Batch): Buffer }

export const kindNumbers = { internal: 1, server: 2, client: 3 } as const
/** `STATUS_CODE_ERROR`. */
export const failed = 2
/** Bits 0 to 7: the trace is recorded. Bit 8: it is known whether the parent is remote; bit 9: it is. */
export const flagsOf = ({ hasRemoteParent }: Span): number => hasRemoteParent === true ? 0x301 : 0x101

export const hasFailed = ({ attributes }: Span): boolean => attributes['error.type'] !== undefined

/** Times are rounded to microseconds, because milliseconds in a number are not more precise. */
export const nanoseconds = (ms: number): bigint => BigInt(Math.round(ms * 1_000)) * 1_000n

/** OTLP in JSON (`ExportTraceServiceRequest` in the mapping of proto3, ids in hexadecimal). */
export const json: Encoding = {
  contentType: 'application/json',
  encode: ({ resource, scope, spans }) => Buffer.from(JSON.stringify({
    resourceSpans: [{
      resource: { attributes: pairs(resource) },
      scopeSpans: [{
        scope,
        spans: spans.map((span) => ({
          traceId: span.traceId,
          spanId: span.spanId,
          ...(span.parentId !== null && { parentSpanId: span.parentId }),
          flags: flagsOf(span),
          name: span.name,
          kind: kindNumbers[span.kind],
          startTimeUnixNano: String(nanoseconds(span.startMs)),
          endTimeUnixNano: String(nanoseconds(span.endMs)),
          attributes: pairs(span.attributes),
          ...(hasFailed(span) && { status: { code: failed } })
        }))
      }]
    }]
  }))
}

const pairs = (attributes: Readonly<Record<string, AttributeValue>>): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }))

function anyValue (value: AttributeValue): object {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
  return { arrayValue: { values: value.map((item) => ({ stringValue: item })) } }
}
