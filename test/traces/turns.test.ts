import t from '#test'
import { eventually, gate, held, startChat, type ScriptedAnswer } from '../support/chat.js'
import { startCollector, type ReceivedSpan, type TestCollector } from '../support/collector.js'

const collector = await startCollector(t)
const service = await startChat(t, { env: collector.env })

/** Returns what arrived of a turn's trace, once its own span has. */
async function traceOf (streamId: string, from: TestCollector = collector): Promise<{ turn: ReceivedSpan, all: ReceivedSpan[], of: (name: RegExp) => ReceivedSpan[] }> {
  const turn = await eventually('the span of the turn', () => from.spans.find(({ attributes }) => attributes['svc.turn.id'] === streamId))
  const all = from.spans.filter(({ traceId }) => traceId === turn.traceId)
  return { turn, all, of: (name) => all.filter((span) => name.test(span.name)).toSorted((one, other) => one.startMs - other.startMs) }
}

const approve = async (sessionId: string, choice = 'once', on = service): Promise<unknown> =>
  await on.respond(sessionId, choice, (await on.pending(sessionId)).approval_id)
const terminal = (command: string, id: string): ScriptedAnswer => [{ tool: 'terminal', args: { command }, id }]

t.test('a turn with two tools and an approval: each is a span below the turn, which is one below its request', async (t) => {
  const model = service.model([{ tool: 'list_files', args: {}, id: 'call_list' }, { usage: { input: 100, output: 5, cacheRead: 40 } }], terminal('touch secret-name-1', 'call_touch'), [{ text: 'All of it is done.' }])
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  const answer = await service.post('/api/chat/start', { session_id: sessionId, message: 'my secret wish' })
  const reader = await service.watch(answer.body.stream_id)
  await approve(sessionId)
  await reader.ended
  const { turn, all, of } = await traceOf(answer.body.stream_id)
  t.match(turn, {
    name: 'invoke_agent default', kind: 1, isError: false, resource: { 'service.name': 'agent-web-service' },
    attributes: { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'default', 'gen_ai.conversation.id': sessionId, 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': model, 'svc.turn.kind': 'chat', 'svc.turn.outcome': 'done' }
  })
  const [request] = of(/^POST \/api\/chat\/start$/)
  t.match(request, { kind: 2, parentSpanId: null, attributes: { 'http.request.method': 'POST', 'http.route': '/api/chat/start', 'http.response.status_code': 200, 'svc.request.id': answer.headers.get('x-request-id') } })
  t.equal(turn.parentSpanId, request?.spanId)
  t.same([answer.headers.get('x-trace-id'), answer.headers.get('traceresponse')], [turn.traceId, `00-${turn.traceId}-${request?.spanId}-01`])
  const chats = of(new RegExp(`^chat ${model}$`))
  t.same(chats.map(({ kind, parentSpanId, isError, attributes }) => [kind, parentSpanId, isError, attributes['gen_ai.response.finish_reasons'], attributes['svc.model.attempt']]), [
    [3, turn.spanId, false, ['tool-calls'], 1], [3, turn.spanId, false, ['tool-calls'], 1], [3, turn.spanId, false, ['stop'], 1]
  ])
  t.match(chats[0]?.attributes, { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'openai', 'gen_ai.request.model': model, 'gen_ai.request.stream': true, 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 5, 'gen_ai.usage.cache_read.input_tokens': 40, 'gen_ai.response.time_to_first_chunk': Number })
  t.match(of(/^execute_tool/).map(({ name, parentSpanId, attributes }) => ({ name, parentSpanId, ...attributes })), [
    { name: 'execute_tool list_files', parentSpanId: turn.spanId, 'gen_ai.tool.call.id': 'call_list', 'gen_ai.tool.type': 'function' },
    { name: 'execute_tool terminal', parentSpanId: turn.spanId, 'gen_ai.tool.call.id': 'call_touch', 'gen_ai.operation.name': 'execute_tool' }
  ])
  const [prompt] = of(/^prompt /)
  const [, touched] = of(/^execute_tool/)
  t.match(prompt, { name: 'prompt approval', parentSpanId: turn.spanId, attributes: { 'svc.prompt.kind': 'approval', 'svc.prompt.outcome': 'answered', 'gen_ai.tool.call.id': 'call_touch' } })
  t.ok(prompt!.endMs <= touched!.startMs + 5, 'the wait for a person is not the tool\'s')
  t.equal(new Set(all.map(({ spanId }) => spanId)).size, all.length, 'no span twice')
  const text = JSON.stringify(all)
  for (const secret of ['secret-name-1', 'secret wish', 'All of it', service.workspace, service.folder, 'test-key-12345']) t.notOk(text.includes(secret), `nothing of "${secret}" is sent`)
  const asked = service.requests(model).map(({ headers }) => headers.traceparent)
  t.same(asked, chats.map(({ spanId }) => `00-${turn.traceId}-${spanId}-01`), 'the provider is told of the call')
})

t.test('a model call that fails and is tried again is two spans; one that gives up fails the turn', async (t) => {
  const model = service.model([{ refuse: 429, error: 'no secret reason' }], [{ text: 'Now.' }])
  const { streamId } = await service.turn(await service.newSession(), 'Go', model)
  const { of } = await traceOf(streamId)
  t.match(of(/^chat scripted/).map(({ isError, attributes }) => [isError, attributes['error.type'], attributes['svc.model.attempt']]), [[true, 'rate_limit', 1], [false, undefined, 2]])
  const lost = await service.turn(await service.newSession(), 'Go', 'fault-401')
  const { turn, of: failed } = await traceOf(lost.streamId)
  t.match(turn, { isError: true, attributes: { 'svc.turn.outcome': 'failed', 'error.type': 'auth_mismatch' } })
  t.match(failed(/^chat fault/), [{ isError: true, attributes: { 'error.type': 'auth_mismatch' } }])
})

t.test('calls that do not run, or fail, are told as what they are', async (t) => {
  const model = service.model(terminal('touch x', 'denied'), [{ tool: 'no_such_tool', args: {}, id: 'unknown' }, { tool: 'read_file', args: { path: 'not-there' }, id: 'missing' }])
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  const streamId = await service.send(sessionId, 'Go')
  await approve(sessionId, 'deny')
  const { of } = await traceOf(streamId)
  t.same(Object.fromEntries(of(/^execute_tool/).map(({ attributes }) => [attributes['gen_ai.tool.call.id'], attributes['error.type']])), { denied: 'not_run', unknown: 'not_run', missing: 'tool_error' })
  t.ok(of(/^execute_tool _OTHER$/).length === 1, 'by no name that the model has made up')
})

t.test('a sub-agent is a turn below the call that wants it', async (t) => {
  const model = service.model(...Array.from({ length: 4 }, (): ScriptedAnswer => ({ tools, messages }) =>
    tools.includes('delegate') && !messages.some(({ role }) => role === 'tool') ? [{ tool: 'delegate', args: { task: 'Look' }, id: 'call_sub' }] : [{ text: 'Done.' }]))
  const { streamId } = await service.turn(await service.newSession({ model, model_provider: 'openai' }), 'Go')
  const { turn, of } = await traceOf(streamId)
  const [call] = of(/^execute_tool delegate$/)
  const child = of(/^invoke_agent/).find(({ spanId }) => spanId !== turn.spanId)
  t.match(child, { parentSpanId: call?.spanId, attributes: { 'svc.turn.kind': 'delegate' } })
  t.ok(of(/^chat scripted/).some(({ parentSpanId }) => parentSpanId === child?.spanId), 'with model calls of its own')
})

t.test('the run of a job begins a trace of its own, and a small task belongs to its turn', async (t) => {
  const model = service.model([{ text: 'All is quiet.' }])
  const { job } = (await service.post('/api/crons/create', { prompt: 'Look', schedule: '1d', model })).body
  await service.post('/api/crons/run', { job_id: job.id })
  const turn = await eventually('the run', () => collector.spans.find(({ attributes }) => attributes['svc.turn.kind'] === 'cron'))
  t.equal(turn.attributes['svc.turn.outcome'], 'done')
  await service.post('/api/crons/delete', { job_id: job.id })
  const titled = await service.turn(await service.newSession(), 'A question that gets a title', service.model([{ text: 'An answer.' }]))
  const { turn: asked, all } = await traceOf(titled.streamId)
  const title = await eventually('the title', () => [...all, ...collector.spans].find(({ traceId, attributes }) => traceId === asked.traceId && attributes['svc.model.task'] === 'title'))
  t.match(title, { parentSpanId: asked.spanId, kind: 3, attributes: { 'gen_ai.operation.name': 'chat' } })
})

t.test('a cancelled turn is no failure, and what it was at is told as cancelled', async (t) => {
  const until = gate()
  const model = service.model(held(until, [{ text: 'Hm' }], []))
  const streamId = await service.send(await service.newSession(), 'Go', { model })
  await (await service.watch(streamId)).until('token')
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
  until.open()
  const { turn } = await traceOf(streamId)
  t.match(turn, { isError: false, attributes: { 'svc.turn.outcome': 'cancelled' } })
  const chat = await eventually('the call', () => collector.spans.find(({ traceId, name }) => traceId === turn.traceId && name === `chat ${model}`))
  t.equal(chat.attributes['error.type'], 'cancelled')
})

t.test('what a host says is believed as far as the vocabulary goes', async (t) => {
  const trace = `${'a'.repeat(32)}-${'b'.repeat(16)}--`
  const key = `sk-proj-${'aB3dE5fG7h'.repeat(5)}`
  const said = { word: 'tool', id: 'c'.repeat(16), parent: 'b'.repeat(16), startMs: 1_764_390_000_000, endMs: 1_764_390_000_000, attributes: {} } as const
  const tell = (more: Record<string, unknown>): void => service.app.traces?.told({ sessionId: 'a-session', trace }, { ...said, ...more } as never)
  for (const odd of [
    { word: 'turn' }, { word: '__proto__' }, { id: 'x' }, { parent: 7 }, { startMs: -1 }, { startMs: Infinity }, { endMs: 'late' }, { attributes: null }, { attributes: { 'gen_ai.tool.name': { a: 1 } } },
    { attributes: { 'gen_ai.tool.name': 'x'.repeat(100_000) } }, { attributes: Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`a${index}`, 1])) }
  ]) tell(odd)
  service.app.traces?.told({ sessionId: 'a-session', trace: 'nonsense' }, said)
  service.app.traces?.told({ sessionId: 'a-session', trace: null }, said)
  tell({ word: 'chat', id: 'd'.repeat(16), attributes: { 'gen_ai.request.model': '/home/anna/models/llama.gguf', 'gen_ai.response.model': 'C:\\models\\x.gguf' } })
  tell({ endMs: 5, attributes: { 'gen_ai.tool.name': `n ${key}`, 'gen_ai.tool.call.arguments': 'a text', 'gen_ai.conversation.id': 'another', 'service.name': 'evil', constructor: 'y', [String('__proto__')]: 'x' } })
  const [chat, span, ...others] = await eventually('those that are in order', () => {
    const found = collector.spans.filter(({ traceId }) => traceId === 'a'.repeat(32))
    return found.length > 1 && found
  })
  t.same(others, [])
  t.match(chat, { name: 'chat llama.gguf', attributes: { 'gen_ai.request.model': 'llama.gguf', 'gen_ai.response.model': 'x.gguf' } }, 'without folders')
  t.match(span?.attributes, { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.conversation.id': 'a-session' })
  t.same(Object.keys(span!.attributes).toSorted(), ['gen_ai.conversation.id', 'gen_ai.operation.name', 'gen_ai.tool.name'])
  t.notOk(JSON.stringify(span).includes(key), 'masked')
  t.equal(span!.endMs, span!.startMs, 'it ends no sooner than it begins')
})

t.test('texts are sent where that is asked for, with credentials masked', async (t) => {
  const there = await startCollector(t)
  const talkative = await service.again(t, t.testdir({}), { env: { ...there.env, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json', OTEL_EXPORTER_OTLP_COMPRESSION: 'gzip' } })
  const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH'
  const model = talkative.model([{ tool: 'list_files', args: { path: '.' }, id: 'call_1' }], [{ text: 'The end.' }])
  const { streamId } = await talkative.turn(await talkative.newSession(), `My wish, with ${key}`, model)
  const { turn, all, of } = await traceOf(streamId, there)
  const read = (value: unknown) => JSON.parse(String(value))
  t.match(read(turn.attributes['gen_ai.input.messages']), [{ role: 'user', parts: [{ type: 'text', content: /^My wish, with / }] }])
  t.match(read(turn.attributes['gen_ai.output.messages']), [{ role: 'assistant', parts: [{ content: 'The end.' }] }])
  const [first, second] = of(/^chat /)
  t.match(read(first!.attributes['gen_ai.output.messages']), [{ role: 'assistant', parts: [{ type: 'tool_call', name: 'list_files' }] }])
  t.match(read(second!.attributes['gen_ai.input.messages']).at(-1), { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1' }] })
  t.match(read(first!.attributes['gen_ai.system_instructions']), [{ type: 'text' }])
  t.match(of(/^execute_tool/)[0]?.attributes, { 'gen_ai.tool.call.arguments': '{"path":"."}', 'gen_ai.tool.call.result': String })
  t.notOk(JSON.stringify(all).includes(key), 'no key leaves')
  t.match(there.requests[0]?.headers, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
})
