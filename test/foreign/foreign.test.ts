import { appendFileSync, mkdirSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '#test'
import { eventually, said, startChat } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'

type Row = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- rows of the wire
type Entry = Record<string, unknown>

const folder = temporaryFolder(t, 'foreign')
const work = join(folder, 'engine')
mkdirSync(work)

const claudeId = '5a0ddcd0-5487-4794-99ac-143f6bb9e248'
const codexId = '019d6057-5b00-70f0-bed7-96d71b8757fd'
const claudeFile = (id = claudeId) => join(folder, '.claude', 'projects', '-engine', `${id}.jsonl`)
const codexFile = join(folder, '.codex', 'sessions', '2026', '02', '03', `rollout-2026-02-03T10-11-12-${codexId}.jsonl`)
const lines = (entries: Entry[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

function put (path: string, entries: Entry[]): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, lines(entries))
}

let minute = 0
const later = (): string => new Date(Date.parse('2026-02-03T10:00:00Z') + ++minute * 60_000).toISOString()

/** Entries as Claude Code writes them. */
const claude = (type: string, message: Entry): Entry => ({ type, uuid: `uuid-${minute}`, cwd: work, sessionId: claudeId, isSidechain: false, timestamp: later(), message })
const asks = (content: unknown): Entry => claude('user', { role: 'user', content })
const answers = (id: string, ...content: Entry[]): Entry => claude('assistant', { id, role: 'assistant', model: 'claude-opus-4-5', content, usage: { input_tokens: 10, output_tokens: 5 } })
const text = (value: string): Entry => ({ type: 'text', text: value })
const calls = (id: string, name: string, input: Entry): Entry => ({ type: 'tool_use', id, name, input })
const results = (id: string, content: string): Entry => asks([{ type: 'tool_result', tool_use_id: id, content }])

const key = 'sk-proj-' + 'Xy12Zw34Vu56Ts78Rq90'
put(claudeFile(), [
  asks('Make the tests of the engine pass'),
  answers('msg_1', { type: 'thinking', thinking: 'They want green tests.' }, text('I run them.'), calls('toolu_1', 'Bash', { command: 'npm test', api_key: 'abcdef123456' })),
  results('toolu_1', 'FAIL '.repeat(2_000)),
  asks(`The key is ${key}`),
  answers('msg_2', text('Thank you.'), calls('toolu_2', 'Read', { file_path: 'a.ts' })),
  results('toolu_2', 'export const a = 1'),
  answers('msg_3', text('All of them pass.'))
])
const item = (payload: Entry): Entry => ({ timestamp: later(), type: 'response_item', payload })
put(codexFile, [
  { timestamp: later(), type: 'session_meta', payload: { id: codexId, timestamp: '2026-02-03T10:11:12.000Z', cwd: '/no/longer/there', originator: 'codex_cli_rs', source: 'cli' } },
  item({ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Weave a carpet' }] }),
  item({ type: 'function_call', name: 'exec_command', arguments: '{"cmd":"ls"}', call_id: 'call_1' }),
  item({ type: 'function_call_output', call_id: 'call_1', output: 'loom.rs\n' }),
  item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Woven.' }] })
])

let nowMs = Date.parse('2026-03-01T12:00:00Z')
const service = await startChat(t, { folder, clock: { now: () => nowMs++ } })
const listed = async (query = ''): Promise<Row[]> => (await service.get(`/api/sessions${query}`)).body.sessions
const ids = async (query = ''): Promise<string[]> => (await listed(query)).map((row) => row.session_id as string)
const found = async (q: string): Promise<string[]> => (await service.get(`/api/sessions/search?q=${encodeURIComponent(q)}`)).body.sessions.map((row: Row) => row.session_id)
const detail = async (id: string, query = ''): Promise<Row> => (await service.get(`/api/session?session_id=${id}${query}`)).body.session
const settings = (changes: object) => service.post('/api/settings', changes)

/** Does what the service does at intervals. */
async function look (): Promise<boolean> {
  const hasChanged = await service.app.foreign.refresh()
  if (hasChanged) service.app.sessions.changed('session_imported')
  return hasChanged
}

t.test('conversations of other front ends are listed, and are only to be read', async (t) => {
  await eventually('both to be listed', async () => (await ids()).length === 2)
  const rows = await listed()
  t.match(rows, [
    { session_id: codexId, title: 'Weave a carpet', source_tag: 'cli', raw_source: 'cli', workspace: '/no/longer/there', message_count: 4, user_message_count: 1 },
    { session_id: claudeId, title: 'Make the tests of the engine pass', source_tag: 'claude_code', raw_source: 'claude_code', workspace: work, model: 'claude-opus-4-5', message_count: 7, user_message_count: 2, input_tokens: 30, output_tokens: 15 }
  ], 'the newest first')
  for (const row of rows) t.match(row, { read_only: true, is_read_only: true, is_cli_session: true, session_source: 'cli', profile: 'default', pinned: false, archived: false, is_streaming: false, active_stream_id: null, project_id: null })
  t.match((await service.get('/api/sessions')).body, { cli_count: 2, cli_session_count: 2, webui_session_count: 0 })
})

t.test('whatever reads a session reads these as well', async (t) => {
  t.ok((await ids()).includes(claudeId))
  const previews = ['/api/session/share/preview']
  const reading = service.routes.filter(({ method, url, query }) => method === 'GET' && query.includes('session_id') && !/stream|events$/.test(url) && !previews.includes(url))
  const strangers: string[] = []
  for (const { url } of reading) {
    const { status, body } = await service.get(`${url}?session_id=${claudeId}&path=.&checkpoint=x&ref=HEAD&stream_id=x`)
    if (status === 403 || status >= 500 || body?.error === 'Session not found') strangers.push(`${url}: ${status} ${body?.error}`)
  }
  t.same(strangers, [])
  t.ok(reading.length > 20, `${reading.length} routes`)
  for (const url of previews) t.equal((await service.get(`${url}?session_id=${claudeId}`)).status, 403, `${url} shows what may not be done`)

  const of = (path: string, id = claudeId) => service.get(`${path}?session_id=${id}`)
  t.match((await of('/api/session/status')).body, { session_id: claudeId, title: 'Make the tests of the engine pass', agent_running: false, active_stream_id: null, workspace: work })
  t.match((await of('/api/session/outline')).body, { session_id: claudeId, entries: [{ index: 0, kind: 'message', text: String }], truncated: false })
  t.same((await of('/api/approval/pending')).body, { pending: null, pending_count: 0 })
  t.same((await of('/api/clarify/pending')).body, { pending: null, pending_count: 0 })
  t.same((await of('/api/session/yolo')).body, { yolo_enabled: false })
  t.same((await of('/api/background/status')).body, { results: [] })
  for (const stream of ['approval/stream', 'clarify/stream', 'session/stream']) {
    const reader = await service.events(`/api/${stream}?session_id=${claudeId}`)
    const { message_count: messageCount, updated_at: updatedAt } = (await listed()).find((row) => row.session_id === claudeId)!
    const opened = { session_id: claudeId, active_stream_id: null, message_count: messageCount, updated_at: updatedAt }
    t.match(await reader.until('initial'), { data: stream === 'session/stream' ? opened : { pending: null, pending_count: 0 } })
    reader.drop()
  }

  for (const id of [claudeId, codexId]) {
    const file = await of('/api/session/export', id)
    const shown = await detail(id)
    t.match(file, { status: 200, body: { session_id: id, title: shown.title } })
    t.same(file.body.messages, shown.messages)
    t.same(file.body.tool_calls, shown.tool_calls)
    t.notMatch(file.text, new RegExp(key))
    const { session } = (await service.post('/api/session/import', file.body)).body
    t.same(session.messages.map(said), shown.messages.map(said), 'it can be brought in')
    await service.post('/api/session/delete', { session_id: session.session_id })
  }
  const page = await service.get(`/api/session/export?session_id=${claudeId}&format=html`)
  t.match(page, { status: 200, text: /All of them pass\./ })
  t.notMatch(page.text, new RegExp(key))

  for (const [path, more] of [['yolo', { enabled: true }], ['rename', { title: 'x' }], ['delete', {}], ['share', {}], ['draft', { text: 'x' }], ['undo', {}], ['compress', {}]] as const) {
    t.equal((await service.post(`/api/session/${path}`, { session_id: claudeId, ...more })).status, 403, `${path} is refused as before`)
  }
})

t.test('their messages', async (t) => {
  const session = await detail(claudeId)
  t.match(session, { session_id: claudeId, message_count: 7, read_only: true, pending_user_message: null, pending_attachments: [], _messages_offset: 0, _messages_truncated: false, _msg_limit_max: 500 })
  t.same(session.messages.map((message: Row) => message.role), ['user', 'assistant', 'tool', 'user', 'assistant', 'tool', 'assistant'])
  t.match(session.messages[1], { content: 'I run them.', reasoning: 'They want green tests.', tool_calls: [{ id: 'toolu_1', function: { name: 'Bash' } }] })
  t.match(session.tool_calls, [{ name: 'Bash', tid: 'toolu_1', assistant_msg_idx: 1, args: { command: 'npm test' } }, { name: 'Read', tid: 'toolu_2', assistant_msg_idx: 4, snippet: 'export const a = 1' }])
  t.ok(session.messages.every((message: Row) => typeof message.message_id === 'string' && message._ts === message.timestamp))
  t.same(await detail(claudeId, '&messages=0'), { ...session, messages: [], tool_calls: [] })
  t.match((await detail(codexId)).messages, [{ content: 'Weave a carpet' }, { tool_calls: [{ id: 'call_1' }] }, { role: 'tool', content: 'loom.rs\n' }, { content: 'Woven.' }])
})

t.test('windows of them', async (t) => {
  const whole = await detail(claudeId)
  const cases: Array<[query: string, from: number, to: number, cards: string[], truncated: boolean]> = [
    ['&msg_limit=1', 6, 7, [], true], ['&msg_limit=2', 4, 7, ['toolu_2'], true], ['&msg_limit=3', 3, 7, ['toolu_2'], true], ['&msg_limit=5', 0, 7, ['toolu_1', 'toolu_2'], false], ['&msg_limit=500', 0, 7, ['toolu_1', 'toolu_2'], false],
    ['&msg_limit=2&msg_before=4', 1, 4, ['toolu_1'], true], ['&msg_limit=9&msg_before=4', 0, 4, ['toolu_1'], false], ['&msg_limit=1&msg_before=0', 0, 0, [], false], ['&msg_limit=1&msg_before=99', 6, 7, [], true],
    ['&msg_limit=0', 6, 7, [], true], ['&msg_limit=x', 0, 7, ['toolu_1', 'toolu_2'], false], ['&msg_before=2', 0, 2, ['toolu_1'], false]
  ]
  for (const [query, from, to, cards, truncated] of cases) {
    const { messages, tool_calls: shown, _messages_offset: offset, _messages_truncated: isTruncated, message_count: count } = await detail(claudeId, query)
    t.same(messages.map((message: Row) => message.message_id), whole.messages.slice(from, to).map((message: Row) => message.message_id), query)
    t.same(shown.map((card: Row) => card.tid), cards, query)
    t.same([offset, isTruncated, count], [from, truncated, 7], query)
  }
  t.equal(whole.messages[2].content.length, 9_999)
  const [, shortened] = (await detail(claudeId, '&msg_limit=500')).messages.filter((message: Row) => message.role !== 'user')
  t.ok(shortened.content.length < 4_400, 'a long result is cut, as in windows of our own')
  t.match(shortened.content, /shortened/)
})

t.test('nothing can be done to them', async (t) => {
  const before = await service.get(`/api/session?session_id=${claudeId}`)
  const rows = service.app.db.sqlite.prepare('select (select count(*) from sessions) || \' \' || (select count(*) from messages) || \' \' || (select count(*) from streams)').pluck()
  const stored = rows.get()
  const posts: Array<[path: string, body?: object]> = [
    ['/api/chat/start', { message: 'Hello' }], ['/api/chat/steer', { text: 'Hello' }], ['/api/goal', { args: 'Win' }], ['/api/goal', { args: 'status' }], ['/api/goal', { args: 'clear' }], ['/api/btw', { question: 'Why?' }], ['/api/background', { prompt: 'Do it' }],
    ['/api/session/rename', { title: 'Mine' }], ['/api/session/delete'], ['/api/session/pin'], ['/api/session/pin', { pinned: false }], ['/api/session/archive'], ['/api/session/move'], ['/api/session/move', { project_id: 'none' }],
    ['/api/session/update', { model: 'other' }], ['/api/session/update', { workspace: work }], ['/api/session/draft', { text: 'Half' }], ['/api/session/truncate', { keep_count: 0 }], ['/api/session/clear'], ['/api/session/undo'], ['/api/session/retry'],
    ['/api/session/compress'], ['/api/session/compress/start'], ['/api/session/duplicate'], ['/api/session/share'], ['/api/session/share/revoke'], ['/api/session/worktree/remove', { force: true }], ['/api/session/yolo', { enabled: true }],
    ['/api/approval/respond', { choice: 'once' }], ['/api/clarify/respond', { response: 'Yes' }]
  ]
  for (const [path, body = {}] of posts) {
    t.match(await service.post(path, { session_id: claudeId, ...body }), { status: 403, body: { error: /another front end|read-only/ } }, `${path} ${JSON.stringify(body)}`)
  }
  for (const path of ['/api/session/export', '/api/session/shares', '/api/session/worktree/status', '/api/session/draft', '/api/session/compress/status', '/api/background/status']) {
    t.equal((await service.get(`${path}?session_id=${claudeId}`)).status, 200, path)
  }
  t.equal(rows.get(), stored)
  t.equal((await service.get(`/api/session?session_id=${claudeId}`)).text, before.text)
})

t.test('a token without admin gets its branch in a folder that it may use', async (t) => {
  const { body: { token } } = await service.post('/api/auth/tokens/create', { name: 'writer', scope: 'chat' })
  const chatting = { authorization: `Bearer ${token}` }
  const folderOf = async (): Promise<string> => {
    const { body } = await service.post('/api/session/branch', { session_id: claudeId }, chatting)
    const { workspace } = await service.session(body.session_id)
    await service.post('/api/session/delete', { session_id: body.session_id })
    return workspace as string
  }
  const [{ path: usual }] = (await service.get('/api/workspaces')).body.workspaces as [{ path: string }]
  t.equal(await folderOf(), usual)
  await service.post('/api/workspaces/add', { path: work })
  t.equal(await folderOf(), work)
  await service.post('/api/workspaces/remove', { path: work })
})

t.test('a branch of one is ours and goes on', async (t) => {
  const { status, body } = await service.post('/api/session/branch', { session_id: claudeId })
  t.equal(status, 200)
  t.match(body, { session_id: /^[0-9a-f]{12}$/, title: 'Make the tests of the engine pass (fork)', parent_session_id: claudeId })
  const own = await service.session(body.session_id)
  const theirs = await detail(claudeId)
  t.match(own, { read_only: false, is_cli_session: false, session_source: 'fork', parent_session_id: claudeId, workspace: work, message_count: 7, user_message_count: 2, last_message_at: theirs.last_message_at })
  const plain = ({ message_id: _id, ...message }: Row) => message
  t.same(own.messages.map(plain), theirs.messages.map(plain))
  t.same(own.tool_calls, theirs.tool_calls)

  const model = service.model([{ text: 'Gladly.' }])
  const { last } = await service.turn(body.session_id, 'Go on', model)
  t.equal(last.event, 'stream_end')
  const [request] = service.requests(model)
  t.same(request!.messages.filter((message) => message.role !== 'system').map((message) => message.role), ['user', 'assistant', 'tool', 'user', 'assistant', 'tool', 'assistant', 'user'])
  t.same(said(request, 'user'), ['Make the tests of the engine pass', `The key is ${key}`, 'Go on'], 'the model sees what was said')
  t.equal((await service.session(body.session_id)).message_count, 9)
  t.equal((await detail(claudeId)).message_count, 7, 'the other front end\'s is as it was')
  t.same(await found('gladly'), [body.session_id])
  t.same(await found('they pass.'), [], 'nothing of the kind was said')
  t.same(await found('of them pass'), [body.session_id], 'its whole history is found')

  const cut = (await service.post('/api/session/branch', { session_id: claudeId, keep_count: 2, title: 'From here' })).body
  t.match(cut, { title: 'From here', parent_session_id: claudeId })
  t.equal((await service.session(cut.session_id)).message_count, 2)
  const other = service.model([{ text: 'Yes.' }])
  t.equal((await service.turn(cut.session_id, 'And now?', other)).last.event, 'stream_end')
  const roles = service.requests(other)[0]!.messages.filter((message) => message.role !== 'system').map((message) => message.role)
  t.same(roles, ['user', 'assistant', 'tool', 'user'], 'a call whose result was left behind has one')
  const none = (await service.post('/api/session/branch', { session_id: codexId, keep_count: 0 })).body
  t.match(await service.session(none.session_id), { message_count: 0, workspace: service.workspace }, 'its folder is gone, so it works in the usual one')
  t.equal((await service.post('/api/session/branch', { session_id: codexId, keep_count: -1 })).status, 400)
  for (const { session_id: id } of [body, cut, none]) await service.post('/api/session/delete', { session_id: id })
  t.match(await ids(), [codexId, claudeId], 'what goes is ours alone')
})

t.test('they are found by their titles', async (t) => {
  t.same(await found('CARPET'), [codexId])
  t.same(await found('of the engine'), [claudeId])
  t.same(await found('woven'), [], 'their contents are read only when somebody opens them')
})

t.test('what they hold is masked', async (t) => {
  t.match((await detail(claudeId)).messages[3].content, 'The key is [redacted]')
  t.match((await detail(claudeId)).tool_calls[0].args, { command: 'npm test', api_key: '[redacted]' })
  t.notOk((await service.get(`/api/session?session_id=${claudeId}&msg_limit=9`)).text.includes('Zw34'))
  await settings({ api_redact_enabled: false })
  t.match((await detail(claudeId)).messages[3].content, `The key is ${key}`)
  await settings({ api_redact_enabled: true })
})

t.test('whoever does not want to see them does not', async (t) => {
  await settings({ show_claude_code_sessions: false })
  t.same(await ids(), [codexId])
  t.equal((await service.get('/api/sessions')).body.cli_count, 1)
  t.equal((await service.get(`/api/session?session_id=${claudeId}`)).status, 404)
  t.match(await service.post('/api/session/branch', { session_id: claudeId }), { status: 404, body: { error: 'Session not found' } })
  t.match(await service.post('/api/chat/start', { session_id: claudeId, message: 'Hello' }), { status: 404 })
  t.same(await found('engine'), [])
  await settings({ show_claude_code_sessions: true, show_cli_sessions: false })
  t.same(await ids(), [])
  t.equal((await service.get('/api/sessions')).body.cli_count, 0)
  t.equal((await service.get(`/api/session?session_id=${codexId}`)).status, 404)
  t.match((await service.get('/api/settings')).body, { show_cli_sessions: false, show_claude_code_sessions: true })
  await settings({ show_cli_sessions: true })
  t.same(await ids(), [codexId, claudeId])
})

t.test('what is written meanwhile is there after a look', async (t) => {
  const before = await service.get('/api/sessions')
  t.equal(await look(), false)
  t.equal((await service.get('/api/sessions', { 'if-none-match': before.headers.get('etag')! })).status, 304)
  appendFileSync(claudeFile(), lines([asks('One more thing'), answers('msg_4', text('Yes?'))]))
  t.equal(await look(), true)
  t.match((await listed())[0], { session_id: claudeId, message_count: 9, user_message_count: 3 }, 'it is the newest now')
  t.match((await detail(claudeId)).messages.slice(-2), [{ content: 'One more thing' }, { content: 'Yes?' }])
  const half = JSON.stringify(asks('Half a line'))
  appendFileSync(claudeFile(), half.slice(0, 40))
  await look()
  t.equal((await detail(claudeId)).message_count, 9, 'half a line is none')
  appendFileSync(claudeFile(), `${half.slice(40)}\n`)
  t.equal(await look(), true)
  t.equal((await listed())[0]!.message_count, 10)

  truncateSync(claudeFile(), 0)
  await look()
  t.same(await ids(), [codexId], 'an empty file is no conversation')
  t.equal((await service.get(`/api/session?session_id=${claudeId}`)).status, 404)
  put(claudeFile(), [asks('Again from the start'), answers('msg_9', text('Well.'))])
  t.equal(await look(), true)
  t.match((await listed())[0], { session_id: claudeId, title: 'Again from the start', message_count: 2 })
  t.equal((await detail(claudeId)).messages.length, 2)
})

t.test('a file that is gone', async (t) => {
  const gone = '11111111-2222-4333-8444-555555555555'
  put(claudeFile(gone), [asks('Short-lived'), answers('msg_1', text('Indeed.'))])
  await look()
  t.same(await found('short-lived'), [gone])
  unlinkSync(claudeFile(gone))
  for (const answer of [await service.get(`/api/session?session_id=${gone}`), await service.post('/api/session/branch', { session_id: gone })]) {
    t.match(answer, { status: 503, body: { error: /is missing or cannot be read/ } })
    t.notOk(answer.text.includes(folder), 'no path in the error')
  }
  t.equal((await service.get(`/api/session?session_id=${gone}&messages=0`)).status, 200, 'its row is known until the next look')
  t.equal(await look(), true)
  t.equal((await service.get(`/api/session?session_id=${gone}`)).status, 404)
  t.same(await found('short-lived'), [])
})

t.test('beside our own, twenty of them', async (t) => {
  const many = Array.from({ length: 25 }, (_, index) => `00000000-0000-4000-8000-0000000000${String(index).padStart(2, '0')}`)
  for (const [index, id] of many.entries()) put(claudeFile(id), [asks(`Heron number ${index}`), answers('msg_1', text('Yes.'))])
  await look()
  const own = await service.newSession()
  await service.turn(own, 'Hello', service.model())
  const { body } = await service.get('/api/sessions')
  t.equal(body.sessions.length, 21)
  t.match(body, { cli_count: 27, cli_session_count: 27, webui_session_count: 1 })
  t.equal(body.sessions[0].session_id, own)
  t.same(body.sessions.slice(1).map((row: Row) => row.session_id), many.slice(-20).reverse())
  t.same((await ids('?sidebar_source=webui')), [own])
  const all = await ids('?sidebar_source=cli')
  t.equal(all.length, 27)
  t.ok([...many, codexId, claudeId].every((id) => all.includes(id)) && !all.includes(own))
  t.same(await ids('?include_archived=1'), body.sessions.map((row: Row) => row.session_id))
  t.same(await ids('?all_profiles=1'), body.sessions.map((row: Row) => row.session_id))
  t.equal((await detail(many[0]!)).message_count, 2, 'one that is not listed can be opened')
  t.same(await found('heron number 24'), [many[24]])
})

t.test('a long one is read and exported with pauses', async (t) => {
  const long = '7b0ddcd0-5487-4794-99ac-143f6bb9e248'
  const said = Array.from({ length: 40 }, (_, index) => answers(`long_${index}`, text('The engine runs well. '.repeat(2_000))))
  put(claudeFile(long), [asks('How does it run?'), ...said].map((entry) => ({ ...entry, sessionId: long })))
  await look()
  const { foreign, exports } = service.app
  const ways: Record<string, () => Promise<unknown>> = {
    read: async () => await foreign.answer(long, { messages: true, typed: true }),
    exported: async () => await exports.json(long),
    branched: async () => await foreign.adopt(long, { profile: 'default', folder: async (path) => path })
  }
  await foreign.answer(long, { messages: true, typed: true })
  for (const [name, way] of Object.entries(ways)) {
    let passes = 0
    const over = new AbortController()
    const made = way().finally(() => over.abort())
    for (; !over.signal.aborted; passes++) await new Promise((resolve) => { setImmediate(resolve) })
    await made
    t.ok(passes > 5, `${name}: other work runs ${passes} times meanwhile`)
  }
  unlinkSync(claudeFile(long))
  await look()
})

t.test('after a restart they are still known', async (t) => {
  await service.stop()
  const again = await service.again(t, folder)
  const rows = (await again.get('/api/sessions?sidebar_source=cli')).body.sessions
  t.equal(rows.length, 27, 'at once')
  t.equal((await again.get(`/api/session?session_id=${codexId}`)).status, 200)
  await again.app.foreign.refresh()
  t.equal((await again.get('/api/sessions?sidebar_source=cli')).body.sessions.length, 27)
})
