import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, said, startChat, type ScriptedAnswer } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const service = await startChat(t)
let folders = 0
function newFolder (): string {
  const folder = join(service.folder, `kept-${++folders}`)
  mkdirSync(folder)
  return folder
}

const run = (...commands: string[]): ScriptedAnswer => commands.map((command, index) => ({ tool: 'terminal', args: { command }, id: `call_${index}` }))
const ask = (question: string): ScriptedAnswer => [{ tool: 'clarify', args: { question }, id: 'call_q' }]

t.test('a turn that waits for permission outlives a restart and goes on when it gets it', async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const model = before.model([{ text: 'I want to count. ' }, { tool: 'terminal', args: { command: 'echo $((40 + 2))' } }], [{ text: 'It is 42.' }])
  const streamId = await before.send(sessionId, 'Count', { model })
  const asked = await before.pending(sessionId)
  const early = await before.watch(streamId)
  await early.until('tool')
  await before.stop()
  await early.ended
  t.notOk(early.frames.some(({ event }) => ['apperror', 'cancel', 'stream_end', 'done'].includes(event)), 'nobody is told that the turn is over')
  const lastSeen = early.frames.at(-1)!.id!

  const after = await service.again(t, folder)
  t.same(await after.pending(sessionId), asked, 'the card is the same, down to its id')
  t.match((await after.get('/api/sessions')).body.sessions[0], { session_id: sessionId, is_streaming: true, active_stream_id: streamId, attention: { kind: 'approval', count: 1 } })
  t.match((await after.get(`/api/chat/stream/status?stream_id=${streamId}`)).body, { active: true, replay_available: true })
  t.equal((await after.post('/api/chat/start', { session_id: sessionId, message: 'Another' })).status, 409, 'the turn still holds its session')

  const resumed = await after.watch(streamId, `&after_event_id=${lastSeen}`)
  // The run must be with its host again before it can be answered.
  await eventually('the run', () => after.app.agent.size().runs === 1)
  t.same((await after.respond(sessionId, 'once', asked.approval_id)).body, { ok: true, choice: 'once' })
  await resumed.ended
  const frames = [...early.frames, ...resumed.frames]
  t.same(frames.map(({ id }) => Number(id!.split(':')[1])), frames.map((_, index) => index + 1), 'not a frame is missing or comes twice')
  t.equal(frames.filter(({ event }) => event === 'tool').length, 1, 'the call is announced once')
  t.match(frames.find(({ event }) => event === 'tool_complete')?.data, { is_error: false, preview: /42/ })
  t.same(frames.slice(-2).map(({ event }) => event), ['done', 'stream_end'])
  const { messages, tool_calls: cards, input_tokens: input } = await after.session(sessionId)
  t.same(messages.map(({ role, content }: { role: string, content: string }) => `${role}: ${content.split('\n')[0]}`),
    ['user: Count', 'assistant: I want to count. ', 'tool: 42', 'assistant: It is 42.'])
  t.equal(cards.length, 1)
  t.equal(cards[0].assistant_msg_idx, 1)
  t.ok(input > 0)
  t.match(said(service.requests(model)[1], 'tool').at(-1), /42/, 'the model gets the result of the call it made before')
  t.equal(service.requests(model).length, 2, 'and is not asked again for what it had said')
})

t.test('so does a question, and its time begins when somebody is there again', { long: true }, async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const [answered, expired] = [await before.newSession(), await before.newSession()]
  const model = before.model(ask('Which colour?'), [{ text: 'Thank you.' }])
  const streamId = await before.send(answered, 'Ask', { model })
  const unanswered = await before.send(expired, 'Ask', { model: before.model(ask('Anybody?'), [{ text: 'Nobody.' }]) })
  const asked = await before.pending(answered, 'clarify')
  const late = await before.pending(expired, 'clarify')
  await before.stop()
  t.match(asked, { timeout_seconds: 120, expires_at: null })
  // As if it had been shown, and had expired while the service was away.
  const { openDatabase } = await import('../../services/ground/database/index.js')
  const db = openDatabase({ file: join(folder, 'home', 'webui', 'service.db') })
  db.sqlite.prepare('update prompts set expires_at = ? where id = ?').run(Date.now() / 1000 - 1, late.clarify_id)
  db.close()

  const after = await service.again(t, folder)
  t.same(await after.pending(answered, 'clarify'), asked)
  await eventually('the run', () => after.app.agent.size().runs > 0)
  t.same((await after.post('/api/clarify/respond', { session_id: answered, response: 'blue', clarify_id: asked.clarify_id })).body, { ok: true, response: 'blue' })
  const reader = await after.watch(streamId)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'tool_complete')?.data, { preview: /blue/ })
  const other = await after.watch(unanswered)
  t.equal((await after.post('/api/clarify/respond', { session_id: expired, response: 'me', clarify_id: late.clarify_id })).status, 200)
  await other.ended
  t.match(other.frames.find(({ event }) => event === 'tool_complete')?.data, { preview: /me/ })
})

t.test('calls that were done stay done; those that had not begun begin when it is their turn', { long: true }, async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const streamId = await before.send(sessionId, 'Go', { model: before.model(run('echo one >> log', 'echo two >> log', 'echo three >> log')) })
  const first = await before.pending(sessionId)
  await before.respond(sessionId, 'once', first.approval_id)
  const second = await eventually('the second question', async () => {
    const { pending } = (await before.get(`/api/approval/pending?session_id=${sessionId}`)).body
    return pending !== null && pending.approval_id !== first.approval_id && pending
  })
  await before.post('/api/chat/steer', { session_id: sessionId, text: 'And be quick' })
  await before.stop()
  const after = await service.again(t, folder)
  await eventually('the run', () => after.app.agent.size().runs === 1)
  t.match((await after.respond(sessionId, 'once', first.approval_id)).body, { ok: false }, 'what was answered is not answered again')
  t.match((await after.respond(sessionId, 'once', second.approval_id)).body, { ok: true })
  const third = await eventually('the third question', async () => {
    const { pending } = (await after.get(`/api/approval/pending?session_id=${sessionId}`)).body
    return pending !== null && pending.approval_id !== second.approval_id && pending
  })
  await after.respond(sessionId, 'once', third.approval_id)
  const reader = await after.watch(streamId)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  t.equal(readFileSync(join(after.workspace, 'log'), 'utf8'), 'one\ntwo\nthree\n', 'each command ran once, in order')
  t.same(reader.frames.filter(({ event }) => event === 'tool').map(({ data }) => data.id), ['call_0', 'call_1', 'call_2'])
  const messages = (await after.session(sessionId)).messages
  t.match(messages.find(({ content }: { content: string }) => content === 'And be quick'), { role: 'user', _source: 'steer' }, 'what was typed into the turn is not lost')
})

t.test('a turn in which something may have had an effect is ended instead, and says so', { long: true }, async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const streamId = await before.send(sessionId, 'Go', { model: before.model(run('echo begun >> log; sleep 30')) })
  await before.respond(sessionId, 'once', (await before.pending(sessionId)).approval_id)
  await eventually('the command', () => existsSync(join(before.workspace, 'log')))
  await before.stop()
  const after = await service.again(t, folder)
  t.equal((await after.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending, null)
  const reader = await after.watch(streamId)
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'interrupted', terminal_state: 'interrupted-by-crash' } })
  t.equal(readFileSync(join(after.workspace, 'log'), 'utf8'), 'begun\n')
})

t.test('a yes to a file that became another one while the service was down is no yes to that one', async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const path = join(before.folder, 'shared.txt')
  writeFileSync(path, 'one\n')
  const streamId = await before.send(sessionId, 'Write', { model: before.model([{ tool: 'write_file', args: { path, content: 'mine\n' }, id: 'call_1' }]) })
  const asked = await before.pending(sessionId)
  t.match(asked.diff, /^-one$/m)
  await before.stop()
  writeFileSync(path, 'two\n')

  const after = await service.again(t, folder)
  await eventually('the run', () => after.app.agent.size().runs === 1)
  t.same(await after.pending(sessionId), asked)
  t.same((await after.respond(sessionId, 'once', asked.approval_id)).body, { ok: true, choice: 'once' })
  const reader = await after.watch(streamId)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'tool_complete')?.data, { is_error: true, preview: /has changed since the user was shown/ })
  t.equal(readFileSync(path, 'utf8'), 'two\n')
})

t.test('a waiting turn can be stopped after a restart', async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const streamId = await before.send(sessionId, 'Go', { model: before.model(run('touch never')) })
  const { approval_id: id } = await before.pending(sessionId)
  await before.stop()
  const after = await service.again(t, folder)
  t.match((await after.get(`/api/chat/cancel?stream_id=${streamId}`)).body, { cancelled: true })
  const reader = await after.watch(streamId)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
  t.match((await after.respond(sessionId, 'once', id)).body, { ok: true, stale_cleared: true })
  t.notOk(existsSync(join(after.workspace, 'never')))
  t.same((await after.get('/api/sessions')).body.sessions[0].attention, null)
})

t.test('a damaged row of a waiting turn keeps neither the service nor other turns from going on', { long: true }, async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const [damaged, sound] = [await before.newSession(), await before.newSession()]
  const streamId = await before.send(damaged, 'Go', { model: before.model(run('touch damaged')) })
  await before.pending(damaged)
  const other = await before.send(sound, 'Go', { model: before.model(run('echo sound'), [{ text: 'Done.' }]) })
  await before.pending(sound)
  const { sqlite } = before.app.db
  sqlite.exec("insert into attempts (id, profile, workspace, message, check_seconds, state, limits, created_at) values ('a', 'default', '/', 'Go', 1, 'ready', '{', 0)")
  sqlite.prepare("insert into attempt_sessions (session_id, attempts_id, position, stream_id, state) values (?, 'a', 0, ?, 'done')").run(damaged, streamId)
  await before.stop()
  const after = await service.again(t, folder)
  const reader = await after.watch(streamId)
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'interrupted' } }, 'its turn is lost, and says so')
  t.equal((await after.get(`/api/approval/pending?session_id=${damaged}`)).body.pending, null, 'and so is its card')
  t.equal((await after.session(damaged)).active_stream_id, null)
  await eventually('the run', () => after.app.agent.size().runs === 1)
  await after.pending(sound)
  t.match((await after.respond(sound, 'once')).body, { ok: true })
  const rest = await after.watch(other)
  await rest.ended
  t.equal(rest.frames.at(-1)?.event, 'stream_end')
})

t.test('killed without a warning, with the agent in a process of its own, it is the same', async (t) => {
  const folder = temporaryFolder(t, 'parked')
  const start = (): Promise<ServerProcess> => spawnServer(t, folder, { OFFLINE_DEMO_WORDS_PER_SECOND: '0' })
  const first = await start()
  const { session } = await first.json('/api/session/new', {})
  const { stream_id: streamId } = await first.json('/api/chat/start', { session_id: session.session_id, message: 'run echo alive > proof' })
  const asked = await first.pending(session.session_id)
  await first.crash()
  const second = await start()
  t.match(await second.pending(session.session_id), { approval_id: asked.approval_id, command: asked.command })
  const overview = await second.json('/api/prompts')
  t.match(overview, { approval_count: 1, clarify_count: 0, prompts: [{ type: 'approval', session_id: session.session_id, session_title: String, approval_id: asked.approval_id }] })
  const answer = await eventually('the run to take the answer', async () => {
    const body = await second.respond(session.session_id, 'once', asked.approval_id)
    return body.ok === true && body
  })
  t.same(answer, { ok: true, choice: 'once' })
  const reader = await second.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  t.equal(readFileSync(join(folder, 'workspace', 'proof'), 'utf8'), 'alive\n')
})

t.test('a turn that goes on asks anew when a call has the id of the one before', { long: true }, async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const streamId = await before.send(sessionId, 'Go', { model: before.model(run('echo one >> log'), run('echo two >> log')) })
  const first = await before.pending(sessionId)
  await before.stop()
  const after = await service.again(t, folder)
  await eventually('the run', () => after.app.agent.size().runs === 1)
  await after.respond(sessionId, 'once', first.approval_id)
  const second = await eventually('the second question', async () => {
    const { pending } = (await after.get(`/api/approval/pending?session_id=${sessionId}`)).body
    return pending !== null && pending.approval_id !== first.approval_id && pending
  })
  t.match(second.command, /two/)
  await after.respond(sessionId, 'deny', second.approval_id)
  const reader = await after.watch(streamId)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  t.equal(readFileSync(join(after.workspace, 'log'), 'utf8'), 'one\n')
})

t.test('what needs no question any more after a restart runs, and its card is gone', { long: true }, async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const streamId = await before.send(sessionId, 'Go', { model: before.model(run('echo allowed >> log')) })
  const { approval_id: id } = await before.pending(sessionId)
  await before.stop()
  writeFileSync(join(folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["cmd:echo"]\n')
  const after = await service.again(t, folder)
  const reader = await after.watch(streamId)
  await reader.ended
  t.equal(readFileSync(join(after.workspace, 'log'), 'utf8'), 'allowed\n')
  t.same((await after.get(`/api/approval/pending?session_id=${sessionId}`)).body, { pending: null, pending_count: 0 })
  t.match((await after.respond(sessionId, 'deny', id)).body, { ok: true, stale_cleared: true })
})

t.test('a turn waits for a provider that comes up later than the service', { long: true }, async (t) => {
  const folder = newFolder()
  const before = await service.again(t, folder)
  const sessionId = await before.newSession()
  const streamId = await before.send(sessionId, 'Go', { model: before.model(run('echo late >> log')) })
  const { approval_id: id } = await before.pending(sessionId)
  await before.stop()
  const after = await service.again(t, folder, { env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' } })
  t.match((await after.get(`/api/approval/pending?session_id=${sessionId}`)).body, { pending: { approval_id: id } })
  writeFileSync(join(folder, 'home', '.env'), `OPENAI_API_KEY=test-key-12345\nOPENAI_BASE_URL=${service.endpoint.url}\n`)
  await eventually('the run', () => after.app.agent.size().runs === 1)
  await after.respond(sessionId, 'once', id)
  const reader = await after.watch(streamId)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  t.equal(readFileSync(join(after.workspace, 'log'), 'utf8'), 'late\n')
})
