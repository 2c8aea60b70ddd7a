import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { relyingPartyOf } from '../../services/areas/auth/relying-party.js'
import { start, type Answer, type StartOptions, type TestService } from '../support/app.js'
import { Authenticator } from '../support/authenticator.js'
import { eventually } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'

const password = 'correct horse'
const env = { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_PASSKEY: '1' }
const endpoints = ['options', 'login', 'register/options', 'register', 'rename', 'delete'].map((name) => `/api/auth/passkey/${name}`).concat('/api/auth/passkeys')
const cookieOf = (answer: Answer): string => answer.headers.get('set-cookie')?.split(';')[0] ?? ''

interface Client {
  service: TestService
  /** Origin at which the browser has the service open. */
  origin: string
  cookie: string
  post (path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  /** Like `post`, without its session. */
  strangerPost (path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>
  register (label?: string): Promise<Authenticator>
  signIn (authenticator: Authenticator): Promise<Answer>
}

/** `fetch` would send its own Host header. */
function post ({ url }: TestService, path: string, body: unknown = {}, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => { text += chunk }).on('error', reject).on('end', () => {
        const received = Object.entries(response.headers).map(([name, value]): [string, string] => [name, String(value)])
        resolve({ status: response.statusCode ?? 0, headers: new Headers(received), text, body: JSON.parse(text) })
      })
    })
    request.on('error', reject)
    request.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
}

/** Creates a client that has the service open as localhost, and is signed in with the password. */
async function clientOf (service: TestService, secret = password): Promise<Client> {
  const host = new URL(service.url).host.replace('127.0.0.1', 'localhost')
  const client: Client = {
    service,
    origin: `http://${host}`,
    cookie: '',
    post: (path, body, headers = {}) => post(service, path, body, { host, cookie: client.cookie, ...headers }),
    strangerPost: (path, body, headers = {}) => post(service, path, body, { host, ...headers }),
    async register (label) {
      const authenticator = new Authenticator(client.origin)
      const { publicKey } = (await client.post('/api/auth/passkey/register/options')).body
      const answer = await client.post('/api/auth/passkey/register', authenticator.attest(publicKey, label))
      if (answer.status !== 200) throw new Error(answer.text)
      return authenticator
    },
    async signIn (authenticator) {
      const { publicKey } = (await client.strangerPost('/api/auth/passkey/options')).body
      return await client.strangerPost('/api/auth/passkey/login', authenticator.assert(publicKey))
    }
  }
  client.cookie = cookieOf(await client.strangerPost('/api/auth/login', { password: secret }))
  return client
}

async function begin (t: Test, options: StartOptions = {}): Promise<Client> {
  return await clientOf(await start(t, { ...options, env: { ...env, ...options.env } }))
}

const status = async (client: Client, cookie: string) => (await client.strangerPost('/api/auth/passkeys', {}, { cookie })).status

t.test('while passkeys are switched off there is nothing', async (t) => {
  const off = await begin(t, { env: { SVC_WEBUI_PASSKEY: '' } })
  const bodies: Record<string, object> = {
    '/api/auth/passkey/login': new Authenticator(off.origin).assert({ challenge: 'x', rpId: 'localhost' }),
    '/api/auth/passkey/register': new Authenticator(off.origin).attest({ challenge: 'x', rp: { id: 'localhost' } }),
    '/api/auth/passkey/rename': { id: 'x', label: 'x' },
    '/api/auth/passkey/delete': { id: 'x' }
  }
  for (const path of endpoints) t.match(await off.post(path, bodies[path]), { status: 404, body: { error: /are off/ } }, path)
  t.match((await off.post('/api/settings')).body, { passkey_feature_flag: false, passkeys_enabled: false, passkeys_count: 0 })

  const folder = mkdtempSync(join(tmpdir(), 'passkeys-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home', 'config.yaml'), 'webui_passkey_enabled: true\n')
  for (const [flag, expected] of [['', 200], ['0', 404], ['1', 200]] as const) {
    const service = await start(t, { folder, env: { ...env, SVC_WEBUI_PASSKEY: flag } })
    t.equal((await (await clientOf(service)).post('/api/auth/passkeys')).status, expected, `config.yaml, and ${flag} in the environment`)
    await service.stop()
  }
})

t.test('config.yaml switches them on and off while the service runs', async (t) => {
  const service = await start(t)
  const switched = async (isOn: boolean) => {
    writeFileSync(join(service.folder, 'home', 'config.yaml'), `webui_passkey_enabled: ${isOn}\n`)
    await eventually(`the flag ${isOn}`, async () => (await service.get('/api/auth/status')).body.passkey_feature_flag === isOn)
  }
  await service.post('/api/settings', { _set_password: password })
  const client = await clientOf(service)
  const reader = await service.events('/api/events', { cookie: client.cookie })
  await switched(true)
  await reader.until('settings')
  const authenticator = await client.register()
  await reader.until('settings')
  await switched(false)
  await reader.until('settings')
  t.match((await service.get('/api/auth/status')).body, { passkeys_count: 0, passkeys_enabled: false, auth_enabled: true })
  await switched(true)
  t.equal((await client.signIn(authenticator)).status, 200)
  reader.drop()
})

t.test('config.yaml does not switch off the only way in', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'passkeys-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const say = (isOn: boolean) => writeFileSync(join(folder, 'home', 'config.yaml'), `webui_passkey_enabled: ${isOn}\n`)
  mkdirSync(join(folder, 'home'))
  say(true)
  const before = await clientOf(await start(t, { folder, env: { SVC_WEBUI_PASSWORD: password } }))
  await before.register()
  await before.service.stop()

  const service = await start(t, { folder })
  for (const change of [() => say(false), () => rmSync(join(folder, 'home', 'config.yaml'))]) {
    change()
    t.not(service.app.profiles.settings('default').config.webui_passkey_enabled, true, 'it has been read')
    t.match((await service.get('/api/auth/status')).body, { auth_enabled: true, passkeys_enabled: true, authenticated: false })
  }
  await service.stop()
  t.match((await (await start(t, { folder })).get('/api/auth/status')).body, { auth_enabled: false }, 'the next start does')
})

t.test('a passkey is registered, signs in, is renamed and deleted', async (t) => {
  const client = await begin(t)
  t.match(await client.strangerPost('/api/auth/passkey/options'), { status: 400, body: { error: /No passkey/ } })
  const { body: { ok, publicKey } } = await client.post('/api/auth/passkey/register/options')
  t.equal(ok, true)
  t.match(publicKey, {
    challenge: /^[\w-]{43}$/,
    rp: { name: 'Agent', id: 'localhost' },
    user: { id: /^[\w-]{43}$/, name: 'operator', displayName: 'Agent' },
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    timeout: 60_000,
    attestation: 'none'
  })
  t.same(publicKey.pubKeyCredParams, [{ type: 'public-key', alg: -7 }])
  t.same(publicKey.excludeCredentials, [])

  const phone = new Authenticator(client.origin)
  const id = phone.id.toString('base64url')
  const { rawId, type, ...least } = phone.attest(publicKey, ' My phone ')
  const registered = await client.post('/api/auth/passkey/register', least)
  t.equal(registered.status, 200)
  t.same(registered.body, {
    ok: true,
    credential: { id, label: 'My phone' },
    credentials: [{ id, label: 'My phone', created_at: registered.body.credentials[0].created_at, last_used_at: null, sign_count: 0 }]
  })
  t.match((await client.post('/api/auth/passkey/register/options')).body.publicKey.excludeCredentials, [{ type: 'public-key', id }])

  const asked = await client.strangerPost('/api/auth/passkey/options')
  t.match(asked.body, { ok: true, publicKey: { challenge: /^[\w-]{43}$/, rpId: 'localhost', timeout: 60_000, userVerification: 'preferred' } })
  t.same(asked.body.publicKey.allowCredentials, [{ type: 'public-key', id }])
  const signedIn = await client.strangerPost('/api/auth/passkey/login', phone.assert(asked.body.publicKey))
  t.same([signedIn.status, signedIn.body], [200, { ok: true }])
  t.match(signedIn.headers.get('set-cookie'), /^svc_session=[0-9a-f]{64}\.[0-9a-f]{64}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax$/)
  const cookie = cookieOf(signedIn)
  t.equal(await status(client, cookie), 200)
  t.match((await client.post('/api/auth/passkeys')).body.credentials, [{ sign_count: 1, last_used_at: Number }])
  t.match((await client.service.get('/api/auth/status')).body, { passkeys_enabled: true, passkeys_count: 1, passkey_feature_flag: true, password_auth_enabled: true, passwordless_enabled: false })

  t.match(await client.post('/api/auth/passkey/rename', { id, label: 'Old phone' }), { status: 200, body: { ok: true, credential: { id, label: 'Old phone' }, credentials: [{ label: 'Old phone' }] } })
  for (const label of ['', '   ', 'x'.repeat(81)]) t.equal((await client.post('/api/auth/passkey/rename', { id, label })).status, 400)
  for (const path of ['rename', 'delete']) t.equal((await client.post(`/api/auth/passkey/${path}`, { id: 'nobody', label: 'x' })).status, 404)
  t.same((await client.post('/api/auth/passkey/delete', { id })).body, { ok: true, credentials: [] })
  t.equal(await status(client, cookie), 401, 'who came in with it is out')
  t.equal(await status(client, client.cookie), 200)
  t.equal((await client.post('/api/auth/passkey/delete', { id })).status, 404)
})

t.test('what is not well is refused', async (t) => {
  const client = await begin(t)
  const other = new Authenticator(client.origin)
  const options = async () => (await client.post('/api/auth/passkey/register/options')).body.publicKey
  const register = async (body: object) => (await client.post('/api/auth/passkey/register', body)).status

  const wrongs: Array<[string, Parameters<Authenticator['attest']>[2]]> = [
    ['another origin', { origin: 'http://evil.example' }], ['another port', { origin: 'http://localhost:1' }], ['another host', { rpId: 'evil.example' }], ['a sign-in', { type: 'webauthn.get' }],
    ['another algorithm', { algorithm: -257 }], ['a made-up challenge', { challenge: 'x'.repeat(43) }], ['a format with certificates', { format: 'packed-x' }], ['tpm', { format: 'tpm' }]
  ]
  for (const [name, wrong] of wrongs) t.equal(await register(other.attest(await options(), undefined, wrong)), 400, name)
  for (const attestationObject of ['AAAA', 'oA', '_'.repeat(8000), Buffer.from('{}').toString('base64url')]) {
    const body = other.attest(await options())
    t.equal(await register({ ...body, response: { ...body.response, attestationObject } }), 400, `garbage ${attestationObject.slice(0, 8)}`)
  }
  for (const clientDataJSON of ['AAAA', Buffer.from('[]').toString('base64url'), Buffer.from('null').toString('base64url'), Buffer.from('{"challenge":5}').toString('base64url')]) {
    t.equal(await register({ ...other.attest({ challenge: 'x', rp: { id: 'localhost' } }), response: { clientDataJSON, attestationObject: 'AAAA' } }), 400)
  }
  for (const body of [{}, { id: 5 }, { id: 'x', response: {} }, { id: 'x', response: { clientDataJSON: '***', attestationObject: 'AAAA' } }]) t.equal(await register(body), 400)
  t.equal(await register({ ...other.attest(await options()), id: 'another' }), 400)
  t.equal(await register({ ...other.attest(await options(), 'x'.repeat(81)) }), 400)
  const once = other.attest(await options())
  t.equal(await register(once), 200)
  t.equal(await register(once), 400, 'a challenge is good for one')
  t.equal(await register(other.attest(await options())), 409, 'it is registered')
  const foreign = await options()
  const session = cookieOf(await client.strangerPost('/api/auth/login', { password }))
  t.equal((await client.post('/api/auth/passkey/register', new Authenticator(client.origin).attest(foreign), { cookie: session })).status, 400, 'begun in another session')
  t.equal((await client.strangerPost('/api/auth/passkey/register/options')).status, 401)
  t.equal((await client.post('/api/auth/passkey/register/options', {}, { origin: client.origin })).status, 403, 'a page needs its token')
})

t.test('a sign-in that is not well is refused, and counts', async (t) => {
  let aheadMs = 0
  const client = await begin(t, { clock: aheadBy(() => aheadMs) })
  const phone = await client.register()
  const stranger = new Authenticator(client.origin)
  const options = async () => (await client.strangerPost('/api/auth/passkey/options')).body.publicKey
  const attempt = async (body: object) => {
    const answer = await client.strangerPost('/api/auth/passkey/login', body)
    if (answer.status === 401) t.same(answer.body, { error: 'The passkey was not accepted' })
    aheadMs += 15_000
    return answer.status
  }
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const wrongs: Array<[string, Parameters<Authenticator['assert']>[1]]> = [
    ['another origin', { origin: 'http://evil.example' }], ['another host', { rpId: 'evil.example' }], ['a registration', { type: 'webauthn.create' }], ['a made-up challenge', { challenge: 'x'.repeat(43) }],
    ['another key', { key: privateKey }], ['another user', { userHandle: 'AAAA' }]
  ]
  for (const [name, wrong] of wrongs) t.equal(await attempt(phone.assert(await options(), wrong)), 401, name)
  t.equal(await attempt(stranger.assert(await options())), 401, 'a passkey that nobody has registered')
  const { challenge } = (await client.post('/api/auth/passkey/register/options')).body.publicKey
  t.equal(await attempt(phone.assert({ challenge, rpId: 'localhost' })), 401, 'a challenge for something else')
  const old = await options()
  aheadMs += 91_000
  t.equal(await attempt(phone.assert(old)), 401, 'a challenge that is too old')
  const fresh = await options()
  aheadMs += 89_000
  const right = phone.assert(fresh)
  t.equal(await attempt(right), 200)
  t.equal(await attempt(right), 401, 'a challenge is good for one')
  t.equal(await attempt(phone.assert(await options(), { signCount: 2 })), 401, 'a count that stands still: a copy of the authenticator')
  for (const body of [{}, { id: 'x' }, { id: 'x', response: { clientDataJSON: '', authenticatorData: 'x', signature: 'x' } }, '[]', '5']) {
    t.equal((await client.strangerPost('/api/auth/passkey/login', body)).status, 400)
  }
  t.equal(await attempt({ id: phone.id.toString('base64url'), response: { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' } }), 401)

  aheadMs += 61_000
  for (let count = 0; count < 5; count++) t.equal((await client.strangerPost('/api/auth/passkey/login', stranger.assert({ challenge: 'x', rpId: 'localhost' }))).status, 401)
  const refused = await client.strangerPost('/api/auth/passkey/login', phone.assert(await options(), { signCount: 100 }))
  t.match(refused, { status: 429, body: { error: 'Too many attempts. Try again in a minute.' } })
  t.equal((await client.strangerPost('/api/auth/login', { password })).status, 429, 'failures count together')
  aheadMs += 61_000
  t.equal((await client.strangerPost('/api/auth/passkey/login', phone.assert(await options(), { signCount: 101 }))).status, 200)
})

t.test('a flood of options keeps within its bounds, and who is in can still register', async (t) => {
  let aheadMs = 0
  const client = await begin(t, { env: { SVC_WEBUI_TRUSTED_PROXIES: 'loopback' }, clock: aheadBy(() => aheadMs) })
  await client.register()
  const ask = (address: string) => client.strangerPost('/api/auth/passkey/options', {}, { 'x-forwarded-for': address })
  const { auth } = client.service.app
  const own = await Promise.all(Array.from({ length: 20 }, () => ask('192.0.2.1')))
  t.same(own.map(({ status }) => status).filter((status) => status === 200).length, 8)
  const refused = own.find(({ status }) => status === 429)!
  t.match(refused.body, { error: /Too many/ })
  t.ok(Number(refused.headers.get('retry-after')) <= 90)
  for (let host = 0; host < 200; host++) await ask(`198.51.100.${host}`)
  t.equal(auth.openChallenges(), 112)
  t.equal((await ask('203.0.113.1')).status, 429)
  for (let count = 0; count < 10; count++) t.equal((await client.post('/api/auth/passkey/register/options')).status, count < 8 ? 200 : 429)
  t.equal(auth.openChallenges(), 120)
  aheadMs += 90_000
  t.equal((await ask('203.0.113.1')).status, 200)
  t.equal(auth.openChallenges(), 1, 'old ones are forgotten')
})

t.test('passwordless: a passkey is the only way in, as long as there is one', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSKEY: '1' } })
  const set = await service.post('/api/settings', { _set_password: 'one' })
  const client = await clientOf(service, 'one')
  t.equal(set.status, 200)
  t.match(await client.post('/api/settings', { _passwordless: true }), { status: 409, body: { error: /Register one/ } })
  const phone = await client.register()
  t.match(await client.post('/api/settings', { _passwordless: true }), { status: 200, body: { passwordless_enabled: true, password_auth_enabled: false, auth_enabled: true, passkeys_enabled: true, passkeys_count: 1 } })
  t.match((await service.get('/api/auth/status')).body, { passwordless_enabled: true, password_auth_enabled: false, password_required: true })
  t.match(await client.strangerPost('/api/auth/login', { password: 'one' }), { status: 401, body: { error: /no password.*passkey/ } })
  const page = (await service.get('/login')).text
  t.match(page, /<form[^>]* hidden>/)
  t.match(page, /The passkeys belong to another address/)
  t.notMatch(page, /data-offered/)
  t.match(await (await fetch(`${client.origin}/login`)).text(), /data-offered/)
  t.equal((await client.signIn(phone)).status, 200)

  const before = cookieOf(await client.signIn(phone))
  const changed = await client.post('/api/settings', { _set_password: 'two', _current_password: 'one' })
  t.equal(changed.status, 200)
  t.equal(await status(client, before), 401, 'a changed password ends sessions of passkeys as well')
  client.cookie = cookieOf(changed)
  t.equal((await client.signIn(phone)).status, 200, 'and not the passkeys')
  t.match(await client.post('/api/settings', { _passwordless: false }), { status: 200, body: { passwordless_enabled: false, password_auth_enabled: true } })
  await client.post('/api/settings', { _passwordless: true })
  t.equal((await client.post('/api/auth/passkey/delete', { id: phone.id.toString('base64url') })).status, 200)
  t.match((await service.get('/api/auth/status')).body, { passwordless_enabled: false, password_auth_enabled: true, auth_enabled: true })
  await client.register()
  t.match((await service.get('/api/auth/status')).body, { passwordless_enabled: false }, 'it does not come back by itself')

  const cleared = await client.post('/api/settings', { _clear_password: true, _current_password: 'two' })
  t.match(cleared, { status: 200, body: { auth_enabled: false, passkeys_count: 0, passkeys_enabled: false, passwordless_enabled: false } })
  t.same((await service.post('/api/auth/passkeys')).body, { credentials: [] })
})

t.test('without a password the last passkey stays, and an open service takes none', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'passkeys-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const open = await start(t, { env: { SVC_WEBUI_PASSKEY: '1' } })
  t.match(await post(open, '/api/auth/passkey/register/options', {}, { host: 'localhost' }), { status: 409, body: { error: /Set a password before/ } })

  const client = await begin(t, { folder })
  const [phone, key] = [await client.register('Phone'), await client.register()]
  const survivor = cookieOf(await client.signIn(phone))
  await client.service.stop()
  const kept = await clientOf(await start(t, { folder, env }))
  t.equal(await status(kept, survivor), 200, 'a restart ends no session')
  await kept.service.stop()

  const service = await start(t, { folder, env: { SVC_WEBUI_PASSKEY: '1' } })
  const alone = await clientOf(service)
  t.match((await service.get('/api/auth/status')).body, { authenticated: false, auth_enabled: true, password_auth_enabled: false, passkeys_enabled: true, passkeys_count: 2 })
  t.equal(await status(alone, survivor), 401, 'the password of the environment is gone, and so are its sessions')
  t.match(await alone.strangerPost('/api/auth/login', { password }), { status: 401, body: { error: /passkey/ } })
  const moved = new URL(alone.origin).port
  const again = phone.assert((await alone.strangerPost('/api/auth/passkey/options')).body.publicKey, { origin: `http://localhost:${moved}` })
  alone.cookie = cookieOf(await alone.strangerPost('/api/auth/passkey/login', again))
  t.match((await alone.post('/api/auth/passkeys')).body.credentials, [{ label: 'Phone' }, { label: 'Passkey' }])
  t.equal((await alone.post('/api/auth/passkey/delete', { id: key.id.toString('base64url') })).status, 200)
  t.match(await alone.post('/api/auth/passkey/delete', { id: phone.id.toString('base64url') }), { status: 409, body: { error: /only way to sign in/ } })
  t.equal(await status(alone, alone.cookie), 200)
})

t.test('a passkey is for the name under which it was made', async (t) => {
  const client = await begin(t, { env: { SVC_WEBUI_TRUSTED_PROXIES: 'loopback' } })
  const phone = await client.register()
  const elsewhere = { 'x-forwarded-host': 'chat.example.org', 'x-forwarded-proto': 'https' }
  t.match(await client.strangerPost('/api/auth/passkey/options', {}, elsewhere), { status: 400, body: { error: /for this address/ } })
  const { publicKey } = (await client.strangerPost('/api/auth/passkey/options')).body
  t.equal((await client.strangerPost('/api/auth/passkey/login', phone.assert(publicKey, { rpId: 'chat.example.org', origin: 'https://chat.example.org' }), elsewhere)).status, 401)

  const options = (await client.post('/api/auth/passkey/register/options', {}, elsewhere)).body.publicKey
  t.equal(options.rp.id, 'chat.example.org')
  const key = new Authenticator('https://chat.example.org')
  t.equal((await client.post('/api/auth/passkey/register', key.attest(options), elsewhere)).status, 200)
  const there = (await client.strangerPost('/api/auth/passkey/options', {}, elsewhere)).body.publicKey
  t.same(there.allowCredentials.map(({ id }: { id: string }) => id), [key.id.toString('base64url')])
  t.equal((await client.strangerPost('/api/auth/passkey/login', key.assert(there), elsewhere)).status, 200)

  const direct = await begin(t)
  t.equal((await direct.post('/api/auth/passkey/register/options', {}, elsewhere)).body.publicKey.rp.id, 'localhost', 'a header from anyone changes nothing')
  t.match(await direct.service.post('/api/auth/passkey/options'), { status: 400, body: { error: /IP address/ } })
  t.match(await direct.strangerPost('/api/auth/passkey/options', {}, { host: 'chat.example.org' }), { status: 400, body: { error: /https/ } })

  const friends = new Set(['https://chat.example.org'])
  for (const [protocol, host, origin, expected] of [
    ['http', 'localhost:8787', undefined, 'localhost http://localhost:8787'], ['http', 'app.localhost', undefined, 'app.localhost http://app.localhost'],
    ['https', 'Chat.example.org:443', undefined, 'chat.example.org https://chat.example.org'], ['http', 'box.lan:80', 'https://chat.example.org', 'chat.example.org https://chat.example.org'],
    ['http', 'box.lan', 'https://box.lan', 'box.lan https://box.lan'], ['http', 'localhost:1', 'http://evil.example', 'localhost http://localhost:1'],
    ['http', 'box.lan', undefined, null], ['https', '192.168.1.2', undefined, null], ['https', '[::1]:8787', undefined, null], ['https', '', undefined, null], ['https', 'a b', undefined, null]
  ] as const) {
    const found = () => { const { id, origin: own } = relyingPartyOf({ protocol, host, origin }, friends); return `${id} ${own}` }
    if (expected === null) t.throws(found, { name: 'Invalid' }, host)
    else t.equal(found(), expected)
  }
})
