import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { startModelEndpoint } from '../support/model-endpoint.js'

t.test('a message names its model: the provider gets it, the message tells it, and the session keeps its own', async (t) => {
  const [first, second] = [await startModelEndpoint({ models: ['a-1', 'a-2'] }), await startModelEndpoint({ models: ['b-1', 'b-2'] })]
  t.teardown(async () => await Promise.all([first.close(), second.close()]))
  const service = await start(t)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), `model: { provider: first, default: a-1, aliases: { quick: "@second:b-2" } }
custom_providers:
  - { name: First, base_url: "${first.url}" }
  - { name: Second, base_url: "${second.url}" }
`)
  await service.get('/api/models')
  const id = await service.newSession()
  const row = async (): Promise<unknown> => {
    const { model, model_provider: provider } = (await service.get('/api/sessions')).body.sessions.find((each: { session_id: string }) => each.session_id === id)
    return [model, provider]
  }
  const tell = async (more: Record<string, unknown>): Promise<unknown> => {
    const { status, body } = await service.post('/api/chat/start', { session_id: id, message: 'hello', ...more })
    t.equal(status, 200)
    const events = await service.events(`/api/chat/stream?stream_id=${body.stream_id}`)
    await events.until('stream_end')
    const { messages } = await service.session(id)
    const { _usedModel: model, _usedProvider: provider } = messages.at(-1)
    t.same([body.effective_model, body.effective_model_provider], [model, provider])
    const asked = (provider === 'first' ? first : second).requests.filter(({ stream }) => stream).at(-1)?.model
    t.equal(asked, model, 'the provider got what the message tells')
    return [model, provider]
  }
  t.same(await tell({}), ['a-1', 'first'])
  const own = await row()
  t.same(await tell({ model: 'a-2' }), ['a-2', 'first'])
  t.same(await tell({ model: 'b-1', model_provider: 'second' }), ['b-1', 'second'])
  t.same(await tell({ model: '@second:b-2' }), ['b-2', 'second'], 'as the picker has it')
  t.same(await tell({ model: 'quick' }), ['b-2', 'second'], 'an alias')
  t.match(await tell({ model_provider: 'second' }), [String, 'second'], 'a provider alone')
  t.same(await row(), own, 'none of this is the session\'s')
  t.same(await tell({ model: 'b-1', model_provider: 'second', explicit_model_pick: true }), ['b-1', 'second'])
  t.same(await row(), ['b-1', 'second'])
  t.same(await tell({}), ['b-1', 'second'], 'what was picked stays')
})
