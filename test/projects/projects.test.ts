import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start, type TestService } from '../support/app.js'
import { said, startChat } from '../support/chat.js'

type Project = Record<string, unknown> & { project_id: string }

let nowMs = 1_800_000_000_000
const clock = { now: () => nowMs++ }

const create = async (service: TestService, body: object): Promise<Project> => (await service.post('/api/projects/create', body)).body.project
const all = async (service: TestService, query = ''): Promise<Project[]> => (await service.get(`/api/projects${query}`)).body.projects

/** Runs `work` while another profile is the active one. */
async function as<T> (service: TestService, profile: string, work: () => Promise<T>): Promise<T> {
  mkdirSync(join(service.folder, 'home', 'profiles', profile), { recursive: true })
  writeFileSync(join(service.folder, 'home', 'active_profile'), `${profile}\n`)
  try {
    return await work()
  } finally {
    rmSync(join(service.folder, 'home', 'active_profile'))
  }
}

t.test('a folder is made, renamed, coloured and removed', async (t) => {
  const service = await start(t, { clock })
  t.same((await service.get('/api/projects')).body, { projects: [], active_profile: 'default', all_profiles: false, other_profile_count: 0 })
  const { status, body } = await service.post('/api/projects/create', { name: '  My \n work ', color: '#0aF', unknown_key: 1 })
  t.equal(status, 200)
  t.match(body, { ok: true, project: { project_id: /^[0-9a-f]{12}$/, name: 'My work', color: '#0aF', profile: 'default', created_at: Number } })
  const { project } = body
  t.same(await all(service), [project])
  const plain = await create(service, { name: 'Plain' })
  t.equal(plain.color, null)
  t.equal((await create(service, { name: 'Plain', color: null })).color, null, 'two may have the same name')

  const rename = (more: object) => service.post('/api/projects/rename', { project_id: project.project_id, ...more })
  t.same((await rename({ name: 'Play' })).body, { ok: true, project: { ...project, name: 'Play' } }, 'the colour stays when none is given')
  t.same((await rename({ name: 'Play', color: '#11223344' })).body.project, { ...project, name: 'Play', color: '#11223344' })
  t.equal((await rename({ name: 'Play', color: null })).body.project.color, '#11223344', 'null is the same as no value')
  t.same((await rename({ name: 'Play', color: '' })).body.project, { ...project, name: 'Play', color: null })
  t.match((await all(service)).map((entry) => entry.name), ['Play', 'Plain', 'Plain'], 'the oldest one first')

  t.same((await service.post('/api/projects/delete', { project_id: project.project_id })).body, { ok: true })
  t.equal((await all(service)).length, 2)
  for (const [path, more] of [['delete', {}], ['rename', { name: 'x' }]] as const) {
    t.match(await service.post(`/api/projects/${path}`, { project_id: project.project_id, ...more }), { status: 404, body: { error: 'Project not found' } }, path)
    t.match(await service.post(`/api/projects/${path}`, more), { status: 400, body: { error: /project_id/ } }, `${path} without an id`)
  }
})

t.test('what is no name, and what is no colour', async (t) => {
  const service = await start(t, { clock })
  const { project_id: known } = await create(service, { name: 'Known' })
  const both = async (body: object) => await Promise.all([service.post('/api/projects/create', body), service.post('/api/projects/rename', { project_id: known, ...body })])
  for (const name of ['x', 'x'.repeat(128), '漢'.repeat(128), '👩'.repeat(128)]) {
    for (const answer of await both({ name })) t.match(answer, { status: 200, body: { project: { name } } })
  }
  for (const name of [undefined, null, '', '   ', '\n', 'x'.repeat(129), 5, true, ['x'], {}]) {
    for (const answer of await both({ name })) t.match(answer, { status: 400, body: { error: /name/ } }, JSON.stringify(name))
  }
  for (const color of ['#abc', '#ABCD', '#12345', '#123456', '#1234567', '#12345678']) {
    for (const answer of await both({ name: 'x', color })) t.match(answer, { status: 200, body: { project: { color } } })
  }
  for (const answer of await both({ name: 'x', color: '' })) t.match(answer, { status: 200, body: { project: { color: null } } }, 'none')
  for (const color of ['red', 'abc', '#ab', '#123456789', '#ggg', ' #abc', '#abc ', '#abc\n', 'x#abc', 5, ['#abc'], {}]) {
    for (const answer of await both({ name: 'x', color })) t.match(answer, { status: 400, body: { error: /color/ } }, JSON.stringify(color))
  }
})

t.test('each profile has its own folders', async (t) => {
  const service = await start(t, { clock })
  const mine = await create(service, { name: 'Mine' })
  const theirs = await as(service, 'work', () => create(service, { name: 'Theirs' }))
  t.equal(theirs.profile, 'work')
  t.same(await all(service), [mine])
  t.same(await all(service, '?all_profiles=0'), [mine])
  for (const on of ['1', 'true', 'yes', 'on']) t.same(await all(service, `?all_profiles=${on}`), [mine, theirs])
  t.same(await as(service, 'work', () => all(service)), [theirs])
  t.equal((await as(service, 'work', () => service.get('/api/projects'))).body.active_profile, 'work')

  t.match(await service.post('/api/session/new', { project_id: theirs.project_id }), { status: 404, body: { error: 'Project not found' } })
  t.match(await service.post('/api/session/new', { project_id: mine.project_id, profile: 'work' }), { status: 404, body: { error: 'Project not found' } })
  t.match(await service.post('/api/session/new', { project_id: theirs.project_id, profile: 'work' }), { status: 200, body: { session: { project_id: theirs.project_id, profile: 'work' } } })
})

t.test('a session is opened in a folder', async (t) => {
  const service = await start(t, { clock })
  const { project_id: id } = await create(service, { name: 'Folder' })
  const before = service.app.db.sqlite.prepare('select count(*) from sessions').pluck().get()
  t.match(await service.post('/api/session/new', { project_id: 'nowhere' }), { status: 404, body: { error: 'Project not found' } })
  t.match(await service.post('/api/session/new', { project_id: '' }), { status: 404, body: { error: 'Project not found' } })
  t.equal((await service.post('/api/session/new', { project_id: 5 })).status, 400)
  t.equal(service.app.db.sqlite.prepare('select count(*) from sessions').pluck().get(), before, 'what was refused has left no session')
  const sessionId = await service.newSession({ project_id: id })
  t.equal((await service.session(sessionId)).project_id, id)
})

t.test('removing a folder keeps its sessions', async (t) => {
  const folder = t.testdir()
  const service = await start(t, { clock, folder })
  const [gone, kept] = [await create(service, { name: 'Gone' }), await create(service, { name: 'Kept' })]
  const inside = await Promise.all([1, 2].map(() => service.newSession({ project_id: gone.project_id })))
  const beside = await service.newSession({ project_id: kept.project_id })
  const { body: imported } = await service.post('/api/session/import', { messages: [{ role: 'user', content: 'Hello' }] })
  await service.post('/api/session/move', { session_id: imported.session.session_id, project_id: gone.project_id })
  await service.post('/api/session/archive', { session_id: imported.session.session_id })
  const archived = async (on = service) => (await on.get('/api/sessions?include_archived=1')).body.sessions[0]
  t.equal((await archived()).project_id, gone.project_id)
  const before = await Promise.all(inside.map(service.session))

  const reader = await service.events('/api/sessions/events')
  await service.post('/api/projects/delete', { project_id: gone.project_id })
  await reader.until((frame) => frame.data.reason === 'project_delete')
  reader.drop()
  t.same(await Promise.all(inside.map(service.session)), before.map((session) => ({ ...session, project_id: null })), 'they are what they were, in no folder')
  t.equal((await archived()).project_id, null, 'archived ones as well')
  t.equal((await service.session(beside)).project_id, kept.project_id)
  t.match(await service.post('/api/session/move', { session_id: beside, project_id: gone.project_id }), { status: 404 })

  await service.stop()
  const after = await start(t, { clock, folder })
  t.same(await all(after), [kept], 'also after a restart')
  t.equal((await after.session(beside)).project_id, kept.project_id)
  t.equal((await archived(after)).project_id, null)
})

t.test('branches and copies stand in the folder of what they were made of', async (t) => {
  const service = await start(t, { clock })
  const { project_id: id } = await create(service, { name: 'Folder' })
  const sessionId = await service.newSession({ project_id: id })
  const { body: { session_id: branch } } = await service.post('/api/session/branch', { session_id: sessionId })
  const { body: { session: copy } } = await service.post('/api/session/duplicate', { session_id: sessionId })
  t.equal((await service.session(branch)).project_id, id)
  t.equal(copy.project_id, id)
})

t.test('a project has a folder for its new sessions, and instructions that its sessions get', async (t) => {
  const s = await startChat(t)
  const folder = join(s.folder, 'site')
  mkdirSync(folder)
  const project = await create(s, { name: 'Site' })
  const update = (more: object) => s.post('/api/projects/update', { project_id: project.project_id, ...more })
  const { status, body } = await update({ workspace: folder, instructions: 'Write British English.' })
  t.equal(status, 200)
  t.same(body.project, { ...project, workspace: folder, instructions: 'Write British English.' })
  t.same(await all(s), [body.project])
  t.same((await s.get('/api/start')).body.projects.projects, [{ ...project, workspace: folder }])

  const open = async (more: object = {}) => (await s.post('/api/session/new', { project_id: project.project_id, ...more })).body.session
  const inside = await open()
  t.equal(inside.workspace, folder)
  t.equal((await open({ workspace: s.workspace })).workspace, s.workspace, 'a named folder comes first')
  const model = s.model([{ text: 'Colour.' }], [{ text: 'Grey.' }], [{ text: 'Color.' }], [{ text: 'On the side.' }])
  const system = (): string => said(s.requests(model).at(-1), 'system').join('\n')
  await s.turn(inside.session_id, 'How is it spelt?', model)
  t.match(system(), /Instructions of the user for the project “Site”[^]*Write British English\./)
  const outside = await s.newSession()
  await s.turn(outside, 'How is it spelt?', model)
  t.notMatch(system(), /British/)
  await s.post('/api/session/move', { session_id: outside, project_id: project.project_id })
  await s.turn(outside, 'And now?', model)
  t.match(system(), /British/, 'also a session that was moved into it')

  const helper = { projectId: null, parentSessionId: inside.session_id, source: 'subagent' as const }
  t.match(s.app.projects.instructionsFor(helper), { text: 'Write British English.' }, 'also a sub-agent')
  t.equal(s.app.projects.instructionsFor({ ...helper, source: 'fork' }), null, 'but not a branch that was moved out')
  t.match(await update({}), { status: 200, body: { project: body.project } })

  t.same((await update({ instructions: '' })).body.project, { ...project, workspace: folder }, 'the folder stays')
  await s.turn(outside, 'And after that?', model)
  t.notMatch(system(), /British/)
  t.same((await update({ workspace: '' })).body.project, project)
  t.equal((await open()).workspace, s.workspace)

  t.match(await update({ workspace: join(s.folder, 'nowhere') }), { status: 400 })
  t.match(await update({ instructions: 'x'.repeat(8_001) }), { status: 400, body: { error: /instructions/ } })
  t.match(await s.post('/api/projects/update', { project_id: '0123456789ab' }), { status: 404 })
  const told = s.app.db.sqlite.prepare<[], string>("select details from audit where kind = 'project.changed' order by id").pluck().all().map((text) => JSON.parse(text))
  t.equal(told.length, 3, 'an update that changes nothing is none')
  t.match(told[0], { project: project.project_id, name: 'Site', workspace: true, instructions: true })
})

t.test('a branch that is being made while its project is deleted is in no project', async (t) => {
  const service = await start(t)
  const { project_id: id } = await create(service, { name: 'Folder' })
  const sessionId = await service.newSession({ project_id: id })
  const branching = service.app.sessions.branch(sessionId, {})
  const deleting = service.app.projects.remove(id, 'default')
  const [branch] = await Promise.all([branching, deleting])
  t.equal(service.app.sessions.get(branch.id).projectId, null)
  t.equal(service.app.sessions.get(sessionId).projectId, null)
})
