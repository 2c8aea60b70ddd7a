import t from '#test'
import { eventually, gate, held, startChat } from '../support/chat.js'
import { type EventReader, type ReceivedFrame } from '../support/events.js'
import { FeedClient } from '../support/feed.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer } from '../support/server.js'

const service = await startChat(t)

function known (reader: EventReader, client = new FeedClient()): FeedClient {
  for (const frame of reader.frames) client.apply(frame)
  return client
}

const isEnd = (streamId: string) => ({ event, data }: ReceivedFrame): boolean =>
  event === 'turn' && data.stream_id === streamId && ['stream_end', 'cancel', 'apperror'].includes(data.event)
/** Returns the number of turn positions in a cursor. */
const places = (cursor: string | null): number => cursor!.split('.').length - 2
const model = (...words: string[]): string => service.model(words.map((text) => ({ text: `${text} ` })))

t.test('a session that is looked at: its own stream, and every turn, without another connection', async (t) => {
  const sessionId = await service.newSession()
  const other = await service.newSession()
  const stop = gate()
  const running = await service.send(sessionId, 'Go', { model: service.model(held(stop, [{ text: 'It begins. ' }], [{ text: 'It ends.' }])) })
  const own = await service.events(`/api/session/stream?session_id=${sessionId}`)
  const reader = await service.events(`/api/events?session=${sessionId}&session=${sessionId}`)
  const isToken = ({ event, data }: ReceivedFrame): boolean => event === 'turn' && data.event === 'token'
  await reader.until(isToken)
  stop.open()
  await reader.until(isEnd(running))
  const later: string[] = []
  for (const message of ['One', 'Two', 'Three']) {
    await service.turn(other, message, model('elsewhere'))
    const streamId = await service.send(sessionId, message, { model: model('It', 'is', message) })
    await reader.until(isEnd(streamId))
    later.push(streamId)
  }
  await service.post('/api/session/rename', { session_id: sessionId, title: 'Renamed' })
  const isRenamed = ({ data }: ReceivedFrame): boolean => data.reason === 'session_rename' || data.data?.reason === 'session_rename'
  await Promise.all([own.until(isRenamed), reader.until(isRenamed)])

  const client = known(reader)
  t.same([...client.turns.keys()], [running, ...later], 'the turn that ran and those that came, and none of another session')
  for (const streamId of [running, ...later]) {
    const whole = await service.watch(streamId, '&replay=1')
    await whole.ended
    t.same(client.turns.get(streamId), whole.frames, 'each from its first frame on, once')
  }
  const wrapped = reader.frames.filter(({ event }) => event === 'conversation')
  t.same(wrapped.map(({ data }) => ({ id: null, event: data.event, data: data.data })), own.frames, 'what the own stream says, as it says it')
  t.ok(wrapped.every(({ id, data }) => id === null && data.session_id === sessionId))
  for (const streamId of later) {
    const told = reader.frames.findIndex(({ event, data }) => event === 'conversation' && data.event === 'server_turn_started' && data.data.stream_id === streamId)
    t.ok(told >= 0 && told < reader.frames.findIndex(({ data }) => data.stream_id === streamId), 'first that it has begun')
  }
  await service.post('/api/session/rename', { session_id: other, title: 'Any' })
  await reader.until(({ event, data }) => event === 'session' && data.session.title === 'Any')
  t.equal(places(known(reader).cursor), 0, 'turns that are over take no place in the cursor')
  own.drop()
  reader.drop()
})

t.test('who comes back names what it knows, or leaves that to the cursor', async (t) => {
  for (const isNamed of [true, false]) {
    const sessionId = await service.newSession()
    const stops = [gate(), gate()]
    const first = await service.send(sessionId, 'Go', { model: service.model(held(stops[0]!, [{ text: 'It begins. ' }], [{ text: 'It ends.' }])) })
    const before = await service.events(`/api/events?session=${sessionId}`)
    await before.until(({ event, data }) => event === 'turn' && data.event === 'token')
    const client = known(before)
    before.drop()
    stops[0]!.open()
    await (await service.watch(first)).ended
    await service.turn(sessionId, 'While it is away', model('unseen'))
    const last = await service.send(sessionId, 'Again', { model: service.model(held(stops[1]!, [{ text: 'Then ' }], [{ text: 'this.' }])) })

    const after = await service.events(`/api/events?session=${sessionId}${isNamed ? `&follow=${first}` : ''}`, { 'last-event-id': client.cursor! })
    await after.until(({ event, data }) => event === 'turn' && data.stream_id === last && data.event === 'token')
    stops[1]!.open()
    await after.until(isEnd(last))
    t.match(after.frames.find(({ event }) => event === 'conversation'), { data: { event: 'initial', data: { session_id: sessionId, active_stream_id: last, message_count: 5 } } })
    for (const frame of after.frames) client.apply(frame)
    t.same([...client.turns.keys()], [first, last])
    for (const streamId of [first, last]) {
      const whole = await service.watch(streamId, '&replay=1')
      await whole.ended
      t.same(client.turns.get(streamId), whole.frames, 'nothing twice, nothing missed')
    }
    after.drop()
  }
})

t.test('a turn goes on in the same conversation after a kill', async (t) => {
  const folder = temporaryFolder(t, 'feed-session')
  const environment = { OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' }
  const first = await spawnServer(t, folder, environment)
  const { session } = await first.json('/api/session/new', {})
  const id = session.session_id as string
  const before = await first.events(`/api/events?session=${id}`)
  await before.until('conversation')
  const { stream_id: asking } = await first.json('/api/chat/start', { session_id: id, message: 'Ask', model: service.model([{ text: 'Wait. ' }, { tool: 'terminal', args: { command: 'echo hi' } }], [{ text: 'Done.' }]) })
  await before.until(({ event, data }) => event === 'prompts' && data.data.pending_count === 1)
  await before.until(({ event, data }) => event === 'turn' && data.event === 'tool')
  await first.crash()
  await before.ended
  const client = known(before)

  const second = await spawnServer(t, folder, environment)
  const after = await second.events(`/api/events?session=${id}`, { 'last-event-id': client.cursor! })
  await eventually('the answer to be taken', async () => (await second.respond(id, 'once')).ok === true)
  await after.until(isEnd(asking))
  const next = await second.json('/api/chat/start', { session_id: id, message: 'Again', model: service.model([{ text: 'Yes.' }]) })
  await after.until(isEnd(next.stream_id))
  for (const frame of after.frames) client.apply(frame)
  t.same([...client.turns.keys()], [asking, next.stream_id])
  for (const frames of client.turns.values()) {
    const seqs = frames.map((frame) => Number(frame.id!.split(':')[1]))
    t.same(seqs, seqs.map((_, index) => index + 1), 'no frame is missing or comes twice')
  }
  after.drop()
  await second.end('SIGTERM')
})

t.test('sessions that there are not, and too many', async (t) => {
  const sessionId = await service.newSession()
  const gone = await service.newSession()
  const reader = await service.events(`/api/events?session=nobody&session=${sessionId}&session=${gone}&session=%00`)
  await eventually('an answer to each', () => known(reader).conversations.size === 2 && known(reader).unknown.length === 2)
  t.same(known(reader).unknown, [{ session_id: 'nobody', error: 'Session not found' }, { session_id: '\0', error: 'Session not found' }])
  await service.post('/api/session/delete', { session_id: gone })
  await reader.until(({ event, data }) => event === 'conversation' && data.data.reason === 'session_delete')
  const { streamId } = await service.turn(sessionId, 'Hello', model('Hi'))
  await reader.until(isEnd(streamId))
  reader.drop()
  for (const query of ['session=', `session=${'x'.repeat(300)}`, Array.from({ length: 21 }, (_, n) => `session=s${n}`).join('&')]) {
    t.match(await service.get(`/api/events?${query}`), { status: 400, body: { error: String } }, query.slice(0, 40))
  }
  await eventually('nobody to tell', () => service.app.eventStreams.open() === 0)
  t.same(service.app.events.size(), { topics: 0, subscriptions: 0 })
})
