import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { eventually, gate, held, said, startChat, telling, type ChatService, type Gate } from '../support/chat.js'
import { aheadBy } from '../support/clock.js'
import { tokenText } from '../support/events.js'
import { serving } from '../support/listening.js'
import { spawnServer } from '../support/server.js'

let aheadMs = 0
const service = await startChat(t, { clock: aheadBy(() => aheadMs) })

interface Task { taskId: string, streamId: string, hiddenId: string }
interface Result { task_id: string, prompt: string, answer: string, completed_at: number }

async function begin (parent: string, prompt: string, on: ChatService = service): Promise<Task> {
  const { status, body, text } = await on.post('/api/background', { session_id: parent, prompt })
  if (status !== 200) throw new Error(`no task: ${status} ${text}`)
  return { taskId: body.task_id, streamId: body.stream_id, hiddenId: body.session_id }
}

const poll = async (parent: string, on: ChatService = service): Promise<Result[]> => (await on.get(`/api/background/status?session_id=${parent}`)).body.results

/** Collects results as they come in, until there are `count`. */
async function results (parent: string, count = 1, on: ChatService = service): Promise<Result[]> {
  const all: Result[] = []
  await eventually(`${count} results`, async () => all.push(...await poll(parent, on)) >= count)
  return all
}

const isActive = async (streamId: string, on: ChatService = service): Promise<boolean> => (await on.get(`/api/chat/stream/status?stream_id=${streamId}`)).body.active
const requestsOf = (model: string, count: number) => eventually(`${count} requests`, () => service.requests(model).length >= count)
/** Creates a model that answers each request when its gate is opened, with the last message of the request. */
function patient (count: number, on: ChatService = service): { model: string, gates: Gate[] } {
  const gates = Array.from({ length: count }, gate)
  const model = on.model(...gates.map((wait) => (request: Parameters<typeof said>[0]) => held(wait, [{ text: 'Doing' }], [{ text: ` ${said(request, 'user').at(-1)}` }])))
  return { model, gates }
}
/** What the service holds for tasks, and what the database has for a session and its side sessions. */
const heldFor = (parent: string, on: ChatService = service) => ({
  places: on.app.sideTurns.background.size(),
  turns: on.app.chat.activeTurns(),
  rows: on.app.db.sqlite.prepare<[string, string], number>(
    'select (select count(*) from sessions where parent_session_id = ?) + (select count(*) from background_tasks where parent_session_id = ?)').pluck().get(parent, parent)!
})

t.test('a task runs beside the conversation, in a hidden session, and its result is told once', async (t) => {
  const model = service.model([{ text: 'Noted.' }], [{ tool: 'list_files', args: {} }], [{ text: 'It is done.' }])
  const parent = await service.newSession({ model })
  await service.turn(parent, 'Remember this')
  const before = (await service.get(`/api/session?session_id=${parent}`)).text
  const prompt = `Tidy up\n${'x'.repeat(100)}`

  const answer = await service.post('/api/background', { session_id: parent, prompt })
  t.match(answer, { status: 200, body: { task_id: /^[0-9a-f]{8}$/, stream_id: String, session_id: String } })
  const { task_id: taskId, stream_id: streamId, session_id: hiddenId } = answer.body
  const reader = await service.watch(streamId)
  await reader.ended
  t.same(telling(reader.frames), ['tool', 'tool_complete', 'token', 'done', 'stream_end'], 'it can be watched like any answer')
  t.equal(reader.frames.find(({ event }) => event === 'done')?.data.ephemeral, undefined)
  t.same(said(service.requests(model)[1], 'user'), [prompt], 'it begins with nothing of the conversation')

  const told = await poll(parent)
  t.same(told, [{ task_id: taskId, prompt, answer: 'It is done.', completed_at: told[0]!.completed_at }])
  t.ok(Math.abs(told[0]!.completed_at - (Date.now() + aheadMs) / 1000) < 30)
  t.same(await poll(parent), [], 'only once')

  t.equal((await service.get(`/api/session?session_id=${parent}`)).text, before, 'the conversation is the same, byte for byte')
  const list = (await service.get('/api/sessions?include_archived=1&all_profiles=1')).body.sessions
  t.notOk(list.some((row: { session_id: string }) => row.session_id === hiddenId))
  t.match(await service.session(hiddenId), { title: `bg: Tidy up ${'x'.repeat(52)}`, default_hidden: true })
  t.equal(service.app.sideTurns.background.size(), 0)
})

t.test('it neither waits for the conversation\'s own turn nor holds it up', async (t) => {
  const wait = gate()
  const parent = await service.newSession({ model: service.model(held(wait, [{ text: 'I am' }], [{ text: ' here.' }]), [{ text: 'Done beside it.' }]) })
  const turn = await service.watch(await service.send(parent, 'Talk'))
  await turn.until('token')
  await begin(parent, 'Work')
  t.match(await results(parent), [{ answer: 'Done beside it.' }])
  wait.open()
  await turn.ended
  t.equal(tokenText(turn.frames), 'I am here.')
})

t.test('of two devices that ask for results at once, one gets them', async (t) => {
  const parent = await service.newSession({ model: service.model() })
  const { streamId } = await begin(parent, 'Work')
  await (await service.watch(streamId)).ended
  const told = await Promise.all(Array.from({ length: 4 }, () => poll(parent)))
  t.equal(told.flat().length, 1)
  t.same(await poll(await service.newSession()), [], 'and none of it is told to another conversation')
})

t.test('three run at once, twenty wait in line, and no more are taken', { long: true }, async (t) => {
  const { model, gates } = patient(23)
  const parent = await service.newSession({ model })
  const tasks: Task[] = []
  for (let index = 0; index < 3; index++) tasks.push(await begin(parent, `task ${index}`))
  await requestsOf(model, 3)
  const rest = await Promise.all(Array.from({ length: 22 }, () => service.post('/api/background', { session_id: parent, prompt: 'more' })))
  t.equal(rest.filter(({ status }) => status === 200).length, 20)
  for (const { status, body } of rest.filter((answer) => answer.status !== 200)) t.match({ status, body }, { status: 429, body: { error: /At most 23/ } }, 'also when they come all at once')
  t.equal((await service.post('/api/background', { session_id: parent, prompt: 'the 24th' })).status, 429)
  const waiting = rest.filter(({ status }) => status === 200).map(({ body }) => ({ taskId: body.task_id as string, streamId: body.stream_id as string, hiddenId: body.session_id as string }))

  const silent = await service.watch(waiting[0]!.streamId)
  t.equal(silent.status, 200)
  t.ok(await isActive(waiting[0]!.streamId))
  t.match(await service.session(waiting[0]!.hiddenId), { is_streaming: true, active_stream_id: waiting[0]!.streamId, messages: [{ role: 'user', content: 'more' }] })
  await new Promise((resolve) => setTimeout(resolve, 100))
  t.same(silent.frames, [])
  t.equal(service.requests(model).length, 3)
  t.same(await poll(parent), [], 'what runs or waits is no result')
  const elsewhere = await service.newSession({ model: service.model([{ text: 'At once.' }]) })
  await begin(elsewhere, 'Work')
  t.match(await results(elsewhere), [{ answer: 'At once.' }], 'another conversation has its own places')

  gates[1]!.open()
  t.match(await results(parent), [{ task_id: tasks[1]!.taskId, answer: 'Doing task 1' }])
  await requestsOf(model, 4)
  t.equal((await service.post('/api/background', { session_id: parent, prompt: 'more' })).status, 200, 'one that has ended makes room in the line')
  for (const wait of gates) wait.open()
  await results(parent, 23)
  await silent.ended
  t.equal(silent.frames.at(-1)?.event, 'stream_end')
  t.match(heldFor(parent), { places: 0, turns: 0 })
  t.ok(service.app.db.sqlite.prepare("select count(*) from background_tasks where state <> 'done'").pluck().get() === 0)
})

t.test('those that wait begin in the order in which they came', { long: true }, async (t) => {
  const { model, gates } = patient(6)
  const parent = await service.newSession({ model })
  for (let index = 0; index < 6; index++) await begin(parent, `task ${index}`)
  await requestsOf(model, 3)
  for (const [index, wait] of gates.slice(0, 3).entries()) {
    wait.open()
    await requestsOf(model, 4 + index)
  }
  t.same(service.requests(model).slice(3).map((request) => said(request, 'user')[0]), ['task 3', 'task 4', 'task 5'])
  for (const wait of gates) wait.open()
  await results(parent, 6)
})

t.test('a task can be stopped while it waits and while it runs, and the next gets its place', async (t) => {
  const { model, gates } = patient(5)
  const parent = await service.newSession({ model })
  const tasks: Task[] = []
  for (let index = 0; index < 5; index++) tasks.push(await begin(parent, `task ${index}`))
  await requestsOf(model, 3)
  const stop = async ({ streamId }: Task) => (await service.get(`/api/chat/cancel?stream_id=${streamId}`)).body.cancelled
  t.ok(await stop(tasks[3]!))
  t.match(await results(parent), [{ task_id: tasks[3]!.taskId, answer: 'The task was cancelled.' }])
  t.equal(service.requests(model).length, 3)
  t.ok(await stop(tasks[0]!))
  t.match(await results(parent), [{ task_id: tasks[0]!.taskId, answer: /cancelled/ }])
  await requestsOf(model, 4)
  t.same(said(service.requests(model)[3], 'user'), ['task 4'], 'the one that was stopped is passed over')
  for (const wait of gates) wait.open()
  await results(parent, 3)
  t.match(heldFor(parent), { places: 0, turns: 0 })
})

t.test('what goes wrong is an answer as well', async (t) => {
  const failing = await service.newSession({ model: 'fault-401' })
  await begin(failing, 'Work')
  t.match(await results(failing), [{ answer: /^The task failed: .*refused the API key/ }])

  const unknown = await service.newSession({ model: 'x', model_provider: 'no-such-provider' })
  await begin(unknown, 'Work')
  t.match(await results(unknown), [{ answer: /^The task failed: / }])
})

t.test('an answer of nothing but blanks says that there is none', async (t) => {
  const chunk = JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'blank', choices: [{ index: 0, delta: { role: 'assistant', content: ' \n' }, finish_reason: 'stop' }] })
  const origin = await serving(t, (request, response) => { request.resume().on('end', () => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${chunk}\n\ndata: [DONE]\n\n`)) })
  const silent = await service.again(t, t.testdir({}), { env: { OPENAI_BASE_URL: `${origin}/v1` } })
  const parent = await silent.newSession({ model: 'blank', model_provider: 'openai' })
  await begin(parent, 'Work', silent)
  t.match(await results(parent, 1, silent), [{ answer: '(The task finished without an answer.)' }])
})

t.test('nobody is asked: what would need it is refused, and the model is told', async (t) => {
  const model = service.model(
    [{ tool: 'terminal', args: { command: 'touch refused' } }],
    [{ tool: 'clarify', args: { question: 'Which?' } }],
    [{ text: 'Then not.' }])
  const parent = await service.newSession({ model })
  const cards = await service.events(`/api/approval/stream?session_id=${parent}`)
  const { hiddenId } = await begin(parent, 'Work')
  t.match(await results(parent), [{ answer: 'Then not.' }])
  t.match(said(service.requests(model)[1], 'tool'), [/nobody is there/])
  t.match(said(service.requests(model)[2], 'tool').at(-1), /Nobody answered/)
  t.notOk(existsSync(join(service.workspace, 'refused')))
  for (const kind of ['approval', 'clarify']) {
    for (const id of [parent, hiddenId]) t.equal((await service.get(`/api/${kind}/pending?session_id=${id}`)).body.pending_count, 0)
  }
  t.same(cards.frames.map(({ event }) => event), ['initial'])
  cards.drop()
})

t.test('what the conversation or the profile may do, its tasks may', async (t) => {
  const touch = (name: string) => [{ tool: 'terminal', args: { command: `touch ${name}` } }]
  const model = service.model(touch('asked'), [{ text: 'Done.' }], touch('granted'), [{ text: 'Done.' }])
  const parent = await service.newSession({ model })
  const streamId = await service.send(parent, 'Do it')
  await service.pending(parent)
  await service.respond(parent, 'session')
  await (await service.watch(streamId)).ended
  await begin(parent, 'Work')
  await results(parent)
  t.ok(existsSync(join(service.workspace, 'granted')))

  const folder = t.testdir({})
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home', 'config.yaml'), 'approvals:\n  allow:\n    - cmd:touch\n')
  const lenient = await service.again(t, folder)
  const other = await lenient.newSession({ model: lenient.model(touch('allowed'), [{ text: 'Done.' }]) })
  await begin(other, 'Work', lenient)
  await results(other, 1, lenient)
  t.ok(existsSync(join(lenient.workspace, 'allowed')))

  const bold = await service.newSession({ model: service.model(touch('bold'), [{ text: 'Done.' }]) })
  await service.post('/api/session/yolo', { session_id: bold, enabled: true })
  await begin(bold, 'Work')
  await results(bold)
  t.ok(existsSync(join(service.workspace, 'bold')))
})

t.test('deleting the conversation stops its tasks and takes everything along', async (t) => {
  const { model } = patient(5)
  const parent = await service.newSession({ model })
  const streams = []
  for (let index = 0; index < 5; index++) streams.push((await begin(parent, `task ${index}`)).streamId)
  await requestsOf(model, 3)
  t.equal((await service.post('/api/session/delete', { session_id: parent })).status, 200)
  await eventually('the runs to stop', () => service.app.agent.size().runs === 0)
  t.same(heldFor(parent), { places: 0, turns: 0, rows: 0 })
  for (const streamId of streams) t.equal((await service.watch(streamId)).status, 404)
  t.equal((await service.get(`/api/background/status?session_id=${parent}`)).status, 404)
  t.equal(service.requests(model).length, 3, 'none of those that waited has begun')
})

t.test('starting and deleting at the same moment is no fault, and leaves nothing', { long: true }, async (t) => {
  for (let round = 0; round < 6; round++) {
    const parent = await service.newSession({ model: service.model() })
    const calls = [() => service.post('/api/session/delete', { session_id: parent }), () => service.post('/api/background', { session_id: parent, prompt: 'Work' })]
    const answers = await Promise.all((round % 2 === 0 ? calls : calls.reverse()).map((call) => call()))
    t.ok(answers.every(({ status }) => status === 200 || status === 404), answers.map(({ text }) => text).join(' '))
    await eventually('the turn to end', () => service.app.chat.activeTurns() === 0)
    t.same(heldFor(parent), { places: 0, turns: 0, rows: 0 })
  }
})

t.test('what makes no sense is refused', async (t) => {
  const parent = await service.newSession()
  for (const prompt of ['', ' \n']) t.match(await service.post('/api/background', { session_id: parent, prompt }), { status: 400, body: { error: /prompt/ } })
  for (const prompt of [undefined, null, 5]) t.equal((await service.post('/api/background', { session_id: parent, prompt })).status, 400)
  t.match(await service.post('/api/background', { session_id: 'abcdef012345', prompt: 'Work' }), { status: 404, body: { error: 'Session not found' } })
  t.match(await service.get('/api/background/status?session_id=abcdef012345'), { status: 404, body: { error: 'Session not found' } })
  t.equal((await service.get('/api/background/status')).status, 400)
  t.equal(service.app.sideTurns.background.size(), 0)
})

t.test('a result waits for whoever fetches it, also over a restart; fetched, it goes after a while', async (t) => {
  const folder = t.testdir({})
  const before = await service.again(t, folder)
  const parent = await before.newSession({ model: before.model([{ text: 'The result.' }]) })
  const { taskId, streamId, hiddenId } = await begin(parent, 'Work', before)
  await (await before.watch(streamId)).ended
  await before.stop()

  const after = await service.again(t, folder)
  aheadMs += 24 * 3600_000
  await after.app.sideTurns.background.sweep()
  t.match(await results(parent, 1, after), [{ task_id: taskId, prompt: 'Work', answer: 'The result.' }])
  t.same(await poll(parent, after), [])
  await after.app.sideTurns.background.sweep()
  t.equal((await after.session(hiddenId)).messages.length, 2, 'what it did can still be looked at')
  aheadMs += 11 * 60_000
  await after.app.sideTurns.background.sweep()
  t.equal((await after.get(`/api/session?session_id=${hiddenId}`)).status, 404)
  t.same(heldFor(parent, after), { places: 0, turns: 0, rows: 0 })
})

for (const how of ['stopped', 'killed'] as const) {
  t.test(`when the service is ${how}, what ran ends with an honest answer, and what waited begins after the restart`, { long: true }, async (t) => {
    const folder = t.testdir({})
    const { model, gates } = patient(3)
    const first = await (how === 'stopped'
      ? service.again(t, folder).then((on) => ({
        post: async (path: string, body: unknown) => (await on.post(path, body)).body,
        watch: (streamId: string) => on.watch(streamId),
        end: () => on.stop()
      }))
      : spawnServer(t, folder, { OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' }).then((server) => ({
        post: (path: string, body: unknown) => server.json(path, body),
        watch: (streamId: string) => server.events(`/api/chat/stream?stream_id=${streamId}`),
        end: () => server.crash()
      })))
    const { session: { session_id: parent } } = await first.post('/api/session/new', { model, model_provider: 'openai' })
    const tasks = []
    for (let index = 0; index < 5; index++) tasks.push(await first.post('/api/background', { session_id: parent, prompt: `task ${index}` }))
    for (const { stream_id: streamId } of tasks.slice(0, 3)) await (await first.watch(streamId)).until('token')
    t.equal(service.requests(model).length, 3)
    await first.end()
    for (const wait of gates) wait.open()

    const after = await service.again(t, folder)
    const told = Object.fromEntries((await results(parent, 5, after)).map((result) => [result.task_id, result.answer]))
    for (const { task_id: id } of tasks.slice(0, 3)) t.match(told[id], /^The task failed: The service .*stopped/, 'it does not claim to be done')
    for (const { task_id: id } of tasks.slice(3)) t.equal(told[id], 'Done.')
    t.same(service.requests(model).slice(3).map((request) => said(request, 'user')[0]).sort(), ['task 3', 'task 4'], 'nothing that had begun is begun again')
    for (const { stream_id: streamId } of tasks.slice(0, 3)) {
      const reader = await after.watch(streamId, '&replay=1')
      await reader.ended
      t.match(reader.frames.at(-1), { event: 'apperror', data: { type: 'interrupted' } })
    }
    t.same(heldFor(parent, after), { places: 0, turns: 0, rows: 10 }, 'five tasks in five sessions')
    await after.stop()

    const third = await service.again(t, folder)
    t.same(await poll(parent, third), [], 'and nothing is told again')
    t.equal(service.requests(model).length, 5)
  })
}
