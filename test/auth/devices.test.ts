import t from '#test'
import { mkdirSync } from 'node:fs'
import { request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { start, type TestService } from '../support/app.js'
import { aheadBy } from '../support/clock.js'

const password = { SVC_WEBUI_PASSWORD: 'correct horse' }
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** Returns the headers of a signed-in person. */
async function person (service: TestService): Promise<{ cookie: string }> {
  const signedIn = await service.post('/api/auth/login', { password: 'correct horse' })
  return { cookie: signedIn.headers.get('set-cookie')!.split(';')[0]! }
}

async function newToken (service: TestService, headers: Record<string, string>, body: object): Promise<{ token: string, id: string }> {
  const answer = await service.post('/api/auth/tokens/create', { name: 'a script', scope: 'read', ...body }, headers)
  if (answer.status !== 200) throw new Error(answer.text)
  return { token: answer.body.token as string, id: answer.body.device.id as string }
}

t.test('a token is told once, lets in until it is revoked, and is kept as a hash', async (t) => {
  const service = await start(t, { env: password })
  const me = await person(service)
  const { token, id } = await newToken(service, me, { name: 'backup script', scope: 'chat' })
  t.match(token, new RegExp(`^svct_${id}_[A-Za-z0-9]{40}$`))
  t.same((await service.get('/api/auth/status', bearer(token))).body.token_scope, 'chat')
  const listed = await service.get('/api/auth/tokens', me)
  t.match(listed.body.tokens, [{ id, name: 'backup script', scope: 'chat', kind: 'token', expires_at: null, made_by: null, is_current: false }])
  t.notMatch(listed.text, token)
  t.notOk(JSON.stringify(service.app.db.sqlite.prepare('select * from devices').all()).includes(token.slice(-40)))

  t.equal((await service.get('/api/sessions', bearer(token))).status, 200)
  t.same((await service.post('/api/auth/tokens/rename', { id, name: '  nightly  ' }, me)).body.tokens[0].name, 'nightly')
  // The name that is shown must be the one that is stored.
  t.same((await service.post('/api/auth/tokens/rename', { id, name: 'back\u0007up\r\n\u202etxt\u200b\u001b[2J\ttape\u009f' }, me)).body.tokens[0].name, 'back up txt [2J tape')
  t.match(await service.post('/api/auth/tokens/rename', { id, name: '\u0007\u200b\n' }, me), { status: 400 })
  t.match(await service.post('/api/auth/tokens/create', { name: '\u0000\u202e', scope: 'read' }, me), { status: 400 })
  t.same((await service.post('/api/auth/tokens/revoke', { id }, me)).body.revoked, [id])
  const after = await service.get('/api/sessions', bearer(token))
  t.match(after, { status: 401, body: { error: /expired or revoked/ } })
  t.match(after.headers.get('www-authenticate'), /invalid_token/)
  t.match(await service.post('/api/auth/tokens/revoke', { id }, me), { status: 404 })
})

t.test('a token is judged where there is no gate as well; what is a proxy\'s is left alone', async (t) => {
  const service = await start(t)
  const { token, id } = await newToken(service, {}, { scope: 'read' })
  t.equal((await service.get('/api/sessions')).status, 200)
  t.equal((await service.get('/api/sessions', bearer(token))).status, 200)
  t.match(await service.post('/api/session/new', {}, bearer(token)), { status: 403, body: { code: 'scope_too_narrow', scope: 'read', needed_scope: 'chat' } })
  t.equal((await service.get('/api/sessions', bearer('svct_mistyped'))).status, 401)
  t.equal((await service.get('/api/sessions', bearer('eyJhbGciOiJSUzI1NiJ9.of.a-proxy'))).status, 200)
  await service.post('/api/auth/tokens/revoke', { id })
  t.equal((await service.get('/api/sessions', bearer(token))).status, 401)
  t.match((await service.get('/api/auth/status', bearer(token))).body, { authenticated: false })
})

t.test('behind a proxy\'s header a token lets in by itself, and limits who shows both', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PROXY_HEADER: 'X-Gate: open sesame' } })
  const proxied = { 'x-gate': 'open sesame' }
  const { token } = await newToken(service, proxied, { scope: 'read' })
  t.equal((await service.get('/api/sessions')).status, 401)
  t.equal((await service.get('/api/sessions', bearer(token))).status, 200)
  t.equal((await service.post('/api/session/new', {}, { ...proxied, ...bearer(token) })).status, 403)
})

t.test('wrong tokens are told to wait, and keep neither right ones nor the password out', async (t) => {
  const service = await start(t, { env: password })
  const { token } = await newToken(service, await person(service), {})
  const wrong = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`
  for (let attempt = 0; attempt < 5; attempt++) t.equal((await service.get('/api/sessions', bearer(wrong))).status, 401)
  const told = await service.get('/api/sessions', bearer(wrong))
  t.equal(told.status, 429)
  t.ok(Number(told.headers.get('retry-after')) > 0)
  t.equal((await service.get('/api/sessions', bearer(token))).status, 200)
  t.equal((await service.post('/api/auth/login', { password: 'correct horse' })).status, 200)
})

t.test('a token cannot make one that lasts longer, and takes those it has made along', async (t) => {
  let aheadMs = 0
  const service = await start(t, { env: password, clock: aheadBy(() => aheadMs) })
  const me = await person(service)
  const admin = await newToken(service, me, { scope: 'admin', expires_in_seconds: 3600 })
  t.match(await service.post('/api/auth/tokens/create', { name: 'x', scope: 'read', expires_in_seconds: 7200 }, bearer(admin.token)), { status: 403, body: { error: /longer than itself/ } })
  const child = await newToken(service, bearer(admin.token), { scope: 'admin' })
  const grandchild = await newToken(service, bearer(child.token), { scope: 'chat' })
  const other = await newToken(service, me, { scope: 'chat' })
  const { tokens } = (await service.get('/api/auth/tokens', bearer(child.token))).body
  t.match(tokens.map(({ id, made_by: by, is_current: current }: Record<string, unknown>) => [id, by, current]), [[admin.id, null, false], [child.id, admin.id, true], [grandchild.id, child.id, false], [other.id, null, false]])
  t.equal(tokens[1].expires_at, tokens[0].expires_at)
  t.match(await service.post('/api/auth/tokens/create', { name: 'x', scope: 'read' }, bearer(other.token)), { status: 403 })

  aheadMs = 3601 * 1000
  t.equal((await service.get('/api/sessions', bearer(child.token))).status, 401)
  t.equal((await service.get('/api/sessions', bearer(other.token))).status, 200)
  t.match((await service.get('/api/auth/tokens', me)).body.tokens, [{ is_expired: true }, { is_expired: true }, { is_expired: true }, { is_expired: false }])
  t.same((await service.post('/api/auth/tokens/revoke', { id: admin.id }, me)).body.revoked.toSorted(), [admin.id, child.id, grandchild.id].toSorted())
})

t.test('how one signs in stays with persons, whatever a token may do', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSKEY: '1' } })
  t.equal((await service.post('/api/settings', { _set_password: 'correct horse' })).status, 200)
  const { token } = await newToken(service, await person(service), { scope: 'admin' })
  for (const change of [{ _set_password: 'other', _current_password: 'correct horse' }, { _clear_password: true, _current_password: 'correct horse' }, { _passwordless: true }, { _auth_disabled_acknowledged: true }, { session_ttl_seconds: 31_536_000 }]) {
    t.match(await service.post('/api/settings', change, bearer(token)), { status: 403, body: { code: 'scope_too_narrow', needed_scope: 'person' } })
  }
  t.equal((await service.post('/api/settings', { bot_name: 'Robin' }, bearer(token))).body.bot_name, 'Robin')
  t.match(await service.post('/api/auth/passkey/register/options', {}, bearer(token)), { status: 403, body: { needed_scope: 'person' } })
})

t.test('a revoked token\'s streams end at once, and those of others go on', async (t) => {
  const service = await start(t, { env: password })
  const me = await person(service)
  const { token, id } = await newToken(service, me, {})
  const other = await newToken(service, me, {})
  const theirs = await service.events('/api/events', bearer(token))
  const others = await service.events('/api/events', bearer(other.token))
  t.equal(service.app.eventStreams.open(), 2)
  await service.post('/api/auth/tokens/revoke', { id }, me)
  t.equal(service.app.eventStreams.open(), 1)
  await theirs.ended
  others.drop()
})

t.test('the last use is written at most once a minute', async (t) => {
  let aheadMs = 0
  const service = await start(t, { env: password, clock: aheadBy(() => aheadMs) })
  const me = await person(service)
  const { token } = await newToken(service, me, {})
  const used = async (): Promise<number | null> => (await service.get('/api/auth/tokens', me)).body.tokens[0].last_used_at as number | null
  t.equal(await used(), null)
  await service.get('/api/sessions', bearer(token))
  const first = await used()
  t.type(first, 'number')
  aheadMs = 59_000
  await service.get('/api/sessions', bearer(token))
  t.equal(await used(), first)
  aheadMs = 61_000
  await service.get('/api/sessions', bearer(token))
  t.ok((await used())! > first!)
})

t.test('a token needs no CSRF token, unless a session comes with it', async (t) => {
  const service = await start(t, { env: password })
  const me = await person(service)
  const { token } = await newToken(service, me, { scope: 'chat' })
  const page = { origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' }
  t.equal((await service.post('/api/session/new', {}, { ...bearer(token), ...page })).status, 200)
  t.equal((await service.post('/api/session/new', {}, { ...bearer(token), ...page, ...me })).status, 403)
  const own = { origin: service.url, 'sec-fetch-site': 'same-origin' }
  t.match(await service.post('/api/session/new', {}, { ...bearer(token), ...own, ...me }), { status: 403, body: { error: /session of this page has expired/ } })
  const { csrf_token: csrf } = (await service.get('/api/auth/status', me)).body
  t.equal((await service.post('/api/session/new', {}, { ...bearer(token), ...own, ...me, 'x-svc-csrf-token': csrf })).status, 200)
})

t.test('a code is exchanged once, within five minutes, for a token or for the session of a browser', async (t) => {
  let aheadMs = 0
  const service = await start(t, { env: password, clock: aheadBy(() => aheadMs) })
  const me = await person(service)
  const begin = async (body: object) => (await service.post('/api/auth/tokens/pair', { name: 'phone', scope: 'chat', ...body }, me)).body
  const { code, id, path } = await begin({})
  t.match(code, /^[A-Z2-9]{5}-[A-Z2-9]{5}$/)
  t.equal(path, `/pair#${code}`)
  const paired = await service.post('/api/auth/pair', { code: code.toLowerCase().replace('-', ' ') })
  t.match(paired.body, { device: { id, name: 'phone', scope: 'chat', kind: 'token' }, token: /^svct_/ })
  t.equal((await service.get('/api/sessions', bearer(paired.body.token))).status, 200)
  t.match(await service.post('/api/auth/pair', { code }), { status: 401, body: { error: /already used/ } })

  const late = await begin({})
  aheadMs = 301_000
  t.equal((await service.post('/api/auth/pair', { code: late.code })).status, 401)
  const taken = await begin({})
  await service.post('/api/auth/tokens/pair/end', { id: taken.id }, me)
  t.equal((await service.post('/api/auth/pair', { code: taken.code })).status, 401)

  const browser = await service.post('/api/auth/pair', { code: (await begin({ scope: 'approve' })).code, as: 'session' }, { origin: service.url, 'sec-fetch-site': 'same-origin' })
  t.match(browser.body, { token: null, device: { kind: 'browser', scope: 'approve' } })
  const cookie = browser.headers.get('set-cookie')!.split(';')[0]!
  t.match((await service.get('/api/auth/status', { cookie })).body, { authenticated: true, token_scope: 'approve' })
  t.equal((await service.post('/api/session/new', {}, { cookie })).status, 200)
  t.match(await service.post('/api/settings', { bot_name: 'x' }, { cookie }), { status: 403, body: { needed_scope: 'admin' } })
  const stream = await service.events('/api/events', { cookie })
  await service.post('/api/auth/tokens/revoke', { id: browser.body.device.id }, me)
  await stream.ended
  t.equal((await service.get('/api/sessions', { cookie })).status, 401)
})

t.test('a code ends with the sign-in that began it, and with all tokens', async (t) => {
  const service = await start(t)
  const begin = async (headers: Record<string, string>) =>
    (await service.post('/api/auth/tokens/pair', { name: 'phone', scope: 'admin' }, headers)).body.code as string
  const pair = async (code: string) => await service.post('/api/auth/pair', { code })
  const early = await begin({})
  await service.post('/api/settings', { _set_password: 'correct horse' })
  t.match(await pair(early), { status: 403, body: { error: /has ended/ } }, 'begun while the service was open to everybody')

  const [me, stolen, other] = [await person(service), await person(service), await person(service)]
  const signedOut = await begin(other)
  await service.post('/api/auth/logout', {}, other)
  t.equal((await pair(signedOut)).status, 403, 'signed out')
  const unused = await begin(me)
  await service.post('/api/auth/tokens/revoke', { all: true }, me)
  t.equal((await pair(unused)).status, 401, 'everything was revoked')
  const { token: admin, device } = (await service.post('/api/auth/tokens/create', { name: 'maker', scope: 'admin' }, me)).body
  const ofMaker = await begin({ authorization: `Bearer ${admin as string}` })
  await service.post('/api/auth/tokens/revoke', { id: device.id }, me)
  t.equal((await pair(ofMaker)).status, 401, 'the device that began it was revoked')
  const { entries } = (await service.get('/api/audit?kind=pairing.ended', me)).body
  t.equal(entries.length, 2, 'the end of each of these codes is recorded')
  t.equal((await pair(await begin(me))).status, 200)
  const { devices } = service.app.auth
  for (let steps = 0; steps < 12; steps++) {
    const pairing = devices.pair(await begin(me), { as: 'token' }).catch(() => null)
    // The attempt is counted on disk first.
    await service.app.db.durably(() => {})
    for (let step = 0; step < steps; step++) await null
    await Promise.all([pairing, devices.revokeAll()])
    t.same(devices.list(), [], 'revoked with a phone that is being paired')
  }
  for (const isAll of [false, true]) {
    const { token } = (await service.post('/api/auth/tokens/create', { name: 'maker', scope: 'admin' }, me)).body
    const maker = devices.find(token as string)!
    const make = async () => await devices.create(maker, { name: 'child', scope: 'admin', expiresInS: null })
    await Promise.allSettled([make(), isAll ? devices.revokeAll() : devices.revoke(maker.deviceId!), make()])
    t.same(devices.list(), [], 'revoked with what it makes at that moment')
  }
  const [theirs, mine] = [await begin(stolen), await begin(me)]
  await service.post('/api/settings', { _set_password: 'battery staple', _current_password: 'correct horse' }, me)
  t.equal((await pair(theirs)).status, 403, 'another password ended the sign-in')
  t.equal((await pair(mine)).status, 403)
  t.equal((await service.get('/api/auth/tokens', bearer('none'))).status, 401)
})

t.test('wrong codes are told to wait', async (t) => {
  const service = await start(t, { env: password })
  for (let attempt = 0; attempt < 5; attempt++) t.equal((await service.post('/api/auth/pair', { code: `AAAAA-AAAA${attempt + 2}` })).status, 401)
  t.equal((await service.post('/api/auth/pair', { code: 'AAAAA-AAAAA' })).status, 429)
})

t.test('a changed password leaves tokens and paired browsers as they are; signing out ends such a browser for good', async (t) => {
  const service = await start(t)
  await service.post('/api/settings', { _set_password: 'correct horse' })
  const me = await person(service)
  const { token } = await newToken(service, me, {})
  const { code } = (await service.post('/api/auth/tokens/pair', { name: 'tablet', scope: 'read' }, me)).body
  const cookie = (await service.post('/api/auth/pair', { code, as: 'session' })).headers.get('set-cookie')!.split(';')[0]!
  t.equal((await service.post('/api/settings', { _set_password: 'battery staple', _current_password: 'correct horse' }, me)).status, 200)
  t.equal((await service.get('/api/sessions', me)).status, 401)
  t.equal((await service.get('/api/sessions', bearer(token))).status, 200)
  t.equal((await service.get('/api/sessions', { cookie })).status, 200)
  t.equal((await service.post('/api/auth/logout', {}, { cookie })).status, 200)
  t.equal((await service.get('/api/sessions', { cookie })).status, 401)
  t.equal((await service.post('/api/auth/login', { password: 'battery staple' })).status, 200)
})

t.test('a token outlives a restart, and passes whatever gate there is after it', async (t) => {
  const folder = t.testdir()
  const before = await start(t, { folder })
  const { token } = await newToken(before, {}, { scope: 'chat' })
  await before.stop()
  const oidc = { SVC_WEBUI_OIDC_ISSUER: 'http://127.0.0.1:9', SVC_WEBUI_OIDC_CLIENT_ID: 'service', SVC_WEBUI_OIDC_ALLOW: 'sub:alice' }
  for (const env of [password, oidc, { ...oidc, ...password }]) {
    const after = await start(t, { env, folder })
    t.equal((await after.get('/api/sessions')).status, 401)
    t.equal((await after.get('/api/sessions', bearer(token))).status, 200)
    t.equal((await after.get('/api/auth/status', bearer(token))).body.token_scope, 'chat')
    await after.stop()
  }
})

t.test('a token that may chat answers no card, not even of its own turn, and chooses no folder of its own', async (t) => {
  const service = await start(t, { env: password })
  const me = await person(service)
  const chat = await newToken(service, me, { scope: 'chat' })
  const approve = await newToken(service, me, { scope: 'approve' })
  const { session_id: id } = (await service.post('/api/session/new', {}, bearer(chat.token))).body.session
  for (const [path, body] of [['/api/approval/respond', { choice: 'once' }], ['/api/clarify/respond', { response: 'yes' }], ['/api/session/yolo', {}]] as const) {
    t.match(await service.post(path, { session_id: id, ...body }, bearer(chat.token)), { status: 403, body: { code: 'scope_too_narrow' } }, path)
  }
  t.match(await service.post('/api/approval/respond', { session_id: id, choice: 'always' }, bearer(approve.token)), { status: 403, body: { needed_scope: 'admin' } })
  t.equal((await service.post('/api/approval/respond', { session_id: id, choice: 'session' }, bearer(approve.token))).status, 200)
  const elsewhere = join(service.folder, 'elsewhere')
  mkdirSync(elsewhere)
  t.match(await service.post('/api/session/new', { workspace: elsewhere }, bearer(chat.token)), { status: 403, body: { error: /only use the folders/ } })
  t.equal((await service.post('/api/session/new', { workspace: service.workspace }, bearer(chat.token))).status, 200)
  t.equal((await service.post('/api/session/new', { workspace: elsewhere }, me)).status, 200)
})

t.test('tokens are masked in what the service shows, and garbage in the header is no fault', async (t) => {
  const service = await start(t, { env: password })
  const { token } = await newToken(service, await person(service), { scope: 'chat' })
  const answer = await service.post('/api/session/new', {}, bearer(token))
  await service.post('/api/session/rename', { session_id: answer.body.session.session_id, title: `use ${token} there` }, bearer(token))
  const { text } = await service.get('/api/sessions', bearer(token))
  t.notOk(text.includes(token.slice(-40)))
  for (const authorization of ['Bearer', 'Bearer  ', 'bearer svct_', `Bearer ${token} ${token}`, `Bearer ${'svct_'.repeat(2_000)}`, 'Basic c3ZjdF86', 'Bearer svct_\u00ff']) {
    t.equal((await rawStatus(service.url, authorization)), 401, authorization.slice(0, 40))
  }
  t.equal(await rawStatus(service.url, `bEaReR ${token}`), 200)
})

/** Bypasses `fetch`, which would correct or refuse the header. */
async function rawStatus (url: string, authorization: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    httpRequest(`${url}/api/sessions`, { headers: { authorization } }, (response) => {
      response.resume()
      resolve(response.statusCode!)
    }).on('error', reject).end()
  })
}

t.test('somebody who tries old tokens keeps nobody from pairing, and many at once make no more devices than there may be', async (t) => {
  const service = await start(t, { env: password })
  const me = await person(service)
  for (let attempt = 0; attempt < 6; attempt++) await service.get('/api/sessions', bearer(`svct_${'a'.repeat(12)}_${'b'.repeat(40)}`))
  const { code } = (await service.post('/api/auth/tokens/pair', { name: 'phone', scope: 'read' }, me)).body
  t.equal((await service.post('/api/auth/pair', { code })).status, 200)
  await Promise.all(Array.from({ length: 110 }, () => service.post('/api/auth/tokens/create', { name: 'x', scope: 'read' }, me)))
  t.equal((await service.get('/api/auth/tokens', me)).body.tokens.length, 100)
})
