import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, said, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { seqs, tokenText } from '../support/events.js'

let aheadMs = 0
const service = await startChat(t, { clock: { now: () => Date.now() + aheadMs } })
writeFileSync(join(service.workspace, 'notes.txt'), 'hello from the notes\n')

const refused = (retryAfterS: number | null): ScriptedAnswer =>
  [{ refuse: 429, error: 'Too many', headers: retryAfterS === null ? {} : { 'retry-after': String(retryAfterS) } }]
const rowOf = async (sessionId: string, on: ChatService = service): Promise<Record<string, any>> => // eslint-disable-line @typescript-eslint/no-explicit-any -- an answer
  (await on.get('/api/sessions')).body.sessions.find((row: { session_id: string }) => row.session_id === sessionId)
const resume = (streamId: string, more: Record<string, unknown> = {}) => service.post('/api/chat/resume', { stream_id: streamId, ...more })
const untilParked = async (sessionId: string): Promise<void> => {
  await eventually('it is parked', async () => (await rowOf(sessionId)).resumes_at !== undefined && service.app.chat.activeTurns() === 0)
}
const rolesOf = async (sessionId: string): Promise<string[]> =>
  (await service.session(sessionId)).messages.map(({ role, content }: { role: string, content: string }) => `${role}: ${content.split('\n')[0]}`)

async function parked (...answers: ScriptedAnswer[]) {
  const model = service.model(...answers)
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  const streamId = await service.send(sessionId, 'Go')
  const reader = await service.watch(streamId)
  await reader.until('parked')
  await untilParked(sessionId)
  return { model, sessionId, streamId, reader }
}

t.test('a turn at a limit is a row until it goes on where it was: same stream, same message, nothing said twice', async (t) => {
  const { model, sessionId, streamId, reader } = await parked(
    [{ text: 'Let me look. ' }, { tool: 'read_file', args: { path: 'notes.txt' }, id: 'call_1' }], refused(3_600), [{ text: 'They say hello.' }])
  const { data } = reader.frames.find(({ event }) => event === 'parked')!
  t.match(data, { session_id: sessionId, stream_id: streamId, provider: 'openai', provider_name: 'OpenAI', model, resumes_at: Number })
  t.ok(Math.abs(data.resumes_at - Date.now() / 1_000 - 3_600) < 60)
  t.match(await rowOf(sessionId), { is_streaming: true, active_stream_id: streamId, resumes_at: data.resumes_at, attention: null })
  t.match((await service.session(sessionId)), { resumes_at: data.resumes_at })
  const { body: status } = await service.get(`/api/chat/stream/status?stream_id=${streamId}`)
  t.match(status, { active: true, journal: { terminal: false, terminal_state: 'parked' } })
  t.same((await service.session(sessionId)).runtime_journal, status.journal)
  t.match((await service.get('/api/home')).body.running, [{ session_id: sessionId, silent: null, parked: { resumes_at: Number } }])
  t.equal((await service.post('/api/chat/start', { session_id: sessionId, message: 'Another' })).status, 409, 'it holds its session')
  t.match((await service.post('/api/chat/steer', { session_id: sessionId, text: 'Be brief' })).body, { accepted: true, stream_id: streamId })
  t.equal(service.requests(model).length, 2, 'and its provider is left alone')
  t.equal(service.app.agent.size().runs, 0)

  const all = await service.events('/api/events')
  t.match((await resume(streamId)).body, { ok: true, resumed: true, stream_id: streamId, resumes_at: null })
  await reader.ended
  await all.until(({ event, data }) => event === 'session' && data.session.session_id === sessionId && data.session.is_streaming === false)
  all.drop()
  t.same(seqs(reader.frames), reader.frames.map((_, index) => index + 1), 'not a frame is missing or comes twice')
  t.same(reader.frames.filter(({ event }) => ['parked', 'resumed', 'done', 'stream_end', 'apperror'].includes(event)).map(({ event }) => event), ['parked', 'resumed', 'done', 'stream_end'])
  t.equal(tokenText(reader.frames), 'Let me look. They say hello.')
  t.match(await rolesOf(sessionId), ['user: Go', 'assistant: Let me look. ', /^tool: .*hello from the notes/, 'user: Be brief', 'assistant: They say hello.'])
  t.equal((await rowOf(sessionId)).resumes_at, undefined)
  t.match(said(service.requests(model)[2], 'tool'), [/hello from the notes/])
  t.match((await resume(streamId)).body, { resumed: false, resumes_at: null }, 'over, there is nothing to go on with')
})

t.test('its message goes with it where no model has answered yet, and what was heard of an answer stands until it is said again', async (t) => {
  const first = await parked(refused(600), [{ text: 'Here I am.' }])
  await resume(first.streamId)
  await first.reader.ended
  t.same(await rolesOf(first.sessionId), ['user: Go', 'assistant: Here I am.'])
  t.same(said(service.requests(first.model)[1], 'user'), ['Go'])

  const cut: ScriptedAnswer = [{ text: 'Half an' }, { cut: true }]
  const { reader, streamId, sessionId } = await parked(cut, refused(600), [{ text: 'Half an answer is none.' }])
  t.equal(tokenText(reader.frames), 'Half an')
  await resume(streamId)
  await reader.ended
  t.equal(tokenText(reader.frames), 'Half an answer is none.')
  t.same(await rolesOf(sessionId), ['user: Go', 'assistant: Half an answer is none.'])
})

t.test('it goes on by itself when its time has come, one turn of a provider after the other', async (t) => {
  const turns = [await parked(refused(7_200), [{ text: 'One.' }]), await parked(refused(7_200), [{ text: 'Two.' }])]
  aheadMs += 7_300_000
  await Promise.all(turns.map(async ({ reader }) => await reader.ended))
  for (const { sessionId, model, reader } of turns) {
    t.equal(reader.frames.at(-1)?.event, 'stream_end')
    t.equal(service.requests(model).length, 2)
    t.equal((await rolesOf(sessionId)).length, 2)
  }
})

t.test('however many ask for it, it goes on once; with another model where that is asked for', async (t) => {
  const { streamId, reader, model, sessionId } = await parked(refused(3_600), [{ text: 'Once.' }])
  const answers = await Promise.all(Array.from({ length: 6 }, async () => await resume(streamId)))
  t.same(answers.map(({ status }) => status), Array.from({ length: 6 }, () => 200))
  t.equal(answers.filter(({ body }) => body.resumed).length, 1)
  await reader.ended
  t.equal(service.requests(model).length, 2)
  t.equal((await rolesOf(sessionId)).length, 2)

  const other = service.model([{ text: 'I stand in.' }])
  const limited = await parked(refused(3_600))
  t.match(await resume(limited.streamId, { model: other, model_provider: 'nobody' }), { status: 400, body: { error: /nobody/ } })
  t.match((await resume(limited.streamId, { model: other, model_provider: 'openai' })).body, { resumed: true })
  await limited.reader.ended
  t.match(limited.reader.frames.find(({ event }) => event === 'done')?.data.usage, { used_model: other })
  t.equal(service.requests(limited.model).length, 1)

  t.match(await resume('f'.repeat(32)), { status: 404, body: { error: 'stream not found' } })
  t.match(await service.post('/api/chat/resume', { stream_id: streamId, now: 'no' }), { status: 400 })
})

t.test('one that the database does not let go on stays where it is, and goes on when somebody asks again', async (t) => {
  const { streamId, reader, sessionId } = await parked(refused(3_600), [{ text: 'Here.' }])
  const { sqlite } = service.app.db
  sqlite.exec('create temp trigger no_more before update of generation on streams begin select raise(abort, \'not now\'); end')
  t.equal((await resume(streamId)).status, 500)
  sqlite.exec('drop trigger no_more')
  t.equal(sqlite.prepare('select is_resuming from parked_turns where stream_id = ?').pluck().get(streamId), 0)
  await eventually('it goes on', async () => (await rolesOf(sessionId)).length === 2)
  await reader.ended
  t.same(await rolesOf(sessionId), ['user: Go', 'assistant: Here.'])
})

t.test('one whose limit has no time backs off, and asks after a while', async (t) => {
  const { reader, streamId, sessionId } = await parked(...Array.from({ length: 9 }, () => refused(null)), [{ text: 'At last.' }])
  const waitOf = (index: number): number => Math.round((reader.frames.filter(({ event }) => event === 'parked')[index]!.data.resumes_at - (Date.now() + aheadMs) / 1_000) / 60)
  t.equal(waitOf(0), 1)
  await resume(streamId)
  await eventually('it is parked again', () => reader.frames.filter(({ event }) => event === 'parked').length === 2)
  t.equal(waitOf(1), 2)
  await eventually('it is left', () => service.app.chat.isParked(streamId))
  service.app.db.sqlite.prepare('update parked_turns set tries = 11 where stream_id = ?').run(streamId)
  aheadMs += 130_000
  await eventually('it is asked', async () => (await rowOf(sessionId)).resumes_at === null)
  t.equal(reader.frames.findLast(({ event }) => event === 'parked')?.data.resumes_at, null)
  t.match((await resume(streamId, { now: false })).body, { resumed: false, resumes_at: Number }, 'a person may let it wait on')
  await resume(streamId)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
})

t.test('stopped, deleted or archived, it ends as a turn that ran does, and hands back what it was told', async (t) => {
  const stopped = await parked(refused(3_600))
  await service.post('/api/chat/steer', { session_id: stopped.sessionId, text: 'Also this' })
  t.match((await service.post('/api/chat/cancel', { stream_id: stopped.streamId })).body, { cancelled: true })
  await stopped.reader.ended
  t.match(stopped.reader.frames.at(-1), { event: 'cancel' })
  t.match(stopped.reader.frames.find(({ event }) => event === 'pending_steer_leftover')?.data, { text: 'Also this' })
  t.match(await rowOf(stopped.sessionId), { is_streaming: false, active_stream_id: null })
  t.match((await resume(stopped.streamId)).body, { resumed: false })

  const archived = await parked(refused(3_600))
  await service.post('/api/session/archive', { session_id: archived.sessionId, archived: true })
  await archived.reader.ended
  t.equal(archived.reader.frames.at(-1)?.event, 'cancel')
  const deleted = await parked(refused(3_600))
  await service.post('/api/session/delete', { session_id: deleted.sessionId })
  await deleted.reader.ended
  t.equal(service.app.db.sqlite.prepare('select count(*) from parked_turns').pluck().get(), 0)
})

t.test('a queue waits behind it and says why, and goes on after it', async (t) => {
  const { sessionId, streamId } = await parked(refused(3_600), [{ text: 'One.' }], [{ text: 'Two.' }])
  const own = await service.events(`/api/session/stream?session_id=${sessionId}`)
  await service.post('/api/session/queue', { session_id: sessionId, action: 'add', message: 'Then this' })
  t.match((await service.get(`/api/session/queue?session_id=${sessionId}`)).body, { queue: [{ message: 'Then this' }], held: { reason: 'limit' } })
  await resume(streamId)
  await own.until(({ event, data }) => event === 'queue_changed' && data.held === null)
  own.drop()
  await eventually('both are done', async () => (await rolesOf(sessionId)).length === 4 && (await rowOf(sessionId)).is_streaming === false)
  t.same(await rolesOf(sessionId), ['user: Go', 'assistant: One.', 'user: Then this', 'assistant: Two.'])
})

t.test('a client of OpenAI\'s interface is told, and a question beside a turn ends: neither waits in silence', async (t) => {
  const model = service.model(refused(600), refused(600))
  const answer = await service.post('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'Hi' }] })
  t.match(answer, { status: 429, body: { error: { code: 'rate_limit' } } })
  t.equal(answer.headers.get('retry-after'), '600')
  const parent = await service.newSession({ model, model_provider: 'openai' })
  await service.turn(parent, 'Hello', service.model([{ text: 'Hi.' }]))
  const aside = service.model(refused(600))
  const { body } = await service.post('/api/btw', { session_id: parent, question: 'And?', model: aside, model_provider: 'openai' })
  const reader = await service.watch(body.stream_id)
  await reader.ended
  t.equal(reader.frames.some(({ event }) => event === 'parked'), false)
})
