import { signal } from '@preact/signals-core'
import { request as forward } from 'node:http'
import t, { type Test } from '../../test/support/harness.js'
import { serving } from '../../test/support/listening.js'
import { sends } from '../src/core/composer/send-key.js'
import { ranked } from '../src/core/screen/palette-search.js'
import { Api, type ApiError } from '../src/core/service/api.js'
import { createAppVersion } from '../src/core/service/app-version.js'
import { type FeedFrame, type LinkState } from '../src/core/service/link.js'
import { parseExport } from '../src/settings/exported.js'
import { nextValue, pageOf, parseTyped, settingsTable, shownText } from '../src/settings/table.js'
import { synonyms } from '../src/settings/synonyms/index.js'
import { inMarks } from '../src/ui/marking.js'
import { settings as en } from '../src/words/en/settings.js'
import { languageCodes, languages } from '../src/words/languages.js'
import { isPage, mcpChangeOf, mcpCopyOf, mcpFormOf, parseValues } from '../src/settings/mcp-form.js'
import { createMcpList } from '../src/settings/mcp-list.js'
import { createUpdating } from '../src/settings/updating.js'
import { start } from '../../test/support/app.js'
import { temporaryFolder } from '../../test/support/folder.js'
import { CookieBrowser } from '../../test/support/identity-provider.js'
import { installation } from '../../test/support/installation.js'
import { startGuardedServer } from '../../test/support/mcp/guarded-server.js'
import { hostileServer, startWith } from '../../test/support/mcp/servers.js'
import { noteStart } from '../../test/support/updates.js'
import { until } from './browser-app.js'

/** What stands before a service for a browser: its cookies go with every request, and another process may answer at the same address. */
async function browserAt (t: Test, url: string) {
  const place = { url, cookie: '' }
  const origin = await serving(t, (request, response) => {
    const { headers, method, url: path } = request
    const { host } = new URL(place.url)
    const sent = forward(place.url + path, { method, headers: { ...headers, host, origin: place.url, ...(place.cookie === '' ? {} : { cookie: place.cookie }) } }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    sent.on('error', () => response.destroy())
    request.pipe(sent)
  })
  return Object.assign(place, { origin })
}

t.test('the password is changed in one window: another one of the same browser goes on, another device has to sign in', async (t) => {
  const service = await start(t)
  const browser = await browserAt(t, service.url)
  const cookieOf = (headers: Headers): string => headers.getSetCookie()[0]!.split(';')[0]!
  const windowOf = (token: string) => {
    const seen = { token, signedOut: 0 }
    const api = new Api({ origin: browser.origin, get csrfToken () { return seen.token }, onToken: (token) => { seen.token = token }, onSignedOut: () => { seen.signedOut++ } })
    return { api, seen }
  }
  // The page was opened while nobody had to sign in: it has no token at all.
  const { api, seen } = windowOf('')
  browser.cookie = cookieOf((await service.post('/api/settings', { _set_password: 'correct horse' })).headers)
  t.match(await api.post('/api/settings', { show_tps: true }), { show_tps: true, logged_in: true })
  const { token } = seen
  t.match(token, /^[0-9a-f]{64}$/)

  const elsewhere = cookieOf((await service.post('/api/auth/login', { password: 'correct horse' })).headers)
  const changed = await service.post('/api/settings', { _current_password: 'correct horse', _set_password: 'battery staple' }, { cookie: browser.cookie })
  browser.cookie = cookieOf(changed.headers)
  const answers = await Promise.all([api.post('/api/settings', { show_tps: false }), api.change('delete', '/api/push/subscriptions', {}, { id: 'none' }).catch((error: ApiError) => error.status)])
  t.match(answers, [{ show_tps: false }, 404])
  t.not(seen.token, token)
  t.equal((await service.get('/api/settings', { cookie: elsewhere })).status, 401)

  t.equal((await service.get('/api/settings', { cookie: browser.cookie })).body.show_tps, false)
  await t.rejects(api.post('/api/settings', { _current_password: 'wrong', _set_password: 'x' }), { status: 403, message: 'The current password is wrong' }, 'a refusal that has nothing to do with the token stays what it is')
  browser.cookie = elsewhere
  void api.get('/api/settings')
  while (seen.signedOut === 0) await new Promise(setImmediate)
})

t.test('a window learns that the service has another build of the app', async (t) => {
  const service = await start(t)
  const browser = await browserAt(t, service.url)
  const own = /name="app-version" content="([0-9a-f]{12})"/.exec((await service.get('/')).text)![1]!
  const versionOf = (own: string) => {
    const version = createAppVersion(own)
    return { version, api: new Api({ origin: browser.origin, onVersion: version.hear }) }
  }
  const same = versionOf(own)
  t.equal(await same.version.ask(same.api), 'broken', 'a part that is missing is missing for good')
  t.equal(same.version.isOld.value, false)
  const old = versionOf('0123456789ab')
  await old.api.get('/api/sessions', { limit: '1' })
  t.equal(old.version.isOld.value, true, 'any answer tells')
  t.equal(await old.version.ask(old.api), 'new-version')
  old.version.hear(null)
  t.equal(old.version.isOld.value, true)
  old.version.hear('0123456789ab')
  t.equal(old.version.isOld.value, false, 'an update that was taken back')
  const unknown = versionOf('')
  await unknown.version.ask(unknown.api)
  t.equal(unknown.version.isOld.value, false)
  await service.stop()
  t.equal(await same.version.ask(same.api), 'cut-off')
})

t.test('an MCP server goes through its form: only what is another is sent, and nothing that is not shown is lost', async (t) => {
  const secret = '--api-key=sk-abcdefghijklmnop1234567890abcd'
  const service = await startWith(t, { mcp_servers: { one: { command: process.execPath, args: ['-v', secret], cwd: '/', env: { TOKEN: 'a-value-of-it' }, timeout: 7 } } })
  const api = new Api({ origin: service.url })
  const list = createMcpList({ api })
  await list.servers.refresh()
  const server = list.servers.value.value!.servers[0]!
  t.same(mcpChangeOf(mcpFormOf(server), server), {})
  t.equal(mcpCopyOf(server), null, 'what is not shown could not be brought back')
  const form = { ...mcpFormOf(server), args: `--more\n-v\n${server.args[1]!}`, cwd: ' ', env: 'TOKEN\nOTHER=x=y', sampling: true }
  const change = mcpChangeOf(form, server)
  t.same(change, { args: ['--more', '-v', '--api-key=[redacted]'], cwd: '', env: { OTHER: 'x=y' }, sampling: true })
  const { server: changed } = await api.change('patch', '/api/mcp/servers/{name}', { name: 'one' }, change as object)
  t.match(changed, { cwd: null, env: ['TOKEN', 'OTHER'], sampling: true, timeout: 7 })
  t.same(mcpChangeOf({ ...mcpFormOf(changed), env: 'OTHER' }, changed), { env: { TOKEN: null } })

  const fresh = mcpFormOf(null)
  t.match(mcpChangeOf(fresh, null), { wrong: 'name' })
  t.match(mcpChangeOf({ ...fresh, name: 'x', kind: 'http' }, null), { wrong: 'target' })
  t.match(mcpChangeOf({ ...fresh, name: 'x', command: 'y', env: 'KEY' }, null), { wrong: 'noValue', about: 'KEY' })
  t.match(mcpChangeOf({ ...fresh, name: 'x', command: 'y', env: '=v' }, null), { wrong: 'noName', about: 'v' })
  t.same(parseValues('Authorization: Basic abc=\n\nX-Place=http://a:1/\nOld', 'headers'), [['Authorization', 'Basic abc='], ['X-Place', 'http://a:1/'], ['Old', null]])
  t.same(parseValues('A=b:c=d', 'env'), [['A', 'b:c=d']])

  const plain = hostileServer() as { command: string, args: string[] }
  await api.change('put', '/api/mcp/servers/{name}', { name: 'two' }, mcpChangeOf({ ...fresh, name: 'two', command: plain.command, args: plain.args.join('\n') }, null) as object)
  await api.change('patch', '/api/mcp/servers/{name}', { name: 'two' }, { tools: { exclude: ['die'] }, connect_timeout: 9 })
  await list.servers.refresh()
  const two = list.servers.value.value!.servers[1]!
  await api.change('delete', '/api/mcp/servers/{name}', { name: 'two' })
  t.match((await api.change('put', '/api/mcp/servers/{name}', { name: 'two' }, mcpCopyOf(two)!)).server, two, 'Undo')
})

t.test('a list of MCP servers follows what is under way: a start, and a sign-in that comes back', async (t) => {
  const guarded = await startGuardedServer(t)
  const service = await startWith(t, { mcp_servers: { web: { url: guarded.url, oauth: { issuer: guarded.issuer } } } })
  const now = { ms: 0 }
  const list = createMcpList({ api: new Api({ origin: service.url }), nowMs: () => now.ms, afterMs: 5 })
  const status = () => list.servers.value.value?.servers[0]?.status
  await service.post('/api/mcp/reload')
  t.teardown(list.watch())
  await list.servers.refresh()
  t.equal(status(), 'needs_sign_in')
  const begun = await service.post('/api/mcp/servers/web/sign-in')
  const address = await list.signIn('web')
  t.ok(isPage(address))
  t.equal(isPage('javascript:alert(1)'), false)
  t.equal(list.signIns.value.get('web'), address)
  const { url: back } = await new CookieBrowser().visit(begun.body.url, (address) => address.startsWith(service.url))
  await service.get(back.slice(service.url.length), { cookie: begun.headers.getSetCookie()[0]!.split(';')[0]! })
  await until(() => status() === 'ready' && list.signIns.value.size === 0)
  t.match(list.servers.value.value!.servers[0], { signed_in: true, tools_count: 1 })

  await fetch(`${service.url}/api/mcp/servers/web/sign-in`, { method: 'DELETE' })
  await list.servers.refresh()
  await list.signIn('web')
  now.ms = 600_000
  await until(() => list.signIns.value.size === 0)
  t.equal(status(), 'needs_sign_in', 'nobody came back in time')
})

t.test('an update is followed over the restart; what refuses it is said, and a lost answer is looked up', async (t) => {
  const project = installation(t)
  const folder = temporaryFolder(t, 'updating')
  const restart = { asked: () => {} }
  const updates = { installation: { root: project.folder }, restart: () => restart.asked() }
  const first = await start(t, { folder, updates })
  const browser = await browserAt(t, first.url)
  const listeners = new Set<(frame: FeedFrame) => void>()
  const link = { state: signal<LinkState>('open'), onFrame: (listener: (frame: FeedFrame) => void) => { listeners.add(listener); return () => listeners.delete(listener) } }
  const updating = createUpdating({ api: new Api({ origin: browser.origin }), link, slowMs: 60_000, afterMs: 5 })

  await updating.look()
  t.match(updating.news.value.value, { webui: { behind: 0 } })
  await updating.apply()
  t.same(updating.phase.value, { step: 'none' }, 'it is the newest')
  project.release({ 'server.js': 'process.exit(1)\n' })
  await updating.apply()
  t.match(updating.phase.value, { step: 'refused', why: /did not start/ })

  project.release({ 'server.js': project.read('server.js') })
  const asked = new Promise<void>((resolve) => { restart.asked = resolve })
  await updating.apply()
  t.same(updating.phase.value, { step: 'restarting' })
  await updating.apply()
  await asked
  const { stateDir } = first.app.config
  await first.stop()
  noteStart(stateDir)
  const second = await start(t, { folder, updates })
  second.app.updates.begin()
  browser.url = second.url
  for (const listener of listeners) listener({ event: 'snapshot', data: {} } as FeedFrame)
  await until(() => updating.phase.value.step === 'done')
  t.match(updating.news.value.value, { last_update: { ok: true } })
  t.equal(listeners.size, 0)

  project.release({ 'build.js': 'throw new Error("broken")\n' })
  const lost = createUpdating({ api: new Api({ origin: browser.origin }), link, slowMs: 60_000, afterMs: 5 })
  await lost.news.refresh()
  browser.url = 'http://127.0.0.1:1'
  const applying = lost.apply()
  await applying
  t.same(lost.phase.value, { step: 'lost' })
  browser.url = second.url
  await second.post('/api/updates/apply', { target: 'webui' })
  await until(() => lost.phase.value.step === 'refused')
  t.match(lost.phase.value, { why: /could not be built/ })
})

t.test('what is typed as a setting is stored in its own unit', async (t) => {
  const of = (key: string) => settingsTable.find((setting) => setting.key === key)!
  t.same(parseTyped(of('pinned_sessions_limit'), ' 7 '), { value: 7 })
  for (const wrong of ['', '0', '100', '1.5', 'x']) t.same(parseTyped(of('pinned_sessions_limit'), wrong), { wrong: 'number' }, wrong)
  t.same(parseTyped(of('tts_rate'), '1.2'), { value: 1.2 })
  t.same(parseTyped(of('max_tokens'), ' '), { value: null })
  t.same(parseTyped(of('session_ttl_seconds'), '30'), { value: 2_592_000 }, 'days')
  t.equal(shownText(of('session_ttl_seconds'), 2_592_000), '30')
  t.same(parseTyped(of('voice_silence_ms'), '1.8'), { value: 1_800 })
  t.equal(nextValue(of('rtl'), false), true)
  t.same(['system', 'light', 'dark', 'gone'].map((value) => nextValue(of('theme'), value)), ['light', 'dark', 'system', 'system'])
})

t.test('every setting has words in every language, synonyms and a page; a page keeps the address that it had', async (t) => {
  const spoken = await Promise.all(languageCodes.map(async (code) => (await languages[code].screens()).settings))
  for (const { key, page, choices = [] } of settingsTable) {
    for (const words of spoken) {
      t.ok(words.keys[key]?.[0], `a label of ${key}`)
      t.ok(words.pages[page], page)
      for (const choice of choices) if (choice !== '') t.not(words.choice(choice), '', choice)
    }
    t.ok(synonyms[key], `synonyms of ${key}`)
  }
  const keys = new Set(settingsTable.map(({ key }) => key))
  t.equal(keys.size, settingsTable.length, 'no setting is listed twice')
  for (const words of [...spoken.map(({ keys }) => keys), synonyms]) t.same(Object.keys(words).filter((key) => !keys.has(key)), [], 'nothing is said of what is not there')
  t.same(['security', 'mcp', 'grants', 'speech', 'advanced', 'devices', 'nowhere'].map(pageOf), ['sign-in', 'tool-servers', 'permissions', 'voice', 'appearance', 'devices', null])
})

t.test('settings are found by synonyms in any language, and pieces that match are marked', async (t) => {
  const sought = (word: string) => ranked(settingsTable.map(({ key }) => ({ key, text: en.keys[key]![0], keywords: synonyms[key]! })), word).map(({ key }) => key)
  for (const [word, key] of [['dark', 'theme'], ['深色', 'theme'], ['cost', 'budget_day'], ['permission', 'rules'], ['权限', 'rules'], ['sign in', 'passkeys'], ['api key', 'tokens'], ['token', 'tokens'], ['Kosten', 'budget_day'], ['coût', 'budget_day'], ['cout', 'budget_day'], ['costo', 'budget_day'], ['料金', 'budget_day'], ['dunkel', 'theme'], ['clé api', 'provider_keys'], ['contraseña', 'password'], ['通知', 'push'], ['fork', null]] as const) {
    if (key === null) t.same(sought(word), [], word)
    else t.ok(sought(word).includes(key), `${word} finds ${key}`)
  }
  t.same(inMarks('Hide keys (and Keys)', 'key'), ['Hide ', 'key', 's (and ', 'Key', 's)'])
  t.same(inMarks('a.b', '.'), ['a', '.', 'b'], 'a sign is no pattern')
  t.same(inMarks('text', ' '), ['text'])
})

t.test('the key that sends follows the setting; Ctrl and ⌘ with Enter always do', async (t) => {
  const pressed = { key: 'Enter', ctrlKey: false, metaKey: false, shiftKey: false }
  const sendsBy = (sendKey: unknown, isTouch = false) =>
    [{}, { shiftKey: true }, { ctrlKey: true }, { metaKey: true }].map((more) => sends({ ...pressed, ...more }, { sendKey, isTouch }))
  t.same(sendsBy('enter'), [true, false, true, true])
  t.same(sendsBy(undefined), [true, false, true, true])
  t.same(sendsBy('ctrl+enter'), [false, false, true, true])
  t.same(sendsBy('shift+enter'), [false, true, true, true])
  t.same(sendsBy('enter', true), [false, false, true, true], 'a touch keyboard has no other key for a new line')
  t.equal(sends({ ...pressed, key: 'a' }, { sendKey: 'enter', isTouch: false }), false)
})

t.test('a file is an export if it has messages', async (t) => {
  const messages = [{ role: 'user', content: 'hi' }]
  for (const text of [JSON.stringify({ messages }), JSON.stringify(messages), JSON.stringify({ session: { messages } })]) t.same(parseExport(text), { messages })
  for (const text of ['', 'hello', '7', 'null', '{"messages":{}}', '{"session":null}']) t.equal(parseExport(text), null, text)
})
