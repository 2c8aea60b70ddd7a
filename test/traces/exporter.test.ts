import t from '#test'
import { readTracing, createCollector, Exporter, json, protobuf, type TracingSettings } from '../../services/ground/tracing/index.js'
import { isSampled } from '../../services/ground/tracing/sampler.js'
import { readTraceparent, type Span } from '../../services/ground/tracing/span.js'
import { eventually } from '../support/chat.js'
import { spansOfJson, spansOfProtobuf, startCollector, type TestCollector } from '../support/collector.js'

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }
const settingsOf = (env: Record<string, string>): TracingSettings => readTracing({ ...endpoint, ...env }, '1.2.3').settings!
const remarksOf = (env: Record<string, string>): string[] => readTracing({ ...endpoint, ...env }, '1.2.3').remarks

t.test('what the variables say', (t) => {
  t.match(settingsOf({}), {
    encoding: 'protobuf', headers: {}, isCompressed: false, timeoutMs: 10_000, sampling: { isParentBased: true, ratio: 1 }, propagates: true, hasTexts: false,
    resource: { 'service.name': 'agent-web-service', 'service.version': '1.2.3' }, batches: { delayMs: 5_000, mostWaiting: 2_048, mostAtOnce: 512, exportMs: 30_000 }
  })
  t.equal(settingsOf({}).url.href, 'http://collector:4318/v1/traces')
  t.equal(settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://host/base/' }).url.href, 'https://host/base/v1/traces')
  t.equal(settingsOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://host/as/it/is' }).url.href, 'https://host/as/it/is')
  t.equal(readTracing({ OTEL_TRACES_EXPORTER: 'otlp' }, '').settings?.url.href, 'http://localhost:4318/v1/traces')
  t.same(settingsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20cGs6c2s=, x-one = 1' }).headers, { Authorization: 'Basic cGs6c2s=', 'x-one': '1' })
  t.same(settingsOf({ OTEL_EXPORTER_OTLP_HEADERS: 'a=1', OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'b=2' }).headers, { b: '2' })
  t.match(settingsOf({ OTEL_RESOURCE_ATTRIBUTES: 'service.name=one,deployment.environment.name=home', OTEL_SERVICE_NAME: 'two' }).resource, { 'service.name': 'two', 'deployment.environment.name': 'home' })
  t.match(settingsOf({ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' }).sampling, { isParentBased: false, ratio: 0.25 })
  t.match(settingsOf({ OTEL_EXPORTER_OTLP_TIMEOUT: '3000', OTEL_EXPORTER_OTLP_TRACES_TIMEOUT: '4000', OTEL_BSP_MAX_QUEUE_SIZE: '10' }), { timeoutMs: 4_000, batches: { mostWaiting: 10, mostAtOnce: 10 } })
  for (const [value, hasTexts] of [['true', true], ['SPAN_ONLY', true], ['span_and_event', true], ['event_only', false], ['no_content', false], ['false', false]] as const) {
    t.equal(settingsOf({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value }).hasTexts, hasTexts, value)
  }
  for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }]) t.same(readTracing({ ...endpoint, ...off }, ''), { settings: null, remarks: [] })
})

t.test('what is not understood is remarked upon, without what may be secret, and the usual is used', (t) => {
  for (const [env, words] of [
    [{ OTEL_BSP_SCHEDULE_DELAY: 'soon' }, /OTEL_BSP_SCHEDULE_DELAY must be a whole number/], [{ OTEL_EXPORTER_OTLP_TIMEOUT: '-1' }, /OTEL_EXPORTER_OTLP_TIMEOUT/],
    [{ OTEL_TRACES_SAMPLER: 'constructor' }, /OTEL_TRACES_SAMPLER is none/], [{ OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '7' }, /SAMPLER_ARG must be/],
    [{ OTEL_PROPAGATORS: 'b3' }, /only tracecontext/], [{ OTEL_EXPORTER_OTLP_HEADERS: 'secret-value' }, /name=value/], [{ OTEL_EXPORTER_OTLP_HEADERS: 'a b=secret-value' }, /cannot be a header/],
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: 'zstd' }, /only gzip/]
  ] as const) {
    const remarks = remarksOf(env)
    t.match(remarks, [words])
    t.notOk(remarks.join().includes('secret-value'))
    t.ok(readTracing({ ...endpoint, ...env }, '').settings)
  }
  t.equal(readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:pass@host' }, '').settings, null)
})

t.test('sampling goes by the last half of an id, and by the caller where that is asked for', (t) => {
  const sampling = { isParentBased: true, ratio: 0.5 }
  const [low, high] = ['0'.repeat(32), 'f'.repeat(32)]
  t.same([isSampled(sampling, low, null), isSampled(sampling, high, null)], [false, true])
  t.same([isSampled(sampling, low, true), isSampled(sampling, high, false), isSampled({ ...sampling, isParentBased: false }, low, true)], [true, false, false])
  t.same([isSampled({ isParentBased: false, ratio: 1 }, low, null), isSampled({ isParentBased: false, ratio: 0 }, high, null)], [true, false])
  t.match(readTraceparent('01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03-later'), { isSampled: true }, 'a later version may say more')
})

const span: Span = {
  traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', parentId: '00f067aa0ba902b7', name: 'chat gpt-5', kind: 'client', startMs: 1764390000123, endMs: 1764390001456,
  attributes: { 'gen_ai.operation.name': 'chat', 'gen_ai.usage.input_tokens': 1234, 'gen_ai.response.time_to_first_chunk': 0.5, 'gen_ai.request.stream': true, 'gen_ai.response.finish_reasons': ['stop', 'ü'], 'a.b': -1, 'error.type': 'rate_limit' }
}
const scope = { name: 'agent-web-service', version: '0.1.0' }
const resource = { 'service.name': 'agent-web-service', 'service.version': '0.1.0' }
/** The same span as written by OpenTelemetry's own exporter for JavaScript (otlp-transformer 0.301.1), but without the error's type. */
const reference = 'CqUDCkMKIwoMc2VydmljZS5uYW1lEhMKEWFnZW50LXdlYi1zZXJ2aWNlChoKD3NlcnZpY2UudmVyc2lvbhIHCgUwLjEuMBAAEt0CChoKEWFnZW50LXdlYi1zZXJ2aWNlEgUwLjEuMBK+AgoQCvdlGRbNQ92ESOshHIAxnBIIt61rcWkgMzEiCADwZ6oLqQK3KgpjaGF0IGdwdC01MAM5wDSVYltffBhBACwJsltffBhKHwoVZ2VuX2FpLm9wZXJhdGlvbi5uYW1lEgYKBGNoYXRKIAoZZ2VuX2FpLnVzYWdlLmlucHV0X3Rva2VucxIDGNIJSjAKI2dlbl9haS5yZXNwb25zZS50aW1lX3RvX2ZpcnN0X2NodW5rEgkhAAAAAAAA4D9KGwoVZ2VuX2FpLnJlcXVlc3Quc3RyZWFtEgIQAUoyCh5nZW5fYWkucmVzcG9uc2UuZmluaXNoX3JlYXNvbnMSECoOCgYKBHN0b3AKBAoCw7xKEgoDYS5iEgsY////////////AVAAYABwAHoQEgxyYXRlIGxpbWl0ZWQYAoUBAQEAAA=='

t.test('both encodings say the same, which is what the exporter of OpenTelemetry says', (t) => {
  const batch = { resource, scope, spans: [span] }
  const [ours] = spansOfProtobuf(protobuf.encode(batch))
  const [theirs] = spansOfProtobuf(Buffer.from(reference, 'base64'))
  t.strictSame(ours, { ...theirs, attributes: { ...theirs?.attributes, 'error.type': 'rate_limit' } })
  t.strictSame(spansOfJson(json.encode(batch)), [ours])
  t.match(ours, { flags: 0x101, isError: true, startMs: 1764390000123, endMs: 1764390001456 })
})

/** Creates an exporter that sends at once. */
function exporterTo (t: { teardown (end: () => unknown): unknown }, collector: Pick<TestCollector, 'url'>, env: Record<string, string> = {}) {
  const lines: string[] = []
  const { batches, ...way } = settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_BSP_EXPORT_TIMEOUT: '50', ...env })
  const note = (_: object, line: string): void => { lines.push(line) }
  const exporter = new Exporter({ collector: createCollector(way), batches, resource, scope, log: { warn: note, info: note } })
  t.teardown(() => exporter.close(100))
  return { exporter, lines, way }
}

t.test('whatever the collector answers, it is said once, nothing grows, and it goes on when that is over', async (t) => {
  for (const [name, fault, words] of [
    ['busy', (response) => response.writeHead(429, { 'retry-after': '0.1' }).end(), /answers 429/],
    ['broken', (response) => response.writeHead(500).end('<h1>'), /answers 500/],
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello'), /web page/],
    ['locked', (response) => response.writeHead(401).end(), /credentials/],
    ['elsewhere', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(), /answers 302/],
    ['silent', () => {}, /did not answer in time/],
    ['cut', (response) => response.destroy(), /broke off/],
    ['without end', (response) => { response.writeHead(200); const more = setInterval(() => response.write('x'.repeat(65_536)), 1); response.on('close', () => clearInterval(more)) }, null]
  ] as Array<[string, NonNullable<TestCollector['fault']>, RegExp | null]>) {
    const collector = await startCollector(t)
    const isSlow = name === 'silent'
    const { exporter, lines } = exporterTo(t, collector, { OTEL_BSP_MAX_QUEUE_SIZE: '20', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10', OTEL_EXPORTER_OTLP_TIMEOUT: isSlow ? '300' : '20000' })
    collector.fault = fault
    for (let round = 0; round < 3; round++) {
      for (let index = 0; index < 100; index++) exporter.add(span)
      t.ok(exporter.standing.waiting <= 20, `${name}: bounded`)
      await eventually('sent', () => exporter.standing.waiting === 0)
    }
    if (words === null) continue
    await eventually('dropped', () => exporter.standing.refusal !== null)
    t.match(lines, [words], `${name}: once`)
    t.notOk(lines.join().includes('127.0.0.1'), 'without the address')
    collector.fault = null
    await eventually('again', () => {
      exporter.add(span)
      return collector.spans.length > 0
    })
    await eventually('said', () => lines.length === 2)
    t.match(lines[1], /again/)
  }
})

t.test('a collector that is away is waited for, and gets what was kept', async (t) => {
  const collector = await startCollector(t)
  const { exporter, lines } = exporterTo(t, collector, { OTEL_BSP_EXPORT_TIMEOUT: '30000' })
  let refusals = 0
  collector.fault = (response) => {
    refusals++
    if (refusals === 2) collector.fault = null
    response.writeHead(503).end()
  }
  exporter.add(span)
  await collector.named(/^chat/)
  t.equal(collector.spans.length, 1)
  await eventually('said', () => lines.length === 2)
  t.equal(exporter.standing.dropped, 0)
})

t.test('a collector that asks to be left alone is, and what waits meanwhile is bounded', async (t) => {
  const collector = await startCollector(t)
  const { exporter, lines } = exporterTo(t, collector, { OTEL_BSP_MAX_QUEUE_SIZE: '20', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '10' })
  collector.fault = (response) => response.writeHead(429, { 'retry-after': '3600' }).end()
  exporter.add(span)
  await eventually('said', () => lines.length === 1)
  for (let index = 0; index < 100; index++) exporter.add(span)
  await new Promise((resolve) => setTimeout(resolve, 30))
  t.same([collector.requests.length, exporter.standing.waiting], [1, 20])
})

t.test('long texts are bounded by their size as well, and sent in requests of a size', async (t) => {
  const collector = await startCollector(t)
  const { exporter } = exporterTo(t, collector, { OTEL_BSP_MAX_QUEUE_SIZE: '100000', OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '100000' })
  const long = { ...span, attributes: { text: 'x'.repeat(16_000) } }
  for (let index = 0; index < 2_000; index++) exporter.add(long)
  t.ok(exporter.standing.waiting < 1_100 && exporter.standing.dropped > 900)
  await eventually('all', () => exporter.standing.waiting === 0)
  await eventually('some', () => collector.requests.length > 10)
  t.ok(collector.requests.every(({ bytes }) => bytes < 1_200_000))
})

t.test('at the end what waits is sent, once, and for a moment at most', async (t) => {
  const collector = await startCollector(t)
  const { exporter } = exporterTo(t, collector, { OTEL_BSP_SCHEDULE_DELAY: '60000' })
  exporter.add(span)
  await exporter.close(5_000)
  t.equal(collector.spans.length, 1)
  exporter.add(span)
  t.equal(exporter.standing.dropped, 1)
  const { exporter: other } = exporterTo(t, collector, { OTEL_BSP_SCHEDULE_DELAY: '60000', OTEL_EXPORTER_OTLP_TIMEOUT: '60000' })
  collector.fault = () => {}
  other.add(span)
  await other.close(50)
  t.equal(other.standing.waiting, 0)
})
