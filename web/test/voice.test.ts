import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '../../test/support/harness.js'
import { ApiError } from '../src/core/service/api.js'
import { budgetLines, worstBudget } from '../src/core/settings/budget-use.js'
import { Conversation } from '../src/core/conversation/conversation.js'
import { HandsFree, type HandsFreeState } from '../src/core/voice/hands-free.js'
import { SilenceWatch } from '../src/core/voice/silence.js'
import { fetchSpeech, speakableParts, speakTurn, type Player } from '../src/core/voice/spoken-turn.js'
import { canTranscribe } from '../src/core/voice/hearing.js'
import { recordingName, transcribe, type Recording } from '../src/core/voice/transcription.js'
import { gate, held, startChat, type ChatService } from '../../test/support/chat.js'
import { answerJson, startSpeechEndpoint, type SpeechEndpoint } from '../../test/support/speech-endpoint.js'
import { browserApp, soon, until } from './browser-app.js'

const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(1024, 1)])
const webm = Uint8Array.from([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84, ...Buffer.from('webm'), ...Buffer.alloc(64)])
const recording: Recording = { sound: new Blob([webm], { type: 'audio/webm' }), name: recordingName('audio/webm;codecs=opus') }

/** A service that hears and speaks by a server of the test. */
async function startVoice (t: Test, heard: () => string = () => 'Hello there'): Promise<{ s: ChatService, endpoint: SpeechEndpoint }> {
  const s = await startChat(t)
  const endpoint = await startSpeechEndpoint(t, (call, response) => {
    if (call.path.endsWith('/speech')) response.end(mp3)
    else answerJson(response, 200, { text: heard() })
  })
  writeFileSync(join(s.folder, 'home', 'config.yaml'), `stt: { base_url: "${endpoint.url}" }\ntts: { provider: openai, openai: { base_url: "${endpoint.url}" } }\n`)
  return { s, endpoint }
}

/** A loudspeaker that notes what it was given; each sound takes until `next` opens it, where there is one. */
function loudspeaker (t: Test): Player & { played: number, stops: number, hold: ReturnType<typeof gate> | null } {
  let over = (): void => {}
  const player = {
    played: 0,
    stops: 0,
    hold: null as ReturnType<typeof gate> | null,
    play: async ({ bytes }: { bytes: Uint8Array }) => {
      t.equal(Buffer.compare(bytes, mp3), 0)
      player.played++
      if (player.hold !== null) await new Promise<void>((resolve) => { over = resolve })
    },
    stop: () => { player.stops++; over() }
  }
  return player
}

t.test('a recording becomes a text; what is in the way is told in words', async (t) => {
  const { s, endpoint } = await startVoice(t)
  const { api } = browserApp(t, s.url)
  t.equal(await canTranscribe(api), true)
  t.equal(await transcribe(api, recording), 'Hello there')
  const form = await endpoint.calls[0]!.form()
  t.equal((form.get('file') as File).size, webm.length)
  endpoint.answer = (_call, response) => answerJson(response, 500, { error: 'broken' })
  await t.rejects(transcribe(api, recording), ApiError)
  await t.rejects(transcribe(api, { sound: new Blob(['no sound']), name: 'x.webm' }), { name: 'ApiError', status: 400, message: /\w/ })
  const stopping = new AbortController()
  endpoint.answer = () => { stopping.abort() }
  await t.rejects(transcribe(api, recording, { signal: stopping.signal }), { name: 'AbortError' })
  writeFileSync(join(s.folder, 'home', 'config.yaml'), '{}\n')
  await t.rejects(transcribe(api, recording), { name: 'ApiError', status: 503 })
})

t.test('what is understood so far is told while a recording is heard', async (t) => {
  const { s, endpoint } = await startVoice(t)
  const { api } = browserApp(t, s.url)
  endpoint.answer = (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const delta of ['Hel', 'lo ', 'you']) response.write(`data: ${JSON.stringify({ type: 'transcript.text.delta', delta })}\n\n`)
    response.end(`data: ${JSON.stringify({ type: 'transcript.text.done', text: 'Hello you' })}\n\n`)
  }
  const partials: string[] = []
  t.equal(await transcribe(api, recording, { onPartial: (text) => partials.push(text) }), 'Hello you')
  t.ok(partials.length > 0 && partials.every((text) => 'Hello you'.startsWith(text)), partials.join('|'))
})

t.test('a turn is read aloud while it runs, and falls silent when it is told to', async (t) => {
  const { s } = await startVoice(t)
  const { api } = browserApp(t, s.url)
  const more = gate()
  const id = await s.newSession()
  const model = s.model(held(more, [{ text: 'The first one. And' }], [{ text: ' the second. And a third.' }]))
  const streamId = await s.send(id, 'Go', { model })
  const speaker = loudspeaker(t)
  const sentences: string[] = []
  const spoken = speakTurn(api, streamId, speaker, { onSentence: (text) => { sentences.push(text); more.open() } })
  t.equal(await spoken.ended, 'completed')
  t.same(sentences, ['The first one.', 'And the second.', 'And a third.'])
  t.equal(speaker.played, 3)

  const again = loudspeaker(t)
  again.hold = gate()
  const interrupted = speakTurn(api, streamId, again, { onSentence: () => setImmediate(() => interrupted.stop()) })
  t.equal(await interrupted.ended, 'stopped')
  t.equal(again.played, 1)
  t.ok(again.stops > 0)
  await t.rejects(speakTurn(api, 'nothing', speaker).ended, { name: 'ApiError', status: 404 })
  t.equal(Buffer.compare((await fetchSpeech(api, 'Read this', new AbortController().signal)).bytes, mp3), 0)
})

t.test('talking back and forth: what is said is sent, its answer read, and it listens again, until it is stopped', async (t) => {
  const { s } = await startVoice(t)
  const { api, link } = browserApp(t, s.url)
  const id = await s.newSession({ model: s.model([{ text: 'I am well. And you?' }], [{ text: 'Good.' }]), model_provider: 'openai' })
  const conversation = new Conversation({ api, link, sessionId: id, schedule: soon })
  t.teardown(() => conversation.close())
  const states: HandsFreeState[] = []
  let [recorded, isRefused] = [0, false]
  const talk = new HandsFree({
    record: async () => {
      if (isRefused) throw new ApiError('No microphone', 0)
      // The second time nothing is said at first.
      if (++recorded === 2) return null
      if (recorded === 4) talk.stop()
      return recording
    },
    transcribe: (sound, signal) => transcribe(api, sound, { signal }),
    send: async (text) => await conversation.send({ text }) ? conversation.running.peek() : null,
    speak: (streamId, onSentence) => speakTurn(api, streamId, loudspeaker(t), { onSentence })
  })
  talk.state.subscribe((state) => states.push(state))
  await until(() => conversation.state.value === 'ready')
  await talk.start()
  t.same(states.filter((state, at) => state !== states[at - 1]), ['off', 'listening', 'hearing', 'waiting', 'speaking', 'listening', 'hearing', 'waiting', 'speaking', 'listening', 'off'])
  t.same((await s.session(id)).messages.map(({ content }: { content: string }) => content), ['Hello there', 'I am well. And you?', 'Hello there', 'Good.'])
  t.equal(talk.problem.value, null)
  isRefused = true
  await talk.start()
  t.equal(talk.problem.value, 'No microphone')
  t.equal(talk.state.value, 'off')
})

t.test('the end of what somebody says is heard: pauses and knocks are none', async (t) => {
  const hear = (levels: ReadonlyArray<readonly [level: number, ms: number]>): string[] => {
    const watch = new SilenceWatch({ silenceMs: 1_000 })
    let atMs = 0
    return levels.map(([level, ms]) => {
      let heard = ''
      for (const end = atMs + ms; atMs < end; atMs += 20) heard = watch.feed(level, atMs)
      return heard
    })
  }
  t.same(hear([[0, 5_000], [0.5, 60], [0, 3_000]]), ['quiet', 'quiet', 'quiet'], 'a knock')
  t.same(hear([[0, 500], [0.3, 800], [0, 600], [0.3, 400], [0, 1_100]]), ['quiet', 'speaking', 'speaking', 'speaking', 'ended'])
})

t.test('long texts are read in parts that end where a sentence does', async (t) => {
  t.same(speakableParts('  '), [])
  t.same(speakableParts('One. Two. Three.', 10), ['One. Two.', 'Three.'])
  t.same(speakableParts('x'.repeat(25), 10).map(({ length }) => length), [10, 10, 5])
  const text = Array.from({ length: 400 }, (_, at) => `Sentence ${at} of it. ${at % 9 === 0 ? '\n\n' : ''}`).join('')
  const parts = speakableParts(text)
  t.ok(parts.every((part) => part.length <= 4_500))
  t.equal(parts.join(' ').replace(/\s+/g, ' '), text.trim().replace(/\s+/g, ' '))
})

t.test('how it stands with the limits of a chat', async (t) => {
  const none = { soft_usd: null, hard_usd: null, soft_tokens: null, hard_tokens: null }
  const use = { tokens: 500, usd: 2, unpriced_model: null, allowed_usd: null, allowed_tokens: null, lifted: [] as string[] }
  const lines = (session: Partial<typeof none> | object, more: Partial<typeof use> | object = {}) => budgetLines({ limits: { turn: none, attempts: none, job: none, day: none, session: { ...none, ...session } }, turn: null, day: use, session: { ...use, ...more } })
  t.same(lines({}), [])
  t.equal(worstBudget(lines({ soft_usd: 3, hard_usd: 5 })), null)
  t.match(worstBudget(lines({ soft_usd: 1, hard_usd: 5 })), { scope: 'session', measure: 'usd', state: 'soft', used: 2, limit: 5 })
  t.match(worstBudget(lines({ soft_usd: 1, hard_tokens: 400 })), { measure: 'tokens', state: 'hard', limit: 400 })
  t.match(lines({ hard_tokens: 400 }, { allowed_tokens: 900 }), [{ state: 'below', limit: 900 }], 'more was allowed')
  t.same(lines({ hard_tokens: 400 }, { lifted: ['hard_tokens'] }), [])
})
