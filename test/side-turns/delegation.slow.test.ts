import { existsSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, said, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { tokenText, type EventReader } from '../support/events.js'
import { type ModelRequest } from '../support/model-endpoint.js'
import { spawnServer } from '../support/server.js'

const service = await startChat(t)

const delegate = (...tasks: string[]): ScriptedAnswer => tasks.map((task) => ({ tool: 'delegate', args: { task }, id: `call_${task}` }))
const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]
const broken = (): never => { throw new Error('no answer') }

/** Creates a model that plays the conversation and its sub-agents, each with its own answers; afterwards it says "Done." */
function crew (conversation: ScriptedAnswer[], children: Record<string, ScriptedAnswer[]> = {}): string {
  const answer = (request: ModelRequest) => {
    const next = (isChild(request) ? children[taskOf(request)] : conversation)?.shift() ?? [{ text: 'Done.' }]
    return typeof next === 'function' ? next(request) : next
  }
  return service.model(...Array.from({ length: 200 }, () => answer))
}
const isChild = (request: ModelRequest): boolean => !request.tools.includes('delegate')
const taskOf = (request: ModelRequest): string => said(request, 'user')[0]!
const ofChildren = (model: string): ModelRequest[] => service.requests(model).filter(isChild)
const ofConversation = (model: string): ModelRequest[] => service.requests(model).filter((request) => !isChild(request))

interface Row { session_id: string, parent_session_id: string, title: string, active_stream_id: string | null, [key: string]: unknown }

async function rowsOf (parent: string, on: ChatService = service): Promise<Row[]> {
  const rows: Row[] = (await on.get('/api/sessions')).body.sessions
  return rows.filter((row) => row.parent_session_id === parent)
}

/** Starts a turn that delegates, and waits until its sub-agents are at work. */
async function begin (model: string, count: number, on: ChatService = service) {
  const parent = await on.newSession({ model, model_provider: 'openai' })
  const streamId = await on.send(parent, 'Do it')
  const reader = await on.watch(streamId)
  const children = await eventually(`${count} sub-agents`, async () => {
    const rows = await rowsOf(parent, on)
    return rows.length === count && rows
  })
  // A sub-agent may already have ended: its stream is then the last one of its session.
  const streamOf = async ({ session_id: id, active_stream_id: active }: Row): Promise<string> =>
    active ?? (await on.get(`/api/session?session_id=${id}&messages=0`)).body.session.runtime_journal.run_id
  return { parent, streamId, reader, children: await Promise.all(children.map(async (row) => ({ sessionId: row.session_id, streamId: await streamOf(row), task: row.title }))) }
}

/** Returns the last event; a turn that would wait for ever is cancelled, and ends with that. */
async function endOf (reader: EventReader): Promise<string> {
  const giveUp = setTimeout(() => { void service.get(`/api/chat/cancel?stream_id=${reader.frames[0]?.id?.split(':')[0]}`) }, 5_000)
  await reader.ended
  clearTimeout(giveUp)
  return reader.frames.at(-1)!.event
}

/** Returns the results of a stream's calls, by call. */
async function resultsOf (reader: EventReader): Promise<Record<string, { is_error: boolean, preview: string }>> {
  await reader.ended
  return Object.fromEntries(reader.frames.filter(({ event }) => event === 'tool_complete').map(({ data }) => [data.id, data]))
}
const lastOf = async (streamId: string, on: ChatService = service) => {
  const reader = await on.watch(streamId, '&replay=1')
  await reader.ended
  return reader.frames.at(-1)!
}
const atRest = (on: ChatService = service) => eventually('everything to be at rest', () => on.app.chat.activeTurns() === 0 && on.app.agent.size().runs === 0)

t.test('a sub-agent works in a session of its own that can be watched, and its answer is the result of the call', async (t) => {
  const wait = gate()
  const model = crew([delegate('Count the files'), [{ text: 'There are seven.' }]], { 'Count the files': [[{ tool: 'list_files', args: {} }], held(wait, [{ text: 'I find' }], [{ text: ' seven.' }])] })
  const { parent, reader, children: [child] } = await begin(model, 1)
  const watched = await service.watch(child!.streamId)
  await watched.until('token')
  t.match(await rowsOf(parent), [{
    title: 'Count the files', relationship_type: 'child_session', parent_session_id: parent, read_only: true, is_read_only: true,
    default_hidden: false, session_source: 'subagent', is_streaming: true, model
  }])
  t.notOk(reader.frames.some(({ event }) => event === 'tool_complete'), 'the conversation waits for it')

  const refused = [
    await service.post('/api/chat/start', { session_id: child!.sessionId, message: 'Hurry' }),
    await service.post('/api/goal', { session_id: child!.sessionId, args: 'Hurry' }),
    await service.post('/api/btw', { session_id: child!.sessionId, question: 'How far?' }),
    await service.post('/api/background', { session_id: child!.sessionId, prompt: 'Help' })
  ]
  t.same(refused.map(({ status }) => status), [403, 403, 400, 400], 'nobody else speaks there')
  wait.open()
  t.match(await resultsOf(reader), { 'call_Count the files': { is_error: false, preview: 'I find seven.' } })
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  await watched.ended
  t.equal(tokenText(watched.frames), 'I find seven.')
  t.equal(watched.frames.at(-1)?.event, 'stream_end')
  t.match((await service.session(child!.sessionId)).messages, [{ role: 'user', content: 'Count the files' }, {}, { role: 'tool' }, { role: 'assistant', content: 'I find seven.' }])
  t.match((await service.session(parent)).messages.map((row: { content: string }) => row.content), ['Do it', '', 'I find seven.', 'There are seven.'])
  t.same(said(ofConversation(model)[1], 'tool'), ['I find seven.'])
  t.same(ofChildren(model).map((request) => said(request, 'user')), [['Count the files'], ['Count the files']], 'it sees nothing of the conversation')
  t.equal((await service.post('/api/chat/start', { session_id: child!.sessionId, message: 'Thanks' })).status, 403, 'also when it is done')
  await atRest()
})

t.test('several calls of one step work at the same time', async (t) => {
  const gates = { red: gate(), blue: gate() }
  const model = crew([delegate('red', 'blue')], { red: [held(gates.red, [], [{ text: 'Red done.' }])], blue: [held(gates.blue, [], [{ text: 'Blue done.' }])] })
  const { reader } = await begin(model, 2)
  await eventually('both to be asked', () => ofChildren(model).length === 2)
  gates.blue.open()
  t.match(await reader.until('tool_complete'), { data: { id: 'call_blue', preview: 'Blue done.' } })
  gates.red.open()
  t.match(await resultsOf(reader), { call_red: { is_error: false, preview: 'Red done.' }, call_blue: { is_error: false } })
  t.same(said(ofConversation(model)[1], 'tool'), ['Red done.', 'Blue done.'])
})

t.test('what a sub-agent asks is asked where its conversation is, and answered there', async (t) => {
  const model = crew([delegate('work'), run('touch by-parent'), [{ text: 'All done.' }]], { work: [run('touch by-child'), [{ tool: 'clarify', args: { question: 'Which?' } }]] })
  const { parent, reader, children: [child] } = await begin(model, 1)
  const cards = await service.events(`/api/approval/stream?session_id=${parent}`)
  const card = await service.pending(parent)
  t.match(card, { session_id: parent, command: 'touch by-child' })
  t.same((await cards.until(({ data }) => data.pending_count === 1)).data.pending, card)
  const overview = (await service.get('/api/prompts')).body.prompts
  t.match(overview.filter((prompt: { approval_id: string }) => prompt.approval_id === card.approval_id), [{ type: 'approval', session_id: parent }])
  t.same((await service.get(`/api/approval/pending?session_id=${child!.sessionId}`)).body, { pending: null, pending_count: 0 })
  const attention = async (id: string) => (await service.get('/api/sessions')).body.sessions.find((row: Row) => row.session_id === id).attention
  t.match(await attention(parent), { kind: 'approval', count: 1 })
  t.equal(await attention(child!.sessionId), null)
  t.match((await service.respond(child!.sessionId, 'once', card.approval_id)).body, { stale_cleared: true }, 'not from the sub-agent\'s own session')

  t.same((await service.respond(parent, 'session', card.approval_id)).body, { ok: true, choice: 'session' })
  const question = await service.pending(parent, 'clarify')
  t.ok(existsSync(join(service.workspace, 'by-child')))
  t.equal((await service.post('/api/clarify/respond', { session_id: parent, response: 'This one', clarify_id: question.clarify_id })).status, 200)
  await reader.until(({ event, data }) => event === 'tool_complete' && data.name === 'delegate')
  t.match(said(ofChildren(model).at(-1), 'tool').at(-1), /This one/)
  cards.drop()
  t.equal(await endOf(reader), 'stream_end')
  t.ok(existsSync(join(service.workspace, 'by-parent')), 'what was allowed for the session is allowed to the conversation itself')
  const next = await service.turn(parent, 'Again', crew([run('touch by-next')]))
  t.equal(next.last.event, 'stream_end')
  t.ok(existsSync(join(service.workspace, 'by-next')), 'and in its next turn')
})

t.test('"session" for one sub-agent answers the same question of the others', async (t) => {
  const model = crew([delegate('a', 'b')], { a: [run('mkdir dir-a')], b: [run('mkdir dir-b')] })
  const { parent, reader } = await begin(model, 2)
  const card = await service.pending(parent, 'approval', 2)
  await service.respond(parent, 'session', card.approval_id)
  t.equal(await endOf(reader), 'stream_end')
  t.match(await resultsOf(reader), { call_a: { is_error: false }, call_b: { is_error: false } })
  for (const name of ['dir-a', 'dir-b']) t.ok(existsSync(join(service.workspace, name)))
})

t.test('grants that the conversation has, its sub-agents have', async (t) => {
  const model = crew([run('mkdir granted-1'), delegate('make')], { make: [run('mkdir granted-2')] })
  const parent = await service.newSession({ model })
  const streamId = await service.send(parent, 'Do it')
  await service.respond(parent, 'session', (await service.pending(parent)).approval_id)
  t.equal(await endOf(await service.watch(streamId)), 'stream_end')
  t.ok(existsSync(join(service.workspace, 'granted-2')))
})

t.test('without questions, switched on in the conversation, reaches its sub-agents', async (t) => {
  const model = crew([delegate('one', 'two')], { one: [run('touch yolo-1')], two: [run('touch yolo-2'), run('rmdir nowhere; touch yolo-3')] })
  const { parent, reader } = await begin(model, 2)
  await service.pending(parent, 'approval', 2)
  t.equal((await service.post('/api/session/yolo', { session_id: parent, enabled: true })).status, 200)
  t.equal(await endOf(reader), 'stream_end')
  for (const name of ['yolo-1', 'yolo-2', 'yolo-3']) t.ok(existsSync(join(service.workspace, name)))

  const later = crew([delegate('three')], { three: [run('touch yolo-4')] })
  t.equal((await service.turn(parent, 'More', later)).last.event, 'stream_end')
  t.ok(existsSync(join(service.workspace, 'yolo-4')), 'those that come later as well')
})

t.test('a sub-agent has forty steps of its own, and no sub-agents', { long: true }, async (t) => {
  const look = (): ScriptedAnswer => [{ tool: 'list_files', args: {} }]
  const model = crew([delegate('look'), [{ text: 'Enough.' }]], { look: [delegate('deeper'), ...Array.from({ length: 60 }, look)] })
  const parent = await service.newSession({ model })
  const { reader, last } = await service.turn(parent, 'Do it')
  t.equal(last.event, 'stream_end')
  t.match(await resultsOf(reader), { call_look: { is_error: false, preview: /limit of steps/ } })
  t.equal(ofChildren(model).length, 40)
  t.match(said(ofChildren(model)[1], 'tool'), [/no tool called delegate/])
  t.ok(ofChildren(model)[0]!.tools.includes('terminal'), 'everything else it has')
  t.equal((await rowsOf(parent)).length, 1)
})

t.test('a sub-agent that fails or is stopped is a result like another', async (t) => {
  const wait = gate()
  const model = crew([delegate('fail', 'stop'), [{ text: 'Then without them.' }]], { fail: [broken, broken, broken], stop: [held(wait, [{ text: 'Working' }], [])] })
  const { parent, reader, children } = await begin(model, 2)
  const stopped = children.find(({ task }) => task === 'stop')!
  await (await service.watch(stopped.streamId)).until('token')
  await reader.until('tool_complete')
  t.same((await service.get(`/api/chat/cancel?stream_id=${stopped.streamId}`)).body.cancelled, true)
  t.match(await resultsOf(reader), { call_fail: { is_error: true, preview: /sub-agent failed: .+/ }, call_stop: { is_error: true, preview: /sub-agent was stopped/ } })
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  t.equal((await service.session(parent)).messages.at(-1).content, 'Then without them.')
  t.match(await lastOf(children.find(({ task }) => task === 'fail')!.streamId), { event: 'apperror' })
  await atRest()
})

t.test('a sub-agent\'s session goes with the conversation it belongs to, and not before', async (t) => {
  const model = crew([delegate('delete me'), [{ text: 'Then without it.' }]], { 'delete me': [held(gate(), [{ text: 'Working' }], [])] })
  const { parent, reader, children: [child] } = await begin(model, 1)
  await (await service.watch(child!.streamId)).until('token')
  t.equal((await service.post('/api/session/delete', { session_id: child!.sessionId })).status, 400)
  t.equal((await rowsOf(parent)).length, 1)
  t.equal((await service.post('/api/session/delete', { session_id: parent })).status, 200)
  await reader.ended
  t.equal((await service.get(`/api/session?session_id=${child!.sessionId}`)).status, 404)
})

t.test('stopping the conversation stops its sub-agents and takes their questions off the table', async (t) => {
  const model = crew([delegate('ask', 'talk')], { ask: [run('touch never')], talk: [held(gate(), [{ text: 'Working' }], [])] })
  const { parent, streamId, reader, children } = await begin(model, 2)
  const { approval_id: id } = await service.pending(parent)
  await (await service.watch(children.find(({ task }) => task === 'talk')!.streamId)).until('token')
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
  for (const child of children) t.equal((await lastOf(child.streamId)).event, 'cancel')
  await atRest()
  t.equal((await service.get(`/api/approval/pending?session_id=${parent}`)).body.pending_count, 0)
  t.match((await service.respond(parent, 'once', id)).body, { stale_cleared: true })
  t.notOk(existsSync(join(service.workspace, 'never')))
  t.match(await rowsOf(parent), [{ is_streaming: false }, { is_streaming: false }], 'what they did can still be looked at')
})

t.test('stopping the conversation in the instant in which a sub-agent is made leaves none at work', { long: true }, async (t) => {
  for (let round = 0; round < 8; round++) {
    const model = crew([delegate('late')], { late: [held(gate(), [{ text: 'Working' }], [])] })
    const parent = await service.newSession({ model })
    const reader = await service.watch(await service.send(parent, 'Do it'))
    const { id } = await reader.until('tool')
    for (let ticks = 0; ticks < round; ticks++) await new Promise((resolve) => setImmediate(resolve))
    await (round % 2 === 0 ? service.get(`/api/chat/cancel?stream_id=${id!.split(':')[0]}`) : service.post('/api/session/delete', { session_id: parent }))
    await reader.ended
    await atRest()
    t.notOk((await rowsOf(parent)).some((row) => row.is_streaming))
    if (round % 2 === 1) t.same(await rowsOf(parent), [], 'nor a child without a parent')
  }
})

t.test('deleting the conversation takes its sub-agents along', async (t) => {
  const model = crew([delegate('done'), delegate('busy')], { busy: [held(gate(), [{ text: 'Working' }], [])] })
  const parent = await service.newSession({ model })
  await service.send(parent, 'Do it')
  await eventually('the second', async () => (await rowsOf(parent)).length === 2 && ofChildren(model).length === 2)
  await service.post('/api/session/delete', { session_id: parent })
  await atRest()
  t.same(await rowsOf(parent), [])
  t.equal(service.app.db.sqlite.prepare('select count(*) from sessions where parent_session_id = ?').pluck().get(parent), 0)
})

t.test('at most eight work at once for a turn; the ninth call is told so', { long: true }, async (t) => {
  const wait = gate()
  const tasks = Array.from({ length: 9 }, (_, index) => `task ${index}`)
  const model = crew([delegate(...tasks), delegate('after')], Object.fromEntries(tasks.map((task) => [task, [held(wait, [], [{ text: 'Finished.' }])]])))
  const { reader, children } = await begin(model, 8)
  t.match((await reader.until('tool_complete')).data, { id: 'call_task 8', is_error: true, preview: /At most 8/ })
  wait.open()
  const results = Object.values(await resultsOf(reader))
  t.equal(results.filter((result) => result.preview === 'Finished.').length, 8)
  t.match(results.at(-1), { is_error: false, preview: 'Done.' }, 'later there is room again')
  t.equal(children.length, 8)
})

t.test('the sub-agents of a task in the background are as hidden as it is, and nobody is asked', { long: true }, async (t) => {
  const model = crew([delegate('work')], { work: [run('touch unattended'), [{ text: 'It was refused.' }]] })
  const parent = await service.newSession({ model })
  const { session_id: hiddenId, stream_id: streamId } = (await service.post('/api/background', { session_id: parent, prompt: 'Work' })).body
  t.match(await resultsOf(await service.watch(streamId)), { call_work: { is_error: false, preview: 'It was refused.' } })
  t.match(said(ofChildren(model)[1], 'tool'), [/nobody is there/])
  t.same(await rowsOf(hiddenId), [])
  t.notOk(existsSync(join(service.workspace, 'unattended')))

  const allowed = crew([delegate('work')], { work: [run('touch unattended')] })
  const bold = await service.newSession({ model: allowed })
  await service.post('/api/session/yolo', { session_id: bold, enabled: true })
  await resultsOf(await service.watch((await service.post('/api/background', { session_id: bold, prompt: 'Work' })).body.stream_id))
  t.ok(existsSync(join(service.workspace, 'unattended')), 'what the conversation may do, they may')
  const family = service.app.db.sqlite.prepare('select count(*) from sessions where parent_session_id in (?, ?)').pluck()
  t.equal(family.get(parent, hiddenId), 2)
  await service.post('/api/session/delete', { session_id: parent })
  t.equal(family.get(parent, hiddenId), 0, 'all of it goes with the conversation')
})

t.test('when the agent process dies, the conversation and its sub-agents say so, and no question is left', { long: true }, async (t) => {
  const forked = await service.again(t, t.testdir({}), { hosts: 'fork' })
  const model = crew([delegate('ask', 'talk')], { ask: [run('touch never')], talk: [held(gate(), [{ text: 'Working' }], [])] })
  const { parent, reader, children } = await begin(model, 2, forked)
  await forked.pending(parent)
  await (await forked.watch(children.find(({ task }) => task === 'talk')!.streamId)).until('token')
  process.kill((await forked.get('/api/system/health')).body.agent.pid, 'SIGKILL')
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'interrupted', error: /agent process stopped/ } })
  for (const child of children) t.match(await lastOf(child.streamId, forked), { event: 'apperror', data: { type: 'interrupted' } })
  t.equal((await forked.get(`/api/approval/pending?session_id=${parent}`)).body.pending_count, 0)
  await atRest(forked)
  t.match((await forked.session(parent)).messages.filter(({ role }: { role: string }) => role === 'tool').map((row: { is_error: boolean }) => row.is_error), [true, true], 'each call has a result that says so')
  const next = await forked.turn(parent, 'Again', crew([delegate('again'), [{ text: 'Now it works.' }]]))
  t.match(next.frames.find(({ event }) => event === 'tool_complete')?.data, { is_error: false, preview: 'Done.' })
})

for (const how of ['stopped', 'killed'] as const) {
  t.test(`when the service is ${how} while a sub-agent waits for permission, both ends are honest`, { long: true }, async (t) => {
    const folder = t.testdir({})
    const model = crew([delegate('ask')], { ask: [run('touch never')] })
    let ids: { parent: string, streams: string[] }
    if (how === 'stopped') {
      const before = await service.again(t, folder)
      const { parent, streamId, children } = await begin(model, 1, before)
      await before.pending(parent)
      ids = { parent, streams: [streamId, children[0]!.streamId] }
      await before.stop()
    } else {
      const server = await spawnServer(t, folder, { OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' })
      const { session: { session_id: parent } } = await server.json('/api/session/new', { model, model_provider: 'openai' })
      const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: parent, message: 'Do it' })
      await server.pending(parent)
      const { sessions } = await server.json('/api/sessions')
      ids = { parent, streams: [streamId, sessions.find((row: Row) => row.parent_session_id === parent).active_stream_id] }
      await server.crash()
    }
    const after = await service.again(t, folder)
    for (const [index, streamId] of ids.streams.entries()) {
      t.match(await lastOf(streamId, after), {
        event: 'apperror', data: { type: 'interrupted', terminal_state: 'interrupted-by-crash', hint: index === 0 ? /Send the message again/ : /conversation that it worked for/ }
      })
    }
    t.same((await after.get(`/api/approval/pending?session_id=${ids.parent}`)).body, { pending: null, pending_count: 0 })
    const rows = (await after.get('/api/sessions')).body.sessions
    t.match(rows.map((row: Row) => [row.is_streaming, row.attention]), [[false, null], [false, null]])
    t.match((await after.session(ids.parent)).messages.find(({ role }: { role: string }) => role === 'tool'), { is_error: true, tool_call_id: 'call_ask' })
    t.notOk(existsSync(join(after.workspace, 'never')))
    t.equal((await after.turn(ids.parent, 'Again', crew([[{ text: 'Here.' }]]))).last.event, 'stream_end')
  })
}
