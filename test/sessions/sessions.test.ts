import fc from 'fast-check'
import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, startChat } from '../support/chat.js'
import { tries } from '../support/tries.js'

let nowMs = 1_800_000_000_000
const service = await startChat(t, { clock: { now: () => nowMs++ } })
const listed = async (query = ''): Promise<Array<Record<string, any>>> => (await service.get(`/api/sessions${query}`)).body.sessions // eslint-disable-line @typescript-eslint/no-explicit-any -- rows of the wire
const ids = async (query = '') => (await listed(query)).map((row) => row.session_id as string)

t.test('a new session is there at once, empty, in the default folder', async (t) => {
  await eventually('the provider to say which models it has', async () => (await service.get('/api/settings')).body.default_model)
  const { status, body: { session } } = await service.post('/api/session/new')
  t.equal(status, 200)
  t.match(session.session_id, /^[0-9a-f]{12}$/)
  t.match(session, {
    title: 'Untitled', workspace: service.workspace, messages: [], tool_calls: [], message_count: 0, profile: 'default',
    is_streaming: false, active_stream_id: null, pinned: false, archived: false, project_id: null, read_only: false,
    input_tokens: 0, output_tokens: 0, _messages_truncated: false, _messages_offset: 0, attention: null
  })
  t.same(await service.session(session.session_id), session)
})

t.test('a session takes the folder and the model it is given', async (t) => {
  const folder = join(service.folder, 'a project')
  mkdirSync(folder)
  symlinkSync(folder, join(service.folder, 'link'))
  const { body: { session } } = await service.post('/api/session/new', { workspace: join(service.folder, 'link'), model: 'some-model', model_provider: 'openai', unknown_key: 1, project_id: null, worktree: null })
  t.match(session, { workspace: folder, model: 'some-model', model_provider: 'openai' })
})

t.test('folders a session cannot work in are refused', async (t) => {
  writeFileSync(join(service.folder, 'a file'), '')
  symlinkSync('/etc', join(service.folder, 'link to etc'))
  const before = service.app.db.sqlite.prepare('select count(*) from sessions').pluck().get()
  const folders: Array<[string, unknown]> = [
    ['a relative path', 'here'], ['a dot', '.'], ['a tilde', '~'], ['nothing', ''], ['a missing folder', join(service.folder, 'missing')],
    ['a file', join(service.folder, 'a file')], ['the root', '/'], ['a system folder', '/etc'], ['a system folder with detours', '/usr/../etc/'],
    ['a link to a system folder', join(service.folder, 'link to etc')], ['a NUL byte', `${service.workspace}\0`], ['a number', 5], ['a list', [service.workspace]]
  ]
  for (const [what, workspace] of folders) {
    const { status, body } = await service.post('/api/session/new', { workspace })
    t.equal(status, 400, what)
    t.type(body.error, 'string')
    t.notOk(body.error.includes(service.folder), 'no path in the error')
  }
  t.equal((await service.post('/api/session/new', { profile: 'no-such-profile' })).status, 404)
  t.equal(service.app.db.sqlite.prepare('select count(*) from sessions').pluck().get(), before)
})

t.test('an unknown session is not found, whatever is asked of it', async (t) => {
  const unknown = '0123456789ab'
  for (const path of ['/api/session', '/api/session/status', '/api/session/yolo', '/api/approval/pending', '/api/clarify/pending', '/api/approval/stream', '/api/clarify/stream']) {
    const answer = await service.get(`${path}?session_id=${unknown}`)
    t.equal(answer.status, 404, path)
    t.same(answer.body, { error: 'Session not found' }, path)
    t.equal((await service.get(path)).status, 400, `${path} without an id`)
    t.equal((await service.get(`${path}?session_id=`)).status, 400, `${path} with an empty id`)
  }
  const posts: Record<string, object> = {
    '/api/session/rename': { title: 'x' }, '/api/session/delete': {}, '/api/session/yolo': {}, '/api/chat/start': { message: 'x' }, '/api/chat/steer': { text: 'x' },
    '/api/approval/respond': { choice: 'once' }, '/api/clarify/respond': { response: 'x' }
  }
  for (const [path, body] of Object.entries(posts)) {
    const answer = await service.post(path, { ...body, session_id: unknown })
    t.equal(answer.status, 404, path)
    t.same(answer.body, { error: 'Session not found' }, path)
    for (const wrong of [undefined, null, 5, true, {}, [unknown], '']) {
      const refused = await service.post(path, { ...body, session_id: wrong })
      t.equal(refused.status, 400, `${path} with ${JSON.stringify(wrong)} for an id`)
      t.match(refused.body.error, /session_id/)
    }
  }
})

t.test('the list leaves out what is empty, and shows the latest conversation first', async (t) => {
  const [first, second, empty, pinned] = [await service.newSession(), await service.newSession(), await service.newSession(), await service.newSession()]
  service.app.db.sqlite.prepare('update sessions set pinned = 1 where id = ?').run(pinned)
  await service.turn(first, 'Hello', service.model())
  await service.turn(second, 'Hello', service.model())
  const shown = async () => (await ids()).filter((id) => [first, second, empty, pinned].includes(id))
  t.same(await shown(), [second, first, pinned], 'empty ones are left out unless pinned')
  await service.turn(first, 'Again', service.model())
  t.same(await shown(), [first, second, pinned])
  await service.post('/api/session/rename', { session_id: second, title: 'Renamed' })
  t.same(await shown(), [first, second, pinned], 'a new name does not move a conversation')

  const wait = gate()
  const streamId = await service.send(empty, 'Hello', { model: service.model(held(wait, [], [{ text: 'Hi.' }])) })
  t.same((await shown())[0], empty, 'it appears with its first message')
  wait.open()
  await (await service.watch(streamId)).ended

  const row = (await listed()).find((entry) => entry.session_id === first)!
  t.match(row, { title: String, display_title: row.title, message_count: 4, user_message_count: 2, is_streaming: false, active_stream_id: null, has_pending_user_message: false, profile: 'default' })
  for (const key of ['created_at', 'updated_at', 'last_message_at']) t.type(row[key], 'number')
  t.notOk('messages' in row, 'rows carry no messages')
  service.app.db.sqlite.prepare('update sessions set archived = 1 where id = ?').run(second)
  service.app.sessions.changed('session_archive', second)
  t.notOk((await ids()).includes(second), 'archived ones are left out')
  t.ok((await listed('?include_archived=1')).some((entry) => entry.session_id === second && entry.archived === true), 'unless asked for')
  const list = (await service.get('/api/sessions')).body
  t.match(list, { sidebar_reference_sessions: [], cli_count: 0, archived_count: 1, active_profile: 'default', all_profiles: false, server_time: Number, server_tz: /^[+-]\d{4}$/ })
})

t.test('a list that has not changed is not sent again', async (t) => {
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Hello', service.model())
  const first = await service.get('/api/sessions')
  const etag = first.headers.get('etag')!
  t.ok(etag)
  const same = await service.get('/api/sessions', { 'if-none-match': etag })
  t.equal(same.status, 304)
  t.equal(same.text, '')
  const changes: Array<[string, () => Promise<unknown>]> = [
    ['a new name', () => service.post('/api/session/rename', { session_id: sessionId, title: 'Helli' })],
    ['another name of the same length', () => service.post('/api/session/rename', { session_id: sessionId, title: 'Hello' })],
    ['a turn', () => service.turn(sessionId, 'More', service.model())],
    ['a deletion', () => service.post('/api/session/delete', { session_id: sessionId })]
  ]
  let last = etag
  for (const [what, change] of changes) {
    await change()
    const next = await service.get('/api/sessions', { 'if-none-match': last })
    t.equal(next.status, 200, `${what} is sent`)
    t.not(next.headers.get('etag'), last)
    last = next.headers.get('etag')!
    t.equal((await service.get('/api/sessions', { 'if-none-match': last })).status, 304)
  }
})

t.test('whoever watches the list hears of a change', async (t) => {
  const reader = await service.events('/api/sessions/events')
  await reader.until('sessions_changed')
  const sessionId = await service.newSession()
  await reader.until((frame) => frame.data.session_id === sessionId && frame.data.reason === 'session_new')
  await service.post('/api/session/rename', { session_id: sessionId, title: 'x' })
  await reader.until((frame) => frame.data.session_id === sessionId && frame.data.reason === 'session_rename')
  await service.post('/api/session/delete', { session_id: sessionId })
  await reader.until((frame) => frame.data.session_id === sessionId && frame.data.reason === 'session_delete')
  const versions = reader.frames.map((frame) => frame.data.version as number)
  t.same(versions, versions.toSorted((a, b) => a - b))
  reader.drop()
})

t.test('names', async (t) => {
  const sessionId = await service.newSession()
  const rename = (title: unknown) => service.post('/api/session/rename', { session_id: sessionId, title })
  const emoji = '👩‍🚀🎉é漢'
  const names: Array<[string, string, string]> = [
    ['a plain one', 'Groceries', 'Groceries'], ['spaces around', '  Groceries\n', 'Groceries'], ['nothing', '', 'Untitled'], ['blanks', ' \t\n ', 'Untitled'],
    ['80 characters', 'x'.repeat(80), 'x'.repeat(80)], ['81 characters', 'x'.repeat(81), 'x'.repeat(80)],
    ['any script', emoji, emoji], ['characters outside the basic plane', '🎉'.repeat(100), '🎉'.repeat(80)],
    ['markup and quotes', '<b>"it\'s"</b> \\ & </script>', '<b>"it\'s"</b> \\ & </script>']
  ]
  for (const [what, given, kept] of names) {
    const { status, body } = await rename(given)
    t.equal(status, 200, what)
    t.match(body.session, { session_id: sessionId, title: kept, display_title: kept })
    t.equal((await service.session(sessionId)).title, kept, `${what}: ${JSON.stringify(kept.slice(0, 20))}`)
    t.notOk('messages' in body.session)
  }
  for (const wrong of [undefined, null, 5, true, [], {}]) {
    const refused = await rename(wrong)
    t.equal(refused.status, 400, `${JSON.stringify(wrong)} is no name`)
    t.match(refused.body.error, /title/)
  }
})

t.test('a name given back lets the automatic one in again', async (t) => {
  service.proposeTitle('Found by itself')
  const sessionId = await service.newSession()
  await service.post('/api/session/rename', { session_id: sessionId, title: 'Mine' })
  await service.post('/api/session/rename', { session_id: sessionId, title: '' })
  await service.turn(sessionId, 'Hello', service.model())
  t.equal((await service.session(sessionId)).title, 'Found by itself')
})

t.test('a name given back lets the automatic one in again in the middle of a conversation, too', async (t) => {
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Hello', service.model())
  await service.post('/api/session/rename', { session_id: sessionId, title: 'Mine' })
  await service.post('/api/session/rename', { session_id: sessionId, title: 'Untitled' })
  service.proposeTitle('Found again')
  const { events } = await service.turn(sessionId, 'More', service.model())
  t.ok(events.includes('title'))
  t.equal((await service.session(sessionId)).title, 'Found again')
})

t.test('status says where a session stands', async (t) => {
  const sessionId = await service.newSession()
  const status = async () => (await service.get(`/api/session/status?session_id=${sessionId}`)).body
  t.match(await status(), { session_id: sessionId, title: 'Untitled', profile: 'default', workspace: service.workspace, message_count: 0, agent_running: false, active_stream_id: null, input_tokens: 0, output_tokens: 0, total_tokens: 0 })
  await service.turn(sessionId, 'Hello', service.model([{ text: 'Hi.' }, { usage: { input: 10, output: 5 } }]))
  t.match(await status(), { message_count: 2, input_tokens: 10, output_tokens: 5, total_tokens: 15, agent_running: false })
})

t.test('deleting', async (t) => {
  const nothingLeft = (sessionId: string) => ['sessions where id', 'messages where session_id', 'streams where session_id', 'prompts where session_id', 'grants where session_id']
    .map((table) => service.app.db.sqlite.prepare(`select count(*) from ${table} = ?`).pluck().get(sessionId))

  await t.test('a conversation takes everything of it along', async (t) => {
    const sessionId = await service.newSession()
    const { streamId } = await service.turn(sessionId, 'Hello', service.model([{ tool: 'list_files', args: {} }]))
    const answer = await service.post('/api/session/delete', { session_id: sessionId })
    t.equal(answer.status, 200)
    t.match(answer.body, { ok: true })
    t.same(nothingLeft(sessionId), [0, 0, 0, 0, 0])
    t.equal(service.app.db.sqlite.prepare('select count(*) from frames where stream_id = ?').pluck().get(streamId), 0)
    for (const path of [`/api/session?session_id=${sessionId}`, `/api/session/status?session_id=${sessionId}`]) t.same((await service.get(path)).body, { error: 'Session not found' })
    for (const path of [`/api/chat/stream?stream_id=${streamId}`, `/api/chat/stream/status?stream_id=${streamId}`]) t.match(await service.get(path), { status: 404, body: { error: 'stream not found' } })
    t.notOk((await ids('?include_archived=1&all_profiles=1')).includes(sessionId))
    t.match(await service.post('/api/session/delete', { session_id: sessionId }), { status: 404, body: { error: 'Session not found' } }, 'a second time there is nothing to delete')
  })

  await t.test('in the middle of an answer stops it, and everybody who watches is told', async (t) => {
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Hello', { model: service.model(held(gate(), [{ text: 'Well' }], [])) })
    const reader = await service.watch(streamId)
    await reader.until('token')
    t.equal((await service.post('/api/session/delete', { session_id: sessionId })).status, 200)
    await reader.ended
    t.equal(reader.frames.at(-1)?.event, 'cancel', 'the stream has its proper end')
    t.same(nothingLeft(sessionId), [0, 0, 0, 0, 0])
    t.equal(service.app.chat.activeTurns(), 0)
  })

  await t.test('while a question waits for an answer removes the question', async (t) => {
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Hello', { model: service.model([{ tool: 'terminal', args: { command: 'git push' } }]) })
    const approvals = await service.events(`/api/approval/stream?session_id=${sessionId}`)
    await approvals.until((frame) => frame.data.pending_count === 1)
    const reader = await service.watch(streamId)
    t.equal((await service.post('/api/session/delete', { session_id: sessionId })).status, 200)
    await reader.ended
    await approvals.until((frame) => frame.event === 'approval' && frame.data.pending === null)
    approvals.drop()
    t.same(nothingLeft(sessionId), [0, 0, 0, 0, 0])
  })
})

interface Seeded { role: 'user' | 'assistant' | 'tool', content: string, counted: boolean, calls: number, owner: number | null }

/** Generates a conversation as turns make them: questions, answers, calls with their results, messages in between, interrupted turns. */
const turns = fc.array(fc.record({
  steps: fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 3 }),
  steered: fc.boolean(),
  ending: fc.constantFrom('answer' as const, 'partial' as const, 'silent partial' as const, 'error' as const)
}), { maxLength: 7 })

function rowsOf (plan: Array<{ steps: number[], steered: boolean, ending: string }>): Seeded[] {
  const rows: Seeded[] = []
  const add = (role: Seeded['role'], more: Partial<Seeded> = {}) => rows.push({ role, content: `row ${rows.length}`, counted: role !== 'tool', calls: 0, owner: null, ...more })
  for (const { steps, steered, ending } of plan) {
    add('user')
    for (const calls of steps) {
      const owner = add('assistant', { calls }) - 1
      for (let call = 0; call < calls; call++) add('tool', { owner })
      if (steered) add('user')
    }
    add('assistant', ending === 'silent partial' ? { counted: false, content: '' } : {})
  }
  return rows
}

function store (sessionId: string, rows: Seeded[]): void {
  const { db, sessions } = service.app
  let previous = -1
  let nth = 0
  db.transaction(() => {
    for (const [position, row] of rows.entries()) {
      nth = row.owner === previous ? nth + 1 : 0
      previous = row.owner ?? -1
      sessions.transcript.append(sessionId, 1_700_000_000 + position, {
        role: row.role,
        content: row.content,
        fields: {
          ...(row.calls > 0 && { tool_calls: Array.from({ length: row.calls }, (_, index) => ({ id: `call-${position}-${index}`, type: 'function', function: { name: 'read_file', arguments: '{}' } })) }),
          ...(row.role === 'tool' && { tool_call_id: `call-${row.owner}-${nth}`, name: 'read_file' }),
          ...(!row.counted && row.role === 'assistant' && { _partial: true })
        },
        ...(row.owner !== null && { card: { name: 'read_file', snippet: '', tid: `call-${row.owner}-${nth}`, assistant_msg_idx: row.owner, args: {} }, assistantPosition: row.owner }),
        counted: row.counted
      })
    }
  })
}

/** Implements the rule of the interface in the simplest way. */
function windowOf (rows: Seeded[], limit: number, before: number): { offset: number, end: number } {
  const end = Math.min(Math.max(0, before), rows.length)
  const counted = rows.slice(0, end).map((row, index) => row.counted ? index : -1).filter((index) => index !== -1)
  if (counted.length === 0) return { offset: Math.max(0, end - limit), end }
  return { offset: counted.at(-limit) ?? 0, end }
}

async function page (sessionId: string, query: string) {
  return (await service.get(`/api/session?session_id=${sessionId}${query}`)).body.session
}

t.test('a window holds the last rows that people see, with the tool rows between them', async (t) => {
  await fc.assert(fc.asyncProperty(turns, fc.array(fc.tuple(fc.integer({ min: 1, max: 12 }), fc.option(fc.integer({ min: -2, max: 60 }))), { minLength: 1, maxLength: 4 }), async (plan, windows) => {
    const rows = rowsOf(plan)
    const sessionId = await service.newSession()
    store(sessionId, rows)
    for (const [limit, before] of windows) {
      const session = await page(sessionId, `&messages=1&msg_limit=${limit}${before === null ? '' : `&msg_before=${before}`}`)
      const { offset, end } = windowOf(rows, limit, before ?? rows.length)
      assert.deepEqual(session.messages.map((message: { content: string }) => message.content), rows.slice(offset, end).map((row) => row.content))
      assert.equal(session._messages_offset, offset)
      assert.equal(session._messages_truncated, offset > 0)
      assert.equal(session.message_count, rows.length)
      const cards = rows.slice(offset, end).filter((row) => row.role === 'tool').map((row) => row.owner)
      assert.deepEqual(session.tool_calls.map((card: { assistant_msg_idx: number }) => card.assistant_msg_idx), cards)
    }
  }), { numRuns: tries(60) })
})

t.test('paging backwards shows every row exactly once', async (t) => {
  await fc.assert(fc.asyncProperty(turns, fc.integer({ min: 1, max: 9 }), async (plan, limit) => {
    const rows = rowsOf(plan)
    const sessionId = await service.newSession()
    store(sessionId, rows)
    let session = await page(sessionId, `&msg_limit=${limit}`)
    let seen = session.messages
    while (session._messages_truncated) {
      session = await page(sessionId, `&msg_limit=${limit}&msg_before=${session._messages_offset}`)
      seen = [...session.messages, ...seen]
    }
    assert.deepEqual(seen, (await page(sessionId, '')).messages)
  }), { numRuns: 30 })
})

t.test('windows, case by case', async (t) => {
  const sessionId = await service.newSession()
  const rows = rowsOf(Array.from({ length: 260 }, () => ({ steps: [1], steered: false, ending: 'answer' })))
  store(sessionId, rows)
  const total = rows.length
  const whole = await page(sessionId, '')
  t.match(whole, { message_count: total, _messages_offset: 0, _messages_truncated: false, _msg_limit_max: 500 })
  t.equal(whole.messages.length, total)
  t.equal(whole.tool_calls.length, 260)
  t.same(whole.tool_calls[1].assistant_msg_idx, 5, 'cards count in the whole transcript')

  for (const garbage of ['', '%20', 'ten', '1e2', '2.5', '0x10', 'NaN']) t.equal((await page(sessionId, `&msg_limit=${garbage}`)).messages.length, total, `msg_limit=${garbage} is no window`)
  for (const [limit, counted] of [['1', 1], ['0', 1], ['-3', 1], ['500', 500], ['501', 500], ['99999', 500], ['3', 3]] as Array<[string, number]>) {
    const session = await page(sessionId, `&msg_limit=${limit}`)
    t.equal(session.messages.filter((message: { role: string }) => message.role !== 'tool').length, counted, `msg_limit=${limit} shows ${counted}`)
    t.equal(session._messages_offset, total - session.messages.length)
    t.equal(session._messages_truncated, true)
  }
  t.match(await page(sessionId, '&messages=0'), { messages: [], tool_calls: [], pending_attachments: [], message_count: total, _messages_truncated: false })
  t.match(await page(sessionId, '&messages=0&msg_limit=10'), { messages: [], tool_calls: [], _messages_truncated: false })
  t.equal((await page(sessionId, '&messages=1&expand_renderable=1&resolve_model=0&future=1')).messages.length, total)
  t.equal((await page(sessionId, '&msg_limit=5&msg_before=garbage'))._messages_offset, (await page(sessionId, '&msg_limit=5'))._messages_offset)
  t.same((await page(sessionId, '&msg_limit=5&msg_before=0')).messages, [])
})

t.test('a long tool result is cut in a window and whole in the full transcript', async (t) => {
  writeFileSync(join(service.workspace, 'long.txt'), 'line of a long file\n'.repeat(1_000))
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Read it', service.model([{ tool: 'read_file', args: { path: 'long.txt' } }]))
  const tool = (session: { messages: Array<{ role: string, content: string }> }) => session.messages.find((message) => message.role === 'tool')!.content
  t.ok(tool(await page(sessionId, '')).length > 10_000)
  t.ok(tool(await page(sessionId, '&msg_limit=50')).length < 4_400)
  t.equal((await page(sessionId, '')).tool_calls[0].snippet.length, 4_000)
})

t.test('what a person typed is given back to the letter', async (t) => {
  const sessionId = await service.newSession()
  const message = '  "quotes" \\ \u2028 </script> \u0000\u0001 \ud800 äöü 漢字 👩‍🚀 \n\n```js\nlet x = 1\n```\n  '
  const model = service.model([{ text: 'An “answer” with \\ and \u2028 漢字 👩‍🚀.' }])
  const { frames } = await service.turn(sessionId, message, model)
  const { messages } = await service.session(sessionId)
  t.equal(messages[0].content, message.replace('\ud800', '\ufffd'), 'but for half a character, which is none')
  t.equal(messages[1].content, 'An “answer” with \\ and \u2028 漢字 👩‍🚀.')
  t.same(frames.find((frame) => frame.event === 'done')?.data.session.messages, messages)
})

t.test('conversations are still there after a restart', async (t) => {
  const folder = join(service.folder, 'kept')
  mkdirSync(folder)
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const { streamId, frames } = await before.turn(sessionId, 'Hello', before.model())
  const stored = await before.session(sessionId)
  await before.stop()
  const after = await service.again(t, folder)
  t.same(await after.session(sessionId), stored)
  const replay = await after.watch(streamId, '&replay=1')
  await replay.ended
  t.same(replay.frames, frames, 'its stream as well')
})
