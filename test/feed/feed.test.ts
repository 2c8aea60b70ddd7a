import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, startChat, type ScriptedAnswer } from '../support/chat.js'
import { type EventReader } from '../support/events.js'
import { FeedClient } from '../support/feed.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer } from '../support/server.js'

const service = await startChat(t)
const follow = (...streams: string[]): string => streams.map((id) => `follow=${id}`).join('&')
const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]

/** Returns what a client knows from the frames so far. */
function known (reader: EventReader, client = new FeedClient()): FeedClient {
  for (const frame of reader.frames) client.apply(frame)
  return client
}

const isEnd = (streamId: string) => (frame: { event: string, data: { stream_id?: string, event?: string } }): boolean =>
  frame.event === 'turn' && frame.data.stream_id === streamId && ['stream_end', 'cancel', 'apperror'].includes(frame.data.event ?? '')

t.test('a snapshot first, then what changes', async (t) => {
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Hello', service.model([{ text: 'Hi.' }]))
  const reader = await service.events('/api/events')
  t.equal(reader.headers['content-type'], 'text/event-stream')
  const { id, data } = await reader.until('snapshot')
  t.ok(id)
  t.same(data.list.sessions, (await service.get('/api/sessions?limit=50')).body.sessions)
  t.equal(data.profile, 'default')
  t.match(data.settings, { api_redact_enabled: true })
  t.same(data.prompts, [])

  await service.post('/api/session/rename', { session_id: sessionId, title: 'A key: sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD' })
  const { data: renamed } = await reader.until(({ event, data }) => event === 'session' && data.session.title.startsWith('A key'))
  t.equal(renamed.session_id, sessionId)
  t.match(renamed.session.title, /\[redacted\]/, 'masked like everywhere')
  const empty = await service.newSession()
  await reader.until(({ event, data }) => event === 'session_gone' && data.session_id === empty)
  await service.post('/api/session/pin', { session_id: empty })
  await reader.until(({ event, data }) => event === 'session' && data.session_id === empty && data.session.pinned === true)
  await service.post('/api/session/archive', { session_id: empty })
  await reader.until(({ event, data }) => event === 'session_gone' && data.session_id === empty && data.version > renamed.version)
  await service.post('/api/settings', { pinned_sessions_limit: 7 })
  t.match((await reader.until('settings')).data.settings, { pinned_sessions_limit: 7 })
  await service.post('/api/session/delete', { session_id: sessionId })
  await eventually('the row to go', () => !known(reader).rows.has(sessionId))
  t.same(known(reader).list, (await service.get('/api/sessions?limit=50')).body.sessions)
  reader.drop()
})

t.test('a stream that has nothing to say yet says so at once, as browsers take it for open only then', async (t) => {
  const first = await service.events('/api/events')
  const { id } = await first.until('snapshot')
  first.drop()
  const reader = await service.events(`/api/events?after_event_id=${encodeURIComponent(String(id))}`)
  await service.post('/api/settings', { pinned_sessions_limit: 5 })
  await reader.until('settings')
  t.same([first.comments, reader.comments], [[], ['heartbeat']])
  reader.drop()
})

t.test('a turn that is followed, its frames unchanged, from any frame on', async (t) => {
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Talk', { model: service.model([...'one two three four five six'.split(' ').map((text) => ({ text: `${text} ` }))]) })
  const whole = await service.events(`/api/events?${follow(streamId)}`)
  await whole.until(isEnd(streamId))
  const own = await service.watch(streamId, '&replay=1')
  await own.ended
  t.same(known(whole).turns.get(streamId), own.frames, 'as its own stream has them')
  t.ok(whole.frames.filter(({ event }) => event === 'turn').every(({ data }) => data.session_id === sessionId && data.stream_id === streamId))
  whole.drop()
  for (const by of ['header', 'query']) {
    for (const cut of whole.frames.map((_, index) => index + 1)) {
      const client = new FeedClient()
      for (const frame of whole.frames.slice(0, cut)) client.apply(frame)
      const again = by === 'header'
        ? await service.events(`/api/events?${follow(streamId)}`, { 'last-event-id': client.cursor! })
        : await service.events(`/api/events?${follow(streamId)}&after_event_id=${client.cursor!}`)
      await eventually('all of it', () => {
        const now = new FeedClient()
        for (const frame of [...whole.frames.slice(0, cut), ...again.frames]) now.apply(frame)
        return now.turns.get(streamId)?.length === own.frames.length && now
      })
      t.equal(known(again).snapshots, 0)
      const both = new FeedClient()
      for (const frame of [...whole.frames.slice(0, cut), ...again.frames]) both.apply(frame)
      t.same(both.turns.get(streamId), own.frames, `cut after ${cut}, ${by}`)
      again.drop()
    }
  }
  const from = await service.events(`/api/events?follow=${own.frames[2]!.id}`)
  await from.until(isEnd(streamId))
  t.same(known(from).turns.get(streamId), own.frames.slice(3), 'a client that has the beginning names the last frame it has')
  from.drop()
})

t.test('many turns at once, and two clients', async (t) => {
  const turns = await Promise.all(Array.from({ length: 40 }, async (_, n) => {
    const sessionId = await service.newSession()
    return await service.send(sessionId, `Count ${n}`, { model: service.model(Array.from({ length: 10 }, (_, word) => ({ text: `${n}-${word} ` }))) })
  }))
  const readers = await Promise.all([service.events(`/api/events?${follow(...turns)}`), service.events(`/api/events?${follow(...turns.slice(0, 20))}`)])
  for (const streamId of turns) await readers[0].until(isEnd(streamId))
  for (const streamId of turns.slice(0, 20)) await readers[1].until(isEnd(streamId))
  const settled = (reader: EventReader): boolean => known(reader).list.every(({ is_streaming: isLive }) => isLive === false)
  await eventually('rows at rest', () => readers.every(settled))
  const [all, some] = readers.map((reader) => known(reader))
  for (const streamId of turns) {
    const own = await service.watch(streamId, '&replay=1')
    await own.ended
    t.same(all!.turns.get(streamId), own.frames)
  }
  t.equal(some!.turns.size, 20)
  t.same(all!.list, some!.list)
  for (const reader of readers) reader.drop()
})

t.test('what waits in any session, and that it does not any more', async (t) => {
  const reader = await service.events('/api/events')
  await reader.until('snapshot')
  const sessionId = await service.newSession()
  const turn = await service.send(sessionId, 'Do it', { model: service.model(run('echo one')) })
  const { data } = await reader.until(({ event, data }) => event === 'prompts' && data.session_id === sessionId && data.data.pending_count === 1)
  t.same(data.data, (await service.get(`/api/approval/pending?session_id=${sessionId}`)).body, 'the frame of the session\'s own stream')
  t.match(data, { event: 'approval', waiting: [], profile: 'default' })
  const { data: row } = await reader.until(({ event, data }) => event === 'session' && data.session_id === sessionId && data.session.attention !== null)
  t.match(row.session.attention, { kind: 'approval', count: 1 })

  const late = await service.events('/api/events')
  t.match((await late.until('snapshot')).data.prompts, [{ session_id: sessionId, event: 'approval', data: { pending_count: 1 } }])
  await service.respond(sessionId, 'once')
  for (const each of [reader, late]) {
    await each.until(({ event, data }) => event === 'prompts' && data.session_id === sessionId && data.data.pending === null)
    t.equal(known(each).prompts.size, 0)
  }
  const own = await service.watch(turn)
  await own.ended
  for (const each of [reader, late]) each.drop()
})

t.test('a background task that is done', async (t) => {
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Hello', service.model([{ text: 'Hi.' }]))
  const reader = await service.events('/api/events')
  await reader.until('snapshot')
  const { body } = await service.post('/api/background', { session_id: sessionId, prompt: 'Look it up' })
  t.match((await reader.until('notice')).data, { kind: 'background_task', session_id: sessionId, ref: body.task_id, at: Number })
  t.notOk(known(reader).rows.has(body.session_id), 'its own session is in no list')
  reader.drop()
})

t.test('folders', async (t) => {
  const sessionId = await service.newSession()
  mkdirSync(join(service.workspace, 'sub: folder'), { recursive: true })
  const name = encodeURIComponent(`${sessionId}:sub: folder`)
  const reader = await service.events(`/api/events?folder=${sessionId}&folder=${name}&folder=${sessionId}:nowhere&folder=unknown:x&folder=${sessionId}:../..`)
  await eventually('all folders', () => known(reader).folders.size === 2 && known(reader).unknown.length === 3)
  t.same(known(reader).unknown.map(({ path, error }) => [path, typeof error]).sort(), [['../..', 'string'], ['nowhere', 'string'], ['x', 'string']])
  const before = known(reader).folders.get(`${sessionId}:sub: folder`)
  writeFileSync(join(service.workspace, 'sub: folder', 'new'), 'x')
  await reader.until(({ event, data }) => event === 'folder' && data.event === 'workspace_changed' && data.path === 'sub: folder')
  t.not(known(reader).folders.get(`${sessionId}:sub: folder`).signature, before.signature)
  reader.drop()
  await eventually('nobody to watch', () => service.app.files.watch.size() === 0)
})

t.test('conversations of other front ends', async (t) => {
  const folder = join(service.folder, '.codex', 'sessions')
  const reader = await service.events('/api/events')
  await reader.until('snapshot')
  mkdirSync(folder, { recursive: true })
  const name = 'rollout-2026-01-01T00-00-00-00000000-0000-4000-8000-000000000001.jsonl'
  const line = (text: string) => `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'response_item', payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] } })}\n`
  const look = async (): Promise<void> => { if (await service.app.foreign.refresh()) service.app.sessions.changed('session_imported') }
  writeFileSync(join(folder, 'draft'), `${JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', type: 'session_meta', payload: { id: 'x', cwd: '/' } })}\n${line('First words')}`)
  renameSync(join(folder, 'draft'), join(folder, name))
  await look()
  const theirs = await eventually('their row', () => [...known(reader).rows.values()].find((row) => row.is_cli_session))
  t.match(theirs, { title: 'First words', read_only: true })
  writeFileSync(join(folder, name), line('More words'), { flag: 'a' })
  await look()
  await reader.until(({ event, data }) => event === 'session' && data.session_id === theirs.session_id && data.session.user_message_count !== 1 && data.session.message_count === 2)
  rmSync(join(folder, name))
  await look()
  await reader.until(({ event, data }) => event === 'session_gone' && data.session_id === theirs.session_id)
  reader.drop()
})

t.test('streams that there are not, and cursors that mean nothing', async (t) => {
  const sessionId = await service.newSession()
  const { streamId, frames } = await service.turn(sessionId, 'Hello', service.model([{ text: 'Hi.' }]))
  const unknown = await service.events(`/api/events?${follow('0'.repeat(32), streamId, '%00', streamId)}`)
  await unknown.until(isEnd(streamId))
  t.same(known(unknown).unknown, [{ session_id: null, stream_id: '0'.repeat(32), error: 'stream not found' }, { session_id: null, stream_id: '\0', error: 'stream not found' }])
  t.equal(known(unknown).turns.get(streamId)!.length, frames.length, 'named twice, it comes once')
  unknown.drop()
  const { cursor } = known(unknown)
  const [epoch = '', seq = '', turn = ''] = cursor!.split('.')
  const meaningless = ['x', '', `${epoch}`, `${epoch}.`, `${epoch}.zzzzzzzz.${turn}`, `elsewhere.${seq}.${turn}`, `${streamId}:3`, '.'.repeat(5_000), `${epoch}.-1`, `${cursor!} `]
  for (const bad of meaningless) {
    const reader = await service.events(`/api/events?${follow(streamId)}&after_event_id=${encodeURIComponent(bad)}`)
    await reader.until('snapshot')
    reader.drop()
  }
  const elsewhere = await service.events(`/api/events?${follow(streamId)}`, { 'last-event-id': `elsewhere.${seq}.${turn}` })
  await elsewhere.until('snapshot')
  t.equal(known(elsewhere).turns.size, 0, 'a turn is resumed by its journal, whichever process has numbered the rest')
  elsewhere.drop()
  const future = await service.events(`/api/events?${follow(streamId)}`, { 'last-event-id': `${epoch}.${seq}.${turn.slice(0, 6)}zzz` })
  await future.until(isEnd(streamId))
  t.equal(known(future).turns.get(streamId)!.length, frames.length, 'a place behind the end is none')
  future.drop()
})

t.test('so many streams and folders and not one more', async (t) => {
  const times = (count: number, text: string): string => Array.from({ length: count }, (_, n) => `${text}${n}`).join('&')
  const bad = [times(101, 'follow=s'), times(21, 'folder=s:'), 'follow=', 'follow=:3', 'follow=s:x', 'folder=', 'folder=:x', 'limit=0', 'limit=201', 'limit=x', `follow=${'x'.repeat(400)}`, `folder=s:${'x'.repeat(5_000)}`]
  for (const query of bad) {
    const { status, body } = await service.get(`/api/events?${query}`)
    t.equal(status, 400, query.slice(0, 40))
    t.type(body.error, 'string')
  }
  const most = await service.events(`/api/events?${times(100, 'follow=s')}&${times(20, 'folder=s:')}`)
  await eventually('an answer to each', () => known(most).unknown.length === 120)
  most.drop()
})

t.test('whoever reads everything is there to be asked', async (t) => {
  const reader = await service.events('/api/events')
  await reader.until('snapshot')
  t.ok(service.app.events.isWatched({ kind: 'feed', id: 'all' }))
  reader.drop()
  await eventually('nobody', () => !service.app.events.isWatched({ kind: 'feed', id: 'all' }))
})

t.test('everything is told to whoever comes back after a kill', async (t) => {
  const folder = temporaryFolder(t, 'feed')
  const environment = { OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' }
  const first = await spawnServer(t, folder, environment)
  const { session } = await first.json('/api/session/new', {})
  const stop = gate()
  const streaming = service.model(held(stop, [{ text: 'It begins. ' }], [{ text: 'It ends.' }]))
  const { stream_id: streamId } = await first.json('/api/chat/start', { session_id: session.session_id, message: 'Go', model: streaming })
  const { session: other } = await first.json('/api/session/new', {})
  const { stream_id: asking } = await first.json('/api/chat/start', { session_id: other.session_id, message: 'Ask', model: service.model(run('echo hi')) })
  const before = await first.events(`/api/events?${follow(streamId, asking)}`)
  await before.until(({ event, data }) => event === 'turn' && data.event === 'token')
  await before.until(({ event, data }) => (event === 'prompts' && data.data.pending_count === 1) || (event === 'snapshot' && data.prompts.length === 1))
  await before.until(({ event, data }) => event === 'turn' && data.stream_id === asking && data.event === 'tool')
  await first.crash()
  await before.ended
  stop.open()
  const client = known(before)

  const second = await spawnServer(t, folder, environment)
  const after = await second.events(`/api/events?${follow(streamId, asking)}`, { 'last-event-id': client.cursor! })
  await after.until(isEnd(streamId))
  for (const frame of after.frames) client.apply(frame)
  t.equal(client.snapshots, 2)
  t.equal(client.turns.get(streamId)!.at(-1)!.event, 'apperror')
  t.match([...client.prompts.values()], [[{ session_id: other.session_id, command: 'echo hi' }]], 'what waited still waits')
  t.same(client.list, (await second.json('/api/sessions?limit=50')).sessions)
  for (const id of [streamId, asking]) {
    const seqs = client.turns.get(id)!.map((frame) => Number(frame.id!.split(':')[1]))
    t.same(seqs, seqs.map((_, index) => index + 1), 'no frame is missing or comes twice')
  }
  after.drop()
  await second.end('SIGTERM')
})

t.test('the service says goodbye, and a sign-out ends it', async (t) => {
  const locked = await startChat(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.equal((await locked.get('/api/events')).status, 401)
  const login = await locked.post('/api/auth/login', { password: 'correct horse' })
  const cookie = login.headers.get('set-cookie')!.split(';')[0]!
  const reader = await locked.events('/api/events', { cookie })
  await reader.until('snapshot')
  await locked.post('/api/auth/logout', {}, { cookie })
  await reader.ended
  const other = (await locked.post('/api/auth/login', { password: 'correct horse' })).headers.get('set-cookie')!.split(';')[0]!
  const last = await locked.events('/api/events', { cookie: other })
  await last.until('snapshot')
  await locked.stop()
  await last.ended
  t.match(last.comments.at(-1), /shutting down/)
})

t.test('nothing is left of readers that are gone', async (t) => {
  await eventually('nobody', () => service.app.eventStreams.open() === 0)
  t.same(service.app.events.size(), { topics: 0, subscriptions: 0 })
})
