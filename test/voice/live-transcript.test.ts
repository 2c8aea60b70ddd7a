import { writeFileSync } from 'node:fs'
import { request, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import t from '#test'
import { readTranscriptEvents } from '../../services/areas/voice/transcript-events.js'
import { LiveTranscript } from '../../services/areas/voice/live-transcript.js'
import { start, type TestService } from '../support/app.js'
import { framesIn } from '../support/feed.js'
import { formBytes, formType, sendForm } from '../support/forms.js'
import { answerJson, startSpeechEndpoint } from '../support/speech-endpoint.js'

const key = 'sk-a-key-of-this-test-0123456789'
const wav = Buffer.concat([Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00', 'latin1'), Buffer.alloc(64)])
const form = [{ name: 'file', filename: 'a.wav', content: wav }]
const configure = (service: TestService, url: string): void => writeFileSync(join(service.folder, 'home', 'config.yaml'), `stt: { base_url: "${url}", api_key: ${key} }\n`)
const events = (response: ServerResponse, ...all: unknown[]): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  for (const event of all) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
}
const delta = (text: string) => ({ type: 'transcript.text.delta', delta: text })

/** Sends a request whose answer is read as it comes. */
async function listen (service: TestService): Promise<{ response: IncomingMessage, next: () => Promise<string>, leave: () => void }> {
  const body = formBytes(form)
  const call = request(`${service.url}/api/transcribe?stream=1`, { method: 'POST', headers: { 'content-type': formType, 'content-length': body.length } })
  call.on('error', () => {})
  call.end(body)
  const response = await new Promise<IncomingMessage>((resolve) => call.on('response', resolve))
  const chunks = response[Symbol.asyncIterator]()
  return { response, next: async () => String((await chunks.next()).value), leave: () => call.destroy() }
}

t.test('what is understood comes while it is being heard, word by word', async (t) => {
  const service = await start(t)
  let go = (): void => {}
  const endpoint = await startSpeechEndpoint(t, async (_call, response) => {
    events(response, delta('Hello'))
    await new Promise<void>((resolve) => { go = resolve })
    events2(response)
  })
  const events2 = (response: ServerResponse): void => {
    response.write(`data: ${JSON.stringify(delta(' there'))}\r\n\r\n`)
    response.end(`event: x\ndata: ${JSON.stringify({ type: 'transcript.text.done', text: ' Hello there. ', usage: { type: 'tokens' } })}\n\n`)
  }
  configure(service, endpoint.url)
  const listener = await listen(service)
  t.match(listener.response.headers['content-type'], 'text/event-stream')
  t.equal(await listener.next(), 'event: partial\ndata: {"text":"Hello"}\n\n', 'before the server has come to its end')
  go()
  let rest = ''
  for await (const chunk of listener.response) rest += String(chunk)
  t.match(framesIn(rest).at(-1), { event: 'final', data: { ok: true, transcript: 'Hello there.' } })
  t.equal((await endpoint.calls[0]!.form()).get('stream'), 'true')
})

t.test('a server that says it all at once is as good: the last frame is the answer', async (t) => {
  const service = await start(t)
  const endpoint = await startSpeechEndpoint(t, () => {})
  configure(service, endpoint.url)
  const answers: Array<[string, typeof endpoint.answer, string]> = [
    ['one that takes no notice', (_call, response) => answerJson(response, 200, { text: 'All of it.' }), 'All of it.'],
    ['one that says nothing new at the end', (_call, response) => { events(response, delta('All '), delta('of it.'), '[DONE]'); response.end() }, 'All of it.'],
    ['one with segments', (_call, response) => { events(response, { text: 'All' }, { text: 'of it.' }); response.end() }, 'All of it.'],
    ['one with words of its own', (_call, response) => { events(response, { type: 'transcript.started' }, { type: 'transcript.text.done', text: 'All of it.' }); response.end() }, 'All of it.'],
    ['one that hears nothing', (_call, response) => { events(response, { type: 'transcript.text.done', text: '' }); response.end() }, '']
  ]
  for (const [name, answer, transcript] of answers) {
    endpoint.answer = answer
    const { status, headers, text } = await sendForm(`${service.url}/api/transcribe`, form, { accept: 'text/event-stream' })
    t.match([status, headers.get('content-type')], [200, /event-stream/], name)
    t.match(framesIn(text).at(-1), { event: 'final', data: { ok: true, transcript } }, name)
  }
  endpoint.answer = async (call, response) => {
    if ((await call.form()).has('stream')) answerJson(response, 422, { error: 'unknown field stream' })
    else answerJson(response, 200, { text: 'Once more.' })
  }
  const { text } = await sendForm(`${service.url}/api/transcribe?stream=1`, form)
  t.match(framesIn(text), [{ event: 'final', data: { transcript: 'Once more.' } }], 'one that refuses the wish gets the recording without it')
  endpoint.answer = (_call, response) => { events(response, delta('All'), { type: 'transcript.text.done', text: 'All.' }); response.end() }
  t.match(await sendForm(`${service.url}/api/transcribe`, form, { accept: 'application/json, text/event-stream' }), { status: 200, body: { ok: true, transcript: 'All.' } }, 'JSON for who takes it')
  t.equal((await endpoint.calls.at(-1)!.form()).get('stream'), null)
})

t.test('what goes wrong is told by the status as long as that is possible, and by a frame from then on', async (t) => {
  const service = await start(t)
  const endpoint = await startSpeechEndpoint(t, () => {})
  const send = async () => await sendForm(`${service.url}/api/transcribe?stream=1`, form)
  t.match(await send(), { status: 503, body: { error: /not set up/ } })
  configure(service, endpoint.url)
  const early: Array<[typeof endpoint.answer, RegExp]> = [
    [(_call, response) => answerJson(response, 400, { error: `no ${key}` }), /status 400\): no …/],
    [(_call, response) => { response.destroy() }, /cannot be reached/],
    [(_call, response) => { events(response, '<html>'); response.end() }, /invalid answer/],
    [(_call, response) => { events(response); response.end() }, /invalid answer/],
    [(_call, response) => { events(response, { type: 'error', error: { message: `no more, ${key}` } }) }, /broke off in the middle of its answer: no more, …/]
  ]
  for (const [answer, error] of early) {
    endpoint.answer = answer
    t.match(await send(), { status: 502, body: { error } })
  }
  const late: Array<[typeof endpoint.answer, RegExp]> = [
    [(_call, response) => { events(response, delta('Hel')); response.end() }, /invalid answer/],
    [(_call, response) => { events(response, delta('Hel')); response.write('data:', () => response.destroy()) }, /broke off/],
    [(_call, response) => { events(response, delta('Hel'), '{"type":') }, /invalid answer/]
  ]
  for (const [answer, error] of late) {
    endpoint.answer = answer
    const { status, text } = await send()
    const frames = framesIn(text)
    t.match([status, frames.at(-1)], [200, { event: 'error', data: { error } }])
    t.notOk(frames.some(({ event }) => event === 'final'))
  }
})

t.test('the server is left when the listener goes', async (t) => {
  const service = await start(t)
  let closed = (): void => {}
  const left = new Promise<void>((resolve) => { closed = resolve })
  const endpoint = await startSpeechEndpoint(t, (_call, response) => {
    response.on('close', closed)
    events(response, delta('Hello'))
  })
  configure(service, endpoint.url)
  const listener = await listen(service)
  await listener.next()
  listener.leave()
  await left
})

t.test('of partial texts a slow reader gets the newest, and the last frame in any case', async (t) => {
  let said = (_text: string): void => {}
  let finish = (_text: string): void => {}
  const transcript = new LiveTranscript(async (_signal, onPartial) => {
    said = onPartial
    return await new Promise<string>((resolve) => { finish = resolve })
  }, new AbortController().signal)
  for (let words = 1; words <= 1_000; words++) said('word '.repeat(words))
  await transcript.begun
  t.equal(transcript.read().length, 1)
  said('more')
  finish('all')
  await new Promise(setImmediate)
  said('too late')
  t.notOk(transcript.ended)
  t.match(transcript.read().map(String), [/^event: final\ndata: \{"ok":true,"transcript":"all"\}/])
  t.ok(transcript.ended)
  t.same(transcript.read(), [])
})

t.test('events are understood wherever the network cuts them', async (t) => {
  const bytes = Buffer.from(`: a comment\r\ndata: ${JSON.stringify(delta('你好'))}\r\n\r\ndata:${JSON.stringify(delta('，世界'))}\n\ndata: [DONE]\n\n`)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const chunks = async function * () { yield * [bytes.subarray(0, cut), bytes.subarray(cut)] }
    if (await readTranscriptEvents(chunks(), () => {}) !== '你好，世界') t.fail(`cut at ${cut}`)
  }
})

t.test('an answer is read once, however small the pieces are that it comes in', async (t) => {
  const text = 'a long text '.repeat(8_000)
  const line = Buffer.from(`data: ${JSON.stringify({ text })}\n\n`)
  // Parsing the whole line again for each byte would take half a minute.
  const bytewise = async function * () { for (let at = 0; at < line.length; at++) yield line.subarray(at, at + 1) }
  t.equal(await readTranscriptEvents(bytewise(), () => {}), text)
  const heard: string[] = []
  const segments = async function * () { yield Buffer.from([' All', 'of', '', 'it ', 'is said. '].map((text) => `data: ${JSON.stringify({ text })}\r\n\r\n`).join('')) }
  await readTranscriptEvents(segments(), (text) => heard.push(text.trimEnd()))
  t.same(heard, ['All', 'All of', 'All of', 'All of it', 'All of it is said.'])
  const silence = async function * () { yield Buffer.from('data: {"text":""}\n\ndata: {"text":" "}\n\n') }
  t.equal(await readTranscriptEvents(silence(), () => {}), '', 'who hears nothing may say so')
})
