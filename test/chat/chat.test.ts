import fc from 'fast-check'
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, said, startChat, telling, wireFrames, type ScriptedAnswer } from '../support/chat.js'
import { openEvents, seqs, tokenText, type EventReader, type ReceivedFrame } from '../support/events.js'
import { type ModelStep } from '../support/model-endpoint.js'

const service = await startChat(t)
writeFileSync(join(service.workspace, 'notes.txt'), 'hello from the notes\n')
const sequence = (length: number) => Array.from({ length }, (_, index) => index + 1)

t.test('a reply arrives piece by piece: thoughts, words, tools, title, the settled message, the end', async (t) => {
  service.proposeTitle('Notes read aloud')
  const model = service.model(
    [{ reasoning: 'The notes will tell.' }, { text: 'Let me look.' }, { tool: 'read_file', args: { path: 'notes.txt' }, id: 'call_notes' }, { usage: { input: 100, output: 20 } }],
    [{ reasoning: 'There it is.' }, { text: 'They say hello.' }, { usage: { input: 130, output: 10 } }]
  )
  const sessionId = await service.newSession()
  const { streamId, frames, events } = await service.turn(sessionId, 'What do the notes say?', model)

  t.same(events, ['reasoning', 'token', 'interim_assistant', 'tool', 'tool_complete', 'reasoning', 'token', 'title', 'done', 'stream_end'])
  t.same(seqs(frames), sequence(frames.length), 'sequence numbers count from 1 without a hole')
  t.ok(frames.every((frame) => frame.id?.startsWith(`${streamId}:`)), 'every frame carries the stream\'s id')
  const of = (event: string) => frames.find((frame) => frame.event === event)?.data

  const started = of('tool')
  t.match(started, { event_type: 'tool.started', name: 'read_file', args: { path: 'notes.txt' }, id: 'call_notes', tool_call_id: 'call_notes', tid: 'call_notes' })
  t.type(started.preview, 'string')
  const completed = of('tool_complete')
  t.match(completed, { name: 'read_file', args: { path: 'notes.txt' }, id: 'call_notes', tool_call_id: 'call_notes', tid: 'call_notes', is_error: false })
  t.type(completed.duration, 'number')
  t.match(completed.preview, /hello from the notes/)
  t.match(of('interim_assistant'), { text: 'Let me look.', already_streamed: true }, 'a segment that was streamed is marked as such')
  t.same(of('title'), { session_id: sessionId, title: 'Notes read aloud' })
  t.same(of('stream_end'), { session_id: sessionId })

  const { session, usage } = of('done')
  t.equal(session.session_id, sessionId)
  t.same(session.messages.map((row: { role: string }) => row.role), ['user', 'assistant', 'tool', 'assistant'])
  t.equal(session.messages[3].content, 'They say hello.')
  t.match(session.messages[1], { content: 'Let me look.', reasoning: 'The notes will tell.', tool_calls: [{ id: 'call_notes', type: 'function', function: { name: 'read_file' } }] })
  t.same(JSON.parse(session.messages[1].tool_calls[0].function.arguments), { path: 'notes.txt' })
  t.match(session.messages[2], { tool_call_id: 'call_notes', name: 'read_file', content: /hello from the notes/ })
  t.match(session.tool_calls, [{ name: 'read_file', tid: 'call_notes', assistant_msg_idx: 1, args: { path: 'notes.txt' } }])
  for (const row of session.messages) {
    t.type(row.message_id, 'string')
    t.equal(row.timestamp, row._ts)
  }
  t.ok(typeof usage === 'object' && !Array.isArray(usage))
  for (const key of ['input_tokens', 'output_tokens', 'cache_read_tokens', 'cache_write_tokens']) t.ok(Number.isInteger(usage[key]), `${key} is a whole number`)
  t.match(usage, { input_tokens: 230, output_tokens: 30, last_prompt_tokens: 140 })
  t.equal(session.active_stream_id, null, 'the settled session has no live stream')
  t.equal(tokenText(frames), 'Let me look.They say hello.')

  const stored = await service.session(sessionId)
  t.same(stored.messages, session.messages, 'what was settled is what is stored')
  t.equal(stored.title, 'Notes read aloud')
  t.match(stored, { input_tokens: 230, output_tokens: 30, message_count: 4, user_message_count: 1 })
})

t.test('the stream is served so that no proxy holds it back', async (t) => {
  const streamId = await service.send(await service.newSession(), 'Hello', { model: service.model() })
  const { status, headers, ended } = await service.watch(streamId)
  t.equal(status, 200)
  t.equal(headers['content-type'], 'text/event-stream')
  t.equal(headers['cache-control'], 'no-cache')
  t.equal(headers['x-accel-buffering'], 'no')
  t.equal(headers['content-encoding'], undefined)
  await ended
})

t.test('while the model says nothing, every stream shows that the line is alive', async (t) => {
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Say nothing', { model: 'fault-silence' })
  const chat = await service.watch(streamId)
  const beside = await Promise.all(['/api/approval/stream?session_id=' + sessionId, '/api/clarify/stream?session_id=' + sessionId, '/api/sessions/events'].map((path) => service.events(path)))
  await eventually('a heartbeat', () => chat.comments.length > 0)
  t.equal(chat.comments[0], 'heartbeat')
  t.same(chat.frames, [], 'it comes before any frame')
  for (const reader of beside) {
    await eventually('a keepalive', () => reader.comments.length > 0)
    t.equal(reader.comments[0], 'keepalive')
    reader.drop()
  }
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
  await chat.ended
})

t.test('a message that cannot be sent is refused in words, and leaves nothing behind', async (t) => {
  const sessionId = await service.newSession()
  const refused: Array<[string, unknown, number, RegExp]> = [
    ['no body', '', 400, /session_id.*message|message.*session_id/],
    ['an empty object', {}, 400, /Missing required field\(s\).*session_id/],
    ['no message', { session_id: sessionId }, 400, /message/],
    ['an empty message', { session_id: sessionId, message: '' }, 400, /message/],
    ['a blank message', { session_id: sessionId, message: ' \n\t ' }, 400, /message/],
    ['null for the message', { session_id: sessionId, message: null }, 400, /message/],
    ['a number for the message', { session_id: sessionId, message: 5 }, 400, /message/],
    ['a list for the message', { session_id: sessionId, message: ['Hello'] }, 400, /message/],
    ['a number for the session', { session_id: 12, message: 'Hello' }, 400, /session_id/],
    ['an empty session id', { session_id: '', message: 'Hello' }, 400, /session_id/],
    ['text for the flag', { session_id: sessionId, message: 'Hello', explicit_model_pick: 'yes' }, 400, /explicit_model_pick/],
    ['an object for the attachments', { session_id: sessionId, message: 'Hello', attachments: {} }, 400, /attachments/],
    ['a relative workspace', { session_id: sessionId, message: 'Hello', workspace: 'here' }, 400, /workspace/],
    ['a missing workspace', { session_id: sessionId, message: 'Hello', workspace: join(service.folder, 'nowhere') }, 400, /workspace/],
    ['broken JSON', '{"session_id": ', 400, /JSON/],
    ['a list as the body', '[]', 400, /./],
    ['a number as the body', '5', 400, /./],
    ['null as the body', 'null', 400, /session_id/],
    ['an unknown session', { session_id: 'abcdefabcdef', message: 'Hello' }, 404, /^Session not found$/]
  ]
  for (const [what, body, status, text] of refused) {
    const answer = await service.post('/api/chat/start', body)
    t.equal(answer.status, status, `${what}: ${status}`)
    t.match(answer.body?.error, text, `${what}: says why`)
  }
  const session = await service.session(sessionId)
  t.match(session, { message_count: 0, title: 'Untitled', active_stream_id: null })
})

t.test('keys nobody knows and null for optional ones do no harm', async (t) => {
  const answer = await service.post('/api/chat/start', {
    session_id: await service.newSession(), message: 'Hello', model: service.model(), future_key: { deep: [1] }, workspace: null, model_provider: null, attachments: null, profile: null, explicit_model_pick: null
  })
  t.equal(answer.status, 200)
  t.match(answer.body.stream_id, /^[0-9a-f]{32}$/)
  t.type(answer.body.pending_started_at, 'number')
  await (await service.watch(answer.body.stream_id)).ended
})

t.test('null inside an attachment counts as left out, too', async (t) => {
  const sessionId = await service.newSession()
  const answer = await service.post('/api/chat/start', { session_id: sessionId, message: 'Hello', model: service.model(), attachments: [{ name: 'a.png', path: null, mime: null, size: null, is_image: null }] })
  t.equal(answer.status, 200)
  if (answer.status === 200) await (await service.watch(answer.body.stream_id)).ended
})

t.test('of two messages sent at the same moment one is taken and one is turned away', async (t) => {
  const sessionId = await service.newSession()
  const model = service.model()
  const answers = await Promise.all(['One', 'Two', 'Three'].map((message) => service.post('/api/chat/start', { session_id: sessionId, message, model })))
  t.same(answers.map(({ status }) => status).sort(), [200, 409, 409])
  const { stream_id: streamId } = answers.find(({ status }) => status === 200)!.body
  t.ok(answers.filter(({ status }) => status === 409).every(({ body }) => body.active_stream_id === streamId))
  await (await service.watch(streamId)).ended
  t.equal((await service.session(sessionId)).user_message_count, 1)
})

t.test('a message in a body that says it is text is refused, not misread', async (t) => {
  const answer = await service.post('/api/chat/start', { session_id: 'x', message: 'Hello' }, { 'content-type': 'text/plain' })
  t.ok(answer.status >= 400 && answer.status < 500)
  t.type(answer.body.error, 'string')
})

t.test('a session of another front end can be read but not written to', async (t) => {
  const sessionId = await service.newSession()
  service.app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(sessionId)
  const answer = await service.post('/api/chat/start', { session_id: sessionId, message: 'Hello' })
  t.equal(answer.status, 403)
  t.match(answer.body.error, /read-only/)
})

t.test('a message of nothing but [SILENT] is swallowed', async (t) => {
  const sessionId = await service.newSession()
  const answer = await service.post('/api/chat/start', { session_id: sessionId, message: '[SILENT]' })
  t.equal(answer.status, 200)
  t.same(answer.body, { status: 'suppressed', reason: 'silent_control_message' })
  t.equal((await service.session(sessionId)).message_count, 0)
})

t.test('while a turn runs: the message stands in the transcript, the row shows it, a second message is turned away', async (t) => {
  service.proposeTitle('Weather talk')
  const wait = gate()
  const model = service.model(held(wait, [], [{ text: 'Sunny.' }]))
  const sessionId = await service.newSession()
  const question = 'What will the weather be like tomorrow in the mountains above the lake, and the day after?'
  const started = (await service.post('/api/chat/start', { session_id: sessionId, message: question, model })).body
  const streamId: string = started.stream_id

  const session = await service.session(sessionId)
  t.match(session.messages, [{ role: 'user', content: question, _active_turn_user: true }])
  t.equal(session.title, question.slice(0, 64).trim(), 'the title is the message\'s beginning for now')
  t.equal(started.title, session.title)
  t.match(session, { active_stream_id: streamId, is_streaming: true, pending_user_message: null })
  t.ok(session.pending_started_at > 0)
  t.match((await service.get(`/api/session/status?session_id=${sessionId}`)).body, { agent_running: true, is_streaming: true, active_stream_id: streamId })
  const row = (await service.get('/api/sessions')).body.sessions.find((entry: { session_id: string }) => entry.session_id === sessionId)
  t.match(row, { is_streaming: true, active_stream_id: streamId, message_count: 1 })

  const second = await service.post('/api/chat/start', { session_id: sessionId, message: 'And next week?', model })
  t.equal(second.status, 409)
  t.same(second.body, { error: 'session already has an active stream', active_stream_id: streamId })
  t.equal((await service.session(sessionId)).message_count, 1, 'the second message left nothing')

  const live = (await service.get(`/api/chat/stream/status?stream_id=${streamId}`)).body
  t.match(live, { active: true, stream_id: streamId, replay_available: true, journal: { session_id: sessionId, run_id: streamId, terminal: false, terminal_state: /^(unknown|running)$/ } })

  wait.open()
  const reader = await service.watch(streamId)
  await reader.ended
  const settled = (await service.get(`/api/chat/stream/status?stream_id=${streamId}`)).body
  t.match(settled, {
    active: false, stream_id: streamId, replay_available: true,
    journal: { session_id: sessionId, last_seq: reader.frames.length, last_event_id: `${streamId}:${reader.frames.length}`, last_event: 'stream_end', terminal: true, terminal_state: 'completed' }
  })
  t.match(await service.session(sessionId), { title: 'Weather talk', active_stream_id: null, is_streaming: false })
  t.match((await service.get(`/api/session/status?session_id=${sessionId}`)).body, { agent_running: false, active_stream_id: null, title: 'Weather talk' })
})

t.test('a stream nobody knows is said to be unknown', async (t) => {
  for (const path of ['/api/chat/stream', '/api/chat/stream/status']) {
    const answer = await service.get(`${path}?stream_id=${'0'.repeat(32)}`)
    t.equal(answer.status, 404)
    t.same(answer.body, { error: 'stream not found' })
    t.equal((await service.get(path)).status, 400)
  }
})

t.test('an answer that broke off is told on and not again: for who appends, for who replaces, and for who comes later', async (t) => {
  const whole = 'One two three four.'
  const cutAt = (text: string) => [{ text }, { cut: true as const }]
  const thinks = (reasoning: string, text: string) => [{ reasoning }, { text }]
  const table: Array<[says: string, attempts: ScriptedAnswer[], takesBack: boolean]> = [
    ['the same again and more', [cutAt('One two'), [{ text: 'One' }, { text: ' two th' }, { text: 'ree four.' }]], false],
    ['the same in one piece', [cutAt('One two'), [{ text: whole }]], false],
    ['the same, cut twice', [cutAt('One two'), cutAt('One'), cutAt('One two three'), [{ text: whole }]], false],
    ['exactly the same', [cutAt(whole), [{ text: whole }]], false],
    ['something else', [cutAt('Eins zwei'), [{ text: whole }]], true],
    ['something else after some words', [cutAt('One too'), [{ text: 'One t' }, { text: 'wo three four.' }]], true],
    ['less', [cutAt(`${whole} Five.`), [{ text: whole }]], true],
    ['the same thought and text', [[...thinks('Hm. ', 'One two'), { cut: true as const }], thinks('Hm. ', whole)], false],
    ['another thought', [[...thinks('Hm. ', 'One two'), { cut: true as const }], thinks('Well. ', whole)], true],
    ['no thought', [[...thinks('Hm. ', 'One two'), { cut: true as const }], [{ text: whole }]], true]
  ]
  for (const [says, attempts, takesBack] of table) {
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Count', { model: service.model(...attempts) })
    const reader = await service.watch(streamId)
    await reader.ended
    const said = reader.frames.filter(({ event }) => event === 'token' || event === 'interim_assistant')
    const replaced = said.reduce((text, { event, data }) => event === 'token' ? text + data.text : data.already_streamed === true ? text : data.text, '')
    const appended = said.reduce((text, { event, data }) => event === 'token' ? text + data.text : data.already_streamed === true ? text : `${text}\n\n${data.text}`, '')
    t.equal(replaced, whole, says)
    if (takesBack) t.match(appended, /\n\nOne.*four\.$/, `${says}: in a paragraph of its own`)
    else t.equal(appended, whole, `${says}: nothing twice`)
    t.match((await service.session(sessionId)).messages.at(-1), { content: whole }, says)
    const again = await service.watch(streamId, '&replay=1')
    await again.ended
    t.same(again.frames.filter(({ event }) => event === 'token' || event === 'interim_assistant').map(({ data }) => data), said.map(({ data }) => data), `${says}: replayed as it was`)
  }
})

t.test('an automatic title never replaces the one a person chose', async (t) => {
  service.proposeTitle('A machine\'s idea')
  const wait = gate()
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Hello', { model: service.model(held(wait, [], [{ text: 'Hi.' }])) })
  await service.post('/api/session/rename', { session_id: sessionId, title: 'My own' })
  wait.open()
  const reader = await service.watch(streamId)
  await reader.ended
  t.notOk(reader.frames.some((frame) => frame.event === 'title'))
  t.equal((await service.session(sessionId)).title, 'My own')
})

t.test('a title of the service\'s own is made anew every so many turns, and whenever a person asks', async (t) => {
  const sessionId = await service.newSession()
  const turn = async (title: string): Promise<string> => {
    service.proposeTitle(title)
    await (await service.watch(await service.send(sessionId, `About ${title}`, { model: service.model([{ text: 'Well.' }]) }))).ended
    return (await service.session(sessionId)).title
  }
  t.equal(await turn('First'), 'First')
  for (const title of ['b', 'c', 'd', 'e']) t.equal(await turn(title), 'First', 'never, unless it is set')
  await service.post('/api/settings', { auto_title_refresh_every: '5' })
  for (const title of ['f', 'g', 'h', 'i']) t.equal(await turn(title), 'First')
  t.equal(await turn('Tenth'), 'Tenth')
  await service.post('/api/session/rename', { session_id: sessionId, title: 'Mine' })
  for (const title of ['k', 'l', 'm', 'n', 'o']) t.equal(await turn(title), 'Mine', 'a person\'s own stays')
  service.proposeTitle('Asked for')
  t.match(await service.post('/api/session/title/regenerate', { session_id: sessionId }), { status: 200, body: { ok: true, title: 'Asked for', session: { session_id: sessionId, title: 'Asked for' } } })
  for (const title of ['p', 'q', 'r', 's']) t.equal(await turn(title), 'Asked for')
  t.equal(await turn('Twentieth'), 'Twentieth', 'it is the service\'s own again')
  for (const title of ['t', 'u', 'v', 'w', '']) t.equal(await turn(title), 'Twentieth', 'and stays where the model finds no other')
  t.equal((await service.post('/api/session/title/regenerate', { session_id: 'nobody' })).status, 404)
  t.equal((await service.post('/api/session/title/regenerate', { session_id: await service.newSession() })).status, 400)
  await service.post('/api/settings', { auto_title_refresh_every: '0' })
})

t.test('a title that a person asks for does not replace the one that they give the session meanwhile', async (t) => {
  const sessionId = await service.newSession()
  service.proposeTitle('First')
  await service.turn(sessionId, 'Hello', service.model([{ text: 'Well.' }]))
  service.proposeTitle(async () => {
    await service.post('/api/session/rename', { session_id: sessionId, title: 'Mine' })
    return 'Asked for'
  })
  t.match(await service.post('/api/session/title/regenerate', { session_id: sessionId }), { status: 200, body: { title: 'Mine' } })
  t.equal((await service.session(sessionId)).title, 'Mine')
})

t.test('attached files are stored with the message, shown to the model, and the 21st is left out', async (t) => {
  const model = service.model()
  const sessionId = await service.newSession()
  const attachments = Array.from({ length: 25 }, (_, index) => index === 0 ? 'bare-name.txt' : { name: `file-${index}.txt`, path: `${service.workspace}/file-${index}.txt`, mime: 'text/plain', size: index, is_image: false })
  await service.turn(sessionId, 'warm up', service.model())
  const streamId = await service.send(sessionId, 'Look at these', { model, attachments })
  await (await service.watch(streamId)).ended
  const row = (await service.session(sessionId)).messages.findLast((message: { role: string }) => message.role === 'user')
  t.equal(row.content, 'Look at these', 'the text is shown as it was typed')
  t.equal(row.attachments.length, 20)
  t.match(row.attachments[0], { name: 'bare-name.txt' })
  t.match(row.attachments[1], { name: 'file-1.txt', path: `${service.workspace}/file-1.txt`, mime: 'text/plain', size: 1, is_image: false })
  const shown = said(service.requests(model)[0], 'user').at(-1)
  t.match(shown, /Look at these/)
  t.match(shown, /\[Attached files: .*file-19\.txt\]/s)
  t.notMatch(shown, /file-20/)
})

t.test('a photo without a word is a message like any other, with a title', async (t) => {
  const wait = gate()
  const sessionId = await service.newSession()
  const path = join(service.workspace, 'photo.png')
  const started = await service.post('/api/chat/start', {
    session_id: sessionId, message: `[Attached files: ${path}]`, attachments: [{ name: 'photo.png', path, mime: 'image/png', size: 1, is_image: true }], model: service.model(held(wait, [], [{ text: 'Nice.' }]))
  })
  t.equal(started.status, 200)
  t.not((await service.session(sessionId)).title, '', 'no conversation stands in the list without a name')
  wait.open()
  await (await service.watch(started.body.stream_id)).ended
  t.not((await service.session(sessionId)).title, '')
})

t.test('a folder given with a message is the session\'s folder from then on', async (t) => {
  const folder = join(service.folder, 'other folder')
  mkdirSync(folder)
  writeFileSync(join(folder, 'here.txt'), 'in the other folder')
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Read it', { workspace: folder, model: service.model([{ tool: 'read_file', args: { path: 'here.txt' } }]) })
  const reader = await service.watch(streamId)
  await reader.ended
  t.match(reader.frames.find((frame) => frame.event === 'tool_complete')?.data, { is_error: false, preview: /in the other folder/ })
  t.equal((await service.session(sessionId)).workspace, folder)
})

t.test('a picked model stays with the session only when it was picked for it', async (t) => {
  const once = service.model()
  const picked = service.model()
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Hello', once)
  t.not((await service.session(sessionId)).model, once)
  const answer = await service.post('/api/chat/start', { session_id: sessionId, message: 'Again', model: picked, explicit_model_pick: true })
  t.equal(answer.body.effective_model, picked)
  await (await service.watch(answer.body.stream_id)).ended
  t.equal((await service.session(sessionId)).model, picked)
  await service.turn(sessionId, 'And again')
  t.equal(service.requests(picked).length, 2, 'the next turn uses it without being told')
})

t.test('stopping a turn', async (t) => {
  const stops: Record<string, (streamId: string) => Promise<{ status: number, body: unknown }>> = {
    'by GET': (streamId) => service.get(`/api/chat/cancel?stream_id=${streamId}`),
    'by POST': (streamId) => service.post('/api/chat/cancel', { stream_id: streamId }),
    'by POST with the id in the query': (streamId) => service.post(`/api/chat/cancel?stream_id=${streamId}`)
  }
  for (const [way, stop] of Object.entries(stops)) {
    await t.test(`${way} keeps what was said, ends the stream with cancel, and lets the next message through at once`, async (t) => {
      const model = service.model(held(gate(), [{ reasoning: 'Where to begin.' }, { text: 'Once upon a time' }], []), [{ text: 'Short then.' }])
      const sessionId = await service.newSession()
      const streamId = await service.send(sessionId, 'Tell me a story', { model })
      const reader = await service.watch(streamId)
      await reader.until((frame) => frame.event === 'token' && tokenText(reader.frames) === 'Once upon a time')

      const answer = await stop(streamId)
      t.equal(answer.status, 200)
      t.same(answer.body, { ok: true, cancelled: true, stream_id: streamId })
      const next = await service.post('/api/chat/start', { session_id: sessionId, message: 'Shorter, please', model })
      t.equal(next.status, 200, 'a message right after the stop is taken')
      await reader.ended
      t.equal(reader.frames.at(-1)?.event, 'cancel')
      t.match(reader.frames.at(-1)?.data, { type: 'cancelled', session: { session_id: sessionId } })
      t.equal(reader.frames.filter((frame) => ['cancel', 'done', 'stream_end', 'apperror', 'error'].includes(frame.event)).length, 1, 'there is one end only')
      t.same(seqs(reader.frames), sequence(reader.frames.length))

      await (await service.watch(next.body.stream_id)).ended
      const { messages } = await service.session(sessionId)
      t.match(messages, [
        { role: 'user', content: 'Tell me a story' },
        { role: 'assistant', content: 'Once upon a time', reasoning: 'Where to begin.', _partial: true },
        { role: 'user', content: 'Shorter, please' },
        { role: 'assistant', content: 'Short then.' }
      ])
      t.equal(messages.length, 4)
      t.match(await service.session(sessionId), { output_tokens: Number, last_prompt_tokens: Number })
      t.ok((await service.session(sessionId)).output_tokens > 0, 'what was heard of a stopped answer is counted')
      t.match(said(service.requests(model)[1], 'assistant'), ['Once upon a time'], 'the model is shown what it had said')
      t.match((await service.get(`/api/chat/stream/status?stream_id=${streamId}`)).body, { active: false, journal: { terminal: true, terminal_state: 'interrupted-by-user', last_event: 'cancel' } })
      t.same((await stop(streamId)).body, { ok: true, cancelled: false, stream_id: streamId }, 'a second stop finds nothing to stop')
    })
  }

  await t.test('a stream nobody knows is nothing to stop, and no error', async (t) => {
    const streamId = 'f'.repeat(32)
    t.match(await service.get(`/api/chat/cancel?stream_id=${streamId}`), { status: 200, body: { ok: true, cancelled: false, stream_id: streamId } })
    t.match(await service.post('/api/chat/cancel', { stream_id: streamId }), { status: 200, body: { ok: true, cancelled: false } })
    t.equal((await service.get('/api/chat/cancel')).status, 400)
    t.equal((await service.post('/api/chat/cancel')).status, 400)
    t.equal((await service.post('/api/chat/cancel', { stream_id: 7 })).status, 400)
  })

  await t.test('before the first word leaves only the question', async (t) => {
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Never mind', { model: 'fault-hang' })
    await service.get(`/api/chat/cancel?stream_id=${streamId}`)
    const reader = await service.watch(streamId)
    await reader.ended
    t.same(telling(reader.frames), ['cancel'])
    t.match((await service.session(sessionId)), { message_count: 1, active_stream_id: null })
  })

  await t.test('in the middle of a command stops the command, and the conversation goes on', async (t) => {
    const model = service.model([{ tool: 'terminal', args: { command: 'echo begun > begun.txt; sleep 60; echo ended > ended.txt' }, id: 'call_sleep' }], [{ text: 'Stopped, then.' }])
    const sessionId = await service.newSession()
    await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
    const streamId = await service.send(sessionId, 'Sleep a minute', { model })
    const reader = await service.watch(streamId)
    await reader.until('tool')
    await service.post('/api/chat/cancel', { stream_id: streamId })
    await reader.ended
    t.equal(reader.frames.at(-1)?.event, 'cancel')
    const { messages, tool_calls: cards } = await service.session(sessionId)
    t.match(messages.at(-1), { role: 'tool', tool_call_id: 'call_sleep', is_error: true })
    t.match(cards, [{ tid: 'call_sleep', is_error: true }])
    const next = await service.turn(sessionId, 'And now?', model)
    t.equal(next.last.event, 'stream_end')
    t.match(service.requests(model)[1]?.messages.filter((message) => message.role === 'tool'), [{ tool_call_id: 'call_sleep' }], 'the call has a result, as providers demand')
  })
})

t.test('what is typed into a running turn', async (t) => {
  await t.test('reaches the model at the next tool boundary and stands in the transcript', async (t) => {
    const wait = gate()
    const model = service.model(held(wait, [{ text: 'Reading.' }], [{ tool: 'read_file', args: { path: 'notes.txt' }, id: 'call_1' }]), [{ text: 'In English, then.' }])
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Read the notes', { model })
    const reader = await service.watch(streamId)
    await reader.until('token')
    for (const text of ['Answer in English', 'and be brief']) {
      const answer = await service.post('/api/chat/steer', { session_id: sessionId, text })
      t.equal(answer.status, 200)
      t.same(answer.body, { accepted: true, fallback: null, stream_id: streamId })
    }
    wait.open()
    await reader.ended
    t.equal(reader.frames.at(-1)?.event, 'stream_end')
    const roles = service.requests(model)[1]?.messages.map((message) => message.role)
    t.same(roles?.slice(-3, -1).concat(roles.at(-1)!), ['assistant', 'tool', 'user'], 'after the result, as a message of the user')
    t.match(said(service.requests(model)[1], 'user').slice(1).join(' '), /Answer in English.*and be brief/s)
    t.match((await service.session(sessionId)).messages, [
      { role: 'user', content: 'Read the notes' }, { role: 'assistant' }, { role: 'tool' },
      { role: 'user', content: 'Answer in English' }, { role: 'user', content: 'and be brief' }, { role: 'assistant', content: 'In English, then.' }
    ])
    t.notOk(reader.frames.some((frame) => frame.event === 'pending_steer_leftover'))
  })

  await t.test('comes back when the turn ends before it could be used', async (t) => {
    const wait = gate()
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Just talk', { model: service.model(held(wait, [{ text: 'Talking' }], [{ text: ' and done.' }])) })
    const reader = await service.watch(streamId)
    await reader.until('token')
    t.match((await service.post('/api/chat/steer', { session_id: sessionId, text: 'Too late' })).body, { accepted: true })
    wait.open()
    await reader.ended
    t.match(reader.frames.find((frame) => frame.event === 'pending_steer_leftover')?.data, { text: 'Too late' })
    const events = telling(reader.frames)
    t.ok(events.indexOf('pending_steer_leftover') < events.indexOf('done'), 'before the turn is settled')
    t.equal((await service.session(sessionId)).messages.filter((row: { role: string }) => row.role === 'user').length, 1, 'it is not sent behind the user\'s back')
  })

  await t.test('comes back if it was on its way when the turn ended, whatever the model has read', async (t) => {
    const wait = gate()
    const model = service.model(held(wait, [{ text: 'Reading.' }], [{ tool: 'read_file', args: { path: 'notes.txt' }, id: 'call_1' }]), [{ text: 'Read.' }])
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Read the notes', { model })
    const reader = await service.watch(streamId)
    await reader.until('token')
    t.match((await service.post('/api/chat/steer', { session_id: sessionId, text: 'Unanswered' })).body, { accepted: true })
    // As if the run had not answered for the first text, and the second had not reached it yet.
    const { sqlite } = service.app.db
    sqlite.prepare("update steers set state = 'returned' where stream_id = ?").run(streamId)
    sqlite.prepare("insert into steers (stream_id, text, state, created_at) values (?, 'On its way', 'pending', 1)").run(streamId)
    wait.open()
    await reader.ended
    t.match(said(service.requests(model)[1], 'user').at(-1), 'Unanswered')
    t.match(reader.frames.find((frame) => frame.event === 'pending_steer_leftover')?.data, { text: 'On its way' })
  })

  await t.test('comes back when the turn is stopped', async (t) => {
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, 'Just talk', { model: service.model(held(gate(), [{ text: 'Talking' }], [])) })
    const reader = await service.watch(streamId)
    await reader.until('token')
    await service.post('/api/chat/steer', { session_id: sessionId, text: 'Never used' })
    await service.post('/api/chat/cancel', { stream_id: streamId })
    await reader.ended
    t.same(telling(reader.frames).slice(-2), ['pending_steer_leftover', 'cancel'])
    t.match(reader.frames.find((frame) => frame.event === 'pending_steer_leftover')?.data, { text: 'Never used' })
  })

  await t.test('is turned down with a reason when nothing runs', async (t) => {
    const sessionId = await service.newSession()
    t.match(await service.post('/api/chat/steer', { session_id: sessionId, text: 'Hello?' }), { status: 200, body: { accepted: false, fallback: 'not_running', stream_id: null } })
    await service.turn(sessionId, 'Hello', service.model())
    t.match(await service.post('/api/chat/steer', { session_id: sessionId, text: 'Hello?' }), { status: 200, body: { accepted: false, fallback: 'not_running', stream_id: null } })
    t.equal((await service.post('/api/chat/steer', { session_id: sessionId })).status, 400)
    t.equal((await service.post('/api/chat/steer', { session_id: sessionId, text: 5 })).status, 400)
    t.equal((await service.post('/api/chat/steer', { text: 'Hello?' })).status, 400)
  })
})

for (const field of ['reasoning_content', 'reasoning'] as const) {
  t.test(`thoughts sent as "${field}" are streamed and kept`, async (t) => {
    const sessionId = await service.newSession()
    const { frames } = await service.turn(sessionId, 'Think', service.model([{ reasoning: 'One thing after the other.', field }, { text: 'Thought.' }]))
    t.equal(frames.filter((frame) => frame.event === 'reasoning').map((frame) => frame.data.text).join(''), 'One thing after the other.')
    t.match((await service.session(sessionId)).messages[1], { content: 'Thought.', reasoning: 'One thing after the other.' })
  })
}

t.test('several tools in a row and beside each other, each with its card', async (t) => {
  const model = service.model(
    [{ tool: 'read_file', args: { path: 'notes.txt' }, id: 'a' }, { tool: 'list_files', args: {}, id: 'b' }],
    [{ tool: 'todo', args: { todos: [{ id: '1', content: 'Read', status: 'completed' }] }, id: 'c' }],
    [{ text: 'All done.' }]
  )
  const sessionId = await service.newSession()
  const { frames } = await service.turn(sessionId, 'Work', model)
  const ids = (event: string) => frames.filter((frame) => frame.event === event).map((frame) => frame.data.id as string)
  t.same(ids('tool').sort(), ['a', 'b', 'c'])
  t.same(ids('tool_complete').sort(), ['a', 'b', 'c'])
  for (const id of ['a', 'b', 'c']) {
    const at = (event: string) => frames.findIndex((frame) => frame.event === event && frame.data.id === id)
    t.ok(at('tool') < at('tool_complete'), `${id} starts before it completes`)
    t.notOk(frames[at('tool_complete')]?.data.is_error)
  }
  t.match(frames.find((frame) => frame.event === 'todo_state')?.data, { session_id: sessionId, todos: [{ id: '1', content: 'Read', status: 'completed' }], summary: { total: 1, completed: 1 } })
  const session = await service.session(sessionId)
  t.match(session.todo_state, { todos: [{ id: '1', content: 'Read', status: 'completed' }] })
  t.same(session.tool_calls.map((card: { tid: string, assistant_msg_idx: number }) => [card.tid, card.assistant_msg_idx]).sort(), [['a', 1], ['b', 1], ['c', 4]])
})

t.test('calls that make no sense go back to the model as errors, and the turn goes on', async (t) => {
  const model = service.model(
    [{ tool: 'read_file', args: '{"path": "notes', id: 'broken' }, { tool: 'read_file', args: { path: 5 }, id: 'misfit' }, { tool: 'read_file', args: '["notes.txt"]', id: 'list' }, { tool: 'no_such_tool', args: { x: 1 }, id: 'unknown' }],
    [{ text: 'I will correct that.' }]
  )
  const { frames, last } = await service.turn(await service.newSession(), 'Confuse yourself', model)
  t.equal(last.event, 'stream_end')
  const results = new Map(service.requests(model)[1]?.messages.filter((message) => message.role === 'tool').map((message) => [message.tool_call_id, JSON.stringify(message.content)]))
  t.match(results.get('broken'), /not valid JSON/)
  t.match(results.get('misfit'), /path/)
  t.match(results.get('list'), /JSON object/)
  t.match(results.get('unknown'), /no tool called no_such_tool/)
  const completed = frames.filter((frame) => frame.event === 'tool_complete')
  t.same(completed.map((frame) => [frame.data.id, frame.data.is_error]), [['broken', true], ['misfit', true], ['list', true], ['unknown', true]])
  t.ok(frames.filter((frame) => frame.event === 'tool').every((frame) => typeof frame.data.args === 'object' && !Array.isArray(frame.data.args)), 'arguments on the wire are objects')
})

t.test('the second turn shows the model the whole first one, calls and results too', async (t) => {
  const model = service.model([{ text: 'Looking.' }, { tool: 'read_file', args: { path: 'notes.txt' }, id: 'call_h' }], [{ text: 'It says hello.' }], [{ text: 'You are welcome.' }])
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Read the notes', model)
  await service.turn(sessionId, 'Thanks', model)
  const { messages } = service.requests(model)[2]!
  t.same(messages.map((message) => message.role), ['system', 'user', 'assistant', 'tool', 'assistant', 'user'])
  t.match(said(service.requests(model)[2], 'user').join('|'), /Read the notes.*\|.*Thanks/s)
  t.match(messages[2], { content: 'Looking.', tool_calls: [{ id: 'call_h', function: { name: 'read_file', arguments: '{"path":"notes.txt"}' } }] })
  t.match(messages[3], { tool_call_id: 'call_h', content: /hello from the notes/ })
  t.match(messages[4], { content: 'It says hello.' })
})

t.test('coming back to a stream', async (t) => {
  const { streamId, reader: live, frames } = await service.turn(await service.newSession(), 'Read the notes', service.model(
    [{ reasoning: 'Hm.' }, { text: 'Let me look.' }, { tool: 'read_file', args: { path: 'notes.txt' } }], [{ text: 'It says “hello” — äöü 🎉.' }]))
  const whole = wireFrames(live)
  const middle = 4
  const read = async (query: string, headers?: Record<string, string>) => {
    const reader = await service.watch(streamId, query, headers)
    await reader.ended
    return wireFrames(reader)
  }

  await t.test('after its end gives what was live, byte for byte', async (t) => {
    t.same(await read('&replay=1'), whole)
    t.same(await read(''), whole)
    t.equal(whole.length, frames.length)
  })

  const rest = whole.slice(middle)
  const cursors: Array<[string, string, Record<string, string>, string[]]> = [
    ['after_seq', `&replay=1&after_seq=${middle}`, {}, rest],
    ['after_seq without replay', `&after_seq=${middle}`, {}, rest],
    ['after_seq=0', '&replay=1&after_seq=0', {}, whole],
    ['after_event_id', `&after_event_id=${streamId}:${middle}`, {}, rest],
    ['Last-Event-ID', '', { 'last-event-id': `${streamId}:${middle}` }, rest],
    ['Last-Event-ID with replay=1', '&replay=1', { 'last-event-id': `${streamId}:${middle}` }, rest],
    ['after_event_id before after_seq', `&after_event_id=${streamId}:${middle}&after_seq=1`, {}, rest],
    ['after_event_id before Last-Event-ID', `&after_event_id=${streamId}:${middle}`, { 'last-event-id': `${streamId}:1` }, rest],
    ['after_seq before Last-Event-ID', `&after_seq=${middle}`, { 'last-event-id': `${streamId}:1` }, rest],
    ['all three', `&after_event_id=${streamId}:${middle}&after_seq=2`, { 'last-event-id': `${streamId}:1` }, rest],
    ['another stream\'s id', `&after_event_id=${'a'.repeat(32)}:${middle}`, {}, whole],
    ['another stream\'s id in the header', '', { 'last-event-id': `${'a'.repeat(32)}:${middle}` }, whole],
    ['an id without a number', `&after_event_id=${streamId}:x`, {}, whole],
    ['an empty id', '&after_event_id=', {}, whole],
    ['words for a number', '&after_seq=four', {}, whole],
    ['a negative number', '&after_seq=-4', {}, whole],
    ['a fraction', '&after_seq=4.5', {}, whole],
    ['an empty number', '&after_seq=', {}, whole],
    ['a number from the future', `&after_seq=${whole.length + 1}`, {}, whole],
    ['a number beyond all bounds', '&after_seq=99999999999999999999999', {}, whole],
    ['an id from the future', `&after_event_id=${streamId}:9999`, {}, whole],
    ['a bad header', '', { 'last-event-id': 'nonsense' }, whole]
  ]
  for (const [what, query, headers, expected] of cursors) {
    await t.test(`with ${what} begins ${expected === whole ? 'at the start' : 'right after it'}`, async (t) => {
      t.same(await read(query, headers), expected)
    })
  }

  await t.test('with the last frame is over, so that an EventSource does not come back', async (t) => {
    const path = `/api/chat/stream?stream_id=${streamId}`
    for (const [query, headers] of [
      [`&after_seq=${whole.length}`, {}], [`&replay=1&after_event_id=${streamId}:${whole.length}`, {}],
      ['', { 'last-event-id': `${streamId}:${whole.length}` }]
    ] as const) {
      t.match(await service.get(path + query, headers), { status: 204, text: '' })
    }
  })
})

t.test('the same client that attaches again is not told twice what it was told, a new one is told everything', async (t) => {
  const first = gate()
  const second = gate()
  const model = service.model(
    held(first, [{ text: 'One.' }], [{ tool: 'list_files', args: {} }]),
    held(second, [{ text: 'Two.' }], [{ text: ' Three.' }])
  )
  const streamId = await service.send(await service.newSession(), 'Count', { model })
  const browser = { 'user-agent': 'the same browser' }
  const before = await service.watch(streamId, '', browser)
  await before.until((frame) => frame.event === 'token')
  before.drop()
  await eventually('the drop to be noticed', () => service.app.events.size().subscriptions === 0)
  first.open()
  const between = await service.watch(streamId, '', browser)
  await between.until((frame) => frame.event === 'token' && frame.data.text === 'Two.')
  const newcomer = await service.watch(streamId, '', { 'user-agent': 'another device' })
  await newcomer.until((frame) => frame.event === 'token' && frame.data.text === 'Two.')
  t.equal(seqs(newcomer.frames)[0], 1)
  t.equal(seqs(between.frames)[0], before.frames.length + 1)
  second.open()
  await Promise.all([between.ended, newcomer.ended])
  t.same(wireFrames(newcomer), [...wireFrames(before), ...wireFrames(between)])
  t.same(tokenText([...before.frames, ...between.frames]), 'One.Two. Three.')
})

t.test('two devices that watch at once see the same, however slowly one of them reads', { long: true }, async (t) => {
  const wait = gate()
  // More than sockets and the stream's tail hold, so that the slow reader has to catch up from the journal.
  const texts = Array.from({ length: 6 }, (_, index) => `${index}`.repeat(1_000_000))
  const text = texts.join('')
  const steps = texts.map((text, index): ModelStep[] => [{ text }, ...(index < 5 ? [{ tool: 'todo', args: { todos: [] } }] : [])])
  const streamId = await service.send(await service.newSession(), 'Talk at length', { model: service.model(held(wait, [], steps[0]!), ...steps.slice(1)) })
  const quick = await service.watch(streamId)
  const slow = await service.watch(streamId)
  slow.pause()
  wait.open()
  await quick.ended
  slow.resume()
  await slow.ended
  t.ok(wireFrames(slow).join() === wireFrames(quick).join(), 'byte for byte')
  t.ok(tokenText(slow.frames) === text, 'all of it arrives')
})

t.test('however often the connection breaks, and whatever cursor comes back, the frames are the frames', async (t) => {
  const words: ModelStep[] = sequence(30).flatMap((index): ModelStep[] => [{ text: `word${index} ` }, { waitMs: 2 }])
  const breaks = fc.array(fc.record({
    frames: fc.integer({ min: 0, max: 6 }),
    cursor: fc.constantFrom('after_seq', 'after_event_id', 'header', 'all', 'older', 'foreign', 'future', 'none')
  }), { maxLength: 8 })
  await fc.assert(fc.asyncProperty(breaks, async (plan) => {
    const model = service.model([{ reasoning: 'Hm. ' }, ...words.slice(0, 30), { tool: 'list_files', args: {} }], words.slice(30))
    const streamId = await service.send(await service.newSession(), 'Go', { model })
    let seen: ReceivedFrame[] = []
    const attach = async (cursor: string): Promise<EventReader> => {
      const last = Number(seen.at(-1)?.id?.split(':').at(-1) ?? 0)
      switch (cursor) {
        case 'after_seq': return await service.watch(streamId, `&replay=1&after_seq=${last}`)
        case 'after_event_id': return await service.watch(streamId, `&after_event_id=${streamId}:${last}`)
        case 'header': return await service.watch(streamId, '', { 'last-event-id': `${streamId}:${last}` })
        case 'all': return await service.watch(streamId, `&replay=1&after_event_id=${streamId}:${last}&after_seq=1`, { 'last-event-id': `${streamId}:2` })
        case 'older':
          seen = seen.slice(0, Math.floor(last / 2))
          return await service.watch(streamId, `&replay=1&after_seq=${seen.length}`)
      }
      seen = []
      if (cursor === 'foreign') return await service.watch(streamId, `&after_event_id=${'c'.repeat(32)}:3`)
      if (cursor === 'future') return await service.watch(streamId, '&after_seq=1000000')
      return await service.watch(streamId)
    }
    for (const { frames, cursor } of plan) {
      const reader = await attach(cursor)
      await reader.until(() => reader.frames.length >= frames).catch(() => {})
      reader.drop()
      seen = [...seen, ...reader.frames]
    }
    const last = await attach('after_seq')
    await last.ended
    seen = [...seen, ...last.frames]
    const whole = await service.watch(streamId, '&replay=1')
    await whole.ended
    assert.deepEqual(seen, whole.frames)
    assert.deepEqual(seqs(seen), sequence(seen.length))
    assert.equal(seen.at(-1)?.event, 'stream_end')
  }), { numRuns: 20 })
  t.equal(service.app.chat.activeTurns(), 0)
})

t.test('nothing of finished turns is kept in memory', async (t) => {
  await eventually('the last readers to be gone', () => service.app.eventStreams.open() === 0)
  t.same(service.app.events.size(), { topics: 0, subscriptions: 0 })
  t.equal(service.app.chat.activeTurns(), 0)
  t.match(service.app.agent.size(), { runs: 0, waiting: 0 })
})

t.test('with the agent in a process of its own a turn is the same', async (t) => {
  const forked = await startChat(t, { hosts: 'fork' })
  writeFileSync(join(forked.workspace, 'notes.txt'), 'hello from the notes\n')
  const wait = gate()
  const model = forked.model([{ text: 'Looking.' }, { tool: 'read_file', args: { path: 'notes.txt' }, id: 'call_f' }], [{ text: 'It says hello.' }], held(wait, [{ text: 'More' }], []))
  const sessionId = await forked.newSession()
  const { events, frames } = await forked.turn(sessionId, 'Read the notes', model)
  t.same(events, ['token', 'interim_assistant', 'tool', 'tool_complete', 'token', 'title', 'done', 'stream_end'])
  t.match(frames.find((frame) => frame.event === 'tool_complete')?.data, { id: 'call_f', is_error: false, preview: /hello from the notes/ })

  const streamId = await forked.send(sessionId, 'More', { model })
  const reader = await openEvents(`${forked.url}/api/chat/stream?stream_id=${streamId}`)
  await reader.until('token')
  await forked.post('/api/chat/cancel', { stream_id: streamId })
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
  t.match((await forked.session(sessionId)).messages.at(-1), { content: 'More', _partial: true })
})
