import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { start, type StartOptions, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { listening, serving } from '../support/listening.js'
import { modelEndpoint, type ModelEndpoint } from '../support/model-endpoint.js'

const config = (service: TestService): string => join(service.folder, 'home', 'config.yaml')
const env = (service: TestService): string => join(service.folder, 'home', '.env')

async function endpointOf (t: Test, models?: string[]): Promise<ModelEndpoint> {
  const endpoint = await modelEndpoint(t, models === undefined ? {} : { models })
  return endpoint
}

async function withConfig (t: Test, text: string, options: StartOptions = {}): Promise<TestService> {
  const service = await start(t, options)
  writeFileSync(config(service), text)
  return service
}

t.test('a key is pasted, tried, and used by the next turn, and nobody gets it back', async (t) => {
  const endpoint = await endpointOf(t)
  const service = await start(t, { env: { OPENAI_BASE_URL: endpoint.url } })
  writeFileSync(env(service), '# mine\nOTHER=1\n')
  const key = 'sk-test-0123456789abcdef'
  t.same((await service.post('/api/providers', { provider: 'openai', api_key: key })).body, { ok: true, provider: 'openai', display_name: 'OpenAI', action: 'updated' })
  t.equal(readFileSync(env(service), 'utf8'), `# mine\nOTHER=1\nOPENAI_API_KEY=${key}\n`)
  t.equal(statSync(env(service)).mode & 0o777, 0o600)
  const { body: listed, text } = await service.get('/api/providers')
  t.match(listed, { active_provider: 'openai', providers: [{ id: 'openai', has_key: true, configurable: true, key_source: 'env_file' }] })
  t.notMatch(text, key)

  t.match((await service.post('/api/providers/test', { provider: 'openai' })).body, { ok: true, code: null, models: 3, model: 'test-model' })
  t.same((await service.post('/api/default-model', { model: 'test-reasoning' })).body, { ok: true, model: 'test-reasoning', provider: 'openai' })
  const id = await service.newSession()
  const streamId = await service.send(id, 'hello')
  const events = await service.events(`/api/chat/stream?stream_id=${streamId}`)
  await events.until('stream_end')
  t.equal(endpoint.requests.filter(({ stream }) => stream).at(-1)?.model, 'test-reasoning')
  t.equal((await service.session(id)).model, 'test-reasoning')

  t.match((await service.post('/api/providers', { provider: 'openai', api_key: '' })).body, { ok: true, action: 'removed' })
  t.equal(readFileSync(env(service), 'utf8'), '# mine\nOTHER=1\n')
})

t.test('a key is taken out of all places that have it', async (t) => {
  const service = await withConfig(t, `model:
  provider: My Lab
  api_key: key-in-model
providers:
  openai:
    api_key: key-in-section # old
    base_url: http://127.0.0.1:9/v1
custom_providers:
  - name: My Lab
    base_url: http://127.0.0.1:9/v1
    api_key: key-in-config-file
`)
  t.match((await service.post('/api/providers/delete', { provider: 'my-lab' })).body, { ok: true, provider: 'my-lab', display_name: 'My Lab', action: 'removed' })
  t.match((await service.post('/api/providers/delete', { provider: 'openai' })).body, { ok: true, provider: 'openai' })
  t.equal(readFileSync(config(service), 'utf8'), `model:
  provider: My Lab
providers:
  openai:
    base_url: http://127.0.0.1:9/v1
custom_providers:
  - name: My Lab
    base_url: http://127.0.0.1:9/v1
`)
  t.match((await service.post('/api/providers', { provider: 'My Lab', api_key: 'key-pasted-here' })).body, { ok: true, provider: 'my-lab' })
  t.match(readFileSync(config(service), 'utf8'), '    key_env: MY_LAB_API_KEY\n')
  t.equal(readFileSync(env(service), 'utf8'), 'MY_LAB_API_KEY=key-pasted-here\n')
  t.match((await service.get('/api/providers')).body.providers[0], { id: 'my-lab', is_custom: true, has_key: true, key_source: 'env_file' })
})

t.test('what can be no key, and what is no provider', async (t) => {
  const service = await start(t, { env: { ANTHROPIC_API_KEY: 'sk-ant-of-the-environment' } })
  const refused = async (body: unknown, error: RegExp, status = 400, path = '/api/providers'): Promise<void> => {
    t.match(await service.post(path, body), { status, body: { error } }, JSON.stringify(body))
  }
  await refused({ provider: 'openai', api_key: 'short' }, /8 characters/)
  await refused({ provider: 'openai', api_key: 'long-enough\nEVIL=1' }, /no blanks, line breaks/)
  for (const key of ['Bearer long-enough', 'long enough key', 'long-enough\u00a0key']) await refused({ provider: 'openai', api_key: key }, /no blanks/)
  await refused({ provider: 'nobody', api_key: 'long-enough' }, /no provider "nobody"/)
  await refused({ provider: 'nobody' }, /no provider/)
  await refused({ api_key: 'long-enough' }, /Missing required field\(s\): provider/)
  await refused({ provider: 'anthropic' }, /ANTHROPIC_API_KEY of the service's environment/, 409)
  await refused({ provider: 'anthropic' }, /environment/, 409, '/api/providers/delete')
  t.match((await service.post('/api/providers', { provider: 'anthropic', api_key: 'sk-ant-of-the-profile' })).body, { action: 'updated' }, 'a key of one\'s own goes first')
  t.match((await service.get('/api/providers')).body.providers[0], { id: 'anthropic', key_source: 'env_file' })
})

t.test('what is wrong with a provider is said in words', async (t) => {
  const service = await start(t)
  const answers: Record<string, [number, string]> = {
    '/key/models': [401, '{"error":{"message":"Incorrect API key sk-secret-123"}}'],
    '/quota/models': [429, '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}'],
    '/busy/models': [429, '{"error":{"message":"slow down"}}'],
    '/broken/models': [500, 'oops'],
    '/html/models': [200, '<html>'],
    '/list/models': [200, '{"data":[{"id":"only-one"}]}'],
    '/list/chat/completions': [404, '{"error":{"message":"model does not exist","code":"model_not_found"}}']
  }
  const server = createServer((request, response) => {
    const [status, text] = answers[request.url ?? ''] ?? [404, 'not here']
    response.writeHead(status, { 'content-type': 'application/json' }).end(text)
  })
  const port = await listening(t, server)
  const tried = async (baseUrl: string): Promise<unknown> => {
    const { body, text } = await service.post('/api/providers/test', { provider: 'openai', api_key: 'sk-secret-1234', base_url: baseUrl })
    t.notMatch(text, /secret|127\.0\.0\.1/)
    t.equal(body.ok, body.code === null)
    return body.code
  }
  for (const [path, code] of [['key', 'invalid_key'], ['quota', 'no_quota'], ['busy', 'rate_limited'], ['broken', 'provider_failed'], ['html', 'not_understood'], ['nothing', 'wrong_address'], ['list', null]] as const) {
    t.equal(await tried(`http://127.0.0.1:${port}/${path}`), code, path)
  }
  t.equal(await tried('https://127.0.0.1:' + port + '/v1'), 'tls')
  t.equal(await tried('http://no-such-host.invalid/v1'), 'name_not_found')
  server.closeAllConnections()
  await service.post('/api/providers/custom', { name: 'List', base_url: `http://127.0.0.1:${port}/list`, activate: true })
  t.match((await service.post('/api/providers/test', { provider: 'list', model: 'gone' })).body, { ok: false, code: 'unknown_model', model: 'gone', models: 1 })
  await new Promise<void>((resolve) => server.close(() => resolve()))
  t.equal(await tried(`http://127.0.0.1:${port}/list`), 'refused')
  t.match(await service.post('/api/providers/test', { provider: 'nobody' }), { status: 400 })
  t.match(await service.post('/api/providers/test', { provider: 'openai', base_url: 'http://169.254.169.254/' }), { status: 400, body: { error: /metadata/ } })
  t.match((await service.post('/api/providers/test', { provider: 'anthropic' })).body, { ok: false, code: 'not_set_up' })
})

t.test('the model that answers is chosen, and what the file says beside that stays', async (t) => {
  const [first, second] = [await endpointOf(t, ['a-1', 'shared']), await endpointOf(t, ['b-1', 'shared'])]
  const service = await withConfig(t, `# mine
model:
  default: a-1 # the good one
  base_url: ${first.url}
custom_providers:
  - name: Second
    base_url: ${second.url}
`)
  await service.get('/api/models')
  t.same((await service.post('/api/default-model', { model: 'b-1' })).body, { ok: true, model: 'b-1', provider: 'second' }, 'only one is known to have it')
  t.equal(readFileSync(config(service), 'utf8'), `# mine
model:
  default: b-1 # the good one
  provider: second
custom_providers:
  - name: Second
    base_url: ${second.url}
providers:
  custom:
    base_url: ${first.url}
`)
  t.match((await service.get('/api/models')).body, { active_provider: 'second', default_model: 'b-1' })
  t.match((await service.post('/api/default-model', { model: '@custom:shared' })).body, { model: 'shared', provider: 'custom' }, 'the endpoint chosen before is still there')
  await eventually('the settings to know', async () => (await service.get('/api/settings')).body.default_model === 'shared')
  t.match((await service.post('/api/model/set', { scope: 'main', model: 'unheard-of', provider: 'second' })).body, { ok: true, scope: 'main', model: 'unheard-of', provider: 'second' }, 'ids nobody knows are passed on')

  const refused = async (path: string, body: unknown, status: number, error: RegExp): Promise<void> => {
    t.match(await service.post(path, body), { status, body: { error } }, JSON.stringify(body))
  }
  await refused('/api/default-model', {}, 400, /Missing required field\(s\): model/)
  await refused('/api/default-model', { model: ' ' }, 400, /model/)
  await refused('/api/default-model', { model: 'm', provider: 'nobody' }, 400, /no provider "nobody"/)
  const wrong: Array<[string, unknown]> = [
    ['timeout', 0], ['timeout', 'soon'], ['timeout', [5]], ['download_timeout', -1], ['max_concurrency', 1.5], ['max_concurrency', 'two'], ['extra_body', 'x'], ['extra_body', [1]],
    ...['model', 'messages', 'stream', 'tools', 'input', 'system', 'contents', 'service_tier'].map((key): [string, unknown] => ['extra_body', { [key]: 'x' }]),
    ['service_tier', 5], ['service_tier', 'two words'], ['base_url', 5], ['api_key', 5], ['api_key', 'short'], ['api_key_clear', 'yes'], ['surprise', 1]
  ]
  for (const [key, value] of wrong) {
    await refused('/api/default-model', { model: 'shared', provider: 'custom', advanced: { [key]: value } }, 400, new RegExp(key))
    await refused('/api/model/set', { scope: 'auxiliary', task: 'curator', model: 'shared', provider: 'custom', advanced: { [key]: value } }, 400, new RegExp(key))
  }
  for (const empty of [{}, false, '', null]) {
    const advanced = Object.fromEntries(['base_url', 'timeout', 'download_timeout', 'max_concurrency', 'extra_body', 'api_key', 'api_key_clear', 'service_tier'].map((key) => [key, empty]))
    t.match(await service.post('/api/default-model', { model: 'shared', provider: 'custom', advanced }), { status: 200, body: { model: 'shared', provider: 'custom' } }, JSON.stringify(empty))
    t.match(await service.post('/api/model/set', { scope: 'auxiliary', task: 'curator', model: 'shared', provider: 'custom', advanced }), { status: 200 }, JSON.stringify(empty))
  }
  for (const advanced of [{}, false, '', null, { surprise: '', stream_options: {} }]) {
    t.match(await service.post('/api/default-model', { model: 'shared', provider: 'custom', advanced }), { status: 200, body: { model: 'shared', provider: 'custom' } }, JSON.stringify(advanced))
    t.match(await service.post('/api/model/set', { scope: 'main', model: 'shared', provider: 'custom', advanced }), { status: 200 }, JSON.stringify(advanced))
    t.match(await service.post('/api/model/set', { scope: 'auxiliary', task: 'curator', model: 'shared', provider: 'custom', advanced }), { status: 200 }, JSON.stringify(advanced))
  }
  for (const advanced of [true, 'x', 1, [{}]]) await refused('/api/default-model', { model: 'shared', provider: 'custom', advanced }, 400, /advanced/)
  for (const task of ['approval', 'mcp', 'skills_hub', 'kanban_decomposer', 'profile_describer', 'triage_specifier']) {
    t.match(await service.post('/api/model/set', { scope: 'auxiliary', task, model: 'shared', provider: 'custom' }), { status: 200, body: { task, model: 'shared' } }, task)
    const { tasks } = (await service.get('/api/model/auxiliary')).body
    t.match(tasks.find((row: { task: string }) => row.task === task), { model: 'shared', provider: 'custom', base_url: '', timeout: null, api_key_set: false }, task)
  }
  t.match((await service.post('/api/default-model', { model: 'offline-demo' })).body, { model: 'offline-demo', provider: 'offline-demo' }, 'what is built in is nobody else\'s')
  t.match((await service.post('/api/default-model', { model: 'shared', provider: 'custom' })).body, { provider: 'custom' })
  await refused('/api/default-model', { model: 'm', advanced: { base_url: 'file:///etc/passwd' } }, 400, /base_url must/)
  await refused('/api/model/set', { scope: 'both', model: 'm' }, 400, /scope/)
  await refused('/api/model/set', { scope: 'auxiliary', task: 'dreams', model: 'm' }, 400, /task/)
  writeFileSync(config(service), 'model: [\n')
  await refused('/api/default-model', { model: 'm', provider: 'openai' }, 409, /does not parse/)
  t.equal(readFileSync(config(service), 'utf8'), 'model: [\n')
})

t.test('a kind of small task has a model of its own', async (t) => {
  const endpoint = await endpointOf(t, ['large', 'small'])
  const service = await withConfig(t, `model:\n  default: large\n  base_url: ${endpoint.url}\n`)
  await service.get('/api/models')
  t.same((await service.post('/api/model/set', { scope: 'auxiliary', task: 'title_generation', model: 'small', provider: 'custom' })).body,
    { ok: true, scope: 'auxiliary', task: 'title_generation', model: 'small', provider: 'custom' })
  t.match((await service.get('/api/model/auxiliary')).body.tasks.find(({ task }: { task: string }) => task === 'title_generation'), { model: 'small', provider: 'custom' })
  const id = await service.newSession()
  const events = await service.events(`/api/chat/stream?stream_id=${await service.send(id, 'hello')}`)
  await events.until('stream_end')
  await eventually('the title to be asked for', () => endpoint.requests.some(({ model }) => model === 'small'))
  const refused = await service.post('/api/model/set', { scope: 'auxiliary', task: 'none', model: 'small' })
  t.equal(refused.status, 400)
  const { tasks } = (await service.get('/api/model/auxiliary')).body
  t.equal(refused.body.error, `task: one of ${tasks.map(({ task }: { task: string }) => task).join(', ')}, or __reset__`, 'it names all that are taken')
  t.match((await service.post('/api/model/set', { scope: 'auxiliary', task: '__reset__' })).body, { ok: true, task: '__reset__' })
  t.equal(readFileSync(config(service), 'utf8'), `model:\n  default: large\n  base_url: ${endpoint.url}\n`)
})

t.test('a server of one\'s own is set up', async (t) => {
  const endpoint = await endpointOf(t, ['local-model'])
  const service = await start(t)
  const address = endpoint.url.replace(/\/v1$/, '')
  t.same((await service.post('/api/providers/self-hosted', { provider: 'lmstudio', model: 'local-model', base_url: address, activate: false })).body, { ok: true, provider: 'lmstudio', base_url: address, model: 'local-model' })
  t.equal(readFileSync(config(service), 'utf8'), `providers:\n  lmstudio:\n    base_url: ${address}\n`)
  await service.post('/api/providers/self-hosted', { provider: 'ollama', model: 'local-model', base_url: address })
  t.match((await service.get('/api/models')).body, { active_provider: 'ollama', default_model: 'local-model' })
  for (const [body, error] of [
    [{ provider: 'openai', model: 'm', base_url: address }, /provider/],
    [{ provider: 'ollama', base_url: address }, /model/],
    [{ provider: 'ollama', model: 'm' }, /base_url/],
    [{ provider: 'ollama', model: 'm', base_url: 'gopher://x' }, /base_url/]
  ] as const) t.match(await service.post('/api/providers/self-hosted', body), { status: 400, body: { error } })
  t.match((await service.post('/api/models/refresh', { provider: 'ollama' })).body, { ok: true, provider: 'ollama' })
  t.equal((await service.post('/api/models/refresh', { provider: 'nobody' })).status, 400)
})

t.test('how much a model thinks', async (t) => {
  const service = await withConfig(t, '# mine\nmodel:\n  provider: openai\n  default: gpt-5\n', { env: { OPENAI_API_KEY: 'sk-test-12345678' } })
  const { body: before } = await service.get('/api/reasoning')
  t.match(before, { show_reasoning: true, reasoning_effort: '', supports_reasoning_effort: true })
  t.ok(before.supported_efforts.includes('high'))
  t.match((await service.post('/api/reasoning', { effort: 'max' })).body, { reasoning_effort: before.supported_efforts.at(-1) }, 'told as it is used')
  t.match(readFileSync(config(service), 'utf8'), 'agent:\n  reasoning_effort: max\n', 'and kept as it was wished')
  t.match((await service.get('/api/reasoning?model=gpt-4o&provider=openai')).body, { supported_efforts: [], supports_reasoning_effort: false, reasoning_effort: 'max' })
  t.match((await service.post('/api/reasoning', { display: 'hide' })).body, { show_reasoning: false })
  t.match((await service.post('/api/reasoning', { display: 1 })).body, { show_reasoning: true })
  t.match((await service.post('/api/reasoning', { effort: '' })).body, { reasoning_effort: '' })
  for (const body of [{}, { display: 'show', effort: 'low' }, { effort: 'huge' }, { display: 'perhaps' }, { effort: 5 }]) t.equal((await service.post('/api/reasoning', body)).status, 400, JSON.stringify(body))
})

t.test('two clients that change different things at once: both are kept', async (t) => {
  const service = await withConfig(t, '# mine\n', { env: { OPENAI_API_KEY: 'sk-test-12345678' } })
  const changes: Array<[string, unknown]> = [
    ['/api/reasoning', { effort: 'low' }], ['/api/reasoning', { display: 'hide' }], ['/api/default-model', { model: 'gpt-5', provider: 'openai' }],
    ['/api/model/set', { scope: 'auxiliary', task: 'compression', model: 'gpt-5-mini', provider: 'openai' }], ['/api/providers/custom', { name: 'Lab', base_url: 'http://127.0.0.1:9/v1' }]
  ]
  t.same(await Promise.all(changes.map(async ([path, body]) => (await service.post(path, body)).status)), changes.map(() => 200))
  const text = readFileSync(config(service), 'utf8')
  for (const part of ['# mine', 'reasoning_effort: low', 'show_reasoning: false', 'default: gpt-5', 'compression:', 'name: Lab']) t.match(text, part)
})

t.test('who goes on when a model gives up is put in another order, and what stands there is kept as it is written', async (t) => {
  const endpoint = await endpointOf(t, ['large', 'spare'])
  const service = await withConfig(t, `model: { default: large, base_url: "${endpoint.url}" }
# who goes on
fallback_providers:
  - lab # the box downstairs
  # cheap
  - { provider: openai, model: gpt-5-mini, note: mine }
  - 17
custom_providers:
  - { name: Lab, base_url: "${endpoint.url}" }
`, { env: { OPENAI_API_KEY: 'sk-test-12345678' } })
  await service.get('/api/models')
  const { body: before } = await service.get('/api/model/fallbacks')
  t.match(before, {
    fallbacks: [
      { provider: 'lab', model: null, means: { provider: 'lab', provider_name: 'Lab', model: 'large', label: 'large' }, problem: null },
      { provider: 'openai', model: 'gpt-5-mini', means: { provider_name: 'OpenAI', label: /GPT-5/ }, problem: null }
    ]
  })
  const set = async (fallbacks: unknown, version?: string) => await service.post('/api/model/fallbacks', { fallbacks, version })
  const { body: after } = await set([{ provider: 'openai', model: 'gpt-5-mini' }, { model: 'spare' }, { provider: 'lab' }], before.version)
  t.match(after.fallbacks.map(({ provider, model }: Record<string, unknown>) => [provider, model]), [['openai', 'gpt-5-mini'], ['custom', 'spare'], ['lab', null]])
  t.equal(readFileSync(config(service), 'utf8').slice(readFileSync(config(service), 'utf8').indexOf('#')), `# who goes on
fallback_providers:
  # cheap
  - { provider: openai, model: gpt-5-mini, note: mine }
  - provider: custom
    model: spare
  - lab # the box downstairs
  - 17
custom_providers:
  - { name: Lab, base_url: "${endpoint.url}" }
`)
  t.match(await set([], before.version), { status: 409, body: { error: /Someone else/ } })
  for (const [body, error] of [
    [[{}], /must name a model/], [[{ provider: 'auto', model: ' ' }], /must name a model/], [[{ provider: 'nobody' }], /no provider "nobody"/], [[{ provider: 'lab' }, { provider: 'lab', model: '' }], /twice/],
    [Array.from({ length: 21 }, (_, at) => ({ provider: 'lab', model: `m${at}` })), /At most 20/], [[5], /fallbacks/], ['lab', /fallbacks/], [undefined, /fallbacks/]
  ] as const) t.match(await set(body), { status: 400, body: { error } }, JSON.stringify(body))
  t.match((await set([])).body, { fallbacks: [] })
  t.match(readFileSync(config(service), 'utf8'), /fallback_providers:\n {2}# cheap\n {2}- 17\n/)
  writeFileSync(config(service), 'fallback_providers: openai\n')
  t.match((await set([{ provider: 'openai' }, { provider: 'anthropic' }])).body.fallbacks, [{ means: { provider: 'openai' } }, { means: null, problem: /not set up/ }])
  t.equal(readFileSync(config(service), 'utf8'), 'fallback_providers:\n  - openai\n  - provider: anthropic\n')
})

t.test('what is known of a model is told with it, and what is not known is not made up', async (t) => {
  const origin = await serving(t, (_request, response) => response.end(JSON.stringify({
    data: [
      { id: 'priced', context_length: 64_000, pricing: { prompt: '0.0000001', completion: '0.0000004' }, architecture: { input_modalities: ['text', 'image'] }, supported_parameters: ['tools', 'reasoning'] },
      { id: 'plain' }, { id: 'odd', pricing: { prompt: '-1', completion: '-1' } }
    ]
  })))
  const url = `${origin}/v1`
  const service = await withConfig(t, `model: { provider: lab }\ncustom_providers:\n  - { name: Lab, base_url: "${url}" }\n`, { env: { OPENAI_API_KEY: 'sk-test-12345678', OPENROUTER_API_KEY: 'sk-or-12345678' } })
  const { groups } = (await service.get('/api/models')).body
  const model = (id: string) => groups.flatMap(({ models, extra_models: extra }: Record<string, unknown[]>) => [...models!, ...extra!]).find((one: { id: string }) => one.id === id)
  t.match(model('plain'), { context_length: null, price: { input: 0, output: 0 }, vision: null, reasoning: null }, 'what runs here is free')
  t.match(model('priced'), { context_length: 64_000, vision: true, reasoning: true })
  t.match(model('@openai:gpt-4o'), { context_length: 128_000, price: { input: 2.5, output: 10 }, vision: true, reasoning: false })
  t.equal(model('@openrouter:openrouter/auto').price, null, 'what hands on to others has no price of its own')
  t.same(model('@openrouter:openrouter/free').price, { input: 0, output: 0 })
})
