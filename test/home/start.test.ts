import t from '#test'
import { type Json } from '../support/app.js'
import { startChat } from '../support/chat.js'

const service = await startChat(t)
const sessionId = await service.newSession()
await service.turn(sessionId, 'Hello', service.model([{ text: 'Hi.' }]))
const { body: { project } } = await service.post('/api/projects/create', { name: 'Site' })
await service.post('/api/projects/update', { project_id: project.project_id, instructions: 'Write British English.' })
const start = async (query = '', headers?: Record<string, string>): Promise<Json> => await service.get(`/api/start${query}`, headers)

t.test('each part is what its own route answers', async (t) => {
  const { status, body } = await start(`?session_id=${sessionId}`)
  t.equal(status, 200)
  const single = async (path: string): Promise<Json> => (await service.get(path)).body
  t.same(body.session, await single(`/api/session?session_id=${sessionId}&messages=1&msg_limit=50`))
  const { projects, ...list } = await single('/api/projects')
  t.match(projects, [{ instructions: 'Write British English.' }])
  t.same(body.projects, { ...list, projects: projects.map(({ instructions, ...project }: Json) => project) }, 'without what is read only to be edited')
  t.same(body.models, await single('/api/models'))
  t.same(body.reasoning, await single('/api/reasoning'))
  t.same(body.transcription, await single('/api/transcribe/capability'))
  t.same(body.budgets, await single(`/api/budgets?session_id=${sessionId}`))
  t.same(body.yolo, await single(`/api/session/yolo?session_id=${sessionId}`))
  t.same({ ...body.home, now: 0 }, { ...await single('/api/home'), now: 0 })
  const reader = await service.events('/api/events')
  t.same(body.snapshot, (await reader.until('snapshot')).data)
  reader.drop()
})

t.test('a client goes on behind its snapshot', async (t) => {
  const { body: { cursor } } = await start()
  await service.post('/api/session/rename', { session_id: sessionId, title: 'Renamed' })
  const reader = await service.events(`/api/events?after_event_id=${cursor as string}`)
  const { data } = await reader.until('session')
  t.equal(data.session.title, 'Renamed')
  t.notOk(reader.frames.some(({ event }) => event === 'snapshot'))
  reader.drop()
})

t.test('what has not changed is not sent again', async (t) => {
  const { headers } = await start()
  const tag = { 'if-none-match': headers.get('etag') ?? '' }
  t.equal((await start('', tag)).status, 304)
  await service.post('/api/session/rename', { session_id: sessionId, title: 'Another' })
  t.equal((await start('', tag)).status, 200)
})

t.test('a part that there is not leaves the others', async (t) => {
  const { status, body } = await start('?session_id=nobody')
  t.equal(status, 200)
  t.match((await start()).body, { session: null, budgets: null, yolo: null, transcription: { ok: true } }, 'and so without a session')
  t.match(body, { session: null, budgets: null, yolo: null, snapshot: { profile: 'default' }, models: { groups: Array }, home: { finished: Array } })
  await service.post('/api/profile/create', { name: 'work' })
  const { headers } = await service.post('/api/profile/switch', { name: 'work' })
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  t.match((await start(`?session_id=${sessionId}`, { cookie })).body, { session: null, budgets: null, snapshot: { profile: 'work' } }, 'and so is a session of another profile')
  const { projects } = service.app
  const { list } = projects
  projects.list = () => { throw new Error('broken') }
  t.teardown(() => { projects.list = list })
  t.match((await start()).body, { projects: null, reasoning: { ok: true } }, 'a fault of one is not that of all')
})
