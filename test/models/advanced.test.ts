import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { startChat } from '../support/chat.js'
import { modelEndpoint } from '../support/model-endpoint.js'

const service = await startChat(t)

type Row = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- answers as they come

t.test('how the main model is asked', async (t) => {
  // It makes the default model slow to ask and quick to give up on.
  const service = await startChat(t)
  let atOnce = 0
  let most = 0
  const model = service.model(...[1, 2, 3].map(() => async () => {
    most = Math.max(most, ++atOnce)
    await new Promise((resolve) => setTimeout(resolve, 50))
    atOnce--
    return [{ text: 'Yes.' }]
  }), [{ waitMs: 8_000 }, { text: 'late' }], [{ waitMs: 8_000 }, { text: 'late' }], [{ waitMs: 8_000 }, { text: 'late' }])
  const advanced = { extra_body: { temperature: 0.5, chat_template_kwargs: { thinking: false } }, service_tier: 'flex', max_concurrency: 1, timeout: '' }
  t.match(await service.post('/api/default-model', { model, provider: 'openai', advanced }), { status: 200 })
  t.match((await service.get('/api/model/auxiliary')).body.main, { extra_body: advanced.extra_body, service_tier: 'flex', max_concurrency: 1, timeout: null })
  await Promise.all([1, 2, 3].map(async (each) => await service.turn(await service.newSession(), `go ${each}`)))
  t.equal(service.requests(model).length, 3)
  t.equal(most, 1, 'one call after the other')
  for (const { body } of service.requests(model)) t.match(body, { ...advanced.extra_body, service_tier: 'flex', model, stream: true, messages: Array })

  t.match(await service.post('/api/default-model', { model, provider: 'openai', advanced: { timeout: 1, extra_body: {}, service_tier: '' } }), { status: 200 })
  t.match((await service.get('/api/model/auxiliary')).body.main, { extra_body: {}, service_tier: '', max_concurrency: 1, timeout: 1 })
  await service.turn(await service.newSession(), 'silence')
  t.equal(service.requests(model).length, 6, 'a silent call is ended, and tried again')
  t.notOk('temperature' in service.requests(model).at(-1)!.body)
})

t.test('how a small task is asked: at an address of its own, with a key of its own', async (t) => {
  const elsewhere = await modelEndpoint(t, { models: ['small'] })
  elsewhere.script(() => [{ text: 'A title of its own' }])
  const home = (name: string): string => join(service.folder, 'home', name)
  const slot = async (): Promise<Row> => (await service.get('/api/model/auxiliary')).body.tasks.find(({ task }: Row) => task === 'title_generation')
  const set = async (advanced: object, provider = 'custom'): Promise<Row> => await service.post('/api/model/set', { scope: 'auxiliary', task: 'title_generation', model: 'small', provider, advanced })
  t.match(await set({ base_url: elsewhere.url }, 'openai'), { status: 400, body: { error: /api_key/ } }, 'the key of a provider does not go elsewhere')
  const key = 'sk-of-the-titles-123'
  t.match(await set({ base_url: elsewhere.url, api_key: key, timeout: 20, service_tier: 'priority', extra_body: { seed: 7 } }), { status: 200 })
  t.match(await slot(), { model: 'small', provider: 'custom', base_url: elsewhere.url, api_key_set: true, timeout: 20, service_tier: 'priority', extra_body: { seed: 7 } })
  t.notMatch(readFileSync(home('config.yaml'), 'utf8'), key)
  t.match(readFileSync(home('.env'), 'utf8'), `AUXILIARY_TITLE_GENERATION_API_KEY=${key}`)
  await service.turn(await service.newSession(), 'Name this')
  for (let tries = 0; tries < 100 && elsewhere.requests.length === 0; tries++) await new Promise((resolve) => setTimeout(resolve, 50))
  t.match(elsewhere.requests[0], { body: { model: 'small', service_tier: 'priority', seed: 7 }, headers: { authorization: `Bearer ${key}` } })
  t.match(await set({ base_url: elsewhere.url, api_key_clear: true }), { status: 200 })
  t.match(await slot(), { base_url: elsewhere.url, api_key_set: false, timeout: 20 })
  t.notMatch(readFileSync(home('.env'), 'utf8'), key)
  writeFileSync(home('config.yaml'), 'auxiliary:\n  curator:\n    timeout: long\n')
  t.match((await service.get('/api/settings')).body.config_problems, [{ path: 'auxiliary.curator.timeout' }])
})

t.test('a page is waited for as long as the slot that reads pages says; in other slots that is kept, and does nothing', async (t) => {
  const limit = () => service.app.profiles.rules('default').pageLimitMs
  const set = async (task: string, advanced: object): Promise<Row> => await service.post('/api/model/set', { scope: 'auxiliary', task, model: 'test-model', provider: 'openai', advanced })
  const slot = async (name: string): Promise<Row> => (await service.get('/api/model/auxiliary')).body.tasks.find(({ task }: Row) => task === name)
  t.equal(limit(), null)
  t.match(await set('vision', { download_timeout: 5 }), { status: 200 })
  t.match(await slot('vision'), { download_timeout: 5 })
  t.equal(limit(), null)
  t.match(await set('web_extract', { download_timeout: 45 }), { status: 200 })
  t.match(await slot('web_extract'), { download_timeout: 45 })
  t.equal(limit(), 45_000)
  t.match(await set('web_extract', { download_timeout: '' }), { status: 200 })
  t.equal(limit(), null)
})

t.test('an address that was shown without its key keeps the key when it is sent back; a key that is hidden is never stored', async (t) => {
  const elsewhere = await modelEndpoint(t, { models: ['small'] })
  const config = (): string => readFileSync(join(service.folder, 'home', 'config.yaml'), 'utf8')
  const full = `${elsewhere.url}?key=sk-abcdefghijklmnop1234567890`
  const refused = { status: 400, body: { error: /^base_url: .*hidden value/ } }
  const setSlot = async (baseUrl: string): Promise<Row> => await service.post('/api/model/set', {
    scope: 'auxiliary', task: 'title_generation', model: 'small', provider: 'custom', advanced: { base_url: baseUrl, api_key: 'sk-of-the-titles-123' }
  })
  t.match(await setSlot(full), { status: 200 })
  const { base_url: shown } = (await service.get('/api/model/auxiliary')).body.tasks.find(({ task }: Row) => task === 'title_generation')
  t.match(shown, /\[redacted\]/)
  t.match(await setSlot(shown), { status: 200 })
  t.match(await setSlot(`${shown}&more=1`), refused)
  t.match(config(), full)

  const setDefault = async (baseUrl: string): Promise<Row> => await service.post('/api/default-model', {
    model: 'small', provider: 'custom', advanced: { base_url: baseUrl, api_key: 'sk-of-the-titles-123' }
  })
  t.match(await setDefault(shown), refused, 'nothing was shown in this place')
  t.match(await setDefault(full), { status: 200 })
  t.match(await setDefault(shown), { status: 200 })

  for (const [path, body, provider] of [
    ['/api/providers/self-hosted', { provider: 'vllm', model: 'small', activate: false }, 'vllm'],
    ['/api/providers/custom', { name: 'elsewhere', models: ['small'] }, 'elsewhere']
  ] as const) {
    t.match(await service.post(path, { ...body, base_url: shown }), refused, path)
    t.match(await service.post(path, { ...body, base_url: full }), { status: 200, body: { base_url: shown } }, path)
    t.match(await service.post(path, { ...body, base_url: shown }), { status: 200, body: { base_url: shown } }, path)
    t.match(await service.post('/api/providers/test', { provider, base_url: shown }), { status: 200 }, path)
    t.match(await service.post('/api/providers/test', { provider, base_url: `${shown}&more=1` }), refused, path)
  }
  t.match(await service.post('/api/profile/create', { name: 'new', default_model: 'small', model_provider: 'custom', base_url: shown }), refused)
  t.notMatch(config(), /redacted/)
  t.equal(config().split(full).length - 1, 4)
})
