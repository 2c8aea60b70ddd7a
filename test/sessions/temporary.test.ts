import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { auditOf } from '../support/audit.js'
import { eventually, startChat, type ChatService } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { temporaryFolder } from '../support/folder.js'

const service = await startChat(t)

const daysMs = 24 * 60 * 60 * 1_000

async function temporary (service: ChatService): Promise<string> {
  const { body } = await service.post('/api/session/new', { temporary: true })
  return body.session.session_id as string
}

const detail = async (service: ChatService, id: string) => (await service.get(`/api/session?session_id=${id}`)).body.session
const isListed = async (service: ChatService, id: string): Promise<boolean> =>
  (await service.get('/api/sessions?include_archived=1&all_profiles=1')).text.includes(id)

t.test('a temporary chat is in no list, search or count, gets no title from a model, and leaves nothing when it is deleted', async (t) => {
  service.proposeTitle('From a model')
  const id = await temporary(service)
  const usual = await service.newSession()
  const model = service.model()
  await service.turn(usual, 'Where is the pelican?', model)
  const { reader } = await service.turn(id, 'Where is the pelican?', model)
  t.match(await detail(service, id), { temporary: true, message_count: 2, title: 'Where is the pelican?' })
  t.equal((await detail(service, usual)).temporary, undefined)
  t.notOk(reader.frames.some(({ event }) => event === 'title'))
  t.notOk(await isListed(service, id))
  t.ok(await isListed(service, usual))
  t.same((await service.get('/api/sessions/search?q=pelican&depth=0')).body.sessions.map((row: { session_id: string }) => row.session_id), [usual])
  t.notMatch((await service.get('/api/home')).text, id)
  t.equal((await service.get('/api/insights')).body.total_sessions, 1)
  await service.post('/api/session/delete', { session_id: id })
  t.equal((await service.get(`/api/session?session_id=${id}`)).status, 404)
  t.match((await auditOf(t, service)).filter(({ kind }) => kind === 'session.deleted'), [{ details: { session: id } }])
})

t.test('nothing is remembered from a temporary chat until it is kept', async (t) => {
  const id = await temporary(service)
  const remember = [{ tool: 'memory', args: { section: 'memory', action: 'add', text: 'Prefers tea' } }]
  const model = service.model(remember, [{ text: 'I cannot.' }], remember)
  await service.turn(id, 'Remember that I prefer tea', model)
  t.match(JSON.stringify(service.requests(model)[1]?.messages), /temporary chat: nothing is remembered/)
  t.notOk(existsSync(join(service.folder, 'home', 'memories', 'MEMORY.md')))
  await service.post('/api/session/update', { session_id: id, temporary: false })
  await service.send(id, 'Remember it now', { model })
  t.match(await service.pending(id), { content: 'Prefers tea' })
})

t.test('a temporary chat that is kept, or is given a place in the list, is a normal one', async (t) => {
  service.proposeTitle('From a model')
  const { body: { project } } = await service.post('/api/projects/create', { name: 'Birds' })
  const ways: Array<[string, object]> = [
    ['update', { temporary: false }], ['pin', {}], ['archive', {}], ['move', { project_id: project.project_id }]
  ]
  for (const [name, body] of ways) {
    const id = await temporary(service)
    await service.turn(id, `By ${name}`)
    await service.post('/api/session/rename', { session_id: id, title: '' })
    t.notOk(await isListed(service, id), name)
    t.equal((await service.post(`/api/session/${name}`, { session_id: id, ...body })).status, 200)
    t.ok(await isListed(service, id), name)
    t.equal((await detail(service, id)).temporary, undefined)
    t.match(await detail(service, id), { default_hidden: false })
    if (name !== 'update') continue
    await service.turn(id, 'And now?')
    t.equal((await detail(service, id)).title, 'From a model')
  }
})

t.test('a temporary chat survives a restart, and is deleted after a day without a message', async (t) => {
  const folder = temporaryFolder(t, 'temporary')
  const first = await startChat(t, { folder })
  const [old, young] = [await temporary(first), await temporary(first)]
  await first.turn(old, 'Are you there?')
  await first.turn(young, 'Are you there?')
  await first.stop()
  let aheadMs = 0.9 * daysMs
  const second = await first.again(t, folder, { clock: aheadBy(() => aheadMs) })
  await second.app.sessions.sweep()
  t.match(await detail(second, old), { temporary: true, message_count: 2 })
  await second.turn(young, 'Still here?')
  await second.stop()
  aheadMs = 1.1 * daysMs
  const third = await first.again(t, folder, { clock: aheadBy(() => aheadMs) })
  await eventually('the old one to be deleted', async () => (await third.get(`/api/session?session_id=${old}`)).status === 404)
  t.match(await detail(third, young), { temporary: true, message_count: 4 })
})

t.test('a chat that is kept is not deleted by a client that left it, or by the service that was about to', async (t) => {
  let aheadMs = 0
  const service = await startChat(t, { clock: aheadBy(() => aheadMs) })
  const [kept, left, first, second] = [await temporary(service), await temporary(service), await temporary(service), await temporary(service)]
  const leave = async (id: string) => await service.post('/api/session/delete', { session_id: id, temporary: true })
  await service.post('/api/session/update', { session_id: kept, temporary: false })
  t.same((await leave(kept)).body, { ok: true, kept: true })
  t.match(await detail(service, kept), { session_id: kept })
  t.same((await leave(left)).body, { ok: true })
  t.equal((await service.get(`/api/session?session_id=${left}`)).status, 404)
  aheadMs = 1.1 * daysMs
  const { clock, sessions } = service.app
  sessions.on('removed', async (ids) => { if (ids.includes(first)) await sessions.update(second, { keep: true }) })
  await sessions.removeAbandoned((clock.now() - daysMs) / 1_000)
  t.equal((await service.get(`/api/session?session_id=${first}`)).status, 404)
  t.match(await detail(service, second), { session_id: second })
})

t.test('whoever keeps a chat and leaves it in the same moment also keeps its running turn', async (t) => {
  const id = await temporary(service)
  const reader = await service.watch(await service.send(id, 'Wait', { model: 'fault-hang' }))
  const { sessions } = service.app
  const keeping = sessions.pin(id, true)
  t.equal(await sessions.removeTemporary(id), false)
  await keeping
  t.match(await detail(service, id), { pinned: true, is_streaming: true })
  reader.drop()
})

t.test('the sub-agents of a chat that is kept are listed with it', async (t) => {
  const id = await temporary(service)
  await service.turn(id, 'Ask somebody')
  const { workspace } = await detail(service, id)
  const child = await service.app.sessions.create({ profile: 'default', workspace, title: 'A sub-agent', source: 'subagent', hidden: true, readOnly: true, parentSessionId: id })
  const aside = await service.app.sessions.create({ profile: 'default', workspace, title: 'btw', source: 'btw', hidden: true, parentSessionId: id })
  await service.post('/api/session/update', { session_id: id, temporary: false })
  t.match(await detail(service, child.id), { default_hidden: false })
  t.match(await detail(service, aside.id), { default_hidden: true })
})

t.test('a device that may chat leaves its temporary chats, and deletes no others', async (t) => {
  const service = await startChat(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const cookie = (await service.post('/api/auth/login', { password: 'correct horse' })).headers.get('set-cookie')?.split(';')[0] ?? ''
  const { body: { token } } = await service.post('/api/auth/tokens/create', { name: 'phone', scope: 'chat' }, { cookie })
  const post = async (path: string, body: object) => await service.post(path, body, { authorization: `Bearer ${token as string}` })
  const open = async (body: object): Promise<string> => (await post('/api/session/new', body)).body.session.session_id
  const [usual, brief] = [await open({}), await open({ temporary: true })]
  for (const id of [usual, brief]) {
    t.match(await post('/api/session/delete', { session_id: id }), { status: 403, body: { code: 'scope_too_narrow', scope: 'chat', needed_scope: 'approve' } })
  }
  t.match(await post('/api/session/delete', { session_id: usual, temporary: true }), { status: 200, body: { kept: true } })
  t.same((await post('/api/session/delete', { session_id: brief, temporary: true })).body, { ok: true })
})

t.test('a temporary chat has no worktree', async (t) => {
  t.match(await service.post('/api/session/new', { temporary: true, worktree: true }), { status: 400, body: { error: /temporary chat/ } })
})
