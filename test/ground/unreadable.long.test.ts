import Sqlite from 'better-sqlite3'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { gate, held, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'

// Data that a database may contain if something else wrote it, if it is damaged, or if it was filled before limits existed. It is planted
// while the service is down; then the service is started on it.

const giant = (megabytes: number): string => `hex(zeroblob(${megabytes * 512 * 1024}))`

const call: ScriptedAnswer = [{ text: 'Let me see the bread. ' }, { tool: 'list_files', args: {}, id: 'call_list' }]

interface Planted { folder: string, sessions: Record<string, string>, streams: Record<string, string> }

/** Creates sessions of four rows (question, call, result, answer), and turns in the middle of an answer. */
async function prepare (service: ChatService, names: string[], running: string[]): Promise<Omit<Planted, 'folder'>> {
  const sessions: Record<string, string> = {}
  const streams: Record<string, string> = {}
  for (const name of names) {
    const sessionId = sessions[name] = await service.newSession()
    await service.turn(sessionId, `A question about ${name}`, service.model(call, [{ text: `The answer about ${name}.` }]))
  }
  for (const name of running) {
    const sessionId = sessions[name] = await service.newSession()
    const streamId = streams[name] = await service.send(sessionId, `A question about ${name}`, { model: service.model(call, held(gate(), [{ text: 'I begin' }], [])) })
    const reader = await service.watch(streamId)
    let heard = ''
    await reader.until((frame) => frame.event === 'token' && (heard = `${heard}${frame.data.text}`).includes('begin'))
  }
  return { sessions, streams }
}

const rowDamages: Record<string, { at: number, set: string }> = {
  'an answer of 300 MB': { at: 3, set: `body = '{"role":"assistant","content":"It begins like this. ' || ${giant(300)} || '"}'` },
  'an answer that is cut off': { at: 3, set: 'body = substr(body, 1, 60)' },
  'an answer that is no JSON': { at: 3, set: "body = 'no JSON at all'" },
  'a masked answer that is none': { at: 3, set: "redacted_body = '{'" },
  'a question of 40 MB': { at: 0, set: `body = '{"role":"user","content":"Once \\n' || ${giant(40)} || '"}'` },
  'a call that is cut off': { at: 1, set: 'body = substr(body, 1, 80), replay = substr(replay, 1, 40)' },
  'a result of 40 MB': { at: 2, set: `body = '{"role":"tool","content":"' || ${giant(40)} || '"}', replay = ${giant(40)}` },
  'a card that is none': { at: 2, set: "card = '{', redacted_card = 'x'" },
  'what the model is shown, 40 MB of it': { at: 3, set: `replay = ${giant(40)}` },
  'what the model is shown, damaged': { at: 1, set: "replay = 'x'" }
}

t.test('no row keeps the service from starting, or a session from being opened', async (t) => {
  const first = await startChat(t)
  const folder = join(first.folder, 'planted')
  mkdirSync(folder)
  const before = await first.again(t, folder)
  const { sessions } = await prepare(before, [...Object.keys(rowDamages), 'damaged lists', 'health'], [])
  await before.stop()
  const db = new Sqlite(join(folder, 'home', 'webui', 'service.db'))
  for (const [name, { at, set }] of Object.entries(rowDamages)) db.prepare(`update messages set ${set} where session_id = ? and position = ?`).run(sessions[name]!, at)
  db.prepare("update sessions set todos = '{', draft = 'x' where id = ?").run(sessions['damaged lists']!)
  // Masked texts are generated again at the start.
  db.pragma('user_version = 0')
  db.close()

  const after = await first.again(t, folder)
  t.equal((await after.get('/readyz')).status, 200)
  t.equal((await after.get('/api/sessions')).body.sessions.length, Object.keys(sessions).length, 'the list shows all of them')

  for (const [name, sessionId] of Object.entries(sessions)) {
    await t.test(name, async (t) => {
      const whole = await after.get(`/api/session?session_id=${sessionId}`)
      t.equal(whole.status, 200)
      t.ok(whole.text.length < 200_000, `${whole.text.length} characters`)
      const { messages } = whole.body.session
      t.same(messages.map((row: { role: string }) => row.role), ['user', 'assistant', 'tool', 'assistant'], 'every row has its place')
      const damage = rowDamages[name]
      if (damage !== undefined && /(?<!_)body =/.test(damage.set)) t.match(messages[damage.at].content, /too large to be shown \((?:300|40) MB\)|is damaged/, 'it says so in its place')
      if (name === 'an answer of 300 MB') t.match(messages[3].content, /^It begins like this\. 0{100}/, 'and shows its beginning')
      const window = await after.get(`/api/session?session_id=${sessionId}&messages=1&msg_limit=2`)
      t.same(window.body.session.messages.at(-1), messages[3], 'also in a window')
      t.equal((await after.get(`/api/session/export?session_id=${sessionId}&format=json`)).status, 200, 'it is exported')
      t.equal((await after.get(`/api/session/export?session_id=${sessionId}&format=html`)).status, 200, 'as a page as well')

      const model = after.model([{ text: 'I go on.' }])
      t.equal((await after.turn(sessionId, 'And now?', model)).last.event, 'stream_end', 'the conversation goes on')
      const shown = after.requests(model)[0]!.messages
      const calls = shown.flatMap((message) => (message.tool_calls as Array<{ id: string }> | undefined) ?? []).map((entry) => entry.id)
      t.same(shown.filter((message) => message.role === 'tool').map((message) => message.tool_call_id), calls, 'every call has a result, and every result a call')
      t.equal((await after.post('/api/session/undo', { session_id: sessionId })).body.removed_count, 2)
    })
  }
  const found = await after.get('/api/sessions/search?q=answer%20about&content=1&depth=0')
  t.equal(found.status, 200)
  t.match(found.body.sessions.map((row: { session_id: string }) => row.session_id).includes(sessions['health']), true, 'what can be read is found')
  t.equal((await after.get('/api/sessions/search?q=an&content=1&depth=0')).status, 200, 'also without the index')
  t.equal((await after.post('/api/session/delete', { session_id: sessions['an answer of 300 MB'] })).status, 200)
})

const streamDamages: Record<string, string> = {
  'a frame of 40 MB': `update frames set data = '{"text":"' || ${giant(40)} || '"}' where stream_id = @stream and event = 'token' and seq = (select min(seq) from frames where stream_id = @stream and event = 'token' and seq > (select settled_seq from streams where id = @stream))`,
  'many frames': "insert into frames (stream_id, seq, event, data) with recursive more(n) as (select 1 union all select n + 1 from more where n < 1500) select @stream, (select last_seq from streams where id = @stream) + n, 'token', json_object('text', hex(zeroblob(500))) from more; update streams set last_seq = last_seq + 1500 where id = @stream",
  'frames that are no JSON': "update frames set data = 'x' where stream_id = @stream",
  'frames of another shape': "update frames set data = '[null]' where stream_id = @stream",
  'a damaged last step': "update messages set body = substr(body, 1, 50) where stream_id = @stream and role = 'assistant'",
  'a last step of 40 MB': `update messages set body = '{"content":"' || ${giant(40)} || '"}' where stream_id = @stream and role = 'assistant'`,
  'a stream that has lost count': 'update streams set last_seq = 1 where id = @stream',
  'a damaged prompt': "insert into prompts (id, arrival, session_id, stream_id, kind, body, state, call_id, created_at) select 'p', 1, session_id, id, 'approval', 'x', 'open', 'call_gone', 1 from streams where id = @stream"
}

t.test('no stream that was left open keeps the service from starting, and all are closed', async (t) => {
  const first = await startChat(t)
  const folder = join(first.folder, 'planted')
  mkdirSync(folder)
  const before = await first.again(t, folder)
  const { sessions, streams } = await prepare(before, [], [...Object.keys(streamDamages), 'health'])
  // The state that a crash leaves: the database is copied while the turns run.
  const left = join(first.folder, 'left')
  mkdirSync(join(left, 'home', 'webui'), { recursive: true })
  const live = new Sqlite(join(folder, 'home', 'webui', 'service.db'))
  live.prepare('vacuum into ?').run(join(left, 'home', 'webui', 'service.db'))
  live.close()
  await before.stop()
  const db = new Sqlite(join(left, 'home', 'webui', 'service.db'))
  for (const [name, statements] of Object.entries(streamDamages)) {
    for (const statement of statements.split(';')) db.prepare(statement).run({ stream: streams[name] })
  }
  db.close()

  const after = await first.again(t, left)
  t.equal((await after.get('/health')).body.active_streams, 0)
  for (const [name, sessionId] of Object.entries(sessions)) {
    await t.test(name, async (t) => {
      const session = await after.session(sessionId)
      t.match(session, { active_stream_id: null, is_streaming: false })
      const status = (await after.get(`/api/chat/stream/status?stream_id=${streams[name]}`)).body
      t.match(status, { active: false, journal: { terminal: true, terminal_state: 'interrupted-by-crash', last_event: 'apperror' } })
      if (!['a stream that has lost count', 'a frame of 40 MB', 'frames that are no JSON', 'frames of another shape'].includes(name)) {
        t.match(session.messages.findLast((row: { _partial?: boolean }) => row._partial === true)?.content, /^I begin/, 'what was heard is kept')
      }
      if (name === 'many frames') t.equal(session.messages.at(-2).content.length, 1_048_576, 'no more of it than an answer may have')
      const reader = await after.watch(streams[name]!, `&replay=1&after_seq=${status.journal.last_seq - 1}`)
      await reader.ended
      t.equal(reader.frames.at(-1)?.event, 'apperror', 'who comes back hears the end')
      t.equal((await after.turn(sessionId, 'And now?', after.model([{ text: 'I go on.' }]))).last.event, 'stream_end')
    })
  }
})
