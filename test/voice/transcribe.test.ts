import { readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import t from '#test'
import { start, type TestService } from '../support/app.js'
import { formBytes, formType, sendForm, type Part } from '../support/forms.js'
import { answerJson, startSpeechEndpoint, type SpeechEndpoint } from '../support/speech-endpoint.js'

const key = 'sk-a-key-of-this-test-0123456789'
/** The beginnings of files as recorders make them, with some data after them. */
const wav = Buffer.concat([Buffer.from('RIFF\x24\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00', 'latin1'), Buffer.alloc(64)])
const recordings: Record<string, [bytes: Buffer, ending: string]> = {
  wav: [wav, 'wav'],
  mp3: [Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(1024)]), 'mp3'],
  'mp3 with a tag': [Buffer.concat([Buffer.from('ID3\x04\x00\x00\x00\x00\x00\x00', 'latin1'), Buffer.from([0xff, 0xfb, 0x90, 0x64]), Buffer.alloc(1024)]), 'mp3'],
  ogg: [Buffer.concat([Buffer.from('OggS\x00\x02', 'latin1'), Buffer.alloc(22), Buffer.from('OpusHead'), Buffer.alloc(64)]), 'ogg'],
  m4a: [Buffer.concat([Buffer.from('\x00\x00\x00\x20ftypM4A \x00\x00\x00\x00M4A mp42isom\x00\x00\x00\x00', 'latin1'), Buffer.alloc(64)]), 'm4a'],
  'mp4 of a browser': [Buffer.concat([Buffer.from('\x00\x00\x00\x18ftypisom\x00\x00\x02\x00isomiso2', 'latin1'), Buffer.alloc(64)]), 'mp4'],
  webm: [Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x87, 0x42, 0x82, 0x84]), Buffer.from('webm'), Buffer.alloc(64)]), 'webm'],
  flac: [Buffer.concat([Buffer.from('fLaC'), Buffer.alloc(64)]), 'flac']
}

const configure = (service: TestService, text: string): void => writeFileSync(join(service.folder, 'home', 'config.yaml'), text)
const recording = (content: Uint8Array): Part => ({ name: 'file', filename: 'recording.m4a', content })
const send = async (service: TestService, parts: Part[]) => await sendForm(`${service.url}/api/transcribe`, parts)
const waiting = (service: TestService): string[] => readdirSync(join(service.app.config.stateDir, 'attachments', '.incoming'))

t.test('a recording goes to the server that config.yaml names, as it is, and its text comes back', async (t) => {
  const service = await start(t, { env: { SPEECH_KEY: key, SVC_WEBUI_MAX_UPLOAD_MB: '1' } })
  const endpoint = await startSpeechEndpoint(t, (_call, response) => answerJson(response, 200, { text: ' Hello there. \n' }))
  t.match(await service.get('/api/transcribe/capability'), { status: 200, body: { ok: true, available: false, provider: null } })
  configure(service, `stt: { base_url: "${endpoint.url}/", key_env: SPEECH_KEY, model: large, language: de-DE }\n`)
  t.match(await service.get('/api/transcribe/capability'), { status: 200, body: { ok: true, available: true, provider: 'custom' } })
  for (const [name, [bytes, ending]] of Object.entries(recordings)) {
    t.match(await send(service, [recording(bytes)]), { status: 200, body: { ok: true, transcript: 'Hello there.' } }, name)
    const call = endpoint.calls.at(-1)!
    const form = await call.form()
    const file = form.get('file') as File
    t.equal(file.name, `recording.${ending}`, name)
    t.ok(Buffer.from(await file.arrayBuffer()).equals(bytes), name)
    t.same([call.path, call.headers.authorization, form.get('model'), form.get('language')], ['/v1/audio/transcriptions', `Bearer ${key}`, 'large', 'de'], name)
  }
  t.match(await send(service, [recording(wav), { name: 'language', content: 'zh-CN' }]), { status: 200 })
  t.equal((await endpoint.calls.at(-1)!.form()).get('language'), 'zh')
  t.same(waiting(service), [])
})

t.test('what is no recording is refused in words, and sent to nobody', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_MAX_UPLOAD_MB: '1' } })
  const endpoint = await startSpeechEndpoint(t, (_call, response) => answerJson(response, 200, { text: 'x' }))
  configure(service, `stt: { base_url: "${endpoint.url}" }\n`)
  const refused: Array<[string, Part[], object]> = [
    ['no file', [], { status: 400, body: { error: 'Missing required field(s): file' } }],
    ['a text field', [{ name: 'file', content: 'text' }], { status: 400, body: { error: 'Missing required field(s): file' } }],
    ['another field', [{ name: 'audio', filename: 'a.wav', content: wav }], { status: 400, body: { error: /field named file/ } }],
    ['two files', [recording(wav), recording(wav)], { status: 400, body: { error: /one file/ } }],
    ['nothing in it', [recording(Buffer.alloc(0))], { status: 400, body: { error: /cannot be transcribed/ } }],
    ['a page', [recording(Buffer.from('<html><script>1</script></html>'))], { status: 400, body: { error: /cannot be transcribed/ } }],
    ['a picture', [recording(Buffer.from('\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR', 'latin1'))], { status: 400, body: { error: /cannot be transcribed/ } }],
    ['a language that is none', [recording(wav), { name: 'language', content: '../x' }], { status: 400, body: { error: /^Invalid language/ } }],
    ['too much', [recording(Buffer.concat([wav, Buffer.alloc(1_100_000)]))], { status: 413, body: { error: 'File too large (max 1MB)' } }]
  ]
  for (const [name, parts, answer] of refused) t.match(await send(service, parts), answer, name)
  t.match(await service.post('/api/transcribe', { file: 'x' }), { status: 400, body: { error: /multipart\/form-data/ } })
  t.same(endpoint.calls, [])
  t.same(waiting(service), [])
})

t.test('what says that it is too large is refused before it is read', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_MAX_UPLOAD_MB: '1' } })
  const status = await new Promise((resolve, reject) => {
    const call = request(`${service.url}/api/transcribe`, { method: 'POST', headers: { 'content-type': formType, 'content-length': '30000000' } }, (response) => {
      resolve(response.statusCode)
      call.destroy()
    })
    call.on('error', reject)
    call.flushHeaders()
  })
  t.equal(status, 413)
})

t.test('who transcribes has to be configured; a key alone sends no recording anywhere', async (t) => {
  const service = await start(t, { env: { OPENAI_API_KEY: key } })
  const unusable: Array<[string, RegExp]> = [
    ['', /stt\.provider: openai/],
    ['stt: { model: whisper-1 }\n', /stt\.base_url/],
    ['stt: { provider: nobody }\n', /stt\.provider/],
    ['stt: { provider: anthropic }\n', /stt\.provider/],
    ['stt: { base_url: "http://169.254.169.254/v1" }\n', /link-local or metadata/],
    ['stt: { base_url: "http://someone:secret@host/v1" }\n', /name or password/],
    ['stt: { base_url: "file:///etc/passwd" }\n', /stt\.base_url/]
  ]
  for (const [text, words] of unusable) {
    configure(service, text)
    t.match(await send(service, [recording(wav)]), { status: 503, body: { error: words } }, text)
    t.match((await service.get('/api/transcribe/capability')).body, { available: false, provider: null }, text)
  }
  configure(service, 'stt: { provider: openai }\n')
  t.match((await service.get('/api/transcribe/capability')).body, { available: true, provider: 'openai' })
  const without = await start(t)
  configure(without, 'stt: { provider: openai }\n')
  t.match(await send(without, [recording(wav)]), { status: 503, body: { error: /OPENAI_API_KEY/ } })
})

t.test('a provider of models that is named transcribes, with its address and its key', async (t) => {
  const service = await start(t)
  const endpoint = await startSpeechEndpoint(t, (_call, response) => answerJson(response, 200, { text: 'x' }))
  configure(service, `custom_providers: [{ name: Lab, base_url: "${endpoint.url}", key_env: LAB_API_KEY }]\nstt: { provider: lab }\n`)
  writeFileSync(join(service.folder, 'home', '.env'), `LAB_API_KEY=${key}\n`)
  t.match(await send(service, [recording(wav)]), { status: 200 })
  // The server's models are requested too.
  const last = ({ calls }: SpeechEndpoint) => calls.findLast(({ path }) => path.endsWith('/transcriptions'))!
  t.equal(last(endpoint).headers.authorization, `Bearer ${key}`)
  configure(service, `stt: { provider: openai, base_url: "${endpoint.url}" }\n`)
  writeFileSync(join(service.folder, 'home', '.env'), `OPENAI_API_KEY=${key}\n`)
  t.match(await send(service, [recording(wav)]), { status: 200 })
  t.equal(last(endpoint).headers.authorization, undefined, 'the key of OpenAI goes to OpenAI alone')
  const elsewhere = await startSpeechEndpoint(t, (_call, response) => answerJson(response, 200, { text: 'x' }))
  configure(service, `custom_providers: [{ name: Lab, base_url: "${endpoint.url}", key_env: LAB_API_KEY }]\nstt: { provider: lab, base_url: "${elsewhere.url}" }\n`)
  writeFileSync(join(service.folder, 'home', '.env'), `LAB_API_KEY=${key}\n`)
  t.match(await send(service, [recording(wav)]), { status: 200 })
  t.equal(last(elsewhere).headers.authorization, undefined, 'nor that of another provider to an address that is not its own')
  configure(service, `custom_providers: [{ name: Lab, base_url: "${endpoint.url}", key_env: LAB_API_KEY }]\nstt: { provider: lab, base_url: "${endpoint.url}/other" }\n`)
  t.match(await send(service, [recording(wav)]), { status: 200 })
  t.match(last(endpoint), { path: '/v1/other/audio/transcriptions', headers: { authorization: `Bearer ${key}` } }, 'to another path on the same server it does')
  elsewhere.answer = (_call, response) => answerJson(response, 401, {})
  configure(service, `stt: { provider: openai, base_url: "${elsewhere.url}" }\n`)
  t.match(await send(service, [recording(wav)]), { status: 502, body: { error: /wants an API key\. Name it in config\.yaml, .* with key_env/ } })
  elsewhere.answer = (_call, response) => answerJson(response, 200, { text: 'x' })
  configure(service, `stt: { provider: openai, base_url: "${elsewhere.url}", key_env: OPENAI_API_KEY }\n`)
  writeFileSync(join(service.folder, 'home', '.env'), `OPENAI_API_KEY=${key}\n`)
  t.match(await send(service, [recording(wav)]), { status: 200 })
  t.equal(last(elsewhere).headers.authorization, `Bearer ${key}`, 'unless it is named for it')
})

t.test('a server that fails is told of in words, without its key, its address or a path', async (t) => {
  const service = await start(t, { env: { SPEECH_KEY: key } })
  const elsewhere = await startSpeechEndpoint(t, (_call, response) => answerJson(response, 200, { text: 'stolen' }))
  const endpoint = await startSpeechEndpoint(t, () => {})
  configure(service, `stt: { base_url: "${endpoint.url}", key_env: SPEECH_KEY }\n`)
  const failures: Array<[typeof endpoint.answer, RegExp]> = [
    [(_call, response) => answerJson(response, 401, { error: { message: `Incorrect API key provided: ${key}` } }), /refused the API key/],
    [(_call, response) => answerJson(response, 400, { error: { message: `Could not decode /srv/tmp/x.wav with ${key}` } }), /refused the request \(status 400\): Could not decode … with …/],
    [(_call, response) => answerJson(response, 429, {}), /limits how many/],
    [(_call, response) => answerJson(response, 500, 'oh'), /problem of its own \(status 500\)/],
    [(_call, response) => { response.writeHead(307, { location: elsewhere.url }).end() }, /leads to another server/],
    [(_call, response) => answerJson(response, 200, { words: [] }), /invalid answer/],
    [(_call, response) => { response.end('<html>') }, /invalid answer/],
    [(_call, response) => { response.destroy() }, /cannot be reached/],
    [(_call, response) => { response.end(Buffer.alloc(5_000_000, 32)) }, /too long/]
  ]
  for (const [answer, words] of failures) {
    endpoint.answer = answer
    const { status, body, text } = await send(service, [recording(wav)])
    t.match({ status, body }, { status: 502, body: { error: words } })
    t.notMatch(text, key)
    t.notMatch(text, '127.0.0.1')
  }
  t.same(elsewhere.calls, [])
  t.same(waiting(service), [])
})

t.test('the server is left when the client goes', async (t) => {
  const service = await start(t)
  let closed = (): void => {}
  const left = new Promise<void>((resolve) => { closed = resolve })
  const endpoint = await startSpeechEndpoint(t, (_call, response) => {
    response.on('close', closed)
    client.destroy()
  })
  configure(service, `stt: { base_url: "${endpoint.url}" }\n`)
  const body = formBytes([recording(wav)])
  const client = request(`${service.url}/api/transcribe`, { method: 'POST', headers: { 'content-type': formType, 'content-length': body.length } })
  client.on('error', () => {})
  client.end(body)
  await left
  t.equal(endpoint.calls.length, 1)
})

t.test('speech is for those who have signed in', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.match(await send(service, [recording(wav)]), { status: 401, body: { error: 'Authentication required' } })
  t.match(await service.get('/api/transcribe/capability'), { status: 401 })
})
