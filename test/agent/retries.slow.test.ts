import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { createModelResolver } from '../../services/agent/host/model-resolver.js'
import { localTiming, remoteTiming } from '../../services/agent/host/host.js'
import { classifyModelError } from '../../services/providers/index.js'
import { browserClient, nativeClient, plainBrowserClient } from '../support/clients.js'
import { gate, held, startChat, type ScriptedAnswer } from '../support/chat.js'
import { tokenText } from '../support/events.js'
import { type ModelStep } from '../support/model-endpoint.js'

const service = await startChat(t)
/** Times out silent models so soon that only tests of silent models may use it. */
const impatient = await startChat(t, { timing: { firstChunkMs: 400, nextChunkMs: 400, silenceMs: 700 } })

const cut = { cut: true as const }
const answer = (text: string): ScriptedAnswer => [{ text }]
const broken = (text: string): ScriptedAnswer => [{ text }, cut]
const refused: ScriptedAnswer = [{ refuse: 500 }]
const call = (text: string): ScriptedAnswer => [{ text }, { tool: 'list_files', args: {}, id: 'call_list' }]
const callAlone: ScriptedAnswer = [{ tool: 'list_files', args: {}, id: 'call_list' }]

const stories: Array<{ what: string, answers: ScriptedAnswer[], stands: string, ends: 'done' | 'apperror' }> = [
  { what: 'an answer that breaks off once', answers: [broken('Half an'), answer('A whole answer.')], stands: 'A whole answer.', ends: 'done' },
  { what: 'one that breaks off behind a tool', answers: [call('Let me see. '), broken('Half an'), answer('A whole answer.')], stands: 'Let me see. A whole answer.', ends: 'done' },
  { what: 'one that breaks off twice behind two tools', answers: [call('First. '), call('Second. '), broken('Half an'), broken('Another half'), answer('All of it.')], stands: 'First. Second. All of it.', ends: 'done' },
  { what: 'one that calls a tool when asked again', answers: [broken('Half an'), callAlone, answer('Now I know.')], stands: 'Now I know.', ends: 'done' },
  { what: 'one that breaks off, is refused, and comes then', answers: [broken('Half an'), refused, answer('A whole answer.')], stands: 'A whole answer.', ends: 'done' },
  { what: 'one that breaks off and is refused from then on', answers: [broken('Half an'), refused, refused, refused], stands: 'Half an', ends: 'apperror' },
  { what: 'one that breaks off, comes empty and is refused', answers: [broken('Half an'), [{ finish: 'stop' }], refused, refused], stands: 'Half an', ends: 'apperror' },
  { what: 'one that breaks off behind a tool and is refused from then on', answers: [call('Let me see. '), broken('Half an'), refused, refused, refused], stands: 'Let me see. Half an', ends: 'apperror' },
  { what: 'one that breaks off every time', answers: ['One', 'Two', 'Three', 'Four'].map(broken), stands: 'Four', ends: 'apperror' },
  { what: 'one that breaks off in its thoughts and is refused then', answers: [[{ text: 'Well' }, { reasoning: 'I think' }, cut], refused, refused, refused], stands: 'Well', ends: 'apperror' }
]

for (const { what, answers, stands, ends } of stories) {
  t.test(`${what}: every kind of client ends right and shows nothing twice`, { long: true }, async (t) => {
    const sessionId = await service.newSession()
    const { frames, last } = await service.turn(sessionId, 'Hello', service.model(...answers))
    t.ok(frames.some((frame) => frame.event === ends))
    const { messages } = await service.session(sessionId)
    const rows = messages.filter((row: { role: string, _error?: boolean }) => row.role === 'assistant' && row._error !== true)
    t.equal(rows.map((row: { content: string }) => row.content).join(''), stands, 'what was shown stands, or what came instead')
    t.equal(rows.at(-1)._partial === true, ends === 'apperror', 'what is only a part is marked as one')
    if (ends === 'apperror') t.equal(last.data.session.messages.at(-1)._error, true)

    for (const [kind, client] of Object.entries({ nativeClient, browserClient, plainBrowserClient })) {
      const shown = client(frames)
      t.ok(shown.at(-1)!.startsWith(stands), `${kind} ends right`)
      for (const sentence of stands.split(/(?<=\. )/)) t.notOk(shown.some((text) => text.split(sentence).length > 2), `${kind} never shows "${sentence}" twice`)
    }
    const browser = browserClient(frames)
    const settledAt = frames.findIndex((frame) => frame.event === ends)
    t.equal(browser[settledAt], stands, 'a browser shows before the end what it shows after it')
    for (const [index, frame] of frames.entries()) {
      if (frame.event === 'warning') t.equal(browser[index + 1], browser[index], 'nothing goes before the next attempt has something to say')
    }
    const told = frames.filter((frame) => frame.event === 'interim_assistant')
    t.ok(told.every(({ data }) => data.already_streamed === true || !tokenText(frames).includes(data.text || '\0')), 'a text that was streamed is never told as new')
  })
}

t.test('what an interrupted answer had said stays when the service is stopped before it comes again', async (t) => {
  const slow = await startChat(t, { timing: { retryBaseMs: 60_000, silenceMs: 200_000 }, onDisk: true })
  const sessionId = await slow.newSession()
  const reader = await slow.watch(await slow.send(sessionId, 'Hello', { model: slow.model(broken('Half an')) }))
  await reader.until('warning')
  t.same(browserClient(reader.frames).at(-1), 'Half an')
  await slow.stop()
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { session: { messages: [{ role: 'user' }, { content: 'Half an', _partial: true }, { _error: true }] } } })
})

/** Never ends by itself, until the service hangs up. */
const endless = (begin: ModelStep[], ...again: ModelStep[]): ScriptedAnswer => () => Object.assign([...begin, ...again], {
  * [Symbol.iterator] (): Generator<ModelStep> {
    yield * begin
    while (true) {
      yield { waitMs: 20 }
      yield * again
    }
  }
})

const hanging: Record<string, ScriptedAnswer> = {
  'says nothing': endless([{ waitMs: 1 }]),
  'sends comments to keep the connection open': endless([], { raw: ': keepalive\n\n' }),
  'sends one byte at a time': endless([{ raw: 'data: ' }], { raw: 'x' }),
  'sends empty deltas': endless([], { chunk: '' }),
  'sends events without a choice': endless([], { raw: 'data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[]}\n\n' })
}

for (const [what, hang] of Object.entries(hanging)) {
  t.test(`a server that ${what} is given up, over all attempts together`, { long: true }, async (t) => {
    const model = impatient.model(hang, hang, hang, hang)
    const sessionId = await impatient.newSession()
    const { last } = await impatient.turn(sessionId, 'Hello', model)
    t.match(last, { event: 'apperror', data: { type: 'no_response' } })
    t.equal(impatient.requests(model).length, 2, 'not once more than there is time for')
    t.equal((await impatient.turn(sessionId, 'Again', impatient.model())).last.event, 'stream_end')
  })
}

t.test('a server that says a word each time and hangs then is given up as well, and its last word stays', { long: true }, async (t) => {
  const mute = () => held(gate(), [{ text: 'Well' }], [])
  const model = impatient.model(mute, mute, mute, mute)
  const sessionId = await impatient.newSession()
  const { last } = await impatient.turn(sessionId, 'Hello', model)
  t.match(last, { event: 'apperror', data: { type: 'no_response', session: { messages: [{}, { content: 'Well', _partial: true }, {}] } } })
  t.equal(impatient.requests(model).length, 2)
})

t.test('arguments of a call are signs of life', async (t) => {
  const slowly = Array.from({ length: 40 }, (_, index): ModelStep[] => [{ waitMs: 15 }, { raw: `data: {"id":"x","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,${index === 0 ? '"id":"call_1","type":"function",' : ''}"function":{${index === 0 ? '"name":"list_files",' : ''}"arguments":"${index === 0 ? '{' : index === 39 ? '}' : ' '}"}}]},"finish_reason":null}]}\n\n` }]).flat()
  const model = impatient.model([...slowly, { finish: 'tool_calls' }], answer('There it is.'))
  const sessionId = await impatient.newSession()
  t.equal((await impatient.turn(sessionId, 'Look', model)).last.event, 'stream_end')
  t.match((await impatient.session(sessionId)).messages, [{}, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool' }, { content: 'There it is.' }])
})

t.test('how long a model is waited for depends on where it runs', async (t) => {
  t.ok(remoteTiming.silenceMs < 120_000 && remoteTiming.firstChunkMs <= remoteTiming.silenceMs, 'two minutes in all, wherever it is silent')
  t.ok(localTiming.firstChunkMs > remoteTiming.firstChunkMs, 'a local model may read for longer')
  const profileHome = mkdtempSync(join(tmpdir(), 'profile-'))
  t.teardown(() => rmSync(profileHome, { recursive: true }))
  const places: Array<[string, boolean]> = [
    ['http://127.0.0.1:8080/v1', true], ['http://localhost:1234/v1', true], ['http://192.168.1.7:8000/v1', true], ['http://10.1.2.3/v1', true],
    ['http://box.local/v1', true], ['https://llm.example.org/v1', false], ['https://8.8.8.8/v1', false], ['https://api.openai.com/v1', false]
  ]
  for (const [address, isLocal] of places) {
    const resolve = createModelResolver({ profileHome, env: { OPENAI_BASE_URL: address, OPENAI_API_KEY: 'key' } })
    t.equal((await resolve({ provider: 'openai', id: 'some-model' })).isLocal, isLocal, address)
  }
})

const inHours = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toUTCString()
const waits: Array<{ headers: Record<string, string>, told: RegExp | null }> = [
  { headers: { 'retry-after': '600' }, told: /alone for 10 minutes/ },
  { headers: { 'retry-after': '61' }, told: /alone for 61 seconds/ },
  { headers: { 'retry-after': '7200.5' }, told: /alone for 3 hours/ },
  { headers: { 'retry-after': inHours(2) }, told: /alone for (?:2 hours|120 minutes)/ },
  { headers: { 'retry-after': inHours(24 * 5) }, told: /alone for 5 days/ },
  { headers: { 'retry-after-ms': '120000' }, told: /alone for 2 minutes/ },
  { headers: { 'retry-after': '99999999999999999999999999' }, told: /more than a month/ },
  { headers: { 'retry-after': 'Fri, 31 Dec 9999 23:59:59 GMT' }, told: /more than a month/ },
  { headers: { 'retry-after': '0' }, told: null },
  { headers: { 'retry-after': '-30' }, told: null },
  { headers: { 'retry-after': inHours(-30) }, told: null },
  { headers: { 'retry-after': 'soon' }, told: null },
  { headers: { 'retry-after': '1e400' }, told: null },
  { headers: { 'retry-after': '' }, told: null }
]

for (const { headers, told } of waits) {
  t.test(`asked to wait (503, ${JSON.stringify(headers)}), the service ${told === null ? 'tries again' : 'says so at once and does not ask early'}`, async (t) => {
    const model = service.model(...Array.from({ length: 3 }, () => [{ refuse: 503, headers }]))
    const { last } = await service.turn(await service.newSession(), 'Hello', model)
    t.equal(service.requests(model).length, told === null ? 3 : 1)
    t.match(last, { event: 'apperror', data: { type: 'error' } })
    if (told === null) t.notMatch(last.data.error, /alone for/)
    else t.match(last.data, { error: told, hint: /^Try again in / })
  })
}

/** How long a turn waits for a limit, in seconds. A limit that should pass soon but does not is treated as one with an unknown end. */
const limits: Array<{ headers: Record<string, string>, requests: number, waitS: number }> = [
  { headers: { 'retry-after': '600' }, requests: 1, waitS: 601 },
  { headers: { 'retry-after-ms': '120000' }, requests: 1, waitS: 121 },
  { headers: { 'retry-after': inHours(24 * 5) }, requests: 1, waitS: 24 * 5 * 3_600 },
  { headers: { 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '0' }, requests: 1, waitS: 361 },
  { headers: { 'retry-after': '99999999999999999999999999' }, requests: 1, waitS: 60 },
  { headers: { 'retry-after': 'soon' }, requests: 3, waitS: 60 },
  { headers: {}, requests: 3, waitS: 60 },
  { headers: { 'retry-after': '0' }, requests: 3, waitS: 60 },
  { headers: { 'retry-after': '-30' }, requests: 3, waitS: 60 },
  { headers: { 'retry-after': inHours(-30) }, requests: 3, waitS: 60 }
]
for (const { headers, requests, waitS } of limits) {
  t.test(`at a limit (${JSON.stringify(headers)}) a turn waits`, async (t) => {
    const model = service.model(...Array.from({ length: 3 }, () => [{ refuse: 429, headers }]))
    const reader = await service.watch(await service.send(await service.newSession(), 'Hello', { model }))
    await reader.until(({ event }) => event === 'parked' || event === 'apperror')
    const { event, data } = reader.frames.at(-1)!
    t.equal(service.requests(model).length, requests)
    t.ok(event === 'parked' && Math.abs(data.resumes_at - Date.now() / 1_000 - waitS) < 60, `${event} ${data.resumes_at}`)
    reader.drop()
  })
}

t.test('a failure that hides deep inside another one is still read', (t) => {
  const deep = JSON.parse(`${'{"error":'.repeat(50_000)}{}${'}'.repeat(50_000)}`) as unknown
  t.match(classifyModelError(deep, 'Somebody'), { type: 'error', message: String })
})
