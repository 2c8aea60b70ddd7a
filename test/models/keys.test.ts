import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { ownKeyVariable } from '../../services/areas/models/provider-keys.js'
import { customEntries, customEntry, customPlace } from '../../services/areas/models/custom-providers.js'
import { start } from '../support/app.js'

const address = 'http://127.0.0.1:9/v1'

t.test('the variable for the key of a provider that has none of its own', async (t) => {
  for (const [id, variable] of [['my-lab', 'MY_LAB_API_KEY'], ['a.b_c', 'A_B_C_API_KEY'], ['4all', '_4ALL_API_KEY'], ['llamacpp', 'LLAMACPP_API_KEY']] as const) t.equal(ownKeyVariable(id), variable)
})

t.test('entries of custom_providers keep their places, whatever else the list holds', async (t) => {
  const list = [7, { name: 'My Lab' }, null, { base_url: address }]
  t.same(customEntries(list), [{}, { name: 'My Lab' }, {}, { base_url: address }])
  t.equal(customPlace(list, 'my-lab'), 1)
  t.same(customEntry(list, 'my-lab'), { name: 'My Lab' })
  for (const none of [undefined, null, 'text', { name: 'My Lab' }]) {
    t.equal(customPlace(none, 'my-lab'), -1)
    t.equal(customEntry(none, 'my-lab'), undefined)
  }
})

t.test('where config.yaml cannot be changed as well, no key is written', async (t) => {
  const service = await start(t)
  const config = join(service.folder, 'home', 'config.yaml')
  const env = join(service.folder, 'home', '.env')
  const whole = `custom_providers:\n  - name: Lab\n    base_url: ${address}\n    api_key: key-of-before\n`
  writeFileSync(config, whole)
  t.match((await service.get('/api/providers')).body.providers[0], { id: 'lab', key_source: 'config_yaml' })

  const changes: Array<[string, unknown]> = [
    ['/api/providers', { provider: 'lab', api_key: 'key-pasted-here' }],
    ['/api/providers/self-hosted', { provider: 'vllm', model: 'm', base_url: address, api_key: 'key-pasted-here' }],
    ['/api/providers/custom', { name: 'Other', base_url: address, api_key: 'key-pasted-here' }]
  ]
  const refuseAll = async (text: string, which = changes): Promise<void> => {
    writeFileSync(config, text)
    for (const [path, body] of which) {
      t.match(await service.post(path, body), { status: 409, body: { code: 'config_broken' } }, `${path} with ${text}`)
      t.notOk(existsSync(env), 'nothing was written')
    }
    t.equal(readFileSync(config, 'utf8'), text)
  }
  await refuseAll(`${whole}model: [\n`)
  await refuseAll('- a list\n', changes.slice(1))
  await refuseAll('providers: 7\n', [changes[1]!])
  await refuseAll('custom_providers: 7\n', [changes[2]!])

  writeFileSync(config, whole)
  t.match((await service.post('/api/providers', { provider: 'openai', api_key: 'sk-test-12345678' })).body, { action: 'updated' })
  writeFileSync(config, `${whole}model: [\n`)
  t.match((await service.post('/api/providers', { provider: 'openai', api_key: 'sk-test-87654321' })).body, { action: 'updated' }, 'a key that config.yaml has nothing to do with is set all the same')
  t.equal(readFileSync(env, 'utf8'), 'OPENAI_API_KEY=sk-test-87654321\n')
  t.match(await service.post('/api/providers/delete', { provider: 'lab' }), { status: 409, body: { code: 'config_broken' } })
})

t.test('two clients that set keys of different providers at once: both are kept', async (t) => {
  const service = await start(t)
  const answers = await Promise.all(['one', 'two', 'three'].map(async (name) => await service.post('/api/providers/custom', { name, base_url: address, api_key: `key-of-${name}-123` })))
  t.same(answers.map(({ status }) => status), [200, 200, 200])
  t.same(readFileSync(join(service.folder, 'home', '.env'), 'utf8').trim().split('\n').toSorted(), ['ONE_API_KEY=key-of-one-123', 'THREE_API_KEY=key-of-three-123', 'TWO_API_KEY=key-of-two-123'])
  const { providers } = (await service.get('/api/providers')).body
  t.same(providers.filter((row: { is_custom: boolean, key_source: string }) => row.is_custom && row.key_source === 'env_file').length, 3)
})

t.test('a provider that is signed in to takes no key', async (t) => {
  const service = await start(t)
  const config = join(service.folder, 'home', 'config.yaml')
  for (const provider of ['openai-codex', 'github-copilot', 'GitHub Copilot', 'nous']) {
    const calls: Array<[string, unknown]> = [
      ['/api/providers', { provider, api_key: 'key-pasted-here' }], ['/api/providers', { provider }], ['/api/providers/delete', { provider }],
      ['/api/providers/test', { provider }], ['/api/providers/test', { provider, api_key: 'key-pasted-here' }], ['/api/providers/test', { provider, base_url: address }],
      ['/api/default-model', { model: 'm', provider }]
    ]
    for (const [path, body] of calls) t.match(await service.post(path, body), { status: 400, body: { error: /sign-in of an account.*takes no API key/ } }, `${path} ${JSON.stringify(body)}`)
  }
  t.notOk(existsSync(config))
  t.notOk(existsSync(join(service.folder, 'home', '.env')))
  writeFileSync(config, `providers:\n  copilot:\n    base_url: ${address}\n`)
  t.match(await service.post('/api/providers', { provider: 'copilot', api_key: 'key-pasted-here' }), { status: 200, body: { provider: 'copilot' } }, 'a server of one\'s own of this name does')
  writeFileSync(config, 'model: { provider: openai-codex }\n')
  t.match(await service.post('/api/providers', { provider: 'openai-codex', api_key: 'key-pasted-here' }), { status: 400 }, 'also where config.yaml chooses it')
  t.match(await service.post('/api/providers/test', { provider: 'openai-codex' }), { status: 400 })
})
