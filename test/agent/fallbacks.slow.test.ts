import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { TurnMeter } from '../../services/areas/chat/turn-meter.js'
import { priceOf } from '../../services/providers/index.js'
import { browserClient, nativeClient } from '../support/clients.js'
import { eventually, gate, held, said, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { type TestLike } from '../support/app.js'

/** Starts a service whose profile has fallbacks, in the order of their answers; `other` is a second provider on the same endpoint. */
async function withFallbacks (t: TestLike, list: (service: ChatService) => unknown[], options: Parameters<typeof startChat>[1] = {}): Promise<ChatService> {
  const service = await startChat(t, options)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), JSON.stringify({
    providers: { other: { base_url: service.endpoint.url, api_key: 'other-key-12345', name: 'Other', models: ['listed'] }, keyless: { name: 'Keyless' } },
    fallback_providers: list(service)
  }))
  return service
}

const warnings = (frames: Array<{ event: string, data: any }>) => frames.filter(({ event, data }) => event === 'warning' && data.type === 'fallback').map(({ data }) => data.message as string) // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries

for (const fault of ['401', '402', '404', '429', 'quota', '500', 'empty', 'garbage']) {
  t.test(`a model that fails with ${fault} is stood in for, and nobody is left in doubt who answers`, async (t) => {
    const service = await withFallbacks(t, () => [{ provider: 'other', model: 'second' }])
    const sessionId = await service.newSession()
    const { frames } = await service.turn(sessionId, 'Hello', `fault-${fault}`)
    t.match(warnings(frames), [/ Other goes on with second\.$/])
    const done = frames.find(({ event }) => event === 'done')!
    t.match(done.data.usage, { used_model: 'second', used_provider: 'other' })
    t.match((await service.session(sessionId)).messages.at(-1), { _usedModel: 'second', _usedProvider: 'other' })
    t.equal(service.requests('second').at(-1)?.headers.authorization, 'Bearer other-key-12345')
  })
}

t.test('what was heard of a model that gives up stands until the next one begins to answer', async (t) => {
  const service = await withFallbacks(t, () => ['@other:second'])
  const broken: ScriptedAnswer = [{ text: 'Half an' }, { cut: true }]
  const model = service.model(broken, broken, broken, broken)
  const sessionId = await service.newSession()
  const { frames } = await service.turn(sessionId, 'Hello', model)
  t.equal(warnings(frames).length, 1)
  const { messages } = await service.session(sessionId)
  t.same(messages.map(({ role }: { role: string }) => role), ['user', 'assistant'])
  t.match(messages.at(-1).content, /^word1 /)
  for (const client of [browserClient, nativeClient]) {
    const shown = client(frames)
    t.equal(shown[frames.findIndex(({ event }) => event === 'warning')], 'Half an')
    t.equal(browserClient(frames).at(-1), messages.at(-1).content)
  }
})

t.test('who stands in stays to the end of the turn, tools included; the next turn begins with the chosen model', async (t) => {
  const service = await withFallbacks(t, ({ model }) => [{ provider: 'openai', model: model([{ tool: 'list_files', args: {}, id: 'call_1' }], [{ text: 'Seen.' }]) }])
  const chosen = service.model([{ text: 'Hm. ' }, { tool: 'list_files', args: {}, id: 'call_0' }], [{ refuse: 401 }], [{ text: 'I am back.' }])
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Hello', chosen)
  const standIn = service.requests('scripted-1')
  t.equal(standIn.length, 2)
  t.equal(said(standIn[0], 'tool').length, 1, 'what was done before is not done again')
  t.match((await service.session(sessionId)).messages.at(-1), { content: 'Seen.', _usedModel: 'scripted-1' })

  const next = await service.turn(sessionId, 'And now?', chosen)
  t.match(next.frames.find(({ event }) => event === 'done')?.data.usage, { used_model: chosen })
  t.same(warnings(next.frames), [])
})

t.test('the list is gone through in its order; a provider alone, one without an address and what makes no sense have their place in it', { long: true }, async (t) => {
  const service = await withFallbacks(t, () => [7, '', null, 'keyless', 'unheard-of', { provider: 'openai', model: 'fault-500' }, { model: '@other:fault-404' }, 'other'])
  const sessionId = await service.newSession()
  const { frames } = await service.turn(sessionId, 'Hello', 'fault-401')
  t.same(warnings(frames).map((message) => / goes on with (.+)\.$/.exec(message)?.[1]), ['fault-500', 'fault-404', 'test-model'])
  t.match(frames.find(({ event }) => event === 'done')?.data.usage, { used_model: 'test-model', used_provider: 'other' })
})

t.test('when nobody is left, the turn fails with what was wrong with the first', async (t) => {
  const service = await withFallbacks(t, () => ['@other:fault-500'])
  const sessionId = await service.newSession()
  const { last } = await service.turn(sessionId, 'Hello', 'fault-401')
  t.match(last, { event: 'apperror', data: { type: 'auth_mismatch', error: /refused the API key\. What was to stand in for it failed as well: Other has a problem of its own/, hint: /in Models/ } })
  t.equal(last.data.about, undefined, 'the sentence says more than whom it names')
  t.match((await service.turn(sessionId, 'Hello', 'fault-overflow')).last, { event: 'apperror', data: { error: /too long/ } })
  t.equal(service.requests('fault-500').length, 3, 'a conversation that is too long is nobody else\'s')
})

t.test('a model without a key is stood in for, and says so', { long: true }, async (t) => {
  const service = await withFallbacks(t, () => ['@other:second'])
  const sessionId = await service.newSession()
  const { frames } = await service.turn(sessionId, 'Hello', '@anthropic:claude-sonnet-5-5')
  t.match(warnings(frames), [/goes on\.$/])
  t.match(frames.find(({ event }) => event === 'done')?.data.usage, { used_model: 'second', used_provider: 'other' })
})

t.test('cancel, steering and another turn work while a stand-in answers', { long: true }, async (t) => {
  const open = gate()
  const steered = gate()
  const service = await withFallbacks(t, ({ model }) => [{
    provider: 'openai',
    model: model(
      () => held(open, [{ text: 'Slow ' }], [{ text: 'never.' }]), [{ text: 'Quick.' }],
      () => held(steered, [{ text: 'A moment. ' }], [{ tool: 'list_files', args: {}, id: 'call_1' }]), [{ text: 'Noted.' }]
    )
  }])
  const cancelled = await service.newSession()
  const streamId = await service.send(cancelled, 'Hello', { model: 'fault-401' })
  const reader = await service.watch(streamId)
  await reader.until('token')
  const beside = await service.turn(await service.newSession(), 'Hello', 'fault-404')
  t.match(beside.frames.find(({ event }) => event === 'done')?.data.usage, { used_model: 'scripted-1' })
  t.match((await service.get(`/api/chat/cancel?stream_id=${streamId}`)).body, { cancelled: true })
  await reader.ended
  t.match((await service.session(cancelled)).messages.at(-1), { content: 'Slow ', _partial: true })
  open.open()

  const sessionId = await service.newSession()
  const going = await service.watch(await service.send(sessionId, 'Hello', { model: 'fault-401' }))
  await going.until('token')
  t.match((await service.post('/api/chat/steer', { session_id: sessionId, text: 'In French, please' })).body, { accepted: true })
  steered.open()
  await going.ended
  t.equal(going.frames.at(-1)?.event, 'stream_end')
  t.match(said(service.requests('scripted-1').at(-1), 'user').at(-1), /In French, please/)
  t.match((await service.session(sessionId)).messages.at(-1), { content: 'Noted.', _usedModel: 'scripted-1' })
})

t.test('a cancel ends the wait for a stand-in at once', async (t) => {
  const service = await withFallbacks(t, () => [{ provider: 'openai', model: 'fault-hang' }])
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Hello', { model: 'fault-401' })
  const reader = await service.watch(streamId)
  await reader.until('warning')
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
})

t.test('a stand-in that waits for a person outlives a stop of the service, and is the one that goes on', { long: true }, async (t) => {
  const service = await withFallbacks(t, ({ model }) => [{
    provider: 'openai', model: model([{ tool: 'terminal', args: { command: 'touch made' }, id: 'call_ask' }], [{ text: 'Done that.' }])
  }], { onDisk: true })
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Hello', { model: 'fault-401' })
  const pending = async (from: ChatService) => (await from.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending
  const asked = await eventually('an approval', () => pending(service))
  await service.stop()

  const again = await service.again(t, service.folder)
  t.equal((await eventually('the same approval', () => pending(again))).approval_id, asked.approval_id)
  await again.respond(sessionId, 'once', asked.approval_id)
  const reader = await again.watch(streamId)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'done')?.data.usage, { used_model: 'scripted-1' })
  t.match((await again.session(sessionId)).messages.at(-1), { content: 'Done that.' })
  t.equal(service.endpoint.requests.filter(({ model }) => model === 'fault-401').length, 1, 'who has given up is not asked again')
})

t.test('when the host of a stand-in is killed, what it has said stays, and the next turn has its stand-in again', { long: true }, async (t) => {
  const open = gate()
  const service = await withFallbacks(t, ({ model }) => [{
    provider: 'openai', model: model(() => held(open, [{ text: 'Half ' }], [{ text: 'never.' }]), [{ text: 'All of it.' }])
  }], { hosts: 'fork' })
  const sessionId = await service.newSession()
  const reader = await service.watch(await service.send(sessionId, 'Hello', { model: 'fault-401' }))
  await reader.until('token')
  process.kill((await service.get('/api/system/health')).body.agent.pid, 'SIGKILL')
  await reader.ended
  t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'interrupted', session: { messages: [{ role: 'user' }, { content: /^Half/, _partial: true }, { _error: true }] } } })

  const { frames } = await service.turn(sessionId, 'Again', 'fault-401')
  open.open()
  t.match(frames.find(({ event }) => event === 'done')?.data.usage, { used_model: 'scripted-1' })
  t.match((await service.session(sessionId)).messages.at(-1), { content: 'All of it.' })
})

t.test('each call has the price of its own model; what a helper has used says nothing of the context', { long: true }, async (t) => {
  const booked: unknown[] = []
  const saved: unknown[] = []
  const meter = new TurnMeter({ streamId: 's', sessionId: 'c', profile: 'default', startedAtS: 0, kind: 'chat', account: { profile: 'default' } }, {
    sessions: { rows: { addUsage: (_id: string, used: unknown) => booked.push(used) } } as never,
    usageLog: { saveTurn: (used: unknown) => saved.push(used), addCall: (used: unknown) => saved.push(used) } as never,
    clock: { now: () => 0 },
    budgets: { spend: () => [] },
    price: priceOf
  })
  const modelAt = (id: string, price: number | null) => ({ provider: 'p', id, contextLength: 1_000, cost: price === null ? null : { input: price, output: price, cacheRead: 0, cacheWrite: 0 } })
  const used = { inputTokens: 900_000, outputTokens: 100_000, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
  const [first, second, unpriced, local] = [modelAt('first', 2), modelAt('second', 5), modelAt('unpriced', null), modelAt('local', 0)]
  for (const book of [meter.count(used, first), meter.countAside('vision', used, second), meter.count(used, second), meter.count(used, unpriced), meter.count(used, local)]) book()
  t.match(booked, [{ cost: 2, contextTokens: 1_000_000 }, { cost: 5, contextTokens: null }, { cost: 5 }, { cost: null }, { cost: 0 }])
  t.match(saved, [{ model: 'first', cost: 2 }, { kind: 'vision', turnId: 's', model: 'second', cost: 5, usage: { inputTokens: 900_000 } }, { model: 'second', cost: 7, usage: { inputTokens: 1_800_000 } }, { model: 'unpriced', cost: 7 }, { model: 'local', cost: 7 }])
})
