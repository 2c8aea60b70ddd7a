import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { mostBytes, mostEntries } from '../../services/areas/queue/entries.js'
import { type Answer } from '../support/app.js'
import { eventually, gate, held, said, startChat, type ChatService, type Gate, type ScriptedAnswer } from '../support/chat.js'
import { a40 } from '../support/credentials.js'

let nowMs = Date.now()
const service = await startChat(t, { clock: { now: () => nowMs }, goals: { continueAfterMs: 50 } })

interface Waiting { id: string, message: string, effort?: string, personality?: string, attachments: Array<{ name: string }>, not_before: number | null, version: number, model?: string }
interface Queue { queue: Waiting[], held: { reason: string } | null }

const act = (sessionId: string, action: string, more: Record<string, unknown> = {}, on = service): Promise<Answer> =>
  on.post('/api/session/queue', { session_id: sessionId, action, ...more })
const queueOf = async (sessionId: string, on = service): Promise<Queue> => (await on.get(`/api/session/queue?session_id=${sessionId}`)).body
const textsOf = async (sessionId: string, on = service): Promise<string[]> => (await queueOf(sessionId, on)).queue.map(({ message }) => message)
/** Returns the messages to a session, in order. */
const told = async (sessionId: string, on = service): Promise<string[]> =>
  (await on.session(sessionId)).messages.filter(({ role }: { role: string }) => role === 'user').map(({ content }: { content: string }) => content)
const isDone = (sessionId: string, count: number, on = service) => eventually(`${count} turns are over`, async () => {
  const { messages, active_stream_id: active } = await on.session(sessionId)
  return active === null && on.app.chat.isSettled(sessionId) && messages.filter(({ role }: { role: string }) => role === 'user').length === count
})
const slow = (until: Gate): ScriptedAnswer => held(until, [{ text: 'So' }], [{ text: ' far.' }])

/** Creates a session with a running turn that ends when its gate is opened. */
async function busy (on: ChatService, first: ScriptedAnswer | null = null, ...after: ScriptedAnswer[]) {
  const over = gate()
  const model = on.model(first ?? slow(over), ...after)
  const sessionId = await on.newSession({ model, model_provider: 'openai' })
  const streamId = await on.send(sessionId, 'First')
  const reader = await on.watch(streamId)
  if (first === null) await reader.until('token')
  return { sessionId, streamId, model, over, reader }
}

t.test('what is sent to a busy session waits there, begins in order with all that it carries, and each once', async (t) => {
  const { sessionId, over, model } = await busy(service)
  t.match(await service.post('/api/chat/start', { session_id: sessionId, message: 'Now' }), { status: 409, body: { active_stream_id: String } }, 'without being asked for, nothing waits')
  const own = await service.events(`/api/session/stream?session_id=${sessionId}`)
  const all = await service.events(`/api/events?session=${sessionId}`)
  const other = service.model()
  const file = { name: 'a.txt', path: 'a.txt', mime: 'text/plain', size: 1, is_image: false }
  const sent = { session_id: sessionId, message: 'Second', if_busy: 'queue', client_id: 'one', model: other, model_provider: 'openai', attachments: [file] }
  const first = await service.post('/api/chat/start', sent)
  t.match(first, { status: 200, body: { queued: true, queue_id: String, position: 1 } })
  t.same((await service.post('/api/chat/start', sent)).body, first.body, 'sent again, it is the same')
  t.match((await act(sessionId, 'add', { message: 'Third' })).body, { ok: true, id: String, queue: [{ message: 'Second' }, { message: 'Third' }], held: null })
  t.match((await service.post('/api/chat/start', { session_id: sessionId, message: '/none such', if_busy: 'queue' })).body, { position: 3 })

  const { queue } = await queueOf(sessionId)
  t.match(queue, [{ id: first.body.queue_id, message: 'Second', attachments: [file], not_before: null, model: other, model_provider: 'openai', created_at: Number }, { message: 'Third' }, { message: '/none such' }])
  t.same(queue.map(({ version }) => version), [1, 2, 3])
  await own.until(({ event, data }) => event === 'queue_changed' && data.queued_count === 3)
  await all.until(({ event, data }) => event === 'session' && data.session.queued_count === 3)
  t.ok(all.frames.some(({ event, data }) => event === 'conversation' && data.event === 'queue_changed' && data.data.version === 3))
  t.equal((await service.session(sessionId)).queued_count, 3)
  t.equal((await service.get('/api/sessions')).body.sessions.find((row: { session_id: string }) => row.session_id === sessionId).queued_count, 3)
  t.match((await service.get('/api/home')).body.queues, [{ session_id: sessionId, count: 3, held: null, not_before: null }])
  t.same((await service.get(`/api/session/export?session_id=${sessionId}`)).body.queued_count, undefined, 'an export has what was said')
  t.equal((await service.post('/api/session/duplicate', { session_id: sessionId })).body.session.queued_count, undefined, 'a copy has nothing that waits')

  over.open()
  await isDone(sessionId, 4, service)
  t.same(await told(sessionId), ['First', 'Second', 'Third', '/none such'])
  t.same(await queueOf(sessionId), { queue: [], held: null })
  t.equal(service.requests(other).length, 1, 'the model that it was sent with, for it alone')
  t.match(said(service.requests(other)[0], 'user').at(-1), 'a.txt')
  t.equal(service.requests(model).length, 3)
  t.equal((await service.session(sessionId)).queued_count, undefined)
  t.match((await service.post('/api/chat/start', { session_id: sessionId, message: 'Free', if_busy: 'queue' })).body, { stream_id: String }, 'a free session begins as ever')
  await isDone(sessionId, 5)
  t.match((await act(sessionId, 'add', { message: 'Also' })).body, { queue: [] }, 'what joins the queue of a free session begins')
  await isDone(sessionId, 6)
  for (const reader of [own, all]) reader.drop()
})

t.test('a turn that failed, was stopped or waits for a person holds the queue, and a person goes on or drops it', async (t) => {
  const failing = gate()
  const failed = await busy(service, async () => {
    await eventually('it is to fail', () => failing.isOpen)
    return [{ refuse: 401, error: 'No such key' }]
  })
  await act(failed.sessionId, 'add', { message: 'After it' })
  failing.open()
  await failed.reader.ended
  await eventually('it is held', async () => (await queueOf(failed.sessionId)).held?.reason === 'failed')
  t.match((await service.get('/api/home')).body.queues, [{ session_id: failed.sessionId, held: { reason: 'failed' } }])
  t.match((await service.post('/api/chat/start', { session_id: failed.sessionId, message: 'Last', if_busy: 'queue' })).body, { queued: true, position: 2 }, 'what may wait does not overtake what waits')
  await act(failed.sessionId, 'remove', { id: (await queueOf(failed.sessionId)).queue.at(-1)?.id })
  t.match((await service.post('/api/chat/start', { session_id: failed.sessionId, message: 'Look' })).body, { stream_id: String }, 'a person may go first')
  await isDone(failed.sessionId, 2)
  t.match(await queueOf(failed.sessionId), { queue: [{ message: 'After it' }], held: { reason: 'failed' } }, 'and what waits goes on waiting')
  t.match((await act(failed.sessionId, 'resume')).body, { ok: true, held: null })
  await isDone(failed.sessionId, 3)

  const stopped = await busy(service)
  for (const message of ['One', 'Two', 'Three']) await act(stopped.sessionId, 'add', { message })
  await service.post('/api/chat/cancel', { stream_id: stopped.streamId })
  await eventually('it is held', async () => (await queueOf(stopped.sessionId)).held?.reason === 'cancelled')
  const { queue: [, two] } = await queueOf(stopped.sessionId)
  t.match((await act(stopped.sessionId, 'send_now', { id: two?.id, version: two?.version })).body, { sent: 'started', queue: [{ message: 'One' }, { message: 'Three' }], held: { reason: 'cancelled' } })
  await isDone(stopped.sessionId, 2)
  t.same(await told(stopped.sessionId), ['First', 'Two'], 'it alone')
  t.match((await act(stopped.sessionId, 'clear')).body, { queue: [], held: null })
  t.match((await act(stopped.sessionId, 'add', { message: 'One', held: 'cancelled' })).body, { queue: [{ message: 'One' }], held: { reason: 'cancelled' } }, 'what is restored does not begin')
  const one = (await queueOf(stopped.sessionId)).queue[0]?.id
  const edit = async (more: object) => (await act(stopped.sessionId, 'edit', { id: one, ...more })).body.queue[0]
  t.match(await edit({ model: 'other', model_provider: 'mine', explicit_model_pick: true, not_before: 99, workspace: service.folder }),
    { message: 'One', model: 'other', model_provider: 'mine', explicit_model_pick: true, not_before: 99, workspace: service.folder })
  t.match(await edit({ model: 'third', not_before: 0 }), { model: 'third', model_provider: undefined, not_before: null, workspace: service.folder })
  t.match(await edit({ model: '' }), { model: undefined, explicit_model_pick: undefined })
  t.match(await act(stopped.sessionId, 'edit', { id: one, model_provider: 'mine' }), { status: 400, body: { error: /model is required/ } })
  await act(stopped.sessionId, 'clear')
  t.match((await act(stopped.sessionId, 'resume')).body, { queue: [], held: null }, 'of an empty queue there is nothing to go on with')

  const asking = await busy(service, [{ tool: 'terminal', args: { command: 'rm -rf build' } }])
  await eventually('it asks', async () => (await service.session(asking.sessionId)).attention !== null)
  await act(asking.sessionId, 'add', { message: 'Then this' })
  t.match(await queueOf(asking.sessionId), { queue: [{ message: 'Then this' }], held: { reason: 'waiting' } })
  const { body: { pending } } = await service.get(`/api/approval/pending?session_id=${asking.sessionId}`)
  await service.respond(asking.sessionId, 'deny', pending.approval_id)
  await isDone(asking.sessionId, 2)
  t.same(await told(asking.sessionId), ['First', 'Then this'])
})

t.test('several devices change it: nothing is lost, and who means an older state is told', async (t) => {
  const { sessionId, over, streamId, model } = await busy(service)
  await Promise.all(Array.from({ length: 12 }, async (_, at) => await act(sessionId, 'add', { message: `m${at}`, client_id: `add ${at % 6}` })))
  const there = await queueOf(sessionId)
  t.same(there.queue.map(({ message }) => message).toSorted().length, 6, 'the same id adds once')
  t.equal(new Set(there.queue.map(({ version }) => version)).size, 6)
  const [a, b, c, d] = there.queue
  if (a === undefined || b === undefined || c === undefined || d === undefined) return t.fail('six wait')
  const both = await Promise.all(['Mine', 'Theirs'].map(async (message) => await act(sessionId, 'edit', { id: a.id, version: a.version, message })))
  t.same(both.map(({ status }) => status).toSorted(), [200, 409])
  t.match(both.find(({ status }) => status === 409)?.body, { code: 'queue_changed', error: /Read the queue again/ })
  for (const [action, more] of [['move', { index: 3 }], ['remove', {}], ['send_now', {}], ['edit', { message: 'x' }]] as const) {
    t.match(await act(sessionId, action, { id: a.id, version: a.version, ...more }), { status: 409, body: { code: 'queue_changed' } }, action)
  }
  t.equal((await act(sessionId, 'move', { id: d.id, version: d.version, index: 0 })).status, 200)
  t.equal((await act(sessionId, 'move', { id: b.id, version: b.version, index: 99 })).status, 200, 'another message that moves is no conflict')
  t.equal((await act(sessionId, 'remove', { id: c.id, version: c.version })).status, 200)
  const texts = await textsOf(sessionId)
  t.same([texts[0], texts.at(-1), texts.length], [d.message, b.message, 5])
  t.match(await act(sessionId, 'remove', { id: c.id }), { status: 409, body: { code: 'queue_changed' } }, 'it is not there any more')
  t.match(await act(sessionId, 'clear', { version: there.queue.at(-1)?.version }), { status: 409, body: { code: 'queue_changed' } }, 'nothing that was added meanwhile is dropped')
  t.match((await act(sessionId, 'add', { message: 'Between', index: 1 })).body.queue.slice(0, 3), [{ message: d.message }, { message: 'Between' }, {}])

  const [next] = (await queueOf(sessionId)).queue
  t.match((await act(sessionId, 'send_now', { id: next?.id })).body, { sent: 'steered' }, 'the running turn has it')
  t.notOk((await textsOf(sessionId)).includes(d.message))
  await act(sessionId, 'clear')
  for (const wish of [{ model: 'other' }, { effort: 'low' }, { personality: 'none' }]) {
    const { body: { id } } = await act(sessionId, 'add', { message: 'In my own way', ...wish })
    t.match((await act(sessionId, 'send_now', { id })).body, { sent: 'next', queue: [{ message: 'In my own way', ...wish, personality: wish.personality === undefined ? undefined : '' }] }, 'what it asks for is not dropped')
    await act(sessionId, 'clear')
  }
  const file = { name: 'b.txt', path: 'b.txt' }
  const { body } = await act(sessionId, 'add', { message: 'With a file', attachments: [file] })
  await act(sessionId, 'add', { message: 'Ahead', index: 0 })
  t.match((await act(sessionId, 'send_now', { id: body.id })).body, { sent: 'next', queue: [{ message: 'With a file' }, { message: 'Ahead' }] }, 'files do not go into a turn')
  await service.post('/api/chat/cancel', { stream_id: streamId })
  over.open()
  await eventually('it is held', async () => (await queueOf(sessionId)).held !== null)
  t.equal(service.requests(model).length, 1)
})

t.test('what is refused', async (t) => {
  const { sessionId, over, reader } = await busy(service)
  const refusals: Array<[action: string, more: Record<string, unknown>, status: number, code?: string]> = [
    ['add', { message: '  ' }, 400], ['add', {}, 400], ['edit', { message: 'x' }, 400], ['move', { id: 'x' }, 400], ['dance', {}, 400], ['add', { message: 'x', index: -1 }, 400],
    ['remove', { id: 'unknown' }, 409, 'queue_changed'], ['add', { message: 'x'.repeat(3_999_999) + '', attachments: [{ name: 'y'.repeat(mostBytes - 3_000_000) }] }, 409, 'queue_full']
  ]
  for (const [action, more, status, code] of refusals) {
    const answer = await act(sessionId, action, more)
    t.match([answer.status, answer.body.code], [status, code], `${action} ${answer.text.slice(0, 200)}`)
  }
  t.equal((await service.post('/api/chat/start', { session_id: sessionId, message: 'x', if_busy: 'wait' })).status, 400)
  for (let at = 0; at < mostEntries; at++) await act(sessionId, 'add', { message: `m${at}` })
  t.match(await act(sessionId, 'add', { message: 'One more' }), { status: 409, body: { code: 'queue_full', error: /100 messages/ } })
  t.match(await service.post('/api/chat/start', { session_id: sessionId, message: 'One more', if_busy: 'queue' }), { status: 409, body: { code: 'queue_full' } })
  t.equal((await queueOf(sessionId)).queue.length, mostEntries)
  await act(sessionId, 'clear')
  over.open()
  await reader.ended

  t.equal((await act('unknown', 'add', { message: 'x' })).status, 404)
  t.equal((await service.get('/api/session/queue?session_id=unknown')).status, 404)
  const readOnly = await service.newSession()
  service.app.sessions.rows.set(readOnly, { readOnly: true })
  t.match(await act(readOnly, 'add', { message: 'x' }), { status: 403, body: { error: /read-only/ } })
  t.match(await queueOf(readOnly), { queue: [], held: null })
})

t.test('what waits is shown as it was typed, with credentials masked to whoever only reads, and goes with its session', async (t) => {
  const { sessionId, over } = await busy(service)
  const typed = `Use ghp_${a40} now`
  await act(sessionId, 'add', { message: typed, attachments: [{ name: `ghp_${a40}`, path: 'x' }] })
  const { body: { token } } = await service.post('/api/auth/tokens/create', { name: 'reader', scope: 'read' })
  const seen = await service.get(`/api/session/queue?session_id=${sessionId}`, { authorization: `Bearer ${token}` })
  t.equal(seen.status, 200)
  t.notMatch(seen.text, a40)
  t.same(await textsOf(sessionId), [typed])
  t.equal((await service.post('/api/session/queue', { session_id: sessionId, action: 'clear' }, { authorization: `Bearer ${token}` })).status, 403)
  await service.post('/api/session/delete', { session_id: sessionId })
  over.open()
  const count = (table: string): number => service.app.db.sqlite.prepare<[string], number>(`select count(*) from ${table} where session_id = ?`).pluck().get(sessionId) ?? -1
  await eventually('its rows are gone', () => count('queue_entries') === 0 && count('queues') === 0)
  t.equal((await service.get(`/api/session/queue?session_id=${sessionId}`)).status, 404)
})

t.test('messages that wait go before the next turn of a goal, which then goes on', async (t) => {
  service.judge([{ text: '{"verdict": "continue", "reason": "Not yet."}' }], [{ text: '{"verdict": "continue", "reason": "Not yet."}' }], [{ text: '{"verdict": "done", "reason": "It is."}' }])
  const over = gate()
  const sessionId = await service.newSession({ model: service.model(slow(over)), model_provider: 'openai' })
  const { body } = await service.post('/api/goal', { session_id: sessionId, args: 'Build the bridge' })
  const reader = await service.watch(body.stream_id)
  await reader.until('token')
  await act(sessionId, 'add', { message: 'Paint it first' })
  over.open()
  await isDone(sessionId, 3)
  const said = await told(sessionId)
  t.match(said.slice(0, 2), ['Build the bridge', 'Paint it first'])
  t.match(said[2], /^Continue towards the goal/)
  t.match((await service.post('/api/goal', { session_id: sessionId, args: 'status' })).body.goal, { status: 'done' })
})

t.test('a message waits for its time, and those behind it with it', async (t) => {
  const sessionId = await service.newSession({ model: service.model(), model_provider: 'openai' })
  const at = Math.floor(nowMs / 1000) + 3_600
  t.match((await act(sessionId, 'add', { message: 'Later', not_before: at })).body.queue, [{ message: 'Later', not_before: at }])
  await act(sessionId, 'add', { message: 'After it' })
  t.same(await textsOf(sessionId), ['Later', 'After it'])
  t.match((await service.get('/api/home')).body.queues.find((one: { session_id: string }) => one.session_id === sessionId), { count: 2, not_before: at })
  nowMs += 3_600_000
  await isDone(sessionId, 2)
  t.same(await told(sessionId), ['Later', 'After it'])
})

t.test('a message has an effort and a personality of its own: at once, queued, changed, and where its turn goes on later', async (t) => {
  const service = await startChat(t)
  const act = async (sessionId: string, action: string, more: Record<string, unknown> = {}): Promise<Answer> =>
    await service.post('/api/session/queue', { session_id: sessionId, action, ...more })
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'agent:\n  reasoning_effort: low\n  personalities:\n    Pirate: Talk like a pirate.\n    Poet: Talk in verse.\n')
  const over = gate()
  let refuses = false
  service.endpoint.script((request) => {
    if (!request.stream) return [{ text: 'A title' }]
    if (refuses && said(request, 'user').at(-1) === 'Fourth') return [{ refuse: 429, headers: { 'retry-after': '3600' } }]
    return over.isOpen ? [{ text: 'Aye.' }] : held(over, [{ text: 'So' }], [{ text: ' far.' }])
  })
  const sessionId = await service.newSession({ model: 'gpt-5', model_provider: 'openai' })
  await service.post('/api/personality/set', { session_id: sessionId, name: 'Poet' })
  const first = await service.send(sessionId, 'First', { effort: 'high', personality: 'Pirate' })
  await (await service.watch(first)).until('token')
  t.match((await service.post('/api/chat/start', { session_id: sessionId, message: 'Second', if_busy: 'queue', effort: '', personality: 'none' })).body, { queued: true })
  await act(sessionId, 'add', { message: 'Third' })
  await act(sessionId, 'add', { message: 'Fourth', effort: 'high' })
  const { queue } = await queueOf(sessionId, service)
  t.match(queue, [{ message: 'Second', effort: '', personality: '' }, { message: 'Third', effort: undefined, personality: undefined }, { message: 'Fourth', effort: 'high', personality: undefined }])
  t.match((await act(sessionId, 'edit', { id: queue[2]!.id, version: queue[2]!.version, personality: 'Pirate' })).body.queue[2], { message: 'Fourth', effort: 'high', personality: 'Pirate' }, 'what an edit does not name stays')
  for (const [wish, status] of [[{ effort: 'huge' }, 400], [{ effort: 3 }, 400], [{ personality: 'Nobody' }, 404], [{ personality: 'x'.repeat(201) }, 400]] as const) {
    t.equal((await act(sessionId, 'add', { message: 'No', ...wish })).status, status, JSON.stringify(wish))
    t.equal((await act(sessionId, 'edit', { id: queue[2]!.id, ...wish })).status, status)
    t.equal((await service.post('/api/chat/start', { session_id: sessionId, message: 'No', if_busy: 'queue', ...wish })).status, status)
  }
  refuses = true
  over.open()
  const parked = await eventually('the last one waits for a limit', async () => {
    const { resumes_at: resumesAt, active_stream_id: streamId } = await service.session(sessionId)
    return resumesAt !== undefined && service.app.chat.isParked(streamId) && String(streamId)
  })
  refuses = false
  await service.post('/api/chat/resume', { stream_id: parked })
  await isDone(sessionId, 4, service)
  const requests = service.requests('gpt-5').map((request) => [said(request, 'user').at(-1), request.body['reasoning_effort'], /pirate|verse/.exec(JSON.stringify(request.messages))?.[0]])
  t.same(requests, [
    ['First', 'high', 'pirate'], ['Second', undefined, undefined], ['Third', 'low', 'verse'], ['Fourth', 'high', 'pirate'], ['Fourth', 'high', 'pirate']
  ])
})

t.test('over a stop of the service: nobody is there, and each begins once', async (t) => {
  const folder = join(service.folder, 'kept')
  mkdirSync(folder)
  const before = await service.again(t, folder)
  const model = before.model(slow(gate()), [{ text: 'Two.' }], [{ text: 'Three.' }])
  const sessionId = await before.newSession({ model, model_provider: 'openai' })
  const reader = await before.watch(await before.send(sessionId, 'First'))
  await reader.until('token')
  for (const message of ['Second', 'Third']) await act(sessionId, 'add', { message }, before)
  const stopped = await busy(before)
  await act(stopped.sessionId, 'add', { message: 'Not yet' }, before)
  await before.post('/api/chat/cancel', { stream_id: stopped.streamId })
  await eventually('it is held', async () => (await queueOf(stopped.sessionId, before)).held?.reason === 'cancelled')
  await before.stop()

  const after = await service.again(t, folder)
  await isDone(sessionId, 3, after)
  t.same(await told(sessionId, after), ['First', 'Second', 'Third'])
  t.same(await textsOf(sessionId, after), [])
  t.match(await queueOf(stopped.sessionId, after), { queue: [{ message: 'Not yet' }], held: { reason: 'cancelled' } }, 'what a person holds stays held')
  t.equal(after.app.queue.size(), 0)
})

t.test('a damaged queue stops neither the service nor the other queues', async (t) => {
  const folder = join(service.folder, 'damaged')
  mkdirSync(folder)
  const before = await service.again(t, folder)
  const waiting = async (): Promise<string> => {
    const sessionId = await before.newSession({ model: before.model(), model_provider: 'openai' })
    await act(sessionId, 'add', { message: 'Later', not_before: nowMs / 1_000 + 3_600 }, before)
    return sessionId
  }
  const [damaged, sound] = [await waiting(), await waiting()]
  const { sqlite } = before.app.db
  sqlite.prepare("update queue_entries set attachments = '{' where session_id = ?").run(damaged)
  sqlite.exec('update queue_entries set not_before = null')
  await before.stop()
  const after = await service.again(t, folder)
  await isDone(sound, 1, after)
  t.same(await told(damaged, after), [])
})
