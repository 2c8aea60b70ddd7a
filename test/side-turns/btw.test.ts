import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, said, startChat, telling, type ChatService } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { tokenText, type EventReader } from '../support/events.js'
import { spawnServer } from '../support/server.js'

let aheadMs = 0
const service = await startChat(t, { clock: aheadBy(() => aheadMs) })
const retentionMs = 10 * 60_000

interface Asked { streamId: string, hiddenId: string, reader: EventReader }

async function ask (sessionId: string, question: string, on: ChatService = service): Promise<Asked> {
  const { status, body, text } = await on.post('/api/btw', { session_id: sessionId, question })
  if (status !== 200) throw new Error(`no answer on the side: ${status} ${text}`)
  return { streamId: body.stream_id, hiddenId: body.session_id, reader: await on.watch(body.stream_id) }
}

/** Creates a session whose turns, and questions on the side, are answered by this model. */
const sessionWith = (model: string, on: ChatService = service): Promise<string> => on.newSession({ model })

async function listed (on: ChatService = service): Promise<string[]> {
  const { sessions } = (await on.get('/api/sessions?include_archived=1&all_profiles=1')).body
  return sessions.map((row: { session_id: string }) => row.session_id)
}

/** Returns everything that the database knows about a session, by table. */
function traces (sessionId: string, streamId: string, on: ChatService = service): Record<string, number> {
  const count = (table: string, column: string, id: string): number =>
    on.app.db.sqlite.prepare<[string], number>(`select count(*) from ${table} where ${column} = ?`).pluck().get(id)!
  return {
    sessions: count('sessions', 'id', sessionId), messages: count('messages', 'session_id', sessionId), streams: count('streams', 'session_id', sessionId),
    frames: count('frames', 'stream_id', streamId), prompts: count('prompts', 'session_id', sessionId)
  }
}
const nothing = { sessions: 0, messages: 0, streams: 0, frames: 0, prompts: 0 }

t.test('a question on the side is answered from the conversation, which never learns of it', async (t) => {
  const model = service.model([{ text: 'The code is 4711.' }], [{ reasoning: 'It was said above.' }, { text: 'It was 4711.' }], [{ text: 'Going on.' }])
  const parent = await sessionWith(model)
  await service.turn(parent, 'What is the code?')
  const before = (await service.get(`/api/session?session_id=${parent}`)).text
  const rows = (await service.get('/api/sessions')).body.sessions
  aheadMs += 5_000

  const answer = await service.post('/api/btw', { session_id: parent, question: 'Which code was it?' })
  t.equal(answer.status, 200)
  t.same(Object.keys(answer.body).sort(), ['parent_session_id', 'session_id', 'stream_id'])
  t.equal(answer.body.parent_session_id, parent)
  t.not(answer.body.session_id, parent)
  const reader = await service.watch(answer.body.stream_id)
  await reader.ended
  t.same(telling(reader.frames), ['reasoning', 'token', 'done', 'stream_end'])
  const { data } = reader.frames.find(({ event }) => event === 'done')!
  t.match(data, { ephemeral: true, answer: 'It was 4711.', session_id: answer.body.session_id, session: { session_id: answer.body.session_id } })
  t.same(data.usage, { input_tokens: 0, output_tokens: 0 }, 'the gauge of the conversation shows none of it')
  t.equal(tokenText(reader.frames), 'It was 4711.')
  t.same(said(service.requests(model)[1], 'user'), ['What is the code?', 'Which code was it?'])
  t.same(said(service.requests(model)[1], 'assistant'), ['The code is 4711.'])

  t.equal((await service.get(`/api/session?session_id=${parent}`)).text, before, 'the conversation is the same, byte for byte')
  t.same((await service.get('/api/sessions')).body.sessions, rows, 'and so is the list')
  t.notOk((await listed()).includes(answer.body.session_id))
  await service.turn(parent, 'Go on')
  t.same(said(service.requests(model)[2], 'user'), ['What is the code?', 'Go on'], 'the next turn is shown nothing of it')
})

t.test('it may only look around, and nobody is ever asked', async (t) => {
  const outside = join(service.folder, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret'), 'not for everybody')
  writeFileSync(join(service.workspace, 'plain'), 'plain text')
  const model = service.model(
    [
      { tool: 'read_file', args: { path: 'plain' }, id: 'inside' },
      { tool: 'read_file', args: { path: join(outside, 'secret') }, id: 'outside' },
      { tool: 'write_file', args: { path: 'new', content: 'x' }, id: 'writing' }
    ],
    [{ text: 'Seen.' }])
  const parent = await sessionWith(model)
  const cards = await service.events(`/api/approval/stream?session_id=${parent}`)
  const { reader, hiddenId } = await ask(parent, 'Look')
  await reader.ended
  t.same([...service.requests(model)[0]!.tools].sort(), ['list_files', 'read_file', 'schedule_list', 'search_files', 'skill_view'])
  const results = Object.fromEntries(reader.frames.filter(({ event }) => event === 'tool_complete').map(({ data }) => [data.id, data]))
  t.match(results, { inside: { is_error: false, preview: /plain text/ }, outside: { is_error: true }, writing: { is_error: true, preview: /no tool called write_file/ } })
  const shown = said(service.requests(model)[1], 'tool').join('\n')
  t.match(shown, /nobody is there/, 'the model is told why it was refused')
  t.notMatch(shown, /not for everybody/)
  for (const id of [parent, hiddenId]) t.same((await service.get(`/api/approval/pending?session_id=${id}`)).body, { pending: null, pending_count: 0 })
  t.same(cards.frames.map(({ event }) => event), ['initial'], 'no card has flashed up')
  cards.drop()
})

t.test('it works while the conversation is being answered, and sees it as it stands', async (t) => {
  const wait = gate()
  const model = service.model(
    [{ tool: 'list_files', args: {} }],
    held(wait, [{ text: 'Half of ' }], [{ text: 'an answer.' }]),
    [{ text: 'You asked for a list.' }])
  const parent = await sessionWith(model)
  const streamId = await service.send(parent, 'List everything')
  const live = await service.watch(streamId)
  await live.until('token')
  const before = (await service.get(`/api/session?session_id=${parent}`)).text
  const { reader } = await ask(parent, 'What did I ask?')
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'done')?.data, { ephemeral: true, answer: 'You asked for a list.' })
  t.same(said(service.requests(model)[2], 'user'), ['List everything', 'What did I ask?'])
  t.equal(said(service.requests(model)[2], 'tool').length, 1, 'with what the turn has found so far')
  t.equal((await service.get(`/api/session?session_id=${parent}`)).text, before)
  wait.open()
  await live.ended
  t.equal(live.frames.at(-1)?.event, 'stream_end')
  t.equal(tokenText(live.frames), 'Half of an answer.')
})

t.test('a conversation that waits for permission can be asked as well', async (t) => {
  const model = service.model([{ tool: 'terminal', args: { command: 'echo waiting' } }], [{ text: 'I want to run echo.' }])
  const parent = await sessionWith(model)
  const streamId = await service.send(parent, 'Do it')
  await service.pending(parent)
  const { reader } = await ask(parent, 'What do you wait for?')
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'done')?.data, { answer: 'I want to run echo.' })
  t.equal((await service.get(`/api/approval/pending?session_id=${parent}`)).body.pending_count, 1, 'the card is where it was')
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
})

t.test('an answer can be read again for a while; then nothing is left of it', async (t) => {
  const parent = await sessionWith(service.model([{ text: 'Once.' }]))
  const { streamId, hiddenId, reader } = await ask(parent, 'How often?')
  await reader.ended
  await service.app.sideTurns.btw.sweep()
  const replayed = await service.watch(streamId, '&replay=1')
  await replayed.ended
  t.same(replayed.frames, reader.frames, 'the same frames once more')
  aheadMs += retentionMs - 5_000
  await service.app.sideTurns.btw.sweep()
  t.equal((await service.watch(streamId)).status, 200)
  aheadMs += 10_000
  await service.app.sideTurns.btw.sweep()
  const gone = await service.watch(streamId)
  t.equal(gone.status, 404)
  t.equal((await service.get(`/api/session?session_id=${hiddenId}`)).status, 404)
  t.same(traces(hiddenId, streamId), nothing)
  t.equal((await service.session(parent)).session_id, parent)
})

t.test('one that takes longer than that is left alone until it has ended', async (t) => {
  const wait = gate()
  const parent = await sessionWith(service.model(held(wait, [{ text: 'Well' }], [{ text: ', yes.' }])))
  const { streamId, hiddenId, reader } = await ask(parent, 'Is it?')
  await reader.until('token')
  aheadMs += retentionMs + 10_000
  await service.app.sideTurns.btw.sweep()
  wait.open()
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'done')?.data, { answer: 'Well, yes.' })
  await service.app.sideTurns.btw.sweep()
  t.equal((await service.watch(streamId, '&replay=1')).status, 200, 'the time counts from its end')
  aheadMs += retentionMs + 10_000
  await service.app.sideTurns.btw.sweep()
  t.same(traces(hiddenId, streamId), nothing)
})

t.test('deleting the conversation takes its questions on the side along, also those under way', async (t) => {
  const model = service.model([{ text: 'Told.' }], held(gate(), [{ text: 'Still' }], []))
  const parent = await sessionWith(model)
  const told = await ask(parent, 'First?')
  await told.reader.ended
  const open = await ask(parent, 'Second?')
  await open.reader.until('token')
  t.equal((await service.post('/api/session/delete', { session_id: parent })).status, 200)
  await open.reader.ended
  for (const { hiddenId, streamId } of [told, open]) t.same(traces(hiddenId, streamId), nothing)
  await eventually('the run to stop', () => service.app.agent.size().runs === 0)
  t.equal(service.app.chat.activeTurns(), 0)
})

t.test('at most four are answered at once, and the conversation does not count', async (t) => {
  const wait = gate()
  const slow = () => held(wait, [{ text: 'Well' }], [{ text: '.' }])
  const parent = await sessionWith(service.model(slow, slow, slow, slow, slow, slow))
  const turn = await service.send(parent, 'Hello')
  const answers = await Promise.all(Array.from({ length: 6 }, (_, index) => service.post('/api/btw', { session_id: parent, question: `Question ${index}` })))
  t.same(answers.map(({ status }) => status).sort(), [200, 200, 200, 200, 429, 429], 'also when they come all at once')
  const refused = await service.post('/api/btw', { session_id: parent, question: 'One more' })
  t.match(refused, { status: 429, body: { error: /At most 4/ } })
  t.equal((await service.post('/api/btw', { session_id: await sessionWith(service.model()), question: 'Elsewhere' })).status, 200, 'another conversation has its own four')

  const streams = answers.flatMap(({ status, body }) => status === 200 ? [body.stream_id as string] : [])
  t.same((await service.get(`/api/chat/cancel?stream_id=${streams[0]}`)).body, { ok: true, cancelled: true, stream_id: streams[0] })
  const stopped = await service.watch(streams[0]!)
  await stopped.ended
  t.equal(stopped.frames.at(-1)?.event, 'cancel')
  const next = await service.post('/api/btw', { session_id: parent, question: 'One more' })
  t.equal(next.status, 200, 'one that has ended makes room')
  wait.open()
  for (const streamId of [turn, ...streams.slice(1), next.body.stream_id]) await (await service.watch(streamId)).ended
})

t.test('nothing can be typed into it', async (t) => {
  const wait = gate()
  const parent = await sessionWith(service.model(held(wait, [{ text: 'Well' }], [{ text: '.' }])))
  const { hiddenId, reader } = await ask(parent, 'Is it?')
  await reader.until('token')
  t.same((await service.post('/api/chat/steer', { session_id: hiddenId, text: 'Be quick' })).body, { accepted: false, fallback: 'agent_lacks_steer', stream_id: null })
  wait.open()
  await reader.ended
  t.notOk(reader.frames.some(({ event }) => event === 'pending_steer_leftover'))
})

t.test('a model that fails says so, and what is left of that goes the same way', async (t) => {
  const parent = await sessionWith('fault-401')
  const { streamId, hiddenId, reader } = await ask(parent, 'Is it?')
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'auth_mismatch' } })
  t.equal((await service.session(parent)).message_count, 0)
  aheadMs += retentionMs + 10_000
  await service.app.sideTurns.btw.sweep()
  t.same(traces(hiddenId, streamId), nothing)
})

t.test('what makes no sense is refused', async (t) => {
  const parent = await sessionWith(service.model())
  for (const question of ['', ' \n\t']) t.match(await service.post('/api/btw', { session_id: parent, question }), { status: 400, body: { error: /question/ } })
  for (const question of [undefined, null, 5, ['x']]) t.equal((await service.post('/api/btw', { session_id: parent, question })).status, 400)
  t.equal((await service.post('/api/btw', { question: 'Which?' })).status, 400)
  t.match(await service.post('/api/btw', { session_id: 'abcdef012345', question: 'Which?' }), { status: 404, body: { error: 'Session not found' } })
  t.equal((await service.session(parent)).message_count, 0)
})

t.test('asking and deleting at the same moment is no fault, and leaves nothing', async (t) => {
  for (let round = 0; round < 5; round++) {
    const parent = await sessionWith(service.model())
    const calls = [() => service.post('/api/session/delete', { session_id: parent }), () => service.post('/api/btw', { session_id: parent, question: 'Still there?' })]
    const answers = await Promise.all((round % 2 === 0 ? calls : calls.reverse()).map((call) => call()))
    t.ok(answers.every(({ status }) => status === 200 || status === 404), answers.map(({ text }) => text).join(' '))
    t.equal(service.app.db.sqlite.prepare('select count(*) from sessions where parent_session_id = ?').pluck().get(parent), 0)
  }
})

t.test('its title is the beginning of the question, with no character cut in two', async (t) => {
  const parent = await sessionWith(service.model())
  const { hiddenId, reader } = await ask(parent, `x${'🙂'.repeat(70)}`)
  await reader.ended
  t.equal((await service.session(hiddenId)).title, `btw: x${'🙂'.repeat(59)}`)
})

t.test('a crash in the middle leaves an honest end, and nothing once its time is over', async (t) => {
  const folder = t.testdir({})
  const model = service.model([{ text: 'Hello.' }], held(gate(), [{ text: 'I was about to' }], []))
  const server = await spawnServer(t, folder, { OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' })
  const { session: { session_id: parent } } = await server.json('/api/session/new', { model, model_provider: 'openai' })
  const { stream_id: turn } = await server.json('/api/chat/start', { session_id: parent, message: 'Hello' })
  await (await server.events(`/api/chat/stream?stream_id=${turn}`)).ended
  const { session: before } = await server.json(`/api/session?session_id=${parent}`)
  const { stream_id: streamId, session_id: hiddenId } = await server.json('/api/btw', { session_id: parent, question: 'What now?' })
  await (await server.events(`/api/chat/stream?stream_id=${streamId}`)).until('token')
  await server.crash()

  const after = await service.again(t, folder)
  const replayed = await after.watch(streamId, '&replay=1')
  await replayed.ended
  t.match(replayed.frames.at(-1), { event: 'apperror', data: { type: 'interrupted' } })
  t.same((await after.session(parent)).messages, before.messages)
  t.same(await listed(after), [parent])
  aheadMs += retentionMs + 10_000
  await after.app.sideTurns.btw.sweep()
  t.same(traces(hiddenId, streamId, after), nothing)
})

t.test('what is due goes at the next start', async (t) => {
  const folder = t.testdir({})
  const before = await service.again(t, folder)
  const { streamId, hiddenId, reader } = await ask(await sessionWith(before.model([{ text: 'Yes.' }]), before), 'Is it?', before)
  await reader.ended
  await before.stop()
  aheadMs += retentionMs + 10_000
  const after = await service.again(t, folder)
  await eventually('the sweep', () => traces(hiddenId, streamId, after).sessions === 0)
  t.same(traces(hiddenId, streamId, after), nothing)
})
