import fc from 'fast-check'
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Worker } from 'node:worker_threads'
import t from '#test'
import { asset } from '../../../services/ground/assets.js'
import { mask, redact, redactDeep } from '../../../services/ground/redaction/index.js'
import { anyCharacter } from '../../support/any-character.js'
import { type Answer } from '../../support/app.js'
import { a40, harmless, pem, secrets, whole } from '../../support/credentials.js'
import { eventually, gate, held, startChat, type ChatService } from '../../support/chat.js'
import { temporaryFolder } from '../../support/folder.js'
import { modelEndpoint, type ModelStep } from '../../support/model-endpoint.js'
import { spawnServer } from '../../support/server.js'
import { tries } from '../../support/tries.js'

t.test('credentials are masked', async (t) => {
  t.ok(secrets.length >= 40)
  for (const [what, text, secret] of secrets) {
    const masked = redact(whole(text))
    t.ok(masked.includes(mask), `${what}: ${masked.slice(0, 100)}`)
    t.notOk(masked.includes(secret), `${what}: nothing is left of it: ${masked.slice(0, 100)}`)
    t.equal(redact(masked), masked, `${what}: once is enough`)
  }
})

t.test('and so they are in the middle of a text, and as a text of JSON', async (t) => {
  for (const [what, text, secret] of secrets) {
    t.notOk(redact(`First.\n${whole(text)}\nLast.`).includes(secret), `${what}, on lines of its own`)
    // The contents of such a file are recognised by their lines.
    if (!/env|YAML|Dockerfile/.test(what)) t.notOk(redact(`Look: ${whole(text)} and more`).includes(secret), what)
    t.notOk(redact(whole(text).split('\n').map((line, index) => `${String(index + 1).padStart(6)}\t${line}`).join('\n')).includes(secret), `${what}, with numbers of lines`)
    t.notOk(JSON.stringify(redactDeep({ content: whole(text), tool_calls: [{ function: { arguments: JSON.stringify({ script: whole(text) }) } }] })).includes(secret), `${what}, as arguments`)
  }
})

t.test('what only looks like one is left alone', async (t) => {
  t.ok(harmless.length >= 40)
  for (const text of harmless) {
    t.equal(redact(text), text)
    t.equal(redact(`     1\t${text}`), `     1\t${text}`)
    t.equal(redact(JSON.stringify({ text: `before\n${text}\nafter` })), JSON.stringify({ text: `before\n${text}\nafter` }))
    t.equal(redact(`before ${text} after`), `before ${text} after`)
    t.equal(redact(`before\n${text}\nafter`), `before\n${text}\nafter`)
  }
})

t.test('around a secret everything stays', async (t) => {
  t.equal(redact('postgres://app:s3cr3tPass@db.example:5432/app'), `postgres://app:${mask}@db.example:5432/app`)
  t.equal(redact('{"user": "ada", "password": "hunter2hunter", "n": 1}'), `{"user": "ada", "password": "${mask}", "n": 1}`)
  t.equal(redact('curl -H "Authorization: Bearer abcdefgh12345678" https://a.example'), `curl -H "Authorization: Bearer ${mask}" https://a.example`)
  t.equal(redact('a\nexport TOKEN=abcdef123456 # mine\nb'), `a\nexport TOKEN=${mask} # mine\nb`)
  t.equal(redact(whole(`${pem.join('\n')}\nand more`)), `${mask}\nand more`)
  t.equal(redact(whole('A file with -----BEGIN ·PRIVATE KEY----- at its top is a key.')), `A file with ${mask} at its top is a key.`)
})

const piece = fc.oneof(
  fc.constantFrom(...secrets.map(([, text]) => whole(text)), ...harmless, mask, 'password', 'token', 'api_key', 'Bearer ', 'Basic ', 'Authorization: ', 'Cookie: ', ': ', '=', '":"', '\\"', "'", '"', '`', '\n', ' ', '://u:', '@', '<', '>', '--', '(', '[', 'eyJ', 'sk-', '-----BEGIN PRIVATE KEY-----'),
  fc.string({ maxLength: 20 })
)
const texts = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

t.test('masking what is masked changes nothing', { long: true }, async () => {
  fc.assert(fc.property(texts, (text) => {
    const once = redact(text)
    assert.equal(redact(once), once)
  }), { numRuns: tries(5_000) })
})

t.test('any text may come, and one without a hint of a secret comes back as it is', { long: true }, async () => {
  fc.assert(fc.property(fc.string({ unit: anyCharacter, maxLength: 200 }), (text) => { redact(text) }))
  fc.assert(fc.property(fc.stringMatching(/^[ghijlmq .,;\n\d]*$/), (text) => { assert.equal(redact(text), text) }))
})

t.test('objects: texts of every depth, secrets by the name of their key, identifiers never', async (t) => {
  const plain = { role: 'user', content: 'nothing', parts: [{ text: 'here' }], n: 1, none: null }
  t.equal(redactDeep(plain), plain, 'the very same object when there is nothing')
  const key = whole(`sk-·${a40}`)
  t.same(redactDeep({ a: [{ b: { c: key } }], n: 5, flag: true, none: null }), { a: [{ b: { c: mask } }], n: 5, flag: true, none: null })
  t.same(redactDeep({ message_id: key, workspace: `/home/${key}`, name: key }), { message_id: key, workspace: `/home/${key}`, name: mask })
  t.same(redactDeep({ args: { password: 'hunter2hunter', api_key: 'abcdef123456', path: `/x/${key}`, name: key, id: key } }),
    { args: { password: mask, api_key: mask, path: `/x/${mask}`, name: mask, id: mask } }, 'the arguments of a tool are anybody\'s')
  const numbers = { input_tokens: 12, max_tokens: '128000', password: 'string', token: '', secret: 'Client secret' }
  t.equal(redactDeep(numbers), numbers)
})

t.test('errors and other objects, as they come into a log', async (t) => {
  const key = whole(`sk-·${a40}`)
  const harmless = new Error('It broke')
  const line = { err: harmless, reply: new Map([['key', key]]), bytes: Buffer.from(key) }
  t.equal(redactDeep(line), line, 'an error stays one, and classes are not looked into')
  const cause = Object.assign(new Error(`Incorrect key: ${key}`), { url: `https://u:hunter2@a.example/${key}`, status: 401 })
  for (const err of [cause, new Error('It broke', { cause })]) {
    const shown = redactDeep({ err, msg: 'x' }) as unknown as { err: Error }
    t.notOk(JSON.stringify(shown).includes(a40), err.message)
    t.notOk(JSON.stringify(shown).includes('hunter2'))
    t.match(shown.err, { type: 'Error', message: /^(?:Incorrect key: \[redacted\]|It broke)$/, stack: /redaction\.slow\.test/ })
  }
})

t.test('no text takes long', { long: true }, async (t) => {
  // In a thread, so that a text that does take long fails the test instead of hanging it.
  const units = [
    'a', 'A', '0', ' ', '\n', '-', '_', '.', '/', '\\', '"', "'", '`', '<', '=', ':', '@', '+', 'é', '🎉', 'ab ', 'a.', 'a-', 'A_', 'a\n', '\\"', 'eyJ', 'eyJ-', 'eyJ.', 'eyJabcdefgh.', 'sk-', 'sk-a', 'SG.', 'SG.aaaaaaaaaaaaaaaaaaaa-',
    'token', 'token ', 'token=', 'token: ', 'token="', 'token=\\"', 'token\\', 'password:\t', '--token', '--token ', '-token-', 'A_TOKEN', 'TOKEN=', '\nTOKEN', '\nTOKEN=', '<token>', '<token>a', '://', 'a://', 'a://a:', 'bearer ', 'basic aaaaaaaaaaaa', 'authorization: ', 'cookie: ', 'cookie: =aaaaaaaa',
    'curl ', 'curl -u ', 'curl -u a:', '-----BEGIN ', '-----BEGIN PRIVATE KEY-----', '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAAAAAA\n', '-----BEGIN PRIVATE KEY-----a: b\n', 'key-', 'xoxb-', '1.1', '1.1 ', 'aA', 'a.b', '/a', 'a b1 ', '$a', 'hooks.slack.com/services/', 'api key ', 'secret_'
  ]
  const shorter = [
    'sk-1', 'ghp_a1', 'eyJa1.', '?sig=', '&token=ab1', 'x-auth: ', 'mysql -p', 'mysql -pa1b2 ', 'machine a ', 'machine a login b ', '\nlogin a\n', 'PASSWORD="', 'PASSWORD="a ', '%3a%2f%2f', '%3a%2f%2fa%3a', '\u0000', '\u0000A=', '\u200b', '\u001b[', '\u001b[1m', '\u001b]', '\\u0000', '\\0', '1//0', 'auth: ', '_auth=a1'
  ]
  // Quadratic work would take minutes.
  const size = 200_000
  const worker = new Worker(`
    const { workerData, parentPort } = require('node:worker_threads')
    import(workerData.url).then(({ redact }) => {
      for (const unit of workerData.units) {
        const long = unit.repeat(Math.ceil(${size} / unit.length))
        const [part, short] = [long.slice(0, ${size / 4}), long.slice(0, 900)]
        for (const text of [long, 'token=' + part, part + ' password: x', 'token="' + part, ('token="' + short + '!"\\n').repeat(300), ('token: ' + short + '!\\n').repeat(300)]) {
          const startMs = performance.now()
          redact(text)
          parentPort.postMessage({ unit, ms: performance.now() - startMs })
        }
      }
      parentPort.postMessage(null)
    })`, { eval: true, workerData: { url: pathToFileURL(asset('services/ground/redaction/index.js')).href, units: [...units, ...shorter] } })
  t.teardown(() => worker.terminate())
  const limitMs = 10_000
  let slowest = { unit: '', ms: 0 }
  let last = ''
  const outcome = await new Promise<string>((resolve) => {
    let timer = setTimeout(() => resolve('too slow'), 3 * limitMs)
    worker.on('error', (error) => resolve(String(error)))
    worker.on('message', (told: { unit: string, ms: number } | null) => {
      clearTimeout(timer)
      if (told === null) return resolve('finished')
      last = told.unit
      if (told.ms > slowest.ms) slowest = told
      timer = setTimeout(() => resolve('too slow'), limitMs)
    })
  })
  t.equal(outcome, 'finished', `after ${JSON.stringify(last)}; slowest: ${JSON.stringify(slowest.unit)} with ${Math.round(slowest.ms)} ms`)
  t.comment(`slowest: ${JSON.stringify(slowest.unit)} with ${Math.round(slowest.ms)} ms`)
})

/** One for each place, so that a leak shows where it comes from. */
const planted = {
  title: 'TitleCanary7aB3cD4eF', message: 'MessageCanary7aB3cD4eF', answer: 'AnswerCanary7aB3cD4eF', reasoning: 'ReasonCanary7aB3cD4eF', argument: 'ArgumentCanary7aB3cD4eF', field: 'FieldCanary7aB3cD4eF',
  result: 'ResultCanary7aB3cD4eF', summary: 'SummaryCanary7aB3cD4eF', imported: 'ImportCanary7aB3cD4eF', foreign: 'ForeignCanary7aB3cD4eF'
}
const key = (name: keyof typeof planted): string => `sk-proj-${planted[name]}`
const leaks = (text: string): string[] => Object.entries(planted).filter(([, secret]) => text.includes(secret)).map(([name]) => name)

const foreignId = '5a0ddcd0-5487-4794-99ac-143f6bb9e248'

function plantForeign (folder: string): void {
  const entry = (type: string, minute: number, message: object) => `${JSON.stringify({ type, uuid: `uuid-${minute}`, cwd: folder, timestamp: `2026-02-03T10:0${minute}:00Z`, message })}\n`
  mkdirSync(join(folder, '.claude', 'projects', '-x'), { recursive: true })
  writeFileSync(join(folder, '.claude', 'projects', '-x', `${foreignId}.jsonl`),
    entry('user', 1, { role: 'user', content: `Foreign ${key('foreign')} key` }) + entry('assistant', 2, { id: 'm1', role: 'assistant', model: 'claude', content: [{ type: 'text', text: `I see ${key('foreign')}` }] }))
}

const fileWithSecret = `DB_PASSWORD=${planted.result}\nAPI=${key('result')}\n`
const planting = (): ModelStep[][] => [
  [{ reasoning: `Their key is ${key('reasoning')} then. ` }, { text: `I keep ${key('answer')} safe.` }, { tool: 'read_file', args: { path: 'app.conf' } }, { tool: 'read_file', args: { path: `missing-${key('argument')}`, api_key: planted.field } }],
  [{ text: `It says password: "${planted.answer}".` }]
]

/** Creates a conversation with a secret in each of its places, and an imported one. */
async function plant (service: ChatService): Promise<{ id: string, imported: string, model: string, done: string }> {
  writeFileSync(join(service.workspace, 'app.conf'), fileWithSecret)
  const id = await service.newSession()
  const model = service.model(...planting())
  const { frames } = await service.turn(id, `Keep ${key('message')} for me`, model)
  await service.turn(id, 'More', service.model())
  service.app.db.transaction(() => {
    service.app.sessions.transcript.compress(id, { summary: `They have ${key('summary')}.`, keptRows: 2, contextTokens: 100 })
    service.app.sessions.changed('session_compressed', id)
  })
  await service.post('/api/session/rename', { session_id: id, title: `Key ${key('title')} of ours` })
  const { body } = await service.post('/api/session/import', { title: `Import ${key('title')}`, messages: [{ role: 'user', content: [{ type: 'text', text: `in parts ${key('imported')}` }] }, { role: 'assistant', content: key('imported'), tool_calls: [{ id: 'c', type: 'function', function: { name: 'sh', arguments: JSON.stringify({ token: planted.imported }) } }] }] })
  return { id, imported: body.session.session_id, model, done: JSON.stringify(frames.find((frame) => frame.event === 'done')!.data.session) }
}

t.test('what was said of secrets stays inside, and the model is told', { long: true }, async (t) => {
  const folder = temporaryFolder(t, 'redaction')
  plantForeign(folder)
  const service = await startChat(t, { folder })
  await eventually('the other front end\'s session', async () => (await service.get('/api/sessions')).body.cli_count === 1)
  const { id, imported, model, done } = await plant(service)

  const open = gate()
  const streamId = await service.send(id, `Once more ${key('message')}`, { model: service.model(held(open, [{ text: `Well, ${key('answer')}` }], [{ text: ' it is.' }])) })
  const reader = await service.watch(streamId)
  await reader.until('token')
  const during = await service.get(`/api/session?session_id=${id}`)
  const duringWindow = await service.get(`/api/session?session_id=${id}&msg_limit=2`)
  t.match(during.body.session.messages.at(-1), { _active_turn_user: true, content: `Once more ${mask}` })
  open.open()
  await reader.ended

  const post = (path: string, body: object = {}): Promise<Answer> => service.post(path, { session_id: id, ...body })
  const share = (await post('/api/session/share')).body
  const search = (q: string): Promise<Answer> => service.get(`/api/sessions/search?depth=0&q=${encodeURIComponent(q)}`)
  const branch = await post('/api/session/branch', { title: 'A branch' })
  const surfaces: Record<string, Answer | string> = {
    done,
    'the done frame of the second turn': JSON.stringify(reader.frames.find((frame) => frame.event === 'done')!.data.session),
    during,
    duringWindow,
    share: await service.get(share.path),
    branch,
    list: await service.get('/api/sessions'),
    'archived list': await service.get('/api/sessions?include_archived=1&all_profiles=1'),
    'foreign list': await service.get('/api/sessions?sidebar_source=cli'),
    'search by title': await search('of ours'),
    'search by content': await search('safe'),
    'search of parts': await search('in parts'),
    'search of foreign titles': await search('foreign'),
    'search for all': await search(''),
    status: await service.get(`/api/session/status?session_id=${id}`),
    shares: await service.get(`/api/session/shares?session_id=${id}`),
    'worktree status': await service.get(`/api/session/worktree/status?session_id=${id}`),
    'worktree removal': await post('/api/session/worktree/remove'),
    rename: await post('/api/session/rename', { title: `Key ${key('title')} of ours` }),
    pin: await post('/api/session/pin'),
    archive: await post('/api/session/archive', { archived: false }),
    move: await post('/api/session/move'),
    update: await post('/api/session/update', { workspace: service.workspace }),
    duplicate: await post('/api/session/duplicate'),
    import: await service.post('/api/session/import', (await service.get(`/api/session/export?session_id=${imported}`)).body)
  }
  for (const session of [id, imported, branch.body.session_id, foreignId]) {
    for (const query of ['', '&msg_limit=3', '&msg_limit=500', '&msg_before=2', '&messages=0']) surfaces[`detail of ${session} ${query}`] = await service.get(`/api/session?session_id=${session}${query}`)
    if (session === foreignId) continue
    for (const format of ['json', 'html']) surfaces[`export of ${session} as ${format}`] = await service.get(`/api/session/export?session_id=${session}&format=${format}`)
  }
  for (const [name, surface] of Object.entries(surfaces)) {
    const text = typeof surface === 'string' ? surface : surface.text
    t.same(leaks(text), [], name)
    t.ok(text.length > 10 && (typeof surface === 'string' || surface.status < 400 || name === 'worktree removal'), `${name} says something`)
  }
  for (const name of ['during', 'share', 'list', 'search by title', 'search by content', 'search of parts', `export of ${id} as json`, `export of ${id} as html`, `detail of ${foreignId} `]) {
    const surface = surfaces[name]!
    t.ok((typeof surface === 'string' ? surface : surface.text).includes(mask), `${name} shows that something is left out`)
  }

  const errors: Array<[string, Promise<Answer>]> = [
    ['a wrong id', service.get(`/api/session?session_id=${key('message')}`)], ['a wrong stream', service.get(`/api/chat/stream?stream_id=${key('message')}`)],
    ['a wrong role', service.post('/api/session/import', { messages: [{ role: key('imported'), content: 'x' }] })], ['a wrong type', post('/api/session/rename', { title: [key('title')] })],
    ['a wrong folder', post('/api/session/update', { workspace: `/${key('message')}` })], ['no JSON', service.post('/api/session/rename', `{"title": ${key('title')}`)],
    ['a wrong format', service.get(`/api/session/export?session_id=${id}&format=${key('message')}`)], ['a wrong setting', service.post('/api/settings', { pinned_sessions_limit: key('message') })]
  ]
  for (const [what, answer] of errors) {
    const { status, text } = await answer
    t.ok(status >= 400 && status < 500, what)
    t.same(leaks(text), [], what)
  }

  const shown = JSON.stringify(service.requests(model).map(({ messages }) => messages))
  t.same(leaks(shown).sort(), ['answer', 'argument', 'field', 'message', 'reasoning', 'result'], 'the model saw what was said')
  const last = service.model()
  await service.turn(branch.body.session_id, 'And here?', last)
  t.ok(JSON.stringify(service.requests(last)[0]!.messages).includes(planted.summary))

  await service.post('/api/settings', { api_redact_enabled: false })
  t.same(leaks((await service.get(`/api/session?session_id=${id}`)).text).sort(), ['answer', 'argument', 'field', 'message', 'reasoning', 'result', 'summary', 'title'], 'whoever wants to see them can')
  t.same(leaks((await service.get('/api/sessions')).text).sort(), ['foreign', 'title'])
  t.same(leaks((await service.get(`/api/session/export?session_id=${id}`)).text).sort(), ['answer', 'argument', 'field', 'message', 'reasoning', 'result', 'summary', 'title'])
  t.same(leaks((await service.get(`/api/session/export?session_id=${id}&format=html`)).text).sort(), ['answer', 'argument', 'field', 'message', 'reasoning', 'result', 'summary', 'title'])
  t.same(leaks((await service.get(`/api/session?session_id=${imported}&msg_limit=5`)).text).sort(), ['imported', 'title'])
  t.same(leaks((await service.get(`/api/session?session_id=${foreignId}`)).text), ['foreign'])
  const plain = (await post('/api/session/share')).body
  t.same(leaks((await service.get(plain.path)).text), [], 'what is shared stays masked')
  await service.post('/api/settings', { api_redact_enabled: true })
  t.same(leaks((await service.get(`/api/session/shares?session_id=${id}`)).text), [], 'also in the list of what was shared meanwhile')
  t.same(leaks((await service.get(`/api/session?session_id=${id}`)).text), [])
})

t.test('the setting says what it is, and keys that nobody knows are left alone', async (t) => {
  const service = await startChat(t)
  t.match((await service.get('/api/settings')).body, { api_redact_enabled: true })
  for (const wrong of ['no', 0, [], {}]) t.match(await service.post('/api/settings', { api_redact_enabled: wrong }), { status: 400, body: { error: /api_redact_enabled/ } })
  t.match(await service.post('/api/settings', { api_redact_enabled: null }), { status: 200, body: { api_redact_enabled: true } })
  t.match(await service.post('/api/settings', '{"toString": 1, "valueOf": {}, "hasOwnProperty": "x", "__proto__": {"a": 1}, "constructor": {"b": 2}, "api_redact_enabled": false}'), { status: 200, body: { api_redact_enabled: false } })
  t.match((await service.get('/api/settings')).body, { api_redact_enabled: false })
})

t.test('nothing of it stands in the log', async (t) => {
  const folder = temporaryFolder(t, 'redaction')
  plantForeign(folder)
  const endpoint = await modelEndpoint(t)
  const script = planting()
  endpoint.script((request) => request.stream ? script.shift() ?? [{ text: 'Done.' }] : [{ text: `Title ${key('title')}` }])
  const password = 'a-password-Canary7aB3cD4eF'
  const server = await spawnServer(t, folder, { LOG_LEVEL: 'debug', OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'sk-env-Canary7aB3cD4eF5gH', SVC_WEBUI_PASSWORD: password })
  t.not(server.url, '', server.output())
  writeFileSync(join(folder, 'workspace', 'app.conf'), fileWithSecret)
  const login = await fetch(`${server.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password }) })
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
  await server.json('/api/auth/login', { password: `${password}-wrong` })
  const json = (path: string, body?: object) => server.json(path, body, { cookie })
  const turn = async (id: string, message: string, model: string): Promise<void> => {
    const { stream_id: streamId } = await json('/api/chat/start', { session_id: id, message, model, model_provider: 'openai' })
    const reader = await server.events(`/api/chat/stream?stream_id=${streamId}`, { cookie })
    await reader.ended
  }
  const { session: { session_id: id } } = await json('/api/session/new', {})
  await turn(id, `Keep ${key('message')} for me`, 'test-model')
  for (const fault of ['fault-401', 'fault-garbage']) await turn(id, `Again ${key('message')}`, fault)
  await json('/api/session/rename', { session_id: id, title: `Key ${key('title')}` })
  await json('/api/session/import', { title: key('title'), messages: [{ role: 'user', content: key('imported') }] })
  await json('/api/session/import', { messages: [{ role: key('imported') }] })
  const share = await json('/api/session/share', { session_id: id })
  for (const path of [share.path, `/share/${share.token}x`, `/${key('message')}`, `/api/sessions/search?q=${key('message')}`, `/api/session?session_id=${key('message')}`, `/api/session?session_id=${foreignId}`, `/api/session/export?session_id=${id}&format=html`, `/?token=${planted.field}`]) {
    await (await fetch(server.url + path, { headers: { cookie, authorization: `Bearer ${planted.field}` } })).text()
  }
  await server.end('SIGTERM')
  const output = server.output()
  t.ok(output.split('\n').length > 20, 'it was told to say a lot')
  t.match(output, /"path":"\/api\/session\/export"/)
  t.same(leaks(output), [])
  for (const [what, secret] of Object.entries({ password, cookie: cookie.split('=')[1]!.slice(0, 20), 'the provider\'s key': 'Canary7aB3cD4eF5gH', 'a key that a provider says': '12345678abcdef', 'the address of what is shared': share.token })) {
    t.notOk(output.includes(secret), what)
  }
})
