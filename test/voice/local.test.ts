import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { start, type TestLike, type TestService } from '../support/app.js'
import { until } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { sendForm, type Part } from '../support/forms.js'
import { toyListener, toyListenerFiles } from '../support/toy-models.js'
import { asset, fromSource } from '../../services/ground/assets.js'
import { createEngine } from '../../services/areas/voice/local/engine.js'
import { findModel } from '../../services/areas/voice/local/model.js'
import { pieces, readWav } from '../../services/areas/voice/local/sound.js'
import { createLocalTranscription } from '../../services/areas/voice/local/transcription.js'

const rate = 8_000
/** Returns a file of that many seconds; `loud` returns the amplitude of each sample. */
function wav (seconds: number, loud: (at: number) => number = () => 1_000): Buffer {
  const samples = Buffer.alloc(seconds * rate * 2)
  for (let at = 0; at < seconds * rate; at++) samples.writeInt16LE(loud(at), at * 2)
  const header = Buffer.from('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\x02\0\x10\0data\0\0\0\0', 'latin1')
  header.writeUInt32LE(36 + samples.length, 4)
  header.writeUInt32LE(rate, 24)
  header.writeUInt32LE(rate * 2, 28)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

/**
 * Reports how it was called; the first sample of a piece says what happens to it. The tokens of its model say what happens to the model.
 */
const engineCode = `
const fs = require('node:fs')
fs.appendFileSync(__dirname + '/pids', process.pid + '\\n')
process.stdout.write('native code talks\\n')
exports.OfflineRecognizer = class {
  static async createAsync ({ modelConfig }) {
    const tokens = fs.readFileSync(modelConfig.tokens, 'utf8')
    if (tokens === 'ends') process.exit(255)
    if (tokens === 'throws') throw new Error('no such model in ' + modelConfig.tokens)
    fs.writeFileSync(__dirname + '/config', JSON.stringify({ modelConfig, env: Object.keys(process.env).sort() }))
    return new exports.OfflineRecognizer()
  }
  createStream () { return { acceptWaveform (wave) { this.wave = wave } } }
  async decodeAsync ({ wave: { sampleRate, samples } }) {
    if (samples[0] < -0.5) process.exit(1)
    if (samples[0] < 0) throw new Error('bad piece')
    if (samples[0] > 0.5) await new Promise(() => {})
    return { text: ' ' + samples.length / sampleRate + 's ' }
  }
}
/** Says how many seconds it was given, word by word: one for each second. */
exports.OnlineRecognizer = class {
  constructor ({ modelConfig }) { fs.writeFileSync(__dirname + '/config', JSON.stringify({ modelConfig })) }
  createStream () {
    return { heard: 0, given: 0, isOver: false, acceptWaveform ({ sampleRate, samples }) { this.given += samples.length / sampleRate }, inputFinished () { this.isOver = true } }
  }
  isReady (stream) { return stream.given - stream.heard >= 1 }
  decode (stream) {
    if (fs.existsSync(__dirname + '/slow')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
    fs.writeFileSync(__dirname + '/heard', String(++stream.heard))
  }
  getResult (stream) { return { text: Array.from({ length: stream.heard }, (_, at) => 'w' + at).join(' ') + (stream.isOver ? '.' : '') } }
}`

function fakeModule (t: TestLike): string {
  const folder = temporaryFolder(t, 'engine')
  writeFileSync(join(folder, 'index.js'), engineCode)
  writeFileSync(join(folder, 'package.json'), '{"main": "index.js"}')
  return folder
}

function modelFolder (t: TestLike, files: Record<string, string>): string {
  const folder = temporaryFolder(t, 'model')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return folder
}
const senseVoice = { 'model.int8.onnx': `${'\0'.repeat(300_000)}model_type sense_voice_ctc`, 'tokens.txt': 'a 1' }
const zipformer = { 'encoder-epoch-99-avg-1.onnx': '', 'encoder-epoch-99-avg-1.int8.onnx': 'zipformer2 decode_chunk_len 32', 'decoder-epoch-99-avg-1.onnx': '', 'joiner-epoch-99-avg-1.int8.onnx': '', 'tokens.txt': 'a 1' }
const whisper = { 'tiny-encoder.onnx': '', 'tiny-encoder.int8.onnx': '', 'tiny-decoder.int8.onnx': '', 'tiny-tokens.txt': 'a 1' }

const configure = (service: TestService, text: string): void => writeFileSync(join(service.folder, 'home', 'config.yaml'), text)
const useModel = (service: TestService, folder: string, more = ''): void => configure(service, `stt: { provider: local, model_dir: "${folder}"${more} }\n`)
const recording = (content: Uint8Array): Part => ({ name: 'file', filename: 'a.wav', content })
const send = async (service: TestService, content: Uint8Array, more: Part[] = []) => await sendForm(`${service.url}/api/transcribe`, [...more, recording(content)])
const pidsOf = (module: string): number[] => existsSync(join(module, 'pids')) ? readFileSync(join(module, 'pids'), 'utf8').trim().split('\n').map(Number) : []
const seenBy = (module: string) => JSON.parse(readFileSync(join(module, 'config'), 'utf8')) as { modelConfig: Record<string, Record<string, unknown>>, env: string[] }

function runs (pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Waits until the condition holds; a test that waits in vain ends by its time limit. */
t.test('a model on this machine hears a recording in a process of its own, piece by piece', async (t) => {
  const module = fakeModule(t)
  const service = await start(t, { voice: { modules: [module] }, env: { OPENAI_API_KEY: 'sk-a-secret-of-the-service' } })
  useModel(service, modelFolder(t, senseVoice))
  t.match((await service.get('/api/transcribe/capability')).body, { ok: true, available: true, provider: 'local' })
  t.same(pidsOf(module), [], 'nothing is started for that')
  t.match(await send(service, wav(2)), { status: 200, body: { ok: true, transcript: '2s' } })
  t.match(seenBy(module).modelConfig, { senseVoice: { model: /model\.int8\.onnx$/, language: 'auto' }, tokens: /tokens\.txt$/ })
  t.notOk(seenBy(module).env.some((name) => name.includes('KEY') || name.startsWith('SVC_')), 'nothing of the service\'s environment')
  // Quiet for a moment at second 25.
  t.match(await send(service, wav(40, (at) => at >= 24.94 * rate && at < 25.06 * rate ? 0 : 1_000)), { body: { transcript: '25s 15s' } })
  const answers = await Promise.all([1, 2, 3].map(async (seconds) => await send(service, wav(seconds))))
  t.same(answers.map(({ body }) => (body as { transcript: string }).transcript), ['1s', '2s', '3s'])
  t.equal(pidsOf(module).length, 1, 'one process')
  useModel(service, modelFolder(t, whisper))
  t.match(await send(service, wav(1), [{ name: 'language', content: 'de-AT' }]), { status: 200 })
  t.match(seenBy(module).modelConfig, { whisper: { encoder: /tiny-encoder\.int8\.onnx$/, decoder: /tiny-decoder\.int8\.onnx$/, language: 'de' } })
  t.match(await send(service, wav(1), [{ name: 'language', content: 'xx' }]), { status: 200 })
  t.equal(seenBy(module).modelConfig['whisper']!['language'], '', 'which would have ended it')
  t.match(await send(service, Buffer.from('<html>')), { status: 400, body: { error: /cannot be transcribed/ } })
  const [last] = pidsOf(module).slice(-1)
  await service.stop()
  await until(() => !runs(last!))
})

t.test('a live model says each word as it hears it, the others each piece', async (t) => {
  const module = fakeModule(t)
  const engine = createEngine({ path: process.env.PATH, modules: [module] })
  t.teardown(engine.close)
  const local = createLocalTranscription({ decode: async (bytes) => bytes, engine })
  const file = join(temporaryFolder(t, 'recording'), 'a.wav')
  const hear = async (folder: string): Promise<string[]> => {
    const partial: string[] = []
    const whole = await local.transcribe(folder, { path: file, language: 'de' }, new AbortController().signal, (text) => partial.push(text))
    return [...partial, whole]
  }
  writeFileSync(file, wav(3))
  const live = modelFolder(t, zipformer)
  t.same(await hear(live), ['w0', 'w0 w1', 'w0 w1 w2', 'w0 w1 w2.', 'w0 w1 w2.'])
  t.match(seenBy(module).modelConfig, { transducer: { encoder: /encoder-epoch-99-avg-1\.int8\.onnx$/, decoder: /decoder-epoch-99-avg-1\.onnx$/, joiner: /joiner-epoch-99-avg-1\.int8\.onnx$/ } })
  writeFileSync(file, wav(30, (at) => at >= 24.94 * rate && at < 25.06 * rate ? 0 : 1_000))
  const long = await hear(live)
  t.match(long.at(-2), /w24\. w0 w1 w2 w3 w4\.$/, 'pieces one behind the other')
  t.same(await hear(modelFolder(t, senseVoice)), ['25s', '25s 5s', '25s 5s'])
})

t.test('what is missing or fails is told of in words, without a path', async (t) => {
  const module = fakeModule(t)
  const service = await start(t, { voice: { modules: [module] } })
  const refused: Array<[string, string, RegExp]> = [
    ['no folder named', 'stt: { provider: local }\n', /needs stt\.model_dir/],
    ['a relative one', 'stt: { provider: local, model_dir: models }\n', /absolute path/],
    ['one that is not there', `stt: { provider: local, model_dir: "${module}/none" }\n`, /does not exist, or cannot be read/],
    ['an empty one', `stt: { provider: local, model_dir: "${modelFolder(t, {})}" }\n`, /holds no known model/],
    ['another model', `stt: { provider: local, model_dir: "${modelFolder(t, { 'model.onnx': 'EncDecCTCModel', 'tokens.txt': '' })}" }\n`, /holds no known model/]
  ]
  for (const [name, text, words] of refused) {
    configure(service, text)
    t.match(await send(service, wav(1)), { status: 503, body: { error: words } }, name)
    t.match((await service.get('/api/transcribe/capability')).body, { available: false, provider: null }, name)
  }
  t.same(pidsOf(module), [])
  for (const tokens of ['ends', 'throws']) {
    useModel(service, modelFolder(t, { ...senseVoice, 'tokens.txt': tokens }))
    const answer = await send(service, wav(1))
    t.match(answer, { status: 503, body: { error: /^Speech to text does not work: the model in the folder that stt\.model_dir in config\.yaml names cannot be loaded$/ } }, tokens)
  }
  useModel(service, modelFolder(t, senseVoice))
  t.match(await send(service, wav(1, () => -10)), { status: 502, body: { error: 'The speech engine on this machine failed at this recording' } })
  t.match(await send(service, wav(1, () => -30_000)), { status: 502, body: { error: 'The speech engine on this machine failed at this recording' } })
  t.match(await send(service, wav(1)), { status: 200 }, 'and the next one is heard')
  process.kill(pidsOf(module).at(-1)!, 'SIGKILL')
  await until(async () => (await send(service, wav(1))).status === 200)

  const broken = temporaryFolder(t, 'engine')
  mkdirSync(join(broken, 'lib'))
  writeFileSync(join(broken, 'lib', 'index.js'), 'throw new Error(__filename)')
  for (const [module, words] of [[join(broken, 'lib'), /cannot be loaded on this machine/], [join(broken, 'absent'), /needs the package sherpa-onnx-node, which is not installed/]] as const) {
    const other = await start(t, { voice: { modules: [module] } })
    useModel(other, modelFolder(t, senseVoice))
    const { status, text } = await send(other, wav(1))
    t.equal(status, 503)
    t.match(text, words)
    t.notMatch(text, broken)
  }
})

t.test('a process whose service was killed ends in the middle of a piece', async (t) => {
  const module = fakeModule(t)
  writeFileSync(join(module, 'slow'), '')
  const order = { task: 'hear', module, model: await findModel(modelFolder(t, zipformer)), language: '' }
  const child = spawn(process.execPath, [...process.execArgv, asset(`services/areas/voice/local/main.${fromSource ? 'ts' : 'js'}`), JSON.stringify(order)], { stdio: ['pipe', 'ignore', 'ignore', 'pipe'] })
  const ended = once(child, 'exit')
  const samples = readWav(wav(25))!.samples.toString('base64')
  child.stdin!.write(`${JSON.stringify({ rate, samples })}\n`)
  await until(() => existsSync(join(module, 'heard')))
  // The pipe for replies stays open: in a piece without speech, nothing would show that no one reads it.
  child.stdin!.end()
  t.same(await ended, [null, 'SIGKILL'])
  t.ok(Number(readFileSync(join(module, 'heard'), 'utf8')) < 25, 'not behind it')
})

t.test('a process that takes too long is killed, and one without work ends', async (t) => {
  const module = fakeModule(t)
  const engine = createEngine({ path: process.env.PATH, modules: [module], idleMs: 1 })
  t.teardown(engine.close)
  const local = createLocalTranscription({ decode: async (bytes) => bytes, engine, limitMs: 1_500 })
  const folder = modelFolder(t, senseVoice)
  const file = join(temporaryFolder(t, 'recording'), 'a.wav')
  writeFileSync(file, wav(1, () => 30_000))
  const hear = async (signal = new AbortController().signal) => await local.transcribe(folder, { path: file, language: null }, signal)
  await t.rejects(hear(), { message: /took too long/ })
  await until(() => pidsOf(module).every((pid) => !runs(pid)))
  // On a loaded machine it was too slow even to report its process id.
  const before = pidsOf(module).length
  writeFileSync(file, wav(1))
  t.equal(await createLocalTranscription({ decode: async (bytes) => bytes, engine }).transcribe(folder, { path: file, language: null }, new AbortController().signal), '1s')
  t.equal(pidsOf(module).length, before + 1)
  await until(() => pidsOf(module).every((pid) => !runs(pid)))
  await t.rejects(hear(AbortSignal.abort()), { message: /client disconnected/ })
})

t.test('the kind of a model is read from its files', async (t) => {
  t.match(await findModel(modelFolder(t, { 'model.onnx': 'paraformer', 'tokens.txt': '' })), { kind: 'paraformer', model: /model\.onnx$/ })
  t.match(await findModel(modelFolder(t, { 'base.en-encoder.onnx': '', 'base.en-decoder.onnx': '', 'base.en-tokens.txt': '' })), { kind: 'whisper', encoder: /base\.en-encoder\.onnx$/ })
  t.match(await findModel(modelFolder(t, { 'encoder.int8.onnx': 'paraformer', 'decoder.int8.onnx': '', 'tokens.txt': '' })), { kind: 'paraformer-live', encoder: /encoder\.int8\.onnx$/ })
  t.match(await findModel(modelFolder(t, { 'ctc-epoch-20-avg-1-chunk-16-left-128.onnx': '', 'tokens.txt': '' })), { kind: 'ctc-live', model: /ctc-epoch/ })
  const whole = { 'encoder.int8.onnx': 'EncDecRNNTBPEModel', 'decoder.int8.onnx': '', 'joiner.int8.onnx': '', 'tokens.txt': '' }
  await t.rejects(findModel(modelFolder(t, whole)), { message: /no known model/ }, 'a transducer that wants the whole recording at once')
  for (const files of [{ 'tiny-encoder.onnx': '', 'tiny-tokens.txt': '' }, { 'model.onnx': 'paraformer' }, { 'encoder.onnx': '', 'decoder.onnx': '', 'tokens.txt': '' }] as Array<Record<string, string>>) {
    await t.rejects(findModel(modelFolder(t, files)), { message: /no known model/ })
  }
  const folder = modelFolder(t, { 'tokens.txt': '' })
  mkdirSync(join(folder, 'model.onnx'))
  await t.rejects(findModel(folder), { message: /cannot be read/ })
})

t.test('nothing of a sound is lost by cutting it, and no piece is too long', async (t) => {
  for (const seconds of [1, 28, 29, 100]) {
    const sound = readWav(wav(seconds, (at) => Math.round(1_000 * Math.sin(at / 50))))!
    const all = [...pieces(sound)]
    t.ok(Buffer.concat(all.map(({ samples }) => samples)).equals(sound.samples), `${seconds} s`)
    t.ok(all.every(({ samples }) => samples.length > 0 && samples.length <= 28 * rate * 2), `${seconds} s`)
  }
  const whole = wav(1)
  for (const length of [0, 11, 20, 40, 44, 45]) t.equal(readWav(whole.subarray(0, length)), null, `${length} bytes`)
  t.equal(readWav(whole.subarray(0, 51))!.samples.length, 6)
  const stereo = Buffer.from(whole)
  stereo.writeUInt16LE(2, 22)
  t.equal(readWav(stereo), null)
})

const real = `sherpa-onnx-${platform()}-${arch()}/sherpa-onnx.node`
const isInstalled = (() => {
  try {
    return [createRequire(import.meta.url).resolve('sherpa-onnx-node'), createRequire(import.meta.url).resolve(real)].length > 0
  } catch {
    return false
  }
})()
t.test('the package itself: an empty folder, and files that are no models', { skip: isInstalled ? false : 'sherpa-onnx-node is not installed' }, async (t) => {
  const service = await start(t)
  useModel(service, modelFolder(t, {}))
  t.match(await send(service, wav(1)), { status: 503, body: { error: /holds no known model/ } })
  for (const files of [senseVoice, whisper, zipformer, { 'model.onnx': 'paraformer', 'tokens.txt': '' }]) {
    useModel(service, modelFolder(t, files))
    t.match(await send(service, wav(1)), { status: 503, body: { error: /names cannot be loaded$/ } })
  }
})

t.test('the package itself: a live model is heard word by word', { skip: isInstalled ? false : 'sherpa-onnx-node is not installed' }, async (t) => {
  const engine = createEngine({ path: process.env.PATH })
  t.teardown(engine.close)
  const folder = modelFolder(t, toyListenerFiles)
  writeFileSync(join(folder, 'ctc-epoch-1-chunk-16-left-8.onnx'), toyListener())
  const file = join(temporaryFolder(t, 'recording'), 'a.wav')
  writeFileSync(file, wav(1))
  const partial: string[] = []
  const local = createLocalTranscription({ decode: async (bytes) => bytes, engine })
  const text = await local.transcribe(folder, { path: file, language: null }, new AbortController().signal, (words) => partial.push(words))
  t.match(text, /^one two three one/)
  t.same(partial.slice(0, 2), ['one', 'one two'])
  t.equal(partial.at(-1), text)
})
