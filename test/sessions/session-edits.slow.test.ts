import fc from 'fast-check'
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { compressionMark } from '../../services/agent/engines/quoted-conversation.js'
import { eventually, gate, held, said, startChat } from '../support/chat.js'
import { type Answer, type TestLike } from '../support/app.js'
import { type ModelRequest, type ModelStep } from '../support/model-endpoint.js'
import { tries } from '../support/tries.js'

type Session = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- sessions of the wire

let nowMs = 1_800_000_000_000
const clock = { now: () => nowMs++ }
const service = await startChat(t, { clock })
await eventually('the provider to say which models it has', async () => (await service.get('/api/settings')).body.default_model)

const change = (name: string, session: string, body: object = {}): Promise<Answer> => service.post(`/api/session/${name}`, { session_id: session, ...body })
const contents = async (id: string): Promise<unknown[]> => (await service.session(id)).messages.map((message: Session) => message.content)
const branchOf = async (id: string, body: object = {}): Promise<string> => (await change('branch', id, body)).body.session_id

/** Creates a conversation of that many questions and answers. */
async function conversation (turns: number): Promise<string> {
  const sessionId = await service.newSession()
  for (let n = 1; n <= turns; n++) await service.turn(sessionId, `Question ${n}`, service.model([{ text: `Answer ${n}` }]))
  return sessionId
}

/** Starts a turn that stops in the middle of its answer. */
async function standing (sessionId: string) {
  const wait = gate()
  const streamId = await service.send(sessionId, 'A long one', { model: service.model(held(wait, [{ text: 'Well' }], [{ text: ' then.' }])) })
  const reader = await service.watch(streamId)
  await reader.until('token')
  return { streamId, reader, end: async () => { wait.open(); await reader.ended } }
}

/** Providers refuse a call without its result, and a result without its call. */
function assertCallsHaveResults (t: { same (found: unknown, wanted: unknown, message: string): unknown }, request: ModelRequest | undefined): void {
  const open: string[] = []
  const lost: unknown[] = []
  for (const message of request!.messages) {
    if (message.role === 'tool') {
      const at = open.indexOf(String(message.tool_call_id))
      if (at === -1) lost.push(message.tool_call_id)
      else open.splice(at, 1)
    } else {
      lost.push(...open.splice(0))
      if (message.role === 'assistant') open.push(...(message.tool_calls as Array<{ id: string }> | undefined ?? []).map((call) => call.id))
    }
  }
  t.same([...lost, ...open], [], 'every call has its result, every result its call')
}

/** Checks what must hold for a transcript at any time. */
function assertSound (id: string, session: Session): void {
  const rows = service.app.db.sqlite.prepare<[string], { position: number, role: string, createdAt: number }>('select position, role, created_at as createdAt from messages where session_id = ? order by position').all(id)
  assert.deepEqual(rows.map((row) => row.position), rows.map((_, index) => index), 'positions have no holes')
  assert.equal(session.message_count, rows.length)
  assert.equal(session.user_message_count, rows.filter((row) => row.role === 'user').length)
  assert.equal(session.last_message_at, rows.at(-1)?.createdAt ?? null)
  assert.equal(session.messages.length, rows.length)
  assert.equal(session.tool_calls.length, rows.filter((row) => row.role === 'tool').length)
}

t.test('a session gets another folder, or another model', async (t) => {
  const folder = join(service.folder, 'elsewhere')
  mkdirSync(folder)
  const sessionId = await service.newSession({ model: 'first-model', model_provider: 'openai' })
  await service.turn(sessionId, 'Hello', service.model([{ text: 'Hi.' }, { usage: { input: 100, output: 20, cacheRead: 50 } }]))
  const counters = { input_tokens: 100, output_tokens: 20, cache_read_tokens: 50, last_prompt_tokens: 120 }
  t.match(await service.session(sessionId), counters)

  const moved = await change('update', sessionId, { workspace: folder })
  t.match(moved, { status: 200, body: { session: { session_id: sessionId, workspace: folder, model: 'first-model', model_provider: 'openai', ...counters } } })
  t.equal(moved.body.session.messages.length, 2, 'the answer is the whole session')
  for (const workspace of ['', 'relative', '/', '/etc', join(folder, 'missing'), join(service.folder, 'home', 'webui'), 5, [folder]]) {
    t.equal((await change('update', sessionId, { workspace, model: 'second-model' })).status, 400, `${JSON.stringify(workspace)} is no folder to work in`)
  }
  t.match(await service.session(sessionId), { workspace: folder, model: 'first-model' }, 'what is refused changes nothing')

  t.match((await change('update', sessionId, { model: 'first-model', model_provider: 'openai' })).body.session, { model_provider: 'openai', ...counters }, 'the same model goes on counting')
  const { session } = (await change('update', sessionId, { model: 'second-model' })).body
  t.match(session, { model: 'second-model', input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, estimated_cost: null, last_prompt_tokens: null, context_length: null, message_count: 2 })
  t.equal(service.app.sessions.get(sessionId).modelProvider, null, 'the provider of the one before is no provider of this one')
  t.equal((await change('update', sessionId, { model: 'second-model', model_provider: '' })).status, 200)
  t.equal(service.app.sessions.get(sessionId).modelProvider, null, 'an empty provider is none')
  t.match((await change('update', sessionId, { model_provider: 'openrouter' })).body.session, { model: 'second-model', model_provider: 'openrouter' })
  t.equal((await change('update', sessionId, { model: '' })).status, 400)
  t.equal((await change('update', '0123456789ab', { model: 'x' })).status, 404)
})

t.test('truncating', async (t) => {
  const sessionId = await conversation(3)
  const truncate = (keep: unknown) => change('truncate', sessionId, { keep_count: keep })
  const { messages } = await service.session(sessionId)
  for (const wrong of [undefined, null, -1, 1.5, '2', true, [2], {}]) t.match(await truncate(wrong), { status: 400, body: { error: /keep_count/ } }, `keep_count: ${JSON.stringify(wrong)}`)
  for (const keep of [6, 7, 1_000_000]) t.same((await truncate(keep)).body.session.messages, messages, 'beyond the end there is nothing to cut')
  const { status, body } = await truncate(3)
  t.equal(status, 200)
  t.equal(body.ok, true)
  t.same(body.session.messages, messages.slice(0, 3), 'what stays is what it was, ids included')
  t.match(body.session, { message_count: 3, user_message_count: 2, last_message_at: messages[2].timestamp, last_prompt_tokens: null })
  assertSound(sessionId, body.session)
  const model = service.model([{ text: 'Another answer' }])
  await service.turn(sessionId, 'Once more', model)
  t.match(JSON.stringify(service.requests(model)[0]!.messages), /Question 1[^]*Answer 1[^]*Question 2[^]*Once more/, 'the model sees what is left')
  t.notMatch(JSON.stringify(service.requests(model)[0]!.messages), /Question 3|Answer [23]/, 'and nothing else')
  t.same((await truncate(0)).body.session.messages, [])
  t.match(await service.session(sessionId), { message_count: 0, user_message_count: 0, last_message_at: null, tool_calls: [] })
  t.equal((await change('truncate', '0123456789ab', { keep_count: 0 })).status, 404)
})

t.test('a conversation that is cut inside of a step goes on', async (t) => {
  const calls: ModelStep[] = [{ tool: 'list_files', args: {}, id: 'a' }, { tool: 'list_files', args: {}, id: 'b' }]
  for (const keep of [1, 2, 3, 4, 5]) {
    const sessionId = await service.newSession()
    await service.turn(sessionId, 'Look', service.model(calls, [{ text: 'Seen.' }]))
    const { body: { session } } = await change('truncate', sessionId, { keep_count: keep })
    t.same(session.messages.map((message: Session) => message.role), ['user', 'assistant', 'tool', 'tool', 'assistant'].slice(0, keep))
    // The calls run at the same time: either may finish first.
    const done = new Set<string>(session.tool_calls.map((card: Session) => card.tid))
    t.equal(done.size, Math.min(2, Math.max(0, keep - 2)))
    t.ok([...done].every((id) => ['a', 'b'].includes(id)))
    const model = service.model([{ text: 'Going on.' }])
    const { last } = await service.turn(sessionId, 'Go on', model)
    t.equal(last.event, 'stream_end')
    assertCallsHaveResults(t, service.requests(model)[0])
    assertSound(sessionId, await service.session(sessionId))
  }
})

t.test('clearing takes every message out and keeps the session', async (t) => {
  const sessionId = await service.newSession({ model: 'some-model' })
  await service.turn(sessionId, 'Plan it', service.model([{ tool: 'todo', args: { todos: [{ content: 'One', status: 'pending' }] } }], [{ text: 'Planned.' }]))
  t.match(await service.session(sessionId), { todo_state: { todos: [{ content: 'One' }] } })
  const { body } = await change('clear', sessionId)
  t.match(body, { ok: true, session: { session_id: sessionId, model: 'some-model', message_count: 0, todo_state: null } })
  t.same([body.session.messages, body.session.tool_calls], [[], []])
  t.same((await change('clear', sessionId)).body.session.messages, [], 'what is empty can be cleared')
  t.notOk((await service.get('/api/sessions')).body.sessions.some((row: Session) => row.session_id === sessionId), 'lists do not show it any more')
  const model = service.model()
  await service.turn(sessionId, 'Hello', model)
  t.notMatch(JSON.stringify(service.requests(model)[0]!.messages), /Plan it|Planned/)
})

t.test('the list of things to do goes with the messages that made it', { long: true }, async (t) => {
  const sessionId = await conversation(1)
  const plan = (content: string) => service.turn(sessionId, `Plan ${content}`, service.model([{ tool: 'todo', args: { todos: [{ content, status: 'pending' }] } }], [{ text: 'Planned.' }]))
  await plan('one')
  await service.turn(sessionId, 'And now?', service.model())
  await change('undo', sessionId)
  t.match(await service.session(sessionId), { todo_state: { todos: [{ content: 'one' }] } }, 'it outlives what came after it')
  await change('truncate', sessionId, { keep_count: 2 })
  t.equal((await service.session(sessionId)).todo_state, null)
})

t.test('undo takes the last turn out', async (t) => {
  const sessionId = await conversation(2)
  await service.turn(sessionId, 'x'.repeat(41), service.model([{ tool: 'list_files', args: {} }], [{ text: 'Seen.' }]))
  t.same((await change('undo', sessionId)).body, { ok: true, removed_count: 4, removed_preview: `${'x'.repeat(40)}...` }, 'its calls and their results as well')
  t.same(await contents(sessionId), ['Question 1', 'Answer 1', 'Question 2', 'Answer 2'])
  t.same((await change('undo', sessionId)).body, { ok: true, removed_count: 2, removed_preview: 'Question 2' })
  t.same((await change('undo', sessionId)).body, { ok: true, removed_count: 2, removed_preview: 'Question 1' })
  t.match(await change('undo', sessionId), { status: 200, body: { error: 'Nothing to undo.' } })
  t.same((await change('undo', sessionId)).body, { error: 'Nothing to undo.' })
  t.match(await service.session(sessionId), { message_count: 0, last_message_at: null })
  for (const [text, preview] of [['👩'.repeat(40), '👩'.repeat(40)], ['👩'.repeat(41), `${'👩'.repeat(40)}...`], ['  two\nlines ', '  two\nlines ']] as const) {
    await service.turn(sessionId, text, service.model())
    t.equal((await change('undo', sessionId)).body.removed_preview, preview)
  }
  t.equal((await change('undo', '0123456789ab')).status, 404)
})

t.test('retry hands the last message back, and has taken its turn out', async (t) => {
  const sessionId = await conversation(1)
  t.same((await change('retry', await service.newSession())).body, { error: 'No previous message to retry.' })
  const text = ` What is "this"?\n\n👩‍🚀 ${'x'.repeat(500)} `
  await service.turn(sessionId, text, service.model([{ tool: 'list_files', args: {} }], [{ text: 'That.' }]))
  t.same((await change('retry', sessionId)).body, { ok: true, last_user_text: text, removed_count: 4 })
  t.same(await contents(sessionId), ['Question 1', 'Answer 1'])
  await service.turn(sessionId, text, service.model([{ text: 'This.' }]))
  t.same(await contents(sessionId), ['Question 1', 'Answer 1', text, 'This.'])
})

t.test('what was typed into a turn is part of it', async (t) => {
  for (const name of ['undo', 'retry']) {
    const sessionId = await conversation(1)
    const wait = gate()
    const streamId = await service.send(sessionId, 'Look around', { model: service.model(held(wait, [{ text: 'Well' }], [{ tool: 'list_files', args: {} }]), [{ text: 'Seen.' }]) })
    const reader = await service.watch(streamId)
    await reader.until('token')
    t.equal((await service.post('/api/chat/steer', { session_id: sessionId, text: 'Quickly' })).body.accepted, true)
    wait.open()
    await reader.ended
    t.same((await contents(sessionId)).filter((content) => content === 'Quickly').length, 1)
    t.match((await change(name, sessionId)).body, { ok: true, removed_count: 5, [name === 'undo' ? 'removed_preview' : 'last_user_text']: 'Look around' })
    t.same(await contents(sessionId), ['Question 1', 'Answer 1'])
  }
})

t.test('a turn that failed, or was stopped, can be taken back', async (t) => {
  const sessionId = await conversation(1)
  await service.turn(sessionId, 'It will fail', 'fault-401')
  t.equal((await contents(sessionId)).length, 4)
  t.same((await change('retry', sessionId)).body, { ok: true, last_user_text: 'It will fail', removed_count: 2 })
  t.same(await contents(sessionId), ['Question 1', 'Answer 1'])

  const { streamId, reader } = await standing(sessionId)
  await service.post('/api/chat/cancel', { stream_id: streamId })
  t.same((await change('undo', sessionId)).body, { ok: true, removed_count: 2, removed_preview: 'A long one' }, 'at once after the stop')
  await reader.ended
  t.same(await contents(sessionId), ['Question 1', 'Answer 1'], 'and nothing of it comes back')
  assertSound(sessionId, await service.session(sessionId))
})

t.test('of an imported conversation, too', { long: true }, async (t) => {
  const { body: { session } } = await service.post('/api/session/import', {
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Look at ' }, { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }, { type: 'text', text: 'this' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: '1', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: '1', content: 'A cat' }] },
      { role: 'assistant', content: 'A cat.' }
    ]
  })
  t.same((await change('retry', session.session_id)).body, { ok: true, last_user_text: 'Look at this', removed_count: 4 }, 'the text of its parts; a result is no message of a person')
  const answersOnly = await service.post('/api/session/import', { messages: [{ role: 'assistant', content: 'Hello' }, { role: 'user', content: '' }] })
  t.same((await change('undo', answersOnly.body.session.session_id)).body, { error: 'Nothing to undo.' })
  t.equal((await service.session(answersOnly.body.session.session_id)).message_count, 2)
})

t.test('a preview is masked like everything that is shown', async (t) => {
  const sessionId = await service.newSession()
  const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD'
  await service.turn(sessionId, secret, service.model())
  t.notMatch(JSON.stringify(await service.session(sessionId)), /abcdefghijklmnop/)
  t.notMatch(JSON.stringify((await change('undo', sessionId)).body), /abcdefghijklmnop/)
  await service.turn(sessionId, secret, service.model())
  t.equal((await change('retry', sessionId)).body.last_user_text, secret, 'what is sent again is what was sent')
})

t.test('no transcript is changed while a turn runs in it, or when it can only be read', async (t) => {
  const sessionId = await conversation(2)
  const edits: Array<[string, object]> = [['truncate', { keep_count: 0 }], ['truncate', { keep_count: 99 }], ['clear', {}], ['undo', {}], ['retry', {}], ['compress', {}], ['compress/start', {}]]
  const { streamId, end } = await standing(sessionId)
  const before = await contents(sessionId)
  for (const [name, body] of edits) {
    t.match(await change(name, sessionId, body), { status: 409, body: { error: String, active_stream_id: streamId } }, `${name} while a turn runs`)
  }
  t.same(await contents(sessionId), before)
  await end()
  t.equal((await contents(sessionId)).at(-1), 'Well then.')

  service.app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(sessionId)
  for (const [name, body] of [...edits, ['update', { model: 'x' }] as [string, object]]) t.match(await change(name, sessionId, body), { status: 403, body: { error: /read-only/ } }, `${name} of what can only be read`)
  t.equal((await contents(sessionId)).length, 6)
})

t.test('a branch begins with what its parent holds', async (t) => {
  const parent = await service.newSession({ model: 'some-model', model_provider: 'openai' })
  for (const n of [1, 2, 3]) await service.turn(parent, `Question ${n}`, service.model([{ text: `Answer ${n}` }]))
  await change('rename', parent, { title: 'Parent' })
  await change('pin', parent)
  const before = await service.session(parent)
  const { status, body } = await change('branch', parent, { keep_count: 4 })
  t.equal(status, 200)
  t.match(body, { session_id: /^[0-9a-f]{12}$/, title: 'Parent (fork)', parent_session_id: parent })
  const branch = await service.session(body.session_id)
  t.match(branch, {
    title: 'Parent (fork)', parent_session_id: parent, session_source: 'fork', relationship_type: null, workspace: before.workspace, model: 'some-model', model_provider: 'openai',
    profile: 'default', message_count: 4, user_message_count: 2, input_tokens: 0, output_tokens: 0, pinned: false, archived: false, read_only: false, active_stream_id: null, runtime_journal: null
  })
  const withoutIds = (messages: Session[]) => messages.map(({ message_id: _, ...message }) => message)
  t.same(withoutIds(branch.messages), withoutIds(before.messages.slice(0, 4)))
  const ids = [...branch.messages, ...before.messages].map((message: Session) => message.message_id)
  t.equal(new Set(ids).size, ids.length, 'its messages have ids of their own')

  const model = service.model([{ text: 'Another way.' }])
  await service.turn(body.session_id, 'What else?', model)
  const shown = JSON.stringify(service.requests(model)[0]!.messages)
  t.match(shown, /Question 1[^]*Answer 1[^]*Question 2[^]*Answer 2[^]*What else\?/)
  t.notMatch(shown, /Question 3|Answer 3/, 'what was not taken along is not known')
  t.same(await service.session(parent), before, 'the parent is what it was')
  t.same((await contents(body.session_id)).slice(4), ['What else?', 'Another way.'])

  t.equal((await service.session(await branchOf(parent))).message_count, 6, 'without a count, all of it')
  t.equal((await service.session(await branchOf(parent, { keep_count: 99 }))).message_count, 6)
  t.equal((await service.session(await branchOf(parent, { title: '  My \n way ' }))).title, 'My way')
  t.equal((await service.session(await branchOf(parent, { title: ' ' }))).title, 'Parent (fork)', 'a blank name is none')
  t.equal((await service.session(await branchOf(parent, { title: 'x'.repeat(100) }))).title.length, 80)
  const empty = await branchOf(parent, { keep_count: 0 })
  t.equal((await service.session(empty)).message_count, 0)
  t.notOk((await service.get('/api/sessions')).body.sessions.some((row: Session) => row.session_id === empty), 'an empty one is not listed')
  const count = service.app.db.sqlite.prepare('select count(*) from sessions').pluck()
  const sessions = count.get()
  for (const wrong of [-1, 1.5, '2', true, []]) t.equal((await change('branch', parent, { keep_count: wrong })).status, 400, `keep_count: ${JSON.stringify(wrong)}`)
  t.equal((await change('branch', '0123456789ab')).status, 404)
  t.equal(count.get(), sessions)
  await change('delete', parent)
  t.equal((await contents(body.session_id)).length, 6, 'it outlives its parent')
})

t.test('a branch is made while its parent\'s turn runs', async (t) => {
  const parent = await conversation(1)
  const { end } = await standing(parent)
  const branch = await branchOf(parent)
  t.match(await service.session(branch), { message_count: 3, is_streaming: false, active_stream_id: null })
  const model = service.model([{ text: 'Meanwhile.' }])
  t.equal((await service.turn(branch, 'Go on', model)).last.event, 'stream_end')
  assertCallsHaveResults(t, service.requests(model)[0])
  await end()
  t.same(await contents(parent), ['Question 1', 'Answer 1', 'A long one', 'Well then.'])
  t.same(await contents(branch), ['Question 1', 'Answer 1', 'A long one', 'Go on', 'Meanwhile.'])
  const message = (await service.session(branch)).messages[2]
  t.notOk('_active_turn_user' in message)

  const reader = await service.watch(await service.send(parent, 'Look', { model: service.model([{ tool: 'list_files', args: {} }, { tool: 'terminal', args: { command: 'git push' } }]) }))
  await service.pending(parent)
  const second = service.model()
  const waiting = await branchOf(parent)
  await service.turn(waiting, 'Never mind', second)
  assertCallsHaveResults(t, service.requests(second)[0])
  t.equal((await service.session(waiting)).attention, null, 'what the parent waits for is not asked twice')
  await change('delete', parent)
  await reader.ended
})

t.test('a copy is a session of its own', async (t) => {
  const { body: { project } } = await service.post('/api/projects/create', { name: 'Folder' })
  const original = await service.newSession({ model: 'some-model', model_provider: 'openai', project_id: project.project_id })
  await service.turn(original, 'Plan it', service.model([{ tool: 'todo', args: { todos: [{ content: 'One', status: 'pending' }] } }], [{ text: 'Planned.' }, { usage: { input: 100, output: 20 } }]))
  await change('rename', original, { title: 'Original' })
  await change('pin', original)
  await change('archive', original)
  const before = await service.session(original)
  const { status, body: { session } } = await change('duplicate', original)
  t.equal(status, 200)
  t.match(session, { session_id: /^[0-9a-f]{12}$/, title: 'Original (copy)', pinned: false, archived: false, parent_session_id: null, relationship_type: null, session_source: 'webui', runtime_journal: null })
  for (const key of ['workspace', 'model', 'model_provider', 'project_id', 'profile', 'message_count', 'user_message_count', 'input_tokens', 'output_tokens', 'estimated_cost', 'context_length', 'last_prompt_tokens', 'last_message_at', 'todo_state', 'tool_calls']) {
    t.same(session[key], before[key], key)
  }
  t.same(session.messages.map((message: Session) => message.content), before.messages.map((message: Session) => message.content))
  t.notOk(session.messages.some((message: Session) => before.messages.some((other: Session) => other.message_id === message.message_id)))
  await service.turn(session.session_id, 'Go on', service.model())
  await change('clear', session.session_id)
  t.same(await service.session(original), before, 'what happens to one does not happen to the other')
  t.equal((await change('duplicate', '0123456789ab')).status, 404)
})

/** Starts a service whose model also writes summaries; `summarise` says how. */
async function summaries (t: TestLike) {
  const service = await startChat(t, { clock })
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'model:\n  provider: openai\n  default: small\n  context_length: 32000\n')
  const asked: ModelRequest[] = []
  const summarised: ModelRequest[] = []
  let summarise: () => Promise<ModelStep[]> | ModelStep[] = () => [{ text: 'SUMMARY' }]
  service.endpoint.script((request) => {
    if (said(request, 'system').concat(said(request, 'developer')).some((text) => text.startsWith(compressionMark))) {
      summarised.push(request)
      return summarise()
    }
    if (!request.stream) return [{ text: 'A title' }]
    asked.push(request)
    return [{ text: `Answer ${asked.length}` }]
  })
  const change = (name: string, session: string, body: object = {}): Promise<Answer> => service.post(`/api/session/${name}`, { session_id: session, ...body })
  return {
    ...service,
    asked,
    summarised,
    change,
    summarise: (how: typeof summarise) => { summarise = how },
    status: async (id: string): Promise<Session> => (await service.get(`/api/session/compress/status?session_id=${id}`)).body,
    async conversation (turns: number): Promise<string> {
      const sessionId = await service.newSession()
      for (let n = 1; n <= turns; n++) await service.turn(sessionId, `Question ${n}: ${'word '.repeat(200)}`)
      return sessionId
    },
    /** Delays the next summary until the gate is opened. */
    hold () {
      const wait = gate()
      const before = summarised.length
      summarise = async () => { await eventually('the gate', () => wait.isOpen); return [{ text: 'SUMMARY' }] }
      return { ...wait, open: () => { wait.isOpen = true }, begun: () => eventually('the summary to be asked for', () => summarised.length > before) }
    }
  }
}

t.test('a conversation is summarised for the model, and stays whole for people', async (t) => {
  const s = await summaries(t)
  const sessionId = await s.conversation(4)
  const before = await s.session(sessionId)
  const { status, body } = await s.change('compress', sessionId, { focus_topic: 'the  wood\nof it' })
  t.equal(status, 200)
  t.match(body, { ok: true, focus_topic: 'the  wood\nof it', session: { session_id: sessionId } })
  t.same(Object.keys(body.summary).sort(), ['headline', 'note', 'reference_message', 'token_line'])
  for (const text of Object.values(body.summary)) t.type(text, 'string')
  t.match(body.summary.reference_message, /^SUMMARY/)
  const [, from, to] = /^(\d+) → (\d+) /.exec(body.summary.token_line)!.map(Number)
  t.ok(from! > to! && to! > 0, body.summary.token_line)
  t.match(said(s.summarised[0], 'system').concat(said(s.summarised[0], 'developer')).join(), /most attention to this: "the wood of it"/)
  t.match(said(s.summarised[0], 'user').join(), /Question 1[^]*Answer 1[^]*Question 3/)
  t.notMatch(said(s.summarised[0], 'user').join(), /Question 4/, 'the last turn stays word for word')
  t.same(body.session.messages, before.messages, 'no message goes away')
  t.match(body.session, { compression_anchor_visible_idx: 5, compression_anchor_message_key: { role: 'assistant', text: 'Answer 3' }, compression_anchor_summary: /^SUMMARY/, last_prompt_tokens: to })
  t.same(await s.session(sessionId), body.session)

  await s.turn(sessionId, 'And now?')
  const shown = said(s.asked.at(-1), 'user').join('\n')
  t.match(shown, /^\[Summary by the service\.[^]*SUMMARY[^]*Question 4[^]*And now\?/, 'the next turn begins with it')
  t.notMatch(shown, /Question [123]/)

  const [taken, short] = [await s.change('branch', sessionId), await s.change('branch', sessionId, { keep_count: 4 })].map((answer) => answer.body.session_id as string)
  t.match((await s.session(taken!)).compression_anchor_summary, /^SUMMARY/, 'a branch of all of it takes it along')
  await s.turn(taken!, 'And here?')
  t.notMatch(said(s.asked.at(-1), 'user').join('\n'), /Question [123]/)
  t.equal((await s.session(short!)).compression_anchor_summary, null, 'one that ends before it does not')
  await s.turn(short!, 'And there?')
  t.match(said(s.asked.at(-1), 'user').join('\n'), /^Question 1/)
  t.notMatch(said(s.asked.at(-1), 'user').join('\n'), /SUMMARY/)
  t.match((await s.change('duplicate', sessionId)).body.session, { compression_anchor_summary: /^SUMMARY/, compression_anchor_visible_idx: 5 })

  await s.change('truncate', sessionId, { keep_count: 6 })
  t.match((await s.session(sessionId)).compression_anchor_summary, /^SUMMARY/, 'it stays as long as everything it tells of does')
  await s.change('truncate', sessionId, { keep_count: 5 })
  t.match(await s.session(sessionId), { compression_anchor_summary: null, compression_anchor_visible_idx: null, compression_anchor_message_key: null })
  await s.turn(sessionId, 'Once more')
  t.match(said(s.asked.at(-1), 'user').join('\n'), /^Question 1[^]*Question 3/, 'and the model sees the messages again')
})

t.test('a summary that cannot be had, or comes too late, changes nothing', { long: true }, async (t) => {
  const s = await summaries(t)
  const short = await s.conversation(1)
  for (const name of ['compress', 'compress/start']) t.match(await s.change(name, short), { status: 400, body: { error: /at least 4 messages/ } }, name)
  t.equal((await s.change('compress', '0123456789ab')).status, 404)
  const sessionId = await s.conversation(3)
  t.equal((await s.change('compress', sessionId, { focus_topic: 5 })).status, 400)
  const before = await s.session(sessionId)

  s.endpoint.refuse((request) => !request.stream)
  t.match(await s.change('compress', sessionId), { status: 503, body: { error: /no summary/ } })
  s.endpoint.refuse(() => false)
  s.summarise(() => [{ text: ' ' }])
  t.equal((await s.change('compress', sessionId)).status, 503)
  const config = join(s.folder, 'home', 'config.yaml')
  const sound = readFileSync(config, 'utf8')
  writeFileSync(config, `${sound}auxiliary:\n  compression:\n    provider: nowhere\n`)
  t.match(await s.change('compress', sessionId), { status: 400, body: { error: /nowhere/ } }, 'no model, no summary')
  writeFileSync(config, sound)
  t.same(await s.session(sessionId), before)

  const meanwhile: Array<[string, (id: string) => Promise<unknown>, number]> = [
    ['an undone turn', (id) => s.change('undo', id), 409],
    ['a turn', (id) => s.turn(id, 'Meanwhile'), 409],
    ['as many messages, but others', (id) => s.change('undo', id).then(() => s.turn(id, 'Instead')), 409],
    ['a deletion', (id) => s.change('delete', id), 404],
    ['another name', (id) => s.change('rename', id, { title: 'Another' }), 200]
  ]
  for (const [what, work, status] of meanwhile) {
    const { body: { session } } = await s.change('duplicate', sessionId)
    const held = s.hold()
    const answer = s.change('compress', session.session_id)
    await held.begun()
    await work(session.session_id)
    held.open()
    const { status: found, body } = await answer
    t.equal(found, status, `${what} meanwhile`)
    t.type(status === 200 ? body.ok : body.error, status === 200 ? 'boolean' : 'string')
    if (status === 409) t.equal((await s.session(session.session_id)).compression_anchor_summary, null)
  }

  const held = s.hold()
  const both = [s.change('compress', sessionId), s.change('compress', sessionId)]
  await held.begun()
  held.open()
  t.same((await Promise.all(both)).map((answer) => answer.status).sort(), [200, 409], 'of two at once, one is done')
})

t.test('a conversation is summarised in the background', async (t) => {
  const s = await summaries(t)
  const sessionId = await s.conversation(3)
  const idle = { ok: true, status: 'idle', session_id: sessionId, focus_topic: null, started_at: null, updated_at: null, summary: null, error: null }
  t.same(await s.status(sessionId), idle)
  const held = s.hold()
  const begun = await s.change('compress/start', sessionId, { focus_topic: 'wood' })
  t.match(begun, { status: 200, body: { ok: true, status: 'running', session_id: sessionId, focus_topic: 'wood', started_at: Number, updated_at: Number, summary: null, error: null } })
  await held.begun()
  t.match(await s.change('compress/start', sessionId), { status: 409, body: { error: String } })
  t.equal((await s.status(sessionId)).status, 'running')
  held.open()
  const done = await eventually('the summary', async () => { const found = await s.status(sessionId); return found.status !== 'running' && found })
  t.match(done, { ok: true, status: 'done', focus_topic: 'wood', started_at: begun.body.started_at, summary: { reference_message: /^SUMMARY/, token_line: / → / }, error: null })
  t.match((await s.session(sessionId)).compression_anchor_summary, /^SUMMARY/)

  const other = await s.conversation(3)
  s.endpoint.refuse((request) => !request.stream)
  await s.change('compress/start', other)
  const failed = await eventually('the failure', async () => { const found = await s.status(other); return found.status !== 'running' && found })
  t.match(failed, { ok: false, status: 'error', summary: null, error: /no summary/ })
  s.endpoint.refuse(() => false)
  s.summarise(() => [{ text: 'SUMMARY' }])
  await s.change('compress/start', other)
  t.equal((await eventually('the second try', async () => { const found = await s.status(other); return found.status !== 'running' && found })).status, 'done')
  await s.change('delete', other)
  t.equal((await s.get(`/api/session/compress/status?session_id=${other}`)).status, 404)
  t.equal((await s.get('/api/session/compress/status')).status, 400)
})

t.test('what is imported', async (t) => {
  const bring = (body: object) => service.post('/api/session/import', body)
  const hello = [{ role: 'user', content: 'Hello' }]
  const count = service.app.db.sqlite.prepare('select count(*) from sessions').pluck()
  const sessions = count.get()
  for (const messages of [undefined, null, 'x', 5, {}, { 0: hello[0] }]) t.match(await bring({ messages }), { status: 400, body: { error: /messages/ } }, `messages: ${JSON.stringify(messages)}`)
  for (const wrong of [{}, null, 'x', 5, [], { content: 'x' }, { role: 'robot', content: 'x' }, { role: 5 }, { role: '' }, { role: ['user'] }]) {
    t.match(await bring({ messages: [...hello, wrong] }), { status: 400, body: { error: /messages\[1\]/ } }, `a message that is ${JSON.stringify(wrong)}`)
  }
  for (const content of [5, true, {}, ['x', 5], [null]]) t.match(await bring({ messages: [{ role: 'user', content }] }), { status: 400, body: { error: /messages\[0\]\.content/ } }, JSON.stringify(content))
  for (const calls of ['x', 5, {}]) t.match(await bring({ messages: hello, tool_calls: calls }), { status: 400, body: { error: /tool_calls/ } }, `tool_calls: ${JSON.stringify(calls)}`)
  t.equal((await bring({ messages: hello, pinned: 'yes' })).status, 400)
  t.match(await bring({ messages: [{ role: 'user', content: 'x'.repeat(20 * 1024 * 1024) }] }), { status: 413, body: { error: /too large/ } })
  t.equal(count.get(), sessions, 'what is refused leaves nothing')

  const { status, body } = await bring({ session_id: 'mine', messages: [], unknown_key: 1 })
  t.equal(status, 200)
  t.match(body, { ok: true, session: { session_id: /^[0-9a-f]{12}$/, title: 'Imported session', message_count: 0, workspace: service.workspace } })
  t.equal((await bring({ messages: hello, title: ' \n ' })).body.session.title, 'Imported session')
  t.equal((await bring({ messages: hello, title: ` ${'x'.repeat(90)}` })).body.session.title, 'x'.repeat(80))
  for (const workspace of [join(service.folder, 'nowhere'), '/etc', 'relative']) t.match(await bring({ messages: hello, workspace }), { status: 200, body: { session: { workspace: service.workspace } } }, workspace)
  mkdirSync(join(service.folder, 'here'))
  t.match((await bring({ messages: hello, workspace: join(service.folder, 'here'), model: 'm' })).body.session, { workspace: join(service.folder, 'here'), model: 'm' })
  t.match((await bring({ messages: [{ role: 'assistant', content: null }, { role: 'system', content: 'Be kind' }, { role: 'user' }] })).body.session.messages.map((message: Session) => message.content), ['', ''])

  const kept = await bring({ messages: [{ role: 'user', content: 'Hello', message_id: 'mine', timestamp: 1_700_000_000.5, attachments: ['a.txt'] }] })
  t.match(kept.body.session, { last_message_at: 1_700_000_000.5, messages: [{ timestamp: 1_700_000_000.5, _ts: 1_700_000_000.5, attachments: ['a.txt'] }] })
  t.not(kept.body.session.messages[0].message_id, 'mine')
  const strange = await bring({
    messages: [
      { role: 'user', content: 'Hello', attachments: [5, null, 'a.txt', { name: 'b', size: 'big', mime: null, more: 1 }], _source: 5, _active_turn_user: true },
      { role: 'assistant', content: '', tool_calls: [{ id: 7, index: 0, function: { name: 'look', arguments: { at: 1 } } }, { function: 'x' }, { id: 'c', function: { name: 5, arguments: [] } }], is_error: 'no', duration: 'long', _usedModel: {}, more: 1 }
    ]
  })
  t.match(strange.body.session.messages, [{ attachments: ['a.txt', { name: 'b', mime: null, more: undefined }] }, { tool_calls: [{ index: undefined, function: { name: 'look', arguments: { at: 1 } } }, {}, { id: 'c', function: {} }], more: undefined }])
  t.same(Object.keys(strange.body.session.messages[1]).sort(), ['_ts', 'content', 'message_id', 'role', 'timestamp', 'tool_calls'], 'what clients do not know is left out')
  t.equal((await bring({ messages: [{ role: 'user', content: 'Hello', timestamp: 1_700_000_000_500 }] })).body.session.last_message_at, 1_700_000_000.5, 'milliseconds are known for what they are')
  for (const timestamp of ['yesterday', -1, null, {}]) t.ok((await bring({ messages: [{ role: 'user', content: 'Hello', timestamp }] })).body.session.last_message_at >= 1_800_000_000, `${JSON.stringify(timestamp)} is no time: now is`)
})

t.test('imported pins count like others', { long: true }, async (t) => {
  const s = await startChat(t, { clock })
  const bring = (pinned: boolean) => s.post('/api/session/import', { messages: [{ role: 'user', content: 'Hello' }], pinned })
  for (let n = 0; n < 3; n++) t.match((await bring(true)).body.session, { pinned: true })
  t.match(await bring(true), { status: 400, body: { error: /^Up to 3 sessions can be pinned/ } })
  t.equal((await bring(false)).status, 200)
  t.equal((await s.get('/api/sessions')).body.sessions.length, 4, 'the refused one was not brought in')
})

t.test('an imported conversation goes on, however its calls were left', { long: true }, async (t) => {
  const call = (id: string, name = 'look') => ({ id, type: 'function', function: { name, arguments: '{}' } })
  const user = (content: string) => ({ role: 'user', content })
  const result = (id: string | undefined, content = 'Seen') => ({ role: 'tool', content, name: 'look', ...(id !== undefined && { tool_call_id: id }) })
  const cases: Record<string, object[]> = {
    'as it should be': [user('a'), { role: 'assistant', content: '', tool_calls: [call('1'), call('2')] }, result('1'), result('2'), { role: 'assistant', content: 'b' }],
    'a call without a result': [user('a'), { role: 'assistant', content: '', tool_calls: [call('1')] }],
    'a result without a call': [user('a'), result('1'), { role: 'assistant', content: 'b' }],
    'a result that names no call': [user('a'), result(undefined), { role: 'assistant', content: 'b' }],
    'a result before its call': [user('a'), result('1'), { role: 'assistant', content: 'b', tool_calls: [call('1')] }],
    'a result that comes twice': [user('a'), { role: 'assistant', content: '', tool_calls: [call('1')] }, result('1'), result('1')],
    'a result that comes too late': [user('a'), { role: 'assistant', content: '', tool_calls: [call('1')] }, { role: 'assistant', content: 'b' }, result('1')],
    'calls numbered anew': [user('a'), { role: 'assistant', content: '', tool_calls: [call('1')] }, result('1'), { role: 'assistant', content: '', tool_calls: [call('1')] }, result('1'), { role: 'assistant', content: 'b' }],
    'calls that are none': [user('a'), { role: 'assistant', content: 'b', tool_calls: ['x', {}, { id: 5 }, { id: '1', function: {} }] }, { role: 'assistant', content: 'c', tool_calls: 'x' }],
    'arguments that are none': [user('a'), { role: 'assistant', content: '', tool_calls: [{ id: '1', function: { name: 'look', arguments: '{"half' } }] }, result('1')]
  }
  for (const [what, messages] of Object.entries(cases)) {
    const { status, body } = await service.post('/api/session/import', { messages })
    t.equal(status, 200, what)
    assertSound(body.session.session_id, body.session)
    const model = service.model([{ text: 'Going on.' }])
    t.equal((await service.turn(body.session.session_id, 'Go on', model)).last.event, 'stream_end', what)
    assertCallsHaveResults(t, service.requests(model)[0])
  }
  const context = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }, null, { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', toolName: 'look', output: { type: 'text', value: 'Seen' } }] }]
  const { body } = await service.post('/api/session/import', { messages: [user('a'), { role: 'assistant', content: 'b' }, result('1')], context_messages: context })
  const model = service.model()
  await service.turn(body.session.session_id, 'Go on', model)
  assertCallsHaveResults(t, service.requests(model)[0])
})

t.test('a thousand imported sessions are listed, found and opened', { long: true }, async (t) => {
  const s = await startChat(t, { clock })
  for (let n = 0; n < 1_000; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, index) => s.post('/api/session/import', { title: `Session ${n + index}`, messages: [{ role: 'user', content: `needle ${n + index} in the hay` }, { role: 'assistant', content: 'Yes.' }] })))
  }
  const { sessions } = (await s.get('/api/sessions')).body
  t.equal(sessions.length, 1_000)
  const found = (await s.get('/api/sessions/search?q=needle%20777')).body
  t.match(found, { count: 1, sessions: [{ title: 'Session 777', match_type: 'content' }] })
  t.equal((await s.session(found.sessions[0].session_id)).message_count, 2)
})

interface Model { id: string, rows: Array<{ role: 'user' | 'assistant' | 'tool', content: string, isTurn: boolean }>, summarisedBefore: number | null }

t.test('whatever is done to transcripts, they stay whole', { long: true }, async (t) => {
  const { sessions, db } = service.app
  let said = 0

  /** Stores what a turn leaves. */
  function append (model: Model, steps: number, steered: boolean): void {
    db.transaction(() => {
      const put = (role: 'user' | 'assistant' | 'tool', isTurn: boolean, fields: Record<string, unknown> = {}): number => {
        const content = `row ${said++}`
        const card = role === 'tool' ? { card: { name: 'look', snippet: '', tid: 'x', assistant_msg_idx: model.rows.length - 1, args: {} }, assistantPosition: model.rows.length - 1 } : {}
        const { position } = sessions.transcript.append(model.id, clock.now() / 1000, { role, content, fields, replay: { role, content: [] }, ...card })
        model.rows.push({ role, content, isTurn })
        return position
      }
      put('user', true)
      for (let step = 0; step < steps; step++) {
        put('assistant', false)
        put('tool', false)
        if (steered) put('user', false, { _source: 'steer' })
      }
      put('assistant', false)
      sessions.changed('session_updated', model.id)
    })
  }

  function cut (model: Model, keep: number): void {
    model.rows.length = Math.min(model.rows.length, keep)
    if (model.summarisedBefore !== null && model.summarisedBefore > model.rows.length) model.summarisedBefore = null
  }

  const action = fc.oneof(
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('append' as const), steps: fc.integer({ min: 0, max: 2 }), steered: fc.boolean() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('truncate' as const), share: fc.double({ min: 0, max: 1.3, noNaN: true }) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('undo' as const, 'retry' as const, 'clear' as const, 'duplicate' as const) }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('branch' as const, 'summarise' as const), share: fc.option(fc.double({ min: 0, max: 1.3, noNaN: true })) }) }
  )

  async function apply (models: Model[], model: Model, step: typeof action extends fc.Arbitrary<infer T> ? T : never): Promise<void> {
    const at = (share: number) => Math.floor(share * model.rows.length)
    switch (step.kind) {
      case 'append': return append(model, step.steps, step.steered)
      case 'truncate': {
        const keep = at(step.share)
        assert.equal((await change('truncate', model.id, { keep_count: keep })).status, 200)
        return cut(model, keep)
      }
      case 'clear':
        await change('clear', model.id)
        return cut(model, 0)
      case 'undo':
      case 'retry': {
        const first = model.rows.findLastIndex((row) => row.isTurn)
        const { body } = await change(step.kind, model.id)
        if (first === -1) return assert.ok(typeof body.error === 'string')
        assert.equal(body.removed_count, model.rows.length - first)
        assert.equal(step.kind === 'undo' ? body.removed_preview : body.last_user_text, model.rows[first]!.content)
        return cut(model, first)
      }
      case 'branch':
      case 'duplicate': {
        const keep = step.kind === 'branch' && step.share !== null ? at(step.share) : undefined
        const { body } = await change(step.kind, model.id, { keep_count: keep })
        const made: Model = { id: step.kind === 'branch' ? body.session_id : body.session.session_id, rows: [...model.rows], summarisedBefore: model.summarisedBefore }
        cut(made, keep ?? made.rows.length)
        models.push(made)
        return
      }
      case 'summarise': {
        const before = Math.min(model.rows.length, at(step.share ?? 1))
        if (model.rows.length === 0) return
        db.transaction(() => {
          sessions.transcript.compress(model.id, { summary: 'Summary', keptRows: model.rows.length - before, contextTokens: 1 })
          sessions.changed('session_compressed', model.id)
        })
        model.summarisedBefore = before
      }
    }
  }

  await fc.assert(fc.asyncProperty(fc.array(fc.tuple(fc.nat(), action), { minLength: 1, maxLength: 16 }), async (steps) => {
    const models: Model[] = [{ id: await service.newSession(), rows: [], summarisedBefore: null }]
    for (const [which, step] of steps) {
      const model = models[which % models.length]!
      await apply(models, model, step)
      assertSound(model.id, await service.session(model.id))
    }
    const ids: string[] = []
    for (const { id, rows, summarisedBefore } of models) {
      const session = await service.session(id)
      assertSound(id, session)
      assert.deepEqual(session.messages.map(({ role, content }: Session) => ({ role, content })), rows.map(({ role, content }) => ({ role, content })))
      assert.equal(session.compression_anchor_summary, summarisedBefore === null ? null : 'Summary')
      assert.equal((await sessions.transcript.history(id)).messages.length, rows.length - (summarisedBefore ?? 0), 'the model sees what is not summarised')
      assert.equal(sessions.get(id).lastSaid, rows.findLast(({ role }) => role !== 'tool')?.content ?? null)
      const window = (await service.get(`/api/session?session_id=${id}&msg_limit=3`)).body.session
      assert.deepEqual(window.messages, session.messages.slice(window._messages_offset))
      ids.push(...session.messages.map((message: Session) => message.message_id))
    }
    assert.equal(new Set(ids).size, ids.length)
  }), { numRuns: tries(60) })
})
