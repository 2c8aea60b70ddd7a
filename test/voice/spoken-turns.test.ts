import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type TestLike } from '../support/app.js'
import { eventually, gate, held, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { type EventReader, type ReceivedFrame } from '../support/events.js'
import { startSpeechEndpoint, type SpeechEndpoint } from '../support/speech-endpoint.js'

const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(1024, 1)])
const spoken = (frames: ReceivedFrame[]): string[] => frames.filter(({ event }) => event === 'audio').map(({ data }) => data.text as string)

interface Speaking { service: ChatService, endpoint: SpeechEndpoint, listen: (streamId: string, query?: string, headers?: Record<string, string>) => Promise<EventReader> }

/** Starts a service whose turns are spoken by a server that each test scripts. */
async function startSpeaking (t: TestLike, answer: SpeechEndpoint['answer'] = (_call, response) => { response.end(mp3) }): Promise<Speaking> {
  const service = await startChat(t)
  const endpoint = await startSpeechEndpoint(t, answer)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), `tts: { provider: openai, openai: { base_url: "${endpoint.url}" } }\n`)
  return { service, endpoint, listen: async (streamId, query = '', headers = {}) => await service.events(`/api/tts/stream?stream_id=${streamId}${query}`, headers) }
}

async function begin (service: ChatService, ...answers: ScriptedAnswer[]): Promise<{ sessionId: string, streamId: string }> {
  const sessionId = await service.newSession()
  return { sessionId, streamId: await service.send(sessionId, 'hello', { model: service.model(...answers) }) }
}

t.test('a running turn is spoken sentence by sentence, and each sentence found in its message', async (t) => {
  const { service, listen } = await startSpeaking(t)
  const more = gate()
  const { sessionId, streamId } = await begin(service, held(more, [{ text: 'The **first** one. And' }], [{ text: ' the second:\n\n```js\nlet a\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n' }]))
  const reader = await listen(streamId)
  const first = await reader.until('audio')
  t.match(first, { id: `${streamId}:1`, data: { part: 0, message_id: null, start: 0, end: 18, text: 'The first one.', type: 'audio/mpeg', audio: mp3.toString('base64') } })
  more.open()
  await reader.ended
  t.same(spoken(reader.frames), ['The first one.', 'And the second:', 'Code block.', 'a: 1; b: 2.'])
  t.same(reader.frames.filter(({ id }) => id !== null).map(({ id }) => id), [1, 2, 3, 4].map((seq) => `${streamId}:${seq}`))
  t.match(reader.frames.at(-1), { event: 'end', id: null, data: { state: 'completed' } })
  const { messages } = await service.session(sessionId)
  const { content, message_id: id } = messages.at(-1)
  t.match(await reader.until('message'), { id: null, data: { part: 0, message_id: id } })
  t.same(reader.frames.filter(({ event }) => event === 'audio').map(({ data }) => content.slice(data.start, data.end)), ['The **first** one.', 'And the second:', '```js', '| 1 | 2 |'])

  const again = await listen(streamId)
  await again.ended
  t.same(again.frames.filter(({ event }) => event === 'audio').map(({ id, data }) => [id, data.text, data.start]), reader.frames.filter(({ event }) => event === 'audio').map(({ id, data }) => [id, data.text, data.start]), 'a turn that is over')
  t.equal(again.frames.find(({ event }) => event === 'audio')!.data.message_id, id)
  for (const [query, headers] of [[`&after_event_id=${streamId}:2`, {}], ['', { 'last-event-id': `${streamId}:2` }]] as const) {
    const resumed = await listen(streamId, query, headers)
    await resumed.ended
    t.same(spoken(resumed.frames), ['Code block.', 'a: 1; b: 2.'])
    t.equal(resumed.frames.find(({ event }) => event === 'audio')!.id, `${streamId}:3`)
  }
  for (const id of ['x', 'x:2', `${streamId}:-1`, `${streamId}:1e9`]) {
    const resumed = await listen(streamId, `&after_event_id=${encodeURIComponent(id)}`)
    t.match(await resumed.until('audio'), { id: `${streamId}:1` }, id)
    resumed.drop()
  }
  const late = await listen(streamId, `&after_event_id=${streamId}:99`)
  await late.ended
  t.same(late.frames.filter(({ event }) => event !== 'message').map(({ event }) => event), ['end'])
})

t.test('what is said between tools has messages of its own', { long: true }, async (t) => {
  const { service, listen } = await startSpeaking(t)
  const { sessionId, streamId } = await begin(service,
    [{ text: 'I look. ' }, { tool: 'list_files', args: {} }],
    [{ tool: 'list_files', args: {} }],
    [{ text: 'Nothing there' }])
  const reader = await listen(streamId)
  await reader.ended
  t.same(reader.frames.filter(({ event }) => event === 'audio').map(({ data }) => [data.part, data.text, data.start]), [[0, 'I look.', 0], [1, 'Nothing there.', 0]])
  const { messages } = await service.session(sessionId)
  const said = messages.filter(({ role, content }: { role: string, content: string }) => role === 'assistant' && content !== '').map(({ message_id: id }: { message_id: string }) => id)
  t.same(reader.frames.filter(({ event }) => event === 'message').map(({ data }) => [data.part, data.message_id]), said.map((id: string, part: number) => [part, id]))
})

t.test('a cancelled turn is silent at once', async (t) => {
  const { service, endpoint, listen } = await startSpeaking(t, () => {})
  const never = gate()
  const { streamId } = await begin(service, held(never, [{ text: 'One. Two. Three. ' }], []))
  const reader = await listen(streamId)
  await eventually('the first sentence', () => endpoint.calls.length === 1)
  t.match(await service.post('/api/chat/cancel', { stream_id: streamId }), { status: 200, body: { cancelled: true } })
  await reader.ended
  t.match(reader.frames, [{ event: 'end', data: { state: 'cancelled' } }])
  t.equal(endpoint.calls.length, 1)
  const again = await listen(streamId)
  await again.ended
  t.match(again.frames.at(-1), { event: 'end', data: { state: 'cancelled' } })
  t.equal(spoken(again.frames).length, 0)
  t.equal(service.app.voice.turns.open(), 0)
  t.equal(service.app.events.size().subscriptions, 0)
})

t.test('one sound is made ahead of the listener, and none for one that has gone', async (t) => {
  const large = Buffer.concat([mp3, Buffer.alloc(2 * 1024 * 1024, 1)])
  const { service, endpoint, listen } = await startSpeaking(t, (_call, response) => { response.end(large) })
  const { streamId } = await begin(service, [{ text: 'A sentence. '.repeat(60) }])
  const reader = await listen(streamId)
  reader.pause()
  let before = -1
  await eventually('a standstill', async () => {
    const calls = endpoint.calls.length
    await new Promise((resolve) => setTimeout(resolve, 300))
    const stands = calls > 0 && calls === before && calls === endpoint.calls.length
    before = calls
    return stands
  })
  t.ok(endpoint.calls.length < 20, `${endpoint.calls.length} sounds`)
  reader.drop()
  await eventually('its end', () => service.app.voice.turns.open() === 0)
  t.ok(endpoint.calls.length < 20)
})

t.test('the client goes: what is being made is given up', async (t) => {
  let gone = false
  const { service, endpoint, listen } = await startSpeaking(t, (_call, response) => { response.on('close', () => { gone = true }) })
  const { streamId } = await begin(service, [{ text: 'One. Two.' }])
  const reader = await listen(streamId)
  await eventually('the first sentence', () => endpoint.calls.length === 1)
  reader.drop()
  await eventually('the end of the request', () => gone)
  t.equal(endpoint.calls.length, 1)
  t.equal(service.app.voice.turns.open(), 0)
})

t.test('a sentence that fails is skipped; three in a row are the end', { long: true }, async (t) => {
  const failing = new Set(['Two.'])
  const { service, endpoint, listen } = await startSpeaking(t, (call, response) => {
    const fails = failing.has(String(call.json().input)) || failing.has('*')
    response.writeHead(fails ? 500 : 200).end(fails ? '' : mp3)
  })
  const { streamId } = await begin(service, [{ text: 'One. Two. Three. Four. Five. Six.' }])
  const reader = await listen(streamId)
  await reader.ended
  t.same(spoken(reader.frames), ['One.', 'Three.', 'Four.', 'Five.', 'Six.'])
  t.match(reader.frames.find(({ event }) => event === 'skipped'), { id: `${streamId}:2`, data: { part: 0, start: 5, end: 9, error: /status 500/ } })
  failing.add('*')
  const calls = endpoint.calls.length
  const failed = await listen(streamId)
  await failed.ended
  t.match(failed.frames.at(-1), { event: 'end', data: { state: 'failed', error: /status 500/ } })
  t.equal(endpoint.calls.length, calls + 3)
})

t.test('what a model takes back is retracted, in the same place for everybody', async (t) => {
  const { service, listen } = await startSpeaking(t)
  const { streamId } = await begin(service, [{ text: 'A bad start. And then' }, { cut: true }], [{ text: 'A good one.' }])
  const reader = await listen(streamId)
  await reader.ended
  const again = await listen(streamId)
  await again.ended
  t.same(again.frames.filter(({ id }) => id !== null).map(({ id, event, data }) => [id!.split(':')[1], event, data.part, data.text]), [['2', 'retracted', 0, undefined], ['3', 'audio', 0, 'A good one.']])
  t.same(reader.frames.filter(({ event }) => event === 'retracted').map(({ id }) => id), [`${streamId}:2`])
  t.equal(spoken(reader.frames).at(-1), 'A good one.')
})

t.test('bad requests, streams that are not there, engines that are not set up, too many at once', async (t) => {
  const { service, listen } = await startSpeaking(t, () => {})
  const { streamId } = await begin(service, [{ text: 'One.' }])
  const refused: Array<[query: string, status: number, error: RegExp]> = [
    ['', 400, /stream_id/], ['?stream_id=', 400, /stream_id/], ['?stream_id=nobody', 404, /^stream not found$/],
    [`?stream_id=${streamId}&rate=fast`, 400, /^Invalid rate/], [`?stream_id=${streamId}&rate=9&pitch=x`, 400, /^Invalid rate/], ['?stream_id=nobody&pitch=x', 400, /^Invalid pitch/],
    [`?stream_id=${streamId}&engine=nobody`, 400, /^Invalid engine/], [`?stream_id=${streamId}&engine=browser`, 400, /on the device/],
    [`?stream_id=${streamId}&engine=espeak&voice=nobody`, 400, /^Invalid voice/], [`?stream_id=${streamId}&engine=elevenlabs`, 503, /ELEVENLABS_API_KEY/]
  ]
  for (const [query, status, error] of refused) t.match(await service.get(`/api/tts/stream${query}`), { status, body: { error } }, query)
  const readers = await Promise.all(Array.from({ length: 4 }, async () => await listen(streamId)))
  t.same(readers.map(({ status }) => status), [200, 200, 200, 200])
  const fifth = await service.get(`/api/tts/stream?stream_id=${streamId}`)
  t.match(fifth, { status: 429, body: { error: /at once/ } })
  t.equal(fifth.headers.get('retry-after'), '2')
  readers[0]!.drop()
  const next = await eventually('a place', async () => {
    const reader = await listen(streamId)
    return reader.status === 200 ? reader : null
  })
  next.drop()
})

t.test('it is guarded like other streams', async (t) => {
  const service = await startChat(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.match(await service.get('/api/tts/stream?stream_id=x&rate=fast'), { status: 401 })
})

t.test('without espeak-ng it says so before it begins', async (t) => {
  const service = await startChat(t, { env: { PATH: '/nonexistent' } })
  const { streamId } = await begin(service, [{ text: 'One.' }])
  t.match(await service.get(`/api/tts/stream?stream_id=${streamId}`), { status: 503, body: { error: /espeak-ng, which is not installed/ } })
})

t.test('a turn is no slower for being spoken by an engine that takes its time', { long: true }, async (t) => {
  const { service, endpoint, listen } = await startSpeaking(t, () => {})
  const { streamId } = await begin(service, [{ text: 'One. Two. '.repeat(50) }])
  const silent = await listen(streamId)
  const chat = await service.watch(streamId)
  await chat.ended
  t.equal(chat.frames.at(-1)!.event, 'stream_end')
  t.equal(endpoint.calls.length, 1)
  silent.drop()
})
