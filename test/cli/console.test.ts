import { existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { overSocket } from '../../cli/service.js'
import { consoleSocket } from '../../services/ground/network/local-socket.js'
import { start, type TestService } from '../support/app.js'
import { temporaryFolder } from '../support/folder.js'

const password = 'correct horse'

/** Starts a service that listens for commands, and a function that sends requests as they do. */
async function listening (t: Test, folder = temporaryFolder(t, 'console')) {
  const service = await start(t, { folder, env: { SVC_WEBUI_PASSKEY: '1' } })
  await service.app.console.listen()
  const { stateDir } = service.app.config
  return { service, stateDir, ask: async (path: string, body?: object) => await overSocket(stateDir, path, body) }
}

const newest = async ({ app }: TestService): Promise<unknown> => {
  const { entries } = app.audit.page(Number.MAX_SAFE_INTEGER, 1, {})
  return entries[0]
}

t.test('the socket is its user\'s alone, and whoever opens it is the console, whatever else is sent', async (t) => {
  const { service, stateDir, ask } = await listening(t)
  t.equal(statSync(consoleSocket(stateDir)).mode & 0o777, 0o600)
  t.equal(statSync(join(stateDir, 'console')).mode & 0o777, 0o700)
  await ask('/api/console/password', { password })
  t.match(await newest(service), { kind: 'auth.password', actorKind: 'console', actorName: String, address: null, details: '{"change":"set"}' })
  t.match(await ask('/api/console'), { status: 200, body: { pid: process.pid, host: '127.0.0.1', sign_in: ['password'], active_turns: 0, waiting: { approvals: 0, questions: 0 } } })
  t.match(await ask('/api/auth/tokens/create', { name: 'made here', scope: 'admin' }), { status: 200, body: { token: /^svct_/ } })
  t.match(await newest(service), { kind: 'device.created', actorKind: 'console' })
  t.match(await ask('/api/diagnostics'), { status: 200, body: { checks: Array } }, 'also what is limited by address')
  t.match(await ask('/api/settings', { _set_password: 'other', _current_password: password }), { status: 403 }, 'how one signs in is changed by resetting it alone')
  t.match(await ask('/api/console/stop', {}), { status: 409 }, 'this one is part of the tests')
})

t.test('over the network nobody is the console: a person, a token, a page, and where no sign-in is needed', async (t) => {
  const { service, ask } = await listening(t)
  const paths = ['/api/console/password', '/api/console/sign-ins/revoke', '/api/console/stop']
  const refused = async (headers: Record<string, string>): Promise<void> => {
    for (const path of paths) t.match(await service.post(path, { password, all: true }, headers), { status: 403, body: { code: 'scope_too_narrow', needed_scope: 'console' } }, path)
    for (const path of ['/api/console', '/api/console/sign-ins']) t.equal((await service.get(path, headers)).status, 403, path)
  }
  await refused({})
  await refused({ 'x-forwarded-for': '127.0.0.1', host: 'localhost' })
  await ask('/api/console/password', { password })
  const cookie = (await service.post('/api/auth/login', { password })).headers.get('set-cookie')!.split(';')[0]!
  await refused({ cookie })
  const { body } = await ask('/api/auth/tokens/create', { name: 'x', scope: 'admin' })
  await refused({ authorization: `Bearer ${(body as { token: string }).token}` })
  for (const path of paths) t.equal((await service.post(path, {})).status, 401)
  t.notMatch(JSON.stringify(service.app.swagger()), '/api/console')
})

t.test('a reset ends every sign-in and keeps devices; sign-ins are listed and ended', async (t) => {
  const { service, ask } = await listening(t)
  await ask('/api/console/password', { password })
  const signIn = async (word: string) => await service.post('/api/auth/login', { password: word }, { 'user-agent': 'a browser' })
  const cookieOf = (answer: { headers: Headers }): string => answer.headers.get('set-cookie')!.split(';')[0]!
  const [one, two] = [cookieOf(await signIn(password)), cookieOf(await signIn(password))]
  const { body: pairing } = await ask('/api/auth/tokens/pair', { name: 'phone', scope: 'chat' })
  await service.post('/api/auth/pair', { code: (pairing as { code: string }).code, as: 'session' })
  const listed = async () => ((await ask('/api/console/sign-ins')).body as { sign_ins: Array<{ id: string }> }).sign_ins
  t.match(await listed(), [{ method: 'password', user_agent: 'a browser' }, { method: 'password' }])
  t.equal((await listed()).length, 2, 'a paired browser is a device')

  const [{ id }] = await listed() as [{ id: string }]
  t.match(await ask('/api/console/sign-ins/revoke', { ids: [id] }), { status: 200, body: { revoked: [id] } })
  t.match(await newest(service), { kind: 'auth.sign_out', actorKind: 'console', details: JSON.stringify({ session: id }) })
  t.same(await Promise.all([one, two].map(async (cookie) => (await service.get('/api/sessions', { cookie })).status)), [200, 401], 'the newest was the first of them')
  for (const wrong of [{}, { ids: [], all: true }, { ids: ['nope'] }]) t.ok((await ask('/api/console/sign-ins/revoke', wrong)).status >= 400)

  t.match(await ask('/api/console/password', { password: 'x'.repeat(5_000) }), { status: 400 })
  t.match(await ask('/api/console/password', { password: 'another one' }), { status: 200 })
  t.match(await newest(service), { kind: 'auth.password', details: '{"change":"changed"}' })
  t.equal((await service.get('/api/sessions', { cookie: one })).status, 401)
  t.equal((await signIn(password)).status, 401)
  t.equal((await signIn('another one')).status, 200)
  t.match((await ask('/api/auth/tokens')).body, { tokens: [{ name: 'phone', kind: 'browser' }] })
})

t.test('a password of the environment is not reset', async (t) => {
  const folder = temporaryFolder(t, 'console')
  const service = await start(t, { folder, env: { SVC_WEBUI_PASSWORD: password } })
  await service.app.console.listen()
  t.match(await overSocket(service.app.config.stateDir, '/api/console/password', { password: 'other' }), { status: 409, body: { code: 'password_pinned' } })
})

t.test('what a killed service has left is replaced, a path of any length serves, and the end removes it', { skip: process.platform !== 'linux' }, async (t) => {
  const folder = join(temporaryFolder(t, 'console'), 'long '.repeat(20).trim(), 'ü'.repeat(40))
  mkdirSync(folder, { recursive: true })
  const { service, stateDir, ask } = await listening(t, folder)
  t.ok(Buffer.byteLength(consoleSocket(stateDir)) > 108)
  t.equal((await ask('/livez')).status, 200)
  await service.app.close()
  t.notOk(existsSync(consoleSocket(stateDir)))
  await t.rejects(ask('/livez'), { code: 'ENOENT' })

  const other = temporaryFolder(t, 'console')
  const again = await start(t, { folder: other })
  const socket = consoleSocket(again.app.config.stateDir)
  mkdirSync(join(again.app.config.stateDir, 'console'), { recursive: true, mode: 0o700 })
  writeFileSync(socket, 'no socket at all')
  await again.app.console.listen()
  t.equal((await overSocket(again.app.config.stateDir, '/livez')).status, 200)
})

t.test('a folder that others can open is not trusted', async (t) => {
  const folder = temporaryFolder(t, 'console')
  const service = await start(t, { folder })
  mkdirSync(join(service.app.config.stateDir, 'console'), { recursive: true, mode: 0o755 })
  await t.rejects(service.app.console.listen(), /others can open/)
})

t.test('a body that is too large, or of another form, gets an answer, and the next is served', async (t) => {
  const { ask } = await listening(t)
  t.match(await ask('/api/console/password', { password: 'x'.repeat(100_000) }), { status: 413 })
  t.match(await ask('/api/console/password', { password: 5 }), { status: 400 })
  t.match(await ask('/api/console/password', {}), { status: 400, body: { error: /password/ } })
  t.equal((await ask('/livez')).status, 200)
})
