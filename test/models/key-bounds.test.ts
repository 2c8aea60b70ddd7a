import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { start, type TestService } from '../support/app.js'
import { serving } from '../support/listening.js'

const key = 'sk-stored-key-of-mine'
const away = { status: 400, body: { error: /^api_key: send the key along with this address/ } }

/** Starts a server that lists one model, and records the keys it received. */
async function serve (t: Test): Promise<{ url: string, keys: Array<string | undefined> }> {
  const keys: Array<string | undefined> = []
  const origin = await serving(t, (request, response) => {
    keys.push(request.headers.authorization)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[{"id":"only-one"}]}')
  })
  return { url: `${origin}/v1`, keys }
}

function write (service: TestService, files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(service.folder, 'home', name), text)
}

t.test('a stored key is tested at its own server only; another address needs the key for it', async (t) => {
  const service = await start(t)
  const [own, other] = [await serve(t), await serve(t)]
  write(service, {
    '.env': `OPENAI_API_KEY=${key}\nLAB_API_KEY=${key}\nOLLAMA_API_KEY=${key}\n`,
    'config.yaml': `model: { provider: openai, base_url: "${own.url}" }\nproviders: { anthropic: { api_key: ${key} }, vllm: { base_url: "${own.url}" } }\ncustom_providers: [{ name: Lab, base_url: "${own.url}", key_env: LAB_API_KEY }]\n`
  })
  for (const provider of ['openai', 'anthropic', 'claude', 'ollama']) t.match(await service.post('/api/providers/test', { provider, base_url: other.url }), away, provider)
  t.same(other.keys, [])
  t.match((await service.post('/api/providers/test', { provider: 'openai', base_url: own.url.replace('/v1', '/other/v1') })).status, 200, 'another path of its own server')
  t.match((await service.post('/api/providers/test', { provider: 'openai', base_url: other.url, api_key: 'sk-another-key-1' })).body, { ok: true })
  t.match((await service.post('/api/providers/test', { provider: 'vllm', base_url: other.url })).body, { ok: true }, 'one without a key')
  t.match((await service.post('/api/providers/test', { provider: 'lab', base_url: other.url })).body, { ok: true }, 'an address that no key is stored for is asked without one')
  t.same(other.keys, ['Bearer sk-another-key-1', undefined, undefined])
})

t.test('an address that is set up does not take the stored key of another one along', async (t) => {
  const service = await start(t)
  const [own, other] = [await serve(t), await serve(t)]
  const config = `model:\n  default: m\n  provider: lab\ncustom_providers:\n  - name: Lab\n    base_url: ${own.url}\n    key_env: LAB_API_KEY\nproviders:\n  lmstudio:\n    base_url: ${own.url}\n    api_key: ${key}\n`
  write(service, { '.env': `OPENAI_API_KEY=${key}\nLAB_API_KEY=${key}\n`, 'config.yaml': config })
  for (const [path, body] of [
    ['/api/default-model', { model: 'm', provider: 'openai', advanced: { base_url: other.url } }],
    ['/api/model/set', { scope: 'main', model: 'm', provider: 'openai', advanced: { base_url: other.url } }],
    ['/api/providers/custom', { name: 'Lab', base_url: other.url }],
    ['/api/providers/self-hosted', { provider: 'lmstudio', model: 'm', base_url: other.url, activate: false }],
    ['/api/profile/create', { name: 'thief', clone_config: true, model_provider: 'openai', base_url: other.url }],
    ['/api/profile/create', { name: 'thief', clone_config: true, model_provider: 'lmstudio', base_url: other.url }]
  ] as const) t.match(await service.post(path, body), away, `${path} ${JSON.stringify(body)}`)
  t.equal(readFileSync(join(service.folder, 'home', 'config.yaml'), 'utf8'), config, 'nothing is written')
  t.notOk(existsSync(join(service.folder, 'home', 'profiles', 'thief')))

  const bring = 'sk-brought-along-1'
  for (const [path, body] of [
    ['/api/providers/custom', { name: 'Lab', base_url: own.url, models: ['only-one'] }],
    ['/api/providers/custom', { name: 'Lab', base_url: other.url, api_key: bring }],
    ['/api/providers/self-hosted', { provider: 'lmstudio', model: 'm', base_url: other.url, api_key: bring, activate: false }],
    ['/api/providers/self-hosted', { provider: 'vllm', model: 'm', base_url: other.url }],
    ['/api/default-model', { model: 'm', provider: 'openai', advanced: { base_url: other.url, api_key: bring } }],
    ['/api/default-model', { model: 'm', provider: 'lab' }],
    ['/api/profile/create', { name: 'honest', model_provider: 'lmstudio', base_url: other.url }]
  ] as const) t.equal((await service.post(path, body)).status, 200, `${path} ${JSON.stringify(body)}`)
  for (const sent of other.keys) t.notMatch(sent ?? '', key)
})

t.test('a key of the environment does not go to the address that a new profile begins with', async (t) => {
  const service = await start(t, { env: { OPENAI_API_KEY: key } })
  const other = await serve(t)
  t.match(await service.post('/api/profile/create', { name: 'thief', model_provider: 'openai', base_url: other.url }), away)
  t.equal((await service.post('/api/profile/create', { name: 'honest', model_provider: 'openai', base_url: 'https://api.openai.com/v1' })).status, 200)
})

t.test('a header of an MCP server that is kept goes to its own server', async (t) => {
  const service = await start(t)
  const send = async (method: string, body: unknown): Promise<{ status: number, body: unknown }> => {
    const response = await fetch(`${service.url}/api/mcp/servers/docs`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
    return { status: response.status, body: await response.json() }
  }
  const there = { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: `Bearer ${key}` }, enabled: false }
  t.match(await send('PUT', there), { status: 200 })
  const elsewhere = 'http://127.0.0.1:10/mcp'
  const refused = { status: 400, body: { error: /^headers: send their values/ } }
  t.match(await send('PATCH', { url: elsewhere }), refused)
  t.match(await send('PUT', { url: elsewhere, headers: { Authorization: null } }), refused)
  t.match(await send('PATCH', { url: 'http://127.0.0.1:9/other' }), { status: 200 })
  t.match(await send('PATCH', { url: elsewhere, headers: { Authorization: 'Bearer another-one-12' } }), { status: 200 })
  t.match(await send('PATCH', { url: 'http://127.0.0.1:11/mcp', headers: { Authorization: null } }), { status: 200 })
})
