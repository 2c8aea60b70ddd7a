import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t from '#test'
import { start, type StartOptions, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { sendForm } from '../support/forms.js'
import { needs } from '../support/programs.js'
import { answerJson, startSpeechEndpoint } from '../support/speech-endpoint.js'

const key = 'sk-a-key-of-this-test-0123456789'
const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(1024, 1)])
const configure = (service: TestService, text: string): void => writeFileSync(join(service.folder, 'home', 'config.yaml'), text)

interface Heard { status: number, type: string | null, length: number, bytes: Buffer, error: string | undefined, retryAfter: number, text: string }

/**
 * Starts a service for which every request seems to come from another address, so that the limit per address does not affect
 * the next request.
 */
async function startListening (t: Parameters<typeof start>[0], options: StartOptions = {}): Promise<TestService & { say: (body: unknown) => Promise<Heard> }> {
  const service = await start(t, { ...options, env: { SVC_WEBUI_TRUSTED_PROXIES: 'loopback', ...options.env } })
  let asked = 0
  const say = async (body: unknown): Promise<Heard> => await hear(service, body, { 'x-forwarded-for': `203.0.113.${++asked}` })
  return Object.assign(service, { say })
}

async function hear (service: TestService, body: unknown, headers: Record<string, string> = {}): Promise<Heard> {
  const response = await fetch(`${service.url}/api/tts`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) })
  const bytes = Buffer.from(await response.arrayBuffer())
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    length: Number(response.headers.get('content-length')),
    bytes,
    error: isJson ? (JSON.parse(bytes.toString()) as { error: string }).error : undefined,
    retryAfter: Number(response.headers.get('retry-after')),
    text: bytes.toString('latin1')
  }
}

/** Returns the seconds of a WAV file with 16 bits and one channel. Throws if its header is wrong. */
function secondsOf (wav: Buffer): number {
  if (wav.readUInt32LE(4) !== wav.length - 8 || wav.readUInt32LE(40) !== wav.length - 44) throw new Error('the header is not that of this file')
  return (wav.length - 44) / wav.readUInt32LE(28)
}

t.test('a text is read aloud by espeak-ng, and what was heard can be transcribed', needs('espeak-ng'), async (t) => {
  const service = await startListening(t)
  const heard = await service.say({ text: 'The **quick** brown fox jumps over the lazy dog.', voice: 'en-US-AriaNeural' })
  t.match(heard, { status: 200, type: 'audio/wav', length: heard.bytes.length })
  t.ok(secondsOf(heard.bytes) > 1 && secondsOf(heard.bytes) < 10)

  const endpoint = await startSpeechEndpoint(t, async (call, response) => {
    const file = (await call.form()).get('file') as File
    const isWhole = Buffer.from(await file.arrayBuffer()).equals(heard.bytes)
    answerJson(response, 200, { text: isWhole ? 'The quick brown fox jumps over the lazy dog.' : 'noise' })
  })
  configure(service, `stt: { base_url: "${endpoint.url}" }\n`)
  const answer = await sendForm(`${service.url}/api/transcribe`, [{ name: 'file', filename: 'speech.wav', content: heard.bytes }])
  t.match(answer, { status: 200, body: { ok: true, transcript: 'The quick brown fox jumps over the lazy dog.' } })
})

t.test('rate, pitch, voices and languages are heard', { ...needs('espeak-ng'), long: true }, async (t) => {
  const service = await startListening(t)
  const text = 'One two three four five six seven eight nine ten.'
  const usual = await service.say({ text })
  const fast = await service.say({ text, rate: '+100%' })
  const slow = await service.say({ text, rate: 0.5, engine: 'engine_default' })
  t.ok(secondsOf(fast.bytes) < secondsOf(usual.bytes) && secondsOf(usual.bytes) < secondsOf(slow.bytes))
  const low = await service.say({ text, pitch: '-100Hz' })
  t.notOk(low.bytes.equals(usual.bytes))
  const english = await service.say({ text, voice: 'zh-CN-XiaoxiaoNeural', engine: 'edge' })
  t.ok(english.bytes.equals(usual.bytes), 'the usual voice')
  for (const [voice, words] of [['zh-CN-YunxiNeural', '你好，世界'], ['de-DE-KatjaNeural', 'Guten Tag'], ['ja-JP-NanamiNeural', 'こんにちは'], ['ru-RU-DmitryNeural', 'Привет'], ['ar-SA-HamedNeural', 'مرحبا']] as const) {
    const heard = await service.say({ text: words, voice, engine: 'espeak', rate: null, pitch: '' })
    t.match(heard, { status: 200, type: 'audio/wav' }, voice)
    t.ok(secondsOf(heard.bytes) > 0.2, voice)
  }
  const phonemes = await service.say({ text: '[[h@loU]] -f /etc/passwd --version' })
  t.equal(phonemes.status, 200)
  t.ok(secondsOf(phonemes.bytes) > secondsOf((await service.say({ text: 'hello' })).bytes), 'it is read, and no option or phoneme')
  t.equal((await service.say({ text: `${'好'.repeat(4_999)}。`, rate: 2 })).status, 200, 'the longest text')
})

t.test('what was saved holds where a request says nothing', { ...needs('espeak-ng'), long: true }, async (t) => {
  const service = await startListening(t)
  const text = 'One two three four five six seven eight nine ten.'
  const plain = await service.say({ text })
  const save = async (body: object): Promise<unknown> => await service.post('/api/settings', body)
  t.match(await save({ tts_rate: 2, tts_pitch: 0.5, tts_voice: 'de-DE-KatjaNeural', tts_engine: 'browser' }), { status: 200 })
  const saved = await service.say({ text, rate: 0, pitch: null })
  t.ok(secondsOf(saved.bytes) < secondsOf(plain.bytes))
  t.ok(saved.bytes.equals((await service.say({ text, rate: 2, pitch: 0.5, voice: 'de-DE-KatjaNeural', engine: 'espeak' })).bytes))
  t.ok(plain.bytes.equals((await service.say({ text, rate: 1, pitch: 1, voice: 'zh-CN-XiaoxiaoNeural' })).bytes), 'a request wins')
  await save({ tts_engine: 'elevenlabs', tts_voice: 'Samantha of the device' })
  t.match(await service.say({ text }), { status: 503, error: /ELEVENLABS_API_KEY/ })
  t.match(await service.say({ text, engine: 'engine_default' }), { status: 200 }, 'a voice of the device is no error here')
  await save({ tts_engine: 'nobody-knows' })
  t.match(await service.say({ text }), { status: 200 })
})

t.test('a turn is spoken by espeak-ng while it runs', needs('espeak-ng'), async (t) => {
  const service = await start(t)
  const streamId = await service.send(await service.newSession(), 'hello')
  const reader = await service.events(`/api/tts/stream?stream_id=${streamId}&voice=en-US-AriaNeural&rate=1.5`)
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'end', data: { state: 'completed' } })
  const sounds = reader.frames.filter(({ event }) => event === 'audio')
  t.ok(sounds.length > 0)
  for (const { data } of sounds) {
    t.equal(data.type, 'audio/wav')
    t.ok(secondsOf(Buffer.from(data.audio, 'base64')) > 0.1, data.text)
  }
})

t.test('what is wrong with a request is told in the order of the contract, before who asks', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const refused: Array<[unknown, number, RegExp]> = [
    ['{"text"', 400, /not valid JSON/],
    [{ rate: 'fast', pitch: 'high', text: '' }, 400, /^Invalid rate/],
    [{ pitch: 'high', text: '' }, 400, /^Invalid pitch/],
    [{ rate: 3, text: 'x' }, 400, /^Invalid rate/],
    [{}, 400, /^Missing required field\(s\): text/],
    [{ text: null }, 400, /^Missing required field\(s\): text/],
    [{ text: ' \n' }, 400, /^Missing required field\(s\): text/],
    [{ text: 5 }, 400, /Invalid text/],
    [{ text: 'x'.repeat(5_001) }, 400, /at most 5000/],
    ['[]', 400, /body/],
    ['5', 400, /body/],
    [{ text: '😀'.repeat(5_000) }, 401, /^Authentication required/],
    [{ text: 'x', engine: 'nobody' }, 401, /^Authentication required/],
    [{ text: 'x' }, 401, /^Authentication required/]
  ]
  for (const [body, status, error] of refused) t.match(await hear(service, body), { status, error }, JSON.stringify(body).slice(0, 60))
})

t.test('an engine or voice that does not exist, and what cannot be spoken', async (t) => {
  const service = await startListening(t)
  const refused: Array<[object, RegExp]> = [
    [{ text: 'x', engine: 'nobody' }, /^Invalid engine/], [{ text: 'x', engine: '__proto__' }, /^Invalid engine/], [{ text: 'x', engine: 'constructor' }, /^Invalid engine/],
    [{ text: 'x', engine: 'browser' }, /on the device/], [{ text: 'x', voice: 'xx-XX-NobodyNeural' }, /^Invalid voice/], [{ text: 'x', voice: '../../etc' }, /^Invalid voice/],
    [{ text: 'x', voice: 5 }, /Invalid voice/], [{ text: '***' }, /contains nothing to speak/]
  ]
  for (const [body, error] of refused) t.match(await service.say(body), { status: 400, error }, JSON.stringify(body))
})

t.test('a session is heard once in two seconds', { long: true }, async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const signIn = async (): Promise<string> => (await service.post('/api/auth/login', { password: 'correct horse' })).headers.get('set-cookie')!.split(';')[0]!
  const [mine, other] = [await signIn(), await signIn()]
  const text = { text: 'x', engine: 'browser' }
  const answers = await Promise.all([...Array(5).fill(mine), other].map(async (cookie: string) => await hear(service, text, { cookie })))
  t.equal(answers.at(-1)!.status, 400, 'another session has a limit of its own')
  const limited = answers.filter(({ status }) => status === 429)
  t.ok(limited.length >= 3, `${limited.length} of five`)
  for (const { error, retryAfter } of limited) {
    t.match(error, /^Too many texts/)
    t.ok(retryAfter === 1 || retryAfter === 2)
  }
  t.match(await hear(service, { text: '' }, { cookie: mine }), { status: 400 }, 'what is wrong comes first')
})

t.test('without the program it says what is missing', async (t) => {
  const service = await startListening(t, { env: { PATH: '/nonexistent' } })
  t.match(await service.say({ text: 'x' }), { status: 503, error: /espeak-ng, which is not installed/ })
})

t.test('the program gets nothing of the service but the text, and ends when the client goes', async (t) => {
  const service = await startListening(t)
  const bin = join(service.folder, 'bin')
  mkdirSync(bin)
  const program = join(bin, 'espeak-ng')
  const started = join(service.folder, 'started')
  writeFileSync(program, `#!/bin/sh\nenv > ${service.folder}/env\necho "$@" > ${service.folder}/args\ncat > ${service.folder}/text\n(sleep 600 & echo $! > ${started}.new; mv ${started}.new ${started}; wait)\n`)
  chmodSync(program, 0o755)
  const own = await startListening(t, { env: { PATH: `${bin}:${process.env.PATH}`, OPENAI_API_KEY: key } })
  const body = JSON.stringify({ text: '$(id) `id` "x', voice: 'en-US-GuyNeural' })
  const client = request(`${own.url}/api/tts`, { method: 'POST', headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } })
  client.on('error', () => {})
  client.end(body)
  await eventually('the program', async () => existsSync(started) || null)
  const pid = Number(readFileSync(started, 'utf8'))
  t.notMatch(readFileSync(join(service.folder, 'env'), 'utf8'), /OPENAI|SVC_|HOME=/)
  t.match(readFileSync(join(service.folder, 'args'), 'utf8'), /^--stdin --stdout -b 1 -v en-us\+m3 -s 175 -p 50$/m)
  t.match(readFileSync(join(service.folder, 'text'), 'utf8'), '$(id) id')
  client.destroy()
  await eventually('its end', async () => isRunning(pid) ? null : true)
})

t.test('a program that fails, or prints what is no sound', { long: true }, async (t) => {
  const service = await startListening(t)
  const bin = join(service.folder, 'bin')
  mkdirSync(bin)
  const own = await startListening(t, { env: { PATH: `${bin}:${process.env.PATH}` } })
  for (const script of ['exit 1', 'echo no', 'exit 0', 'kill -9 $$']) {
    writeFileSync(join(bin, 'espeak-ng'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(bin, 'espeak-ng'), 0o755)
    t.match(await own.say({ text: 'x' }), { status: 502, error: /espeak-ng could not speak/ }, script)
  }
})

t.test('OpenAI and servers of its kind', async (t) => {
  const service = await startListening(t, { env: { SPEECH_KEY: key, OPENAI_API_KEY: 'sk-of-openai-alone-0123456789' } })
  const endpoint = await startSpeechEndpoint(t, (_call, response) => { response.writeHead(200, { 'content-type': 'text/html' }).end(mp3) })
  configure(service, `tts: { voice: usual, openai: { base_url: "${endpoint.url}", key_env: SPEECH_KEY, model: speaker } }\n`)
  const heard = await service.say({ text: '# Hello', engine: 'engine_keyed_b', rate: '+50%', voice: 'ignored' })
  t.match(heard, { status: 200, type: 'audio/mpeg', length: mp3.length })
  t.ok(heard.bytes.equals(mp3))
  t.match(endpoint.calls[0], { path: '/v1/audio/speech', headers: { authorization: `Bearer ${key}` } })
  t.same(endpoint.calls[0]!.json(), { model: 'speaker', voice: 'usual', input: 'Hello.', response_format: 'mp3', speed: 1.5 })

  const long = await service.say({ text: 'A sentence of this text. '.repeat(199), engine: 'openai' })
  t.equal(long.length, 2 * mp3.length, 'two requests')
  t.ok(endpoint.calls.slice(1).every((call) => String(call.json().input).length <= 4_000))

  configure(service, `tts: { provider: openai, openai: { base_url: "${endpoint.url}" } }\n`)
  t.match(await service.say({ text: 'x' }), { status: 200, type: 'audio/mpeg' }, 'config.yaml says who speaks')
  t.equal(endpoint.calls.at(-1)!.headers.authorization, undefined, 'the key of OpenAI goes to OpenAI alone')
})

t.test('ElevenLabs', async (t) => {
  const service = await startListening(t)
  const endpoint = await startSpeechEndpoint(t, (_call, response) => { response.end(mp3) })
  const address = endpoint.url.replace('/v1', '')
  configure(service, `tts: { elevenlabs: { base_url: "${address}", key_env: LABS_KEY, voice: "a/b", model: m } }\n`)
  t.match(await service.say({ text: 'x', engine: 'engine_keyed_a' }), { status: 503, error: /ELEVENLABS_API_KEY/ })
  writeFileSync(join(service.folder, 'home', '.env'), `LABS_KEY=${key}\n`)
  t.match(await service.say({ text: 'x', engine: 'elevenlabs', rate: 2 }), { status: 200, type: 'audio/mpeg', length: mp3.length })
  t.match(endpoint.calls[0], { path: '/v1/text-to-speech/a%2Fb?output_format=mp3_44100_128', headers: { 'xi-api-key': key } })
  t.same(endpoint.calls[0]!.json(), { text: 'x.', model_id: 'm', voice_settings: { speed: 1.2 } })
})

t.test('services that are not set up, and services that fail', async (t) => {
  const service = await startListening(t, { env: { SPEECH_KEY: key } })
  t.match(await service.say({ text: 'x', engine: 'engine_keyed_a' }), { status: 503, error: /ELEVENLABS_API_KEY/ })
  t.match(await service.say({ text: 'x', engine: 'engine_keyed_b' }), { status: 503, error: /OPENAI_API_KEY/ })
  configure(service, 'tts: { openai: { base_url: "http://[fe80::1]/", api_key: x } }\n')
  t.match(await service.say({ text: 'x', engine: 'openai' }), { status: 503, error: /link-local/ })
  const endpoint = await startSpeechEndpoint(t, () => {})
  configure(service, `tts: { openai: { base_url: "${endpoint.url}", key_env: SPEECH_KEY } }\n`)
  const failures: Array<[typeof endpoint.answer, RegExp]> = [
    [(_call, response) => answerJson(response, 403, { detail: { message: key } }), /refused the API key/],
    [(_call, response) => answerJson(response, 400, { detail: { message: `no voice for ${key}` } }), /status 400\): no voice for …/],
    [(_call, response) => { response.writeHead(200, { 'content-type': 'audio/mpeg' }).end('<script>1</script>') }, /other than audio/],
    [(_call, response) => { response.destroy() }, /cannot be reached/]
  ]
  for (const [answer, error] of failures) {
    endpoint.answer = answer
    const heard = await service.say({ text: 'x', engine: 'openai' })
    t.match(heard, { status: 502, error })
    t.notMatch(heard.text, key)
  }
})

function isRunning (pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}
