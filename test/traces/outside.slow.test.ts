import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { startAgent } from '../support/acp/agents.js'
import { eventually, gate, held, startChat } from '../support/chat.js'
import { startCollector, type ReceivedSpan } from '../support/collector.js'
import { temporaryFolder } from '../support/folder.js'
import { called } from '../support/mcp/calls.js'
import { startWith } from '../support/mcp/servers.js'
import { modelEndpoint, type ModelStep } from '../support/model-endpoint.js'
import { needs } from '../support/programs.js'
import { spawnServer } from '../support/server.js'

const needed = process.platform === 'linux' ? {} : { skip: 'processes are found through /proc, which only Linux has' }

/** An MCP server that reports what came with the arguments of a call. */
const telling = `
const answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'telling', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'meta', inputSchema: { type: 'object' } }] }),
  'tools/call': ({ _meta }) => ({ content: [{ type: 'text', text: 'Trace: ' + _meta?.traceparent }] })
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} }))
})`

t.test('a tool of an MCP server has the words of MCP, and its server is told of the call', async (t) => {
  const collector = await startCollector(t)
  const service = await startWith(t, { mcp_servers: { there: { command: process.execPath, args: ['-e', telling] } } }, { env: collector.env })
  const { result } = await called(service, 'mcp__there__meta', {})
  const [span] = await collector.named(/^execute_tool mcp__there__meta$/)
  t.match(span?.attributes, { 'gen_ai.tool.type': 'extension', 'mcp.method.name': 'tools/call', 'svc.mcp.server': 'there' })
  t.equal(result, `Trace: 00-${span?.traceId}-${span?.spanId}-01`)
  const [prompt] = await collector.named(/^prompt approval$/)
  t.equal(prompt?.traceId, span?.traceId)
})

t.test('an agent of another maker: its calls are tools of the turn, which it is told of', async (t) => {
  const collector = await startCollector(t)
  const service = await startAgent(t, {}, { env: collector.env })
  const sessionId = await service.newSession()
  const turn = service.turn(sessionId, 'run touch here\ntrace')
  await service.approve(sessionId, 'once')
  const { text } = await turn
  const [span] = await collector.named(/^invoke_agent/)
  t.match(span?.attributes, { 'gen_ai.agent.name': 'default', 'gen_ai.provider.name': String, 'svc.turn.outcome': 'done' })
  t.match(text, new RegExp(`Trace: 00-${span?.traceId}-${span?.spanId}-01`))
  const [tool] = await collector.named(/^execute_tool terminal$/)
  t.match(tool, { parentSpanId: span?.spanId, isError: false, attributes: { 'gen_ai.tool.type': 'extension' } })
})

t.test('a turn that outlives kills of the service is one trace without a span that is missing or double', { ...needed, long: true }, async (t) => {
  const collector = await startCollector(t)
  const folder = temporaryFolder(t, 'traces')
  for (const name of ['home', 'workspace']) mkdirSync(join(folder, name))
  const endpoint = await modelEndpoint(t)
  const wait = gate()
  const answers: ModelStep[][] = [[{ tool: 'list_files', args: {}, id: 'call_1' }], held(wait, [{ text: 'Before. ' }], [{ text: 'After.' }]), [{ tool: 'terminal', args: { command: 'touch x' }, id: 'call_2' }]]
  endpoint.script((request) => request.stream ? answers.shift() ?? [{ text: 'Done.' }] : [{ text: 'A title' }])
  const serve = async () => await spawnServer(t, folder, { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345', ...collector.env })
  let server = await serve()
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', { model: 'scripted' })
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'Go' })
  await collector.named(/^execute_tool list_files$/)
  await eventually('the second answer', () => endpoint.requests.filter(({ stream }) => stream).length === 2)
  t.notOk(collector.spans.some(({ name }) => name.startsWith('invoke_agent')), 'what goes on is not told of as over')
  await server.end('SIGKILL')
  wait.open()
  server = await serve()
  const [turn] = await collector.named(/^invoke_agent/)
  t.match(turn?.attributes, { 'svc.turn.id': streamId, 'svc.turn.outcome': 'done', 'gen_ai.conversation.id': sessionId })
  /** Returns what was done in a turn, apart from a title and the start of a host. */
  const doneIn = (turn: ReceivedSpan | undefined): string[] => collector.spans
    .filter(({ traceId, parentSpanId, attributes }) => traceId === turn?.traceId && parentSpanId === turn?.spanId && attributes['svc.model.task'] === undefined)
    .map(({ name }) => name).filter((name) => !name.startsWith('start_host')).toSorted()
  t.same(doneIn(turn), ['chat scripted', 'chat scripted', 'execute_tool list_files'])
  // A turn that waits for a person during an ordinary stop of the service continues with a new run.
  const { stream_id: next } = await server.json('/api/chat/start', { session_id: sessionId, message: 'More' })
  const card = async () => await server.pending(sessionId)
  await card()
  t.equal(await server.end('SIGTERM'), 0)
  server = await serve()
  const { approval_id: id } = await card()
  await eventually('the answer to be taken', async () => (await server.respond(sessionId, 'once', id)).ok === true)
  const waited = await eventually('its end', () => collector.spans.find(({ attributes }) => attributes['svc.turn.id'] === next))
  t.same(doneIn(waited), ['chat scripted', 'chat scripted', 'execute_tool terminal', 'prompt approval'])
  t.equal(await server.end('SIGTERM'), 0)
  const ids = collector.spans.map(({ spanId }) => spanId)
  t.same(ids.filter((one, index) => ids.indexOf(one) !== index), [], 'none is double')
})

t.test('a turn on another machine has the spans of its host there, and a request that the machine answers has one of its own', needs('nats-server'), async (t) => {
  const collector = await startCollector(t)
  const service = await startChat(t, { machine: 'box', env: collector.env })
  const sessionId = await service.newSession({ workspace: service.named(service.workspace) })
  const { streamId } = await service.turn(sessionId, 'Go', service.model([{ tool: 'list_files', args: {}, id: 'call_1' }], [{ text: 'Done.' }]))
  const turn = await eventually('the turn', () => collector.spans.find(({ attributes }) => attributes['svc.turn.id'] === streamId))
  t.equal(turn.attributes['svc.machine'], 'box')
  for (const name of [/^chat scripted/, /^execute_tool list_files$/]) t.match((await collector.named(name))[0], { traceId: turn.traceId, parentSpanId: turn.spanId })
  t.equal((await service.get(`/api/list?session_id=${sessionId}`)).status, 200)
  const [request] = await collector.named(/^GET \/api\/list$/)
  t.match((await collector.named(/^machine GET \/api\/list$/))[0], { kind: 3, traceId: request?.traceId, parentSpanId: request?.spanId, attributes: { 'svc.machine': 'box', 'http.response.status_code': 200 } })
})

t.test('however often the service is killed, no span is sent twice', { ...needed, long: true }, async (t) => {
  const collector = await startCollector(t)
  const folder = temporaryFolder(t, 'traces')
  for (const name of ['home', 'workspace']) mkdirSync(join(folder, name))
  const endpoint = await modelEndpoint(t)
  let steps = 0
  endpoint.script((request) => !request.stream || ++steps > 60 ? [{ text: 'Done.' }] : [{ waitMs: 100 }, { tool: 'list_files', args: {}, id: `call_${steps}` }])
  const serve = async () => await spawnServer(t, folder, { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345', ...collector.env })
  let server = await serve()
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', { model: 'scripted' })
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'Go' })
  for (let kill = 0; kill < 5; kill++) {
    const before = steps
    await eventually('some steps', () => steps > before + 4)
    await server.end('SIGKILL')
    server = await serve()
  }
  await eventually('the turn', () => collector.spans.find(({ attributes }) => attributes['svc.turn.id'] === streamId))
  const ids = collector.spans.map(({ spanId }) => spanId)
  t.same(ids.filter((one, index) => ids.indexOf(one) !== index), [])
  const calls = collector.spans.filter(({ name }) => name === 'execute_tool list_files').map(({ attributes }) => attributes['gen_ai.tool.call.id'])
  t.equal(new Set(calls).size, calls.length)
  t.ok(calls.length > 45, `${calls.length} of 60 arrived: what was still to be sent when it was killed is lost`)
})

t.test('a collector that says nothing holds up neither turns nor a stop, and the log speaks of one that is away once', needed, async (t) => {
  const collector = await startCollector(t)
  collector.fault = () => {}
  const folder = temporaryFolder(t, 'traces')
  const silent = await spawnServer(t, join(folder, 'silent'), { ...collector.env, OFFLINE_DEMO_WORDS_PER_SECOND: '0' })
  const { session: { session_id: sessionId } } = await silent.json('/api/session/new', {})
  const { stream_id: streamId } = await silent.json('/api/chat/start', { session_id: sessionId, message: 'Hello' })
  await (await silent.events(`/api/chat/stream?stream_id=${streamId}`)).ended
  t.ok(collector.requests.length > 0)
  t.equal(await silent.end('SIGTERM'), 0)
  const alone = await spawnServer(t, join(folder, 'alone'), { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', OTEL_BSP_SCHEDULE_DELAY: '5', OTEL_BSP_EXPORT_TIMEOUT: '20' })
  for (let index = 0; index < 50; index++) await alone.json('/api/sessions')
  await eventually('a line', () => alone.output().includes('Traces cannot be sent'))
  for (let index = 0; index < 50; index++) await alone.json('/api/sessions')
  t.equal(await alone.end('SIGTERM'), 0)
  t.equal(alone.output().split('Traces cannot be sent').length, 2)
  t.notOk(/unhandled|uncaught/i.test(alone.output()))
})

t.test('a turn that a crash cut off is told of as that, once', { ...needed, long: true }, async (t) => {
  const collector = await startCollector(t)
  const folder = temporaryFolder(t, 'traces')
  for (const name of ['home', 'workspace']) mkdirSync(join(folder, name))
  const endpoint = await modelEndpoint(t)
  const never = gate()
  endpoint.script(() => held(never, [{ text: 'Before. ' }], []))
  const serve = async () => await spawnServer(t, folder, { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345', ...collector.env })
  const server = await serve()
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', { model: 'scripted' })
  await server.json('/api/chat/start', { session_id: sessionId, message: 'Go' })
  await eventually('the answer', () => endpoint.requests.some(({ stream }) => stream))
  await server.crash()
  const again = await serve()
  const [turn] = await collector.named(/^invoke_agent/)
  t.match(turn, { isError: true, attributes: { 'error.type': 'interrupted', 'svc.turn.outcome': 'interrupted' } })
  t.equal(await again.end('SIGTERM'), 0)
  t.equal(collector.spans.filter(({ name }) => name.startsWith('invoke_agent')).length, 1)
})
