import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'

const inWork = { cookie: 'svc_profile=work' }

t.test('nothing begins in a profile that is being deleted', async (t) => {
  const service = await start(t)
  const { profiles } = service.app
  await service.post('/api/profile/create', { name: 'work' })
  const { body: { session } } = await service.post('/api/session/new', {}, inWork)
  const [reached, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  profiles.on('removing', async () => {
    reached.resolve()
    await held.promise
  })
  const removed = service.post('/api/profile/delete', { name: 'work' })
  await reached.promise
  t.match(await service.post('/api/chat/start', { session_id: session.session_id, message: 'hello' }), { status: 404, body: { error: 'Profile not found' } })
  t.equal((await service.get('/api/profile/active', inWork)).body.name, 'default')
  t.equal((await service.get('/api/profiles')).body.profiles.length, 1)
  t.equal((await service.post('/api/profile/delete', { name: 'work' })).status, 404)
  t.throws(() => profiles.homeOf('work'), { name: 'NotFound' }, 'no agent is started with another one\'s keys')
  held.resolve()
  t.equal((await removed).status, 200)
  t.equal(existsSync(join(service.folder, 'home/profiles/work')), false)
  t.equal((await service.post('/api/profile/create', { name: 'work' })).status, 200, 'its name is free again')
})

t.test('a removal that fails leaves everything as it was', async (t) => {
  const service = await start(t)
  await service.post('/api/profile/create', { name: 'work' })
  const { body: { session } } = await service.post('/api/session/new', {}, inWork)
  const inTheWay = join(service.folder, 'home/profiles/.deleted')
  writeFileSync(inTheWay, '')
  const { status, text } = await service.post('/api/profile/delete', { name: 'work' })
  t.equal(status, 500)
  t.notMatch(text, /profiles/, 'no path is told')
  t.equal((await service.get('/api/profile/active', inWork)).body.name, 'work')
  const events = await service.events(`/api/chat/stream?stream_id=${await service.send(session.session_id, 'hello', { profile: 'work' })}`, inWork)
  await events.until('stream_end')
  rmSync(inTheWay)
})

t.test('of a message and a removal at once, one is refused', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 5 })
  for (let round = 0; round < 12; round++) {
    const name = `work${round}`
    await service.post('/api/profile/create', { name })
    const { body: { session } } = await service.post('/api/session/new', {}, { cookie: `svc_profile=${name}` })
    const sent = service.post('/api/chat/start', { session_id: session.session_id, message: 'Tell me something long', profile: name })
    for (let turn = 0; turn < round; turn++) await new Promise(setImmediate)
    const [started, removed] = await Promise.all([sent, service.post('/api/profile/delete', { name })])
    t.ok((started.status === 200 && removed.status === 409) || (started.status === 404 && removed.status === 200), `${started.status} ${removed.status}`)
    t.equal(existsSync(join(service.folder, 'home/profiles', name)), started.status === 200)
  }
})

t.test('a turn does not go on without its home', async (t) => {
  const service = await start(t)
  await service.post('/api/profile/create', { name: 'work' })
  const { body: { session } } = await service.post('/api/session/new', {}, inWork)
  // It is removed between the check at the start and that of the run.
  const { agent } = service.app
  const { start: begin } = agent
  agent.start = (spec, observer) => {
    rmSync(join(service.folder, 'home/profiles/work'), { recursive: true, force: true })
    begin.call(agent, spec, observer)
  }
  const events = await service.events(`/api/chat/stream?stream_id=${await service.send(session.session_id, 'hello', { profile: 'work' })}`, inWork)
  t.match((await events.until('apperror')).data, { error: /could not be started/ })
})

t.test('what is written for a profile does not bring it back when it is deleted meanwhile', async (t) => {
  const service = await start(t)
  for (let round = 0; round < 5; round++) {
    const made = await service.post('/api/profile/create', { name: 'short', default_model: 'x', model_provider: 'offline-demo' })
    t.equal(made.status, 200, made.text)
    const edits = Array.from({ length: 8 }, (_, index) => service.app.profiles.configure('short', (config) => config.set(['max_tokens'], index + 1)).catch((error: Error) => error.name))
    const [removed, ...outcomes] = await Promise.all([service.post('/api/profile/delete', { name: 'short' }), ...edits])
    t.equal(removed.status, 200)
    t.same(outcomes.filter((outcome) => outcome !== undefined && outcome !== 'NotFound'), [])
    t.same((await service.get('/api/profiles')).body.profiles.map(({ name }: { name: string }) => name), ['default'])
  }
})
