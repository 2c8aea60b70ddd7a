import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { start, type StartOptions, type TestService } from '../support/app.js'
import { aheadBy } from '../support/clock.js'
import { CookieBrowser, startIdentityProvider, type IdentityProvider } from '../support/identity-provider.js'

// Texts that end like this secret are masked too, in all services of this process: so it ends like no word of theirs.
const secret = 'vq7-client-secret-of-idp-zt4xk9'
const callback = '/api/auth/oidc/callback'
const login = '/api/auth/oidc/login'

interface Set { idp: IdentityProvider, service: TestService, browser: CookieBrowser }

const settingsOf = (issuer: string, more: Record<string, string> = {}): Record<string, string> => ({
  SVC_WEBUI_OIDC_ISSUER: issuer,
  SVC_WEBUI_OIDC_CLIENT_ID: 'service',
  SVC_WEBUI_OIDC_CLIENT_SECRET: secret,
  SVC_WEBUI_OIDC_ALLOW: 'sub:alice, email:carol@example.org, claim:groups=admins',
  SVC_WEBUI_OIDC_NAME: 'The <House>',
  ...more
})

async function begin (t: Test, { isPublic = false, env = {}, ...options }: StartOptions & { isPublic?: boolean } = {}): Promise<Set> {
  const idp = await startIdentityProvider(t)
  const settings = settingsOf(idp.issuer, env)
  if (isPublic) delete settings.SVC_WEBUI_OIDC_CLIENT_SECRET
  const service = await start(t, { ...options, env: settings })
  idp.register(service.url + callback, isPublic ? undefined : secret)
  idp.person = { sub: 'alice' }
  return { idp, service, browser: new CookieBrowser() }
}

const status = async ({ service, browser }: Set) => (await service.get('/api/auth/status', { cookie: browser.cookies(service.url) })).body
/** The address that the provider sends the browser back to, before the browser goes there. */
const answerOf = async ({ service, browser }: Set, path = login) => (await browser.visit(service.url + path, (url) => url.startsWith(service.url + callback))).url
const isLogin = (url: string): boolean => new URL(url).pathname === '/login'

t.test('somebody who is let in signs in, and comes to the page that was wanted', async (t) => {
  const set = await begin(t)
  const { service, browser } = set
  t.match(await status(set), { auth_enabled: true, password_required: true, authenticated: false, oidc_enabled: true, oidc_name: 'The <House>', password_auth_enabled: false, csrf_token: '' })
  t.equal((await service.get('/api/sessions')).status, 401)
  t.match(await service.post('/api/auth/login', { password: 'x' }), { status: 401, body: { error: /Sign in with The <House>/ } })
  const page = await browser.visit(`${service.url}/session/abc?x=1&y=2`)
  t.match(page.url, /\/login\?next=/)
  t.match(page.text, 'Sign in with The &lt;House&gt;')
  const link = /href="(\/api\/auth\/oidc\/login[^"]*)"/.exec(page.text)![1]!

  const first = await service.get(link)
  t.equal(first.status, 302)
  t.match(first.headers.get('set-cookie'), /^svc_session_oidc_[\w-]{8}=[\w-]{200,3000}; Max-Age=600; Path=\/api\/auth\/oidc; HttpOnly; SameSite=Lax$/)
  const asked = new URL(first.headers.get('location')!)
  t.match(Object.fromEntries(asked.searchParams), { response_type: 'code', scope: 'openid email profile', code_challenge_method: 'S256', state: /^[\w-]{43}$/, nonce: /^[\w-]{43}$/, redirect_uri: service.url + callback })
  t.notMatch(asked.href, secret)

  const landed = await browser.visit(service.url + link, (url) => url === `${service.url}/session/abc?x=1&y=2`)
  t.equal(landed.status, 302)
  t.match(landed.headers.getSetCookie().join('\n'), /svc_session=[0-9a-f]{64}\.[0-9a-f]{64}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Lax/)
  t.match(await status(set), { authenticated: true, logged_in: true, csrf_token: /^[0-9a-f]{64}$/ })
  const { csrf_token: token } = await status(set)
  const headers = { cookie: browser.cookies(service.url), origin: service.url }
  t.equal((await service.post('/api/session/new', {}, headers)).status, 403, 'a page needs its token')
  t.equal((await service.post('/api/session/new', {}, { ...headers, 'x-svc-csrf-token': token })).status, 200)
  t.equal((await service.post('/api/auth/logout', {}, { ...headers, 'x-svc-csrf-token': token })).status, 200)
  t.equal((await service.get('/api/sessions', { cookie: headers.cookie })).status, 401)
  t.match(service.app.audit.after(0, 10).map(({ kind, outcome, details }) => `${kind} ${outcome} ${details}`), [
    /^auth\.sign_in ok \{"method":"oidc"/, /^auth\.sign_out ok/
  ])
})

t.test('a public client, and who is let in by e-mail or by another claim', async (t) => {
  const set = await begin(t, { isPublic: true })
  const { idp, service } = set
  for (const [person, expected] of [
    [{ sub: 'alice' }, null],
    [{ sub: 'c', email: 'Carol@Example.org', email_verified: true }, null],
    [{ sub: 'g', groups: ['staff', 'admins'] }, null],
    [{ sub: 'c', email: 'carol@example.org', email_verified: false }, 'oidc_unverified'],
    [{ sub: 'c', email: 'carol@example.org', email_verified: 'true' }, 'oidc_unverified'],
    [{ sub: 'c', email: 'carol@example.org' }, 'oidc_unverified'],
    [{ sub: 'x', email: 'mallory@example.org', email_verified: true, groups: 'staff' }, 'oidc_refused'],
    [{ sub: 'Alice', name: 'alice' }, 'oidc_refused']
  ] as const) {
    idp.person = person as unknown as IdentityProvider['person']
    const browser = new CookieBrowser()
    const landed = await browser.visit(`${service.url}${login}?next=/session/s`, (url) => isLogin(url) || url.endsWith('/session/s'))
    const { searchParams } = new URL(landed.url)
    t.equal(searchParams.get('error'), expected, JSON.stringify(person))
    t.equal((await status({ ...set, browser })).authenticated, expected === null)
    if (expected === null) continue
    t.equal(searchParams.get('next'), '/session/s')
    t.match(service.app.audit.after(service.app.audit.head().id - 1, 1), [{ kind: 'auth.sign_in', outcome: 'failed', actorKind: 'nobody' }])
    t.match((await browser.visit(landed.url)).text, expected === 'oidc_refused' ? /does not accept your account/ : /has not verified your e-mail/)
  }
})

t.test('what was not begun here, was used, is old or was tampered with signs nobody in', async (t) => {
  let passedMs = 0
  const set = await begin(t, { clock: aheadBy(() => passedMs) })
  const { idp, service, browser } = set
  const errorAt = async (address: string, by = browser) => new URL((await by.visit(address, isLogin)).url).searchParams.get('error')

  const answer = await answerOf(set)
  t.equal(await errorAt(answer, new CookieBrowser()), 'oidc_expired', 'another browser')
  const stranger = new CookieBrowser()
  await stranger.visit(service.url + login, (url) => url.startsWith(idp.issuer))
  t.equal(await errorAt(answer, stranger), 'oidc_expired', 'another browser with a sign-in of its own')
  t.equal(await errorAt(answer.replace(/state=[^&]+/, 'state=guess')), 'oidc_expired')
  t.equal(await errorAt(`${service.url}${callback}`), 'oidc_expired')
  const kept = browser.cookies(answer)
  t.equal((await browser.visit(answer, (url) => url === `${service.url}/`)).status, 302, 'the right browser is not harmed by that')
  t.match((await service.get(answer.slice(service.url.length), { cookie: kept })).headers.get('location'), 'error=oidc_expired', 'a second time, by who has kept the cookie')

  for (const [what, change] of [
    ['another code', (url: string) => url.replace(/code=[^&]+/, 'code=guess')],
    ['issuer differs', (url: string) => url.replace(/iss=[^&]+/, 'iss=https%3A%2F%2Fevil.example')],
    ['no issuer', (url: string) => url.replace(/&iss=[^&]+/, '')],
    ['no code', (url: string) => url.replace(/code=[^&]+&/, '')]
  ] as const) {
    const by = new CookieBrowser()
    const url = await answerOf({ ...set, browser: by })
    t.not(change(url), url)
    t.equal(await errorAt(change(url), by), 'oidc_failed', what)
    t.equal((await status({ ...set, browser: by })).authenticated, false)
    passedMs += 61_000
  }

  const other = new CookieBrowser()
  const { url } = await other.visit(service.url + login, (url) => url.startsWith(idp.issuer))
  t.equal(await errorAt(url.replace(/nonce=[^&]+/, 'nonce=another'), other), 'oidc_failed', 'the token is for another sign-in')

  const late = new CookieBrowser()
  const old = await answerOf({ ...set, browser: late })
  passedMs += 601_000
  t.equal(await errorAt(old, late), 'oidc_expired', 'after ten minutes')
  t.equal(service.app.auth.oidc.used(), 0, 'nothing is remembered for longer than it could be used')

  idp.intercept = (request, response) => {
    if (!request.url!.startsWith('/jwks')) return false
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}')
    return true
  }
  const unsigned = await begin(t)
  unsigned.idp.intercept = idp.intercept
  t.equal(new URL((await unsigned.browser.visit(unsigned.service.url + login, isLogin)).url).searchParams.get('error'), 'oidc_failed', 'a signature that nobody can check')
})

t.test('who goes back at the provider is told so, in our words', async (t) => {
  const { idp, service, browser } = await begin(t)
  idp.person = { sub: 'alice', denied: true }
  const landed = await browser.visit(service.url + login)
  t.equal(new URL(landed.url).search, '?error=oidc_cancelled')
  t.match(landed.text, /did not sign you in/)
  t.notMatch(landed.text, '<b>no</b>')
  const unknown = await browser.visit(`${service.url}/login?error=%3Cscript%3Ealert(1)%3C/script%3E`)
  t.match(unknown.text, '<p id="message" role="alert"></p>')
})

t.test('no address but of this service is gone to afterwards', async (t) => {
  for (const next of ['https://evil.example/', '//evil.example', '/\\evil.example', '/%09/evil.example/..//evil.example', 'javascript:alert(1)', '/\t/evil.example']) {
    const { service, browser } = await begin(t)
    const { url } = await browser.visit(`${service.url}${login}?next=${encodeURIComponent(next)}`, (url) => url.startsWith(service.url) && !url.startsWith(service.url + callback))
    t.equal(new URL(url).origin, service.url, next)
    await service.stop()
  }
})

t.test('two tabs of one browser', async (t) => {
  const set = await begin(t)
  const { browser, service } = set
  const [one, two] = [await answerOf(set, `${login}?next=/session/1`), await answerOf(set, `${login}?next=/session/2`)]
  t.equal((await browser.visit(two, (url) => url.includes('/session/'))).url, `${service.url}/session/2`)
  t.equal((await browser.visit(one, (url) => url.includes('/session/'))).url, `${service.url}/session/1`)
  t.notMatch(browser.cookies(service.url + callback), /svc_session_oidc/, 'the token goes with the last one')
})

t.test('after a restart a sign-in begins again, and sessions stay as long as the list does', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'oidc-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const set = await begin(t, { folder })
  const { idp, service, browser } = set
  await browser.visit(service.url + login, (url) => url === `${service.url}/`)
  const cookie = browser.cookies(service.url)
  const answer = new URL(await answerOf({ ...set, browser: new CookieBrowser() }))
  await service.stop()

  const again = await start(t, { folder, env: settingsOf(idp.issuer) })
  t.equal((await again.get('/api/sessions', { cookie })).status, 200)
  const landed = await browser.visit(again.url + answer.pathname + answer.search, isLogin)
  t.match(landed.url, /error=oidc_expired/)
  t.match((await new CookieBrowser().visit(landed.url)).text, /has expired/)
  await again.stop()
  const changes: Array<Record<string, string>> = [{ SVC_WEBUI_OIDC_ALLOW: 'sub:alice' }, { SVC_WEBUI_OIDC_ISSUER: 'https://other.example' }, { SVC_WEBUI_OIDC_CLIENT_ID: 'other' }, { SVC_WEBUI_PASSWORD: 'new' }]
  for (const more of changes) {
    const changed = await start(t, { folder, env: settingsOf(idp.issuer, more) })
    t.equal((await changed.get('/api/sessions', { cookie })).status, 401, JSON.stringify(more))
    await changed.stop()
  }
})

t.test('failures count like wrong passwords', async (t) => {
  const { idp, service } = await begin(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  idp.person = { sub: 'mallory' }
  const attempt = async () => new URL((await new CookieBrowser().visit(service.url + login, isLogin)).url).searchParams.get('error')
  for (let tries = 0; tries < 5; tries++) t.equal(await attempt(), 'oidc_refused')
  t.equal(await attempt(), 'oidc_busy')
  t.equal((await service.post('/api/auth/login', { password: 'correct horse' })).status, 429)
})

t.test('pages of other sites begin no sign-in', async (t) => {
  const { service } = await begin(t)
  t.equal((await service.get(login, { 'sec-fetch-site': 'cross-site' })).status, 403)
})

t.test('however many sign-ins others of the same address begin, one that waits is not given up', async (t) => {
  const set = await begin(t)
  const { service, browser } = set
  const answer = await answerOf(set)
  for (let tries = 0; tries < 60; tries++) t.equal((await service.get(login)).status, 302)
  t.equal(service.app.auth.oidc.used(), 0, 'nothing is kept of them')
  t.equal((await browser.visit(answer, (url) => url === `${service.url}/`)).status, 302)
  t.equal(service.app.auth.oidc.used(), 1)
})

t.test('a browser keeps only some of the sign-ins that it has begun, and says nothing that is taken for one', async (t) => {
  const set = await begin(t)
  const { service, browser } = set
  const cookies = () => browser.cookies(service.url + callback).split('; ').filter((pair) => pair.startsWith('svc_session_oidc_'))
  for (let tries = 0; tries < 7; tries++) await browser.visit(`${service.url}${login}?next=/${'long'.repeat(1_000)}`, (url) => !url.startsWith(service.url))
  t.equal(cookies().length, 4)
  t.ok(cookies().every((pair) => pair.length < 3_100), 'a way back that is too long is not kept')
  const answer = await answerOf(set)
  const state = new URL(answer).searchParams.get('state')!
  const mine = cookies().find((pair) => pair.startsWith(`svc_session_oidc_${state.slice(0, 8)}=`))!
  const other = cookies().find((pair) => pair !== mine)!
  const [name, value] = mine.split('=') as [string, string]
  for (const cookie of ['', `${name}=`, `${name}=x`, `${name}=${'A'.repeat(9_000)}`, `${name}=${value.slice(0, -2)}`, `${name}=${value.startsWith('A') ? 'B' : 'A'}${value.slice(1)}`, `${name}=${other.split('=')[1]}`, other]) {
    t.match((await service.get(answer.slice(service.url.length), { cookie })).headers.get('location'), 'error=oidc_expired', cookie.slice(0, 40))
  }
  t.match((await service.get(answer.slice(service.url.length), { cookie: `${name}=garbage; ${mine}; ${name}=x` })).headers.get('location'), /^\/$/, 'others beside it do no harm')
})

t.test('without a provider there is nothing', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'x' } })
  for (const path of [login, `${callback}?state=x&code=y`]) t.equal((await service.get(path)).status, 404)
  t.match((await service.get('/api/auth/status')).body, { oidc_enabled: false, oidc_name: null })
  t.match((await service.get('/login')).text, /id="oidc"[^>]* hidden/)
})
