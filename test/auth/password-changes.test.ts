import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { createAudit } from '../../services/areas/audit/index.js'
import { createAuth } from '../../services/areas/auth/index.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { start, type Answer, type StartOptions, type TestService } from '../support/app.js'

const proxied = { SVC_WEBUI_TRUSTED_PROXIES: 'loopback' }
const from = (address: string) => ({ 'x-forwarded-for': address })
const set = (service: TestService, body: Record<string, unknown>, headers: Record<string, string> = {}) => service.post('/api/settings', body, headers)
const cookieOf = (answer: Answer): string => answer.headers.get('set-cookie')?.split(';')[0] ?? ''
const statusAs = async (service: TestService, cookie: string) => (await service.get('/api/settings', { cookie })).status
const login = (service: TestService, password: string) => service.post('/api/auth/login', { password })

/** Starts a service and sets its first password. */
async function gated (t: Test, password: string, options: StartOptions = {}): Promise<{ service: TestService, cookie: string }> {
  const service = await start(t, options)
  const answer = await set(service, { _set_password: password })
  t.equal(answer.status, 200)
  return { service, cookie: cookieOf(answer) }
}

t.test('the first password closes the service to everybody but who has set it', async (t) => {
  const service = await start(t, { auth: {} })
  const before = (await service.get('/api/settings')).body
  t.match(before, { auth_enabled: false, logged_in: false, password_auth_enabled: false, passkeys_count: 0, passkey_feature_flag: false, auth_disabled_acknowledged: false, oidc_enabled: false })
  t.notOk('auth_just_enabled' in before)

  const answer = await set(service, { _set_password: 'one', show_cli_sessions: false })
  t.equal(answer.status, 200)
  t.match(answer.body, { auth_enabled: true, logged_in: true, password_auth_enabled: true, auth_just_enabled: true, password_env_var: false, show_cli_sessions: false })
  t.match(answer.headers.get('set-cookie'), /^svc_session=[0-9a-f]{64}\.[0-9a-f]{64}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  t.notMatch(answer.text, /scrypt|_set_password|password_hash/)
  t.equal(await statusAs(service, ''), 401)
  t.equal(await statusAs(service, cookieOf(answer)), 200)
  t.match((await service.get('/api/auth/status', { cookie: cookieOf(answer) })).body, { logged_in: true, csrf_token: /^[0-9a-f]{64}$/ })
  t.equal((await login(service, 'one')).status, 200)
  t.match((await set(service, { show_cli_sessions: true }, { cookie: cookieOf(answer) })).body, { auth_just_enabled: false, logged_in: true })
  t.match(service.app.db.sqlite.prepare("select value from settings where key = 'password_hash'").pluck().get(), /^"?scrypt\$32768\$8\$1\$/, 'at its full cost')
  const keys = service.app.db.sqlite.prepare('select key from settings').pluck().all() as string[]
  t.same(keys.filter((key) => key.startsWith('_')), [], 'what was asked is not stored as a setting')
})

t.test('the first password comes from this machine or a private network', async (t) => {
  for (const [address, status] of [
    ['203.0.113.9', 403], ['2001:db8::1', 403], ['100.64.0.1', 403], ['nonsense', 403], ['::ffff:203.0.113.9', 403], ['127.0.0.1', 200], ['::1', 200],
    ['10.0.0.7', 200], ['172.16.0.1', 200], ['192.168.1.2', 200], ['::ffff:192.168.1.2', 200], ['fd00::1', 200], ['fe80::1', 200]
  ] as const) {
    const service = await start(t, { env: proxied })
    const answer = await set(service, { _set_password: 'one', show_cli_sessions: false }, from(address))
    t.equal(answer.status, status, address)
    if (status === 403) t.match((await service.get('/api/settings')).body, { auth_enabled: false, show_cli_sessions: true }, 'and nothing of it was stored')
    await service.stop()
  }
  const untrusting = await start(t)
  for (const header of ['x-forwarded-for', 'forwarded', 'x-real-ip']) {
    t.equal((await set(untrusting, { _set_password: 'one' }, { [header]: '127.0.0.1' })).status, 403, 'nobody knows for whom that proxy asks')
  }
  const open = await start(t, { env: { ...proxied, SVC_WEBUI_ONBOARDING_OPEN: '1' } })
  t.equal((await set(open, { _set_password: 'one' }, from('203.0.113.9'))).status, 200)
  const fronted = await start(t, { env: { ...proxied, SVC_WEBUI_PROXY_HEADER: 'X-Api-Key: sesame' } })
  const answer = await set(fronted, { _set_password: 'one' }, { ...from('203.0.113.9'), 'x-api-key': 'sesame' })
  t.match(answer, { status: 200, body: { auth_just_enabled: false, password_auth_enabled: true } }, 'whom the proxy has let in is no stranger')
})

t.test('a change takes the password that holds, and ends every other session', async (t) => {
  const { service, cookie } = await gated(t, 'one')
  const other = cookieOf(await login(service, 'one'))
  t.match(await set(service, { _set_password: 'two' }, { cookie }), { status: 403, body: { error: /_current_password/ } })
  t.match(await set(service, { _set_password: 'two', _current_password: 'guess', show_cli_sessions: false }, { cookie }), { status: 403, body: { error: /wrong/ } })
  t.match((await service.get('/api/settings', { cookie })).body, { show_cli_sessions: true }, 'nothing of it was stored')
  t.equal((await login(service, 'two')).status, 401)

  const answer = await set(service, { _set_password: 'two', _current_password: 'one' }, { cookie })
  t.match(answer, { status: 200, body: { logged_in: true, auth_enabled: true, auth_just_enabled: false } })
  for (const old of [cookie, other]) t.equal(await statusAs(service, old), 401, 'also one that was verified a moment ago')
  t.equal(await statusAs(service, cookieOf(answer)), 200)
  t.equal((await login(service, 'one')).status, 401)
  t.equal((await login(service, 'two')).status, 200)
})

t.test('whoever changes the password stays in the profile that was chosen', { long: true }, async (t) => {
  const service = await start(t)
  await service.post('/api/profile/create', { name: 'work' })
  const jar = new Map<string, string>()
  const cookie = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const keep = (answer: Answer) => {
    for (const [name = '', value = ''] of answer.headers.getSetCookie().map((line) => line.split(';')[0]!.split('='))) jar.set(name, value)
    return answer
  }
  const active = async () => (await service.get('/api/profile/active', { cookie: cookie() })).body.name
  keep(await service.post('/api/profile/switch', { name: 'work' }))
  t.equal(await active(), 'work')
  keep(await set(service, { _set_password: 'one' }, { cookie: cookie() }))
  t.equal(await active(), 'work')
  keep(await set(service, { _set_password: 'two', _current_password: 'one' }, { cookie: cookie() }))
  t.equal(await active(), 'work')
  t.match(jar.get('svc_profile'), /^work\.[0-9a-f]{64}$/, 'signed for the session')
})

t.test('guessing the current password counts like signing in', async (t) => {
  const { service, cookie } = await gated(t, 'one')
  for (let attempt = 0; attempt < 5; attempt++) t.equal((await set(service, { _clear_password: true, _current_password: 'guess' }, { cookie })).status, 403)
  const refused = await set(service, { _clear_password: true, _current_password: 'one' }, { cookie })
  t.equal(refused.status, 429)
  t.ok(Number(refused.headers.get('retry-after')) > 0)
  t.equal((await login(service, 'one')).status, 429)
})

t.test('clearing the password opens a service that only its own machine reaches', async (t) => {
  const { service, cookie } = await gated(t, 'one')
  t.equal((await set(service, { _clear_password: true }, { cookie })).status, 403)
  const answer = await set(service, { _clear_password: true, _current_password: 'one' }, { cookie })
  t.match(answer, { status: 200, body: { auth_enabled: false, logged_in: false, password_auth_enabled: false, auth_just_enabled: false } })
  t.equal(answer.headers.get('set-cookie'), null)
  t.equal(await statusAs(service, ''), 200)
  t.match(await set(service, { _clear_password: true }), { status: 409 })
  const again = await set(service, { _set_password: 'one' })
  t.equal(again.status, 200)
  t.equal(await statusAs(service, cookie), 401, 'a session of before does not come back with the same password')
})

t.test('what other machines reach does not become open', async (t) => {
  for (const [isLocal, proxySecret, refused] of [[false, null, true], [false, 'sesame', false], [true, null, false]] as const) {
    const db = openDatabase({ file: ':memory:' })
    t.teardown(() => db.close())
    const auth = createAuth({ db, clock: { now: Date.now }, audit: createAudit({ db, clock: { now: Date.now } }), password: null, proxySecret, sessionTtlS: () => 60, isLocal, onboardingOpen: false, passkeys: { isEnabled: false, name: 'Agent', allowedOrigins: new Set() }, oidc: null, learned: () => {}, log: () => {} })
    await (await auth.changes.prepare({ _set_password: 'one' }, { address: '127.0.0.1' })).apply()
    const clearing = auth.changes.prepare({ _clear_password: true, _current_password: 'one' }, { address: '127.0.0.1' }).then((change) => change.apply())
    if (refused) await t.rejects(clearing, { name: 'Conflict', message: /Other machines can reach/ })
    else await clearing
    t.equal(auth.passwordGated, refused)
    t.equal(auth.gated, refused || proxySecret !== null)
  }
})

t.test('what is asked has to make sense', async (t) => {
  const { service, cookie } = await gated(t, 'one')
  for (const body of [{ _set_password: 5 }, { _set_password: 'x'.repeat(4097) }, { _current_password: {} }, { _clear_password: 'yes' }, { _passwordless: 1 }, { _auth_disabled_acknowledged: 'true' },
    { _set_password: 'two', _clear_password: true, _current_password: 'one' }, { _clear_password: true, _passwordless: true, _current_password: 'one' }]) {
    t.equal((await set(service, body, { cookie })).status, 400, JSON.stringify(body).slice(0, 60))
  }
  for (const body of [{ _set_password: '' }, { _set_password: null }, { _clear_password: false }, { _current_password: 'whatever' }, { _passwordless: null }, { _passwordless: false }]) {
    t.equal((await set(service, body, { cookie })).status, 200, JSON.stringify(body))
  }
  t.match(await set(service, { _passwordless: true }, { cookie }), { status: 409, body: { error: /SVC_WEBUI_PASSKEY/ } })
  t.match(await set(service, { _set_password: 'two', _current_password: 'one', pinned_sessions_limit: 0 }, { cookie }), { status: 400 })
  t.match(await set(service, { _set_password: 'two', _current_password: 'one', provider_cost_budget: -1 }, { cookie }), { status: 400 })
  t.equal(await statusAs(service, cookie), 200, 'a refused request has changed no password')
  t.equal((await set(service, { _set_password: 'two' }, { cookie, origin: service.url })).status, 403, 'a page needs its token')
})

t.test('a password of the environment stays', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'pinned' } })
  const cookie = cookieOf(await login(service, 'pinned'))
  for (const body of [{ _set_password: 'x', _current_password: 'pinned' }, { _clear_password: true, _current_password: 'pinned' }, { _clear_password: true }]) {
    t.match(await set(service, body, { cookie }), { status: 409, body: { error: /SVC_WEBUI_PASSWORD/, code: 'password_pinned' } })
  }
  t.match((await service.get('/api/settings', { cookie })).body, { password_env_var: true, auth_enabled: true })
})

t.test('of two clients at once, one wins and the other hears of it', async (t) => {
  // With hashes as slow as usual, so that the requests overlap.
  const service = await start(t, { auth: {} })
  const first = await Promise.all(['one', 'two', 'three'].map((password) => set(service, { _set_password: password })))
  t.same(first.map(({ status }) => status).toSorted(), [200, 409, 409])
  const winner = ['one', 'two', 'three'][first.findIndex(({ status }) => status === 200)]!
  t.equal(await statusAs(service, cookieOf(first.find(({ status }) => status === 200)!)), 200)
  const cookie = cookieOf(await login(service, winner))
  const second = await Promise.all([{ _set_password: 'four' }, { _clear_password: true }].map((body) => set(service, { ...body, _current_password: winner }, { cookie })))
  t.same(second.map(({ status }) => status).toSorted(), [200, 409])
  t.equal((await login(service, winner)).status, second[0]!.status === 200 ? 401 : 200)
})

t.test('who loses has changed nothing else either', async (t) => {
  const service = await start(t)
  const limits = [11, 12, 13, 14]
  const answers = await Promise.all(limits.map((limit) => set(service, { _set_password: `word ${limit}`, pinned_sessions_limit: limit, max_tokens: limit * 100 })))
  t.same(answers.map(({ status }) => status).toSorted(), [200, 409, 409, 409])
  const at = answers.findIndex(({ status }) => status === 200)
  const { body } = await service.get('/api/settings', { cookie: cookieOf(answers[at]!) })
  t.match(body, { pinned_sessions_limit: limits[at]!, max_tokens: limits[at]! * 100 })
  t.equal(service.app.db.sqlite.prepare("select value from settings where key = 'pinned_sessions_limit'").pluck().get(), String(limits[at]))
})

t.test('what cannot be written to config.yaml keeps everything as it was', async (t) => {
  const service = await start(t)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'a: [1\n')
  t.match(await set(service, { _set_password: 'one', pinned_sessions_limit: 9, max_tokens: 900 }), { status: 409, body: { code: 'config_broken' } })
  t.match((await service.get('/api/settings')).body, { auth_enabled: false, pinned_sessions_limit: 3 })
})

t.test('it is there after a restart', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'passwords-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const { service, cookie } = await gated(t, 'one', { folder })
  await service.stop()
  const again = await start(t, { folder })
  t.equal(await statusAs(again, ''), 401)
  t.equal(await statusAs(again, cookie), 200)
  await again.stop()
  const pinned = await start(t, { folder, env: { SVC_WEBUI_PASSWORD: 'two' } })
  t.equal(await statusAs(pinned, cookie), 401, 'the environment comes first')
  t.equal((await login(pinned, 'one')).status, 401)
  t.equal((await login(pinned, 'two')).status, 200)
})

t.test('that there is no password can be acknowledged, until there was one', { long: true }, async (t) => {
  const service = await start(t)
  t.match((await set(service, { _auth_disabled_acknowledged: true })).body, { auth_disabled_acknowledged: true, auth_just_enabled: false })
  t.match((await service.get('/api/auth/status')).body, { auth_disabled_acknowledged: true })
  const cookie = cookieOf(await set(service, { _set_password: 'one' }))
  t.match((await set(service, { _clear_password: true, _current_password: 'one' }, { cookie })).body, { auth_disabled_acknowledged: false })
  t.match((await set(service, { _auth_disabled_acknowledged: true })).body, { auth_disabled_acknowledged: true })
  t.match((await set(service, { _auth_disabled_acknowledged: false })).body, { auth_disabled_acknowledged: false })
})
