import t from '#test'
import { silenceOf } from '../../services/areas/home/silence.js'
import { type Json } from '../support/app.js'
import { eventually, gate, held, startChat } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'

let ahead = 0
const service = await startChat(t, { clock: aheadBy(() => ahead) })
const home = async (): Promise<Json> => (await service.get('/api/home')).body
const silentOf = async (id: string): Promise<Json> => (await home()).running.find(({ session_id: one }: Json) => one === id)?.silent
const minutes = (count: number): void => {
  ahead += count * 60_000
  service.app.home.lookForSilence()
}

t.test('what a turn waits for that says nothing', (t) => {
  const turn = { streamId: 's', sessionId: 'a', profile: 'p', promptsIn: 'a', model: 'gpt', silentMs: 600_000, calls: [] }
  t.equal(silenceOf(undefined, false, 1_000), null)
  t.equal(silenceOf({ ...turn, silentMs: 599_999 }, false, 1_000), null)
  t.same(silenceOf(turn, false, 1_000), { since: 400, waiting_for: 'model', detail: 'gpt' })
  const calls = (...names: string[]) => ({ ...turn, calls: names.map((name) => ({ name, preview: `${name} it` })) })
  t.match(silenceOf(calls('terminal'), false, 1_000), { waiting_for: 'command', detail: 'terminal it' })
  t.match(silenceOf(calls('terminal', 'delegate'), false, 1_000), { waiting_for: 'sub_agent' })
  t.match(silenceOf(calls('web_search'), false, 1_000), { waiting_for: 'tool', detail: 'web_search' })
  t.match(silenceOf(calls('terminal'), true, 1_000), { waiting_for: 'person', detail: null })
})

t.test('a silent turn is said as what it is: in its status, in Home, and in the counts of the stream', async (t) => {
  const id = await service.newSession()
  const wait = gate()
  const model = service.model(held(wait, [{ text: 'a' }], [{ text: 'b' }]))
  const feed = await service.events('/api/events')
  await feed.until('snapshot')
  t.match(feed.frames[0]?.data, { counts: { running: 0, silent: 0, waiting: 0, queued: 0 } })
  const streamId = await service.send(id, 'Go', { model })
  await eventually('it is asked', () => service.requests(model).length === 1)
  t.equal(await silentOf(id), null)
  t.match((await service.get(`/api/session/status?session_id=${id}`)).body, { is_streaming: true, silent: null })
  minutes(11)
  t.match(await silentOf(id), { waiting_for: 'model', detail: model, since: Number })
  t.match((await service.get(`/api/session/status?session_id=${id}`)).body.silent, { waiting_for: 'model' })
  await eventually('the counts are told', async () => feed.frames.some(({ event, data }: Json) => event === 'counts' && data.counts.silent === 1))
  t.ok(feed.frames.some(({ event }: Json) => event === 'home'), 'clients hear of it')
  wait.open()
  await (await service.watch(streamId)).ended
  minutes(0)
  t.match((await service.get(`/api/session/status?session_id=${id}`)).body, { silent: null })
  await eventually('and that it is over', async () => feed.frames.findLast(({ event }: Json) => event === 'counts')?.data.counts.running === 0)
  feed.drop()
})

t.test('a question that waits, and what is queued behind it', async (t) => {
  const id = await service.newSession()
  const streamId = await service.send(id, 'Go', { model: service.model([{ tool: 'clarify', args: { question: 'Which?', choices: ['a', 'b'] } }], [{ text: 'So.' }]) })
  await eventually('it waits', async () => (await home()).waiting.length === 1)
  t.match((await home()).waiting, [{ session_id: id, kind: 'question', since: Number }])
  await service.post('/api/session/queue', { session_id: id, action: 'add', message: 'Then this' })
  minutes(12)
  t.match(await silentOf(id), { waiting_for: 'person', detail: null })
  t.match(service.app.home.counts('default'), { running: 1, silent: 1, waiting: 1, queued: 1 })
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await eventually('nothing waits', async () => (await home()).waiting.length === 0)
})
