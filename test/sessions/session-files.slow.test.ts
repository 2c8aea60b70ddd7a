import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from '#test'
import { whileWorktreesStay } from '../../services/workspace/index.js'
import { type Answer, start } from '../support/app.js'
import { eventually, gate, held, said, startChat } from '../support/chat.js'
import { git, needsGit } from '../support/git-repository.js'

type Session = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- sessions of the wire

// Stands still unless a test moves it; events at the same moment nevertheless have an order.
let nowMs = 1_800_000_000_000
const clock = { now: () => nowMs }
const service = await startChat(t, { clock })
const exported = (id: string, more = ''): Promise<Answer> => service.get(`/api/session/export?session_id=${id}${more}`)
const bringIn = async (body: object): Promise<Session> => {
  const answer = await service.post('/api/session/import', body)
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.session
}
const withoutIds = (messages: Session[]): Session[] => messages.map(({ message_id: _id, ...message }) => message)

/** Creates a conversation with everything in it that a transcript can have. */
async function conversation (): Promise<string> {
  mkdirSync(join(service.workspace, 'docs'), { recursive: true })
  writeFileSync(join(service.workspace, 'docs', 'a.txt'), 'one\ntwo\n')
  const id = await service.newSession()
  const model = service.model(
    [{ reasoning: 'They want a list. ' }, { text: 'I look.' }, { tool: 'list_files', args: { path: 'docs' } }, { tool: 'read_file', args: { path: 'docs/a.txt' } }],
    [{ reasoning: 'Now I know.' }, { text: 'There is **one** file.' }],
    [{ tool: 'read_file', args: { path: 'missing.txt' } }],
    [{ text: 'It is not there. 漢字 👩‍🚀 <b>&</b> "so"' }]
  )
  nowMs += 1_000
  const attachments = [{ name: 'a.txt', path: join(service.workspace, 'docs', 'a.txt'), mime: 'text/plain', size: 8, is_image: false }, 'bare.txt']
  await (await service.watch(await service.send(id, 'What is in docs?', { model, attachments }))).ended
  nowMs += 60_000
  await service.turn(id, 'And   missing.txt?\n\n```js\nlet x = 1\n```', model)
  await service.turn(id, 'Fail', 'fault-401')
  await service.post('/api/session/rename', { session_id: id, title: 'Files – "all" of them' })
  return id
}

t.test('an exported session can be brought in again, and nothing is lost', async (t) => {
  const id = await conversation()
  const file = await exported(id)
  t.equal(file.status, 200)
  t.match(file.headers.get('content-type'), /^application\/json/)
  t.equal(file.headers.get('content-disposition'), `attachment; filename="session-${id}.json"`)
  t.equal(file.headers.get('cache-control'), 'no-store')
  t.ok(file.text.includes('\n  "messages": ['), 'a person can read it')
  const before = await service.session(id)
  t.same(file.body.messages, before.messages)
  t.same(file.body.tool_calls, before.tool_calls)
  t.match(file.body, { session_id: id, title: before.title, model: before.model, workspace: service.workspace, format: 1 })

  nowMs += 3_600_000
  const made = await bringIn(file.body)
  t.not(made.session_id, id)
  t.match(made, { title: 'Files – "all" of them', message_count: before.message_count, user_message_count: before.user_message_count, last_message_at: before.last_message_at, workspace: service.workspace })
  t.same(withoutIds(made.messages), withoutIds(before.messages))
  t.same(made.tool_calls, before.tool_calls)
  t.same(await service.session(made.session_id), made)
  const window = async (session: string) => {
    const { messages, _messages_offset: offset, tool_calls: cards } = (await service.get(`/api/session?session_id=${session}&msg_limit=4`)).body.session
    return { messages: withoutIds(messages), offset, cards }
  }
  t.same(await window(made.session_id), await window(id), 'windows count as before')

  const model = service.model()
  await service.turn(id, 'Go on', model)
  await service.turn(made.session_id, 'Go on', model)
  const [first, second] = service.requests(model)
  const told = (messages: unknown) => JSON.parse(JSON.stringify(messages).replaceAll(/"call_\d+_\d+"/g, '"call"')) as unknown
  t.same(told(second!.messages), told(first!.messages), 'the model is shown the same, but for ids of calls that nobody sees')
  t.ok(said(first, 'user').some((text) => text.includes('[Attached files:')))
  t.equal(first!.messages.filter((message) => message.role === 'tool').length, 3)

  const again = (await exported(made.session_id)).body
  t.same(withoutIds(again.messages).slice(0, before.message_count), withoutIds(before.messages), 'a second time as well')
})

t.test('messages of other programs', async (t) => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'List it' },
    { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } }] },
    { role: 'tool', tool_call_id: 'call_1', content: 'a.txt' },
    { role: 'assistant', content: [{ type: 'text', text: 'One ' }, { type: 'text', text: 'file.' }] },
    { role: 'user', content: [{ type: 'text', text: 'And this?' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }], timestamp: 1_600_000_000 }
  ]
  const made = await bringIn({ messages })
  t.match(made, { title: 'Imported session', message_count: 5, user_message_count: 2, workspace: service.workspace, pinned: false })
  t.same(made.messages.map((message: Session) => message.role), messages.map((message) => message.role).filter((role) => role !== 'system'), 'in their order')
  t.ok(made.messages.every((message: Session) => typeof message.message_id === 'string' && typeof message.timestamp === 'number' && message._ts === message.timestamp))
  t.equal(made.messages[4].timestamp, 1_600_000_000)
  t.match(made.tool_calls, [{ name: 'ls', tid: 'call_1', snippet: 'a.txt', assistant_msg_idx: 1 }])
  const model = service.model()
  await service.turn(made.session_id, 'Go on', model)
  const [request] = service.requests(model)
  t.match(request!.messages.filter((message) => message.role !== 'system').map((message) => message.role), ['user', 'assistant', 'tool', 'assistant', 'user'])
  t.notOk(said(request, 'system').includes('Be brief.'), 'it does not tell our model who it is')
  t.match(said(request, 'assistant').at(-1), 'One file.')
  t.match(await bringIn({ messages: [], title: 'x'.repeat(100), workspace: '/no/such/folder', unknown: 1 }), { message_count: 0, title: 'x'.repeat(80), workspace: service.workspace })

  const wrong: Array<[what: string, body: object, error: RegExp]> = [
    ['nothing', {}, /messages/], ['no list', { messages: {} }, /messages/], ['a text', { messages: 'hello' }, /messages/], ['no object', { messages: [5] }, /messages\[0\]/],
    ['no role', { messages: [{ content: 'x' }] }, /role/], ['a wrong role', { messages: [{ role: 'user', content: 'x' }, { role: 'robot', content: 'x' }] }, /messages\[1\]\.role/],
    ['a number', { messages: [{ role: 'user', content: 5 }] }, /content/], ['cards that are no list', { messages: [], tool_calls: {} }, /tool_calls/], ['a title that is none', { messages: [], title: 5 }, /title/]
  ]
  const count = service.app.db.sqlite.prepare('select count(*) from sessions').pluck()
  const before = count.get()
  for (const [what, body, error] of wrong) t.match(await service.post('/api/session/import', body), { status: 400, body: { error } }, what)
  t.equal(count.get(), before, 'and nothing was made')
})

t.test('a page', async (t) => {
  const id = await conversation()
  const page = await exported(id, '&format=html')
  t.equal(page.status, 200)
  t.equal(page.headers.get('content-type'), 'text/html; charset=utf-8')
  t.equal(page.headers.get('content-disposition'), `attachment; filename="session-${id}.html"`)
  t.equal(page.headers.get('cache-control'), 'no-store')
  const policy = page.headers.get('content-security-policy')!
  t.match(policy, /default-src 'none'.*frame-ancestors 'none'; sandbox$/)
  t.notMatch(policy, /script|allow-/)
  t.match(page.text, /^<!doctype html>/)
  t.match(page.text, /Files – &quot;all&quot; of them|Files – "all" of them/)
  t.match(page.text, /There is <strong>one<\/strong> file\./)
  t.notMatch(page.text, /<script/i)
  for (const query of ['&theme=light', '&theme=dark', '&theme=', `&palette=${Buffer.from('{"--bg":"#112233"}').toString('base64')}`, '&palette=']) {
    t.equal((await exported(id, `&format=html${query}`)).status, 200, query)
  }
  t.match((await exported(id, `&format=html&palette=${encodeURIComponent(Buffer.from('{"--bg":"#112233"}').toString('base64'))}`)).text, /#112233/)
})

t.test('what cannot be exported', async (t) => {
  const id = await service.newSession()
  const wrong: Array<[query: string, status: number, error: RegExp]> = [
    [`session_id=${id}&format=pdf`, 400, /format/], [`session_id=${id}&format=`, 400, /format/], [`session_id=${id}&format=HTML`, 400, /format/],
    [`session_id=${id}&format=html&theme=blue`, 400, /theme/], [`session_id=${id}&format=html&palette=%7B%7D`, 400, /palette/],
    [`session_id=${id}&format=html&palette=${Buffer.from('[1]').toString('base64')}`, 400, /palette/],
    [`session_id=${id}&format=html&palette=${Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`--a${index}`, 'red'])))).toString('base64')}`, 400, /palette/i],
    [`session_id=${id}&format=html&palette=${'A'.repeat(12_000)}`, 400, /palette/],
    ['format=json', 400, /session_id/], ['session_id=&format=json', 400, /session_id/],
    ['session_id=0123456789ab', 404, /^Session not found$/], ['session_id=0123456789ab&format=html', 404, /^Session not found$/]
  ]
  for (const [query, status, error] of wrong) {
    const answer = await service.get(`/api/session/export?${query}`)
    t.match(answer, { status, body: { error } }, query.slice(0, 80))
    t.equal(answer.headers.get('content-disposition'), null, 'an error is no file')
    t.match(answer.headers.get('content-security-policy'), /script-src 'self'/)
  }
  t.equal((await exported(id)).status, 200, 'an empty one can')
  t.equal((await exported(id, '&format=html')).status, 200)
})

t.test('a session is exported while its turn runs', async (t) => {
  const open = gate()
  const id = await service.newSession()
  const streamId = await service.send(id, 'Tell me', { model: service.model(held(open, [{ text: 'Well' }], [{ text: ' then.' }])) })
  const { body } = await exported(id)
  t.match(body.messages, [{ role: 'user', content: 'Tell me' }])
  t.notOk('_active_turn_user' in body.messages[0])
  t.equal((await exported(id, '&format=html')).status, 200)
  t.match(await bringIn(body), { is_streaming: false, active_stream_id: null, message_count: 1 })
  open.open()
  await (await service.watch(streamId)).ended
})

t.test('a shared page is read without a login, and nothing else is', async (t) => {
  const guarded = await start(t, { env: { SVC_WEBUI_PASSWORD: 'open sesame, please' } })
  const { headers } = await guarded.post('/api/auth/login', { password: 'open sesame, please' })
  const cookie = headers.getSetCookie()[0]!.split(';')[0]!
  const post = (path: string, body: object) => guarded.post(path, body, { cookie })
  const { body: { session } } = await post('/api/session/import', { title: 'For everybody', messages: [{ role: 'user', content: 'Hello <b>you</b>' }, { role: 'assistant', content: 'Good **day**' }] })
  const { status, body: share } = await post('/api/session/share', { session_id: session.session_id })
  t.equal(status, 200)
  t.match(share, { ok: true, token: /^[\w-]{32}$/, path: `/share/${share.token}` })

  const page = await guarded.get(share.path)
  t.equal(page.status, 200)
  t.match(page.text, /Hello &lt;b&gt;you&lt;\/b&gt;[^]*Good <strong>day<\/strong>/)
  t.match(page.text, /For everybody/)
  t.match(page.text, /\d{1,2} [A-Z][a-z]+ \d{4} · Read only/)
  const german = await guarded.get(share.path, { 'accept-language': 'de-CH, en;q=0.5' })
  t.match(german.text, /<html lang="de">[^]*<p class="notice" dir="auto">\d{1,2}\. [A-Zä-ü]\S+ \d{4} · Nur zum Lesen<\/p>[^]*<h2>Du<\/h2>[^]*<h2>Assistent<\/h2>[^]*Good <strong>day/)
  const [, typeface = ''] = /@font-face \{[^}]*url\("([^"]+)"\)/.exec(german.text) ?? []
  t.match(german.text, /content="default-src 'none'; font-src 'self'; /)
  t.match((await guarded.get(typeface)).headers.get('access-control-allow-origin'), '*', 'a page without an origin may load its typeface')
  t.match(german.headers.get('vary'), /Accept-Language/i)
  t.notOk(page.text.includes(guarded.folder), 'no folder of this machine')
  const expected: Record<string, RegExp | string | null> = {
    'content-type': 'text/html; charset=utf-8', 'x-robots-tag': /noindex/, 'referrer-policy': 'no-referrer', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY',
    'set-cookie': null, 'content-disposition': null, 'content-security-policy': /^default-src 'none'(?!.*(?:script|allow-)).*; sandbox$/
  }
  for (const [name, value] of Object.entries(expected)) t.match(page.headers.get(name), value, name)
  t.equal((await guarded.get(share.path, { cookie })).headers.get('set-cookie'), null)

  const { token } = share
  const closed = [
    '/api/sessions', `/api/session?session_id=${session.session_id}`, `/api/session/shares?session_id=${session.session_id}`, `/api/session/export?session_id=${session.session_id}`, '/share', '/share/', `/share/${token}/x`, `/share/${token}%2Fx`,
    `/share/${token}/../../api/sessions`, `//share/${token}`, `/api/share/${token}`, `/Share/${token}`, `/share/${token};x/api`
  ]
  for (const path of closed.filter((path) => !path.includes('..') && !/%2F|;/.test(path))) t.equal((await guarded.get(path)).status, 401, path)
  for (const path of closed.filter((path) => path.includes('..') || /%2F|;/.test(path))) {
    const answer = await guarded.get(path)
    t.ok(answer.status === 401 || answer.status === 404, `${path} ${answer.status}`)
    t.notMatch(answer.text, 'For everybody')
  }
  t.equal((await guarded.post(`/share/${token}`)).status, 401)
  t.match(await guarded.post('/api/session/share/revoke', { session_id: session.session_id }), { status: 401 })
  t.match(await guarded.post('/api/session/share', { session_id: session.session_id }), { status: 401 })
})

t.test('everything that is public is listed, looked at before, and taken back one by one', async (t) => {
  const own = await start(t)
  t.same((await own.get('/api/shares')).body, { shares: [] })
  const ids: string[] = []
  for (const title of ['One', 'Two']) ids.push((await own.post('/api/session/import', { title, messages: [{ role: 'user', content: `In ${title}` }] })).body.session.session_id)
  const preview = await own.get(`/api/session/share/preview?session_id=${ids[0]!}`)
  t.match(preview.headers.get('content-security-policy'), /sandbox$/)
  t.same((await own.get('/api/shares')).body, { shares: [] }, 'to look at it shares nothing')
  const [one, two] = [(await own.post('/api/session/share', { session_id: ids[0] })).body, (await own.post('/api/session/share', { session_id: ids[1] })).body]
  t.equal((await own.get(one.path)).text, preview.text, 'what was looked at is what is public')
  const { body: { shares } } = await own.get('/api/shares')
  t.same(shares.map((page: { title: string, session_id: string, profile: string, share_id: string }) => [page.title, page.session_id, page.profile, page.share_id]),
    [['Two', ids[1], 'default', two.share_id], ['One', ids[0], 'default', one.share_id]])
  t.match(await own.post('/api/shares/revoke', { share_id: one.share_id }), { status: 200, body: { ok: true, share_id: one.share_id } })
  t.match([(await own.get(one.path)).status, (await own.get(two.path)).status], [404, 200])
  t.match(await own.post('/api/shares/revoke', { share_id: one.share_id }), { status: 404 })
  await own.post('/api/session/delete', { session_id: ids[1] })
  t.same((await own.get('/api/shares')).body, { shares: [] }, 'pages go with their sessions')
  t.match(await own.get('/api/session/share/preview?session_id=nowhere'), { status: 404 })
})

t.test('a shared page stays as it was', async (t) => {
  const id = (await bringIn({ title: 'First title', messages: [{ role: 'user', content: 'First words' }, { role: 'assistant', content: 'Yes' }] })).session_id
  const share = async (): Promise<Session> => (await service.post('/api/session/share', { session_id: id })).body
  const first = await share()
  const page = (await service.get(first.path)).text
  await service.turn(id, 'Later words', service.model())
  await service.post('/api/session/rename', { session_id: id, title: 'Second title' })
  t.equal((await service.get(first.path)).text, page)
  nowMs += 1_000
  const second = await share()
  t.not(second.token, first.token)
  t.match((await service.get(second.path)).text, /Second title[^]*Later words/)
  const { body: { shares } } = await service.get(`/api/session/shares?session_id=${id}`)
  t.match(shares, [{ title: 'Second title', created_at: nowMs / 1000 }, { title: 'First title' }], 'the newest first')
  t.notOk(JSON.stringify(shares).includes(first.token), 'the address is told once')
  const stored = service.app.db.sqlite.prepare('select * from shares').all()
  t.notOk(JSON.stringify(stored).includes(first.token), 'and kept nowhere')

  t.match(await service.post('/api/session/share/revoke', { session_id: id, share_id: shares[1].share_id }), { status: 200, body: { ok: true, revoked: 1 } })
  t.match(await service.get(first.path), { status: 404, body: { error: /no longer shared/ } })
  t.equal((await service.get(second.path)).status, 200)
  t.match((await service.post('/api/session/share/revoke', { session_id: id, share_id: shares[1].share_id })).body, { revoked: 0 }, 'it is gone already')
  const other = await service.newSession()
  t.match((await service.post('/api/session/share/revoke', { session_id: other, share_id: shares[0].share_id })).body, { revoked: 0 }, 'of another session')
  const third = await share()
  t.match((await service.post('/api/session/share/revoke', { session_id: id })).body, { revoked: 2 })
  for (const { path } of [second, third]) t.equal((await service.get(path)).status, 404)
  for (const path of ['/share/x', `/share/${'A'.repeat(32)}`, `/share/${second.token.slice(1)}`, `/share/${second.token.toLowerCase()}x`, '/share/%00', "/share/'%20or%201=1"]) {
    t.match(await service.get(path), { status: 404, body: { error: /no longer shared/ } }, path)
  }
  for (const path of ['/api/session/share', '/api/session/share/revoke']) {
    t.match(await service.post(path, { session_id: '0123456789ab' }), { status: 404, body: { error: 'Session not found' } })
    t.match(await service.post(path), { status: 400 })
  }
})

t.test('a session keeps twenty shared pages, and takes them along', async (t) => {
  const id = (await bringIn({ messages: [{ role: 'user', content: 'Words' }] })).session_id
  const paths: string[] = []
  // All at the same time of the clock.
  for (let n = 0; n < 23; n++) paths.push((await service.post('/api/session/share', { session_id: id })).body.path)
  const open = async () => await Promise.all(paths.map(async (path) => (await service.get(path)).status))
  t.same(await open(), [...Array(3).fill(404), ...Array(20).fill(200)], 'the oldest go')
  t.equal((await service.get(`/api/session/shares?session_id=${id}`)).body.shares.length, 20)
  await service.post('/api/session/delete', { session_id: id })
  t.ok((await open()).every((status) => status === 404))
  t.equal(service.app.db.sqlite.prepare('select count(*) from shares where session_id = ?').pluck().get(id), 0)
})

t.test('a session that is deleted while it is shared is not shared', { long: true }, async (t) => {
  const id = (await bringIn({ messages: Array.from({ length: 2_000 }, (_, index) => ({ role: 'assistant', content: '**word** '.repeat(200) + index })) })).session_id
  const sharing = service.post('/api/session/share', { session_id: id })
  await delay(20)
  await service.app.sessions.remove(id)
  t.match(await sharing, { status: 404, body: { error: 'Session not found' } })
})

let repositories = 0

function repository (): string {
  const root = join(service.folder, `repository-${++repositories}`)
  mkdirSync(join(root, 'packages', 'one'), { recursive: true })
  writeFileSync(join(root, 'readme'), 'Hello\n')
  writeFileSync(join(root, 'packages', 'one', 'index'), '1\n')
  git(root, 'init', '--quiet', '--initial-branch=main')
  git(root, 'add', '.')
  git(root, 'commit', '--quiet', '--message', 'First')
  return root
}

const worktree = async (workspace: string): Promise<Session> => {
  const answer = await service.post('/api/session/new', { workspace, worktree: true })
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body.session
}
const standing = async (id: string): Promise<Session> => (await service.get(`/api/session/worktree/status?session_id=${id}`)).body
const isLeaving = (path: string): boolean => {
  try {
    service.app.sessions.worktrees.assertStays(path)
    return false
  } catch {
    return true
  }
}
const remove = (id: string, more: object = {}): Promise<Answer> => service.post('/api/session/worktree/remove', { session_id: id, ...more })

t.test('a session with a worktree of its own', needsGit, async (t) => {
  const root = repository()
  const made = await worktree(join(root, 'packages', 'one'))
  const { session_id: id, worktree_path: path, worktree_branch: branch } = made
  t.match(made, { workspace: join(root, '.worktrees', id, 'packages', 'one'), worktree_path: join(root, '.worktrees', id), worktree_branch: `agent/${id}`, worktree_repo_root: root, worktree_created_at: nowMs / 1000, message_count: 0 })
  t.ok(existsSync(join(path, 'readme')))
  t.ok((await service.get('/api/sessions')).body.sessions.some((row: Session) => row.session_id === id && row.worktree_path === path), 'it is listed although it is empty')
  t.match(await standing(id), { ok: true, session_id: id, has_worktree: true, exists: true, path, branch, dirty_files: 0, untracked_files: 0, ahead: 0, merged: true, locked: false })

  await service.post('/api/session/yolo', { session_id: id, enabled: true })
  await service.turn(id, 'Write it', service.model([{ tool: 'write_file', args: { path: 'new.txt', content: 'new\n' } }], [{ text: 'Written.' }]))
  t.ok(existsSync(join(path, 'packages', 'one', 'new.txt')), 'the agent works in it')
  t.notOk(existsSync(join(root, 'packages', 'one', 'new.txt')))
  writeFileSync(join(path, 'readme'), 'Changed\n')
  t.match(await standing(id), { dirty_files: 1, untracked_files: 1, merged: true })

  t.match(await remove(id), { status: 409, body: { code: 'dirty_worktree', dirty_files: 1, untracked_files: 1 } })
  git(path, 'add', '.')
  git(path, 'commit', '--quiet', '--message', 'Work')
  t.match(await standing(id), { dirty_files: 0, untracked_files: 0, ahead: 1, merged: false })
  const refused = await remove(id, { force: false })
  t.match(refused, { status: 409, body: { code: 'unmerged_commits', ahead: 1 } })
  t.notOk(refused.text.includes(service.folder), 'no path in the error')
  t.ok(existsSync(path))

  t.match(await remove(id, { force: true }), { status: 200, body: { ok: true, removed: true, branch_deleted: false } })
  t.notOk(existsSync(path))
  t.equal(git(root, 'log', '-1', '--format=%s', branch), 'Work', 'its commits keep their branch')
  const after = await service.session(id)
  t.match(after, { workspace: root, worktree_path: null, worktree_branch: null, message_count: made.message_count + 4 })
  t.match(await standing(id), { ok: true, has_worktree: false, exists: false, path: null, branch: null })
  t.match(await remove(id, { force: true }), { status: 400, body: { error: /no worktree/ } })
})

t.test('one without work in it goes without a trace', needsGit, async (t) => {
  const root = repository()
  const { session_id: id, worktree_path: path } = await worktree(root)
  t.match(await remove(id), { status: 200, body: { ok: true, removed: true, branch_deleted: true } })
  t.notOk(existsSync(path))
  t.equal(git(root, 'branch', '--list', '--format=%(refname:short)'), 'main')
  t.equal((await service.session(id)).workspace, root)
})

t.test('one that somebody has removed', { ...needsGit, long: true }, async (t) => {
  const root = repository()
  const { session_id: id, worktree_path: path } = await worktree(root)
  rmSync(path, { recursive: true })
  t.match(await standing(id), { has_worktree: true, exists: false, path })
  t.match(await remove(id), { status: 200, body: { removed: true } })
})

t.test('not while a turn runs', { ...needsGit, long: true }, async (t) => {
  const open = gate()
  const { session_id: id, worktree_path: path } = await worktree(repository())
  const streamId = await service.send(id, 'Tell me', { model: service.model(held(open, [{ text: 'Well' }], [])) })
  t.match(await remove(id, { force: true }), { status: 409, body: { active_stream_id: streamId } })
  t.ok(existsSync(path))
  open.open()
  await (await service.watch(streamId)).ended
})

t.test('no turn begins in one that is being removed, and two requests remove it once', needsGit, async (t) => {
  const root = repository()
  const { session_id: id, worktree_path: path } = await worktree(root)
  const going = Promise.withResolvers<void>()
  const waits = whileWorktreesStay(root, () => going.promise)
  const removals = Promise.all([remove(id), remove(id)])
  await eventually('it is being removed', () => isLeaving(path))
  t.match(await service.post('/api/chat/start', { session_id: id, message: 'Hello' }), { status: 409, body: { code: 'worktree_leaving' } })
  for (const [path, asked] of [['/api/btw', { question: 'What is this?' }], ['/api/background', { prompt: 'Look' }]] as const) {
    t.match(await service.post(path, { session_id: id, ...asked }), { status: 409, body: { code: 'worktree_leaving' } }, path)
  }
  going.resolve()
  await waits
  t.same((await removals).map(({ status }) => status).toSorted(), [200, 400], 'the later one finds no worktree')
  t.equal((await service.turn(id, 'Hello', service.model())).last.event, 'stream_end')
  t.match(await service.session(id), { workspace: root, messages: [{ content: 'Hello' }, { content: 'Done.' }] })
})

t.test('what the service begins in one that is being removed waits, and then works in the repository', needsGit, async (t) => {
  const root = repository()
  const { session_id: id, worktree_path: path } = await worktree(root)
  const going = Promise.withResolvers<void>()
  const waits = whileWorktreesStay(root, () => going.promise)
  const removal = remove(id)
  await eventually('it is being removed', () => isLeaving(path))

  const { body: { job } } = await service.post('/api/crons/create', { prompt: 'Look at it', schedule: '0 3 * * *', workspace: path })
  await service.post('/api/crons/run', { job_id: job.id })
  t.match(await service.post('/api/chat/start', { session_id: id, message: 'One', if_busy: 'queue', workspace: path, model: service.model() }), { body: { queued: true } })
  t.match(await service.post('/api/session/queue', { session_id: id, action: 'add', message: 'Two', model: service.model() }), { status: 200 })
  const queue = async (): Promise<Answer> => await service.get(`/api/session/queue?session_id=${id}`)
  t.match(await queue(), { body: { held: null, queue: [{ message: 'One' }, { message: 'Two' }] } })
  going.resolve()
  await waits
  t.match(await removal, { status: 200 })

  await eventually('both were answered', async () => (await service.session(id)).message_count === 4)
  t.match(await service.session(id), { workspace: root, messages: [{ content: 'One' }, {}, { content: 'Two' }, {}] })
  t.match(await queue(), { body: { held: null, queue: [] } })
  await eventually('the job says what happened', async () => /worktree .* was removed/.test((await service.get('/api/crons?all_profiles=1')).text))
})

t.test('a removal that is refused lets what waited for it begin in the worktree', { ...needsGit, long: true }, async (t) => {
  const root = repository()
  const { session_id: id, worktree_path: path } = await worktree(root)
  writeFileSync(join(path, 'readme'), 'Changed\n')
  const going = Promise.withResolvers<void>()
  const waits = whileWorktreesStay(root, () => going.promise)
  const removal = remove(id)
  await eventually('it is being removed', () => isLeaving(path))
  await service.post('/api/chat/start', { session_id: id, message: 'One', if_busy: 'queue', workspace: path, model: service.model() })
  going.resolve()
  await waits
  t.match(await removal, { status: 409, body: { code: 'dirty_worktree' } })
  await eventually('it was answered', async () => (await service.session(id)).messages[1]?.content === 'Done.')
  t.match(await service.session(id), { workspace: path })
})

t.test('where there can be none', { ...needsGit, long: true }, async (t) => {
  const count = service.app.db.sqlite.prepare('select count(*) from sessions').pluck()
  const before = count.get()
  const plain = join(service.folder, 'plain')
  mkdirSync(plain)
  // The tests' own folder may itself be inside a repository.
  writeFileSync(join(plain, '.git'), 'nothing')
  const empty = join(service.folder, 'empty')
  mkdirSync(empty)
  git(empty, 'init', '--quiet')
  for (const [workspace, code] of [[plain, /./], [empty, /no_commits/]] as const) {
    const refused = await service.post('/api/session/new', { workspace, worktree: true })
    t.match(refused, { status: 400, body: { error: /./, code } }, workspace)
    t.notOk(refused.text.includes(service.folder), 'no path in the error')
  }
  t.equal(count.get(), before, 'no session is left of it')
  t.notOk(existsSync(join(empty, '.worktrees')))
  for (const worktree of [false, null, undefined]) t.equal((await service.post('/api/session/new', { workspace: plain, worktree })).status, 200, `worktree: ${worktree}`)
  t.match(await service.post('/api/session/new', { worktree: 'yes' }), { status: 400, body: { error: /worktree/ } })
  for (const answer of [await service.get('/api/session/worktree/status?session_id=0123456789ab'), await remove('0123456789ab')]) t.match(answer, { status: 404, body: { error: 'Session not found' } })
  t.match(await standing(await service.newSession()), { ok: true, has_worktree: false, exists: false, path: null })
})

t.test('a deleted session leaves its worktree, and says where', needsGit, async (t) => {
  const root = repository()
  const { session_id: id, worktree_path: path, worktree_branch: branch } = await worktree(root)
  writeFileSync(join(path, 'work'), 'mine')
  const archived = await service.post('/api/session/archive', { session_id: id })
  t.match(archived.body.session, { worktree_path: path })
  t.same((await service.post('/api/session/delete', { session_id: id })).body, { ok: true, worktree_retained: true, worktree_path: path, worktree_branch: branch, worktree_repo_root: root })
  t.ok(existsSync(join(path, 'work')))
  t.notOk('worktree_retained' in (await service.post('/api/session/delete', { session_id: await service.newSession() })).body)
})

t.test('branches and copies of a session with a worktree have none', { ...needsGit, long: true }, async (t) => {
  const root = repository()
  const { session_id: id, worktree_path: path } = await worktree(root)
  await service.turn(id, 'Hello', service.model())
  const { body: { session_id: branch } } = await service.post('/api/session/branch', { session_id: id })
  const { body: { session: { session_id: copy } } } = await service.post('/api/session/duplicate', { session_id: id })
  for (const other of [branch, copy]) {
    t.match(await service.session(other), { worktree_path: null, worktree_branch: null })
    t.match(await remove(other, { force: true }), { status: 400 })
  }
  t.ok(existsSync(path))
  const { body } = await exported(id)
  t.match(await bringIn(body), { worktree_path: null, worktree_branch: null }, 'nor has what is brought in')
})
