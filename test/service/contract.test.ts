import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start, type TestService } from '../support/app.js'
import { eventually, gate, held, startChat } from '../support/chat.js'
import { seqs } from '../support/events.js'

const password = 'correct horse'

/** Returns the headers of a signed-in client, if needed. */
async function admitted (service: TestService, isGated: boolean): Promise<Record<string, string>> {
  if (!isGated) return {}
  const { headers } = await service.post('/api/auth/login', { password })
  return { cookie: headers.get('set-cookie')!.split(';')[0]! }
}

t.test('no page of another site changes anything, by whatever method', async (t) => {
  for (const isGated of [false, true]) {
    const service = await start(t, { demoWordsPerSecond: 20, env: isGated ? { SVC_WEBUI_PASSWORD: password } : {} })
    const own = await admitted(service, isGated)
    const { session } = (await service.post('/api/session/new', {}, own)).body
    const { stream_id: streamId } = (await service.post('/api/chat/start', { session_id: session.session_id, message: 'slow 2000' }, own)).body
    const foreign: Array<Record<string, string>> = [
      { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, { 'sec-fetch-site': 'same-site' },
      { origin: 'https://elsewhere.example' }, { origin: 'null' }, { referer: 'https://elsewhere.example/page' }, { referer: 'nonsense' }
    ]
    for (const path of ['chat/cancel', 'chat/stream', 'background/status']) {
      for (const headers of foreign) {
        const { status, body } = await service.get(`/api/${path}?stream_id=${streamId}&session_id=${session.session_id}`, { ...own, ...headers })
        t.equal(status, 403, `${path} ${JSON.stringify(headers)}`)
        t.match(body.error, /cross-origin/)
      }
    }
    const isLive = async (): Promise<boolean> => (await service.get(`/api/chat/stream/status?stream_id=${streamId}`, own)).body.active
    t.equal(await isLive(), true)

    t.match(await service.get(`/api/chat/cancel?stream_id=${streamId}`, { ...own, 'sec-fetch-site': 'same-origin', referer: `${service.url}/` }), { status: 200, body: { ok: true, cancelled: true } }, 'a page of ours may')
    t.match(await service.get(`/api/chat/cancel?stream_id=${streamId}`, own), { status: 200, body: { ok: true, cancelled: false } }, 'and so may a program')
    t.equal((await service.get('/', { ...own, 'sec-fetch-site': 'cross-site' })).status, 200, 'links from elsewhere may be followed')
  }
})

t.test('what a page elsewhere can make a browser fetch leaves no trace', async (t) => {
  const s = await startChat(t)
  const id = await s.newSession()
  const { streamId } = await s.turn(id, 'Hello', s.model([{ text: 'Hi.' }]))
  await s.post('/api/background', { session_id: id, prompt: 'Beside' })
  await eventually('the task to end', () => s.app.db.sqlite.prepare("select 1 from background_tasks where state = 'done'").get() !== undefined)
  await eventually('quiet', async () => s.app.chat.activeTurns() === 0)
  const changes = s.app.db.sqlite.prepare('select total_changes()').pluck()
  const value: Record<string, string> = { session_id: id, stream_id: streamId }
  const before = changes.get()
  for (const { url, query, method } of s.routes.filter(({ method, url }) => ['GET', 'HEAD'].includes(method) && !/stream$|events$|docs/.test(url))) {
    const search = new URLSearchParams(query.map((name): [string, string] => [name, value[name] ?? '1']))
    await fetch(`${s.url}${url.replace(/:\w+|\*/, 'x')}?${search}`, { method, redirect: 'manual', headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'image', referer: 'https://elsewhere.example/' } })
  }
  t.equal(changes.get(), before)
  t.equal((await s.get(`/api/background/status?session_id=${id}`)).body.results.length, 1, 'nor was the result taken')
})

t.test('what only tells how things are is not changed by a save, and keeps nothing from being saved', async (t) => {
  const service = await start(t)
  const change = (body: object) => service.post('/api/settings', body)
  for (const body of [{ default_model: 'x' }, { default_model_provider: 'x' }, { webui_version: '9' }, { password_env_var: true }]) {
    t.match(await change({ ...body, show_cli_sessions: true }), { status: 200 }, JSON.stringify(body))
    t.notMatch((await service.get('/api/settings')).body, body)
  }
  const shown = (await service.get('/api/settings')).body
  t.match(await change({ ...shown, show_cli_sessions: false, _set_password: '', _clear_password: false, nobody_knows_this: 1 }), { status: 200, body: { show_cli_sessions: false, logged_in: false, bot_name: shown.bot_name } }, 'what repeats what holds is no change')

  const gated = await start(t, { env: { SVC_WEBUI_PASSWORD: password } })
  const own = await admitted(gated, true)
  for (const body of [{ _set_password: 'x', _current_password: password }, { _clear_password: true }]) {
    t.match(await gated.post('/api/settings', body, own), { status: 409, body: { error: /SVC_WEBUI_PASSWORD/, code: 'password_pinned' } })
  }
  t.match((await gated.post('/api/settings', { show_cli_sessions: true }, own)).body, { logged_in: true, auth_enabled: true })
})

t.test('a session\'s own stream tells what happens to it', async (t) => {
  const s = await startChat(t)
  const id = await s.newSession()
  t.match(await s.get('/api/session/stream?session_id=nobody'), { status: 404, body: { error: 'Session not found' } })
  const reader = await s.events(`/api/session/stream?session_id=${id}`)
  t.match(await reader.until('initial'), { data: { session_id: id, active_stream_id: null, stream_id: null, message_count: 0 } })
  const open = gate()
  const model = s.model(held(open, [], [{ text: 'At last.' }]))
  const streamId = await s.send(id, 'Go on', { model })
  t.match(await reader.until('server_turn_started'), { data: { session_id: id, stream_id: streamId, active_stream_id: streamId, reason: 'turn_started' } })

  const second = await s.events(`/api/session/stream?session_id=${id}`)
  t.match(await second.until('initial'), { data: { active_stream_id: streamId } }, 'who comes later is told what runs')
  open.open()
  t.match(await reader.until(({ event, data }) => event === 'session-updated' && data.active_stream_id === null), { data: { session_id: id, message_count: 2 } })

  const { task_id: taskId } = (await s.post('/api/background', { session_id: id, prompt: 'Beside' })).body
  t.match(await reader.until('bg_task_complete'), { data: { session_id: id, task_id: taskId, completed_at: Number } })
  t.match((await s.get(`/api/background/status?session_id=${id}`)).body.results, [{ task_id: taskId }], 'being told of it does not take it')

  await s.post('/api/session/rename', { session_id: id, title: 'Renamed' })
  await reader.until(({ event, data }) => event === 'session-updated' && data.reason === 'session_rename')
  const other = await s.newSession()
  await s.post('/api/session/rename', { session_id: other, title: 'Other' })
  await s.post('/api/session/delete', { session_id: id })
  await reader.until(({ event, data }) => event === 'session-updated' && data.reason === 'session_delete')
  t.ok(reader.frames.every(({ data }) => data.session_id === id), 'and of nothing else')
  t.match(reader.headers, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  await eventually('a sign of life', async () => second.comments.includes('keepalive'))
  reader.drop()
  second.drop()
})

t.test('keys that clients look for', async (t) => {
  const s = await startChat(t)
  const id = await s.newSession()
  t.match(await s.post('/api/session/new', { profile: 'nobody' }), { status: 404, body: { error: 'Profile not found' } })
  for (const message of ['', '  \n ']) t.match(await s.post('/api/chat/start', { session_id: id, message }), { status: 400, body: { error: 'message is required' } })
  t.match(await s.post('/api/chat/start', { session_id: id }), { status: 400, body: { error: 'Missing required field(s): message' } })
  for (const group of (await s.get('/api/models')).body.groups) t.type(group.extra_models, Array)

  await s.post('/api/projects/create', { name: 'Work' })
  const elsewhere = await s.app.projects.create({ name: 'Theirs', color: null, profile: 'other' })
  t.match((await s.get('/api/projects')).body, { projects: [{ name: 'Work', profile: 'default' }], all_profiles: false, other_profile_count: 1 })
  t.match((await s.get('/api/projects?all_profiles=1')).body, { projects: [{ name: 'Work' }, { name: 'Theirs', project_id: elsewhere.id, profile: 'other' }], all_profiles: true, other_profile_count: 1 })

  const { streamId, frames } = await s.turn(id, 'Hello', s.model([{ text: 'Hi.' }]))
  const done = frames.find(({ event }) => event === 'done')!
  t.match(done.data.session.runtime_journal, { run_id: streamId, last_event: 'done', last_event_id: done.id, last_seq: seqs([done])[0], terminal: true, terminal_state: 'completed' })
  t.match((await s.session(id)).runtime_journal, { run_id: streamId, last_event: 'stream_end', last_seq: frames.length, terminal: true, terminal_state: 'completed' })
  const open = gate()
  const running = await s.send(id, 'More', { model: s.model(held(open, [{ text: 'x' }], [])) })
  await eventually('the first frame', async () => (await s.session(id)).runtime_journal.last_seq >= 0)
  t.match((await s.session(id)).runtime_journal, { run_id: running, terminal: false })
  await s.post('/api/chat/cancel', { stream_id: running })
  open.open()
})

t.test('a value of the wrong type is refused with the types that it may have', async (t) => {
  const s = await start(t)
  const id = await s.newSession()
  const cases: Array<[string, unknown, string]> = [
    ['auth/login', { password: 5 }, 'Invalid password: must be string'],
    ['auth/login', '"x"', 'The body must be object'],
    ['crons/create', { prompt: 'x', schedule: '1h', name: 5, repeat: 'often' }, 'Invalid name: must be string. Invalid repeat: must be integer or "forever" or "once"'],
    ['chat/start', { session_id: id, message: 'x', attachments: [5] }, 'Invalid attachments.0: must be string or object'],
    ['clarify/respond', { session_id: id, response: 5 }, 'Invalid response: must be string or object'],
    ['session/pin', [], 'The body must be object'],
    ['session/pin', { session_id: id, pinned: 'yes' }, 'Invalid pinned: must be boolean']
  ]
  for (const [path, body, error] of cases) t.match(await s.post(`/api/${path}`, body), { status: 400, body: { error } }, path)
  t.match(await s.get(`/api/session?session_id=${id}&session_id=x`), { status: 400, body: { error: 'Invalid session_id: must be given once' } })
  t.match(await s.get(`/api/events?session=${'x'.repeat(201)}`), { status: 400, body: { error: 'Invalid session: must NOT have more than 200 characters' } })
  t.match(await s.get('/api/skills/export?name='), { status: 400, body: { error: 'Missing required field(s): name' } })
})

t.test('an empty flag of a query is as if it were absent', async (t) => {
  const s = await startChat(t)
  const id = await s.newSession()
  await s.turn(id, 'Find the needle', s.model([{ text: 'Found it in the haystack.' }]))
  t.equal((await s.get(`/api/session?session_id=${id}&messages=`)).body.session.messages.length, 2)
  t.equal((await s.get(`/api/session?session_id=${id}&messages=0`)).body.session.messages.length, 0)
  t.match((await s.get('/api/sessions/search?q=haystack&content=')).body, { count: 1, sessions: [{ match_type: 'content' }] })
  t.equal((await s.get('/api/sessions/search?q=haystack&content=0')).body.count, 0)
})

t.test('a session and the status of its stream say the same about the frames of a turn', async (t) => {
  const s = await startChat(t)
  const id = await s.newSession()
  const journal = async (streamId: string) => (await s.get(`/api/chat/stream/status?stream_id=${streamId}`)).body.journal
  const same = async (streamId: string, expected: object, message: string): Promise<void> => {
    const { runtime_journal: inSession } = await s.session(id)
    t.match(inSession, expected, message)
    t.same(await journal(streamId), inSession, message)
  }
  const open = gate()
  const slow = s.model(held(open, [{ text: 'Well, ' }], []))
  const streamId = await s.send(id, 'Go', { model: slow })
  const reader = await s.watch(streamId)
  await reader.until('token')
  await same(streamId, { run_id: streamId, last_event: String, terminal: false, terminal_state: 'running' }, 'running')
  await s.post('/api/chat/cancel', { stream_id: streamId })
  const next = await s.send(id, 'Again', { model: s.model(held(open, [{ text: 'Now, ' }], [])) })
  await reader.ended
  const { event, data } = reader.frames.at(-1)!
  t.equal(event, 'cancel')
  t.match(data.session, { active_stream_id: next, runtime_journal: { run_id: next, terminal: false } })
  t.not(data.session.runtime_journal.last_event, 'cancel', 'which is no frame of the next turn')
  t.match(await journal(streamId), { last_event: 'cancel', last_event_id: reader.frames.at(-1)!.id, terminal: true, terminal_state: 'interrupted-by-user' })
  open.open()
  const second = await s.watch(next)
  await second.ended
  await same(next, { run_id: next, last_event: 'stream_end', terminal: true, terminal_state: 'completed' }, 'ended')

  const failed = await s.turn(id, 'Fail', 'fault-404')
  t.match(failed.last, { event: 'apperror', data: { session: { runtime_journal: { last_event: 'apperror', last_event_id: failed.last.id, terminal: true, terminal_state: 'errored' } } } })
  await same(failed.streamId, { last_event: 'apperror', last_event_id: failed.last.id }, 'failed')
})

t.test('pages that browser apps ask for', async (t) => {
  const service = await start(t)
  const id = await service.newSession()
  const shell = await service.get('/')
  const preloads = /<link rel="(?:modulepreload|preload" as="style)" crossorigin href="\/static\/app\/[\w-]+\.(?:js|css)">/g
  const chat = (await service.get(`/session/${id}`)).text
  // Only the home screen has a message box before the script runs.
  const withoutBox = shell.text.replace(/(?<=<div id="app">)<div class="shell" data-first>.*(?=<\/div>\n)/, '')
  t.same(chat.replace(`/api/start?session_id=${id}`, '/api/start').replaceAll(preloads, ''), withoutBox)
  t.equal((chat.match(preloads) ?? []).length, 2, 'the code and the styles of a chat are loaded early')
  const german = (await service.get('/', { 'accept-language': 'de' })).text
  t.match(german.match(preloads), [/\/words-de-/], 'and so are the words of another language')
  t.match(shell.headers.get('cache-control'), 'no-store')
  const manifest = await service.get('/manifest.json')
  t.match(manifest, { status: 200, body: { name: 'Agent', start_url: '/', display: 'standalone', icons: [{ src: '/static/icon.svg' }] } })
  t.match(manifest.headers.get('content-type'), /^application\/manifest\+json/)
  for (const { src, sizes } of manifest.body.screenshots) {
    const picture = Buffer.from(await (await fetch(service.url + src)).arrayBuffer())
    t.equal(`${picture.readUInt16LE(26) & 0x3fff}x${picture.readUInt16LE(28) & 0x3fff}`, sizes, src)
  }
  const worker = await service.get('/sw.js')
  t.equal(worker.status, 200)
  t.match(worker.headers.get('content-type'), /^text\/javascript/)
  t.match((await service.get('/static/icon.svg')).status, 200)

  const made = await service.post('/api/share/create', { session_id: id })
  t.match(made, { status: 200, body: { ok: true, share: { token: String, url: /^\/share\//, title: 'Untitled', message_count: 0, created_at: Number, updated_at: Number }, session: { session_id: id } } })
  t.equal((await service.get(made.body.share.url)).status, 200)
  t.match((await service.post('/api/share/revoke', { session_id: id })).body, { ok: true, revoked: 1, session: { session_id: id } })
  t.equal((await service.get(made.body.share.url)).status, 404)

  const gated = await start(t, { env: { SVC_WEBUI_PASSWORD: password } })
  t.match((await gated.get(`/session/${id}`, { accept: 'text/html' })).headers.get('location'), `/login?next=${encodeURIComponent(`/session/${id}`)}`)
})

t.test('a path that has other methods names them', async (t) => {
  const service = await start(t)
  const table: Array<[method: string, path: string, status: number, allow: string | null]> = [
    ['DELETE', '/api/sessions', 405, 'GET, HEAD'], ['POST', '/api/sessions?limit=2', 405, 'GET, HEAD'], ['PUT', '/api/chat/start', 405, 'POST'],
    ['GET', '/api/chat/start', 405, 'POST'], ['DELETE', '/api/chat/cancel', 405, 'GET, POST'],
    ['HEAD', '/api/chat/stream', 405, 'GET'], ['HEAD', '/api/session/export', 405, 'GET'], ['HEAD', '/metrics', 405, 'GET'],
    ['POST', '/api/mcp/servers/a%20b', 405, 'DELETE, PATCH, PUT'], ['POST', '/docs/a/b', 405, 'GET, HEAD'],
    ['POST', '/api/nothing', 404, null], ['GET', '/api/mcp/servers/a/b/c', 404, null], ['GET', '/api/sessions/', 200, null],
    ['POST', '/api/sessions/', 405, 'GET, HEAD']
  ]
  for (const [method, path, status, allow] of table) {
    const answer = await fetch(`${service.url}${path}`, { method })
    t.same([answer.status, answer.headers.get('allow')], [status, allow], `${method} ${path}`)
    if (method !== 'HEAD' && status !== 200) t.match(await answer.json(), { error: `There is no ${method} ${path.replace(/\?.*/, '')}` })
  }
})

t.test('a raw plus in a query is a space, and where there is none of that name, a plus', async (t) => {
  const service = await start(t)
  const id = await service.newSession()
  const put = (name: string, text: string) => { writeFileSync(join(service.workspace, name), text) }
  put('a b.txt', 'space')
  put('c+d.txt', 'plus')
  put('both+one.txt', 'plus')
  put('both one.txt', 'space')
  mkdirSync(join(service.workspace, 'x+y'))
  put('x+y/1+1=2 really.txt', 'nested')
  const read = async (path: string) => (await service.get(`/api/file?session_id=${id}&path=${path}`)).body.content
  t.equal(await read('a+b.txt'), 'space')
  t.equal(await read('c+d.txt'), 'plus')
  t.equal(await read('c%2Bd.txt'), 'plus')
  t.equal(await read('both+one.txt'), 'space', 'browsers come first')
  t.equal(await read('both%2Bone.txt'), 'plus')
  t.equal(await read('x+y/1+1=2%20really.txt'), 'nested')
  t.match((await service.get(`/api/list?session_id=${id}&path=x+y`)).body.entries, [{ name: '1+1=2 really.txt' }])
  t.match(await service.get(`/api/file/raw?session_id=${id}&path=c+d.txt`), { status: 200, text: 'plus' })
  t.equal((await service.get(`/api/folder/download?session_id=${id}&path=x+y`)).status, 200)
  const missing = await service.get(`/api/file?session_id=${id}&path=no+such+file`)
  t.match(missing, { status: 404, body: { error: String } })
  t.match(missing.headers.get('content-type'), /json/)
  t.ok(missing.headers.get('x-content-type-options'), 'with every header that an answer has')
  t.match(await service.get('/api/session?session_id=a+b'), { status: 404, body: { error: 'Session not found' } })
  t.equal((await fetch(`${service.url}/api/file/raw?session_id=${id}&path=c+d.txt`, { method: 'HEAD' })).status, 200)

  const gated = await start(t, { env: { SVC_WEBUI_PASSWORD: password } })
  t.equal((await gated.get('/api/file?session_id=x&path=c+d.txt')).status, 401)
})
