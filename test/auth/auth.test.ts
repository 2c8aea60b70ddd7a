import Fastify, { type FastifyInstance } from 'fastify'
import http from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from '#test'
import audit from '../../plugins/areas/audit.js'
import authPlugin from '../../plugins/areas/auth.js'
import config, { readConfig } from '../../plugins/ground/config.js'
import consoleAccess from '../../plugins/ground/console.js'
import database from '../../plugins/ground/database.js'
import errors from '../../plugins/ground/errors.js'
import security from '../../plugins/ground/security.js'
import settingsPlugin from '../../plugins/areas/settings.js'
import staticFiles from '../../plugins/ground/static.js'
import authRoutes from '../../routes/auth.js'
import { isLocalHost, isSameHost, localPath } from '../../services/areas/auth/index.js'
import { createTurnstile } from '../../services/areas/auth/password.js'
import { countedAddress } from '../../services/areas/auth/throttle.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { temporaryFolder } from '../support/folder.js'

const password = 'correct horse'
const proxyHeader = 'X-Api-Key: sesame'

const noPasskeys = { passkeys_enabled: false, passkeys_count: 0, passkey_feature_flag: false, passwordless_enabled: false, oidc_enabled: false, oidc_name: null, auth_disabled_acknowledged: false }

interface Answer { status: number, headers: http.IncomingHttpHeaders, text: string, json: Record<string, unknown> }
interface Sending { headers?: Record<string, string>, body?: unknown, agent?: http.Agent }
interface Service { app: FastifyInstance, port: number, clock: { now (): number, pass (seconds: number): void }, call: (method: string, path: string, sending?: Sending) => Promise<Answer> }

/** Makes password hashes cost next to nothing, except in tests of their cost. */
async function start (t: Test, env: Record<string, string> = {}, { file = ':memory:', at = 1_700_000_000_000, passwordCost = { N: 2 ** 10, r: 8, p: 1 } } = {}): Promise<Service> {
  const settings = readConfig(env)
  let now = at
  const clock = { now: () => now, pass: (seconds: number) => { now += seconds * 1000 } }
  const app = Fastify({ trustProxy: settings.trustedProxies })
  await app.register(config, { config: settings, environment: {} })
  await app.register(consoleAccess)
  await app.register(database, { db: openDatabase({ file }), clock })
  await app.register(audit)
  await app.register(errors)
  await app.register(security)
  await app.register(settingsPlugin)
  await app.register(authPlugin, { passwordCost })
  await app.register(authRoutes)
  await app.register(staticFiles)
  for (const path of ['/health', '/livez', '/readyz']) app.get(path, { config: { access: 'public' } }, async () => ({ path }))
  for (const path of ['/api/sessions', '/docs/json']) app.get(path, async () => ({ path }))
  app.get('/', async (request, reply) => reply.type('text/html').send('<p>shell</p>'))
  app.get('/api/media', async (request, reply) => reply.header('cache-control', 'private').send({}))
  app.get('/api/whoami', async ({ operator }) => ({ operator }))
  app.route({ method: ['POST', 'PUT', 'PATCH', 'DELETE'], url: '/api/change', bodyLimit: 64 * 1024 * 1024, handler: async () => ({ ok: true }) })
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  const { port } = app.server.address() as AddressInfo
  return { app, port, clock, call: (method, path, sending) => send(port, method, path, sending) }
}

function send (port: number, method: string, path: string, { headers = {}, body, agent }: Sending = {}): Promise<Answer> {
  const typed = body === undefined || Buffer.isBuffer(body) || typeof body === 'string' ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const request = http.request({ port, method, path, agent, headers: { host: `127.0.0.1:${port}`, ...typed, ...headers } }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject).on('end', () => {
        const text = Buffer.concat(chunks).toString()
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: text.startsWith('{') ? JSON.parse(text) : {} })
      })
    })
    request.on('error', reject)
    request.end(Buffer.isBuffer(body) || typeof body === 'string' ? body : body === undefined ? undefined : JSON.stringify(body))
  })
}

const login = ({ call }: Service, candidate: string, headers: Record<string, string> = {}) =>
  call('POST', '/api/auth/login', { headers, body: { password: candidate } })

/** Signs in, and returns the Cookie header for further requests. */
async function cookieOf (service: Service, candidate = password): Promise<string> {
  const answer = await login(service, candidate)
  return (answer.headers['set-cookie']?.[0] ?? '').split(';')[0] ?? ''
}

function folder (t: Test): string {
  const path = temporaryFolder(t, 'auth')
  return path
}

t.test('without a gate everything is admitted', async (t) => {
  const service = await start(t)

  t.same((await service.call('GET', '/api/auth/status')).json, {
    authenticated: true,
    password_required: false,
    auth_enabled: false,
    logged_in: false,
    password_auth_enabled: false,
    ...noPasskeys,
    csrf_token: '',
    token_scope: null
  })
  t.match((await service.call('GET', '/api/whoami')).json, { operator: { via: 'open' } })
  t.equal((await service.call('POST', '/api/change', { headers: { 'sec-fetch-site': 'same-origin' } })).status, 200)

  for (const body of [{ password: 'any' }, {}, undefined]) {
    const answer = await service.call('POST', '/api/auth/login', { body })
    t.equal(answer.status, 200)
    t.match(answer.json, { ok: true, message: String })
    t.notOk(answer.headers['set-cookie'])
  }
  t.same((await service.call('POST', '/api/auth/logout')).json, { ok: true })
  const page = await service.call('GET', '/login?next=%2Fchat')
  t.equal(page.status, 302)
  t.equal(page.headers.location, '/chat')
})

t.test('signing in and out with the password', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password })

  t.same((await service.call('GET', '/api/auth/status')).json, {
    authenticated: false,
    password_required: true,
    auth_enabled: true,
    logged_in: false,
    password_auth_enabled: true,
    ...noPasskeys,
    csrf_token: '',
    token_scope: null
  })
  const wrong = await login(service, 'guess')
  t.equal(wrong.status, 401)
  t.same(wrong.json, { error: 'Invalid password' })
  for (const body of [{}, { password: '' }, undefined]) {
    const missing = await service.call('POST', '/api/auth/login', { body })
    t.equal(missing.status, 400)
    t.match(missing.json.error, /Missing.*password/)
  }

  const right = await login(service, password)
  t.equal(right.status, 200)
  t.same(right.json, { ok: true })
  const set = right.headers['set-cookie']?.[0] ?? ''
  t.match(set, /^svc_session=[0-9a-f]{64}\.[0-9a-f]{64}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  const cookie = set.split(';')[0] ?? ''

  const status = (await service.call('GET', '/api/auth/status', { headers: { cookie } })).json
  t.match(status, { authenticated: true, logged_in: true, csrf_token: /^[0-9a-f]{64}$/ })
  const { operator } = (await service.call('GET', '/api/whoami', { headers: { cookie } })).json as { operator: Record<string, string> }
  t.match(operator, { via: 'cookie', tokenHash: /^[0-9a-f]{64}$/, csrfToken: status.csrf_token })
  t.notOk(cookie.includes(operator.tokenHash ?? ''), 'the token itself is stored nowhere')

  t.equal((await service.call('POST', '/api/auth/logout')).status, 401, 'signing out takes a session')
  const out = await service.call('POST', '/api/auth/logout', { headers: { cookie }, body: {} })
  t.same(out.json, { ok: true })
  t.match(out.headers['set-cookie'], [/^svc_session=; Max-Age=0; Path=\/;/, /^svc_profile=; Max-Age=0; Path=\/;/])
  t.equal((await service.call('GET', '/api/sessions', { headers: { cookie } })).status, 401)
})

t.test('only the cookie that was handed out is a session', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_COOKIE_NAME: 'mine' })
  const cookie = await cookieOf(service)
  const value = cookie.slice('mine='.length)
  const [token = '', signature = ''] = value.split('.')
  const flipped = signature.replace(/^./, (first) => first === '0' ? '1' : '0')
  const as = async (header: string) => (await service.call('GET', '/api/sessions', { headers: { cookie: header } })).status

  t.equal(await as(cookie), 200)
  t.equal(await as(`other=1; mine=${'a'.repeat(64)}.${'b'.repeat(64)}; ${cookie}`), 200, 'a stray cookie of the same name does no harm')
  for (const forged of [`mine=${token}.${flipped}`, `mine=${token}`, `mine=${value.toUpperCase()}`, `mine=${value}0`, `svc_session=${value}`, `xmine=${value}`, 'mine=', 'mine']) {
    t.equal(await as(forged), 401, forged.slice(0, 20))
  }
})

t.test('a session ends a fixed time after it began', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_SESSION_TTL: '120' })
  const cookie = await cookieOf(service)
  for (const [seconds, expected] of [[60, 200], [59, 200], [2, 401], [0, 401]] as const) {
    service.clock.pass(seconds)
    t.equal((await service.call('GET', '/api/sessions', { headers: { cookie } })).status, expected)
  }
  await cookieOf(service)
  t.equal(service.app.db.sqlite.prepare('select count(*) from auth_sessions').pluck().get(), 1, 'expired rows are swept')
})

t.test('sessions survive a restart and end with the password they were opened with', async (t) => {
  const file = join(folder(t), 'db.sqlite')
  const restart = async (secret: string, check: (status: number) => void, cookie?: string): Promise<string> => {
    const service = await start(t, { SVC_WEBUI_PASSWORD: secret }, { file })
    if (cookie !== undefined) check((await service.call('GET', '/api/sessions', { headers: { cookie } })).status)
    const opened = cookie ?? await cookieOf(service, secret)
    await service.app.close()
    return opened
  }
  const cookie = await restart('first', () => {})
  await restart('first', (status) => t.equal(status, 200, 'the same password'), cookie)
  await restart('a second password', (status) => t.equal(status, 401, 'another password'), cookie)
  await restart('first', (status) => t.equal(status, 401, 'the first one again does not bring it back'), cookie)
})

t.test('five wrong passwords in a minute close the door for an address', async (t) => {
  const file = join(folder(t), 'db.sqlite')
  const service = await start(t, { SVC_WEBUI_PASSWORD: password }, { file })

  await login(service, 'wrong')
  service.clock.pass(20)
  const statuses = (await Promise.all(Array.from({ length: 8 }, () => login(service, 'wrong')))).map(({ status }) => status)
  t.same(statuses.sort(), [401, 401, 401, 401, 429, 429, 429, 429], 'attempts side by side do not slip through')
  const refused = await login(service, password)
  t.equal(refused.status, 429, 'not even the right one')
  t.same(refused.json, { error: 'Too many attempts. Try again in a minute.' })
  t.equal(refused.headers['retry-after'], '40')
  t.equal((await login(service, 'wrong', { 'x-forwarded-for': '203.0.113.9' })).status, 429, 'a header from anyone changes nothing')
  await service.app.close()

  const again = await start(t, { SVC_WEBUI_PASSWORD: password }, { file, at: service.clock.now() + 30_000 })
  t.equal((await login(again, password)).status, 429, 'nor does a restart')
  again.clock.pass(11)
  t.equal((await login(again, 'wrong')).status, 401, 'the first attempt has left the window')
  t.equal((await login(again, 'wrong')).status, 429, 'the others have not')
  again.clock.pass(20)
  t.equal((await login(again, password)).status, 200)
  for (let attempt = 0; attempt < 5; attempt++) t.equal((await login(again, 'wrong')).status, 401, 'success cleared the count')
  again.clock.pass(61)
  await login(again, 'wrong')
  t.equal(again.app.db.sqlite.prepare('select count(*) from login_attempts').pluck().get(), 1, 'old rows are deleted')
})

t.test('behind a trusted proxy every visitor counts alone, IPv6 networks as one', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_TRUSTED_PROXIES: 'loopback' })
  const from = async (address: string) => (await login(service, 'wrong', { 'x-forwarded-for': address })).status

  for (let host = 1; host <= 5; host++) t.equal(await from(`2001:db8:0:1::${host}`), 401)
  t.equal(await from('2001:db8:0:1:ffff::1'), 429)
  t.equal(await from('2001:db8:0:2::1'), 401)
  t.equal(await from('198.51.100.7'), 401)

  for (const [address, counted] of [
    ['::ffff:192.0.2.1', '192.0.2.1'], ['192.0.2.1', '192.0.2.1'], ['fe80::1%eth0', 'fe80::/64'], ['', 'unknown'], ['nonsense', 'unknown']
  ] as const) t.equal(countedAddress(address), counted)
})

t.test('few passwords are checked at once, and few more wait', async (t) => {
  const pass = createTurnstile({ atOnce: 2, waiting: 3 })
  let running = 0
  let most = 0
  const release: Array<() => void> = []
  const work = async () => {
    most = Math.max(most, ++running)
    await new Promise<void>((resolve) => { release.push(resolve) })
    running--
  }
  const admitted = Array.from({ length: 5 }, () => pass(work))
  await t.rejects(pass(work), { name: 'TooMany', details: { retryAfterS: 1 } })
  for (let done = 0; done < 5; done++) {
    release.shift()?.()
    await new Promise(setImmediate)
  }
  await Promise.all(admitted)
  t.equal(most, 2)
  await t.rejects(pass(async () => { throw new Error('failed') }), { message: 'failed' })
  t.equal(await pass(async () => 'free again'), 'free again')
})

t.test('a check that came to no verdict is not counted', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_TRUSTED_PROXIES: 'loopback' }, { passwordCost: { N: 2 ** 15, r: 8, p: 1 } })
  const answers = await Promise.all(Array.from({ length: 26 }, (_, index) => login(service, 'wrong', { 'x-forwarded-for': `192.0.2.${index}` })))
  const busy = answers.filter(({ status }) => status === 429)
  t.ok(busy.length > 0)
  t.match(busy[0]?.json.error, /Too many sign-ins at once/)
  t.equal(service.app.db.sqlite.prepare('select count(*) from login_attempts').pluck().get(), 26 - busy.length)
})

t.test('a fixed header from an authenticating proxy admits', async (t) => {
  const service = await start(t, { SVC_WEBUI_PROXY_HEADER: proxyHeader })
  const key = { 'x-api-key': 'sesame' }

  t.match((await service.call('GET', '/api/whoami', { headers: key })).json, { operator: { via: 'proxy' } })
  for (const headers of [{}, { 'x-api-key': 'Sesame' }, { 'x-api-key': 'sesame2' }, { authorization: 'sesame' }]) {
    t.equal((await service.call('GET', '/api/sessions', { headers: headers as Record<string, string> })).status, 401)
  }
  const status = (await service.call('GET', '/api/auth/status', { headers: key })).json
  t.match(status, { auth_enabled: true, logged_in: true, password_auth_enabled: false, csrf_token: /^[0-9a-f]{64}$/ })
  const refused = await login(service, 'sesame')
  t.equal(refused.status, 401)
  t.match(refused.json.error, /has no password/)
  t.match((await service.call('GET', '/login')).text, /<form [^>]*hidden>/)

  const browser = { ...key, origin: `http://127.0.0.1:${service.port}` }
  t.equal((await service.call('POST', '/api/change', { headers: browser })).status, 403)
  t.equal((await service.call('POST', '/api/change', { headers: { ...browser, 'x-svc-csrf-token': String(status.csrf_token) } })).status, 200)

  const both = await start(t, { SVC_WEBUI_PROXY_HEADER: proxyHeader, SVC_WEBUI_PASSWORD: password })
  t.equal((await both.call('GET', '/api/sessions', { headers: key })).status, 200)
  const cookie = await cookieOf(both)
  await both.call('POST', '/api/auth/logout', { headers: { ...key, cookie } })
  t.equal((await both.call('GET', '/api/sessions', { headers: { cookie } })).status, 401, 'signing out ends the session beside the header too')
})

t.test('what is public, and what is not', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password })
  const asPage = { accept: 'text/html,application/xhtml+xml' }

  for (const path of ['/health', '/livez', '/readyz', '/login', '/static/login.css', '/static/login.js', '/api/auth/status', '/%61pi/auth/status']) {
    t.equal((await service.call('GET', path)).status, 200, path)
  }
  t.equal((await service.call('GET', '/static/none.js')).status, 404)
  for (const path of [
    '/', '/api/sessions', '/docs/json', '/nowhere', '/api/nowhere', '//health', '/health/', '/health/x', '/HEALTH', '//api/sessions', '/api/sessions/',
    '/api/auth/status/../../sessions', '/api/auth/status%2f..%2f..%2fsessions', '/api/auth/status/', '/static', '/staticx', '/%61pi/sessions', '/login/x', '/loginx',
    '/api/sessions?x=/static/', '/health;/api/sessions'
  ]) {
    const answer = await service.call('GET', path)
    t.equal(answer.status, 401, path)
    t.same(answer.json, { error: 'Authentication required' })
    t.match(answer.headers['content-type'], /^application\/json/)
  }
  for (const path of ['/static/../api/sessions', '/static/..%2fapi/sessions', '/static/%2e%2e/login.html', '/static//etc/passwd']) {
    const answer = await service.call('GET', path)
    t.ok([401, 403, 404].includes(answer.status), `${path}: ${answer.status}`)
  }
  t.equal((await service.call('GET', '/api/sessions', { headers: { accept: 'text/event-stream' } })).status, 401)
  t.equal((await service.call('GET', '/api/sessions', { headers: asPage })).status, 401, 'an API call is never redirected')
  t.equal((await service.call('GET', '//api/sessions', { headers: asPage })).status, 401)
  t.equal((await service.call('POST', '/', { headers: asPage })).status, 401)
  t.equal((await service.call('POST', '/health')).status, 401)

  for (const [path, next] of [['/', '/'], ['/session/a b?x=1&y=%2F', '/session/a%20b?x=1&y=%2F'], ['//evil.example/x', '/']] as const) {
    const answer = await service.call('GET', path.replace(' ', '%20'), { headers: asPage })
    t.equal(answer.status, 302)
    t.equal(answer.headers.location, `/login?next=${encodeURIComponent(next)}`)
  }
})

t.test('a refused upload leaves the connection usable', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password })
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  let connections = 0
  service.app.server.on('connection', () => connections++)

  for (const headers of [{ 'content-length': String(8 * 1024 * 1024) }, { 'transfer-encoding': 'chunked' }] as Array<Record<string, string>>) {
    const refused = await service.call('POST', '/api/change', { agent, headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' }, body: Buffer.alloc(8 * 1024 * 1024, 'x') })
    t.equal(refused.status, 401)
    t.same(refused.json, { error: 'Authentication required' })
  }
  t.equal((await service.call('GET', '/health', { agent })).status, 200)
  t.equal(connections, 1)
})

t.test('what another site sends is refused', async (t) => {
  const foreign = [
    { 'sec-fetch-site': 'cross-site' }, { origin: 'http://evil.example' }, { origin: 'null' }, { origin: '' },
    { origin: 'http://127.0.0.1:1' }, { origin: 'http://127.0.0.1' }, { origin: 'http://evil.example', 'x-forwarded-host': 'evil.example' }
  ] as Array<Record<string, string>>
  for (const env of [{}, { SVC_WEBUI_PASSWORD: password }] as Array<Record<string, string>>) {
    const service = await start(t, env)
    for (const headers of foreign) {
      for (const [method, path] of [['POST', '/api/change'], ['PUT', '/api/change'], ['PATCH', '/api/change'], ['DELETE', '/api/change'], ['POST', '/api/auth/login'], ['POST', '/login']] as const) {
        const answer = await service.call(method, path, { headers })
        t.equal(answer.status, 403, `${method} ${path} ${JSON.stringify(headers)}`)
        t.match(answer.json.error, /cross-origin/)
      }
    }
    const behindProxy = { origin: 'https://chat.example.org', 'sec-fetch-site': 'same-origin' }
    t.match((await service.call('POST', '/api/auth/login', { headers: behindProxy })).json.error, /the page is at https:\/\/chat\.example\.org, but the request is for 127\.0\.0\.1:\d+\..* pass Host on unchanged/)
    const elsewhere = await service.call('POST', '/api/change', { headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' } })
    t.equal(elsewhere.json.error, 'Refused as a cross-origin request: a page of another site sent it', 'the browser is sure that it is no proxy')
    t.equal((await service.call('GET', '/health', { headers: { 'sec-fetch-site': 'cross-site' } })).status, 200, 'a link from elsewhere may be followed')
  }
})

t.test('origins that are ours', async (t) => {
  const friend = 'https://chat.example.org'
  const open = await start(t, { SVC_WEBUI_ALLOWED_ORIGINS: friend, SVC_WEBUI_TRUSTED_PROXIES: 'loopback' })
  const host = { host: 'box.localhost:8787' }

  t.equal((await open.call('POST', '/api/change', { headers: { ...host, origin: 'http://box.localhost:8787', 'sec-fetch-site': 'same-origin' } })).status, 200)
  t.equal((await open.call('POST', '/api/change', { headers: { origin: 'https://chat.example.org', 'x-forwarded-host': 'chat.example.org:443' } })).status, 200)
  const answer = await open.call('POST', '/api/change', { headers: { origin: friend, 'sec-fetch-site': 'cross-site' } })
  t.equal(answer.status, 200, 'the operator allowed it by name')
  t.match(answer.headers, { 'access-control-allow-origin': friend, 'access-control-allow-credentials': 'true', vary: /Origin/ })
  t.notOk((await open.call('GET', '/health', { headers: { origin: 'http://evil.example' } })).headers['access-control-allow-origin'])

  const allowed = await open.call('OPTIONS', '/api/change', { headers: { origin: friend, 'access-control-request-method': 'POST' } })
  t.equal(allowed.status, 204)
  t.match(allowed.headers, {
    'access-control-allow-origin': friend,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
    'access-control-allow-headers': 'Content-Type, Authorization, X-Svc-CSRF-Token'
  })

  const gated = await start(t, { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_ALLOWED_ORIGINS: friend })
  for (const [origin, granted] of [[friend, true], [`http://127.0.0.1:${gated.port}`, true], ['http://evil.example', false], ['null', false]] as const) {
    const preflight = await gated.call('OPTIONS', '/api/nowhere', { headers: { origin } })
    t.equal(preflight.status, 204, 'a preflight carries no credentials, so it needs none')
    t.equal(preflight.headers['access-control-allow-origin'], granted ? origin : undefined)
    t.equal(preflight.headers['access-control-allow-methods'] !== undefined, granted)
  }
  t.equal((await gated.call('GET', '/api/sessions', { headers: { origin: friend } })).headers['access-control-allow-origin'], friend, 'also on a refusal, so that the page can read it')

  for (const [origin, other, same] of [
    ['http://a.example', 'a.example', true], ['https://a.example', 'a.example', true], ['https://a.example', 'a.example:443', true],
    ['http://a.example:80', 'a.example', true], ['http://a.example', 'a.example:443', false], ['http://A.example', 'a.EXAMPLE', true],
    ['http://[::1]:8787', '[::1]:8787', true], ['http://a.example', 'b.example', false], ['http://a.example', 'a.example.evil', false],
    ['null', 'null', false], ['http://', '', false], ['http://a.example, http://b.example', 'a.example', false],
    ['http://a.example/x', 'a.example', false], ['http://b.example', 'a.example@b.example', false], ['chrome-extension://a', 'a', false]
  ] as const) t.equal(isSameHost(origin, other), same, `${origin} to ${other}`)
})

t.test('an open service on loopback answers to local names only', async (t) => {
  const service = await start(t, { SVC_WEBUI_HOST: '127.0.0.1', SVC_WEBUI_ALLOWED_ORIGINS: 'https://chat.example.org', SVC_WEBUI_TRUSTED_PROXIES: 'loopback' })
  for (const [host, status] of [
    ['localhost', 200], ['localhost:8787', 200], ['LOCALHOST:1', 200], ['app.localhost', 200], ['127.0.0.1:80', 200], ['[::1]:8787', 200],
    ['chat.example.org', 200], ['evil.example', 403], ['evil.example:8787', 403], ['localhost.evil.example', 403], ['evillocalhost', 403],
    ['192.168.1.5', 403], ['0.0.0.0:8787', 403], ['[::]', 403], ['localhost@evil.example', 403], ['[::ffff:127.0.0.1]', 200]
  ] as const) {
    for (const path of ['/health', '/api/sessions', '/nowhere']) {
      const answer = await service.call('GET', path, { headers: { host } })
      t.equal(answer.status, status === 200 && path === '/nowhere' ? 404 : status, `${host} ${path}`)
    }
  }
  t.equal((await service.call('GET', '/health', { headers: { host: 'evil.example', 'x-forwarded-host': 'localhost' } })).status, 403, 'a page can set that header, but not Host')
  t.equal((await service.call('GET', '/health', { headers: { 'x-forwarded-host': 'evil.example' } })).status, 403)
  t.equal((await service.call('GET', '/health', { headers: { 'x-forwarded-host': 'chat.example.org' } })).status, 200)
  t.equal(isLocalHost('box.lan:80', new Set(['box.lan'])), true)
  t.equal(isLocalHost('', new Set()), false)

  const gated = await start(t, { SVC_WEBUI_PASSWORD: password })
  t.equal((await gated.call('GET', '/health', { headers: { host: 'chat.example.org' } })).status, 200, 'with a gate any name will do')
})

t.test('an open service refuses a request that also names another host: in a second Host header, or in an address as its target', async (t) => {
  const { port } = await start(t, { SVC_WEBUI_HOST: '127.0.0.1' })
  const status = async (target: string, hosts: readonly string[]): Promise<number> => await new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${target} HTTP/1.1\r\n${hosts.map((host) => `Host: ${host}\r\n`).join('')}Connection: close\r\n\r\n`)
    })
    let answer = ''
    socket.setEncoding('utf8').on('data', (text: string) => { answer += text }).on('error', reject)
      .on('close', () => resolve(Number(answer.split(' ', 2)[1])))
  })
  for (const [target, hosts, expected] of [
    ['/health', ['localhost'], 200], ['/health', ['localhost', 'evil.example'], 403], ['/health', ['evil.example', 'localhost'], 403],
    ['http://localhost/health', ['localhost'], 200], ['http://evil.example/health', ['localhost'], 403],
    ['http://localhost/health', ['evil.example'], 403]
  ] as const) t.equal(await status(target, hosts), expected, `${target} ${hosts.join()}`)
})

t.test('browsers need the CSRF token to change something, native clients do not', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password })
  const cookie = await cookieOf(service)
  const other = await cookieOf(service)
  const tokenFor = async (session: string) => String((await service.call('GET', '/api/auth/status', { headers: { cookie: session } })).json.csrf_token)
  const token = await tokenFor(cookie)
  const origin = `http://127.0.0.1:${service.port}`
  t.equal(await tokenFor(cookie), token, 'it is the same for the whole session')

  const table: Array<[string, Record<string, string>, number]> = [
    ['POST', {}, 200],
    ['GET', { origin }, 200],
    ['POST', { origin }, 403],
    ['POST', { referer: `${origin}/` }, 403],
    ['POST', { 'sec-fetch-site': 'same-origin' }, 403],
    ['POST', { 'sec-fetch-site': 'none' }, 403],
    ['PUT', { origin }, 403],
    ['PATCH', { origin }, 403],
    ['DELETE', { origin }, 403],
    ['POST', { origin, 'x-svc-csrf-token': '' }, 403],
    ['POST', { origin, 'x-svc-csrf-token': 'f'.repeat(64) }, 403],
    ['POST', { origin, 'x-svc-csrf-token': await tokenFor(other) }, 403],
    ['POST', { origin, 'x-svc-csrf-token': token }, 200],
    ['DELETE', { referer: origin, 'x-csrf-token': token }, 200],
    ['POST', { origin: 'http://evil.example', 'x-svc-csrf-token': token }, 403]
  ]
  for (const [method, headers, status] of table) {
    const answer = await service.call(method, method === 'GET' ? '/api/sessions' : '/api/change', { headers: { cookie, ...headers } })
    t.equal(answer.status, status, `${method} ${Object.entries(headers).join(' ').slice(0, 80)}`)
    if (status === 403 && headers.origin !== 'http://evil.example') t.match(answer.json.error, /session.*expired.*[Rr]eload/)
  }
  t.equal((await login(service, password, { cookie, origin })).status, 200, 'signing in needs none')
  t.equal((await service.call('POST', '/api/auth/logout', { headers: { cookie, origin } })).status, 403, 'signing out does')
  t.equal((await service.call('POST', '/api/change', { headers: { origin } })).status, 401, 'who is not admitted hears that first')
})

t.test('cookies are Secure only where TLS is', async (t) => {
  const secure = async (env: Record<string, string>) => {
    const service = await start(t, { SVC_WEBUI_PASSWORD: password, ...env })
    const answer = await login(service, password, { 'x-forwarded-proto': 'https' })
    t.equal(answer.headers['strict-transport-security'] !== undefined, env.SVC_WEBUI_TRUSTED_PROXIES !== undefined)
    return /; Secure(?:;|$)/.test(answer.headers['set-cookie']?.[0] ?? '')
  }
  t.equal(await secure({}), false, 'anyone can send that header')
  t.equal(await secure({ SVC_WEBUI_TRUSTED_PROXIES: '127.0.0.1' }), true)
  t.equal(await secure({ SVC_WEBUI_SECURE: '1' }), true)
})

t.test('the sign-in page speaks and looks as was chosen in the app, else as the browser wants', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password })
  const page = async (headers: Record<string, string>) => (await service.call('GET', '/login', { headers })).text
  for (const [accepted, language] of [['zh-CN,zh;q=0.9,en;q=0.8', 'zh-CN'], ['en;q=0.5,zh;q=0.9', 'zh-CN'], ['sv,zh;q=0,en;q=0.1', 'en'], ['zh;q=x', 'en'], ['', 'en'], ['sv', 'en'], ['de-AT,en;q=0.9', 'de']]) {
    t.match(await page({ 'accept-language': accepted! }), `<html lang="${language}" dir="ltr" >`, accepted!)
  }
  const chosen = await page({ 'accept-language': 'en', cookie: 'app_language=zh; app_theme=dark' })
  t.match(chosen, '<html lang="zh-CN" dir="ltr" data-theme=dark>')
  t.match(chosen, /<title>登录 – .*data-too-many="尝试次数过多，请在 \{seconds\} 秒后重试。".*<label for="password">密码</s)
  t.match(await page({ cookie: 'app_language="><i>; app_theme=x onload=1' }), '<html lang="en" dir="ltr" >')
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'zh' }
  t.match((await service.call('POST', '/login', { headers, body: 'password=wrong' })).text, /role="alert"[^>]*>密码不正确。如果忘记了密码，请在服务所在的机器上运行 agent-web-service reset-password。</)
  t.match((await service.call('GET', '/login?error=oidc_expired', { headers: { 'accept-language': 'zh' } })).text, '这次登录已过期')
})

t.test('the sign-in page works without script', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_BOT_NAME: '<b>Bot</b>' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: `http://127.0.0.1:${service.port}` }
  const post = (fields: Record<string, string>) => service.call('POST', '/login', { headers, body: new URLSearchParams(fields).toString() })

  const page = await service.call('GET', `/login?next=${encodeURIComponent('/session/1?a="><i>')}`)
  t.equal(page.status, 200)
  t.match(page.headers, { 'content-type': 'text/html; charset=utf-8', 'referrer-policy': 'same-origin', 'cache-control': 'no-store' })
  t.notMatch(page.text, /<b>|<i>|\{\{|<style|style=|<script>/)
  t.match(page.text, 'name="next" value="/session/1?a=%22%3E%3Ci%3E"')

  const right = await post({ password, next: '/session/1?x=1' })
  t.equal(right.status, 303)
  t.equal(right.headers.location, '/session/1?x=1')
  const cookie = right.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  t.equal((await service.call('GET', '/', { headers: { cookie } })).status, 200)
  t.equal((await service.call('GET', '/login?next=/x', { headers: { cookie } })).headers.location, '/x')

  const wrong = await post({ password: 'wrong', next: '/session/1' })
  t.equal(wrong.status, 401)
  t.match(wrong.text, /role="alert"[^>]*>Wrong password\. If it is lost, run agent-web-service reset-password on the machine of the service\.</)
  t.match(wrong.text, 'value="/session/1"')
  t.equal((await post({ next: '/' })).status, 400)
  for (let attempt = 0; attempt < 4; attempt++) await post({ password: 'wrong' })
  const refused = await post({ password })
  t.equal(refused.status, 429)
  t.equal(refused.headers['retry-after'], '60')
  t.match(refused.text, /role="alert"[^>]*>Too many attempts\. Try again in 60 s\.</)
  t.equal((await service.call('POST', '/api/auth/login', { headers, body: `password=${password}` })).status, 415, 'the API takes JSON only')

  for (const [next, place] of [
    ['/a/b?c=d#e', '/a/b?c=d#e'], ['/', '/'], ['', '/'], ['a', '/'], ['//evil.example', '/'], ['/\\evil.example', '/'], ['/\t/evil.example', '/'],
    ['/.//evil.example', '/'], ['https://evil.example', '/'], ['javascript:alert(1)', '/'], ['/é', '/%C3%A9'], [undefined, '/'], [['/a'], '/']
  ] as const) t.equal(localPath(next), place, JSON.stringify(next))
})

t.test('security headers', async (t) => {
  const service = await start(t, { SVC_WEBUI_PASSWORD: password })
  const cookie = await cookieOf(service)
  const get = async (path: string) => (await service.call('GET', path, { headers: { cookie } })).headers

  for (const path of ['/', '/api/sessions', '/health', '/static/login.css', '/nowhere']) {
    t.match(await get(path), {
      'content-security-policy': /^default-src 'none'; script-src 'self'; style-src 'self';.*frame-ancestors 'none'; base-uri 'none'$/,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer'
    })
  }
  t.notMatch((await get('/'))['content-security-policy'], /unsafe/)
  t.equal((await get('/'))['cache-control'], 'no-store')
  t.equal((await get('/api/sessions'))['cache-control'], 'no-store')
  t.equal((await get('/api/nowhere'))['cache-control'], 'no-store')
  t.equal((await get('/api/media'))['cache-control'], 'private')
  t.not((await get('/static/login.css'))['cache-control'], 'no-store')
  t.notOk((await get('/'))['strict-transport-security'])
})
