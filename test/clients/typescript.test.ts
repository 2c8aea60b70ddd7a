import { build } from 'esbuild'
import fc from 'fast-check'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import t from '#test'
import { ApiError, Client, TurnFailed, eventFrames, isTerminal, type FeedFrame, type Prompt, type TurnFrame } from '../../clients/typescript/src/index.js'
import { start, type TestLike, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { cuttable } from '../support/cuttable.js'
import { serving } from '../support/listening.js'
import { tries } from '../support/tries.js'

const timing = { pausesMs: [5, 20] as const }
const clientOf = (service: TestService, url = service.url): Client => new Client({ url, timing })
const textOf = (frames: readonly TurnFrame[]): string => frames.map((frame) => frame.event === 'token' ? frame.data.text : '').join('')

async function all<One> (ones: AsyncIterable<One>): Promise<One[]> {
  const found: One[] = []
  for await (const one of ones) found.push(one)
  return found
}

/** Returns all frames of a turn; `between` is awaited after each. */
async function read (client: Client, streamId: string, between: (frames: readonly TurnFrame[]) => Promise<void> | void = () => {}): Promise<TurnFrame[]> {
  const frames: TurnFrame[] = []
  for await (const frame of client.turn(streamId)) {
    frames.push(frame)
    await between(frames)
  }
  return frames
}

t.test('a turn is followed to its last frame, whose answer is that of the transcript', async (t) => {
  const service = await start(t)
  const client = clientOf(service)
  const { session } = await client.api.post('/api/session/new')
  const { stream_id: streamId } = await client.send(session.session_id, 'slow 30')
  const frames = await read(client, streamId)
  t.match(textOf(frames), /1 2 3 .* 30/)
  t.equal(frames.at(-1)?.event, 'stream_end')
  t.same(frames.map(({ id }) => id), frames.map((_, index) => `${streamId}:${index + 1}`))

  const half = frames[Math.floor(frames.length / 2)]!
  t.same((await all(client.turn(streamId, { after: half.id }))).map(({ id }) => id), frames.slice(frames.indexOf(half) + 1).map(({ id }) => id), 'from a place on')
  t.same(await all(client.turn(streamId, { after: frames.at(-1)!.id })), [], 'nothing after the last one')
  await t.rejects(read(client, 'unknown'), { name: 'ApiError', status: 404, message: 'stream not found' })
})

t.test('a turn is taken up where the connection was cut: no frame twice, none missing', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 200 })
  const way = await cuttable(t, service.url)
  const client = clientOf(service, way.url)
  const { session } = await client.api.post('/api/session/new')
  const { stream_id: streamId } = await client.send(session.session_id, 'slow 120')
  let cuts = 0
  const frames = await read(client, streamId, async ({ length }) => {
    if (length % 7 !== 0) return
    cuts++
    way.refuse(cuts % 2 === 0)
    way.cut()
    await delay(10)
    way.refuse(false)
  })
  t.ok(cuts > 3, `${cuts} cuts`)
  t.same(frames.map(({ id }) => id), frames.map((_, index) => `${streamId}:${index + 1}`))
  t.match(textOf(frames), /1 2 3 .* 120/)
})

/** Starts a server whose event stream a test writes itself, and records the queries. */
async function scripted (t: TestLike, answer: (query: URLSearchParams, attempt: number) => { status?: number, body: string, hold?: boolean, headers?: Record<string, string> }): Promise<{ client: Client, queries: URLSearchParams[] }> {
  const queries: URLSearchParams[] = []
  const origin = await serving(t, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname.endsWith('/status')) return response.end(JSON.stringify({ active: true, journal: { terminal: false, last_seq: 0 } }))
    queries.push(searchParams)
    const { status = 200, body, hold = false, headers = {} } = answer(searchParams, queries.length)
    response.writeHead(status, { 'content-type': status === 200 ? 'text/event-stream' : 'application/json', ...headers })
    response.write(body)
    if (!hold) response.end()
  })
  return { client: new Client({ url: origin, timing }), queries }
}

const sse = (id: string, event: string, data: unknown): string => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`
const tokens = (...numbers: number[]): string => numbers.map((n) => sse(`s:${n}`, n === 5 ? 'stream_end' : 'token', n === 5 ? {} : { text: String(n) })).join('')

t.test('what a proxy repeats is left out, what it loses is asked for again, and a silent connection is given up', async (t) => {
  const { client, queries } = await scripted(t, (_, attempt) => [
    { body: tokens(1, 2) }, { body: tokens(1, 2, 4) }, { status: 502, body: 'Bad gateway' }, { body: tokens(3), hold: true }, { body: tokens(4, 5, 6) }
  ][attempt - 1]!)
  const frames = await all(client.turn('s', { silentMs: 50 }))
  t.same(frames.map(({ id }) => id), ['s:1', 's:2', 's:3', 's:4', 's:5'])
  t.same(queries.map((query) => query.get('after_seq')), ['0', '2', '2', '2', '3'])
})

t.test('what the service refuses ends a stream at once, and what passes is waited for, as long as it says', async (t) => {
  const error = (text: string): string => JSON.stringify({ error: text, code: 'restarting' })
  const { client, queries } = await scripted(t, (_, attempt) => attempt === 1
    ? { status: 503, body: error('later'), headers: { 'retry-after': '0.1' } }
    : attempt === 2 ? { status: 429, body: error('slowly') } : { status: 403, body: error('never') })
  await t.rejects(all(client.turn('s')), { status: 403, message: 'never', code: 'restarting' })
  t.equal(queries.length, 3)
  await t.rejects(all(new Client({ url: 'http://127.0.0.1:9', timing: { ...timing, patienceMs: 30 } }).turn('s')), { name: 'ApiError', status: 0 })
})

t.test('an abort ends a stream and leaves nothing behind', async (t) => {
  const { client } = await scripted(t, () => ({ body: tokens(1), hold: true }))
  const gone = new AbortController()
  const frames: string[] = []
  await t.rejects((async () => {
    for await (const { id } of client.turn('s', { signal: gone.signal })) {
      frames.push(id)
      setTimeout(() => gone.abort(new Error('enough')), 20)
    }
  })(), { message: 'enough' })
  t.same(frames, ['s:1'])
  await t.rejects(all(client.turn('s', { signal: AbortSignal.abort(new Error('before')) })), { message: 'before' })
})

t.test('everything over one stream: a cursor resumes it, turns come once, and a cursor that means nothing brings a snapshot', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 200 })
  const way = await cuttable(t, service.url)
  const client = clientOf(service, way.url)
  const { session: { session_id: sessionId } } = await client.api.post('/api/session/new')
  const gone = new AbortController()
  const frames: FeedFrame[] = []
  const following = (async () => {
    for await (const frame of client.events({ sessions: [sessionId], signal: gone.signal })) {
      frames.push(frame)
      if (frame.event === 'turn' && frame.data.event === 'token' && frames.length % 9 === 0) way.cut()
      if (frame.event === 'turn' && isTerminal(frame.data.event)) return
    }
  })()
  await eventually('a snapshot', () => frames.length > 0)
  const { stream_id: streamId } = await client.send(sessionId, 'slow 80')
  await following
  t.equal(frames[0]?.event, 'snapshot')
  t.equal(frames.filter(({ event }) => event === 'snapshot').length, 1, 'the cursor is understood each time')
  const turn = frames.flatMap((frame) => frame.event === 'turn' ? [frame.data] : [])
  t.same(turn.map(({ id }) => id), turn.map((_, index) => `${streamId}:${index + 1}`))

  const first = client.events({ after: 'no cursor of this service' })
  t.match(await first.next(), { value: { event: 'snapshot' } })
  await first.return(undefined)
  await t.rejects(all(client.events({ folders: [':'] })), { status: 400 })
  gone.abort()
})

t.test('a frame of a turn that is missing brings the turn again, from the last one that was seen', async (t) => {
  const turn = (cursor: string, seq: number, event = 'token'): string =>
    sse(cursor, 'turn', { session_id: 'x', stream_id: 's', id: `s:${seq}`, event, data: { text: '' } })
  const { client, queries } = await scripted(t, (_, attempt) => attempt === 1 ? { body: turn('c1', 1) + turn('c3', 3) } : { body: turn('d1', 1) + turn('d2', 2) + turn('d3', 3, 'stream_end') + turn('d4', 9) })
  const ids: string[] = []
  for await (const frame of client.events({ turns: ['s'] })) {
    if (frame.event === 'turn') ids.push(frame.data.id)
    if (ids.length === 4) break
  }
  t.same(ids, ['s:1', 's:2', 's:3', 's:9'])
  t.same(queries.map((query) => [query.get('follow'), query.get('after_event_id')]), [['s', null], ['s:1', null]])
})

t.test('asking waits for the answer, and hands over what the agent asks meanwhile', async (t) => {
  const service = await start(t)
  const client = clientOf(service)
  const { session: { session_id: sessionId } } = await client.api.post('/api/session/new')
  const asked: Prompt[] = []
  const onPrompt = async (prompt: Prompt): Promise<void> => {
    asked.push(prompt)
    if (prompt.kind === 'approval') await client.approve(prompt.prompt)
    else await client.answer(prompt.prompt, 'blue')
  }
  const written = await client.ask(sessionId, 'write notes.md: Hello', { onPrompt })
  t.match(written.text, /Created notes\.md/)
  t.equal(written.done?.session_id, sessionId)
  t.match((await client.api.get('/api/file', { session_id: sessionId, path: 'notes.md' })).content, 'Hello')
  t.match((await client.ask(sessionId, 'ask me Which colour? red | blue', { onPrompt })).text, /blue/)
  t.match(asked, [{ kind: 'approval', prompt: { file: 'notes.md' } }, { kind: 'question', prompt: { question: 'Which colour?' } }])
  await t.rejects(client.ask(sessionId, 'ask me What? a | b', { onPrompt: () => { throw new Error('no idea') } }), { message: 'no idea' })
})

t.test('a turn that is cancelled or fails is an error that says which', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 50 })
  const client = clientOf(service)
  const { session: { session_id: sessionId } } = await client.api.post('/api/session/new')
  const asking = client.ask(sessionId, 'slow 5000', { onFrame: ({ event, id }) => { if (event === 'token') void client.cancel(id.split(':')[0]!) } })
  const error = await asking.then(() => null, (reason: unknown) => reason)
  t.ok(error instanceof TurnFailed)
  t.match(error, { type: 'cancelled' })
  t.equal(await client.cancel('unknown'), false)
  const busy = await client.send(sessionId, 'slow 5000')
  const refused = await client.send(sessionId, 'again').then(() => null, (reason: unknown) => reason)
  t.ok(refused instanceof ApiError)
  t.match(refused, { status: 409, body: { active_stream_id: busy.stream_id } })
  await client.cancel(busy.stream_id)
})

t.test('a device pairs by code, uploads with its token, and is refused when that is revoked', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'a long password' } })
  const login = await fetch(`${service.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"password": "a long password"}' })
  const person = new Client({ url: service.url, api: { headers: { cookie: login.headers.get('set-cookie')!.split(';')[0]! } } })
  const { code } = await person.api.post('/api/auth/tokens/pair', { name: 'Phone', scope: 'chat' })
  const { token, device } = await Client.pair(service.url, code)
  t.match(device, { name: 'Phone', scope: 'chat' })
  await t.rejects(Client.pair(service.url, code), { status: 401 })
  const client = new Client({ url: `${service.url}/`, token })
  const { session: { session_id: sessionId } } = await client.api.post('/api/session/new')
  t.match(await client.upload(sessionId, new File(['Hello'], 'notes.txt')), { filename: 'notes.txt', size: 5 })
  await t.rejects(client.api.post('/api/crons/create', { prompt: 'x', schedule: '1h' }), { status: 403, code: 'scope_too_narrow' })
  await person.api.post('/api/auth/tokens/revoke', { id: device.id })
  await t.rejects(client.api.get('/api/sessions'), { status: 401 })
})

t.test('events are read as they are specified, however they are cut into pieces', async (t) => {
  const event = fc.record({ id: fc.option(fc.stringMatching(/^[a-z0-9:]{1,8}$/)), name: fc.constantFrom('token', 'done'), data: fc.json(), end: fc.constantFrom('\n', '\r\n') })
  await fc.assert(fc.asyncProperty(fc.array(event, { maxLength: 8 }), fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), async (events, cuts) => {
    const bytes = new TextEncoder().encode(events.map(({ id, name, data, end }) =>
      [...(id === null ? [] : [`id: ${id}`]), ': a comment', `event: ${name}`, ...data.split('\n').map((line) => `data: ${line}`), '', ''].join(end)).join('') + 'event: cut off\ndata: 1')
    let [at, turn] = [0, 0]
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        if (at >= bytes.length) return controller.close()
        controller.enqueue(bytes.subarray(at, at += cuts[turn++ % cuts.length]!))
      }
    })
    t.same(await all(eventFrames(body)), events.map(({ id, name, data }) => ({ id, frame: { event: name, data: JSON.parse(data) } })))
  }), { numRuns: tries(100) })
})

t.test('the client weighs at most 12 KB, with all that it needs', async (t) => {
  const { outputFiles: [file] } = await build({ entryPoints: ['clients/typescript/src/index.ts'], bundle: true, minify: true, format: 'esm', write: false })
  const bytes = gzipSync(file!.contents, { level: 9 }).length
  t.ok(bytes > 2_000 && bytes <= 12_000, `${bytes} bytes`)
})
