import t from '#test'
import { readConfig } from '../../plugins/ground/config.js'
import { OidcProvider } from '../../services/areas/auth/oidc-provider.js'
import { start } from '../support/app.js'
import { aheadBy } from '../support/clock.js'
import { CookieBrowser, startIdentityProvider } from '../support/identity-provider.js'

const password = 'correct horse'
const secret = 'vq7-client-secret-of-idp-zt4xk9'
const settings = { SVC_WEBUI_OIDC_CLIENT_ID: 'service', SVC_WEBUI_OIDC_CLIENT_SECRET: secret, SVC_WEBUI_OIDC_ALLOW: 'sub:alice', SVC_WEBUI_OIDC_NAME: 'Home' }
const isLogin = (url: string): boolean => new URL(url).pathname === '/login'

t.test('a provider that is down keeps nobody from starting the service, nor from the password', async (t) => {
  let passedMs = 0
  const idp = await startIdentityProvider(t)
  const service = await start(t, { clock: aheadBy(() => passedMs), env: { ...settings, SVC_WEBUI_OIDC_ISSUER: idp.issuer, SVC_WEBUI_PASSWORD: password } })
  t.same(idp.requests, [], 'nobody has asked it yet')
  const browser = new CookieBrowser()
  const page = await browser.visit(`${service.url}/api/auth/oidc/login?next=/session/s`)
  t.equal(new URL(page.url).search, '?error=oidc_unavailable&next=%2Fsession%2Fs')
  t.match(page.text, /Home cannot be reached at the moment/)
  t.equal((await service.post('/api/auth/login', { password })).status, 200)
  await browser.visit(`${service.url}/api/auth/oidc/login`)
  t.equal(idp.requests.length, 1, 'it is left alone for a moment')

  idp.register(`${service.url}/api/auth/oidc/callback`, secret)
  idp.person = { sub: 'alice' }
  passedMs += 5_001
  t.equal((await browser.visit(`${service.url}/api/auth/oidc/login`, (url) => url === `${service.url}/`)).status, 302, 'it is well again')

  const later = new CookieBrowser()
  const answer = await later.visit(`${service.url}/api/auth/oidc/login`, (url) => url.startsWith(service.url))
  await idp.stop()
  for (let tries = 0; tries < 6; tries++) {
    const gone = new CookieBrowser()
    await gone.visit(`${service.url}/api/auth/oidc/login`, (url) => url.startsWith(idp.issuer))
  }
  t.match((await later.visit(answer.url, isLogin)).url, /error=oidc_unavailable/, 'gone before it was asked about the code')
  passedMs += 3_600_001
  t.match(await service.get('/api/auth/oidc/login'), { status: 302 }, 'what it said goes on')
  t.equal((await service.post('/api/auth/login', { password })).status, 200, 'an outage is no failure of anybody')
})

t.test('a provider that answers something else, or nothing', async (t) => {
  const idp = await startIdentityProvider(t)
  const metadata = { issuer: idp.issuer, authorization_endpoint: `${idp.issuer}/auth`, token_endpoint: `${idp.issuer}/token`, jwks_uri: `${idp.issuer}/jwks` }
  const asked = async (answer: string, type = 'application/json', status = 200) => {
    idp.intercept = (_, response) => {
      response.writeHead(status, { 'content-type': type, location: 'https://evil.example/' }).end(answer)
      return true
    }
    return await new OidcProvider({ issuer: idp.issuer, clientId: 'service', clientSecret: null, clock: { now: Date.now } }).configuration()
  }
  t.equal((await asked(JSON.stringify(metadata))).serverMetadata().issuer, idp.issuer)
  for (const [answer, type, status] of [
    ['<html>', 'text/html'], ['{', 'application/json'], ['null', 'application/json'], ['[]', 'application/json'], ['', 'application/json', 302], ['', 'application/json', 500], ['x'.repeat(1_100_000), 'application/json'],
    [JSON.stringify({ ...metadata, issuer: 'https://evil.example' }), 'application/json'],
    [JSON.stringify({ ...metadata, authorization_endpoint: undefined }), 'application/json'],
    [JSON.stringify({ ...metadata, authorization_endpoint: 'javascript:alert(1)' }), 'application/json'],
    [JSON.stringify({ ...metadata, token_endpoint: 'http://evil.example/token' }), 'application/json'],
    [JSON.stringify({ ...metadata, jwks_uri: 'nonsense' }), 'application/json']
  ] as const) await t.rejects(asked(answer, type, status), { message: /./ }, answer.slice(0, 60))

  idp.intercept = () => true
  const slow = new OidcProvider({ issuer: idp.issuer, clientId: 'service', clientSecret: null, clock: { now: Date.now }, limitMs: 50 })
  await t.rejects(slow.configuration(), { message: /time/i })
})

t.test('the client secret is nowhere to be seen', async (t) => {
  const idp = await startIdentityProvider(t)
  const service = await start(t, { env: { ...settings, SVC_WEBUI_OIDC_ISSUER: idp.issuer, SVC_WEBUI_PASSWORD: password } })
  const cookie = (await service.post('/api/auth/login', { password })).headers.get('set-cookie')!.split(';')[0]!
  for (const path of ['/api/auth/status', '/api/settings', '/login?error=oidc_failed', '/api/system/health']) t.notMatch((await service.get(path, { cookie })).text, secret, path)
  const sessionId = (await service.post('/api/session/new', {}, { cookie })).body.session.session_id
  t.match((await service.post('/api/session/rename', { session_id: sessionId, title: `it is ${secret}` }, { cookie })).text, /\[redacted\]/)
})

t.test('what is missing or wrong keeps the service from starting, in words', async (t) => {
  const issuer = 'https://id.example.org'
  const problems = (more: Record<string, string | undefined>) => {
    try {
      readConfig({ ...settings, SVC_WEBUI_OIDC_ISSUER: issuer, ...more })
      return []
    } catch (error) {
      return (error as { problems: string[] }).problems
    }
  }
  t.same(problems({}), [])
  t.same(problems({ SVC_WEBUI_HOST: '0.0.0.0' }), [], 'it is a gate')
  t.match(problems({ SVC_WEBUI_OIDC_ALLOW: undefined }), [/everybody who has an account there would be let in/])
  for (const more of [
    { SVC_WEBUI_OIDC_ALLOW: ' , ' }, { SVC_WEBUI_OIDC_ALLOW: 'alice' }, { SVC_WEBUI_OIDC_ALLOW: 'email:alice' }, { SVC_WEBUI_OIDC_ALLOW: 'claim:admins' }, { SVC_WEBUI_OIDC_ALLOW: 'sub:' },
    { SVC_WEBUI_OIDC_ISSUER: 'http://id.example.org' }, { SVC_WEBUI_OIDC_ISSUER: 'nonsense' }, { SVC_WEBUI_OIDC_ISSUER: `${issuer}/?x=1` }, { SVC_WEBUI_OIDC_ISSUER: 'https://a:b@id.example.org' },
    { SVC_WEBUI_OIDC_CLIENT_ID: undefined }, { SVC_WEBUI_OIDC_CLIENT_SECRET: '' }, { SVC_WEBUI_OIDC_SCOPES: 'email' }, { SVC_WEBUI_OIDC_REDIRECT: 'https://chat.example.org/' }, { SVC_WEBUI_OIDC_REDIRECT: 'http://chat.example.org/api/auth/oidc/callback' }
  ]) t.equal(problems(more).length, 1, JSON.stringify(more))
  t.ok(problems({ SVC_WEBUI_OIDC_ISSUER: undefined }).length > 0, 'settings without an issuer')
  t.notMatch(problems({ SVC_WEBUI_OIDC_ISSUER: 'nonsense' }).join(), secret)
})
