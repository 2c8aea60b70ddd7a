import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { start } from '../support/app.js'
import { eventually, said, startChat } from '../support/chat.js'
import { emptyRepository } from '../support/git-repository.js'
import { joinMachine } from '../support/machine.js'
import { startNats } from '../support/nats.js'
import { needs } from '../support/programs.js'

t.test('a folder of another machine is suggested, listed and worked in like one of this', needs('nats-server'), async (t) => {
  const service = await start(t)
  const big = await joinMachine(t, await startNats(t), service)
  const path = `big:${big.folder('project')}`
  symlinkSync(big.folder('project'), join(big.opened, 'link'))
  symlinkSync(big.closed, join(big.opened, 'way-out'))

  const suggested = async (prefix: string) => (await service.get(`/api/workspaces/suggest?prefix=${encodeURIComponent(prefix)}`)).body.suggestions
  t.same(await suggested('bi'), ['big:/'])
  t.same(await suggested('big:'), ['big:/'])
  t.same(await suggested('small'), [])
  t.same(await suggested('small:/'), [], 'a machine that there is not')
  t.same(await suggested('big:/'), [`big:${big.opened}`], 'only what it opens, and the way there')
  t.same(await suggested(`big:${big.opened}/`), [`big:${big.opened}/link`, path])
  t.same(await suggested(`big:${big.opened}/PRO`), [path])

  const added = await service.post('/api/workspaces/add', { path: `big:${big.opened}/link/` })
  t.match(added, { status: 200, body: { workspaces: [{ path: service.workspace }, { path, host: 'big', name: 'project' }] } })
  t.notOk('host' in added.body.workspaces[0], 'what is here names no machine')
  t.match(await service.post('/api/workspaces/add', { path }), { status: 400, body: { code: 'duplicate' } })
  t.match(await service.post('/api/workspaces/add', { path: `big:${big.opened}/new/one`, create: true }), { status: 200 })
  t.ok(existsSync(join(big.opened, 'new', 'one')))
  for (const refused of [big.closed, `${big.opened}/way-out`, `${big.opened}/../closed`, `${big.opened}/missing`, big.stateDir, '/etc']) {
    t.match(await service.post('/api/workspaces/add', { path: `big:${refused}` }), { status: 400, body: { error: String } }, refused)
  }
  t.match(await service.post('/api/workspaces/add', { path: `big:${big.closed}/made`, create: true }), { status: 400 })
  t.notOk(existsSync(join(big.closed, 'made')))
  t.match(await service.post('/api/workspaces/add', { path: 'small:/data' }), { status: 503, body: { code: 'host_unreachable', error: 'The machine small is not reachable' } })

  const id = await service.newSession({ workspace: path })
  t.match((await service.get(`/api/session?session_id=${id}`)).body.session, { workspace: path, host: 'big' })
  t.match((await service.get(`/api/session/status?session_id=${id}`)).body, { workspace: path, host: 'big' })
  t.equal((await service.get('/api/workspaces')).body.last, path)

  big.leave()
  t.match((await service.get('/api/workspaces')).body.workspaces[1], { path, host: 'big' }, 'the list stays while the machine is away')
  t.same(await suggested(`big:${big.opened}/`), [])
  t.match(await service.post('/api/session/new', { workspace: path }), { status: 503, body: { code: 'host_unreachable' } })
  t.match(await service.post('/api/workspaces/rename', { path, name: 'Ours' }), { status: 200 })
  t.match(await service.post('/api/workspaces/remove', { path }), { status: 200 })
})

t.test('what is shown of a folder of this machine is never that of another one with the same path', needs('nats-server'), async (t) => {
  const service = await start(t)
  const big = await joinMachine(t, await startNats(t), service)
  const workspace = `big:${big.folder('project')}`
  writeFileSync(join(big.folder('project'), 'secret.txt'), 'of the machine')
  // Where a relative path of that name would lead.
  const id = await service.newSession({ workspace })
  for (const path of [`/api/list?session_id=${id}`, `/api/file?session_id=${id}&path=secret.txt`, `/api/git/status?session_id=${id}`, `/api/rollback/list?session_id=${id}`, `/api/workspace/events?session_id=${id}`]) {
    t.match(await service.get(path), { status: 503, body: { code: 'host_unreachable' } }, path)
  }
  await service.app.files.leftovers.sweep()
  const imported = await service.post('/api/session/import', { messages: [], workspace: `big:${big.closed}` })
  t.equal(imported.body.session.workspace, service.workspace, 'what the machine does not open is not worked in')
})

t.test('the default may be on another machine, also while that is away', needs('nats-server'), async (t) => {
  const service = await start(t)
  const big = await joinMachine(t, await startNats(t), service)
  const workspace = `big:${big.folder('project')}`
  t.match(await service.post('/api/settings', { default_workspace: workspace }), { status: 200, body: { default_workspace: workspace } })
  big.leave()
  t.equal((await service.session(await service.newSession())).workspace, workspace)
  t.match(await service.post('/api/settings', { default_workspace: `big:${big.opened}` }), { status: 503 })
  t.match(await service.post('/api/settings', { default_workspace: '' }), { status: 200, body: { default_workspace: service.workspace } })
})

t.test('a turn is told the rules and the commands of the machine it works on; away, it fails in words and the message stays', needs('nats-server'), async (t) => {
  const service = await startChat(t)
  const big = await joinMachine(t, await startNats(t), service)
  const folder = big.folder('project')
  writeFileSync(join(folder, 'AGENTS.md'), 'Say only what is so.')
  mkdirSync(join(folder, '.claude', 'commands'), { recursive: true })
  writeFileSync(join(folder, '.claude', 'commands', 'ship.md'), 'Ship $1 tonight.')
  const id = await service.newSession({ workspace: `big:${folder}` })
  t.match((await service.get(`/api/memory?session_id=${id}`)).body, { project_context: 'Say only what is so.', project_context_workspace: `big:${folder}` })
  t.ok((await service.get(`/api/commands?session_id=${id}`)).body.commands.some(({ name }: { name: string }) => name === 'ship'))

  const model = service.model()
  await service.turn(id, '/ship the-parser', model)
  const [request] = service.requests(model)
  t.match(said(request, 'system')[0], /Your workspace is the folder \S+\/project of the machine big;[^]*Rules of this workspace \(from AGENTS\.md\):\nSay only what is so\./)
  t.match(said(request, 'user')[0], /the file \.claude\/commands\/ship\.md of this workspace[^]*Ship the-parser tonight\./)

  big.leave()
  const failed = await service.turn(id, 'Are you there?', model)
  t.match(failed.frames.find(({ event }) => event === 'apperror')?.data, { type: 'host_unreachable', message: 'The machine big is not reachable', hint: String })
  t.equal(service.requests(model).length, 1)
  t.equal((await service.session(id)).messages.filter(({ role }: { role: string }) => role === 'user').at(-1).content, 'Are you there?')
  t.match(await service.post('/api/chat/start', { session_id: id, message: '/ship it', model }), { status: 503, body: { code: 'host_unreachable' } }, 'a command is not sent as it was typed')
  t.match((await service.get(`/api/memory?session_id=${id}`)).body, { project_context: '' })
  t.notOk((await service.get(`/api/commands?session_id=${id}`)).body.commands.some(({ name }: { name: string }) => name === 'ship'))

  await big.comeBack()
  t.equal((await service.turn(id, 'And now?', model)).last.event, 'stream_end')
  // As if the machine had been configured with other folders meanwhile.
  await service.app.sessions.update(id, { workspace: `big:${big.closed}` })
  const refused = await service.turn(id, 'And here?', model)
  t.match(refused.frames.find(({ event }) => event === 'apperror')?.data, { message: `The machine big does not offer the folder ${big.closed}` })
})

t.test('a session has a worktree in a repository of another machine', needs('nats-server'), async (t) => {
  const service = await start(t)
  const big = await joinMachine(t, await startNats(t), service)
  const repository = emptyRepository(big.folder('repository'))
  repository.write('a.txt', 'a')
  repository.commitAll('first')
  const workspace = `big:${repository.root}`
  const id = await service.newSession({ workspace, worktree: true })
  const path = `${workspace}/.worktrees/${id}`
  t.match(await service.session(id), { workspace: path, host: 'big', worktree_path: path, worktree_branch: `agent/${id}`, worktree_repo_root: workspace })
  t.ok(existsSync(join(repository.root, '.worktrees', id, 'a.txt')))
  writeFileSync(join(repository.root, '.worktrees', id, 'b.txt'), 'b')
  t.match((await service.get(`/api/session/worktree/status?session_id=${id}`)).body, { has_worktree: true, exists: true, path, untracked_files: 1 })
  t.match(await service.post('/api/session/worktree/remove', { session_id: id }), { status: 409, body: { code: 'dirty_worktree', untracked_files: 1 } })
  big.leave()
  t.match(await service.post('/api/session/worktree/remove', { session_id: id, force: true }), { status: 503, body: { code: 'host_unreachable' } })
  await big.comeBack()
  t.match(await service.post('/api/session/worktree/remove', { session_id: id, force: true }), { status: 200 })
  t.match(await service.session(id), { workspace, worktree_path: null })
  t.notOk(existsSync(join(repository.root, '.worktrees', id)))
  t.match(await service.post('/api/session/new', { workspace: `big:${big.folder('plain')}`, worktree: true }), { status: 400, body: { code: 'not_a_repo' } })
})

t.test('a token that may chat uses the listed folders of other machines, and no others', needs('nats-server'), async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  const big = await joinMachine(t, await startNats(t), service)
  const [listed, other] = [`big:${big.folder('listed')}`, `big:${big.folder('other')}`]
  const cookie = (await service.post('/api/auth/login', { password: 'correct horse' })).headers.get('set-cookie')!.split(';')[0]!
  t.equal((await service.post('/api/workspaces/add', { path: listed }, { cookie })).status, 200)
  const { token } = (await service.post('/api/auth/tokens/create', { name: 'a script', scope: 'chat' }, { cookie })).body
  const bearer = { authorization: `Bearer ${token}` }
  t.match(await service.post('/api/session/new', { workspace: listed }, bearer), { status: 200, body: { session: { workspace: listed } } })
  t.match(await service.post('/api/session/new', { workspace: other }, bearer), { status: 403, body: { code: 'scope_too_narrow' } })
  // Another path to the same folder is the same place, and the same path on this machine is another one.
  t.match(await service.post('/api/session/new', { workspace: `big:${big.opened}/other/../listed` }, bearer), { status: 200 })
  t.match(await service.post('/api/session/new', { workspace: listed.slice('big:'.length) }, bearer), { status: 403 })
})

t.test('a scheduled job works on another machine, and says when that was away', needs('nats-server'), async (t) => {
  const service = await start(t)
  const big = await joinMachine(t, await startNats(t), service)
  const workspace = `big:${big.folder('nightly')}`
  const { body: { job } } = await service.post('/api/crons/create', { prompt: 'Look', schedule: '0 9 * * *', workspace })
  t.equal(job.workspace, workspace)
  big.leave()
  await service.post('/api/crons/run', { job_id: job.id })
  const told = await eventually('the end of the run', async () => (await service.get('/api/crons')).body.jobs.find(({ id, last_error: error }: { id: string, last_error: string | null }) => id === job.id && error !== null))
  t.match(told.last_error, /The machine big (?:is not reachable|did not answer in time)/)
})

t.test('a machine that answers what is no answer is told apart, and a long answer arrives', needs('nats-server'), async (t) => {
  const service = await start(t)
  const big = await joinMachine(t, await startNats(t), service)
  const folder = big.folder('project')
  const commands = join(folder, '.claude', 'commands')
  mkdirSync(commands, { recursive: true })
  writeFileSync(join(commands, 'long.md'), 'x'.repeat(60_000))
  const { machines } = service.app
  const long = await machines.ask('big', 'command', { workspace: folder, name: 'long', args: 'y'.repeat(90_000) })
  t.ok(long!.text.length > 150_000)
  t.equal((await machines.ask('big', 'suggest', { prefix: `${folder}/${'z'.repeat(8_000)}` })).length, 0)
  await t.rejects(machines.ask('big', 'commands', { workspace: 5 as unknown as string }), { name: 'Invalid' })
  for (const workspace of ['/', '/etc', 'relative', `${folder}\0`, big.closed, `${folder}/../../closed`]) await t.rejects(machines.ask('big', 'context', { workspace }), { name: 'Invalid' }, workspace)

  const { nc, subjects } = big.link
  big.leave()
  for (const answer of ['', 'garbage', '{}', '{"answer":5}', '{"answer":{"path":"opt"}}', '{"answer":{"path":"/a\\u0000"}}', '{"refused":5}', '{"refused":{"kind":"constructor","message":"x"}}', '{"refused":{"kind":"Invalid"}}']) {
    const rogue = nc.subscribe(subjects.ask('big', 'folder'), { callback: (_, message) => { message.respond(answer) } })
    await nc.flush()
    await t.rejects(machines.ask('big', 'folder', { path: folder }), { name: 'Unavailable', code: 'host_unreachable' }, answer)
    rogue.unsubscribe()
  }
  nc.subscribe(subjects.ask('big', 'folder'), { callback: (_, message) => { message.respond('{"refused":{"kind":"Conflict","message":"x","code":"made_up"}}') } })
  nc.subscribe(subjects.ask('big', 'suggest'), { callback: () => {} })
  await nc.flush()
  await t.rejects(machines.ask('big', 'folder', { path: folder }), { name: 'Conflict', message: 'x', code: undefined })
  await t.rejects(machines.ask('big', 'suggest', { prefix: '/' }, { timeoutMs: 50 }), { code: 'host_unreachable', message: 'The machine big did not answer in time' })
})
