import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { type TestLike } from './app.js'
import { eventually } from './chat.js'
import { listening } from './listening.js'

type Value = string | number | boolean | string[]
export interface ReceivedSpan {
  traceId: string, spanId: string, parentSpanId: string | null, name: string, kind: number, startMs: number, endMs: number
  attributes: Record<string, Value>, isError: boolean, flags: number, resource: Record<string, Value>
}

/** A collector of OTLP over HTTP, which accepts both encodings and shows what has arrived. */
export interface TestCollector {
  url: string
  spans: ReceivedSpan[]
  requests: Array<{ path: string, headers: IncomingHttpHeaders, bytes: number }>
  /** What it does instead of accepting spans; null: it accepts them. */
  fault: ((response: ServerResponse, request: IncomingMessage) => void) | null
  /** Resolves to the spans with matching names, once there are that many. */
  named (name: RegExp, count?: number): Promise<ReceivedSpan[]>
  /** Variables that make the service send traces here without delay. */
  env: Record<string, string>
  close (): Promise<void>
}

export async function startCollector (t: TestLike): Promise<TestCollector> {
  const collector: TestCollector = {
    url: '', spans: [], requests: [], fault: null, env: {},
    named: async (name, count = 1) => await eventually(`${count} of ${name}`, async () => {
      const found = collector.spans.filter((span) => name.test(span.name))
      return found.length >= count && found
    }),
    async close () {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  const server = createServer((request, response) => { void answer(request, response) })
  async function answer (request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request)
    const { headers, url = '' } = request
    collector.requests.push({ path: url, headers, bytes: sent.length })
    if (collector.fault !== null) return collector.fault(response, request)
    const body = headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent
    collector.spans.push(...headers['content-type'] === 'application/json' ? spansOfJson(body) : spansOfProtobuf(body))
    response.writeHead(200, { 'content-type': headers['content-type'] }).end(headers['content-type'] === 'application/json' ? '{}' : '')
  }
  collector.url = `http://127.0.0.1:${await listening(t, server)}`
  collector.env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '5' }
  return collector
}

interface JsonValue { stringValue?: string, boolValue?: boolean, doubleValue?: number, intValue?: string, arrayValue?: { values: JsonValue[] } }
type JsonPairs = Array<{ key: string, value: JsonValue }>
interface JsonSpan { traceId: string, spanId: string, parentSpanId?: string, name: string, kind: number, startTimeUnixNano: string, endTimeUnixNano: string, attributes: JsonPairs, status?: { code: number }, flags: number }

export function spansOfJson (body: Buffer): ReceivedSpan[] {
  const valueOf = ({ stringValue, boolValue, doubleValue, intValue, arrayValue }: JsonValue): Value =>
    stringValue ?? boolValue ?? doubleValue ?? arrayValue?.values.map((item) => item.stringValue ?? '') ?? Number(intValue)
  const pairs = (list: JsonPairs): Record<string, Value> => Object.fromEntries(list.map(({ key, value }) => [key, valueOf(value)]))
  const { resourceSpans } = JSON.parse(body.toString()) as { resourceSpans: Array<{ resource: { attributes: JsonPairs }, scopeSpans: Array<{ spans: JsonSpan[] }> }> }
  return resourceSpans.flatMap(({ resource, scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans).map((span) => ({
    traceId: span.traceId, spanId: span.spanId, parentSpanId: span.parentSpanId ?? null, name: span.name, kind: span.kind, startMs: Number(span.startTimeUnixNano) / 1e6,
    endMs: Number(span.endTimeUnixNano) / 1e6, attributes: pairs(span.attributes), isError: span.status?.code === 2, flags: span.flags, resource: pairs(resource.attributes)
  })))
}

/** Returns the fields of a message by number, each as often as it occurs: bytes, or a number. */
function fieldsOf (bytes: Buffer): Map<number, Array<Buffer | bigint>> {
  const fields = new Map<number, Array<Buffer | bigint>>()
  let at = 0
  const varint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const fixed = (length: number): Buffer => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(varint())
    const value = tag % 8 === 0 ? varint() : fixed(tag % 8 === 1 ? 8 : tag % 8 === 5 ? 4 : Number(varint()))
    fields.set(tag >> 3, [...fields.get(tag >> 3) ?? [], value])
  }
  return fields
}

/** Decodes spans; field numbers are those of `opentelemetry/proto/trace/v1/trace.proto`. */
export function spansOfProtobuf (body: Buffer): ReceivedSpan[] {
  const all = (message: Buffer, field: number): Buffer[] => (fieldsOf(message).get(field) ?? []).filter((value) => typeof value !== 'bigint')
  const text = (message: Buffer, field: number): string => all(message, field)[0]?.toString() ?? ''
  const valueOf = (value: Buffer): Value => {
    const [[field, [one]] = [0, []]] = [...fieldsOf(value)]
    if (typeof one === 'bigint') return field === 2 ? one === 1n : Number(BigInt.asIntN(64, one))
    if (one === undefined) return ''
    return field === 1 ? one.toString() : field === 4 ? one.readDoubleLE() : all(one, 1).map((item) => text(item, 1))
  }
  const pairs = (list: Buffer[]): Record<string, Value> => Object.fromEntries(list.map((pair) => [text(pair, 1), valueOf(all(pair, 2)[0]!)]))
  return all(body, 1).flatMap((of) => all(of, 2).flatMap((scope) => all(scope, 2).map((span): ReceivedSpan => ({
    traceId: all(span, 1)[0]!.toString('hex'), spanId: all(span, 2)[0]!.toString('hex'), parentSpanId: all(span, 4)[0]?.toString('hex') ?? null,
    name: text(span, 5), kind: Number(fieldsOf(span).get(6)?.[0]), startMs: Number(all(span, 7)[0]!.readBigUInt64LE()) / 1e6,
    endMs: Number(all(span, 8)[0]!.readBigUInt64LE()) / 1e6, attributes: pairs(all(span, 9)),
    isError: all(span, 15).some((status) => Number(fieldsOf(status).get(3)?.[0] ?? 0) === 2), flags: all(span, 16)[0]!.readUInt32LE(), resource: pairs(all(all(of, 1)[0]!, 1))
  }))))
}
