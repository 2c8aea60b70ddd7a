import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, startChat, telling, type ChatService, type ScriptedAnswer } from '../support/chat.js'
import { type ReceivedFrame } from '../support/events.js'
import { type TestLike } from '../support/app.js'
import { startMachine } from '../support/outliving-machine.js'

const service = await startChat(t)
let folders = 0

/** Creates a folder for services that are started on it one after the other, and a machine that outlives them. */
function place (t: TestLike) {
  const folder = join(service.folder, `kept-${++folders}`)
  const [workspace, profileHome] = [join(folder, 'far'), join(folder, 'far-home')]
  for (const each of [folder, workspace, profileHome]) mkdirSync(each, { recursive: true })
  const machine = startMachine({
    profileHome,
    serviceRoots: [],
    env: { PATH: process.env['PATH']!, HOME: folder, OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' },
    timing: { retryBaseMs: 5 },
    findSandbox: async () => ({ available: false, reason: 'not here' })
  })
  t.teardown(async () => await machine.close())
  /** The profiles whose agent was started on the service's own machine. */
  const here: string[] = []
  const begin = async (): Promise<ChatService> => {
    const begun = await service.again(t, folder, {
      transport: (local) => machine.transport(Object.assign((profile: string) => {
        here.push(profile)
        return local(profile)
      }, local))
    })
    // The folder's instructions are requested from a machine over another channel, which does not exist here.
    Object.assign(begun.app.machines, { ask: async () => ({ text: null, from: null }) })
    return begun
  }
  const newSession = async (on: ChatService, more: Record<string, unknown> = {}): Promise<string> => {
    const id = await on.newSession(more)
    on.app.sessions.rows.setWorkspace(id, `box:${workspace}`)
    return id
  }
  return { machine, begin, newSession, workspace, here }
}

const run = (command: string): ScriptedAnswer => [{ text: 'I run it. ' }, { usage: { input: 10, output: 5 } }, { tool: 'terminal', args: { command }, id: 'call_1' }]
const secret = `sk-proj-${'aB3dE5fG7h'.repeat(5)}`
const respond = async (on: ChatService, sessionId: string, choice: string) => await eventually('the run to take the answer', async () => {
  const { body } = await on.respond(sessionId, choice)
  return body.ok === true && body
})

async function framesOf (on: ChatService, streamId: string): Promise<ReceivedFrame[]> {
  const reader = await on.watch(streamId, '&replay=1')
  await reader.ended
  return reader.frames
}

/** Returns what a client has of a turn in the end, without ids and times. */
async function outcome (on: ChatService, sessionId: string, streamId: string) {
  const frames = await framesOf(on, streamId)
  const { messages, tool_calls: cards, input_tokens: input, output_tokens: output } = await on.session(sessionId)
  const text = (event: string) => frames.filter((frame) => frame.event === event).map(({ data }) => data.text).join('')
  const done = frames.find(({ event }) => event === 'done')?.data
  return {
    ids: frames.map(({ id }) => Number(id!.split(':')[1])),
    // If the service stops after the answer, the title is not waited for.
    events: telling(frames).filter((event) => event !== 'title'),
    text: text('token'),
    reasoning: text('reasoning'),
    tools: frames.filter(({ event }) => event === 'tool' || event === 'tool_complete').map(({ event, data: { duration: _, ...data } }) => [event, data]),
    messages: messages.map(({ role, content, reasoning }: Record<string, unknown>) => ({ role, content, reasoning })),
    isFinal: done !== undefined && messages.at(-1).message_id === done.message_id,
    cards: cards.length,
    usage: [input, output, done?.usage.last_prompt_tokens, typeof done?.usage.used_model]
  }
}

t.test('at whatever event the service is stopped, the turn becomes what it would have been', { long: true }, async (t) => {
  const script = (): ScriptedAnswer[] => [
    [{ reasoning: 'I think of it. ' }, { text: `The key is ${secret.slice(0, 30)}` }, { waitMs: 15 }, { text: `${secret.slice(30)} and ` }, { waitMs: 15 }, { text: 'so on. ' }, { tool: 'terminal', args: { command: 'echo one; sleep 0.05; echo two' }, id: 'call_1' }, { usage: { input: 100, output: 20 } }],
    [{ text: 'It said ' }, { waitMs: 15 }, { text: 'one and two.' }, { usage: { input: 150, output: 7 } }]
  ]
  const whole = place(t)
  const plain = await whole.begin()
  const wholeSession = await whole.newSession(plain)
  await plain.app.prompts.yolo.set(wholeSession, true, [])
  const wholeStream = await plain.send(wholeSession, 'Go', { model: plain.model(...script()) })
  const expected = await outcome(plain, wholeSession, wholeStream)
  t.equal(expected.events.at(-1), 'stream_end')
  t.notOk(JSON.stringify(expected).includes(secret.slice(12, 30)), 'nothing of the key is shown')
  t.equal(expected.isFinal, true)
  await eventually('its title', async () => (await plain.session(wholeSession)).title === 'An automatic title')
  t.equal(plain.app.agent.size().hosts, 1, 'which was found there as well')
  const batches = whole.machine.said()
  t.ok(batches > 8)
  await plain.stop()

  for (let stopAt = 0; stopAt <= batches; stopAt++) {
    const { machine, begin, newSession } = place(t)
    const before = await begin()
    const sessionId = await newSession(before)
    await before.app.prompts.yolo.set(sessionId, true, [])
    machine.deliver = (_, count) => count <= stopAt
    const streamId = await before.send(sessionId, 'Go', { model: before.model(...script()) })
    // On a loaded machine, adjacent pieces of text are merged into fewer events.
    await eventually('what is said before the stop', () => machine.said() >= Math.max(1, stopAt) || machine.isOver(streamId))
    await before.stop()
    machine.deliver = () => true
    const after = await begin()
    const became = await outcome(after, sessionId, streamId)
    t.same(became.ids, became.ids.map((_, index) => index + 1), `stopped after ${stopAt}: no gap and no duplicate`)
    t.same({ ...became, ids: null }, { ...expected, ids: null }, `stopped after ${stopAt}: it is the same`)
    await after.stop()
  }
})

t.test('a card stays open over two restarts, a text that was typed in is not lost, and the answer reaches the run', async (t) => {
  const { begin, newSession, workspace } = place(t)
  const first = await begin()
  const sessionId = await newSession(first)
  const streamId = await first.send(sessionId, 'Go', { model: first.model(run('echo one >> log')) })
  const asked = await first.pending(sessionId)
  t.match((await first.post('/api/chat/steer', { session_id: sessionId, text: 'Be quick' })).body, { accepted: true })
  const early = await first.watch(streamId)
  await early.until('tool')
  await first.stop()
  await early.ended
  t.notOk(early.frames.some(({ event }) => ['apperror', 'cancel', 'stream_end', 'done'].includes(event)), 'nobody is told that the turn is over')
  const second = await begin()
  t.same(await second.pending(sessionId), asked)
  await second.stop()
  const third = await begin()
  t.same(await third.pending(sessionId), asked)
  const late = await third.watch(streamId, `&after_event_id=${early.frames.at(-1)!.id!}`)
  await respond(third, sessionId, 'once')
  await late.ended
  const frames = [...early.frames, ...late.frames]
  t.same(frames.map(({ id }) => Number(id!.split(':')[1])), frames.map((_, index) => index + 1))
  t.equal(frames.at(-1)?.event, 'stream_end')
  t.equal(readFileSync(join(workspace, 'log'), 'utf8'), 'one\n')
  t.match((await third.session(sessionId)).messages.find(({ content }: { content: string }) => content === 'Be quick'), { role: 'user', _source: 'steer' })
})

t.test('a turn that was taken up can be stopped', async (t) => {
  const { begin, newSession } = place(t)
  const before = await begin()
  const sessionId = await newSession(before)
  const model = before.model(held(gate(), [{ text: 'Half of ' }], [{ text: 'it.' }]))
  const streamId = await before.send(sessionId, 'Go', { model })
  await (await before.watch(streamId)).until('token')
  await before.stop()
  const after = await begin()
  t.match((await after.get(`/api/chat/cancel?stream_id=${streamId}`)).body, { cancelled: true })
  t.equal((await framesOf(after, streamId)).at(-1)?.event, 'cancel')
  t.match((await after.session(sessionId)).messages.at(-1), { content: 'Half of ', _partial: true })
  await eventually('the end of the model call', () => after.requests(model)[0]!.isClosed)
})

t.test('what ended while the service was away is in the conversation; what was lost ends in words', async (t) => {
  for (const isLost of [false, true]) {
    const { machine, begin, newSession, here } = place(t)
    const open = gate()
    const before = await begin()
    const sessionId = await newSession(before)
    const streamId = await before.send(sessionId, 'Go', { model: before.model(held(open, [{ text: 'Half of ' }], [{ text: 'it.' }])) })
    await (await before.watch(streamId)).until('token')
    const said = machine.said()
    await before.stop()
    open.open()
    await eventually('the end of the run', () => machine.said() > said && machine.isOver(streamId))
    if (isLost) machine.forget()
    const after = await begin()
    const last = (await framesOf(after, streamId)).at(-1)
    const { messages } = await after.session(sessionId)
    if (!isLost) t.match([last, messages.at(-1)], [{ event: 'stream_end' }, { content: 'Half of it.' }])
    else t.match([last, messages.at(-2)], [{ event: 'apperror', data: { type: 'interrupted', terminal_state: 'interrupted-by-crash' } }, { content: 'Half of ', _partial: true }])
    t.equal((await after.get('/api/sessions')).body.sessions[0].is_streaming, false)
    t.same(here, [], 'small tasks, and questions about what became of a run, go to the machine too')
    await after.stop()
  }
})

t.test('a question on the side and a background task go on; what they have to say is there once', { long: true }, async (t) => {
  const { machine, begin, newSession } = place(t)
  const open = gate()
  const before = await begin()
  const half = (): Record<string, unknown> => ({ model: before.model(held(open, [{ text: 'Half of ' }], [{ text: 'it.' }])), model_provider: 'openai' })
  const [one, other] = [await newSession(before, half()), await newSession(before, half())]
  const { stream_id: asked } = (await before.post('/api/btw', { session_id: one, question: 'Why?' })).body
  const { stream_id: working, task_id: taskId } = (await before.post('/api/background', { session_id: other, prompt: 'Work' })).body
  for (const streamId of [asked, working]) await (await before.watch(streamId)).until('token')
  await before.stop()
  t.notOk(machine.isOver(asked) || machine.isOver(working))
  open.open()
  await eventually('both to end there', () => machine.isOver(asked) && machine.isOver(working))

  const after = await begin()
  for (const streamId of [asked, working]) {
    const frames = await framesOf(after, streamId)
    t.same(frames.map(({ id }) => Number(id!.split(':')[1])), frames.map((_, index) => index + 1))
    t.equal(frames.filter(({ event }) => event === 'token').map(({ data }) => data.text).join(''), 'Half of it.')
    const done = frames.find(({ event }) => event === 'done')?.data
    if (streamId === asked) t.match(done, { ephemeral: true, answer: 'Half of it.' })
    else t.ok(done)
  }
  const result = await eventually('the result', async () => (await after.get(`/api/background/status?session_id=${other}`)).body.results[0])
  t.match(result, { task_id: taskId, answer: 'Half of it.' })
  t.equal(after.app.sideTurns.background.size(), 0, 'its place is free again')
})

for (const how of ['told', 'cut off'] as const) {
  t.test(`a sub-agent ends with the service, and stops on its machine, which is ${how}; the turn that wanted it hears so once, and goes on`, { long: true }, async (t) => {
    const { machine, begin, newSession } = place(t)
    const before = await begin()
    const sessionId = await newSession(before)
    const model = before.model(
      [{ tool: 'delegate', args: { task: 'Count' }, id: 'call_1' }],
      held(gate(), [{ text: 'One, ' }], [{ text: 'never' }]),
      [{ text: 'Then not.' }])
    const streamId = await before.send(sessionId, 'Go', { model })
    const child = await eventually('the sub-agent', () => before.app.chat.activeStreamIds().find((id) => id !== streamId))
    await (await before.watch(child)).until('token')
    machine.isDeaf = how === 'cut off'
    await before.stop()
    machine.isDeaf = false
    if (how === 'told') await eventually('the model to be let go', () => before.requests(model)[1]!.isClosed)
    const after = await begin()
    await eventually('the model to be let go', () => before.requests(model)[1]!.isClosed)
    t.match((await framesOf(after, child)).at(-1), { event: 'apperror', data: { type: 'interrupted' } })
    const frames = await framesOf(after, streamId)
    t.equal(frames.at(-1)?.event, 'stream_end')
    t.same(frames.filter(({ event }) => event === 'tool_complete').map(({ data }) => data.is_error), [true], 'one result')
    t.match((await after.session(sessionId)).messages.at(-1), { content: 'Then not.' })
  })
}
