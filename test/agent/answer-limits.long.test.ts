import { gzipSync } from 'node:zlib'
import t from '#test'
import { Outbox } from '../../services/agent/host/outbox.js'
import { withoutThoughts } from '../../services/agent/engines/whole-answer.js'
import { flow, pieceChars } from '../../services/agent/limits.js'
import { answerLimits, responseLimits } from '../../services/providers/limits.js'
import { longestHeld } from '../../services/ground/redaction/index.js'
import { limitedFetch } from '../../services/providers/limited-fetch.js'
import { type FromHost, type RunBatch, type ToHost } from '../../services/agent/protocol.js'
import { createAgentRuntime } from '../../services/agent/runtime/runtime.js'
import { startChat, eventually, type ScriptedAnswer } from '../support/chat.js'
import { tokenText } from '../support/events.js'
import { serving } from '../support/listening.js'
import { type ModelStep } from '../support/model-endpoint.js'

const service = await startChat(t, { hosts: 'fork' })
const MiB = 1_048_576

const event = (delta: unknown): string => `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`
const x = (length: number): string => 'x'.repeat(length)
const callOf = (index: number, args: string): unknown => ({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: 'list_files', arguments: args } }] })
const moreOf = (index: number, args: string): unknown => ({ tool_calls: [{ index, function: { arguments: args } }] })

interface Flood {
  what: string
  answer: ModelStep[]
  state: string
  kept?: { content: string, reasoning?: string }
}

/** Each would go on for hundreds of megabytes. */
const floods: Flood[] = [
  { what: 'a line that never ends', answer: [{ text: 'Well' }, { raw: 'data: {"choices":[{"delta":{"content":"' }, { raw: x(65_536), times: 8_192 }], state: 'response_limit_reached', kept: { content: 'Well' } },
  { what: 'an event of lines that never ends', answer: [{ text: 'Well' }, { raw: 'data: x\n'.repeat(8_192), times: 8_192 }], state: 'response_limit_reached', kept: { content: 'Well' } },
  { what: 'the same with the other line ends', answer: [{ text: 'Well' }, { raw: 'data: x\r\n'.repeat(8_192), times: 8_192 }], state: 'response_limit_reached', kept: { content: 'Well' } },
  { what: 'text without end', answer: [{ raw: event({ content: x(1_000) }).repeat(50), times: 10_000 }], state: 'text_limit_reached', kept: { content: x(answerLimits.textChars) } },
  { what: 'one piece of text that is larger than all', answer: [{ text: 'Well ' }, { chunk: `${x(answerLimits.textChars - 6)}😀${x(MiB)}` }, { text: 'more' }], state: 'text_limit_reached', kept: { content: `Well ${x(answerLimits.textChars - 6)}` } },
  { what: 'thoughts without end', answer: [{ raw: event({ reasoning_content: x(1_000) }).repeat(50), times: 10_000 }], state: 'reasoning_limit_reached', kept: { content: '', reasoning: x(answerLimits.reasoningChars) } },
  { what: 'arguments without end', answer: [{ text: 'Well' }, { raw: event(callOf(0, '{"a":"')) }, { raw: event(moreOf(0, x(1_000))).repeat(50), times: 10_000 }], state: 'arguments_limit_reached', kept: { content: 'Well' } },
  { what: 'an id of a call without end', answer: [{ text: 'Well' }, { raw: event({ tool_calls: [{ index: 0, id: x(answerLimits.callIdChars + 1), type: 'function', function: { name: 'list_files', arguments: '{}' } }] }) }], state: 'parts_limit_reached', kept: { content: 'Well' } },
  { what: 'a name of a tool without end', answer: [{ text: 'Well' }, { raw: event({ tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: x(answerLimits.toolNameChars + 1), arguments: '{}' } }] }) }, { finish: 'tool_calls' }], state: 'parts_limit_reached', kept: { content: 'Well' } },
  { what: 'calls without end', answer: [{ text: 'Well' }, { raw: Array.from({ length: 5_000 }, (_, index) => event(callOf(index, '{}'))).join('') }], state: 'tool_calls_limit_reached', kept: { content: 'Well' } }
]

for (const { what, answer, state, kept } of floods) {
  t.test(`${what}: the turn ends and says why, what came is kept, the connection is closed, and all goes on`, async (t) => {
    const model = service.model(answer)
    const sessionId = await service.newSession()
    const { frames, last } = await service.turn(sessionId, 'Hello', model)
    t.match(last, { event: 'apperror', data: { type: 'answer_too_large', error: /without end/, hint: /kept/, terminal_state: state } })
    const [request, ...others] = service.requests(model)
    t.equal(others.length, 0, 'it is not asked again')
    await eventually('the connection to be closed', () => request!.isClosed)
    t.ok(request!.sentBytes < 48 * MiB, `it was read no further (${request!.sentBytes} bytes)`)
    t.ok(frames.every((frame) => frame.event !== 'token' || frame.data.text.length <= pieceChars + longestHeld), 'no delta is large')
    const { messages } = await service.session(sessionId)
    t.same({ content: messages[1].content, reasoning: messages[1].reasoning }, { content: kept!.content, reasoning: kept!.reasoning }, 'what came is kept')
    t.equal(messages[1]._partial, true)
    t.equal(tokenText(frames), kept!.content)
    t.match(messages.at(-1), { _error: true, content: /without end/ })
    const next = await service.turn(sessionId, 'Go on', service.model())
    t.equal(next.last.event, 'stream_end', 'the same agent goes on')
  })
}

t.test('a turn of many large answers has an end as well', async (t) => {
  const step: ScriptedAnswer = [{ chunk: x(MiB) }, { tool: 'todo', args: { todos: [] } }]
  const other = await startChat(t)
  const sessionId = await other.newSession()
  const { last } = await other.turn(sessionId, 'Hello', other.model(...Array.from({ length: 20 }, () => step)))
  t.match(last, { event: 'apperror', data: { type: 'answer_too_large', terminal_state: 'turn_limit_reached' } })
  t.equal((await other.turn(sessionId, 'Go on', other.model())).last.event, 'stream_end')
})

t.test('refusals are read no further than they are needed', async (t) => {
  // After a rate limit the service waits: the fourth request is answered.
  for (const [status, type, requests] of [[400, 'error', 1], [401, 'auth_mismatch', 1], [429, null, 4], [500, 'error', 3]] as const) {
    const model = service.model(...Array.from({ length: 3 }, () => [{ refuse: status, error: 'No', padBytes: 1_000 * MiB }]))
    const { last } = await service.turn(await service.newSession(), 'Hello', model)
    t.match(last, type === null ? { event: 'stream_end' } : { event: 'apperror', data: { type } }, `status ${status}`)
    t.equal(service.requests(model).length, requests)
    for (const request of service.requests(model)) t.ok(request.sentBytes < 16 * MiB, `${request.sentBytes} bytes`)
  }
})

t.test('calls nested without end, and figures that are none, hurt nobody', async (t) => {
  const pidOf = async () => (await service.get('/api/system/health')).body.agent.pid as number
  const sessionId = await service.newSession()
  const pid = await pidOf()
  const deep = `{"path":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
  const model = service.model([{ raw: event(callOf(0, deep)) }, { finish: 'tool_calls' }, { usage: { input: -5, output: 1e300 } }], [{ text: 'I see.' }, { usage: { input: 1e15, output: -1 } }])
  const { frames, last } = await service.turn(sessionId, 'Hello', model)
  t.equal(last.event, 'stream_end')
  t.match(frames.find((frame) => frame.event === 'tool_complete')?.data, { is_error: true, preview: /nested/ })
  t.equal(await pidOf(), pid, 'the agent lives')
  const session = await service.session(sessionId)
  t.ok(session.input_tokens > 0 && session.input_tokens < 1_000_000, `${session.input_tokens}`)
})

t.test('a huge answer beside the turn is no title, and a neighbour hears nothing of it', async (t) => {
  const other = await startChat(t)
  other.endpoint.script((request) => request.stream ? [{ text: 'Fine.' }] : [{ text: x(8 * MiB) }])
  const sessionId = await other.newSession()
  t.equal((await other.turn(sessionId, 'How do I bake bread?', 'some-model')).last.event, 'stream_end')
  t.equal((await other.session(sessionId)).title, 'How do I bake bread?')
})

t.test('answers in one piece, compressed ones and lists have their limits, whatever they claim to be', async (t) => {
  const bodies: Record<string, { type: string, body: Buffer, gzip?: boolean, status?: number }> = {
    '/small': { type: 'application/json', body: Buffer.from('{"a":1}') },
    '/json': { type: 'application/json', body: Buffer.alloc(responseLimits.bodyBytes + 1, 'x') },
    '/bomb': { type: 'application/json', body: gzipSync(Buffer.alloc(64 * MiB)), gzip: true },
    '/stream-bomb': { type: 'text/event-stream', body: gzipSync(Buffer.alloc(300 * MiB, ': x\n\n')), gzip: true },
    '/line-bomb': { type: 'text/event-stream', body: gzipSync(Buffer.alloc(64 * MiB, 'x')), gzip: true },
    '/error-bomb': { type: 'application/json', body: gzipSync(Buffer.alloc(64 * MiB, 'x')), gzip: true, status: 500 }
  }
  const origin = await serving(t, (request, response) => {
    const { type, body, gzip, status = 200 } = bodies[request.url!]!
    response.writeHead(status, { 'content-type': type, ...(gzip === true ? { 'content-encoding': 'gzip' } : {}) })
    response.end(body)
  })
  const read = async (path: string): Promise<string> => await (await limitedFetch()(`${origin}${path}`)).text()

  t.equal(await read('/small'), '{"a":1}')
  for (const path of ['/json', '/bomb', '/stream-bomb', '/line-bomb']) await t.rejects(read(path), { name: 'AnswerTooLarge', limit: 'response' }, path)
  t.equal((await read('/error-bomb')).length, responseLimits.errorBytes, 'of an error the beginning is read')
})

t.test('a list of models without end is none, and the service goes on', async (t) => {
  const rows = { data: Array.from({ length: 200_000 }, (_, index) => ({ id: `model-${index}`, name: 'x'.repeat(20) })) }
  const origin = await serving(t, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(rows))
  })
  const other = await startChat(t, { env: { OPENAI_BASE_URL: `${origin}/v1` } })
  const { status, body } = await other.get('/api/models')
  t.equal(status, 200)
  t.match(body.groups[0].models_endpoint_error ?? 'none', /could not be understood/)
})

t.test('a model of which nobody says how large it is has the usual window', async (t) => {
  const sessionId = await service.newSession()
  const { frames } = await service.turn(sessionId, 'Hello', service.model([{ text: 'Fine.' }, { usage: { input: 25_000, output: 600 } }]))
  const facts = { context_length: 256_000, threshold_tokens: 128_000, last_prompt_tokens: 25_600 }
  t.match(frames.find((frame) => frame.event === 'done')?.data.usage, facts)
  t.match(await service.session(sessionId), { ...facts, window_usage_percent: 10 })
})

t.test('events may be cut anywhere, in any of the three line ends', async (t) => {
  const long = `data: ${x(900)}`
  for (const end of ['\n', '\r\n', '\r']) {
    const text = `${long}${end}${end}`.repeat(6_000)
    for (const size of [1_013, 65_536]) {
      const chunks = Array.from({ length: Math.ceil(text.length / size) }, (_, index) => Buffer.from(text.slice(index * size, (index + 1) * size)))
      const fake = async (): Promise<Response> => new Response(ReadableStream.from(chunks) as ReadableStream<Uint8Array>, { headers: { 'content-type': 'text/event-stream' } })
      t.equal((await (await limitedFetch(fake as typeof fetch)('http://x/')).text()).length, text.length, `${JSON.stringify(end)} in pieces of ${size}`)
    }
  }
})

t.test('what is on its way to the disk is bounded', async (t) => {
  await t.test('in the agent: a run that is too far ahead waits, the others do not', async (t) => {
    const sent: RunBatch[] = []
    const outbox = new Outbox((message: FromHost) => { if (message.type === 'events') sent.push(...message.batches) })
    for (const runId of ['fast', 'slow']) outbox.open(runId, 1)
    outbox.push('fast', { t: 'token', text: `${x(pieceChars - 1)}😀${x(flow.windowChars)}` })
    outbox.push('slow', { t: 'token', text: 'slowly' })
    const wait = outbox.drained('fast')
    t.ok(wait !== undefined)
    t.equal(outbox.drained('slow'), undefined)
    outbox.flush()
    const fast = sent.filter(({ runId }) => runId === 'fast')
    const texts = fast.flatMap(({ events }) => events.flatMap((event) => event.t === 'token' ? [event.text] : []))
    t.ok(texts.every((text) => text.length <= pieceChars && !/[\uD800-\uDBFF]$/.test(text)), 'pieces are small and whole')
    t.equal(texts.join('').length, pieceChars + 1 + flow.windowChars)
    outbox.stored('fast', fast[1]!.seq - 1)
    await wait
    t.equal(outbox.drained('fast'), undefined)
    outbox.push('fast', { t: 'token', text: x(flow.windowChars) })
    const again = outbox.drained('fast')
    outbox.close('fast')
    await again
  })

  await t.test('and it hears of what is stored when that is stored, not before', async (t) => {
    const told: ToHost[] = []
    const stored: Array<() => void> = []
    let listen: (message: FromHost) => void = () => {}
    const runtime = createAgentRuntime({
      whenStored: (callback) => { stored.push(callback) },
      transport: () => ({ pid: 1, send: (message) => { told.push(message) }, onMessage: (listener) => { listen = listener }, onExit () {}, stop: async () => {}, kill () {} })
    })
    t.teardown(() => runtime.stop())
    runtime.start({ runId: 'run', generation: 1, profile: 'default' } as never, { events () {}, lost () {} })
    let seq = 0
    const say = (chars: number) => listen({ type: 'events', batches: [{ runId: 'run', generation: 1, seq: ++seq, events: [{ t: 'token', text: x(chars) }] }] })
    say(flow.portionChars - 1)
    t.equal(stored.length, 0, 'small amounts are not worth a message')
    say(1)
    t.equal(told.filter((message) => message.type === 'stored').length, 0)
    for (const callback of stored) callback()
    t.same(told.filter((message) => message.type === 'stored'), [{ type: 'stored', runId: 'run', seq: 2 }])
  })
})

t.test('thoughts are taken out of an answer in one pass', (t) => {
  const cases: Array<[string, string]> = [
    ['Fine', 'Fine'], ['<think>a</think>Fine', 'Fine'], ['a</think>Fine', 'Fine'], ['Fine<think>a', 'Fine'],
    ['One<think>a</think> two<THINKING>b</THINKING> three', 'One two three'], ['<think>a<think>b</think>c', 'c'], ['<think>a</thinking>b', 'b'], ['', '']
  ]
  for (const [text, rest] of cases) t.equal(withoutThoughts(text), rest, text)
  t.equal(withoutThoughts('<think>'.repeat(200_000)), '')
})
