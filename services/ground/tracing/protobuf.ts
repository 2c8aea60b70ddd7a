import { failed, flagsOf, hasFailed, kindNumbers, nanoseconds, type Encoding } from './encoding.js'
import { type AttributeValue, type Span } from './span.js'

// Protocol Buffers, as far as spans need them: a field is its number and wire type, followed by its value.
const [varintType, fixed64Type, bytesType, fixed32Type] = [0, 1, 2, 5]

const tag = (field: number, type: number): Buffer => varint(BigInt(field << 3 | type))

function varint (value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80)
    rest >>= 7n
  }
  return Buffer.from([...bytes, Number(rest)])
}

const number = (field: number, value: number | bigint): Buffer => Buffer.concat([tag(field, varintType), varint(BigInt(value))])

function bytes (field: number, ...parts: Buffer[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return Buffer.concat([tag(field, bytesType), varint(BigInt(length)), ...parts])
}

const text = (field: number, value: string): Buffer => bytes(field, Buffer.from(value))

function fixed64 (field: number, value: bigint): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeBigUInt64LE(value)
  return Buffer.concat([tag(field, fixed64Type), buffer])
}

function double (field: number, value: number): Buffer {
  const buffer = Buffer.alloc(8)
  buffer.writeDoubleLE(value)
  return Buffer.concat([tag(field, fixed64Type), buffer])
}

function fixed32 (field: number, value: number): Buffer {
  const buffer = Buffer.alloc(4)
  buffer.writeUInt32LE(value)
  return Buffer.concat([tag(field, fixed32Type), buffer])
}

/** OTLP in Protocol Buffers (`opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest`). */
export const protobuf: Encoding = {
  contentType: 'application/x-protobuf',
  encode: ({ resource, scope, spans }) => bytes(1,
    bytes(1, ...attributes(1, resource)),
    bytes(2, bytes(1, text(1, scope.name), text(2, scope.version)), ...spans.map((span) => bytes(2, ...fieldsOf(span))))
  )
}

function fieldsOf (span: Span): Buffer[] {
  return [
    bytes(1, Buffer.from(span.traceId, 'hex')),
    bytes(2, Buffer.from(span.spanId, 'hex')),
    ...(span.parentId === null ? [] : [bytes(4, Buffer.from(span.parentId, 'hex'))]),
    text(5, span.name),
    number(6, kindNumbers[span.kind]),
    fixed64(7, nanoseconds(span.startMs)),
    fixed64(8, nanoseconds(span.endMs)),
    ...attributes(9, span.attributes),
    ...(hasFailed(span) ? [bytes(15, number(3, failed))] : []),
    fixed32(16, flagsOf(span))
  ]
}

const attributes = (field: number, all: Readonly<Record<string, AttributeValue>>): Buffer[] =>
  Object.entries(all).map(([key, value]) => bytes(field, text(1, key), bytes(2, anyValue(value))))

function anyValue (value: AttributeValue): Buffer {
  if (typeof value === 'string') return text(1, value)
  if (typeof value === 'boolean') return number(2, value ? 1 : 0)
  if (typeof value === 'number') return Number.isSafeInteger(value) ? number(3, value) : double(4, value)
  return bytes(5, ...value.map((item) => bytes(1, text(1, item))))
}
