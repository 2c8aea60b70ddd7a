import { createECDH, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { createSignInFetch } from '../../services/agent/mcp/guarded-fetch.js'
import { openHttp } from '../../services/agent/mcp/http.js'
import { createWebFetch } from '../../services/agent/tools/web-fetch.js'
import { OidcProvider } from '../../services/areas/auth/oidc-provider.js'
import { proxyCheck } from '../../services/areas/diagnostics/checks/proxy.js'
import { askTimeOf } from '../../services/areas/diagnostics/ask-time.js'
import { ForgeClient } from '../../services/areas/pulls/client.js'
import { sendPush } from '../../services/areas/push/sending.js'
import { programEnvironment } from '../../services/areas/updates/programs.js'
import { createOnlineVoice } from '../../services/areas/voice/online/online.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { getOutside, postOutside } from '../../services/ground/network/outgoing.js'
import { configureOutgoing } from '../../services/ground/proxy/outgoing.js'
import { checkProvider } from '../../services/providers/check.js'
import { createGuardedFetch } from '../../services/providers/index.js'
import { resolveProviders } from '../../services/providers/registry.js'
import { startChat } from '../support/chat.js'
import { raw } from '../support/failing-addresses.js'
import { temporaryFolder } from '../support/folder.js'
import { freePort, listening } from '../support/listening.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { nameLeadsTo } from '../support/names.js'
import { startProxy, startSocksProxy } from '../support/proxy.js'
import { toolContext } from '../support/tool-context.js'

nameLeadsTo('inside.wildcard.example', '10.1.2.3')
nameLeadsTo('credentials.wildcard.example', '169.254.169.254')

const outside = (changes: object = {}) => ({ body: '{}', headers: {}, isPrivateAllowed: false, signal: new AbortController().signal, ...changes })

async function page (t: Test, text: string): Promise<number> {
  return await listening(t, createServer((request, response) => { response.end(`${request.method} ${request.url} ${request.headers.host} ${text}`) }))
}

function outBy (t: Test, env: Record<string, string>): void {
  configureOutgoing(temporaryFolder(t, 'home'), env)
  t.teardown(() => configureOutgoing(temporaryFolder(t, 'home'), {}))
}

t.test('models are asked through the proxy that config.yaml names, from its next request on; those of this machine are not', async (t) => {
  const endpoint = await modelEndpoint(t)
  const proxy = await startProxy(t, { hosts: { 'models.invalid': Number(new URL(endpoint.url).port) } })
  proxy.admit = 'me:s3cret-word'
  const log: string[] = []
  const service = await startChat(t, { log: (line) => { log.push(JSON.stringify(line)) } })
  const configure = (address: string): void => writeFileSync(join(service.folder, 'home', 'config.yaml'), `${address === '' ? '' : `outgoing:\n  proxy: ${address}\n`}custom_providers:\n  - name: Far\n    base_url: http://models.invalid/v1\n    models: [test-model]\n  - name: Near\n    base_url: ${endpoint.url}\n    models: [test-model]\n`)
  const tried = async (provider: string) => {
    const { body, text } = await service.post('/api/providers/test', { provider, model: 'test-model' })
    t.notMatch(text, /s3cret/)
    return body
  }
  configure('')
  t.match(await tried('far'), { ok: false, code: 'name_not_found' })
  configure(`http://me:s3cret-word@127.0.0.1:${proxy.port}`)
  t.match(await tried('far'), { ok: true, code: null })
  t.ok(proxy.seen.length > 0)
  t.ok(proxy.seen.every((asked) => /^(?:GET|POST) http:\/\/models\.invalid\/v1\//.test(asked)), proxy.seen.join())
  const asked = proxy.seen.length
  t.match(await tried('near'), { ok: true })
  t.equal(proxy.seen.length, asked, 'a server of this machine is reached directly')

  proxy.admit = 'other:login'
  t.match(await tried('far'), { ok: false, code: 'proxy', message: new RegExp(`the proxy 127\\.0\\.0\\.1:${proxy.port} wants a login.* user and password`) })
  configure(`http://me:s3cret-word@127.0.0.1:${await freePort()}`)
  t.match(await tried('far'), { ok: false, code: 'proxy', message: /the proxy 127\.0\.0\.1:\d+ does not answer \(ECONNREFUSED\)\. Check outgoing\.proxy/ })
  t.match((await service.get('/api/diagnostics')).body.checks.find(({ id }: { id: string }) => id === 'proxy'), { status: 'error', message: /does not answer/ })
  configure('direct')
  t.match(await tried('far'), { ok: false, code: 'name_not_found' })
  t.match((await service.get('/api/diagnostics')).body.checks.find(({ id }: { id: string }) => id === 'proxy'), { status: 'ok', message: /directly/ })
  t.notMatch(log.join('\n'), /s3cret/)
})

t.test('what a proxy answers is said, with whose fault it is', async (t) => {
  const proxy = await startProxy(t, { hosts: {} })
  outBy(t, { HTTPS_PROXY: `http://me:s3cret-word@127.0.0.1:${proxy.port}` })
  const said = async () => await postOutside(new URL('https://hooks.invalid/x'), outside())
  const cases: Array<[answer: number | null, admit: string | null, code: string, says: RegExp]> = [
    [403, null, 'proxy_refused', /the proxy 127\.0\.0\.1:\d+ refuses to connect to it \(403\)/],
    [null, null, 'proxy_failed', /could not connect to it \(502\)/],
    [503, null, 'proxy_failed', /could not connect to it \(503\)/],
    [405, null, 'proxy_no_proxy', /the server at 127\.0\.0\.1:\d+ is not a proxy \(405\)/],
    [null, 'a:b', 'proxy_login', /wants a login/]
  ]
  for (const [answer, admit, code, says] of cases) {
    Object.assign(proxy, { answer, admit })
    const outcome = await said()
    t.match(outcome, { isPrivate: false, isFinal: false, code, says })
    t.notMatch(JSON.stringify(outcome), /s3cret|hooks\.invalid/)
  }
  t.ok(proxy.seen.every((asked) => asked === 'CONNECT hooks.invalid:443'))
  const answers: Array<[on: Parameters<typeof raw>[1], code: string]> = [
    [(socket) => { socket.end('220 mail.example.org ESMTP\r\n') }, 'proxy_no_proxy'],
    [(socket) => { socket.destroy() }, 'proxy_failed']
  ]
  for (const [on, code] of answers) {
    outBy(t, { HTTPS_PROXY: `127.0.0.1:${await raw(t, on)}` })
    t.match(await said(), { code })
  }
  outBy(t, { HTTPS_PROXY: 'ftp://proxy.example' })
  t.match(await said(), { code: 'proxy_unusable', says: /HTTPS_PROXY is not the address/ })
})

t.test('a proxy of SOCKS, with a login and without', async (t) => {
  const port = await page(t, 'found')
  const proxy = await startSocksProxy(t, { hosts: { 'far.invalid': port } })
  const ask = async () => await (await createGuardedFetch()('http://far.invalid/a')).text()
  outBy(t, { ALL_PROXY: `socks5h://me:pass@127.0.0.1:${proxy.port}` })
  proxy.admit = 'me:pass'
  t.equal(await ask(), 'GET /a far.invalid found')
  t.same(proxy.seen, ['SOCKS far.invalid:80'])
  proxy.admit = 'me:other'
  await t.rejects(postOutside(new URL('http://far.invalid/'), outside()).then((outcome) => { throw Object.assign(new Error('it'), outcome) }), { code: 'proxy_login' })
  proxy.admit = null
  proxy.answer = 2
  t.match(await postOutside(new URL('http://far.invalid/'), outside()), { code: 'proxy_refused' })
})

t.test('private addresses stay closed behind a proxy: by address, by where a name leads, by the name, and after a redirect', async (t) => {
  const port = await page(t, 'secret')
  const leading = await listening(t, createServer((_request, response) => { response.writeHead(302, { location: 'http://10.0.0.1/' }).end() }))
  const closed = ['10.0.0.1', '192.168.1.1', '169.254.169.254', '[fd00::1]', 'inside.wildcard.example', 'credentials.wildcard.example', 'printer', 'db.corp', 'a.internal', 'b.local', 'router.lan', 'metadata.google.internal']
  const proxy = await startProxy(t, { hosts: { ...Object.fromEntries(closed.map((host) => [host, port])), 'public.invalid': port, 'leading.invalid': leading } })
  outBy(t, { ALL_PROXY: `http://127.0.0.1:${proxy.port}` })
  const tool = createWebFetch()
  const fetched = async (url: string): Promise<string> => await tool.run({ url }, toolContext('/tmp', { mayFetch: async () => true })).then(({ text }) => text, (error: Error) => error.message)
  t.match(await fetched('http://public.invalid/'), /GET \/ public\.invalid secret/)
  const asked = proxy.seen.length
  for (const host of closed) {
    t.match(await fetched(`http://${host}/`), /is not on the public internet/, host)
    t.match(await postOutside(new URL(`http://${host}/`), outside()), { isPrivate: true }, host)
  }
  t.match(await fetched('http://leading.invalid/'), /is not on the public internet/)
  t.equal(proxy.seen.length, asked + 1, 'the proxy never hears of them')

  for (const host of ['169.254.169.254', 'credentials.wildcard.example', 'metadata.google.internal', 'metadata']) {
    await t.rejects(createGuardedFetch()(`http://${host}/`), { cause: { code: 'ERR_ADDRESS_REFUSED' } }, host)
  }
  t.equal(await (await createGuardedFetch()('http://db.corp/v1')).text(), 'GET /v1 db.corp secret', 'what the operator names may be internal')
  t.match(await postOutside(new URL('http://db.corp/'), outside({ isPrivateAllowed: true })), { status: 200 })
})

t.test('the doctor asks for a tunnel, with the login: what the proxy answers is said', async (t) => {
  const proxy = await startProxy(t, { hosts: { 'example.com': await page(t, 'far') } })
  proxy.admit = 'me:right'
  const home = temporaryFolder(t, 'doctor')
  const found = async (login: string) => await proxyCheck({ home, env: { HTTPS_PROXY: `http://${login}127.0.0.1:${proxy.port}` } }).run(new AbortController().signal)
  t.match(await found('me:right@'), { status: 'ok', message: /which answers and accepts the login\.$/ })
  for (const login of ['me:wrong@', '']) t.match(await found(login), [{ status: 'error', message: /wants a login, or does not accept/, fix: /user and password/ }])
  for (const [answer, message] of [[405, /is not a proxy \(405\)/], [502, /could not connect to it \(502\)/]] as const) {
    proxy.answer = answer
    t.match(await found('me:right@'), [{ status: 'error', message }])
  }
  proxy.answer = 403
  t.match(await found('me:right@'), { status: 'ok' }, 'it may permit only what is needed')
  t.same([...new Set(proxy.seen)], ['CONNECT example.com:443'])
})

t.test('every kind of connection leaves through the proxy, whichever way it is named, unless its host is excepted', async (t) => {
  const proxy = await startProxy(t, { hosts: {} })
  proxy.answer = 403
  const address = `http://127.0.0.1:${proxy.port}`
  const signal = new AbortController().signal
  const entryAt = (baseUrl: string) => resolveProviders({ env: {}, config: { custom_providers: [{ name: 'Far', base_url: baseUrl, models: ['m'] }] }, local: [] }).filter((entry) => entry.baseUrl === baseUrl)
  const kinds: Record<string, (origin: string) => Promise<unknown>> = {
    provider: async (origin) => await checkProvider(entryAt(`${origin}/v1`)[0]!, { timeoutMs: 5_000 }),
    clock: async (origin) => await askTimeOf(async () => entryAt(`${origin}/v1`))(signal),
    page: async (origin) => await createWebFetch().run({ url: `${origin}/` }, toolContext('/tmp', { mayFetch: async () => true })),
    webhook: async (origin) => await postOutside(new URL(origin), outside()),
    image: async (origin) => await getOutside(new URL(origin), signal, 'image/*'),
    mcp: async (origin) => {
      const transport = await openHttp({ url: `${origin}/mcp`, headers: {}, signIn: null, onRefused () {} })
      await transport.start()
      await transport.send({ jsonrpc: '2.0', id: 1, method: 'ping' }).finally(async () => await transport.close())
    },
    oauth: async (origin) => await createSignInFetch([])(`${origin}/token`),
    push: async (origin) => {
      const { default: webPush } = await import('web-push')
      const [p256dh, auth] = [createECDH('prime256v1').generateKeys('base64url'), randomBytes(16).toString('base64url')]
      const subscription = { id: 'a', endpoint: `${origin}/push`, p256dh, auth, approvals: true, questions: true, turns: true, jobs: true, pulls: true, userAgent: null, via: 'open' as const, tokenHash: null, lastError: null, lastSentAt: null, createdAt: 0 }
      const message = { id: 'a', subscriptionId: 'a', kind: 'turn' as const, promptId: null, body: '{}', attempts: 0, nextAttemptAt: 0, createdAt: 0, expiresAt: 60 }
      await sendPush(subscription, message, { keys: webPush.generateVAPIDKeys(), contact: 'mailto:me@example.org', isPrivateAllowed: false, nowS: 0, signal })
    },
    openid: async (origin) => await new OidcProvider({ issuer: origin, clientId: 'a', clientSecret: null, clock: systemClock }).configuration(),
    voice: async (origin) => await createOnlineVoice({ clock: systemClock, address: origin.replace('https:', 'wss:') }).speak('Hello', 'en-GB-SoniaNeural', { rate: 1, pitch: 1 }, signal),
    forge: async (origin) => await new ForgeClient({ clock: systemClock, isPrivateAllowed: false }).json({ name: 'Forge', api: origin, token: 't', authorization: {} }, '/user')
  }
  const home = temporaryFolder(t, 'configured')
  writeFileSync(join(home, 'config.yaml'), `outgoing:\n  proxy: ${address}\n  no_proxy: excepted.invalid\n`)
  const ways: Array<[string, () => void]> = [
    ['outgoing.proxy', () => configureOutgoing(home, { HTTPS_PROXY: 'http://127.0.0.1:1' })],
    ...['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy'].map((name): [string, () => void] =>
      [name, () => outBy(t, { [name]: address, [name === name.toUpperCase() ? 'NO_PROXY' : 'no_proxy']: 'excepted.invalid' })])
  ]
  for (const [way, set] of ways) {
    set()
    for (const [kind, connect] of Object.entries(kinds)) {
      const before = proxy.seen.length
      await connect(`https://${kind}.${way.replace(/\W|_/g, '-').toLowerCase()}.invalid`).catch(() => {})
      t.same([...new Set(proxy.seen.slice(before))], [`CONNECT ${kind}.${way.replace(/\W|_/g, '-').toLowerCase()}.invalid:443`], `${kind} by ${way}`)
      await connect(`https://${kind}.excepted.invalid`).catch(() => {})
      t.notOk(proxy.seen.some((asked) => asked.includes('excepted')), `${kind} by ${way}, excepted`)
    }
    t.equal(programEnvironment({})['HTTPS_PROXY'], address, `npm and git by ${way}`)
  }
})
