import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from '#test'
import { mostEntries } from '../../services/areas/queue/entries.js'
import { restoreBackup } from '../../services/areas/backups/index.js'
import { RelayFailed } from '../../services/ground/errors.js'
import { type Answer } from '../support/app.js'
import { eventually, gate, held, startChat, type ChatService } from '../support/chat.js'
import { type ModelStep } from '../support/model-endpoint.js'

// A queued message that was sent into the running turn is read by the model, or it is back in the queue: never in both, never in neither.

interface Waiting { id: string, message: string, version: number, not_before: number | null }
interface Queue { queue: Waiting[], held: { reason: string } | null }

const service = await startChat(t)
const limited: ModelStep[] = [{ refuse: 429, error: 'Too many', headers: { 'retry-after': '3600' } }]

const act = (sessionId: string, action: string, more: Record<string, unknown> = {}, on = service): Promise<Answer> =>
  on.post('/api/session/queue', { session_id: sessionId, action, ...more })
const queueOf = async (sessionId: string, on = service): Promise<Queue> => (await on.get(`/api/session/queue?session_id=${sessionId}`)).body
const told = async (sessionId: string, on = service): Promise<string[]> =>
  (await on.session(sessionId)).messages.filter(({ role }: { role: string }) => role === 'user').map(({ content }: { content: string }) => content)
const allTold = (sessionId: string, texts: string[], on = service) => eventually(`it was told ${texts.join(', ')}`, async () =>
  on.app.chat.isSettled(sessionId) && (await told(sessionId, on)).join() === texts.join())

/** Starts a turn that talks until `over` is open, and then does `after`. */
async function talking (after: ModelStep[] | null = null, on: ChatService = service) {
  const over = gate()
  const afterwards = async (): Promise<ModelStep[]> => {
    await eventually('it is to go on', () => over.isOpen)
    return after ?? []
  }
  const model = on.model(after === null ? held(over, [{ text: 'So' }], [{ text: ' far.' }]) : afterwards)
  const sessionId = await on.newSession({ model, model_provider: 'openai' })
  const streamId = await on.send(sessionId, 'First')
  const reader = await on.watch(streamId)
  if (after === null) await reader.until('token')
  else await eventually('it asks the model', () => on.requests(model).length === 1)
  return { sessionId, streamId, over, model, reader }
}

/** Queues a message and sends it into the running turn; returns it as it waited. */
async function sentInto (sessionId: string, message: string, on = service): Promise<Waiting> {
  const { body: { id, queue } } = await act(sessionId, 'add', { message, not_before: 9_999_999_999 }, on)
  const waiting = queue.find((entry: Waiting) => entry.id === id)
  const { body } = await act(sessionId, 'send_now', { id }, on)
  t.match(body, { sent: 'steered' })
  t.notOk(body.queue.some((entry: Waiting) => entry.id === id), 'it has left the queue')
  return waiting
}

t.test('messages that the turn did not read are the next ones, in their order, and only what was typed into it comes back as a text', async (t) => {
  const { sessionId, over, reader } = await talking()
  await act(sessionId, 'add', { message: 'Last' })
  await sentInto(sessionId, 'Second')
  await service.post('/api/chat/steer', { session_id: sessionId, text: 'Typed' })
  await sentInto(sessionId, 'Third')
  over.open()
  await reader.ended
  t.same(reader.frames.filter(({ event }) => event === 'pending_steer_leftover').map(({ data }) => data.text), ['Typed'])
  await allTold(sessionId, ['First', 'Second', 'Third', 'Last'])
  t.same(await queueOf(sessionId), { queue: [], held: null })
})

t.test('what the model has read does not come back', async (t) => {
  const { sessionId, over, reader, model } = await talking([{ tool: 'list_files', args: {}, id: 'call_1' }])
  await sentInto(sessionId, 'Read')
  over.open()
  await reader.ended
  t.equal(service.requests(model).length, 2)
  t.same(await queueOf(sessionId), { queue: [], held: null })
  t.same(await told(sessionId), ['First', 'Read'])
})

t.test('after a failure it waits in a held queue, as a new state of the same message', async (t) => {
  const { sessionId, over, reader } = await talking([{ refuse: 401, error: 'No such key' }])
  const all = await service.events(`/api/session/stream?session_id=${sessionId}`)
  const { id, version } = await sentInto(sessionId, 'Second')
  over.open()
  await reader.ended
  await all.until(({ event, data }) => event === 'queue_changed' && data.queued_count === 1)
  await eventually('it is held', async () => (await queueOf(sessionId)).held?.reason === 'failed')
  const { queue: [back] } = await queueOf(sessionId)
  t.match(back, { id, message: 'Second', not_before: null })
  t.ok(back!.version > version)
  t.match(await act(sessionId, 'edit', { id, version, message: 'Other' }), { status: 409, body: { code: 'queue_changed' } }, 'a device that has not seen it come back')
  t.equal((await act(sessionId, 'edit', { id, version: back?.version, message: 'Other' })).status, 200)
  await act(sessionId, 'resume')
  await allTold(sessionId, ['First', 'Other'])
  all.drop()
})

t.test('when its turn is stopped it is held, even in a full queue', async (t) => {
  const { sessionId, streamId, reader } = await talking()
  const { id } = await sentInto(sessionId, 'Second')
  for (let at = 0; at < mostEntries; at++) await act(sessionId, 'add', { message: `m${at}` })
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await reader.ended
  await eventually('it is held', async () => (await queueOf(sessionId)).held?.reason === 'cancelled')
  const { queue } = await queueOf(sessionId)
  t.equal(queue.length, mostEntries + 1)
  t.equal(queue[0]?.id, id)
  t.equal((await act(sessionId, 'edit', { id, message: 'Changed' })).status, 200, 'it can be edited')
  t.match(await act(sessionId, 'add', { message: 'More' }), { status: 409, body: { code: 'queue_full' } })
  t.same(await told(sessionId), ['First'])
})

t.test('a turn that is stopped when its answer stands already, before it has returned the message, holds it too', async (t) => {
  const { sessionId, streamId, over, reader } = await talking()
  const answered = gate()
  service.app.chat.turns.on('answered', async (turn) => {
    if (turn.streamId !== streamId) return null
    answered.open()
    await reader.ended
    return null
  })
  await sentInto(sessionId, 'Second')
  over.open()
  await eventually('the answer stands', () => answered.isOpen)
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await reader.ended
  await eventually('it is held', async () => (await queueOf(sessionId)).held?.reason === 'cancelled')
  t.match(await queueOf(sessionId), { queue: [{ message: 'Second' }] })
  t.same(await told(sessionId), ['First'])
})

t.test('a turn that waits for a limit keeps it: it reads it when it resumes, and returns it when it is stopped', async (t) => {
  const parked = async () => {
    const turn = await talking(limited)
    turn.over.open()
    await turn.reader.until('parked')
    await eventually('it is parked', () => service.app.chat.isParked(turn.streamId))
    await sentInto(turn.sessionId, 'Second')
    return turn
  }
  const resumed = await parked()
  t.match((await service.post('/api/chat/resume', { stream_id: resumed.streamId })).body, { resumed: true })
  await resumed.reader.ended
  await allTold(resumed.sessionId, ['First', 'Second'])
  t.same(await queueOf(resumed.sessionId), { queue: [], held: null })

  const stopped = await parked()
  await service.post('/api/chat/cancel', { stream_id: stopped.streamId })
  await stopped.reader.ended
  t.notOk(stopped.reader.frames.some(({ event }) => event === 'pending_steer_leftover'))
  await eventually('it is held', async () => (await queueOf(stopped.sessionId)).held?.reason === 'cancelled')
  t.match((await queueOf(stopped.sessionId)).queue, [{ message: 'Second' }])
})

t.test('one that the turn has read although it acknowledged that too late is not sent again', async (t) => {
  const { sessionId, over, reader, model } = await talking([{ tool: 'list_files', args: {}, id: 'call_1' }])
  const { agent } = service.app
  const control = agent.control.bind(agent)
  agent.control = async (...asked) => {
    await control(...asked)
    throw new RelayFailed('The agent did not acknowledge in time')
  }
  t.teardown(() => { agent.control = control })
  await sentInto(sessionId, 'Read')
  over.open()
  await reader.ended
  t.equal(service.requests(model).length, 2)
  await allTold(sessionId, ['First', 'Read'])
  t.same(await queueOf(sessionId), { queue: [], held: null })
})

t.test('one whose fields an earlier version kept comes back, with what they lack as in a new message', async (t) => {
  const { sessionId, over, reader } = await talking([{ refuse: 401, error: 'No such key' }])
  const { id } = await sentInto(sessionId, 'Second')
  service.app.db.sqlite.prepare("update steers set origin = json_object('id', origin ->> 'id', 'createdAt', origin -> 'createdAt', 'gone', 1) where text = 'Second' and state = 'pending'").run()
  over.open()
  await reader.ended
  await eventually('it is back', async () => (await queueOf(sessionId)).queue.length === 1)
  t.match(await queueOf(sessionId), { queue: [{ id, message: 'Second', not_before: null }], held: { reason: 'failed' } })
})

t.test('in a restored backup it comes back to a held queue, even if a person has added and removed messages meanwhile', async (t) => {
  const { sessionId, over, reader } = await talking()
  await sentInto(sessionId, 'Second')
  service.app.db.sqlite.prepare("update queues set held_reason = 'restored' where session_id = ?").run(sessionId)
  const { body: { id } } = await act(sessionId, 'add', { message: 'Away' })
  await act(sessionId, 'remove', { id })
  await act(sessionId, 'add', { message: 'Mine' })
  over.open()
  await reader.ended
  await eventually('it is back', async () => (await queueOf(sessionId)).queue.length === 2)
  t.match(await queueOf(sessionId), { queue: [{ message: 'Second' }, { message: 'Mine' }], held: { reason: 'restored' } })
  t.same(await told(sessionId), ['First'])
  await act(sessionId, 'resume')
  await allTold(sessionId, ['First', 'Second', 'Mine'])
})

t.test('it goes with its session', async (t) => {
  const { sessionId } = await talking()
  await sentInto(sessionId, 'Second')
  t.equal((await service.post('/api/session/delete', { session_id: sessionId })).status, 200)
  const count = service.app.db.sqlite.prepare<[string], number>('select count(*) from queue_entries where session_id = ?').pluck()
  await eventually('its turn is over', () => service.app.chat.isSettled(sessionId))
  t.equal(count.get(sessionId), 0)
})

t.test('over a kill it is sent as the next message, unless a person stopped its turn or restored a backup', async (t) => {
  const folder = join(service.folder, 'before')
  mkdirSync(folder)
  const before = await service.again(t, folder)
  const { sessionId, streamId } = await talking(null, before)
  for (const message of ['Second', 'Third']) await sentInto(sessionId, message, before)
  // The state that a kill leaves: the files as they are.
  const killed = (name: string): string => {
    const copy = join(service.folder, name)
    cpSync(folder, copy, { recursive: true })
    return copy
  }
  const database = (copy: string): string => join(copy, 'home', 'webui', 'service.db')
  const [plain, bare, stopped, stoppedBare, restored, source] =
    ['plain', 'bare', 'stopped', 'stopped-bare', 'restored', 'source'].map(killed) as [string, string, string, string, string, string]
  const change = (copy: string, statements: string): void => {
    const sqlite = new Sqlite(database(copy))
    sqlite.exec(statements)
    sqlite.close()
  }
  await before.stop()

  // The rows or the last frame of the turn cannot be stored.
  change(bare, `create trigger refused before insert on messages when new.stream_id = '${streamId}' begin select raise(abort, 'refused'); end`)
  change(stoppedBare, "create trigger refused before insert on frames when new.event = 'cancel' begin select raise(abort, 'refused'); end")
  for (const copy of [plain, bare]) {
    const after = await service.again(t, copy)
    await allTold(sessionId, ['First', 'Second', 'Third'], after)
    t.same(await queueOf(sessionId, after), { queue: [], held: null })
  }

  const halted: ChatService[] = []
  for (const copy of [stopped, stoppedBare]) {
    change(copy, "update streams set state = 'cancelling', terminal_state = 'interrupted-by-user'")
    const after = await service.again(t, copy)
    t.match(await queueOf(sessionId, after), { queue: [{ message: 'Second' }, { message: 'Third' }], held: { reason: 'cancelled' } })
    halted.push(after)
  }

  change(source, 'pragma wal_checkpoint(truncate)')
  restoreBackup({ home: join(restored, 'home'), stateDir: join(restored, 'home', 'webui'), source: database(source), nowS: Date.now() / 1_000 })
  const copied = await service.again(t, restored)
  t.match(await queueOf(sessionId, copied), { queue: [{ message: 'Second' }, { message: 'Third' }], held: { reason: 'restored' } })
  for (const on of [...halted, copied]) t.same(await told(sessionId, on), ['First'])
})
