import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { redact } from '../../services/ground/redaction/index.js'
import { CookieBrowser } from '../support/identity-provider.js'
import { called } from '../support/mcp/calls.js'
import { startGuardedServer, type GuardedServer } from '../support/mcp/guarded-server.js'
import { startWith, type McpService } from '../support/mcp/servers.js'

const approvals = { allow: ['mcp:*'] }
const callback = '/api/mcp/oauth/callback'

interface Scene { guarded: GuardedServer, service: McpService, state: () => Promise<Record<string, unknown>>, files: () => string[], tokens: () => { accessToken: string, refreshToken: string } }

async function scene (t: Parameters<typeof startWith>[0], oauth?: Record<string, unknown>): Promise<Scene> {
  const guarded = await startGuardedServer(t)
  const service = await startWith(t, { mcp_servers: { web: { url: guarded.url, oauth: oauth ?? { issuer: guarded.issuer } } }, approvals })
  const folder = join(service.home, 'webui_state', 'mcp')
  const files = (): string[] => readdirSync(folder).filter((name) => name.startsWith('oauth-')).map((name) => join(folder, name))
  return {
    guarded,
    service,
    state: async () => (await service.get('/api/mcp/servers')).body.servers[0],
    files,
    tokens: () => JSON.parse(readFileSync(files()[0]!, 'utf8'))
  }
}

/** Begins in one browser, and follows the authorization server until it redirects back; the redirect is not followed yet. */
async function begin ({ service }: Scene): Promise<{ back: string, cookie: string, url: URL }> {
  const begun = await service.post('/api/mcp/servers/web/sign-in')
  if (begun.status !== 200) throw new Error(begun.text)
  const cookie = begun.headers.getSetCookie()[0]!.split(';')[0]!
  const { url: back } = await new CookieBrowser().visit(begun.body.url, (address) => address.startsWith(service.url))
  return { back, cookie, url: new URL(begun.body.url) }
}

const comeBack = async (service: McpService, back: string, cookie?: string) => await service.get(back.slice(service.url.length), cookie === undefined ? {} : { cookie })

async function signIn (scene: Scene): Promise<void> {
  const { back, cookie } = await begin(scene)
  const { status, text } = await comeBack(scene.service, back, cookie)
  if (status !== 200) throw new Error(text)
}

const remove = async (service: McpService, path: string) => (await fetch(service.url + path, { method: 'DELETE' })).status

t.test('a server asks for a sign-in, is signed in at, and works', async (t) => {
  const all = await scene(t)
  const { guarded, service, state, files, tokens } = all
  await service.post('/api/mcp/reload')
  t.match(await state(), { status: 'needs_sign_in', error: /asks for a sign-in/, signed_in: false, oauth: { issuer: guarded.issuer } })
  const { back, cookie, url } = await begin(all)
  t.match(Object.fromEntries(url.searchParams), { response_type: 'code', code_challenge_method: 'S256', redirect_uri: service.url + callback, resource: guarded.url, scope: 'tools', state: /^.{40,}$/ })
  const page = await comeBack(service, back, cookie)
  t.equal(page.status, 200)
  t.match(page.text, /signed in at the MCP server “web”/)
  t.match(await state(), { status: 'ready', error: null, signed_in: true, tools_count: 1 })
  const { result } = await called(service, 'mcp__web__token', {})
  t.match(result, /^It was /)
  t.equal(statSync(files()[0]!).mode & 0o777, 0o600)
  const { accessToken, refreshToken } = tokens()
  t.equal(redact(`${accessToken} ${refreshToken}`), '[redacted] [redacted]')
  t.notMatch((await service.get('/api/mcp/servers')).text, new RegExp(`${accessToken}|${refreshToken}`))
  t.same(new Set(guarded.shown), new Set([accessToken]))
  t.equal(guarded.grants[0]!.get('resource'), guarded.url)
})

t.test('an answer counts once, in the browser that has begun, and from the issuer that was asked', async (t) => {
  const all = await scene(t)
  const { service, state } = all
  const { back, cookie } = await begin(all)
  t.match(await comeBack(service, back), { status: 400, text: /was not begun here/ })
  t.match(await comeBack(service, back, `${cookie.split('=')[0]}=${'0'.repeat(64)}`), { status: 400, text: /was not begun here/ })
  const elsewhere = new URL(back)
  elsewhere.searchParams.set('iss', 'https://issuer.example')
  t.match(await comeBack(service, elsewhere.href, cookie), { status: 400, text: /came from another issuer/ })
  t.match(await comeBack(service, back, cookie), { status: 400, text: /was not begun here/ }, 'it was used up by that')
  const again = await begin(all)
  t.equal((await comeBack(service, again.back, again.cookie)).status, 200)
  t.equal((await comeBack(service, again.back, again.cookie)).status, 400)
  t.match(await state(), { signed_in: true })
})

/** Signs in, and makes the server reject the token `before`. */
async function staleScene (t: Parameters<typeof startWith>[0]) {
  const all = await scene(t)
  await signIn(all)
  await called(all.service, 'mcp__web__token', {})
  const before = all.tokens()
  all.guarded.stale.add(before.accessToken)
  return { ...all, before }
}

t.test('a token that is not taken any more is renewed; where that is refused, somebody has to sign in anew', async (t) => {
  const all = await staleScene(t)
  const { guarded, service, state, tokens, files, before } = all
  t.match((await called(service, 'mcp__web__token', {})).result, /^It was /)
  const after = tokens()
  t.not(after.accessToken, before.accessToken)
  t.equal(redact(after.accessToken), '[redacted]', 'the service knows the new one')
  t.equal(guarded.grants.at(-1)!.get('resource'), guarded.url)
  guarded.stale.add(after.accessToken)
  writeFileSync(files()[0]!, JSON.stringify({ ...after, refreshToken: 'no-refresh-token-any-more' }))
  t.match((await called(service, 'mcp__web__token', {})).result, /somebody has to sign in/)
  t.match(await state(), { status: 'needs_sign_in' })
  await signIn(all)
  t.match((await called(service, 'mcp__web__token', {})).result, /^It was /)
})

t.test('signing out forgets the tokens and has them revoked, and so does taking the server away', async (t) => {
  const all = await scene(t)
  const { guarded, service, state, files } = all
  await service.post('/api/mcp/reload')
  await signIn(all)
  t.match(await state(), { status: 'ready', signed_in: true })
  t.equal(await remove(service, '/api/mcp/servers/web/sign-in'), 200)
  t.match(await state(), { status: 'needs_sign_in', signed_in: false })
  t.same(files(), [])
  t.ok(guarded.requests.includes('POST /token/revocation'))
  t.equal(await remove(service, '/api/mcp/servers/web/sign-in'), 200, 'nobody is signed in')
  await signIn(all)
  t.equal(await remove(service, '/api/mcp/servers/web'), 200)
  t.same(files(), [])
})

t.test('a server that was taken out of config.yaml by hand leaves no tokens behind', { long: true }, async (t) => {
  const all = await scene(t)
  const { guarded, service, state, files } = all
  await signIn(all)
  const config = join(service.home, 'config.yaml')
  const writes = async (text: string, agoS: number): Promise<void> => {
    writeFileSync(config, text)
    utimesSync(config, Date.now() / 1000 - agoS, Date.now() / 1000 - agoS)
    await service.get('/api/mcp/servers')
  }
  for (const [text, agoS] of [['', 0], ['model: {}\n', 10], ['mcp_servers: [', 300], ['mcp_servers: 5\n', 301]] as const) {
    await writes(text, agoS)
    t.equal(files().length, 1, 'half a file, or a broken one, costs nobody a sign-in')
  }
  await writes(`mcp_servers: { web: { url: "${guarded.url}", enabled: false } }\n`, 302)
  t.match(await state(), { signed_in: true })
  await writes('mcp_servers: {}\n', 303)
  t.same(files(), [])
})

t.test('a renewal that fails for now, or that somebody else was faster with, costs nobody a sign-in', { long: true }, async (t) => {
  const all = await staleScene(t)
  const { guarded, service, state, tokens, files } = all
  guarded.intercept = (request, response, who) => {
    if (who !== 'issuer' || request.url !== '/token') return false
    response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>')
    return true
  }
  t.notMatch((await called(service, 'mcp__web__token', {})).result, /sign in|gateway/)
  t.not((await state())['status'], 'needs_sign_in')
  guarded.intercept = () => false
  t.match((await called(service, 'mcp__web__token', {})).result, /^It was /)

  const after = tokens()
  guarded.stale.add(after.accessToken)
  guarded.intercept = (request, response, who) => {
    if (who !== 'issuer' || request.url !== '/token') return false
    guarded.stale.delete(after.accessToken)
    writeFileSync(files()[0]!, JSON.stringify({ ...after, refreshToken: 'of-somebody-else-who-was-faster' }))
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":"invalid_grant"}')
    return true
  }
  t.match((await called(service, 'mcp__web__token', {})).result, /^It was /)
  t.match(await state(), { status: 'ready' })
})

t.test('tokens are for the address that they were got for', async (t) => {
  const all = await scene(t)
  const { guarded, service, state } = all
  await service.post('/api/mcp/reload')
  await signIn(all)
  const other = await startGuardedServer(t)
  service.configure({ mcp_servers: { web: { url: other.url } }, approvals })
  await service.post('/api/mcp/servers/web/restart')
  t.match(await state(), { status: 'needs_sign_in' })
  t.same(other.shown, [])
  t.ok(guarded.shown.length > 0)
})

t.test('what a server, or who signs people in for it, says wrongly is refused in words', async (t) => {
  const all = await scene(t)
  const { guarded, service } = all
  const failure = async () => (({ status, body }) => [status, body.error] as const)(await service.post('/api/mcp/servers/web/sign-in'))
  const told = guarded.resource!
  guarded.resource = { ...told, resource: 'https://other.example/mcp' }
  t.same(await failure(), [502, 'The MCP server identifies itself as a different server'])
  guarded.resource = { ...told, authorization_servers: ['https://issuer.example'] }
  t.match(await failure(), [502, /The sign-in could not start|names an authorization server/])
  guarded.resource = { ...told, authorization_servers: ['http://169.254.169.254'] }
  t.match(await failure(), [502, /not reached over https/])
  guarded.resource = told
  guarded.intercept = (request, response, who) => {
    if (who !== 'issuer') return false
    response.writeHead(302, { location: 'https://issuer.example/' }).end()
    return true
  }
  t.match(await failure(), [502, /redirect, which is not followed/])
  guarded.intercept = (_, response, who) => {
    if (who !== 'issuer') return false
    response.writeHead(200, { 'content-type': 'application/json' }).end('x'.repeat(2_000_000))
    return true
  }
  t.match(await failure(), [502, /answers too much/])
  guarded.intercept = () => false
  guarded.denies = true
  const { back, cookie } = await begin(all)
  t.match(await comeBack(service, back, cookie), { status: 400, text: /was not allowed there/ })
})

t.test('whom a server names for signing in is not reached in a private network, unless the operator has named it', async (t) => {
  const all = await scene(t, {})
  const { guarded, service } = all
  t.match(await service.post('/api/mcp/servers/web/sign-in'), { status: 502, body: { error: /not reached over https/ } })
  guarded.resource = { ...guarded.resource!, authorization_servers: ['https://127.0.0.1:8443'] }
  t.match(await service.post('/api/mcp/servers/web/sign-in'), { status: 502, body: { error: /127\.0\.0\.1 has an address that is not to be reached/ } })
})

t.test('one signs in only where that makes sense', { long: true }, async (t) => {
  const service = await startWith(t, { mcp_servers: { program: { command: 'x' }, keyed: { url: 'https://example.org/mcp', headers: { authorization: 'Bearer some-key-of-mine-1' } } } })
  const errors = async (name: string) => (({ status, body }) => [status, body.error])(await service.post(`/api/mcp/servers/${name}/sign-in`))
  t.same(await errors('program'), [400, 'Only MCP servers with an address have a sign-in'])
  t.same(await errors('keyed'), [400, 'This MCP server has an Authorization header. Remove it to sign in'])
  t.same(await errors('none'), [404, 'MCP server not found'])
  t.equal(await remove(service, '/api/mcp/servers/none/sign-in'), 404)
  t.equal((await service.get(callback)).status, 400)
})
