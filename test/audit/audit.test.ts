import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { auditKindNames, type AuditKind } from '../../schemas/audit.js'
import { verifyChain } from '../../services/areas/audit/index.js'
import { auditOf, type Entry } from '../support/audit.js'
import { start, type TestService } from '../support/app.js'
import { Authenticator } from '../support/authenticator.js'
import { startChat } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { needsGit } from '../support/git-repository.js'
import { startGuardedServer } from '../support/mcp/guarded-server.js'

const password = 'correct horse'
/** Kinds that other tests cover. */
const seenElsewhere: AuditKind[] = [
  'backup.created', 'backup.restored', 'update.applied', 'machine.joined', 'machine.left', 'machine.forgotten', 'pull.opened', 'pull.ready',
  'pull.commented', 'pull.resolved', 'pull.merged', 'pull.closed', 'plan.started', 'mode.switched', 'attempts.begun', 'attempts.taken',
  'attempts.taken_back', 'attempts.stopped', 'attempts.removed', 'check.saved', 'check.removed', 'session.attached', 'skill.imported',
  'skill.import_undone'
]
const seen = new Set<AuditKind>(seenElsewhere)

/** Returns the existing entries, and notes their kinds as seen. */
async function entriesOf (t: Test, service: TestService, headers?: Record<string, string>): Promise<Entry[]> {
  const entries = await auditOf(t, service, headers)
  for (const { kind } of entries) seen.add(kind)
  return entries
}

/** Returns the entries that `work` adds to the log. */
async function recorded (t: Test, service: TestService, work: () => Promise<unknown>, headers?: Record<string, string>): Promise<Entry[]> {
  const last = service.app.audit.head().id
  await work()
  return (await entriesOf(t, service, headers)).filter(({ id }) => id > last)
}

const cookieOf = (headers: Headers): string => headers.get('set-cookie')!.split(';')[0]!
const open = { kind: 'person', id: 'open', name: null }

/** Sends requests like a browser that has the service open as localhost, which passkeys require. */
function browserOf ({ url }: TestService, cookie: string) {
  const origin = url.replace('127.0.0.1', 'localhost')
  return {
    origin,
    post: async (path: string, body: object = {}, isIn = true) => await (await fetch(origin + path, {
      method: 'POST', headers: { 'content-type': 'application/json', ...(isIn && { cookie }) }, body: JSON.stringify(body)
    })).json() as any // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
  }
}

t.test('who signs in, fails to, tries too often, and signs out', async (t) => {
  let aheadMs = 0
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_PASSKEY: '1' }, clock: aheadBy(() => aheadMs) })
  const login = async (said: string) => await service.post('/api/auth/login', { password: said })
  for (let attempt = 0; attempt < 9; attempt++) await login('wrong')
  aheadMs += 61_000
  const cookie = cookieOf((await login(password)).headers)
  const made = await service.post('/api/auth/tokens/create', { name: 'script', scope: 'admin' }, { cookie })
  const token = { authorization: `Bearer ${made.body.token as string}` }
  const entries = await entriesOf(t, service, token)
  t.same(entries.map(({ kind, outcome }) => `${kind} ${outcome}`), [
    ...Array<string>(5).fill('auth.sign_in failed'), 'auth.sign_in throttled', 'auth.sign_in ok', 'device.created ok'
  ], 'who goes on trying is told of once')
  const nobody = { kind: 'nobody', id: null, name: null }
  t.match(entries[0], { actor: nobody, address: '127.0.0.1', details: { method: 'password', session: null }, id: 1, previous_hash: '' })
  const { session } = entries[6]!.details
  t.match(entries[7], { actor: { kind: 'person', id: session, name: null }, details: { device: made.body.device.id, name: 'script', scope: 'admin', expires_at: null } })

  const later = await recorded(t, service, async () => {
    await service.post('/api/auth/tokens/rename', { id: made.body.device.id, name: 'my script' }, token)
    const begun = await service.post('/api/auth/tokens/pair', { name: 'phone', scope: 'read' }, token)
    await service.post('/api/auth/pair', { code: 'AAAAA-AAAAA' })
    await service.post('/api/auth/pair', { code: begun.body.code, as: 'session' })
    const other = await service.post('/api/auth/tokens/pair', { name: 'tablet', scope: 'read' }, token)
    await service.post('/api/auth/tokens/pair/end', { id: other.body.id }, token)
    await service.post('/api/auth/tokens/pair/end', { id: 'nothing' }, token)
    await service.get('/api/sessions', { authorization: `Bearer svct_${'a'.repeat(12)}_${'b'.repeat(40)}` })
    await service.post('/api/auth/logout', {}, { cookie })
    await service.post('/api/auth/logout', {}, { cookie })
    await service.post('/api/auth/tokens/revoke', { id: begun.body.id }, token)
  }, token)
  const device = (name: string) => ({ kind: 'device', id: made.body.device.id as string, name })
  t.same(later.map(({ kind, outcome, actor }) => [kind, outcome, actor]), [
    ['device.renamed', 'ok', device('script')],
    ['pairing.begun', 'ok', device('my script')],
    ['auth.sign_in', 'failed', nobody],
    ['pairing.completed', 'ok', nobody],
    ['pairing.begun', 'ok', device('my script')],
    ['pairing.ended', 'ok', device('my script')],
    ['auth.sign_in', 'failed', nobody],
    ['auth.sign_out', 'ok', { kind: 'person', id: session, name: null }],
    ['device.revoked', 'ok', device('my script')]
  ])
  t.match(later.map(({ details }) => details), [{ name: 'my script' }, { name: 'phone', scope: 'read' }, { method: 'code' }, { name: 'phone', as: 'session' }, {}, {}, { method: 'token' }, { session }, { name: 'phone' }])
})

t.test('passwords and passkeys', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSKEY: '1' } })
  const noted = await recorded(t, service, async () => await service.post('/api/settings', { _auth_disabled_acknowledged: true }))
  t.match(noted, [{ kind: 'auth.open_acknowledged', actor: open, details: { acknowledged: true } }])
  let cookie = cookieOf((await service.post('/api/settings', { _set_password: 'one', theme: 'light' })).headers)
  t.match((await entriesOf(t, service, { cookie })).slice(1), [
    { kind: 'auth.password', actor: open, details: { change: 'set' } }, { kind: 'settings.changed' }, { kind: 'auth.sign_in', details: { method: 'password' } }
  ])
  const all = await recorded(t, service, async () => {
    const changed = await service.post('/api/settings', { _set_password: 'two', _current_password: 'one' }, { cookie })
    cookie = cookieOf(changed.headers)
    await service.post('/api/settings', { _set_password: 'three', _current_password: 'wrong' }, { cookie })
    const { origin, post } = browserOf(service, cookie)
    const phone = new Authenticator(origin)
    const { credential } = await post('/api/auth/passkey/register', phone.attest((await post('/api/auth/passkey/register/options')).publicKey, 'My phone'))
    await post('/api/auth/passkey/login', phone.assert((await post('/api/auth/passkey/options', {}, false)).publicKey), false)
    await post('/api/auth/passkey/login', phone.assert((await post('/api/auth/passkey/options', {}, false)).publicKey, { signCount: 0 }), false)
    await post('/api/settings', { _passwordless: true })
    await post('/api/settings', { _passwordless: false })
    await post('/api/auth/passkey/rename', { id: credential.id, label: 'Old phone' })
    await post('/api/auth/passkey/delete', { id: credential.id })
    await service.post('/api/settings', { _clear_password: true, _current_password: 'two' }, { cookie })
  })
  t.match(all.filter(({ kind }) => kind === 'auth.password').map(({ details }) => details.change), ['changed', 'removed'])
  t.match(all.filter(({ kind }) => kind === 'auth.passwordless').map(({ details }) => details.on), [true, false])
  t.match(all.filter(({ kind }) => kind.startsWith('passkey.')).map(({ kind, details }) => [kind, details.label]), [
    ['passkey.registered', 'My phone'], ['passkey.renamed', 'Old phone'], ['passkey.deleted', undefined]
  ])
  t.match(all.filter(({ kind, details }) => kind === 'auth.sign_in' && details.method === 'passkey').map(({ outcome }) => outcome), ['ok'])
  t.ok(all.some(({ kind, outcome, actor }) => kind === 'auth.sign_in' && outcome === 'failed' && actor.kind === 'person'), 'a wrong current password')
})

t.test('what people answer, allow for good, and let run', async (t) => {
  const service = await startChat(t)
  const outside = join(service.folder, 'outside')
  mkdirSync(outside)
  const key = `sk-${'a1'.repeat(20)}`
  const id = await service.newSession()
  const ask = async (choice: string, command: string) => {
    const reader = await service.watch(await service.send(id, 'Do it', { model: service.model([{ tool: 'terminal', args: { command } }]) }))
    await service.pending(id)
    await service.respond(id, choice)
    await reader.ended
  }
  const entries = await recorded(t, service, async () => {
    await ask('deny', `echo ${key} > ${outside}/a`)
    await ask('once', 'echo \u001b[31mred')
    await ask('always', 'echo good')
    const [grant] = (await service.get('/api/grants')).body.grants
    await service.post('/api/grants/revoke', grant)
    const reader = await service.watch(await service.send(id, 'Ask', { model: service.model([{ tool: 'clarify', args: { question: 'Which colour?' } }]) }))
    await service.pending(id, 'clarify')
    await service.post('/api/clarify/respond', { session_id: id, response: 'a secret colour' })
    await reader.ended
    for (const enabled of [true, true, false]) await service.post('/api/session/yolo', { session_id: id, enabled })
  })
  t.match(entries, [
    { kind: 'approval.answered', actor: open, details: { session: id, choice: 'deny', command: /^echo \S*\[redacted\]/ } },
    { kind: 'approval.answered', details: { choice: 'once' } },
    { kind: 'approval.answered', details: { choice: 'always', command: 'echo good', pattern_keys: ['cmd:echo'] } },
    { kind: 'grant.added', actor: open, details: { profile: 'default', pattern_key: 'cmd:echo' } },
    { kind: 'grant.removed', actor: open, details: { pattern_key: 'cmd:echo' } },
    { kind: 'question.answered', actor: open, details: { session: id, question: 'Which colour?', declined: false } },
    { kind: 'yolo.switched', details: { session: id, on: true } },
    { kind: 'yolo.switched', details: { on: false } }
  ])
  t.equal(entries.length, 8)
  t.notMatch(JSON.stringify(entries), /secret colour|\\u001b/)
})

t.test('settings, models, keys, servers, skills, memory, profiles and jobs', async (t) => {
  const service = await start(t)
  const home = join(service.folder, 'home')
  const guarded = await startGuardedServer(t)
  const mcp = async (method: string, path: string, body?: object) => await service.app.inject({ method: method as 'PUT', url: `/api/mcp/servers/${path}`, ...(body !== undefined && { payload: body }) })
  const entries = await recorded(t, service, async () => {
    await service.post('/api/settings', { bot_name: 'Ada', pinned_sessions_limit: 5 })
    await service.post('/api/settings', { bot_name: 'Ada' })
    await service.post('/api/providers', { provider: 'openai', api_key: 'sk-test-0123456789abcdef0123456789' })
    await service.post('/api/providers/delete', { provider: 'openai' })
    await service.post('/api/reasoning', { effort: 'high' })
    await mcp('PUT', 'web', { url: guarded.url, headers: { 'X-Key': 'of-the-header-0123456789' }, oauth: { issuer: guarded.issuer } })
    await mcp('PATCH', 'web', { enabled: false })
    await mcp('PATCH', 'web', { enabled: true })
    await mcp('PATCH', 'web', { timeout: 9 })
    await service.post('/api/mcp/servers/web/sign-in')
    await mcp('DELETE', 'web/sign-in')
    await mcp('DELETE', 'web')
    mkdirSync(join(home, 'plugins', 'lint', '.claude-plugin'), { recursive: true })
    writeFileSync(join(home, 'plugins', 'lint', '.claude-plugin', 'plugin.json'), '{"name": "lint"}')
    await service.post('/api/plugins', { name: 'lint', enabled: true })
    await service.post('/api/skills/save', { name: 'walk', content: '---\nname: walk\ndescription: Walks\n---\n\nWalk.\n' })
    await service.post('/api/skills/delete', { name: 'walk' })
    await service.post('/api/memory/write', { section: 'memory', content: 'Likes tea\n' })
    await service.post('/api/memory/write', { section: 'memory', content: '' })
    await service.post('/api/profile/create', { name: 'work' })
    await service.post('/api/profile/delete', { name: 'work' })
    const { job } = (await service.post('/api/crons/create', { prompt: 'Look', schedule: '1d', name: 'Daily' })).body
    await service.post('/api/crons/pause', { job_id: job.id })
    await service.post('/api/crons/delete', { job_id: job.id })
    const { hook } = (await service.post('/api/hooks/create', { template: 'Look', name: 'Issues' })).body
    await service.post('/api/hooks/secret', { id: hook.id })
    await service.post('/api/hooks/delete', { id: hook.id })
  })
  t.match(entries.map(({ kind, details }) => [kind, details]), [
    ['settings.changed', { changes: [{ key: 'bot_name', to: '"Ada"' }, { key: 'pinned_sessions_limit', from: '3', to: '5' }] }],
    ['key.set', { profile: 'default', variable: 'OPENAI_API_KEY' }],
    ['key.removed', { variable: 'OPENAI_API_KEY' }],
    ['config.changed', { changes: [{ key: String, from: null, to: '"high"' }] }],
    ['mcp.server', { server: 'web', change: 'added' }],
    ['mcp.server', { change: 'off' }],
    ['mcp.server', { change: 'on' }],
    ['mcp.server', { change: 'changed' }],
    ['mcp.sign_in', { server: 'web' }],
    ['mcp.sign_out', { server: 'web' }],
    ['mcp.server', { change: 'removed' }],
    ['plugin.switched', { plugin: 'lint', on: true }],
    ['skill.saved', { skill: 'walk' }],
    ['skill.deleted', { skill: 'walk' }],
    ['memory.changed', { section: 'memory', bytes_before: 0, bytes: 10 }],
    ['memory.changed', { bytes_before: 10, bytes: 0 }],
    ['profile.created', { profile: 'work' }],
    ['profile.deleted', { profile: 'work' }],
    ['job.created', { name: 'Daily' }],
    ['job.changed', { name: 'Daily' }],
    ['job.deleted', { name: 'Daily' }],
    ['hook.created', { name: 'Issues' }],
    ['job.created', { name: 'Issues' }],
    ['hook.changed', { name: 'Issues', secret: true }],
    ['hook.deleted', { name: 'Issues' }],
    ['job.deleted', { name: 'Issues' }]
  ])
  t.equal(entries.length, 26)
  t.ok(entries.every(({ actor, address }) => actor.kind === 'person' && address === '127.0.0.1'), 'all by who has asked for it')
})

t.test('conversations, their files, and what leaves the service', needsGit, async (t) => {
  const service = await startChat(t)
  const repository = join(service.workspace, 'repository')
  const git = (...words: string[]): void => { execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...words], { cwd: repository, stdio: 'ignore' }) }
  mkdirSync(repository)
  execFileSync('git', ['init', '-q', '--bare', join(service.folder, 'bare.git')])
  git('init', '-q', '-b', 'main')
  for (const name of ['a', 'b', 'c']) writeFileSync(join(repository, name), name)
  git('add', '.')
  git('commit', '-qm', 'One')
  git('remote', 'add', 'origin', join(service.folder, 'bare.git'))
  const id = await service.newSession({ workspace: repository })
  await service.post('/api/session/yolo', { session_id: id })
  await service.turn(id, 'Write', service.model([{ tool: 'write_file', args: { path: 'a', content: 'changed' } }]))
  const entries = await recorded(t, service, async () => {
    const [checkpoint] = (await service.get(`/api/rollback/list?session_id=${id}`)).body.checkpoints
    await service.post('/api/rollback/restore', { session_id: id, checkpoint: checkpoint.id })
    writeFileSync(join(repository, 'a'), 'changed again')
    await service.post('/api/git/discard', { session_id: id, paths: ['a'] })
    await service.post('/api/git/push', { session_id: id })
    await service.turn(id, 'Push', service.model([{ tool: 'terminal', args: { command: 'cd . && git -c push.default=current push origin HEAD:refs/heads/theirs' } }]))
    await service.turn(id, 'Fail', service.model([{ tool: 'terminal', args: { command: 'git push nowhere; false' } }]))
    const { trash_id: item } = (await service.post('/api/file/delete', { session_id: id, path: 'b' })).body
    await service.post('/api/trash/delete', { session_id: id, id: item })
    await service.post('/api/file/delete', { session_id: id, path: 'c', permanent: true })
    await service.post('/api/trash/empty', { session_id: id })
    await service.get(`/api/session/export?session_id=${id}`)
    await service.get(`/api/session/export?session_id=${id}&format=html`)
    await service.get('/api/session/export?session_id=nothing')
    await service.post('/api/session/import', { title: 'Brought', messages: [{ role: 'user', content: 'Hello' }] })
    const shared = await service.post('/api/session/share', { session_id: id })
    await service.post('/api/shares/revoke', { share_id: shared.body.share_id })
    const { project } = (await service.post('/api/projects/create', { name: 'Work' })).body
    await service.post('/api/projects/update', { project_id: project.project_id, instructions: 'Answer briefly.' })
    await service.post('/api/projects/delete', { project_id: project.project_id })
    await service.post('/api/session/truncate', { session_id: id, keep_count: 1 })
    await service.post('/api/session/delete', { session_id: id })
    await service.get('/api/audit/export?format=csv')
  })
  t.match(entries.map(({ kind, details }) => [kind, details]), [
    ['checkpoint.restored', { session: id, files: null }],
    ['git.discarded', { session: id, files: 1, untracked: false }],
    ['git.pushed', { session: id }],
    ['git.pushed', { session: id }],
    ['file.deleted', { session: id, path: 'b', permanent: false }],
    ['trash.removed', { item: String }],
    ['file.deleted', { path: 'c', permanent: true }],
    ['trash.removed', { item: null }],
    ['session.exported', { session: id, format: 'json' }],
    ['session.exported', { format: 'html' }],
    ['session.imported', { profile: 'default' }],
    ['share.created', { session: id }],
    ['share.revoked', { session: id }],
    ['project.changed', { name: 'Work', workspace: false, instructions: true }],
    ['project.deleted', { name: 'Work' }],
    ['session.cut', { session: id, removed: Number }],
    ['session.deleted', { session: id, profile: 'default' }],
    ['audit.exported', { format: 'csv' }]
  ])
  t.same(entries.filter(({ kind }) => kind === 'git.pushed').map(({ actor: { kind, id } }) => [kind, id]), [['person', 'open'], ['agent', id]])
  t.equal(entries.length, 18, 'what was refused is not recorded')
})

t.test('the agent is told from people', async (t) => {
  const service = await startChat(t)
  const id = await service.newSession()
  const reader = await service.watch(await service.send(id, 'Remember', { model: service.model([{ tool: 'memory', args: { section: 'memory', action: 'add', text: 'Likes tea' } }]) }))
  await service.pending(id)
  await service.respond(id, 'once')
  await reader.ended
  t.match((await entriesOf(t, service)).slice(-2), [
    { kind: 'approval.answered', actor: open }, { kind: 'memory.changed', actor: { kind: 'agent', id, name: null }, address: null }
  ])
})

t.test('entries that are too old are removed from the old end, and what is left is whole', async (t) => {
  let aheadMs = 0
  const service = await start(t, { clock: aheadBy(() => aheadMs) })
  const dayMs = 86_400_000
  await service.post('/api/settings', { bot_name: 'One' })
  await service.post('/api/settings', { bot_name: 'Two' })
  aheadMs += 300 * dayMs
  await service.post('/api/settings', { bot_name: 'Three' })
  t.equal(await service.app.audit.trim(365), false, 'none is old enough')
  aheadMs += 66 * dayMs
  t.equal(await service.app.audit.trim(365), true)
  t.equal(await service.app.audit.trim(365), false)
  const entries = await entriesOf(t, service)
  t.match(entries.map(({ id, kind }) => [id, kind]), [[3, 'settings.changed'], [4, 'audit.trimmed']])
  t.match(entries[1]!.details, { removed: 2, up_to: 2 })
  t.match(verifyChain(service.app.db.sqlite), { whole: true, entries: 2, first: 3, removed_up_to: 2 })
  t.same((await service.get('/api/audit?before=4&limit=1')).body.entries.map(({ id }: Entry) => id), [3])
})

t.test('the table refuses what is no next entry, and a change past it is found', async (t) => {
  const service = await start(t)
  for (const name of ['One', 'Two', 'Three', 'Four']) await service.post('/api/settings', { bot_name: name })
  const { sqlite } = service.app.db
  const refuses = (statement: string): void => { t.throws(() => sqlite.exec(statement), /audit log/, statement) }
  refuses("update audit set details = '{}' where id = 2")
  refuses('delete from audit where id = 1')
  refuses('delete from audit')
  refuses('insert into audit select 9, at, kind, outcome, actor_kind, actor_id, actor_name, address, details, hash, hash from audit where id = 4')
  refuses("insert into audit select 5, at, kind, outcome, actor_kind, actor_id, actor_name, address, details, 'x', hash from audit where id = 4")
  refuses("insert or replace into audit select 2, at, kind, outcome, actor_kind, actor_id, actor_name, address, '{}', previous_hash, hash from audit where id = 2")
  refuses('insert into audit_anchor select 1, 2, hash from audit where id = 2')

  const { last } = verifyChain(sqlite)
  sqlite.exec('drop trigger audit_unchanged; drop trigger audit_kept')
  const undone = (statement: string, expected: object, known = last): void => {
    sqlite.exec(`savepoint before; ${statement}`)
    t.match(verifyChain(sqlite, known), { whole: false, ...expected }, statement)
    sqlite.exec('rollback to before; release before')
  }
  undone("update audit set actor_name = 'somebody' where id = 2", { entries: 1, problem: { id: 2, reason: /changed/ } })
  undone("update audit set details = details || ' ' where id = 3", { problem: { id: 3, reason: /changed/ } })
  undone('delete from audit where id = 2', { problem: { id: 3, reason: /entry 2 is missing/ } })
  undone('delete from audit where id = 1', { problem: { id: 2, reason: /entry 1 is missing/ } })
  undone('delete from audit where id = 4', { problem: { id: 4, reason: /missing at the end/ } })
  t.match(verifyChain(sqlite, last), { whole: true, entries: 4 })
  t.match(verifyChain(sqlite, { id: 4, hash: '0'.repeat(64) }), { whole: false, problem: { id: 4 } })
})

t.test('names of any kind do no harm, and nothing secret is stored', async (t) => {
  const service = await startChat(t)
  const secrets = ['hunter2-the-password', `sk-${'Zz9'.repeat(15)}`, 'of-the-header-abcdef0123456789', 'the-current-password']
  const names = ['a\nb\r\nc', '\u001b[31mred\u001b[0m', '=cmd|\' /C calc\'!A0', '"quoted", and more', 'x'.repeat(80), '\u202egnirts', `key ${secrets[1]!}`]
  for (const name of names) await service.post('/api/auth/tokens/create', { name, scope: 'read' })
  const id = await service.newSession()
  for (const path of ['no\nfile', '\u001b]0;title\u0007', `${'deep/'.repeat(200)}`, secrets[1]!]) {
    writeFileSync(join(service.workspace, 'file'), 'text')
    await service.post('/api/file/create', { session_id: id, path, content: 'x', parents: true })
    await service.post('/api/file/delete', { session_id: id, path, permanent: true })
  }
  await service.post('/api/providers', { provider: 'openai', api_key: secrets[1] })
  await service.app.inject({ method: 'PUT', url: '/api/mcp/servers/web', payload: { url: 'https://mcp.example/', headers: { 'X-Any': secrets[2] } } })
  await service.post('/api/settings', { _set_password: secrets[0], _current_password: secrets[3] })
  const table = JSON.stringify(service.app.db.sqlite.prepare('select * from audit').all())
  for (const secret of secrets) t.notOk(table.includes(secret), secret.slice(0, 6))
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  t.notMatch(table.replaceAll(/\\\\?[ntr]/g, ''), /[\u0000-\u001f\u202e]|\\\\?u00[01]/)
})

t.test('it is read by pages, kinds and words, and exported as it is', async (t) => {
  const service = await start(t)
  for (let count = 0; count < 1_200; count++) service.app.audit.soonest('git.pushed', { session: `number ${count}` })
  await service.post('/api/settings', { bot_name: 'Ada' })
  const first = await service.get('/api/audit?limit=2')
  t.match(first.body, { entries: [{ kind: 'settings.changed' }, { kind: 'git.pushed', details: { session: 'number 1199' } }], next_before: 1_200 })
  t.match((await service.get('/api/audit')).body.entries.length, 100)
  t.match((await service.get('/api/audit?limit=100000')).body.entries.length, 500)
  t.match((await service.get('/api/audit?kind=settings')).body, { entries: [{ kind: 'settings.changed' }], next_before: null })
  t.match((await service.get('/api/audit?kind=git.pushed&limit=1&q=NUMBER%207')).body, { entries: [{ details: { session: 'number 799' } }] })
  t.same((await service.get('/api/audit?kind=git.push')).body.entries, [], 'a part of a word is no kind')
  t.same((await service.get(`/api/audit?q=${encodeURIComponent("' or 1=1 --")}`)).body.entries, [])
  const lines = (await service.get('/api/audit/export')).text.trimEnd().split('\n').map((line) => JSON.parse(line) as Entry)
  t.same(lines.length, 1_201)
  t.match(lines[0], { id: 1, previous_hash: '', kind: 'git.pushed' })
  const csv = await service.get('/api/audit/export?format=csv&kind=settings')
  t.equal(csv.headers.get('content-type'), 'text/csv; charset=utf-8')
  t.match(csv.text, /^id,at,kind,.*\r\n1201,20\d\d-.*,settings\.changed,ok,person,open,,127\.0\.0\.1,"\{""changes"".*\r\n$/)
  for (const path of ['/api/audit?kind=' + 'x'.repeat(65), '/api/audit/export?format=xml']) t.equal((await service.get(path)).status, 400, path)
})

t.test('a page looks at so many entries and no more', { long: true }, async (t) => {
  const { app } = await start(t)
  const { head, page } = app.audit
  app.audit.record('settings.changed', { changes: [] })
  const { id } = head()
  app.db.transaction(() => { for (let count = 0; count < 30_000; count++) app.audit.record('git.pushed', { session: 'many' }) })
  const sparse = page(Number.MAX_SAFE_INTEGER, 10, { kind: 'settings' })
  t.match(sparse, { entries: [], nextBefore: head().id + 1 - 20_000 })
  t.match(page(sparse.nextBefore!, 10, { kind: 'settings' }), { entries: [{ id }], nextBefore: null })
})

t.test('two clients at once make one chain, and a token below admin does not read it', async (t) => {
  const service = await start(t)
  const made = await Promise.all(['read', 'chat', 'approve', 'admin'].map(async (scope) => await service.post('/api/auth/tokens/create', { name: scope, scope })))
  const tokens = made.map(({ body }) => ({ authorization: `Bearer ${body.token as string}` }))
  t.same(await Promise.all(tokens.map(async (token) => (await service.get('/api/audit', token)).status)), [403, 403, 403, 200])
  const clients = [tokens[3]!, {}]
  await Promise.all(Array.from({ length: 60 }, async (_, index) => {
    const project = await service.post('/api/projects/create', { name: `Project ${index}` }, clients[index % 2])
    await service.post('/api/projects/delete', { project_id: project.body.project.project_id }, clients[index % 2])
  }))
  const deleted = (await entriesOf(t, service)).filter(({ kind }) => kind === 'project.deleted')
  t.equal(deleted.length, 60)
  for (const { actor, details } of deleted) {
    const index = Number(/\d+/.exec(details.name as string)![0])
    t.equal(actor.kind, index % 2 === 0 ? 'device' : 'person', 'each by who has done it')
  }
})

t.test('nothing is done without its entry, and no entry is left of what was not', async (t) => {
  const service = await start(t)
  const { project } = (await service.post('/api/projects/create', { name: 'Work' })).body
  const { sqlite } = service.app.db
  // As if another program had broken the chain: the next entry is refused, and the change with it.
  sqlite.exec("create trigger nothing_more before insert on audit begin select raise(abort, 'no entry of the audit log'); end")
  t.equal((await service.post('/api/projects/delete', { project_id: project.project_id })).status, 500)
  t.equal((await service.get('/api/projects')).body.projects.length, 1)
  sqlite.exec('drop trigger nothing_more')
  sqlite.exec("create trigger nothing_deleted before delete on projects begin select raise(abort, 'no'); end")
  t.equal((await service.post('/api/projects/delete', { project_id: project.project_id })).status, 500)
  t.same(await auditOf(t, service), [])
})

t.test('every kind was seen', async (t) => {
  t.same(auditKindNames.filter((kind) => !seen.has(kind)), [])
})
