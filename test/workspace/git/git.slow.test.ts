import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { Invalid } from '../../../services/ground/errors.js'
import { createStatusCache } from '../../../services/workspace/git/cache.js'
import { ago } from '../../../services/areas/git/wire.js'
import { commitMark } from '../../../services/agent/engines/quoted-conversation.js'
import { type TestService, start } from '../../support/app.js'
import { eventually, gate, held, said, startChat } from '../../support/chat.js'
import { needsGit } from '../../support/git-repository.js'

t.setTimeout(300_000)

function run (folder: string, ...args: string[]): string {
  return execFileSync('git', ['-c', 'init.defaultBranch=main', '-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', ...args], { cwd: folder, encoding: 'utf8' }).trim()
}

/** Creates a repository with two commits on main and a branch, in the service's workspace. */
function prepare ({ workspace }: TestService): void {
  run(workspace, 'init', '-q')
  run(workspace, 'config', 'user.name', 'Ann')
  run(workspace, 'config', 'user.email', 'ann@example.com')
  mkdirSync(join(workspace, 'src'))
  for (const name of ['a.txt', 'b.txt', 'src/c.txt']) writeFileSync(join(workspace, name), 'one\ntwo\n')
  run(workspace, 'add', '.')
  run(workspace, 'commit', '-qm', 'First')
  run(workspace, 'branch', 'topic')
  writeFileSync(join(workspace, 'a.txt'), 'one\ntwo\nthree\n')
  run(workspace, 'commit', '-qam', 'Second')
}

interface SilentServer {
  url: string
  /** Whether a client has connected. */
  isAsked (): boolean
  hangUp (): void
}

/** Accepts connections and says nothing until it hangs up on all of them. */
async function silentServer (t: { teardown (callback: () => unknown): unknown }): Promise<SilentServer> {
  const sockets: Socket[] = []
  const server = createServer((socket) => { sockets.push(socket.on('error', () => {})) })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const hangUp = (): void => {
    server.close()
    for (const socket of sockets) socket.destroy()
  }
  t.teardown(hangUp)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/x.git`, isAsked: () => sockets.length > 0, hangUp }
}

t.test('how long ago', async (t) => {
  for (const [seconds, text] of [[-5, 'just now'], [0, 'just now'], [59, 'just now'], [60, '1 minute ago'], [7_200, '2 hours ago'], [86_400, '1 day ago'], [3 * 86_400, '3 days ago'], [8 * 86_400, '1 week ago'], [45 * 86_400, '1 month ago'], [800 * 86_400, '2 years ago']] as const) {
    t.equal(ago(1_800_000_000 - seconds, 1_800_000_000), text)
  }
})

t.test('a repository through a session', needsGit, async (t) => {
  const service = await start(t)
  const { workspace } = service
  const plain = await service.newSession()
  const get = async (path: string, id = plain) => await service.get(`/api/git${path}${path.includes('?') ? '&' : '?'}session_id=${id}`)
  const post = async (action: string, more: object = {}) => await service.post(`/api/git/${action}`, { session_id: plain, ...more })

  t.match((await service.get('/api/system/health')).body.git, { engine: 'git', version: /^\d+\.\d+/ })
  t.same((await get('-info')).body, { git: null })
  t.same((await get('/status')).body, { git: { is_git: false } })
  for (const path of ['/branches', '/diff?path=a.txt', '/log', '/show?ref=HEAD', '/stashes']) t.match(await get(path), { status: 400, body: { code: 'not_a_repo' } }, path)
  for (const [action, more] of [['stage', { paths: ['a'] }], ['commit', { message: 'x' }], ['fetch', {}], ['push', {}], ['checkout', { ref: 'main' }], ['commit-message', {}]] as const) {
    t.match(await post(action, more), { status: 400, body: { code: 'not_a_repo' } }, action)
  }

  prepare(service)
  t.same((await get('-info')).body, { git: { branch: 'main', dirty: 0, modified: 0, untracked: 0, ahead: 0, behind: 0, is_git: true } })
  writeFileSync(join(workspace, 'b.txt'), 'one\nTWO\n')
  writeFileSync(join(workspace, 'new "é".txt'), 'x\n')
  t.same((await get('-info')).body.git, { branch: 'main', dirty: 2, modified: 1, untracked: 1, ahead: 0, behind: 0, is_git: true })
  t.match((await get('/status')).body.git, {
    is_git: true, branch: 'main', detached: false, upstream: null, totals: { changed: 2, staged: 0, unstaged: 1, untracked: 1, conflicts: 0 }, truncated: false,
    files: [{ path: 'b.txt', status: 'M', unstaged: true, additions: 1, deletions: 1, ignored: false, old_path: null }, { path: 'new "é".txt', status: '??', untracked: true }]
  })
  t.match((await get('/diff?path=b.txt')).body.diff, { path: 'b.txt', kind: 'unstaged', binary: false, too_large: false, additions: 1, deletions: 1, diff: /-two\n\+TWO/ })
  t.match((await get('/branches')).body.branches, { is_git: true, current: 'main', detached: false, local: [{ name: String, updated: Number, updated_relative: 'just now', subject: String, upstream: null }, {}], remote: [] })

  t.match((await post('commit', { message: 'x' })).body, { code: 'nothing_to_commit' })
  t.match(await post('commit-message'), { status: 400, body: { code: 'nothing_to_commit' } })
  t.match((await post('stage', { paths: ['b.txt', 'new "é".txt'] })).body, { ok: true, git: { totals: { staged: 2, unstaged: 0 } } })
  t.match((await post('unstage', { paths: ['b.txt'] })).body, { ok: true, git: { totals: { staged: 1, unstaged: 1 } } })
  t.match((await post('commit-message')).body, { ok: true, message: 'Add new "é".txt', truncated: false, source: 'summary' }, 'the demo pretends nothing')
  t.match((await post('commit-message-selected', { paths: ['b.txt'] })).body, { ok: true, message: 'Update b.txt' })
  const selected = (await post('commit-selected', { message: 'Only b', paths: ['b.txt'] })).body
  t.match(selected, { ok: true, commit: run(workspace, 'rev-parse', 'HEAD'), paths: ['b.txt'], status: { totals: { staged: 1 } }, git: { totals: { staged: 1 } } })
  t.match((await post('commit', { message: 'With é' })).body, { ok: true, commit: /^[0-9a-f]{40}$/, status: { totals: { changed: 0 } } })

  const log = (await get('/log?limit=2')).body
  t.match(log, { commits: [{ subject: 'With é', author: 'Ann', parents: [String] }, { subject: 'Only b' }], next_offset: 2 })
  t.match((await get('/log?limit=200&offset=2')).body, { commits: [{ subject: 'Second' }, { subject: 'First' }], next_offset: null })
  t.match((await get(`/show?ref=${log.commits[1].sha}`)).body, { commit: { subject: 'Only b' }, files: [{ path: 'b.txt', status: 'M', additions: 1 }], diff: /\+TWO/, too_large: false })
  const stored = await get('/file?path=b.txt&stored=head')
  t.same([stored.status, stored.text], [200, 'one\nTWO\n'])
  t.match(stored.headers.get('content-disposition'), /^inline/)
  t.equal((await get(`/file?path=b.txt&stored=${log.commits[1].sha}%5E`)).text, 'one\ntwo\n')
  for (const [query, status] of [['path=none', 404], ['path=src', 404], ['path=../b.txt', 400], ['path=b.txt&stored=main', 400], ['path=b.txt&stored=--help', 400], ['path=b.txt&stored=0000000', 404], ['path=a%00', 400]] as const) {
    const answer = await get(`/file?${query}`)
    t.equal(answer.status, status, query)
    t.match(answer.body, { error: String })
  }
  for (const limit of ['0', '201', 'x', '-1', '1.5']) t.match(await get(`/log?limit=${limit}`), { status: 400, body: { error: /limit/ } })
  for (const ref of ['--output=x', 'none', 'a..b', '@{u}']) t.match(await get(`/log?ref=${encodeURIComponent(ref)}`), { status: 400, body: { code: 'invalid_ref' } }, ref)

  writeFileSync(join(workspace, 'a.txt'), 'changed\n')
  t.match(await post('checkout', { ref: 'topic', mode: 'local', dirty_mode: 'block' }), { status: 409, body: { code: 'dirty_worktree' } })
  const stashed = (await post('stash-checkout', { ref: 'topic', mode: 'local' })).body
  t.match(stashed, { ok: true, current_branch: 'topic', stash_name: /./, stashed: true, restored_stash: null, restore_failed: false, branches: { current: 'topic' }, git: { branch: 'topic' }, status: { branch: 'topic' } })
  t.match((await get('/stashes')).body, { stashes: [{ ref: 'stash@{0}', branch: 'main', created_at: Number }] })
  const back = (await post('stash-checkout', { ref: 'main', mode: 'local' })).body
  t.match(back, { current_branch: 'main', stash_name: '', stashed: false, restored_stash: { ref: String, branch: String, message: String } })
  t.match((await post('discard', { paths: ['a.txt'], delete_untracked: false })).body, { ok: true, git: { totals: { changed: 0 } } })
  t.match((await post('checkout', { ref: 'main', mode: 'new', new_branch: 'idea', track: null, dirty_mode: null })).body, { ok: true, current_branch: 'idea', message: String, git: { branch: 'idea' } })

  run(workspace, 'checkout', '-q', '--detach')
  const short = run(workspace, 'rev-parse', 'HEAD').slice(0, 7)
  t.match((await get('/branches')).body.branches, { current: short, head: short, detached: true })
  t.match((await get('-info')).body.git, { branch: short })
  t.match((await get('/status')).body.git, { branch: short, detached: true })

  const many = Array.from({ length: 5_001 }, (_, index) => `f${index}`)
  const wrong: Array<[action: string, more: object]> = [
    ['stage', {}], ['stage', { paths: [] }], ['stage', { paths: 'a' }], ['stage', { paths: [''] }], ['stage', { paths: many }], ['stage', { paths: ['../x'] }], ['stage', { paths: ['.git/config'] }],
    ['commit', {}], ['commit', { message: '' }], ['commit', { message: ' \n' }], ['commit-selected', { message: 'x', paths: [] }], ['commit-message-selected', { paths: [] }],
    ['checkout', {}], ['checkout', { ref: '' }], ['checkout', { ref: 'topic', mode: 'sideways' }], ['checkout', { ref: 'topic', dirty_mode: 'force' }], ['checkout', { ref: 'topic', mode: 'new' }],
    ['checkout', { ref: '--orphan' }], ['checkout', { ref: 'none' }], ['discard', { paths: ['a.txt'], delete_untracked: 'yes' }]
  ]
  t.match((await post('discard', { paths: ['a.txt'], delete_untracked: 'yes' })).body, { error: /delete_untracked: must be boolean/ })
  for (const [action, more] of wrong) {
    const answer = await post(action, more)
    t.match(answer, { status: 400, body: { error: String } }, `${action} ${JSON.stringify(more).slice(0, 60)} ${answer.text.slice(0, 200)}`)
    t.notOk(answer.text.includes(workspace))
  }
  t.match(await get('/status', '0123456789ab'), { status: 404, body: { error: 'Session not found' } })
  t.match(await service.post('/api/git/stage', { session_id: '0123456789ab', paths: ['a'] }), { status: 404, body: { error: 'Session not found' } })
})

t.test('who may change a repository', needsGit, async (t) => {
  const service = await startChat(t)
  prepare(service)
  const id = await service.newSession()
  const destructive: Array<[string, object]> = [
    ['stage', { paths: ['a.txt'] }], ['unstage', { paths: ['a.txt'] }], ['discard', { paths: ['a.txt'] }], ['commit', { message: 'x' }], ['commit-selected', { message: 'x', paths: ['a.txt'] }],
    ['pull', {}], ['push', {}], ['checkout', { ref: 'topic' }], ['stash-checkout', { ref: 'topic' }]
  ]
  const until = gate()
  const model = service.model(held(until, [{ text: 'I think' }], [{ text: ' so.' }]))
  const reader = await service.watch(await service.send(id, 'Go', { model }))
  await eventually('a live turn', async () => service.app.chat.isLive(id))
  for (const [action, more] of destructive) t.match(await service.post(`/api/git/${action}`, { session_id: id, ...more }), { status: 409, body: { code: 'active_stream' } }, action)
  t.match(await service.get(`/api/git/status?session_id=${id}`), { status: 200 })
  t.match(await service.post('/api/git/commit-message', { session_id: id }), { status: 400, body: { code: 'nothing_to_commit' } }, 'not gated')
  until.open()
  await reader.ended
  t.match(await service.post('/api/git/stage', { session_id: id, paths: ['a.txt'] }), { status: 200 })

  service.app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(id)
  for (const [action, more] of destructive) t.match(await service.post(`/api/git/${action}`, { session_id: id, ...more }), { status: 403, body: { code: 'destructive_git_disabled' } }, action)
  t.match(await service.get(`/api/git-info?session_id=${id}`), { status: 200 })

  const guarded = await start(t, { env: { SVC_WEBUI_GIT_READONLY: '1' } })
  prepare(guarded)
  const other = await guarded.newSession()
  for (const [action, more] of destructive) t.match(await guarded.post(`/api/git/${action}`, { session_id: other, ...more }), { status: 403, body: { code: 'destructive_git_disabled' } }, action)
  t.match(await guarded.get(`/api/git/status?session_id=${other}`), { status: 200, body: { git: { is_git: true } } })
})

t.test('what waited for its turn does not run beside an answer', { ...needsGit, long: true }, async (t) => {
  const service = await startChat(t)
  prepare(service)
  const { workspace } = service
  const remote = await silentServer(t)
  run(workspace, 'remote', 'add', 'origin', remote.url)
  run(workspace, 'config', 'branch.main.remote', 'origin')
  run(workspace, 'config', 'branch.main.merge', 'refs/heads/main')
  const id = await service.newSession()
  const post = async (action: string, more: object = {}) => await service.post(`/api/git/${action}`, { session_id: id, ...more })
  let questions = 0
  const { isLive } = service.app.chat
  service.app.chat.isLive = (sessionId) => {
    questions++
    return isLive(sessionId)
  }
  const pulled = post('pull')
  await eventually('a pull that waits for the remote', async () => remote.isAsked())
  writeFileSync(join(workspace, 'b.txt'), 'changed\n')
  t.match(await post('stage', { paths: ['b.txt'] }), { status: 200, body: { git: { totals: { staged: 1 } } } }, 'the work tree does not wait for the remote')
  const before = questions
  const pushed = post('push')
  await eventually('a push behind it', async () => questions > before)
  const until = gate()
  const reader = await service.watch(await service.send(id, 'Go', { model: service.model(held(until, [{ text: 'I think' }], [{ text: ' so.' }])) }))
  await reader.until('token')
  remote.hangUp()
  t.match(await pulled, { status: 400, body: { code: 'network_failed' } })
  t.match(await pushed, { status: 409, body: { code: 'active_stream' } })
  until.open()
  await reader.ended
  t.equal(service.there.git.size().queued, 0)
})

t.test('commits of chosen files and of folders', needsGit, async (t) => {
  const service = await start(t)
  prepare(service)
  const { workspace } = service
  const top = await service.newSession()
  const inSrc = await service.newSession({ workspace: join(workspace, 'src') })
  const post = async (id: string, action: string, more: object) => await service.post(`/api/git/${action}`, { session_id: id, message: 'x', ...more })

  run(workspace, 'rm', '-q', '--cached', 'b.txt')
  t.match(await post(top, 'commit-selected', { paths: ['b.txt'] }), { status: 400, body: { code: 'nothing_to_commit' } })
  t.equal(run(workspace, 'status', '--porcelain'), 'D  b.txt\n?? b.txt', 'it is still to be deleted')
  writeFileSync(join(workspace, 'b.txt'), 'changed\n')
  t.match(await post(top, 'commit-selected', { paths: ['b.txt'] }), { status: 200 })
  t.equal(run(workspace, 'show', '--format=', '--name-status', 'HEAD'), 'M\tb.txt')

  writeFileSync(join(workspace, 'b.txt'), 'staged\n')
  run(workspace, 'add', 'b.txt')
  writeFileSync(join(workspace, 'b.txt'), 'changed\n')
  t.match(await post(top, 'commit-selected', { paths: ['b.txt'] }), { status: 400, body: { code: 'nothing_to_commit' } })
  t.equal(run(workspace, 'status', '--porcelain'), 'MM b.txt')

  writeFileSync(join(workspace, 'src/later.txt'), 'later\n')
  run(workspace, 'add', '--intent-to-add', 'src/later.txt')
  writeFileSync(join(workspace, 'src/new.txt'), 'new\n')
  run(workspace, 'rm', '-q', 'src/c.txt')
  run(workspace, 'add', 'src/new.txt')
  t.match(await post(inSrc, 'commit', {}), { status: 200 })
  t.equal(run(workspace, 'show', '--format=', '--name-status', '--no-renames', 'HEAD'), 'D\tsrc/c.txt\nA\tsrc/new.txt')
  t.equal(run(workspace, 'status', '--porcelain'), 'MM b.txt\n A src/later.txt', 'what is staged elsewhere stays')

  writeFileSync(Buffer.from(`${workspace}/l\xE4rm`, 'latin1'), 'x')
  t.match(await post(top, 'commit-selected', { paths: ['.'] }), { status: 400, body: { error: /UTF-8/ } })
})

t.test('commits from another time', { ...needsGit, long: true }, async (t) => {
  const service = await start(t)
  prepare(service)
  const { workspace } = service
  const commit = run(workspace, 'cat-file', 'commit', 'HEAD').replaceAll(/> \d+ /g, '> 18446744073709551614 ')
  const sha = execFileSync('git', ['hash-object', '-t', 'commit', '-w', '--stdin', '--literally'], { cwd: workspace, input: `${commit}\n`, encoding: 'utf8' }).trim()
  run(workspace, 'update-ref', 'refs/heads/main', sha)
  const id = await service.newSession()
  const latest = Number.MAX_SAFE_INTEGER
  const { local } = (await service.get(`/api/git/branches?session_id=${id}`)).body.branches
  t.match(local.find(({ name }: { name: string }) => name === 'main'), { sha, updated: latest, updated_relative: 'just now' })
  t.ok(local.find(({ name }: { name: string }) => name === 'topic').updated > 1_700_000_000)
  t.match((await service.get(`/api/git/log?session_id=${id}`)).body.commits[0], { sha, authored_at: latest, committed_at: latest })
})

t.test('commits with long texts', needsGit, async (t) => {
  const service = await start(t)
  prepare(service)
  const { workspace } = service
  const id = await service.newSession()
  const list = async () => {
    const [{ body: { branches } }, { body: { commits: [commit, before] } }, shown] = await Promise.all([
      service.get(`/api/git/branches?session_id=${id}`), service.get(`/api/git/log?session_id=${id}`), service.get(`/api/git/show?session_id=${id}&ref=main`)
    ])
    t.same(shown.body.commit, commit)
    t.match(before, { subject: 'Second', body: '', author: 'Ann', email: 'ann@example.com' })
    return { branch: branches.local.find(({ name }: { name: string }) => name === 'main'), commit }
  }
  const commit = (subject: string, body: string): void => {
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'commit', '-q', '--allow-empty', '-F', '-'], { cwd: workspace, input: `${subject}\n\n${body}\n` })
  }
  commit('s'.repeat(3_000), 'b'.repeat(50_000))
  const long = { commit: { subject: `${'s'.repeat(1_000)}…`, body: `${'b'.repeat(20_000)}…`, author: 'Ann' }, branch: { subject: `${'s'.repeat(1_000)}…`, author: 'Ann' } }
  t.match(await list(), long)
  run(workspace, 'reset', '-q', '--hard', 'HEAD~')
  commit('s'.repeat(9_000_000), 'More.')
  const { commit: longest, branch } = await list()
  t.match(longest, { subject: /^s{900,1000}(?:\.\.|…)$/, body: '', author: 'Ann', email: 'ann@example.com' }, 'git shows more than is read')
  t.match(branch, { sha: longest.sha, subject: '', author: '', ahead: 0 })
})

t.test('settings that are too large are named as the cause', needsGit, async (t) => {
  const service = await start(t)
  prepare(service)
  const id = await service.newSession()
  writeFileSync(join(service.workspace, '.git', 'config'), Array.from({ length: 50_000 }, (_, n) => `[section "${'x'.repeat(60)}${n}"]\n\tkey = value\n`).join(''), { flag: 'a' })
  t.match(await service.get(`/api/git/status?session_id=${id}`), { status: 413, body: { code: 'too_large', error: /settings/ } })
})

t.test('a look that took too long is not repeated at once', { long: true }, async (t) => {
  const place = mkdtempSync(join(tmpdir(), 'git-cache-'))
  t.teardown(() => rmSync(place, { recursive: true }))
  let looks = 0
  const look = async (): Promise<null> => {
    looks++
    throw new Invalid('git took longer than 20 s', 'timeout')
  }
  const cache = createStatusCache({ read: { status: look, info: look }, watch: async () => null })
  t.teardown(() => cache.close())
  for (let n = 0; n < 3; n++) await t.rejects(cache.info(place), { code: 'timeout' })
  t.equal(looks, 1)
  await t.rejects(cache.status(place), { code: 'timeout' })
  t.equal(looks, 2, 'each kind for itself')
  writeFileSync(join(place, 'new'), '')
  await t.rejects(cache.info(place), { code: 'timeout' })
  t.equal(looks, 3, 'something has changed')
})

t.test('a model writes the message, and is shown no credentials', needsGit, async (t) => {
  const service = await startChat(t)
  prepare(service)
  const id = await service.newSession()
  writeFileSync(join(service.workspace, 'key.env'), 'OPENAI_API_KEY=sk-proj-abcdefghijklmnop1234567890\n')
  await service.post('/api/git/stage', { session_id: id, paths: ['key.env'] })
  service.proposeTitle('Here is the commit message:\n```\nAdd a key\n```')
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'auxiliary:\n  commit_message:\n    model: test-model\n')
  t.match((await service.post('/api/git/commit-message', { session_id: id })).body, { ok: true, message: 'Add a key', truncated: false, source: 'model' })
  const asked = service.endpoint.requests.find((request) => said(request, 'system')[0]?.startsWith(commitMark) === true)
  t.match(said(asked, 'user')[0], /key\.env/)
  t.notMatch(JSON.stringify(asked?.body), /abcdefghijklmnop/)
})

t.test('the service itself is out of reach', needsGit, async (t) => {
  const service = await start(t)
  run(service.folder, 'init', '-q')
  mkdirSync(join(service.folder, 'home'), { recursive: true })
  writeFileSync(join(service.folder, 'home', '.env'), 'SECRET_KEY=very-secret-value\n')
  const id = await service.newSession()
  service.app.db.sqlite.prepare('update sessions set workspace = ? where id = ?').run(service.folder, id)
  const answer = await service.get(`/api/git/diff?session_id=${id}&path=home/.env`)
  t.match(answer, { status: 403 })
  t.notMatch(answer.text, /very-secret/)
  for (const stored of ['head', 'index']) t.match(await service.get(`/api/git/file?session_id=${id}&path=home/.env&stored=${stored}`), { status: 403 })
  for (const paths of [['home/.env'], ['home'], ['.'], ['home/webui']]) {
    t.match(await service.post('/api/git/stage', { session_id: id, paths }), { status: 403 }, String(paths[0]))
    t.match(await service.post('/api/git/discard', { session_id: id, paths, delete_untracked: true }), { status: 403 }, String(paths[0]))
    t.match(await service.post('/api/git/commit-message-selected', { session_id: id, paths }), { status: 403 }, String(paths[0]))
  }
})

t.test('what was kept is never stale', { ...needsGit, long: true }, async (t) => {
  const service = await start(t)
  prepare(service)
  const { workspace } = service
  const id = await service.newSession()
  const info = async () => (await service.get(`/api/git-info?session_id=${id}`)).body.git
  const status = async () => (await service.get(`/api/git/status?session_id=${id}`)).body.git
  writeFileSync(join(workspace, '.gitignore'), 'ignored/\n')
  mkdirSync(join(workspace, 'ignored'))
  mkdirSync(join(workspace, 'empty'))
  for (let n = 0; n < 100; n++) {
    const isDirty = n % 2 === 0
    writeFileSync(join(workspace, 'b.txt'), isDirty ? 'ONE\ntwo\n' : 'one\ntwo\n')
    const [counts, list] = await Promise.all([info(), status()])
    if (counts.modified !== (isDirty ? 1 : 0) || list.totals.unstaged !== counts.modified) t.fail(`a stale answer in round ${n}`)
    t.match(await info(), counts)
  }
  const steps: Array<[what: string, change: () => void, dirty: number]> = [
    ['a file in an empty folder', () => writeFileSync(join(workspace, 'empty', 'x'), 'x'), 2],
    ['a file in a new folder', () => { mkdirSync(join(workspace, 'deep/er'), { recursive: true }); writeFileSync(join(workspace, 'deep/er/x'), 'x') }, 3],
    ['another one there', () => writeFileSync(join(workspace, 'deep/er/y'), 'y'), 4],
    ['a folder that moved', () => renameSync(join(workspace, 'deep'), join(workspace, 'moved')), 4],
    ['a file in it', () => writeFileSync(join(workspace, 'moved/er/z'), 'z'), 5],
    ['an ignored file', () => writeFileSync(join(workspace, 'ignored', 'x'), 'x'), 5],
    ['that is no longer ignored', () => writeFileSync(join(workspace, '.gitignore'), ''), 6],
    ['a folder that is gone', () => rmSync(join(workspace, 'moved'), { recursive: true }), 3],
    ['a staged file', () => run(workspace, 'add', 'empty/x'), 3],
    ['a commit', () => run(workspace, 'commit', '-qm', 'x'), 2],
    ['another branch', () => run(workspace, 'checkout', '-qb', 'other'), 2],
    ['settings', () => run(workspace, 'config', 'core.excludesFile', '/dev/null'), 2],
    ['a rule again', () => writeFileSync(join(workspace, '.gitignore'), 'ignored/\n'), 1],
    ['an ignored file added by force', () => run(workspace, 'add', '--force', 'ignored/x'), 2],
    ['and committed', () => run(workspace, 'commit', '-qm', 'Ignored', 'ignored/x'), 1],
    ['and changed', () => writeFileSync(join(workspace, 'ignored', 'x'), 'changed'), 2],
    ['back', () => writeFileSync(join(workspace, 'ignored', 'x'), 'x'), 1],
    ['a branch called logs', () => run(workspace, 'checkout', '-qb', 'logs'), 1],
    ['that goes back', () => run(workspace, 'update-ref', 'refs/heads/logs', 'HEAD~2'), 3]
  ]
  for (const [what, change, dirty] of steps) {
    for (let n = 0; n < 3; n++) await info()
    change()
    t.equal((await info()).dirty, dirty, what)
    t.equal((await status()).totals.changed, dirty, what)
    t.equal((await info()).dirty, dirty, what)
  }
  t.equal((await info()).branch, 'logs')
  await service.stop()
  t.same(service.there.git.size(), { queued: 0, folders: 0 })
})
