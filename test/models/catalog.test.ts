import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import t, { type Test } from '#test'
import { ModelCatalog, type ModelGroup } from '../../services/areas/models/index.js'
import { createProfiles } from '../../services/areas/profiles/index.js'
import { start } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { listening } from '../support/listening.js'
import { modelEndpoint } from '../support/model-endpoint.js'

/** Returns the address of a server on this machine. */
async function serve (t: Test, listener: RequestListener): Promise<string> {
  const port = await listening(t, createServer(listener))
  return `http://127.0.0.1:${port}/v1`
}

const list = (...ids: readonly string[]): string => JSON.stringify({ data: ids.map((id) => ({ id })) })
const json = (response: ServerResponse, text: string): unknown => response.writeHead(200, { 'content-type': 'application/json' }).end(text)

interface Waiting { ms: number, pass: () => void }
interface Made { models: ModelCatalog, waiting: Waiting[], clock: { ms: number } }

/** Creates a catalog for which time passes when the test says so. */
function catalogOf (t: Test, config: string): Made {
  const home = mkdtempSync(join(tmpdir(), 'models-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  writeFileSync(join(home, 'config.yaml'), config)
  const time = { ms: 0 }
  const clock = { now: () => 1_700_000_000_000 + time.ms, monotonic: () => time.ms }
  const waiting: Waiting[] = []
  const passed = async (ms: number): Promise<void> => await new Promise((resolve) => waiting.push({ ms, pass: resolve }))
  return { models: new ModelCatalog({ profiles: createProfiles({ home, env: {}, clock }), clock, probeLocal: false, passed }), waiting, clock: time }
}

const custom = (servers: Record<string, string>): string => `custom_providers:\n${Object.entries(servers).map(([name, url]) => `  - { name: ${name}, base_url: "${url}", models: [${name}-static] }\n`).join('')}`
const rowOf = (groups: ModelGroup[], id: string): { ids: string[], error: string | null } => {
  const group = groups.find(({ providerId }) => providerId === id)!
  return { ids: group.models.map((model) => model.id), error: group.endpointError }
}

t.test('one dead, one slow and two that answer nonsense hold up nobody, and what comes late is used', async (t) => {
  let slow: ServerResponse | undefined
  const asked: string[] = []
  const named = (name: string, answer: (response: ServerResponse) => unknown): RequestListener => (_, response) => { asked.push(name); answer(response) }
  const { models, waiting, clock } = catalogOf(t, custom({
    good: await serve(t, named('good', (response) => json(response, list('g-1', 'g-2')))),
    dead: 'http://127.0.0.1:9/v1',
    slow: await serve(t, named('slow', (response) => { slow = response })),
    garbage: await serve(t, named('garbage', (response) => json(response, '{"data":[{'))),
    huge: await serve(t, named('huge', (response) => json(response, `{"data":[${'{"id":"m"},'.repeat(500_000)}{}]}`))),
    last: await serve(t, named('last', (response) => json(response, list('l-1'))))
  }))

  let isAnswered = false
  const first = models.groups('default').finally(() => { isAnswered = true })
  await eventually('all to be asked while the slow one is silent', () => new Set(asked).size === 5)
  t.equal(waiting.length, 1, 'all of them are waited for together')
  t.ok(waiting[0]!.ms <= 8_000 && waiting[0]!.ms > 7_000, '8 seconds at most')
  await eventually('the others to be known', async () => (await models.live('default', 'last')).models.length === 1 && (await models.live('default', 'huge')).error !== undefined)
  t.equal(isAnswered, false, 'the slow one is waited for')
  waiting[0]!.pass()
  const { groups } = await first
  t.same(rowOf(groups, 'good'), { ids: ['g-1', 'g-2'], error: null })
  t.same(rowOf(groups, 'last'), { ids: ['@last:l-1'], error: null })
  t.match(rowOf(groups, 'dead'), { ids: ['@dead:dead-static'], error: /cannot be reached/ })
  t.match(rowOf(groups, 'slow'), { ids: ['@slow:slow-static'], error: /did not list its models in time/ })
  for (const id of ['garbage', 'huge']) t.match(rowOf(groups, id), { ids: [`@${id}:${id}-static`], error: /could not be understood/ })

  const count = asked.length
  const before = waiting.length
  t.match(rowOf((await models.groups('default')).groups, 'slow'), { error: /in time/ })
  t.equal(waiting.length, before, 'nobody waits for it a second time')
  t.equal(asked.length, count, 'and nobody is asked')
  json(slow!, list('s-1'))
  await eventually('what came late to be used', async () => rowOf((await models.groups('default')).groups, 'slow').error === null)
  t.same(rowOf((await models.groups('default')).groups, 'slow'), { ids: ['@slow:s-1'], error: null })

  clock.ms += 61_000
  t.match(rowOf((await models.groups('default')).groups, 'dead'), { error: /cannot be reached/ }, 'failures are tried again after a minute')
  t.equal(waiting.length, before, 'beside the answer')
  await eventually('those that failed to be asked again', () => asked.filter((name) => name === 'garbage').length === 2)
  t.equal(asked.filter((name) => name === 'good').length, 1, 'and those that did not are not')
})

t.test('a list of a day ago is shown until a newer one is there', async (t) => {
  let ids = ['old']
  const { models, waiting, clock } = catalogOf(t, custom({ box: await serve(t, (_, response) => json(response, list(...ids))) }))
  t.same(rowOf((await models.groups('default')).groups, 'box').ids, ['old'])
  ids = ['new']
  const before = waiting.length
  clock.ms += 25 * 60 * 60_000
  t.same(rowOf((await models.groups('default')).groups, 'box').ids, ['old'])
  t.equal(waiting.length, before)
  await eventually('the newer one', async () => rowOf((await models.groups('default')).groups, 'box').ids[0] === 'new')
})

t.test('what a key that was changed meanwhile had brought does not take the place of what the new one brings', async (t) => {
  const waitingFor: Array<{ key: string, response: ServerResponse }> = []
  const url = await serve(t, ({ headers }, response) => { waitingFor.push({ key: headers.authorization ?? '', response }) })
  const home = mkdtempSync(join(tmpdir(), 'models-'))
  t.teardown(() => rmSync(home, { recursive: true, force: true }))
  const keyed = (key: string): void => writeFileSync(join(home, 'config.yaml'), `custom_providers:\n  - { name: Box, base_url: "${url}", api_key: ${key} }\n`)
  const time = { now: () => 1_700_000_000_000 }
  const models = new ModelCatalog({ profiles: createProfiles({ home, env: {}, clock: time }), clock: time, probeLocal: false, passed: async () => await new Promise(() => {}) })
  keyed('first-key')
  const first = models.groups('default')
  await eventually('the first to be asked', () => waitingFor.length === 1)
  keyed('the-second-key')
  const second = models.groups('default')
  await eventually('the second to be asked', () => waitingFor.length === 2)
  json(waitingFor[1]!.response, list('of-the-second'))
  t.same(rowOf((await second).groups, 'box').ids, ['of-the-second'])
  json(waitingFor[0]!.response, list('of-the-first'))
  await first
  t.same(rowOf((await models.groups('default')).groups, 'box').ids, ['of-the-second'])
  t.equal(waitingFor.length, 2)
})

t.test('what is unchanged is not sent again', async (t) => {
  const endpoint = await modelEndpoint(t, { models: Array.from({ length: 40 }, (_, index) => `model-${index}`) })
  const service = await start(t, { env: { OPENAI_BASE_URL: endpoint.url } })
  const config = join(service.folder, 'home', 'config.yaml')
  const first = await service.get('/api/models', { 'accept-encoding': 'identity' })
  const etag = first.headers.get('etag')!
  t.match(etag, /^W\/"[\w-]{22}"$/)
  t.equal(first.headers.get('cache-control'), 'private, no-cache')
  t.match(first.body.groups[0], { name: 'OpenAI (15 of 40)', provider: 'OpenAI (15 of 40)', provider_id: 'openai' })
  t.equal(first.body.groups[0].models.length, 15)
  const unchanged = await service.get('/api/models', { 'if-none-match': `"other", ${etag}` })
  t.match(unchanged, { status: 304, text: '' })
  t.equal(unchanged.headers.get('etag'), etag)
  t.equal((await service.get('/api/models?freshness=session_visit', { 'if-none-match': etag })).status, 304)
  t.match(await service.get('/api/models?freshness=now'), { status: 400 })
  const zipped = Buffer.from(await (await fetch(`${service.url}/api/models`, { headers: { 'accept-encoding': 'gzip' } })).arrayBuffer())
  t.same(JSON.parse(zipped[0] === 0x1f ? gunzipSync(zipped).toString() : zipped.toString()), first.body)
  t.equal(endpoint.requests.length, 1, 'one request for all of this')

  writeFileSync(config, 'model: { default: model-39 }\n')
  const changed = await service.get('/api/models', { 'if-none-match': etag })
  t.match(changed, { status: 200, body: { default_model: 'model-39', configured_model_badges: { 'model-39': { role: 'primary', label: 'Primary', provider: 'openai', tasks: [] } } } })
  t.ok(changed.body.groups[0].models.some(({ id }: { id: string }) => id === 'model-39'), 'the selected one is among those that are shown')
  rmSync(config)
  t.equal((await service.get('/api/models', { 'if-none-match': etag })).status, 304, 'the same content has the same tag')

  await service.post('/api/profile/create', { name: 'other' })
  const cookie = (await service.post('/api/profile/switch', { name: 'other' })).headers.get('set-cookie')!.split(';')[0]!
  writeFileSync(join(service.folder, 'home', 'profiles', 'other', 'config.yaml'), 'model: { default: model-7 }\n')
  t.match(await service.get('/api/models', { cookie, 'if-none-match': etag }), { status: 200, body: { default_model: 'model-7' } })
  t.equal((await service.get('/api/models', { 'if-none-match': etag })).status, 304, 'each profile has its own')
})

t.test('models that are given something to do say so', async (t) => {
  const [main, other] = [await serve(t, (_, response) => json(response, list('large', 'small', 'seer'))), await serve(t, (_, response) => json(response, list('spare', 'small')))]
  const service = await start(t)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), `model: { provider: main, default: large, aliases: { quick: small } }
custom_providers:
  - { name: Main, base_url: "${main}" }
  - { name: Other, base_url: "${other}" }
fallback_providers:
  - other
  - { provider: nobody, model: gone }
  - "@other:small"
  - { provider: main, model: large }
auxiliary:
  title_generation: { model: quick }
  compression: { provider: main, model: small }
  vision: { provider: main, model: seer }
  web_extract: { provider: auto, model: "" }
  goal_judge: { model: spare, provider: other }
`)
  const { groups, configured_model_badges: badges, aliases } = (await service.get('/api/models')).body
  t.same(badges, {
    large: { role: 'primary', label: 'Primary', provider: 'main', tasks: [] },
    '@other:spare': { role: 'fallback', label: 'Fallback 1', provider: 'other', tasks: ['goal_judge'] },
    '@other:small': { role: 'fallback', label: 'Fallback 3', provider: 'other', tasks: [] },
    small: { role: 'auxiliary', label: 'Titles, Compression', provider: 'main', tasks: ['title_generation', 'compression'] },
    seer: { role: 'auxiliary', label: 'Vision', provider: 'main', tasks: ['vision'] }
  })
  t.same(aliases, { quick: 'small' })
  t.same(groups.map((group: { models: Array<{ id: string }>, extra_models: unknown[] }) => [group.models.map(({ id }) => id), group.extra_models]), [[['large', 'small', 'seer'], []], [['@other:spare', '@other:small'], []]])
  t.match((await service.get('/api/reasoning?model=quick')).status, 200)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'fallback_providers: { a: 1 }\nauxiliary: [x]\n')
  t.match((await service.get('/api/models')).body.configured_model_badges, { 'offline-demo': { role: 'primary' } }, 'nonsense gives nobody anything to do')
})

t.test('what a provider says of the key is told until it is another one', async (t) => {
  const url = await serve(t, ({ headers }, response) => headers.authorization === 'Bearer the-right-key' ? json(response, list('m')) : response.writeHead(401).end())
  const service = await start(t, { env: { OPENAI_BASE_URL: url, OPENAI_API_KEY: 'the-wrong-key', ANTHROPIC_API_KEY: 'of-the-environment' } })
  const config = join(service.folder, 'home', 'config.yaml')
  writeFileSync(config, `model: { provider: google }
providers:
  lmstudio: { base_url: "http://127.0.0.1:9/v1", api_key: in-config-yaml }
custom_providers:
  - { name: Lab, base_url: "http://127.0.0.1:9/v1" }
`)
  writeFileSync(join(service.folder, 'home', '.env'), 'ANTHROPIC_API_KEY=\nOPENROUTER_API_KEY=of-the-file\n')
  const told = async (): Promise<unknown[]> => (await service.get('/api/providers')).body.providers.map((row: Record<string, unknown>) => [row['id'], row['has_key'], row['key_source'], row['auth_error']])
  await service.get('/api/models/live?provider=openai')
  t.same(await told(), [
    ['google', false, 'none', 'Google Gemini has no API key: set GEMINI_API_KEY in the profile\'s .env file or in the environment.'],
    ['lab', false, 'none', null],
    ['lmstudio', true, 'config_yaml', null],
    ['openai', true, 'env_var', 'OpenAI refused the API key.'],
    ['openrouter', true, 'env_file', null],
    ['anthropic', false, 'none', null]
  ], 'the active one, those with an address of their own, those with a key, the others')
  await service.post('/api/providers', { provider: 'openai', api_key: 'the-right-key' })
  t.same((await told())[3], ['openai', true, 'env_file', null])
  t.match((await service.get('/api/models/live?provider=openai')).body, { count: 1 })
})
