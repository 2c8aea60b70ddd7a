import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { TooLarge } from '../../services/ground/errors.js'
import { createDecoder } from '../../services/areas/voice/ffmpeg.js'
import { start, type StartOptions, type TestLike, type TestService } from '../support/app.js'
import { sendForm } from '../support/forms.js'
import { needs } from '../support/programs.js'
import { answerJson, startSpeechEndpoint } from '../support/speech-endpoint.js'

/** Returns a second of a tone, as ffmpeg writes it. */
function tone (args: string[]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'tone-'))
  try {
    const path = join(folder, `tone.${args.at(-1)}`)
    execFileSync('ffmpeg', ['-loglevel', 'error', '-f', 'lavfi', '-i', 'sine=frequency=440:duration=1', ...args.slice(0, -1), path])
    return readFileSync(path)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

interface Received { name: string, type: string, bytes: Buffer }

async function startListening (t: TestLike, options: StartOptions = {}): Promise<{ service: TestService, received: Received[], send: (content: Buffer, filename?: string) => ReturnType<typeof sendForm> }> {
  const service = await start(t, options)
  const received: Received[] = []
  const endpoint = await startSpeechEndpoint(t, async (call, response) => {
    const file = (await call.form()).get('file') as File
    received.push({ name: file.name, type: file.type, bytes: Buffer.from(await file.arrayBuffer()) })
    answerJson(response, 200, { text: 'a tone' })
  })
  writeFileSync(join(service.folder, 'home', 'config.yaml'), `stt: { base_url: "${endpoint.url}", audio: wav }\n`)
  return { service, received, send: async (content, filename = 'a') => await sendForm(`${service.url}/api/transcribe`, [{ name: 'file', filename, content }]) }
}

t.test('a server that takes WAV alone gets every format as WAV', needs('ffmpeg'), async (t) => {
  const { received, send } = await startListening(t)
  const formats: Array<[name: string, args: string[]]> = [
    ['webm', ['-c:a', 'libopus', 'webm']], ['m4a, its index at the end', ['-c:a', 'aac', 'm4a']], ['m4a in fragments', ['-c:a', 'aac', '-movflags', 'frag_keyframe+empty_moov', 'm4a']],
    ['mp3', ['-c:a', 'libmp3lame', 'mp3']], ['ogg', ['-c:a', 'libopus', 'ogg']], ['flac', ['flac']]
  ]
  for (const [name, args] of formats) {
    t.match(await send(tone(args)), { status: 200, body: { ok: true, transcript: 'a tone' } }, name)
    const { bytes, ...file } = received.pop()!
    t.match(file, { name: 'recording.wav', type: 'audio/wav' }, name)
    t.same([bytes.readUInt16LE(22), bytes.readUInt32LE(24), bytes.readUInt16LE(34), bytes.readUInt32LE(40)], [1, 16_000, 16, bytes.length - 44], name)
    const seconds = (bytes.length - 44) / 32_000
    t.ok(seconds > 0.9 && seconds < 1.3, `${name}: ${seconds} s`)
  }
  const wav = tone(['wav'])
  t.match(await send(wav), { status: 200 })
  t.ok(received.pop()!.bytes.equals(wav), 'WAV goes out as it is')
})

t.test('what only looks like audio, lists of other files, and more than half an hour', needs('ffmpeg'), async (t) => {
  const { service, received, send } = await startListening(t)
  const secret = join(service.folder, 'secret.wav')
  writeFileSync(secret, tone(['wav']))
  const webm = tone(['-c:a', 'libopus', 'webm'])
  for (const [name, content] of [
    ['the beginning alone', webm.subarray(0, 60)], ['noise behind it', Buffer.concat([webm.subarray(0, 60), Buffer.alloc(10_000, 7)])],
    ['a list', Buffer.from(`#EXTM3U\n#EXTINF:1,\n${secret}\n`)], ['a script', Buffer.from(`ffconcat version 1.0\nfile ${secret}\n`)]
  ] as const) t.match(await send(content, 'a.webm'), { status: 400, body: { error: /cannot be transcribed/ } }, name)
  const decode = createDecoder({ path: process.env.PATH, longestS: 0.5 })
  await t.rejects(decode(webm, { ending: 'webm', type: 'audio/webm' }, new AbortController().signal), new TooLarge('The recording is longer than half an hour'))
  t.same(received, [])
})

t.test('where ffmpeg is missing it is named, and WAV needs none', needs('ffmpeg'), async (t) => {
  const { send } = await startListening(t, { env: { PATH: '/nonexistent' } })
  t.match(await send(tone(['-c:a', 'libopus', 'webm'])), { status: 503, body: { error: /ffmpeg, which is not installed/ } })
  t.match(await send(tone(['wav'])), { status: 200 })
})
