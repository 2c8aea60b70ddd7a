import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createAnswers } from '../../machine/answers.js'
import { createModelAnswers } from '../../machine/models.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { ModelCatalog } from '../../services/areas/models/index.js'
import { createProfiles } from '../../services/areas/profiles/index.js'
import { type TestLike, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { isAway, joinPresent, startJoinable } from '../support/present-machine.js'
import { needs } from '../support/programs.js'

/** Creates a machine called `big` that has a profile with its own providers; it runs nothing. */
async function joinBig (t: TestLike, service: TestService, link: NatsLink, folder: string, config: string) {
  const [home, opened] = [join(folder, 'far', 'home'), join(folder, 'far', 'opened')]
  for (const path of [join(home, 'webui'), opened]) mkdirSync(path, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), config)
  const profiles = createProfiles({ home, env: {}, clock: systemClock, log: () => {} })
  t.teardown(() => profiles.close())
  const catalog = new ModelCatalog({ profiles, clock: systemClock, probeLocal: false })
  const answers = { ...createAnswers({ name: 'big', workspaces: [opened], stateDir: home, reserved: [home] }), ...createModelAnswers({ machine: 'big', catalog, profiles }) }
  return { opened, ...await joinPresent(t, service, link, answers, { providers: async (profile) => (await catalog.providers(profile)).providers }) }
}

const farConfig = `
model: { default: far-large, provider: rack }
custom_providers:
  - { name: rack, base_url: http://127.0.0.1:9, models: { far-large: { context_length: 50000 }, far-small: {} } }
  - { name: shared, base_url: http://127.0.0.1:9, models: { both: {} } }
`
const nearConfig = `
model: { default: both, provider: shared }
custom_providers:
  - { name: shared, base_url: http://127.0.0.1:9, models: { both: {}, near-only: {} } }
  - { name: desk, base_url: http://127.0.0.1:9, models: { desk-model: {} } }
`

t.test('what a machine has is offered and chosen where a session works there, and nowhere else', needs('nats-server'), async (t) => {
  const folder = t.testdir({ home: { 'config.yaml': nearConfig } })
  const { server, service } = await startJoinable(t, { folder })
  const big = await joinBig(t, service, await server.link(), folder, farConfig)
  const far = await service.newSession({ workspace: `big:${big.opened}` })
  const near = await service.newSession()
  const ids = ({ body }: { body: { groups: Array<{ models: Array<{ id: string }> }> } }) => body.groups.flatMap(({ models }) => models.map(({ id }) => id))

  const offered = await service.get(`/api/models?session_id=${far}`)
  t.match(offered, { status: 200, body: { active_provider: 'shared', default_model: 'both', configured_model_badges: { '@rack:far-large': { role: 'primary' } } } })
  t.same(ids(offered), ['both', '@rack:far-large', '@rack:far-small'])
  t.equal((await service.get(`/api/models?session_id=${far}`, { 'if-none-match': offered.headers.get('etag')! })).status, 304)
  t.same(ids(await service.get(`/api/models?workspace=${encodeURIComponent(`big:${big.opened}`)}`)), ids(offered), 'of a session that is not there yet')
  for (const query of ['', `?session_id=${near}`, '?workspace=/elsewhere']) t.ok(ids(await service.get(`/api/models${query}`)).includes('near-only'), query)
  t.equal((await service.get('/api/models?session_id=none')).status, 404)

  const { chooser } = service.app.models
  const chosen = async (wanted: { model?: string, provider?: string }) => {
    const choice = await chooser.choose('default', wanted, 'big')
    return 'error' in choice ? choice.error : `${choice.ref.provider} ${choice.ref.id} ${choice.contextLength}`
  }
  t.equal(await chosen({}), 'shared both 256000', 'what is usual here, as the machine can use it')
  t.equal(await chosen({ model: 'far-large', provider: 'rack' }), 'rack far-large 50000')
  t.equal(await chosen({ model: '@rack:far-small' }), 'rack far-small 256000')
  t.equal(await chosen({ model: 'far-small' }), 'rack far-small 256000', 'known there')
  t.equal(await chosen({ model: 'near-only' }), 'shared near-only 256000', 'known here, and its provider there')
  t.equal(await chosen({ model: 'desk-model', provider: 'desk' }), 'The machine big cannot use desk-model: The provider desk is not configured in this profile.')
  t.equal(await chosen({ model: 'x', provider: 'nobody' }), 'Neither the service nor the machine big can use x: The provider nobody is not configured in this profile.')
  t.match(await chooser.choose('default', { model: 'far-large', provider: 'rack' }), { error: String }, 'not on this machine')
  t.match(await chooser.forSmallTask('default', 'compression', { model: 'far-large', provider: 'rack' }), { ref: { provider: 'shared', id: 'both' } }, 'small tasks are done here')
  await service.app.profiles.configure('default', (config) => config.set(['model'], { default: 'desk-model', provider: 'desk' }))
  t.equal(await chosen({}), 'rack far-large 50000', 'what is usual there, where it cannot use what is usual here')
  t.equal(await chosen({ model: 'desk-model', provider: 'desk' }), 'rack far-large 50000', 'clients send back what they were shown')
  t.match((await service.get(`/api/models?session_id=${far}`)).body, { active_provider: 'rack', default_model: 'far-large' })
  await eventually('it is shown so', async () => (await service.session(far)).model === 'far-large')
  t.match(await service.session(near), { model: 'desk-model', model_provider: 'desk' })

  await service.post('/api/session/update', { session_id: far, model: 'far-small', model_provider: 'rack' })
  t.match(await service.post('/api/chat/start', { session_id: far, message: 'Hello' }), { body: { effective_model: 'far-small', effective_model_provider: 'rack' } })

  await big.leave()
  await isAway(service)
  const away = await service.get(`/api/models?session_id=${far}`)
  t.same(ids(away), ['@rack:far-large', '@rack:far-small', '@shared:both'], 'what it told last')
  t.match(away.body.groups[0], { provider_id: 'rack', models_endpoint_error: 'The machine big is not reachable' })
  t.equal((await service.get('/api/models?workspace=small:/data')).status, 503)
})
