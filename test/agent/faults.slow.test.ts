import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, said, startChat, telling, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { seqs, tokenText } from '../support/events.js'

const patient = await startChat(t)
/** Times out silent models so soon that only tests of silent models may use it. */
const impatient = await startChat(t, { timing: { firstChunkMs: 400, nextChunkMs: 400 } })
const isSilent = (model: string) => /hang|silence/.test(model)
const terminal = new Set(['cancel', 'error', 'apperror', 'stream_end'])

interface Fault {
  model: string
  says: string
  requests: number
  type: string
  sentence: RegExp
  hint?: RegExp
  partial?: Record<string, unknown>
}

const faults: Fault[] = [
  { model: 'fault-401', says: 'refuses the key', requests: 1, type: 'auth_mismatch', sentence: /refused the API key/, hint: /in Models/ },
  { model: 'fault-402', says: 'wants to be paid', requests: 1, type: 'quota_exhausted', sentence: /no quota left/, hint: /credit/ },
  { model: 'fault-quota', says: 'has no quota left', requests: 1, type: 'quota_exhausted', sentence: /no quota left/, hint: /credit/ },
  { model: 'fault-404', says: 'does not know the model', requests: 1, type: 'model_not_found', sentence: /does not know/, hint: /another model/ },
  { model: 'fault-500', says: 'has a problem of its own', requests: 3, type: 'error', sentence: /problem of its own \(status 500\)/, hint: /again/ },
  { model: 'fault-hang', says: 'never answers', requests: 3, type: 'no_response', sentence: /did not answer/, hint: /running/ },
  { model: 'fault-silence', says: 'opens its answer and says nothing', requests: 3, type: 'no_response', sentence: /did not answer/, hint: /running/ },
  { model: 'fault-garbage', says: 'sends garbage', requests: 3, type: 'error', sentence: /sent an invalid answer/ },
  { model: 'fault-empty', says: 'answers with nothing', requests: 3, type: 'no_response', sentence: /did not answer/ },
  { model: 'fault-overflow', says: 'finds the conversation too long', requests: 1, type: 'error', sentence: /too long/, hint: /Compress|new one/ },
  { model: 'fault-cut-text', says: 'breaks off in the middle of its text', requests: 4, type: 'no_response', sentence: /broke off/, partial: { content: 'This answer breaks off in the middle of' } },
  { model: 'fault-cut-reasoning', says: 'breaks off in the middle of its thoughts', requests: 4, type: 'no_response', sentence: /broke off/, partial: { content: '', reasoning: 'I think about something and' } }
]

for (const { model, says, requests, type, sentence, hint, partial } of faults) {
  t.test(`when the model ${says}, the turn ends with one sentence a person can act on, and the next one works`, async (t) => {
    const service = isSilent(model) ? impatient : patient
    const sessionId = await service.newSession()
    const { frames, last, streamId } = await service.turn(sessionId, 'Hello', model)

    t.equal(service.requests(model).length, requests, 'tried as often as it makes sense')
    t.same(frames.filter((frame) => terminal.has(frame.event)).map((frame) => frame.event), ['apperror'], 'there is one end')
    t.equal(last.event, 'apperror')
    t.notOk(frames.some((frame) => frame.event === 'done'))
    t.same(seqs(frames), frames.map((_, index) => index + 1))
    t.match(last.data, { type, error: sentence, terminal_state: 'errored', session: { session_id: sessionId, active_stream_id: null } })
    t.equal(last.data.message, last.data.error)
    if (hint !== undefined) t.match(last.data.hint, hint)
    const words = JSON.stringify({ ...last.data, session: null })
    t.notMatch(words, /sk-test|test-key|\/srv\/|127\.0\.0\.1|node_modules|\bat [\w.]+ \(/, 'it tells no key, path, address or stack')
    const interim = frames.filter((frame) => frame.event === 'interim_assistant')
    t.same(interim, [], 'an attempt that repeats another one takes nothing back')

    const { messages, ...session } = await service.session(sessionId)
    t.same(messages, last.data.session.messages, 'the frame shows what is stored')
    t.match(messages.map((row: { role: string }) => row.role), ['user', ...(partial === undefined ? [] : ['assistant']), 'assistant'])
    if (partial !== undefined) t.match(messages[1], { ...partial, _partial: true }, 'what was heard is kept')
    t.match(messages.at(-1), { role: 'assistant', _error: true, content: sentence })
    t.same(messages.at(-1)._errorAbout, last.data.about, 'whom the sentence names is stored as well')
    if (type === 'auth_mismatch') t.same(last.data.about, { provider: 'OpenAI' })
    t.match(session, { active_stream_id: null, is_streaming: false })
    t.match((await service.get(`/api/chat/stream/status?stream_id=${streamId}`)).body, { active: false, journal: { terminal: true, terminal_state: 'errored', last_event: 'apperror' } })

    const well = service.model([{ text: 'Here I am.' }])
    const next = await service.turn(sessionId, 'Still there?', well)
    t.equal(next.last.event, 'stream_end', 'the next turn works')
    const shown = JSON.stringify(service.requests(well)[0]?.messages)
    t.notMatch(shown, sentence, 'the error is never shown to the model')
    t.match(said(service.requests(well)[0], 'user').join(' '), /Hello[^]*Still there\?/, 'what was asked before is shown as well')
    if (partial?.content !== undefined && partial.content !== '') t.match(said(service.requests(well)[0], 'assistant'), [partial.content])
  })
}

for (const fault of ['429', '500', 'hang', 'silence', 'garbage', 'empty', 'cut-text', 'cut-reasoning']) {
  t.test(`a model that stumbles once (${fault}) is asked again, and the answer is the second one`, { long: true }, async (t) => {
    const service = isSilent(fault) ? impatient : patient
    const model = `fault-${fault}-once`
    const sessionId = await service.newSession()
    const { frames, events, last } = await service.turn(sessionId, 'Hello', model)
    t.equal(last.event, 'stream_end')
    t.equal(service.requests(model).length, 2)
    t.match(frames.find((frame) => frame.event === 'warning')?.data, { type: 'retry', message: /Trying again/ })
    const [row] = (await service.session(sessionId)).messages.slice(-1)
    t.match(row, { role: 'assistant', content: /^word1 word2 .* word12$/ })
    t.equal((await service.session(sessionId)).messages.length, 2, 'nothing of the first try is left')
    t.notOk('reasoning' in row)
    const restarted = frames.findIndex((frame) => frame.event === 'interim_assistant')
    t.equal(restarted !== -1, fault.startsWith('cut'), 'what was heard is taken back')
    t.match((restarted === -1 ? '' : frames[restarted]!.data.text) + tokenText(frames.slice(restarted + 1)), /^word1 .* word12$/)
    t.equal(events.filter((event) => event === 'apperror').length, 0)
  })
}

t.test('when the answer after a tool breaks off, what came before the tool stays', async (t) => {
  const cut = [{ text: 'Half an' }, { cut: true as const }]
  const model = patient.model([{ text: 'Let me see. ' }, { tool: 'list_files', args: {}, id: 'call_list' }], cut, [{ text: 'A whole answer.' }])
  const sessionId = await patient.newSession()
  const { frames } = await patient.turn(sessionId, 'Hello', model)
  const interim = frames.filter((frame) => frame.event === 'interim_assistant').map((frame) => frame.data)
  t.match(interim, [{ text: 'Let me see. ', already_streamed: true }, { text: /^A/, already_streamed: false }], 'what stands already is never told as new')
  t.match((await patient.session(sessionId)).messages, [{ role: 'user' }, { content: 'Let me see. ' }, { role: 'tool' }, { content: 'A whole answer.' }])

  const lost = patient.model([{ text: 'Let me see. ' }, { tool: 'list_files', args: {}, id: 'call_list' }], cut, cut, cut, cut)
  const failed = await patient.newSession()
  const turn = await patient.turn(failed, 'Hello', lost)
  t.equal(turn.last.event, 'apperror')
  t.match((await patient.session(failed)).messages, [{ role: 'user' }, { content: 'Let me see. ' }, { role: 'tool' }, { content: 'Half an', _partial: true }, { _error: true }])
  const next = patient.model()
  t.equal((await patient.turn(failed, 'Go on', next)).last.event, 'stream_end')
  t.same(patient.requests(next)[0]?.messages.map((message) => message.role), ['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
})

t.test('a model that stops talking in the middle is given up, and its words are kept', async (t) => {
  const mute = () => held(gate(), [{ text: 'I was about to' }], [])
  const sessionId = await impatient.newSession()
  const { last } = await impatient.turn(sessionId, 'Hello', impatient.model(mute, mute, mute, mute))
  t.match(last, { event: 'apperror', data: { type: 'no_response' } })
  t.match((await impatient.session(sessionId)).messages, [{}, { content: 'I was about to', _partial: true }, { _error: true }])
})

t.test('a turn can be stopped while it waits to try again', { long: true }, async (t) => {
  const slow = await startChat(t, { timing: { retryBaseMs: 60_000 } })
  const sessionId = await slow.newSession()
  const streamId = await slow.send(sessionId, 'Hello', { model: 'fault-500' })
  const reader = await slow.watch(streamId)
  await reader.until('warning')
  t.same((await slow.get(`/api/chat/cancel?stream_id=${streamId}`)).body, { ok: true, cancelled: true, stream_id: streamId })
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
  t.equal((await slow.turn(sessionId, 'Again', slow.model())).last.event, 'stream_end')
})

t.test('what was typed into a turn that fails comes back', { long: true }, async (t) => {
  const wait = gate()
  const model = patient.model(held(wait, [{ text: 'Well' }, { waitMs: 1 }], [{ cut: true }]), ...Array.from({ length: 3 }, () => [{ text: 'Well' }, { cut: true as const }]))
  const sessionId = await patient.newSession()
  const streamId = await patient.send(sessionId, 'Hello', { model })
  const reader = await patient.watch(streamId)
  await reader.until('token')
  t.match((await patient.post('/api/chat/steer', { session_id: sessionId, text: 'Do not lose this' })).body, { accepted: true })
  wait.open()
  await reader.ended
  t.same(telling(reader.frames).slice(-2), ['pending_steer_leftover', 'apperror'])
  t.match(reader.frames.find((frame) => frame.event === 'pending_steer_leftover')?.data, { text: 'Do not lose this' })
})

t.test('a provider that is not set up is named before anything is asked', async (t) => {
  const sessionId = await patient.newSession()
  const streamId = await patient.send(sessionId, 'Hello', { model: '@nowhere:some-model' })
  const reader = await patient.watch(streamId)
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'model_not_found', error: /nowhere.*not configured/ } })
  t.match((await patient.session(sessionId)), { active_stream_id: null, message_count: 2 })
})

t.test('tools that fail never end a turn', async (t) => {
  const sessionId = await patient.newSession()
  await patient.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  writeFileSync(join(patient.workspace, 'a file'), 'x')
  const failures: Array<[string, string, Record<string, unknown>, RegExp]> = [
    ['a missing file', 'read_file', { path: 'no/such/file.txt' }, /does not exist/],
    ['a folder for a file', 'read_file', { path: '.' }, /folder/],
    ['a file for a folder', 'list_files', { path: 'a file' }, /./],
    ['an edit that does not fit', 'edit_file', { path: 'a file', old_text: 'y', new_text: 'z', old_string: 'y', new_string: 'z' }, /./],
    ['a command that fails', 'terminal', { command: 'exit 3' }, /exit code 3/],
    ['a program that is not there', 'terminal', { command: 'no-such-program-here' }, /not found/],
    ['a command that takes too long', 'terminal', { command: 'sleep 30; touch late.txt', timeout_s: 1 }, /time limit/],
    ['an address nobody is at', 'web_fetch', { url: 'http://127.0.0.1:9/' }, /./]
  ]
  for (const [what, tool, args, told] of failures) {
    const model = patient.model([{ tool, args, id: 'call_f' }], [{ text: 'I see.' }])
    const { frames, last } = await patient.turn(sessionId, what, model)
    t.equal(last.event, 'stream_end', what)
    t.match(frames.find((frame) => frame.event === 'tool_complete')?.data, { id: 'call_f', is_error: true }, `${what} is shown as failed`)
    t.match(said(patient.requests(model)[1], 'tool').at(-1), told, `${what} is told to the model`)
  }
  t.notOk(existsSync(join(patient.workspace, 'late.txt')))
})

t.test('an answer without a title keeps the first words as its title, and does not wait for one', { long: true }, async (t) => {
  const other = await startChat(t)
  writeFileSync(join(other.folder, 'home', 'config.yaml'), 'auxiliary:\n  title_generation:\n    model: fault-500\n')
  const sessionId = await other.newSession()
  const { last } = await other.turn(sessionId, 'How do I bake a very good loaf of bread?', other.model())
  t.equal(last.event, 'stream_end')
  t.match((await other.session(sessionId)).title, /^How do I bake/)

  writeFileSync(join(other.folder, 'home', 'config.yaml'), 'auxiliary:\n  title_generation:\n    model: fault-hang # never\n')
  const waiting = await other.newSession()
  const model = other.model()
  const streamId = await other.send(waiting, 'How do I bake bread?', { model })
  const reader = await other.watch(streamId)
  await reader.until('done')
  t.equal((await other.session(waiting)).active_stream_id, null, 'the session is free while the title is awaited')
  const second = await other.turn(waiting, 'And cake?', model)
  t.equal(second.last.event, 'stream_end')
  await other.get(`/api/chat/cancel?stream_id=${streamId}`)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  t.equal(reader.frames.filter((frame) => frame.event === 'stream_end').length, 1)

  const deleted = await other.newSession()
  const late = await other.watch(await other.send(deleted, 'How do I bake bread?', { model }))
  await late.until('done')
  t.equal((await other.post('/api/session/delete', { session_id: deleted })).status, 200)
  await late.ended
  t.equal(late.frames.at(-1)?.event, 'stream_end', 'a session that is deleted meanwhile ends its stream properly')
})

t.test('a model that never comes to an end is brought to one', { long: true }, async (t) => {
  const again: ScriptedAnswer = [{ tool: 'todo', args: { todos: [] } }]
  const model = patient.model(...Array.from({ length: 99 }, () => again), [{ text: 'That is as far as I got.' }], again)
  const sessionId = await patient.newSession()
  const { frames, last } = await patient.turn(sessionId, 'Go on for ever', model)
  t.equal(last.event, 'stream_end')
  t.match(frames.find((frame) => frame.event === 'done')?.data, { terminal_state: 'tool_limit_reached' })
  t.equal(patient.requests(model).length, 100)
  t.equal(patient.requests(model)[99]?.body['tool_choice'], 'none', 'the last step is for words')
  t.equal((await patient.session(sessionId)).messages.at(-1).content, 'That is as far as I got.')

  const stubborn = patient.model(...Array.from({ length: 100 }, () => again))
  const other = await patient.newSession()
  t.equal((await patient.turn(other, 'Go on for ever', stubborn)).last.event, 'stream_end')
  const next = patient.model()
  t.equal((await patient.turn(other, 'Enough', next)).last.event, 'stream_end')
  const shown = patient.requests(next)[0]!.messages
  const calls = shown.flatMap((message) => (message.tool_calls as Array<{ id: string }> | undefined) ?? []).map((call) => call.id)
  t.same(shown.filter((message) => message.role === 'tool').map((message) => message.tool_call_id), calls, 'every call has a result')
})

t.test('a service that is stopped in the middle of a turn says so, keeps what was said, and goes on after a restart', async (t) => {
  const folder = join(patient.folder, 'stopped')
  mkdirSync(folder)
  const before = await patient.again(t, folder)
  const sessionId = await before.newSession()
  const streamId = await before.send(sessionId, 'Hello', { model: before.model(held(gate(), [{ text: 'I begin' }], [])) })
  const reader = await before.watch(streamId)
  await reader.until((frame) => frame.event === 'token' && tokenText(reader.frames) === 'I begin')
  await before.stop()
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'interrupted', recovery_control: true, error: /service was stopped/ } })

  const after = await patient.again(t, folder)
  t.match((await after.session(sessionId)), { active_stream_id: null, messages: [{ role: 'user' }, { content: 'I begin', _partial: true }, { _error: true }] })
  const replay = await after.watch(streamId, '&replay=1')
  await replay.ended
  t.same(replay.frames, reader.frames, 'the stream is the same to those who come back')
  t.equal((await after.turn(sessionId, 'Go on', after.model())).last.event, 'stream_end')
})

t.test('when the agent\'s process dies', { long: true }, async (t) => {
  const forked = await startChat(t, { hosts: 'fork' })
  const pidOf = async (on: ChatService) => await eventually('a running agent', async () => {
    const { agent } = (await on.get('/api/system/health')).body
    return agent.running === true && agent.pid as number
  })

  await t.test('the turn says so, keeps what was said, and the next one has a new process', async (t) => {
    const model = forked.model(held(gate(), [{ text: 'I was saying' }], []), [{ text: 'Here again.' }])
    const sessionId = await forked.newSession()
    const streamId = await forked.send(sessionId, 'Hello', { model })
    const reader = await forked.watch(streamId)
    await reader.until((frame) => frame.event === 'token' && tokenText(reader.frames) === 'I was saying')
    const pid = await pidOf(forked)
    process.kill(pid, 'SIGKILL')
    await reader.ended
    t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'interrupted', error: /agent process stopped/, hint: String, terminal_state: 'interrupted-by-crash', session: { session_id: sessionId } } })
    t.equal(reader.frames.filter((frame) => terminal.has(frame.event)).length, 1)
    t.match((await forked.session(sessionId)).messages, [{ role: 'user' }, { content: 'I was saying', _partial: true }, { _error: true }])
    t.match((await forked.get(`/api/chat/stream/status?stream_id=${streamId}`)).body, { active: false, journal: { terminal_state: 'interrupted-by-crash' } })

    const next = await forked.turn(sessionId, 'Still there?', model)
    t.equal(next.last.event, 'stream_end')
    t.not(await pidOf(forked), pid)
    t.notMatch(JSON.stringify(forked.requests(model)[1]?.messages), /agent process/)
  })

  await t.test('an open question goes off the table, and every turn that ran there is told', async (t) => {
    const asking = forked.model([{ tool: 'terminal', args: { command: 'echo x' }, id: 'call_lost' }], [{ text: 'Fine.' }])
    const [first, second] = [await forked.newSession(), await forked.newSession()]
    const streams = [await forked.send(first, 'Ask', { model: asking }), await forked.send(second, 'Talk', { model: forked.model(held(gate(), [{ text: 'Talking' }], [])) })]
    const readers = await Promise.all(streams.map((streamId) => forked.watch(streamId)))
    await readers[1]?.until('token')
    const pending = await forked.pending(first)
    process.kill(await pidOf(forked), 'SIGKILL')
    for (const reader of readers) {
      await reader.ended
      t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'interrupted' } })
    }
    t.same((await forked.get(`/api/approval/pending?session_id=${first}`)).body, { pending: null, pending_count: 0 })
    t.match((await forked.respond(first, 'once', pending.approval_id)).body, { ok: true, stale_cleared: true })
    t.match((await forked.session(first)).messages.find((row: { role: string }) => row.role === 'tool'), { tool_call_id: 'call_lost', is_error: true }, 'the open call has a result that says so')
    const next = await forked.turn(first, 'Again', asking)
    t.equal(next.last.event, 'stream_end')
  })

  await t.test('or hangs, the turn can be stopped all the same', async (t) => {
    const sessionId = await forked.newSession()
    const streamId = await forked.send(sessionId, 'Hello', { model: forked.model(held(gate(), [{ text: 'Well' }], [])) })
    const reader = await forked.watch(streamId)
    await reader.until('token')
    const pid = await pidOf(forked)
    process.kill(pid, 'SIGSTOP')
    t.same((await forked.get(`/api/chat/cancel?stream_id=${streamId}`)).body, { ok: true, cancelled: true, stream_id: streamId })
    t.match(await forked.session(sessionId), { active_stream_id: null, messages: [{}, { content: 'Well', _partial: true }] })
    await reader.ended
    t.equal(reader.frames.at(-1)?.event, 'cancel')
    process.kill(pid, 'SIGKILL')
    await eventually('the loss to be noticed', async () => (await forked.get('/api/system/health')).body.agent.pid !== pid)
    t.equal((await forked.turn(sessionId, 'Hello again', forked.model())).last.event, 'stream_end')
  })

  await t.test('between turns nobody notices', async (t) => {
    const sessionId = await forked.newSession()
    await forked.turn(sessionId, 'Hello', forked.model())
    process.kill(await pidOf(forked), 'SIGKILL')
    await eventually('the loss to be noticed', async () => (await forked.get('/api/system/health')).body.agent.running === false)
    t.equal((await forked.turn(sessionId, 'Hello again', forked.model())).last.event, 'stream_end')
  })
})
