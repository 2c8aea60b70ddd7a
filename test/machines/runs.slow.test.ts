import t from '#test'
import { setTimeout as delay } from 'node:timers/promises'
import { headers } from '@nats-io/nats-core'
import { instanceHeader } from '../../services/agent/machine-messages.js'
import { type RunSpec } from '../../services/agent/protocol.js'
import { type ModelStep } from '../support/model-endpoint.js'
import { eventually, gate, held, startChat, type ChatService } from '../support/chat.js'
import { startMachine, type Machine, type MachineOptions } from '../support/working-machine.js'
import { needs } from '../support/programs.js'
import { type TestLike } from '../support/app.js'

/** Starts a service whose turns all run on the machine `big`. */
async function elsewhere (t: TestLike, more: Partial<MachineOptions> = {}): Promise<{ service: ChatService, machine: Machine, specs: RunSpec[] }> {
  const env: Record<string, string> = {}
  const machine = await startMachine(t, { env, ...more })
  const service = await startChat(t, { transport: machine.transport })
  // The machine has its own keys.
  Object.assign(env, { OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' })
  const specs: RunSpec[] = []
  const { agent } = service.app
  const { start } = agent
  agent.start = (spec, observer) => {
    specs.push({ ...spec, host: 'big' })
    start.call(agent, specs.at(-1)!, observer)
  }
  return { service, machine, specs }
}

const words = (count: number): string => Array.from({ length: count }, (_, index) => `word-${index} `).join('')
const spoken = (count: number): ModelStep[] => Array.from({ length: count }, (_, index) => ({ text: `word-${index} ` }))
async function answerOf (service: ChatService, sessionId: string): Promise<string> {
  return String((await service.session(sessionId)).messages.at(-1).content)
}

void t.test('turns on another machine: said in whole, side by side, answered, steered and cancelled', needs('nats-server'), async (t) => {
  const { service, machine, specs } = await elsewhere(t)

  await t.test('two at once, and nothing is left in the stream', async (t) => {
    const [one, two] = [await service.newSession(), await service.newSession()]
    await Promise.all([service.turn(one, 'Go', service.model(spoken(300))), service.turn(two, 'Go', service.model(spoken(200)))])
    t.equal((await answerOf(service, one)).trim(), words(300).trim())
    t.equal((await answerOf(service, two)).trim(), words(200).trim())
    t.ok((await machine.link.jsm.streams.info(machine.link.subjects.runs)).state.last_seq > 0, 'they went this way')
    await eventually('the stream to forget both', async () => {
      const { state } = await machine.link.jsm.streams.info(machine.link.subjects.runs, { subjects_filter: '>' })
      return Object.keys(state.subjects ?? {}).every((subject) => subject.endsWith('.host'))
    })
  })

  await t.test('an approval and a question are answered there', async (t) => {
    const id = await service.newSession()
    const streamId = await service.send(id, 'Go', { model: service.model([{ tool: 'terminal', args: { command: 'touch asked' } }], [{ tool: 'clarify', args: { question: 'Which?', choices: ['a', 'b'] } }], [{ text: 'Both.' }]) })
    const reader = await service.watch(streamId)
    const { approval_id: approvalId } = await service.pending(id)
    t.match((await service.respond(id, 'once', approvalId)).body, { ok: true, choice: 'once', relayed: true })
    const { clarify_id: clarifyId } = await service.pending(id, 'clarify')
    t.match((await service.post('/api/clarify/respond', { session_id: id, response: 'b', clarify_id: clarifyId })).body, { ok: true, response: 'b', relayed: true })
    await reader.ended
    t.equal(await answerOf(service, id), 'Both.')
  })

  await t.test('steered, and cancelled', async (t) => {
    const hold = gate()
    const id = await service.newSession()
    const streamId = await service.send(id, 'Go', { model: service.model(held(hold, [{ text: 'So far ' }, { tool: 'list_files', args: {} }], [{ waitMs: 10 }]), [{ text: 'and on.' }]) })
    const reader = await service.watch(streamId)
    await reader.until(({ event }) => event === 'token')
    t.match((await service.post('/api/chat/steer', { session_id: id, text: 'Faster' })).body, { accepted: true })
    hold.open()
    await reader.ended
    t.match((await service.session(id)).messages.filter(({ role }: { role: string }) => role === 'user').map(({ content }: { content: string }) => content), ['Go', 'Faster'])

    const never = gate()
    const again = await service.send(id, 'Again', { model: service.model(held(never, [{ text: 'So far ' }], [{ text: 'never' }])) })
    const second = await service.watch(again)
    await second.until(({ event }) => event === 'token')
    t.match((await service.post('/api/chat/cancel', { stream_id: again })).body, { ok: true })
    await second.ended
    await eventually('the machine to let go', () => machine.bridge().runs() === 0)
    never.open()
  })

  await t.test('that a person was asked for what lasts is not believed of another machine', async (t) => {
    const id = await service.newSession()
    const model = service.model([{ tool: 'memory', args: { action: 'add', section: 'memory', text: 'From afar' } }], [{ tool: 'terminal', args: { command: 'touch asked' } }], [{ text: 'So be it.' }])
    const reader = await service.watch(await service.send(id, 'Remember it', { model }))
    t.match(await service.pending(id), { command: 'touch asked' }, 'nobody is asked what cannot be done from there')
    // A run that has asked nothing.
    const { runId, generation } = specs.at(-1)!
    const { js, nc, subjects } = await machine.nats.link()
    const head = headers()
    head.set(instanceHeader, '1')
    const body = { action: 'add', section: 'memory', text: 'From a thief', expected: null }
    await js.publish(subjects.from('big', 'default', null), JSON.stringify({ type: 'request', request: { requestId: 'x', runId, generation, what: 'memory_save', body, deadlineMs: null } }), { headers: head })
    await nc.close()
    t.match((await service.respond(id, 'once')).body, { ok: true })
    await reader.ended
    t.match(JSON.stringify(service.requests(model)[1]!.messages), /Refused: the memory can only be changed/)
    t.equal((await service.get('/api/memory')).body.memory, '')
  })

  await t.test('what no machine should say stops nobody', async (t) => {
    const { js, nc, subjects } = await machine.nats.link()
    const head = headers()
    head.set(instanceHeader, '1')
    const nothing = { toString: null, valueOf: null }
    for (const said of [
      'garbage', 'null', '[]', { type: nothing }, { type: 'lost', runId: nothing }, { type: 'lost', runId: 'none', reason: nothing, message: nothing }, { type: 'exited', process: nothing, reason: nothing },
      { type: 'events', batches: nothing }, { type: 'events', batches: [null, { runId: 'none', generation: 1, seq: 1, events: [nothing] }] }, { type: 'pong', beat: 1e300, runs: [nothing] }, { type: '__proto__' }
    ]) await js.publish(subjects.from('big', 'default', null), typeof said === 'string' ? said : JSON.stringify(said), { headers: head })
    await nc.close()
    const id = await service.newSession()
    await service.turn(id, 'Go', service.model([{ text: 'All the same.' }]))
    t.equal(await answerOf(service, id), 'All the same.')
    // Events after that are ignored.
    t.equal(service.app.agent.size().runs, 0)
  })

  await t.test('more than a message holds travels beside it', { long: true }, async (t) => {
    const id = await service.newSession()
    const long = 'long '.repeat(80_000)
    for (let turn = 0; turn < 3; turn++) await service.turn(id, 'Go', service.model([{ text: long }]))
    await service.turn(id, 'And?', service.model([{ text: 'Heard.' }]))
    t.equal(await answerOf(service, id), 'Heard.')
    t.ok(JSON.stringify((await service.session(id)).messages).length > 1_048_576)
  })
})

void t.test('the server is killed and comes back in the middle of a turn: nothing is lost, and nothing comes twice', { ...needs('nats-server'), long: true }, async (t) => {
  const { service, machine } = await elsewhere(t)
  const [first, second] = [gate(), gate()]
  const id = await service.newSession()
  const streamId = await service.send(id, 'Go', { model: service.model(held(first, spoken(50), [{ text: 'while it is away ' }, { tool: 'list_files', args: {} }]), held(second, spoken(20), [{ text: 'behind' }])) })
  const reader = await service.watch(streamId)
  await reader.until(({ event }) => event === 'token')
  await machine.nats.stop()
  first.open()
  await eventually('the machine to hold back what it has heard', () => machine.troubles.length > 0)
  await machine.nats.start()
  second.open()
  await reader.ended
  const texts = (await service.session(id)).messages.filter(({ role }: { role: string }) => role === 'assistant').map(({ content }: { content: string }) => content)
  t.same(texts, [`${words(50)}while it is away `, `${words(20)}behind`], 'as the model said it')
})

void t.test('a process or a whole machine that is killed ends its turn honestly, and the next turn works', { ...needs('nats-server'), long: true }, async (t) => {
  const { service, machine } = await elsewhere(t, { hosts: 'fork' })
  const id = await service.newSession()
  const begin = async (): Promise<Awaited<ReturnType<ChatService['watch']>>> => {
    const reader = await service.watch(await service.send(id, 'Go', { model: service.model(held(gate(), spoken(3), [{ text: 'never' }])) }))
    await reader.until(({ event }) => event === 'token')
    return reader
  }
  const killed = await begin()
  process.kill(machine.processes.at(-1)!, 'SIGKILL')
  await killed.ended
  t.match(killed.frames.find(({ event }) => event === 'apperror')?.data, { message: /machine big/ })

  const stopped = await begin()
  await machine.leave()
  await stopped.ended
  t.match(stopped.frames.find(({ event }) => event === 'apperror')?.data, { message: 'The machine big has been stopped in the middle of this turn.' })
  await machine.vanish()
  await machine.join()

  const left = await begin()
  await machine.vanish()
  t.equal((await service.post('/api/chat/steer', { session_id: id, text: 'Anybody?' })).body.accepted, false)
  await machine.join()
  await left.ended
  t.match(left.frames.find(({ event }) => event === 'apperror')?.data, { message: /machine big was started anew/ })
  await service.turn(id, 'Go', service.model([{ text: 'Back.' }]))
  t.equal(await answerOf(service, id), 'Back.')
})

void t.test('nobody there is said at once, and an answer that does not come is no answer', { ...needs('nats-server'), long: true }, async (t) => {
  const { service, machine } = await elsewhere(t, { awayMs: 300_000 })
  const id = await service.newSession()
  const streamId = await service.send(id, 'Go', { model: service.model([{ tool: 'terminal', args: { command: 'touch asked' } }]) })
  const { approval_id: approvalId } = await service.pending(id)
  await machine.vanish(false)
  const answer = { session_id: id, choice: 'once', approval_id: approvalId }
  t.match(await service.post('/api/approval/respond', answer), { status: 409, body: { ok: false, code: 'gateway_run_unavailable' } })
  const other = await service.newSession()
  const { frames } = await service.turn(other, 'Go', service.model([{ text: 'never' }]))
  t.match(frames.find(({ event }) => event === 'apperror')?.data, { message: /machine big is not reachable/ })
  const { nc } = await machine.nats.link()
  const deaf = nc.subscribe('agents.to.big.>')
  await nc.flush()
  t.match(await service.post('/api/approval/respond', answer), { status: 502, body: { ok: false, code: 'gateway_approval_relay_failed' } })
  deaf.unsubscribe()
  t.match(await service.pending(id), { approval_id: approvalId })
  await service.post('/api/chat/cancel', { stream_id: streamId })
})

void t.test('heartbeats and a cancel go beside uploads that are on their way', { ...needs('nats-server'), long: true }, async (t) => {
  const [before, hold] = [gate(), gate()]
  const { service } = await elsewhere(t, { prepare: async (spec) => { before.open(); while (!hold.isOpen) await delay(5); return spec } })
  const id = await service.newSession()
  const streamId = await service.send(id, 'Go', { model: service.model([{ text: 'never' }]) })
  const reader = await service.watch(streamId)
  await eventually('the uploads to be on their way', () => before.isOpen)
  t.match((await service.post('/api/chat/cancel', { stream_id: streamId })).body, { ok: true })
  await reader.ended
  hold.open()
  t.notOk(reader.frames.some(({ event }) => event === 'token'))
})
