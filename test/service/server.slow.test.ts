import Sqlite from 'better-sqlite3'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { asset } from '../../services/ground/assets.js'
import { start } from '../support/app.js'
import { seqs, tokenText, type ReceivedFrame } from '../support/events.js'
import { spawnServer } from '../support/server.js'

const slowly = { OFFLINE_DEMO_WORDS_PER_SECOND: '40' }
/** Whether a process is alive, and not only an exited one that was not collected yet. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
const untilGone = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20))
}

t.test('a fresh start needs nothing and says in one line where it is and who answers', async (t) => {
  const folder = t.testdir({ other: {} })
  const server = await spawnServer(t, folder)
  t.match(server.output(), /Ready at http:\/\/127\.0\.0\.1:\d+ — profile default, no AI model yet .*OPENAI_API_KEY.*without a password\./)
  t.match(await server.json('/health'), { status: 'ok', sessions: 0, active_streams: 0 })

  await t.test('a second server on the same state names the first and leaves it alone', async (t) => {
    const second = await spawnServer(t, folder)
    t.equal(await second.exited, 1)
    t.match(second.output(), new RegExp(`process ${server.pid}\\)`))
    t.match(await server.json('/health'), { status: 'ok' })
  })

  await t.test('a taken port is told in words', async (t) => {
    const { port } = new URL(server.url)
    const second = await spawnServer(t, `${folder}/other`, { SVC_WEBUI_PORT: port })
    t.equal(await second.exited, 1)
    t.match(second.output(), /EADDRINUSE/)
    t.match(second.output(), new RegExp(`Another program already listens on 127\\.0\\.0\\.1:${port}, .*sport = :${port}.*SVC_WEBUI_PORT=(\\d+), or node scripts/cli\\.js start --port ${port === '65535' ? 8787 : Number(port) + 1} `))
    t.notMatch(second.output(), /at .*\.js/)
  })

  t.equal(await server.end('SIGTERM'), 0)
})

t.test('a configuration that cannot work is explained, without a stack trace', async (t) => {
  const server = await spawnServer(t, t.testdir({}), { SVC_WEBUI_HOST: '0.0.0.0', SVC_WEBUI_PORT: 'x' })
  t.equal(await server.exited, 1)
  t.match(server.output(), /SVC_WEBUI_PASSWORD/)
  t.match(server.output(), /SVC_WEBUI_PORT must be/)
  t.notMatch(server.output(), /at .*\.js/)
})

t.test('arguments are obeyed, or refused in words', async (t) => {
  for (const [argument, code, said] of [['--help', 0, /^Usage: node dist\/server\.js/], ['--prot=80', 2, /^"--prot=80" is not an option/]] as const) {
    const server = await spawnServer(t, t.testdir({}), {}, [process.execPath, asset('dist/server.js'), argument])
    t.equal(await server.exited, code)
    t.match(server.output(), said)
    t.notMatch(server.output(), /Ready at/)
  }
})

t.test('a workspace that cannot be one is told in words', async (t) => {
  const folder = t.testdir({ file: '' })
  for (const [workspace, said] of [
    ['/etc', 'A system folder cannot be a workspace'], [`${folder}/file`, 'There is a file where a folder should be'],
    [`${folder}/home/webui/own`, 'A folder of the service itself cannot be a workspace']
  ] as const) {
    const server = await spawnServer(t, folder, { SVC_HOME: `${folder}/home`, SVC_WEBUI_DEFAULT_WORKSPACE: workspace })
    t.equal(await server.exited, 1)
    t.equal(server.output().trim(), `${workspace} cannot be the default workspace. ${said}. Choose another folder: SVC_WEBUI_DEFAULT_WORKSPACE=/home/you/workspace`)
  }
})

t.test('an address that is not this machine\'s is told in words', { long: true }, async (t) => {
  const server = await spawnServer(t, t.testdir({}), { SVC_WEBUI_HOST: '192.0.2.1', SVC_WEBUI_PASSWORD: 'correct horse' })
  t.equal(await server.exited, 1)
  t.match(server.output(), /This machine has no address 192\.0\.2\.1\. Set SVC_WEBUI_HOST/)
  t.notMatch(server.output(), /at .*\.js/)
})

t.test('SIGTERM ends open turns honestly, says farewell to streams and exits cleanly', async (t) => {
  const folder = t.testdir({})
  const server = await spawnServer(t, folder, slowly)
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', {})
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'slow 400' })
  const chat = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  const approvals = await server.events(`/api/approval/stream?session_id=${sessionId}`)
  await chat.until('token')
  await approvals.until('initial')
  const hostPid = (await server.json('/api/system/health')).agent.pid as number
  t.equal(await server.end('SIGTERM'), 0)
  await Promise.all([chat.ended, approvals.ended])
  t.match(chat.frames.at(-1), { event: 'apperror', data: { type: 'interrupted', terminal_state: 'interrupted-by-crash' } })
  t.match(approvals.comments.at(-1), /shutting down/)
  await untilGone(hostPid)
  t.pass('the agent process is gone as well')

  const again = await spawnServer(t, folder)
  const { session } = await again.json(`/api/session?session_id=${sessionId}`)
  t.equal(session.active_stream_id, null)
  t.match(session.messages.map((message: { role: string }) => message.role), ['user', 'assistant', 'assistant'])
  t.equal(session.messages[1]._partial, true)
  t.equal(session.messages[1].content, tokenText(chat.frames), 'what was heard is what was kept')
})

t.test('kill -9 in the middle of a turn loses nothing that anybody has seen', async (t) => {
  const folder = t.testdir({})
  const server = await spawnServer(t, folder, slowly)
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', {})
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'slow 400' })
  const chat = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await chat.until((frame) => frame.event === 'token' && seqs([frame])[0]! > 30)
  const hostPid = (await server.json('/api/system/health')).agent.pid as number
  t.equal(await server.crash(), 'SIGKILL')
  await chat.ended

  const again = await spawnServer(t, folder, slowly)
  const replay = await again.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await replay.ended
  const bare = (frames: ReceivedFrame[]) => frames.map(({ id, event, data }) => ({ id, event, data }))
  t.same(bare(replay.frames).slice(0, chat.frames.length), bare(chat.frames))
  t.same(seqs(replay.frames), replay.frames.map((_, index) => index + 1))
  t.match(replay.frames.at(-1), { event: 'apperror', data: { type: 'interrupted', recovery_control: true } })
  t.equal(replay.frames.filter((frame) => ['stream_end', 'cancel', 'error', 'apperror'].includes(frame.event)).length, 1)
  const { session } = await again.json(`/api/session?session_id=${sessionId}`)
  t.match(session, { is_streaming: false, active_stream_id: null })
  t.equal(session.messages[0].content, 'slow 400')
  t.equal(session.messages[1].content, tokenText(replay.frames), 'the partial answer is what the journal holds')
  t.match(await again.json(`/api/chat/stream/status?stream_id=${streamId}`), { active: false, replay_available: true, journal: { terminal: true, terminal_state: 'interrupted-by-crash' } })
  await untilGone(hostPid)
  t.pass('the agent process did not outlive its service')
  const { stream_id: next } = await again.json('/api/chat/start', { session_id: sessionId, message: 'help' })
  await (await again.events(`/api/chat/stream?stream_id=${next}`)).until('done')
  t.equal(await again.end('SIGTERM'), 0)
  const db = new Sqlite(join(folder, 'home', 'webui', 'service.db'), { readonly: true })
  t.equal(db.pragma('integrity_check', { simple: true }), 'ok')
  db.close()
})

t.test('logs carry request ids and no secrets', async (t) => {
  const server = await spawnServer(t, t.testdir({}), { LOG_LEVEL: 'trace', SVC_WEBUI_PASSWORD: 'canary-password', OPENAI_API_KEY: 'sk-canary-key', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' })
  const signedIn = await fetch(`${server.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"password":"canary-password"}' })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
  const { session } = await server.json('/api/session/new', {}, { cookie })
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: session.session_id, message: 'hello', model: 'some-model' }, { cookie })
  const chat = await server.events(`/api/chat/stream?stream_id=${streamId}`, { cookie })
  await chat.ended
  t.equal(chat.frames.at(-1)!.event, 'apperror', 'nothing answers at that address')
  const answer = await fetch(`${server.url}/api/nothing?secret=canary-query`, { headers: { cookie, authorization: 'Bearer canary-bearer' } })
  t.equal(answer.status, 404)
  const id = answer.headers.get('x-request-id')!
  t.match(await server.json('/api/session/new', { workspace: 'nowhere:/folder' }, { cookie }), { code: 'host_unreachable' })
  await server.end('SIGTERM')
  t.match(server.output(), /"level":40,[^\n]*"statusCode":503/, 'what another machine is to blame for is no error')
  t.match(server.output(), id)
  for (const canary of ['canary-password', 'sk-canary-key', 'canary-query', 'canary-bearer', cookie.split('=')[1]!]) t.notMatch(server.output(), canary)
  t.notMatch(chat.text, 'sk-canary-key')
})

t.test('the OpenAPI document is complete', { long: true }, async (t) => {
  const service = await start(t)
  const { body: document } = await service.get('/docs/json')
  t.equal(document.openapi, '3.1.0')
  const operations = Object.entries(document.paths as Record<string, Record<string, { summary?: string, tags?: string[], responses?: Record<string, { content?: unknown, description?: string }>, parameters?: unknown[], requestBody?: unknown }>>)
    .flatMap(([path, methods]) => Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, method, operation })))
  t.ok(operations.length > 25)
  for (const { name, method, operation } of operations) {
    t.ok(operation.summary, `${name} has a summary`)
    t.ok(operation.tags?.length, `${name} has a tag`)
    // Operations that only redirect, or only refuse, have no other answer.
    t.ok(operation.responses?.['200']?.content ?? ['302', '405', '503'].find((status) => operation.responses?.[status] !== undefined), `${name} says what it answers`)
    if (method === 'post' && !name.endsWith('/logout')) t.ok(operation.requestBody ?? operation.parameters?.length, `${name} says what it takes`)
  }
  const page = await service.get('/docs/', { accept: 'text/html' })
  t.equal(page.status, 200)
  t.match(page.text, 'swagger-ui.css')
  const style = await service.get('/docs/static/swagger-ui.css')
  t.match(style.headers.get('content-type'), 'text/css')
  t.equal((await service.get('/docs/static/swagger-ui.css', { 'if-none-match': style.headers.get('etag')! })).status, 304)
  t.equal((await service.get('/docs/static/none.css')).status, 404)
  t.match((await service.get('/docs/yaml')).text, /^openapi: 3\.1\.0/)
  const locked = await start(t, { env: { SVC_WEBUI_PASSWORD: 'x' } })
  t.equal((await locked.get('/docs/json')).status, 401)
})

t.test('health endpoints answer without signing in', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'x' } })
  t.match((await service.get('/health')).body, { status: 'ok', sessions: 0, active_streams: 0, uptime_seconds: Number })
  t.same((await service.get('/livez')).body, { status: 'ok' })
  t.match((await service.get('/readyz')).body, { status: 'ok', database: true })
  t.equal((await service.get('/api/system/health')).status, 401)
})

t.test('what is not there and what cannot be read gets the standard body', { long: true }, async (t) => {
  const service = await start(t)
  t.match(await service.get('/api/nothing'), { status: 404, body: { error: String } })
  t.match(await service.post('/api/session/new', '{"broken'), { status: 400, body: { error: /not valid JSON/ } })
  t.match(await service.post('/api/session/new', '[]'), { status: 400, body: { error: String } })
  t.match(await service.post('/api/session/new', 'a=b', { 'content-type': 'application/x-www-form-urlencoded' }), { status: 415, body: { error: /JSON/ } })
  t.match(await service.post('/api/session/rename', `{"session_id":"x","title":"${'y'.repeat(21 * 1024 * 1024)}"}`), { status: 413, body: { error: /too large/ } })
  t.match(await service.get('/%zz'), { status: 400, body: { error: String } })
  t.match(await service.get('/api/session?session_id=a&session_id=b'), { status: 400, body: { error: /session_id/ } })
})

t.test('everything is let go again', { long: true }, async (t) => {
  const service = await start(t, { demoWordsPerSecond: 100 })
  const sessionId = await service.newSession()
  for (const message of ['help', 'list', 'slow 20']) {
    const stream = await service.events(`/api/chat/stream?stream_id=${await service.send(sessionId, message)}`)
    await stream.ended
  }
  const dropped = await service.send(sessionId, 'slow 200')
  const reader = await service.events(`/api/chat/stream?stream_id=${dropped}`)
  await reader.until('token')
  reader.drop()
  await service.get(`/api/chat/cancel?stream_id=${dropped}`)
  await (await service.events(`/api/chat/stream?stream_id=${dropped}`)).ended
  const approvals = await service.events(`/api/approval/stream?session_id=${sessionId}`)
  await approvals.until('initial')
  approvals.drop()
  while (service.app.eventStreams.open() > 0) await new Promise((resolve) => setTimeout(resolve, 10))
  t.same(service.app.events.size(), { topics: 0, subscriptions: 0 })
  t.match(service.app.agent.size(), { runs: 0, waiting: 0 })
  t.equal(service.app.chat.activeTurns(), 0)
  t.equal(service.app.chat.readers.size(), 0)
})

t.test('signing out ends the streams that were opened with it', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'secret' } })
  const signedIn = await service.post('/api/auth/login', { password: 'secret' })
  const cookie = signedIn.headers.getSetCookie()[0]!.split(';')[0]!
  const { body: { session: { session_id: sessionId } } } = await service.post('/api/session/new', {}, { cookie })
  const stream = await service.events(`/api/approval/stream?session_id=${sessionId}`, { cookie })
  await stream.until('initial')
  t.equal((await service.post('/api/auth/logout', {}, { cookie })).status, 200)
  await stream.ended
  t.equal((await service.events(`/api/approval/stream?session_id=${sessionId}`, { cookie })).status, 401)
})
