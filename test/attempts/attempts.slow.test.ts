import { existsSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, said, startChat } from '../support/chat.js'
import { whileWorktreesChange } from '../../services/workspace/worktrees/worktrees.js'
import { emptyRepository, needsGit, type TestRepository } from '../support/git-repository.js'
import { type ModelRequest, type ModelStep } from '../support/model-endpoint.js'

interface Attempt {
  session_id: string, workspace: string, state: string, check_passed: boolean | null, check_output: string | null, files: number | null
  additions: number, deletions: number, input_tokens: number, has_worktree: boolean, review: string | null, reason: string | null, error: string | null
  branch: string, waits_for_you: boolean, answer: string, ended_at: number | null
}
interface Attempts {
  state: string, sessions: Attempt[], best_session_id: string | null, verdict: string | null, can_undo: boolean, carried: boolean
  taken_session_id: string | null, kept_until: number | null, version: number, budget: { tokens: number, limit_tokens: number | null }
}

const compareMark = 'Task: compare attempts at a task.'
const reviewMark = 'Task: review the work of another model.'

t.test('attempts at a task', needsGit, async (t) => {
  const service = await startChat(t)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["write:workspace"]\n')
  let repositories = 0
  const asked: ModelRequest[] = []
  const scripts = new Map<string, (request: ModelRequest) => ModelStep[]>()
  service.endpoint.script((request) => {
    const [task = ''] = said(request, 'system')
    if (task.startsWith(compareMark) || task.startsWith(reviewMark)) asked.push(request)
    if (task.startsWith(compareMark)) return [{ text: '{"best": 1, "reasons": {"1": "Shorter.", "2": "Longer."}}' }]
    if (task.startsWith(reviewMark)) return [{ text: 'It does what was asked.\n- src.txt, line 1: no newline' }]
    if (!request.stream) return [{ text: 'A title' }]
    return scripts.get(request.model)?.(request) ?? [{ text: 'Done.' }]
  })
  /** Creates a model that writes these files, and then says so. */
  const writing = (model: string, files: Record<string, string>): string => {
    scripts.set(model, ({ messages }) => messages.some(({ role }) => role === 'tool')
      ? [{ text: `Wrote ${Object.keys(files).join(' ')}` }]
      : Object.entries(files).map(([path, content], index) => ({ tool: 'write_file', args: { path, content }, id: `call_${index}` })))
    return model
  }
  const repository = (files: Record<string, string> = { 'src.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n' }): TestRepository => {
    const made = emptyRepository(join(service.workspace, `repository-${++repositories}`))
    for (const [name, text] of Object.entries(files)) made.write(name, text)
    made.commitAll('First')
    return made
  }
  const begin = async (body: Record<string, unknown>, headers = {}) => await service.post('/api/attempts', { message: 'Improve it', ...body }, headers)
  const look = async (id: string): Promise<Attempts> => (await service.get(`/api/attempts?attempts_id=${id}`)).body
  const ready = async (id: string): Promise<Attempts> => await eventually('all are over', async () => {
    const found = await look(id)
    return found.state === 'ready' && found.sessions.every(({ state }) => ['done', 'failed', 'cancelled', 'stopped'].includes(state)) && found
  })
  const take = async (id: string, sessionId: string, more: Record<string, unknown> = {}) =>
    await service.post('/api/attempts/take', { attempts_id: id, session_id: sessionId, ...more })
  const undo = async (id: string) => await service.post('/api/attempts/undo', { attempts_id: id })

  await t.test('are done side by side from what the folder holds, compared, and one is taken and taken back', async (t) => {
    const made = repository()
    made.write('src.txt', 'one\ntwo, not committed\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n')
    made.write('untracked.txt', 'mine\n')
    const one = writing('scripted-1', { 'src.txt': 'one\ntwo, not committed\nthree\nfour\nfive\nsix\nseven\neight\nnine\nTEN\n', 'new/file.txt': 'new\n' })
    const two = writing('scripted-2', { 'src.txt': 'gone\n' })
    const all = await service.events('/api/events')
    const begun = await begin({ workspace: made.root, models: [one, { model: two, provider: 'openai' }], check: 'grep TEN src.txt', client_id: 'a' })
    t.match(begun, { status: 200, body: { attempts_id: String, sessions: [{ session_id: String, model: one, workspace: String }, { model: two }] } })
    t.same((await begin({ workspace: made.root, models: [one, { model: two, provider: 'openai' }], check: 'grep TEN src.txt', client_id: 'a' })).body, begun.body, 'sent again, it is the same')
    const id = begun.body.attempts_id
    const { sessions, ...rest } = await ready(id)
    const [first, second] = sessions
    if (first === undefined || second === undefined) throw new Error('two were begun')
    t.match(rest, { carried: true, best_session_id: first.session_id, verdict: null, can_undo: false, taken_session_id: null, kept_until: null })
    t.match(first, { state: 'done', check_passed: true, check_output: /TEN/, files: 2, additions: 2, deletions: 1, reason: 'Shorter.', answer: 'Wrote src.txt new/file.txt', has_worktree: true })
    t.match(second, { state: 'done', check_passed: false, files: 1, additions: 1, deletions: 10, reason: 'Longer.' })
    t.ok(first.input_tokens > 0)
    t.ok(all.frames.some(({ event, data }) => event === 'attempts_changed' && data.attempts_id === id))
    t.equal(readFileSync(join(second.workspace, 'untracked.txt'), 'utf8'), 'mine\n', 'what is not committed goes with it')
    t.match(said(asked.at(-1), 'user').at(-1), /check of attempt 2:\n> failed/)
    t.match(made.read('src.txt'), /not committed/)
    t.notOk(made.has('new/file.txt'), 'the folder is as it was')

    made.write('src.txt', 'ONE\ntwo, not committed\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n')
    t.match(await take(id, first.session_id), { status: 200, body: { ok: true, files: ['new/file.txt', 'src.txt'] } })
    t.equal(made.read('src.txt'), 'ONE\ntwo, not committed\nthree\nfour\nfive\nsix\nseven\neight\nnine\nTEN\n', 'what was changed since stays')
    t.equal(made.read('new/file.txt'), 'new\n')
    t.match(await look(id), { taken_session_id: first.session_id, can_undo: true, kept_until: Number })

    t.match(await take(id, second.session_id), { status: 409, body: { code: 'attempt_conflict', files: ['src.txt'] } })
    t.match(made.read('src.txt'), /^ONE\n[^]*TEN\n$/, 'a refusal changes nothing')

    t.match(await undo(id), { status: 200, body: { files: ['new/file.txt', 'src.txt'] } })
    t.equal(made.read('src.txt'), 'ONE\ntwo, not committed\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\n')
    t.notOk(made.has('new'))
    t.match(await look(id), { taken_session_id: null, can_undo: false, kept_until: null })
    t.equal((await undo(id)).status, 400)
    t.equal(made.git('status', '--porcelain'), ' M src.txt\n?? untracked.txt')
    t.match((await service.get('/api/attempts/list')).body.attempts[0], { attempts_id: id, count: 2 })
  })

  await t.test('are taken by file and by hunk', async (t) => {
    const made = repository()
    const one = writing('scripted-3', { 'src.txt': 'ONE\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nTEN\n', 'a.txt': 'a\n', 'b.txt': 'b\n' })
    const { attempts_id: id } = (await begin({ workspace: made.root, models: [one], count: 1 })).body
    const { sessions: [only] } = await ready(id)
    if (only === undefined) throw new Error('one was begun')
    const query = `/api/attempts/diff?attempts_id=${id}&session_id=${only.session_id}`
    const { body: whole } = await service.get(query)
    t.match(whole, { version: String, truncated: false, diff: null })
    t.same(whole.files.map(({ path, status }: { path: string, status: string }) => [path, status]), [['a.txt', 'added'], ['b.txt', 'added'], ['src.txt', 'modified']])
    const { body: { diff, version } } = await service.get(`${query}&path=src.txt`)
    t.equal(diff.match(/^@@ /gm).length, 2)
    t.equal((await service.get(`${query}&path=../other`)).status, 404)
    t.match(await take(id, only.session_id, { version: 'other', files: [{ path: 'a.txt' }] }), { status: 409, body: { code: 'attempts_changed' } })
    t.match(await take(id, only.session_id, { version, files: [{ path: 'src.txt', hunks: [2] }] }), { status: 409, body: { code: 'attempts_changed' } })
    t.match(await take(id, only.session_id, { version, files: [{ path: 'a.txt' }, { path: 'src.txt', hunks: [1] }] }), { status: 200, body: { files: ['a.txt', 'src.txt'] } })
    t.match(made.read('src.txt'), /^one\n[^]*nine\nTEN\n$/)
    t.notOk(made.has('b.txt'))
    t.match(await take(id, only.session_id), { status: 200, body: { files: ['b.txt', 'src.txt'] } }, 'the rest of it')
    t.match(made.read('src.txt'), /^ONE\n[^]*TEN\n$/)
    await undo(id)
    t.match(made.read('src.txt'), /^one\n[^]*TEN\n$/, 'each taking is taken back by itself')
    await undo(id)
    t.match(made.read('src.txt'), /^one\n[^]*ten\n$/)
    t.notOk(made.has('a.txt'))
  })

  await t.test('are taken with files whose names are not UTF-8', async (t) => {
    const made = repository({ 'src.txt': 'one\n' })
    const inLatin1 = (folder: string, name: string): Buffer => Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, 'latin1')])
    const names = (): string[] => readdirSync(made.root, 'latin1').filter((name) => !name.startsWith('.')).sort()
    writeFileSync(inLatin1(made.root, 'old-\xe9.txt'), 'old\n')
    made.commitAll('Second')
    const { attempts_id: id } = (await begin({ workspace: made.root, models: [writing('scripted-16', { 'a.txt': 'a\n' })], count: 1 })).body
    const { sessions: [only] } = await ready(id)
    if (only === undefined) throw new Error('one was begun')
    rmSync(inLatin1(only.workspace, 'old-\xe9.txt'))
    writeFileSync(inLatin1(only.workspace, 'new-\xe9.txt'), 'new\n')
    const query = `/api/attempts/diff?attempts_id=${id}&session_id=${only.session_id}`
    const { body: { files, version } } = await service.get(query)
    t.match(files, [{ path: 'a.txt' }, { path: 'new-\ufffd.txt', additions: 1 }, { path: 'old-\ufffd.txt', deletions: 1 }])
    t.match(await service.get(`${query}&path=${encodeURIComponent('new-\ufffd.txt')}`), { status: 400, body: { error: /not UTF-8/ } })
    t.match(await take(id, only.session_id, { version, files: [{ path: 'new-\ufffd.txt' }] }), { status: 200, body: { files: ['new-\ufffd.txt'] } })
    t.same(names(), ['new-\xe9.txt', 'old-\xe9.txt', 'src.txt'])
    t.equal((await take(id, only.session_id)).status, 200)
    t.same(names(), ['a.txt', 'new-\xe9.txt', 'src.txt'])
    await undo(id)
    await undo(id)
    t.same(names(), ['old-\xe9.txt', 'src.txt'])
  })

  await t.test('run nothing of the repository, whenever its files were written', async (t) => {
    const made = repository({ 'a.bin': 'a\n', '.gitattributes': '*.bin filter=evil diff=evil merge=evil\n' })
    // As old as the index at all times: git compares what they hold.
    utimesSync(join(made.root, 'a.bin'), 4e9, 4e9)
    made.git('add', '--all')
    for (const way of ['clean', 'smudge', 'process']) made.git('config', `filter.evil.${way}`, `touch ${made.root}/ran-${way}; false`)
    made.git('config', 'filter.evil.required', 'true')
    const begun = await begin({ workspace: made.root, models: [writing('scripted-17', { 'a.bin': 'b\n' })], count: 1 })
    t.equal(begun.status, 200)
    const { sessions: [only] } = await ready(begun.body.attempts_id)
    t.match(await take(begun.body.attempts_id, only?.session_id ?? ''), { status: 200, body: { files: ['a.bin'] } })
    t.same(readdirSync(made.root).filter((name) => name.startsWith('ran-')), [])
  })

  await t.test('see files that the index says not to look at, and repositories within that have no commit', async (t) => {
    const made = repository({ 'assumed.txt': 'a\n', 'skipped.txt': 's\n', 'other.txt': 'o\n' })
    made.git('update-index', '--assume-unchanged', 'assumed.txt')
    made.git('update-index', '--skip-worktree', 'skipped.txt')
    for (const name of ['assumed.txt', 'skipped.txt']) made.write(name, 'mine\n')
    emptyRepository(join(made.root, 'empty')).write('z', 'z')
    const inner = emptyRepository(join(made.root, 'inner'))
    inner.write('z', 'z')
    inner.commitAll('z')
    const { status, body } = await begin({ workspace: made.root, models: [writing('scripted-18', { 'other.txt': 'O\n' })], count: 1 })
    t.equal(status, 200)
    const { sessions: [only] } = await ready(body.attempts_id)
    if (only === undefined) throw new Error('one was begun')
    for (const name of ['assumed.txt', 'skipped.txt']) t.equal(readFileSync(join(only.workspace, name), 'utf8'), 'mine\n', 'they go with it')
    writeFileSync(join(only.workspace, 'assumed.txt'), 'theirs\n')
    made.write('assumed.txt', 'mine, later\n')
    t.match(await take(body.attempts_id, only.session_id), { status: 409, body: { code: 'attempt_conflict', files: ['assumed.txt'] } })
    t.equal(made.read('assumed.txt'), 'mine, later\n', 'and are not written over')
    made.write('assumed.txt', 'mine\n')
    t.equal((await take(body.attempts_id, only.session_id)).status, 200)
    t.equal((await undo(body.attempts_id)).status, 200)
    t.same([made.read('assumed.txt'), made.read('skipped.txt'), made.read('other.txt')], ['mine\n', 'mine\n', 'o\n'])
  })

  await t.test('are reviewed by a second model, and removed when a person says so', async (t) => {
    const made = repository()
    const { attempts_id: id } = (await begin({ workspace: made.root, models: [writing('scripted-4', { 'src.txt': 'x' })], count: 1, reviewer: 'scripted-5' })).body
    const { sessions: [only] } = await ready(id)
    t.match(only, { review: /It does what was asked/ })
    t.equal(asked.at(-1)?.model, 'scripted-5')
    // A person has removed its folder by hand.
    const folder = only?.workspace ?? ''
    renameSync(folder, `${folder}-away`)
    const gone = { status: 409, body: { code: 'attempts_changed' } }
    t.match(await take(id, only?.session_id ?? ''), gone)
    t.match(await service.get(`/api/attempts/diff?attempts_id=${id}&session_id=${only?.session_id}`), gone)
    renameSync(`${folder}-away`, folder)
    t.match(await service.post('/api/attempts/remove', { attempts_id: id }), { status: 200, body: { removed: [only?.session_id] } })
    t.notOk(existsSync(only?.workspace ?? ''))
    t.match((await look(id)).sessions[0], { has_worktree: false })
    t.match(await take(id, only?.session_id ?? ''), { status: 409, body: { code: 'attempts_changed' } })
    t.equal(made.git('for-each-ref', 'refs/agent-attempts'), '')
  })

  await t.test('are not looked at while a worktree is being removed, because half of one would look like an attempt that has deleted files', async (t) => {
    const made = repository()
    const { attempts_id: id } = (await begin({ workspace: made.root, models: [writing('scripted-4', { 'src.txt': 'x' })], count: 1 })).body
    const { sessions: [only] } = await ready(id)
    const removal = Promise.withResolvers<void>()
    const removing = whileWorktreesChange(made.root, async () => await removal.promise)
    let isTaken = false
    const taken = take(id, only?.session_id ?? '').finally(() => { isTaken = true })
    for (let times = 0; times < 1_000; times++) await look(id)
    t.notOk(isTaken)
    removal.resolve()
    await removing
    t.match(await taken, { status: 200 })
    t.equal(made.read('src.txt'), 'x')
  })

  await t.test('one whose worktree is removed before it begins fails, and does not work in the repository', async (t) => {
    const made = repository()
    service.app.chat.hold()
    t.teardown(() => service.app.chat.release())
    const { attempts_id: id, sessions: [first] } = (await begin({ workspace: made.root, models: [writing('scripted-11', { 'src.txt': 'x' })], count: 2 })).body
    t.match(await service.post('/api/session/worktree/remove', { session_id: first.session_id, force: true }), { status: 200 })
    service.app.chat.release()
    t.match((await ready(id)).sessions, [{ state: 'failed', error: /worktree .* was removed/ }, { state: 'done' }])
    t.match(made.read('src.txt'), /^one/)
  })

  await t.test('stop together, when a person says so and when their budget is used up', async (t) => {
    const made = repository()
    const until = gate()
    t.teardown(() => until.open())
    scripts.set('scripted-6', () => Object.assign<ModelStep[], object>([{ text: 'Begun' }], {
      * [Symbol.iterator] (): Generator<ModelStep> { while (!until.isOpen) yield { waitMs: 5 } }
    }))
    const { attempts_id: id, sessions } = (await begin({ workspace: made.root, models: ['scripted-6'], count: 3 })).body
    t.match(await take(id, sessions[0].session_id), { status: 409, body: { code: 'active_stream' } })
    t.match(await service.post('/api/attempts/remove', { attempts_id: id }), { status: 409, body: { code: 'active_stream' } })
    await eventually('they run', async () => (await look(id)).sessions.every(({ state }) => state === 'running'))
    t.equal((await service.post('/api/attempts/stop', { attempts_id: id })).status, 200)
    t.same((await ready(id)).sessions.map(({ state }) => state), ['cancelled', 'cancelled', 'cancelled'])

    scripts.set('scripted-7', () => [{ tool: 'list_files', args: {} }, { usage: { input: 600, output: 10 } }])
    const { body } = await begin({ workspace: made.root, models: ['scripted-7'], count: 2, budget_tokens: 1_000 })
    const spent = await ready(body.attempts_id)
    t.match(spent.sessions, [{ state: 'stopped', error: /budget of these attempts/ }, { state: 'stopped' }])
    t.match(spent.budget, { limit_tokens: 1_000 })
    t.ok(spent.budget.tokens >= 1_000 && spent.budget.tokens < 3_000, 'all of them are held to one budget')
  })

  await t.test('begin in a part of a repository, and one that is deleted keeps no other waiting', async (t) => {
    const made = repository({ 'part/src.txt': 'one\n', 'other.txt': 'other\n' })
    made.write('part/src.txt', 'two\n')
    made.write('other.txt', 'mine\n')
    const until = gate()
    t.teardown(() => until.open())
    scripts.set('scripted-10', () => Object.assign<ModelStep[], object>([{ text: 'Begun' }], {
      * [Symbol.iterator] (): Generator<ModelStep> { while (!until.isOpen) yield { waitMs: 5 } }
    }))
    const begun = await begin({ workspace: join(made.root, 'part'), models: [writing('scripted-8', { 'src.txt': 'three\n', 'gone.txt': '' }), 'scripted-10'] })
    const { attempts_id: id, sessions: [first, second] } = begun.body
    t.match(first.workspace, /\/part$/)
    await eventually('the first is over', async () => (await look(id)).sessions[0]?.state === 'done')
    t.equal((await service.post('/api/session/delete', { session_id: second.session_id })).status, 200)
    t.match(await ready(id), { best_session_id: first.session_id, sessions: [{ files: 2, additions: 1, deletions: 1 }] })
    t.equal(readFileSync(join(first.workspace, '..', 'other.txt'), 'utf8'), 'other\n', 'what lies beside the folder is as it was committed')
    t.match(await take(id, first.session_id), { status: 200, body: { files: ['part/gone.txt', 'part/src.txt'] } })
    t.same([made.read('part/src.txt'), made.read('other.txt')], ['three\n', 'mine\n'])
    const [twice, thrice] = await Promise.all([take(id, first.session_id), take(id, first.session_id)])
    t.same([twice.body.files, thrice.body.files], [[], []], 'what is there is not taken again')
    await undo(id)
    t.equal(made.read('part/src.txt'), 'two\n')
  })

  await t.test('refuse what cannot be, and who may not', async (t) => {
    const made = repository()
    const plain = join(service.workspace, 'plain')
    const bare = emptyRepository(join(service.workspace, 'no-commits'))
    await service.post('/api/workspaces/add', { path: plain, create: true })
    t.match(await begin({ workspace: plain }), { status: 400, body: { code: 'not_a_repo' } })
    t.match(await begin({ workspace: bare.root }), { status: 400, body: { code: 'no_commits' } })
    t.match(await begin({ workspace: made.root, models: [{ model: 'm', provider: 'no-such-provider' }] }), { status: 400, body: { error: /no-such-provider/ } })
    t.equal((await begin({ workspace: made.root, count: 9 })).status, 400)
    t.equal((await begin({ workspace: made.root, models: ['scripted-1', 'scripted-2'], count: 1 })).status, 400)
    t.equal((await begin({ workspace: made.root, message: '  ' })).status, 400)
    t.equal((await begin({ session_id: 'none' })).status, 404)
    const leaving = await service.newSession()
    const late = service.app.attempts.begin({
      profile: 'default', sessionId: leaving, workspace: made.root, message: 'Improve it', models: [], count: 2, check: null, reviewer: null, limits: null
    }, () => {})
    const [refused] = await Promise.allSettled([late, service.app.sessions.remove(leaving)])
    t.match(refused, { status: 'rejected', reason: { message: 'Session not found' } }, 'also if it is deleted meanwhile')
    t.equal(made.git('worktree', 'list').split('\n').length, 1, 'nothing is left of what was refused')
    t.equal(made.git('branch', '--list', 'agent/*'), '')

    const token = async (scope: string) => ({ authorization: `Bearer ${(await service.post('/api/auth/tokens/create', { name: scope, scope })).body.token}` })
    const [reading, chatting] = [await token('read'), await token('chat')]
    await service.post('/api/workspaces/add', { path: made.root })
    t.equal((await begin({ workspace: made.root }, reading)).status, 403)
    t.match(await begin({ workspace: made.root, check: 'true' }, chatting), { status: 403, body: { code: 'scope_too_narrow', needed_scope: 'approve' } })
    const { status, body: { attempts_id: id, sessions } } = await begin({ workspace: made.root, models: ['scripted-9'] }, chatting)
    t.equal(status, 200)
    await ready(id)
    t.match((await look(id)), { best_session_id: null, verdict: 'No attempt has changed anything.' })
    t.equal((await service.post('/api/attempts/take', { attempts_id: id, session_id: sessions[0].session_id }, chatting)).status, 403)
    t.equal((await take(id, 'other')).status, 404)
    t.equal((await service.get('/api/attempts?attempts_id=other')).status, 404)
    await service.post('/api/profile/create', { name: 'other' })
    const other = { cookie: 'svc_profile=other' }
    t.equal((await service.get(`/api/attempts?attempts_id=${id}`, other)).status, 404, 'other profiles see nothing')
    t.same((await service.get('/api/attempts/list', other)).body.attempts, [])
    t.equal((await service.post('/api/attempts/stop', { attempts_id: id }, other)).status, 404)
  })
})
