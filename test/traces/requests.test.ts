import fastify, { LogController } from 'fastify'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { startCollector } from '../support/collector.js'
import { a40 } from '../support/credentials.js'
import { loggerOptions } from '../../plugins/ground/logging.js'
import { ofTrace, withinContext } from '../../services/ground/tracing/current.js'

const remote = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' }
const traceparent = `00-${remote.traceId}-${remote.spanId}-01`

t.test('off: no headers, no spans, and nobody is told of a trace', async (t) => {
  const service = await start(t)
  const { headers, status } = await service.get('/api/sessions', { traceparent })
  t.same([status, headers.get('x-trace-id'), headers.get('traceresponse')], [200, null, null])
  t.same([service.app.tracing, service.app.traces], [null, null])
})

t.test('a request is named by its route, and nothing of its address is sent', async (t) => {
  const collector = await startCollector(t)
  const service = await start(t, { env: collector.env })
  await service.get('/api/session?session_id=secret-session&x=secret-query')
  await service.get('/no/such/secret-page')
  const [span] = await collector.named(/^GET \/api\/session$/)
  t.match(span, { parentSpanId: null, isError: false, attributes: { 'http.response.status_code': 404, 'http.route': '/api/session' } })
  await eventually('what has no route', () => collector.spans.some(({ name, attributes }) => name.startsWith('GET') && attributes['http.response.status_code'] === 404 && !name.includes('/api/')))
  await service.get('/health')
  await service.get('/api/sessions')
  await collector.named(/^GET \/api\/sessions$/)
  const text = JSON.stringify(collector.spans)
  for (const word of ['secret', '/health']) t.notOk(text.includes(word), word)
  t.match(collector.requests[0], { path: '/v1/traces', headers: { 'content-type': 'application/x-protobuf', 'user-agent': 'agent-web-service' } })
})

t.test('a trace is taken from whoever is let in, and from nobody else', async (t) => {
  const collector = await startCollector(t)
  const log: Array<Record<string, unknown>> = []
  const service = await start(t, { env: { ...collector.env, SVC_WEBUI_PASSWORD: 'open sesame 12' }, log: (line) => log.push(line) })
  const stranger = await service.get('/api/sessions', { traceparent })
  t.equal(stranger.status, 401)
  t.not(stranger.headers.get('x-trace-id'), remote.traceId)
  const signedIn = await service.post('/api/auth/login', { password: 'open sesame 12' })
  const cookie = signedIn.headers.getSetCookie().map((text) => text.split(';')[0]).join('; ')
  const known = await service.get('/api/sessions', { traceparent, cookie })
  t.same([known.status, known.headers.get('x-trace-id')], [200, remote.traceId])
  const span = await eventually('the span', () => collector.spans.find(({ traceId }) => traceId === remote.traceId))
  t.match(span, { parentSpanId: remote.spanId, flags: 0x301, name: 'GET /api/sessions' })
  const unrecorded = await service.get('/api/sessions', { traceparent: `${traceparent.slice(0, -2)}00`, cookie })
  t.match(unrecorded.headers.get('traceresponse'), /-00$/, 'what its caller does not record is not recorded')
  for (const odd of ['', 'x', `ff${traceparent.slice(2)}`, `${traceparent}-more`, `00-${'0'.repeat(32)}-${remote.spanId}-01`, traceparent.toUpperCase()]) {
    const { headers } = await service.get('/api/sessions', { traceparent: odd, cookie })
    t.not(headers.get('x-trace-id'), remote.traceId, `"${odd}" is none`)
  }
})

t.test('headers may stand in a file, and what they hold is masked wherever it turns up', async (t) => {
  const collector = await startCollector(t)
  const key = 'cGstbGYtMTIzNDU2Nzg6c2stbGYtMTIzNDU2Nzg='
  const folder = t.testdir({ headers: `Authorization=Basic%20${key},x-tenant=home\n` })
  const service = await start(t, { env: { ...collector.env, OTEL_EXPORTER_OTLP_HEADERS_FILE: join(folder, 'headers') } })
  const sessionId = await service.newSession({ title: `a title with ${key} in it` })
  await collector.named(/session\/new$/)
  t.match(collector.requests[0]?.headers, { authorization: `Basic ${key}`, 'x-tenant': 'home' })
  await service.post('/api/session/rename', { session_id: sessionId, title: `named ${key}` })
  const { text } = await service.get(`/api/session?session_id=${sessionId}`)
  t.match(text, /"title":"named /)
  t.notOk(text.includes(key))
})

t.test('a line of the log has only its own fields', async (t) => {
  const lines: Array<Record<string, unknown>> = []
  const { log } = fastify({ logger: loggerOptions('debug', { write: (line) => lines.push(JSON.parse(line) as Record<string, unknown>) }) })
  log.warn({ session: 'first' }, 'one')
  log.warn('two')
  t.same(lines.map(({ msg, session }) => [msg, session]), [['one', 'first'], ['two', undefined]])
  log.warn({ model: `sk-proj-${a40}`, path: `/home/ann/ghp_${a40}`, workspace: '/home/ann' }, 'three')
  t.match(lines.at(-1), { model: '[redacted]', workspace: '/home/ann' })
  t.notMatch(JSON.stringify(lines), a40, 'a key that was pasted into the wrong field is not logged')
})

t.test('lines of the log name the trace, once', async (t) => {
  const collector = await startCollector(t)
  const lines: string[] = []
  const app = fastify({ logger: loggerOptions('debug', { write: (line) => lines.push(line) }), logController: new LogController({ disableRequestLogging: true }) })
  const withinTrace = { traceId: remote.traceId, spanId: remote.spanId, isSampled: true }
  const own = ofTrace(app.log, remote.traceId)
  await withinContext(withinTrace, async () => {
    app.log.warn('by the service')
    own.warn('by the request')
    await new Promise((resolve) => setImmediate(resolve))
    app.log.warn('later')
  })
  app.log.warn('afterwards')
  t.same(lines.map((line) => [line.split(remote.traceId).length - 1, (JSON.parse(line) as { msg: string }).msg]), [[1, 'by the service'], [1, 'by the request'], [1, 'later'], [0, 'afterwards']])
  const log: Array<Record<string, unknown>> = []
  const service = await start(t, { env: collector.env, log: (line) => log.push(line) })
  service.app.sessions.rows.find = () => { throw new Error('a fault') }
  const { status, headers } = await service.get('/api/session?session_id=abc')
  t.equal(status, 500)
  const told = log.filter(({ trace_id: id }) => id === headers.get('x-trace-id')).map(({ msg }) => msg)
  t.same(told.toSorted(), ['request', 'request failed'], 'what went wrong, and that it did')
  t.match((await collector.named(/^GET \/api\/session$/))[0], { isError: true, attributes: { 'error.type': '500' } })
})

t.test('propagators and samplers are those of the variables', async (t) => {
  const collector = await startCollector(t)
  const deaf = await start(t, { env: { ...collector.env, OTEL_PROPAGATORS: 'none' } })
  t.not((await deaf.get('/api/sessions', { traceparent })).headers.get('x-trace-id'), remote.traceId)
  const silent = await start(t, { env: { ...collector.env, OTEL_TRACES_SAMPLER: 'always_off' } })
  t.match((await silent.get('/api/sessions')).headers.get('traceresponse'), /-00$/)
})

t.test('where traces cannot be sent as asked, the service starts, says so once, and makes none', async (t) => {
  for (const [env, words] of [
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, /only http\/protobuf and http\/json/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'not an address' }, /must be an address/],
    [{ OTEL_TRACES_EXPORTER: 'console' }, /only otlp is served/]
  ] as const) {
    const log: Array<Record<string, unknown>> = []
    const service = await start(t, { env, log: (line) => log.push(line) })
    t.equal((await service.get('/api/sessions')).headers.get('x-trace-id'), null)
    t.same(log.filter(({ msg }) => words.test(String(msg))).length, 1, String(words))
  }
})
