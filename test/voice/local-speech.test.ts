import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { createLocalSpeech } from '../../services/areas/voice/local/speech.js'
import { readWav } from '../../services/areas/voice/local/sound.js'
import { findVoice } from '../../services/areas/voice/local/voice-model.js'
import { start, type TestLike, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { toyVoice, toyVoiceFiles } from '../support/toy-models.js'

/** Makes a sound with a sample for each character, as loud as the speaker's number says. The text says what happens to it. */
const engineCode = `
const fs = require('node:fs')
fs.appendFileSync(__dirname + '/pids', process.pid + '\\n')
process.stdout.write('native code talks\\n')
exports.OfflineTts = class {
  static async createAsync (config) {
    const tokens = fs.readFileSync(Object.values(config.model).find(({ tokens }) => tokens !== undefined).tokens, 'utf8')
    if (tokens === 'ends') process.exit(255)
    if (tokens === 'throws') throw new Error('no such model')
    fs.writeFileSync(__dirname + '/config', JSON.stringify({ ...config, env: Object.keys(process.env).sort() }))
    return Object.assign(new exports.OfflineTts(), { numSpeakers: 3, sampleRate: 16000 })
  }
  async generateAsync ({ text, sid, speed }) {
    fs.appendFileSync(__dirname + '/texts', JSON.stringify({ text, sid, speed }) + '\\n')
    if (text.includes('crash')) process.exit(1)
    if (text.includes('fail')) throw new Error('no such word')
    if (text.includes('forever')) await new Promise(() => {})
    if (text.includes('wait')) while (!fs.existsSync(__dirname + '/go')) await new Promise((resolve) => setTimeout(resolve, 5))
    if (text.includes('nothing')) return { samples: new Float32Array(0), sampleRate: 16000 }
    return { samples: new Float32Array(text.length).fill((1 + sid) * 0.25), sampleRate: 16000 }
  }
}`

function fakeModule (t: TestLike): string {
  const folder = temporaryFolder(t, 'engine')
  writeFileSync(join(folder, 'index.js'), engineCode)
  writeFileSync(join(folder, 'package.json'), '{"main": "index.js"}')
  return folder
}

function modelFolder (t: TestLike, files: Record<string, string>, folders: string[] = []): string {
  const folder = temporaryFolder(t, 'voice')
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  for (const name of folders) mkdirSync(join(folder, name))
  return folder
}
const piper = { 'de_DE-thorsten-medium.onnx': '', 'de_DE-thorsten-medium.onnx.json': '{}', 'tokens.txt': '_ 0' }
const piperFolder = (t: TestLike, tokens = '_ 0'): string => modelFolder(t, { ...piper, 'tokens.txt': tokens }, ['espeak-ng-data'])

const pidsOf = (module: string): number[] => existsSync(join(module, 'pids')) ? readFileSync(join(module, 'pids'), 'utf8').trim().split('\n').map(Number) : []
const textsOf = (module: string) => existsSync(join(module, 'texts')) ? readFileSync(join(module, 'texts'), 'utf8').trim().split('\n').map((line) => JSON.parse(line) as { text: string, sid: number, speed: number }) : []
const configure = (service: TestService, text: string): void => writeFileSync(join(service.folder, 'home', 'config.yaml'), text)
const useVoice = (service: TestService, folder: string, more = ''): void => configure(service, `tts: { provider: local, model_dir: "${folder}"${more} }\n`)

function runs (pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function startTalking (t: TestLike, module: string): Promise<{ service: TestService, say: (body: object) => Promise<{ status: number, type: string | null, bytes: Buffer, text: string }> }> {
  const service = await start(t, { voice: { modules: [module] }, env: { SVC_WEBUI_TRUSTED_PROXIES: 'loopback', ELEVENLABS_API_KEY: 'a-secret-of-the-service' } })
  let asked = 0
  const say = async (body: object) => {
    const response = await fetch(`${service.url}/api/tts`, { method: 'POST', headers: { 'content-type': 'application/json', 'x-forwarded-for': `203.0.113.${++asked}` }, body: JSON.stringify(body) })
    const bytes = Buffer.from(await response.arrayBuffer())
    return { status: response.status, type: response.headers.get('content-type'), bytes, text: bytes.toString('latin1') }
  }
  return { service, say }
}

t.test('a model on this machine speaks, in a process of its own', async (t) => {
  const module = fakeModule(t)
  const { service, say } = await startTalking(t, module)
  useVoice(service, piperFolder(t))
  const heard = await say({ text: '**Hello** there.', rate: 1.5 })
  t.match(heard, { status: 200, type: 'audio/wav' })
  const sound = readWav(heard.bytes)!
  t.match(sound, { rate: 16_000, samples: { length: 2 * 'Hello there.'.length } })
  t.equal(sound.samples.readInt16LE(0), Math.round(0.25 * 32_767))
  t.same(heard.bytes.readUInt32LE(4), heard.bytes.length - 8)
  t.same(textsOf(module), [{ text: 'Hello there.', sid: 0, speed: 1.5 }])
  const seen = JSON.parse(readFileSync(join(module, 'config'), 'utf8')) as { model: Record<string, unknown>, env: string[] }
  t.match(seen.model, { vits: { model: /de_DE-thorsten-medium\.onnx$/, dataDir: /espeak-ng-data$/, lexicon: '' } })
  t.notOk(seen.env.some((name) => name.includes('KEY') || name.startsWith('SVC_')), 'nothing of the service\'s environment')

  for (const engine of ['engine_default', 'edge', 'local']) t.match(await say({ text: 'Hello.', engine }), { status: 200 }, engine)
  t.equal(textsOf(module).length, 4, 'all of them are the model')
  await say({ text: 'Hello.', voice: '2' })
  await say({ text: 'Hello.', voice: '99' })
  await say({ text: 'Hello.', voice: 'zh-CN-XiaoxiaoNeural' })
  t.same(textsOf(module).slice(4).map(({ sid }) => sid), [2, 0, 0], 'one that is not there is the first')
  useVoice(service, piperFolder(t), ', voice: "1"')
  await say({ text: 'Hello.' })
  t.equal(textsOf(module).at(-1)!.sid, 1)
  t.equal(pidsOf(module).length, 2, 'another model, another process')
  const long = await say({ text: `${'A sentence of this text. '.repeat(80)}` })
  t.equal(readWav(long.bytes)!.samples.length / 2, textsOf(module).slice(8).reduce((sum, { text }) => sum + text.length, 0))
  t.ok(textsOf(module).slice(8).every(({ text }) => text.length <= 300))

  const streamId = await service.send(await service.newSession(), 'hello')
  const reader = await service.events(`/api/tts/stream?stream_id=${streamId}`)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'audio'), { data: { type: 'audio/wav' } })
  const last = pidsOf(module).at(-1)!
  await service.stop()
  await eventually('its end', async () => runs(last) ? null : true)
})

t.test('what is missing or fails is told of in words, without a path', async (t) => {
  const module = fakeModule(t)
  const { service, say } = await startTalking(t, module)
  t.match(await say({ text: 'x', engine: 'local' }), { status: 503, text: /tts\.model_dir/ }, 'asked for, and not set up')
  const refused: Array<[string, string, RegExp]> = [
    ['no folder named', 'tts: { provider: local }\n', /needs tts\.model_dir/],
    ['a relative one', 'tts: { provider: local, model_dir: voices }\n', /absolute path/],
    ['one that is not there', `tts: { provider: local, model_dir: "${module}/none" }\n`, /does not exist, or cannot be read/],
    ['an empty one', `tts: { provider: local, model_dir: "${modelFolder(t, {})}" }\n`, /holds no known model/]
  ]
  for (const [name, text, words] of refused) {
    configure(service, text)
    const heard = await say({ text: 'x' })
    t.match(heard, { status: 503, text: words }, name)
    t.notMatch(heard.text, module)
  }
  t.same(pidsOf(module), [])
  for (const tokens of ['ends', 'throws']) {
    useVoice(service, piperFolder(t, tokens))
    t.match(await say({ text: 'x' }), { status: 503, text: /the model in the folder that tts\.model_dir in config\.yaml names cannot be loaded/ }, tokens)
  }
  useVoice(service, piperFolder(t))
  for (const text of ['crash', 'fail', 'nothing']) t.match(await say({ text }), { status: 502, text: /The model on this machine failed at this text/ }, text)
  t.match(await say({ text: 'Hello.' }), { status: 200 }, 'and the next one is spoken')
  process.kill(pidsOf(module).at(-1)!, 'SIGKILL')
  await eventually('another process', async () => (await say({ text: 'Hello.' })).status === 200 || null)
  const absent = await startTalking(t, join(module, 'absent'))
  useVoice(absent.service, piperFolder(t))
  t.match(await absent.say({ text: 'x' }), { status: 503, text: /needs the package sherpa-onnx-node, which is not installed/ })
})

t.test('a process that takes too long is killed, one without work ends, and whoever has gone is noticed', async (t) => {
  const module = fakeModule(t)
  const folder = piperFolder(t)
  const say = async (speech: ReturnType<typeof createLocalSpeech>, text: string, signal = new AbortController().signal) => await speech.speak(folder, { text, speaker: 0, speed: 1 }, signal)
  const hurried = createLocalSpeech({ path: process.env.PATH, modules: [module], limitMs: 1_000 })
  t.teardown(hurried.close)
  await t.rejects(say(hurried, 'forever'), { message: /took too long for this text/ })
  await eventually('its end', async () => pidsOf(module).some(runs) ? null : true)

  const idle = createLocalSpeech({ path: process.env.PATH, modules: [module], idleMs: 1 })
  t.teardown(idle.close)
  t.ok(readWav(await say(idle, 'Hello.')))
  await eventually('its end without work', async () => pidsOf(module).some(runs) ? null : true)

  const patient = createLocalSpeech({ path: process.env.PATH, modules: [module] })
  t.teardown(patient.close)
  const gone = new AbortController()
  const before = textsOf(module).length
  const given = say(patient, `${'wait '.repeat(50)}. ${'more '.repeat(50)}.`, gone.signal)
  await eventually('the first piece', async () => textsOf(module).length > before || null)
  const next = say(patient, 'Hello.')
  gone.abort()
  writeFileSync(join(module, 'go'), '')
  await t.rejects(given, { message: /client disconnected/ })
  t.ok(readWav(await next), 'who comes next is served by the same process')
  t.same(textsOf(module).slice(before + 1).map(({ text }) => text), ['Hello.'], 'the rest is not spoken')
})

t.test('the kind of a voice is told by its files', async (t) => {
  const none = { lexicon: '', dataDir: '', ruleFsts: '', ruleFars: '' }
  t.match(await findVoice(piperFolder(t)), { ...none, kind: 'vits', model: /thorsten-medium\.onnx$/, dataDir: /espeak-ng-data$/ }, 'Piper')
  t.match(await findVoice(modelFolder(t, { 'model.onnx': '', 'model.int8.onnx': '', 'lexicon.txt': '', 'tokens.txt': '', 'date.fst': '', 'phone.fst': '', 'rule.far': '' }, ['dict'])),
    { kind: 'vits', model: /model\.int8\.onnx$/, lexicon: /lexicon\.txt$/, ruleFsts: /date\.fst,.*phone\.fst$/, ruleFars: /rule\.far$/ }, 'Chinese VITS')
  t.match(await findVoice(modelFolder(t, { 'model.onnx': `${'\0'.repeat(200_000)}model_type vits`, 'tokens.txt': '' })), { ...none, kind: 'vits' }, 'one that spells by letters')
  t.match(await findVoice(modelFolder(t, { 'model.onnx': '', 'voices.bin': '', 'tokens.txt': '', 'lexicon-us-en.txt': '', 'lexicon-gb-en.txt': '', 'lexicon-zh.txt': '' }, ['espeak-ng-data'])),
    { kind: 'kokoro', model: /model\.onnx$/, voices: /voices\.bin$/, lexicon: /^[^,]*lexicon-us-en\.txt,[^,]*lexicon-zh\.txt$/ }, 'Kokoro')
  t.match(await findVoice(modelFolder(t, { 'model-steps-3.onnx': '', 'vocos-22khz-univ.onnx': '', 'tokens.txt': '' }, ['espeak-ng-data'])),
    { kind: 'matcha', model: /model-steps-3\.onnx$/, vocoder: /vocos-22khz-univ\.onnx$/ }, 'Matcha')
  await t.rejects(findVoice(modelFolder(t, { 'model-steps-3.onnx': '', 'tokens.txt': '' })), { message: /no vocoder beside it/ })
  const unknown: Array<Record<string, string>> = [
    { 'model.onnx': 'vits' }, { 'tokens.txt': '' }, { 'model.onnx': 'sense_voice_ctc', 'lexicon.txt': '', 'tokens.txt': '' }, { 'model.onnx': 'EncDecCTCModel', 'tokens.txt': '' },
    { 'model.onnx': 'vits', 'voices.bin': '', 'tokens.txt': '' }, { 'vocos-22khz-univ.onnx': 'vits', 'tokens.txt': '' }
  ]
  for (const files of unknown) await t.rejects(findVoice(modelFolder(t, files)), { message: /no known model/ }, Object.keys(files).join(' '))
})

const isInstalled = (() => {
  try {
    return [createRequire(import.meta.url).resolve('sherpa-onnx-node'), createRequire(import.meta.url).resolve(`sherpa-onnx-${platform()}-${arch()}/sherpa-onnx.node`)].length > 0
  } catch {
    return false
  }
})()
t.test('the package itself: files that are no models', { skip: isInstalled ? false : 'sherpa-onnx-node is not installed' }, async (t) => {
  const speech = createLocalSpeech({ path: process.env.PATH })
  t.teardown(speech.close)
  const folders = [
    piperFolder(t), modelFolder(t, { 'model.onnx': '', 'lexicon.txt': '', 'tokens.txt': '' }),
    modelFolder(t, { 'model.onnx': '', 'voices.bin': '', 'tokens.txt': '' }, ['espeak-ng-data']),
    modelFolder(t, { 'model-steps-3.onnx': '', 'vocos.onnx': '', 'lexicon.txt': '', 'tokens.txt': '' })
  ]
  for (const folder of folders) await t.rejects(speech.speak(folder, { text: 'Hello.', speaker: 0, speed: 1 }, new AbortController().signal), { message: /names cannot be loaded$/ })
})

t.test('the package itself: a model that speaks', { skip: isInstalled ? false : 'sherpa-onnx-node is not installed' }, async (t) => {
  const speech = createLocalSpeech({ path: process.env.PATH })
  t.teardown(speech.close)
  const folder = modelFolder(t, toyVoiceFiles)
  writeFileSync(join(folder, 'model.onnx'), toyVoice(16_000))
  const say = async (text: string) => readWav(await speech.speak(folder, { text, speaker: 7, speed: 1.5 }, new AbortController().signal))!
  const { rate, samples } = await say('ab c.')
  t.equal(rate, 16_000)
  t.ok(samples.length > 1_000)
  t.equal(Math.max(...new Int16Array(samples.buffer, samples.byteOffset, samples.length / 2)), Math.round(0.6 * 32_767), 'as loud as its loudest token')
  t.ok((await say('ab c.\nab c.\nab c.')).samples.length > samples.length, 'by the same process')
})
