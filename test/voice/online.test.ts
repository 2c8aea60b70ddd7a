import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createOnlineVoice } from '../../services/areas/voice/online/online.js'
import { readMessage, stampAt } from '../../services/areas/voice/online/protocol.js'
import { onlineVoice } from '../../services/areas/voice/voices.js'
import { start, type TestLike, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { startVoiceEndpoint, type VoiceConnection, type VoiceEndpoint } from '../support/online-voice.js'

const mp3 = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(1_024, 1)])
const end = 'X-RequestId:1\r\nContent-Type:application/json; charset=utf-8\r\nPath:turn.end\r\n\r\n{}'
const wav = Buffer.from('RIFF\x26\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x22\x56\0\0\x44\xac\0\0\x02\0\x10\0data\x02\0\0\0\x01\x01', 'latin1')

function speak (connection: VoiceConnection): void {
  connection.text('X-RequestId:1\r\nPath:turn.start\r\n\r\n{"context":{}}')
  connection.text('X-RequestId:1\r\nPath:response\r\n\r\n{}')
  connection.sound(mp3)
  connection.sound(Buffer.alloc(0))
  connection.text(end)
}

/** As long as a busy machine may take. */
const patient = { firstMs: 60_000, nextMs: 60_000 }
const clock = { nowMs: Date.UTC(2026, 0, 1), now: () => clock.nowMs }

/** Starts a service with the test's own online voice, and an espeak-ng that always says the same. */
async function startTalking (t: TestLike, endpoint: VoiceEndpoint, config = 'tts: { online: true }\n'): Promise<{ service: TestService, say: (body: object) => Promise<{ status: number, type: string | null, bytes: Buffer, text: string }> }> {
  const bin = temporaryFolder(t, 'bin')
  writeFileSync(join(bin, 'sound'), wav)
  writeFileSync(join(bin, 'espeak-ng'), `#!/bin/sh\ncat > /dev/null\necho "$@" > ${bin}/args\ncat ${bin}/sound\n`)
  chmodSync(join(bin, 'espeak-ng'), 0o755)
  const service = await start(t, { clock, voice: { online: { address: endpoint.address, ...patient } }, env: { PATH: `${bin}:${process.env.PATH}`, SVC_WEBUI_TRUSTED_PROXIES: 'loopback' } })
  writeFileSync(join(service.folder, 'home', 'config.yaml'), config)
  let asked = 0
  return {
    service,
    async say (body) {
      const response = await fetch(`${service.url}/api/tts`, { method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${++asked}` }, body: JSON.stringify(body) })
      const bytes = Buffer.from(await response.arrayBuffer())
      return { status: response.status, type: response.headers.get('content-type'), bytes, text: bytes.toString('latin1') }
    }
  }
}

t.test('a text is read aloud online where that is allowed, and nowhere else', async (t) => {
  const endpoint = await startVoiceEndpoint(t, speak)
  const { service, say } = await startTalking(t, endpoint, '')
  t.match(await say({ text: 'Hello.' }), { status: 200, type: 'audio/wav' })
  t.match(await say({ text: 'Hello.', engine: 'edge' }), { type: 'audio/wav' })
  t.same(endpoint.calls, [], 'no text leaves the machine unless config.yaml says so')

  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'tts: { online: true }\n')
  const heard = await say({ text: 'Fish & chips, 1 < 2 > 0 "to go".', voice: 'en-GB-RyanNeural', rate: 1.5, pitch: '-20Hz' })
  t.match(heard, { status: 200, type: 'audio/mpeg' })
  t.ok(heard.bytes.equals(mp3))
  const { url, headers, messages: [settings, speech] } = endpoint.calls[0]!
  t.match([...url.searchParams.keys()], ['TrustedClientToken', 'Sec-MS-GEC', 'Sec-MS-GEC-Version', 'ConnectionId'])
  t.match(headers, { origin: /^chrome-extension:/, 'user-agent': /Edg\// })
  t.match(JSON.parse(settings!.split('\r\n\r\n')[1]!), { context: { synthesis: { audio: { outputFormat: 'audio-24khz-48kbitrate-mono-mp3' } } } })
  t.match(speech, /Path:ssml\r\n\r\n<speak .*xml:lang='en-GB'><voice name='en-GB-RyanNeural'><prosody rate='\+50%' pitch='-20Hz' volume='\+0%'>Fish &amp; chips, 1 &lt; 2 &gt; 0 &quot;to go&quot;\.<\/prosody>/)
  t.match(await say({ text: 'Hello.', engine: 'espeak' }), { type: 'audio/wav' }, 'who asks for espeak-ng gets espeak-ng')
  t.match(await say({ text: 'Hello.', voice: 'en-US-NobodyNeural' }), { status: 400, text: /Invalid voice/ })
  t.equal(endpoint.calls.length, 1)

  const long = await say({ text: 'A sentence of this text. '.repeat(100) })
  t.equal(long.bytes.length, Math.round(long.bytes.length / mp3.length) * mp3.length, 'pieces one behind the other')
  t.ok(endpoint.calls.length > 3)
  await eventually('its connections are closed', async () => endpoint.open() === 0 || null)
})

t.test('when it fails espeak-ng speaks, and for a while nobody asks again', async (t) => {
  const endpoint = await startVoiceEndpoint(t, speak)
  const { say } = await startTalking(t, endpoint)
  const failures: Array<[string, VoiceEndpoint['answer']]> = [
    ['an end without a sound', (connection) => { connection.text(end) }],
    ['death in the middle', (connection) => {
      connection.sound(mp3)
      connection.cut()
    }],
    ['a binary message that is none', (connection) => { connection.binary(Buffer.from([0xff])) }],
    ['headers longer than the message', (connection) => { connection.binary(Buffer.from([0xff, 0xff, 1, 2])) }],
    ['another kind of binary message', (connection) => { connection.binary(Buffer.from('\0\x0ePath:nothing\r\n')) }],
    ['what is no frame', (connection) => { connection.raw(Buffer.from('HTTP/1.1 500 Oh\r\n\r\n')) }],
    ['a sound that is none', (connection) => {
      connection.sound(Buffer.from('<html>nothing to be heard</html>'))
      connection.text(end)
    }],
    ['a message without end', (connection) => { connection.raw(Buffer.concat([Buffer.from([0x82, 127, 0, 0, 1, 0, 0, 0, 0, 0]), Buffer.alloc(70_000)])) }]
  ]
  for (const [name, answer] of failures) {
    endpoint.answer = answer
    const before = endpoint.calls.length
    const heard = await say({ text: 'Hello.' })
    t.match(heard, { status: 200, type: 'audio/wav' }, name)
    t.ok(heard.bytes.equals(wav), `${name}: the whole text, by espeak-ng`)
    t.equal(endpoint.calls.length, before + 1, name)
    endpoint.answer = speak
    t.match(await say({ text: 'Hello.' }), { type: 'audio/wav' }, `${name}: not asked again`)
    t.equal(endpoint.calls.length, before + 1, name)
    clock.nowMs += 5 * 60_000
    t.match(await say({ text: 'Hello.' }), { type: 'audio/mpeg' }, `${name}: until a while has passed`)
  }
  endpoint.refusal = 403
  t.match(await say({ text: 'Hello.' }), { status: 200, type: 'audio/wav' }, 'a refusal')
  await eventually('its connections are closed', async () => endpoint.open() === 0 || null)
})

t.test('a machine without a network, and one without espeak-ng as well', async (t) => {
  const endpoint = await startVoiceEndpoint(t, speak)
  endpoint.refusal = 403
  const service = await start(t, { voice: { online: { address: endpoint.address, ...patient } }, env: { PATH: '/nonexistent', SVC_WEBUI_TRUSTED_PROXIES: 'loopback' } })
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'tts: { online: true }\n')
  const say = async (from: string) => await service.post('/api/tts', { text: 'Hello.' }, { 'x-forwarded-for': from })
  t.match(await say('203.0.113.1'), { status: 502, body: { error: 'The online voice could not be reached, or its answer broke off' } })
  t.match(await say('203.0.113.2'), { status: 503, body: { error: /espeak-ng, which is not installed/ } })
})

t.test('who says nothing for too long has failed, at the beginning and in the middle', async (t) => {
  const endpoint = await startVoiceEndpoint(t, (connection) => { connection.text('Path:turn.start\r\n\r\n') })
  const prosody = { rate: 1, pitch: 1 }
  const { signal } = new AbortController()
  const hurried = createOnlineVoice({ clock, address: endpoint.address, ...patient, firstMs: 20 })
  await t.rejects(hurried.speak('Hello.', 'en-US-AriaNeural', prosody, signal), { message: /could not be reached, or its answer broke off/ })
  t.notOk(hurried.isWorthAsking())
  endpoint.answer = (connection) => { connection.sound(mp3) }
  const patientAtFirst = createOnlineVoice({ clock, address: endpoint.address, ...patient, nextMs: 20 })
  await t.rejects(patientAtFirst.speak('Hello.', 'en-US-AriaNeural', prosody, signal), { message: /could not be reached, or its answer broke off/ })
  t.notOk(patientAtFirst.isWorthAsking())
})

t.test('whoever hangs up ends it, and is no reason to ask nobody for a while', async (t) => {
  const gone = new AbortController()
  const endpoint = await startVoiceEndpoint(t, (connection) => {
    connection.sound(mp3)
    gone.abort()
  })
  const voice = createOnlineVoice({ clock, address: endpoint.address, ...patient })
  await t.rejects(voice.speak('Hello.', 'en-US-AriaNeural', { rate: 1, pitch: 1 }, gone.signal), { message: /broke off/ })
  t.ok(voice.isWorthAsking())
  await eventually('its connection is closed', async () => endpoint.open() === 0 || null)
})

t.test('voices by name, locale and language; the usual one gives way to one that speaks the script', async (t) => {
  const chosen: Array<[name: string, text: string, voice: string]> = [
    ['de-DE-ConradNeural', 'hello', 'de-DE-ConradNeural'], ['de-de', 'Guten Tag', 'de-DE-KatjaNeural'], ['DE-at', 'Servus', 'de-AT-IngridNeural'], ['en', 'hello', 'en-US-AriaNeural'],
    ['zh', '你好', 'zh-CN-XiaoxiaoNeural'], ['zh-TW', '你好', 'zh-TW-HsiaoChenNeural'], ['zh-CN-YunxiNeural', 'hello', 'zh-CN-YunxiNeural'],
    ['zh-CN-XiaoxiaoNeural', '你好，world', 'zh-CN-XiaoxiaoNeural'], ['zh-CN-XiaoxiaoNeural', 'hello', 'en-US-AriaNeural'], ['zh-CN-XiaoxiaoNeural', '今日は', 'ja-JP-NanamiNeural'],
    ['zh-CN-XiaoxiaoNeural', 'Привет', 'ru-RU-SvetlanaNeural'], ['zh-CN-XiaoxiaoNeural', '안녕', 'ko-KR-SunHiNeural']
  ]
  for (const [name, text, voice] of chosen) t.equal(onlineVoice(name, text), voice, `${name}: ${text}`)
  for (const name of ['', 'd', 'xx', 'de-', '__proto__', "de-DE'/><x"]) t.throws(() => onlineVoice(name, 'x'), { message: /Invalid voice/ }, name)
})

t.test('the stamp of a moment holds for five minutes; messages that are none say nothing', async (t) => {
  const at = Date.UTC(2026, 0, 1, 12, 0, 0)
  t.match(stampAt(at), /^[0-9A-F]{64}$/)
  t.equal(stampAt(at), stampAt(at + 299_999))
  t.not(stampAt(at), stampAt(at + 300_000))
  t.same(readMessage(''), { path: '' })
  t.same(readMessage('Path:turn.end'), { path: '' }, 'headers without an end')
  t.same(readMessage(Buffer.alloc(0)), null)
})
