import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { run } from '../../cli/commands/status.js'
import { type Json } from '../support/app.js'
import { eventually, gate, held, startChat, type ChatService, type ScriptedAnswer } from '../support/chat.js'

const start = Date.UTC(2026, 10, 28, 9)
let nowMs = start
const clock = { now: () => nowMs }
const service = await startChat(t, { clock, goals: { continueAfterMs: 20 } })
const home = join(service.folder, 'home')

const refused = (headers: Record<string, string> = { 'retry-after': '3600' }): ScriptedAnswer => [{ refuse: 429, error: 'Too many', headers }]
/** Without a time, the model is asked again within the turn before the turn waits. */
const untold = (): ScriptedAnswer[] => [refused({}), refused({}), refused({})]
const configure = (config: object): void => writeFileSync(join(home, 'config.yaml'), JSON.stringify(config))
const rowOf = async (sessionId: string, on: ChatService = service): Promise<Json> =>
  (await on.get('/api/sessions')).body.sessions.find((row: Json) => row.session_id === sessionId)
const detail = async (sessionId: string, on: ChatService = service): Promise<Json> => (await on.get(`/api/session?session_id=${sessionId}`)).body.session
const resume = (streamId: string, more: object = {}, on: ChatService = service) => on.post('/api/chat/resume', { stream_id: streamId, ...more })
const cancel = (streamId: string, on: ChatService = service) => on.post('/api/chat/cancel', { stream_id: streamId })
const untilParked = (streamId: string, on: ChatService = service) => eventually('it is parked', () => on.app.chat.isParked(streamId))
const rolesOf = async (sessionId: string, on: ChatService = service): Promise<string[]> =>
  (await detail(sessionId, on)).messages.map(({ role, content }: Json) => `${role}: ${content.split('\n')[0]}`)
const endsOf = (frames: Json[]): string[] => frames.map(({ event }) => event).filter((event) => ['parked', 'resumed', 'cancel', 'apperror', 'stream_end'].includes(event))
const newFolder = (name: string): string => {
  const folder = join(service.folder, name)
  mkdirSync(join(folder, 'home'), { recursive: true })
  return folder
}
const rowsLeft = (): unknown => service.app.db.sqlite.prepare('select count(*) from parked_turns').pluck().get()
/** Lets time pass; then parked turns are checked. */
const passes = (seconds: number, on: ChatService = service): void => {
  nowMs += seconds * 1_000
  on.app.chat.resumeDue()
}

async function parked (answers: ScriptedAnswer[], on: ChatService = service) {
  const model = on.model(...answers)
  const sessionId = await on.newSession({ model, model_provider: 'openai' })
  const streamId = await on.send(sessionId, 'Go')
  const reader = await on.watch(streamId)
  await reader.until('parked')
  await untilParked(streamId, on)
  return { model, sessionId, streamId, reader, waits: async () => (await detail(sessionId, on)).resumes_at - nowMs / 1_000 }
}

t.test('the status of the service counts turns that wait for a limit', async (t) => {
  const { streamId } = await parked([refused()])
  await service.app.console.listen()
  Object.assign(process.env, { SVC_HOME: home, SVC_WEBUI_STATE_DIR: service.app.config.stateDir })
  const status = async () => await run({ options: {}, operands: [], isJson: false })
  t.match(await status(), { text: /\n0 running turns, 0 waiting approvals, 0 waiting questions, 1 turn waiting for the limit of a provider\.\n/, value: { active_turns: 0, waiting: { limits: 1 } } })
  await cancel(streamId)
  t.match(await status(), { text: /\n0 running turns, 0 waiting approvals, 0 waiting questions\.\n/ })
})

t.test('what a provider says of its limits is when a turn goes on', async (t) => {
  const iso = (seconds: number): string => new Date(Date.now() + seconds * 1_000).toISOString()
  const cases: Array<[Record<string, string>, number]> = [
    [{ 'retry-after': '7200' }, 7_201],
    [{ 'anthropic-ratelimit-tokens-reset': iso(5_400), 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-requests-reset': iso(60), 'anthropic-ratelimit-requests-remaining': '40' }, 5_401],
    [{ 'x-ratelimit-reset-tokens': '6m0s', 'x-ratelimit-remaining-tokens': '0' }, 361],
    [{ 'x-ratelimit-reset-requests': '1h2m3s' }, 3_724],
    [{}, 60]
  ]
  for (const [headers, seconds] of cases) {
    const { waits, streamId } = await parked([refused(headers), refused(headers), refused(headers)])
    t.ok(Math.abs(await waits() - seconds) < 30, `${JSON.stringify(headers)}: ${await waits()}`)
    await cancel(streamId)
  }
})

t.test('now and stop, pressed at once by two devices: it goes on and is stopped, or only stopped, and has one end', async (t) => {
  for (let round = 0; round < 6; round++) {
    const open = gate()
    const { streamId, sessionId, reader, model } = await parked([refused(), held(open, [{ text: 'On' }], [])])
    const acts = [() => resume(streamId), () => cancel(streamId), () => resume(streamId), () => cancel(streamId)]
    const answers = await Promise.all((round % 2 === 0 ? acts : acts.toReversed()).map(async (act) => await act()))
    t.same(answers.map(({ status }) => status), [200, 200, 200, 200])
    t.equal(answers.filter(({ body }) => body.cancelled === true).length, 1, 'one of them has stopped it')
    t.ok(answers.filter(({ body }) => body.resumed === true).length <= 1)
    await reader.ended
    t.equal(endsOf(reader.frames).filter((event) => event !== 'parked' && event !== 'resumed').join(), 'cancel')
    t.match(await detail(sessionId), { active_stream_id: null })
    t.equal((await detail(sessionId)).resumes_at, undefined)
    t.ok(service.requests(model).length <= 2)
    t.equal(service.app.chat.activeTurns(), 0)
  }
  t.equal(rowsLeft(), 0)
})

t.test('with another model that is at its limit as well: it waits for that one, and goes on with it', async (t) => {
  const other = service.model(refused({ 'retry-after': '600' }), [{ text: 'The other one.' }])
  const { streamId, sessionId, reader, model } = await parked([refused()])
  t.match((await resume(streamId, { model: other, model_provider: 'openai' })).body, { resumed: true, resumes_at: null })
  await eventually('it is parked again', () => reader.frames.filter(({ event }) => event === 'parked').length === 2)
  await untilParked(streamId)
  t.match(reader.frames.findLast(({ event }) => event === 'parked')?.data, { model: other, provider: 'openai', resumes_at: nowMs / 1_000 + 601 })
  passes(602)
  await reader.ended
  t.same(endsOf(reader.frames), ['parked', 'resumed', 'parked', 'resumed', 'stream_end'])
  t.same(await rolesOf(sessionId), ['user: Go', 'assistant: The other one.'])
  t.equal(service.requests(model).length, 1)
})

t.test('whoever is late is told how it stands, and the time of before only while it holds', async (t) => {
  const open = gate()
  const { streamId, reader } = await parked([refused(), held(open, [{ text: 'On' }], [{ text: ' and on' }])])
  const answers = await Promise.all([1, 2, 3].map(async () => await resume(streamId)))
  t.same(answers.map(({ body }) => body.resumes_at), [null, null, null])
  t.same((await resume(streamId, { now: false })).body, { ok: true, resumed: false, stream_id: streamId, resumes_at: null }, 'it runs')
  open.open()
  await reader.ended
})

t.test('a clock that is set back lets a turn wait for as long as it was to, and says until when; set forward, it goes on once', async (t) => {
  const { streamId, sessionId, reader, model } = await parked([refused(), refused(), [{ text: 'There.' }]])
  nowMs -= 7 * 86_400_000
  passes(0)
  t.equal((await detail(sessionId)).resumes_at, nowMs / 1_000 + 3_601)
  await eventually('readers are told', () => reader.frames.filter(({ event }) => event === 'parked').length === 2)
  t.equal(reader.frames.at(-1)?.data.resumes_at, nowMs / 1_000 + 3_601)
  passes(3_590)
  t.ok(service.app.chat.isParked(streamId))
  nowMs = start
  passes(86_400)
  await eventually('it has asked, and waits again', () => service.requests(model).length === 2 && service.app.chat.isParked(streamId))
  t.equal((await detail(sessionId)).resumes_at, nowMs / 1_000 + 3_601)
  passes(3_602)
  await reader.ended
  t.same(await rolesOf(sessionId), ['user: Go', 'assistant: There.'])
  t.equal(service.requests(model).length, 3)
})

t.test('a limit that is always about to pass is a limit as well: the turn waits for it', async (t) => {
  const { reader, sessionId } = await parked([refused({ 'retry-after': '0' }), refused({ 'retry-after': '0' }), refused({ 'retry-after': '0' }), [{ text: 'At last.' }]])
  passes(62)
  await reader.ended
  t.same(await rolesOf(sessionId), ['user: Go', 'assistant: At last.'])
})

t.test('without a time it backs off up to an hour, and then asks', async (t) => {
  const { streamId, sessionId, reader, waits } = await parked([...Array.from({ length: 13 }, untold).flat(), [{ text: 'At last.' }]])
  const pauses = [await waits()]
  for (let tries = 1; tries < 12; tries++) {
    const before = reader.frames.filter(({ event }) => event === 'parked').length
    passes(pauses.at(-1)! + 2)
    await eventually('it waits again', () => reader.frames.filter(({ event }) => event === 'parked').length > before && service.app.chat.isParked(streamId))
    pauses.push(await waits())
  }
  t.same(pauses, [60, 120, 240, 480, 960, 1_920, 3_600, 3_600, 3_600, 3_600, 3_600, 3_600])
  passes(3_602)
  await eventually('it asks', async () => service.app.chat.isParked(streamId) && (await rowOf(sessionId)).resumes_at === null)
  passes(10 * 86_400)
  t.ok(service.app.chat.isParked(streamId), 'for as long as nobody says')
  t.match((await resume(streamId, { now: false })).body, { resumed: false, resumes_at: nowMs / 1_000 + 3_600 })
  await eventually('the card of every device is told', () => reader.frames.at(-1)?.data.resumes_at === nowMs / 1_000 + 3_600)
  passes(3_602)
  await reader.ended
  t.equal((await rolesOf(sessionId)).at(-1), 'assistant: At last.')
})

t.test('a profile may wait, fall back or ask', async (t) => {
  const second = (): string => service.model([{ text: 'I stand in.' }])
  const modes: Array<[string, (streamId: string, sessionId: string) => Promise<void>]> = [
    ['wait', async (streamId, sessionId) => {
      await untilParked(streamId)
      t.equal((await detail(sessionId)).resumes_at, nowMs / 1_000 + 3_601)
      await cancel(streamId)
    }],
    ['ask', async (streamId, sessionId) => {
      await untilParked(streamId)
      t.equal((await detail(sessionId)).resumes_at, null)
      await cancel(streamId)
    }],
    ['fall_back', async (streamId, sessionId) => {
      const reader = await service.watch(streamId)
      await reader.ended
      t.same(await rolesOf(sessionId), ['user: Go', 'assistant: I stand in.'])
    }]
  ]
  for (const [mode, then] of modes) {
    configure({ agent: { on_limit: mode }, fallback_providers: [{ provider: 'openai', model: second() }] })
    const sessionId = await service.newSession({ model: service.model(refused()), model_provider: 'openai' })
    await then(await service.send(sessionId, 'Go'), sessionId)
  }
  configure({ agent: { on_limit: 'fall_back' }, fallback_providers: [{ provider: 'openai', model: service.model(refused({ 'retry-after': '900' }), [{ text: 'Later.' }]) }] })
  const { waits, reader } = await parked([refused()])
  t.equal(await waits(), 901, 'where none can, it waits for the one that can first')
  passes(902)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  configure({})
})

t.test('a turn that asks how to continue is in everything that waits for a person, also over a restart, until it is decided', async (t) => {
  const folder = newFolder('asking')
  writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify({ agent: { on_limit: 'ask' } }))
  let on = await service.again(t, folder, { clock })
  const { streamId, sessionId, reader } = await parked([refused(), [{ text: 'On.' }], [{ text: 'Then.' }]], on)
  await on.post('/api/session/queue', { session_id: sessionId, action: 'add', message: 'Then this' })
  const home = async (): Promise<Json> => (await on.get('/api/home')).body
  const said = async (): Promise<void> => {
    t.match((await home()).waiting, [{ id: streamId, session_id: sessionId, kind: 'limit', since: Number, expires_at: null, parked: { provider: 'OpenAI', resumes_at: null, problem: null } }])
    t.match(await home(), { running: [{ session_id: sessionId }], queues: [{ session_id: sessionId, held: { reason: 'limit' } }] })
    t.same((await rowOf(sessionId, on)).attention, { kind: 'clarify', count: 1, severity: 'question' })
    t.match(on.app.home.counts('default'), { running: 1, waiting: 1, queued: 1 })
    const feed = await on.events('/api/events')
    await feed.until(({ event, data }) => event === 'snapshot' && data.counts.waiting === 1)
    feed.drop()
  }
  await said()
  await on.stop()
  on = await service.again(t, folder, { clock })
  await said()
  t.match((await resume(streamId, { now: false }, on)).body, { resumed: false, resumes_at: Number }, 'it waits now, and asks no more')
  t.same([(await home()).waiting, (await rowOf(sessionId, on)).attention], [[], null])
  t.match(await home(), { running: [{ parked: { resumes_at: Number } }], queues: [{ held: { reason: 'limit' } }] })
  t.ok(reader)
})

t.test('a goal whose turn waits goes on with it, and is judged once', async (t) => {
  const model = service.model(refused(), [{ text: 'Built.' }])
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  const { body } = await service.post('/api/goal', { session_id: sessionId, args: 'Build the bridge' })
  const reader = await service.watch(body.stream_id)
  await reader.until('parked')
  await untilParked(body.stream_id)
  t.match((await service.post('/api/goal', { session_id: sessionId, args: 'status' })).body.goal, { status: 'active' })
  const judged = service.judged().length
  passes(3_602)
  await reader.ended
  await eventually('it is reached', async () => (await service.post('/api/goal', { session_id: sessionId, args: 'status' })).body.goal?.status === 'done')
  t.equal(service.judged().length, judged + 1)
  t.same((await rolesOf(sessionId)).slice(-1), ['assistant: Built.'])
})

t.test('a run of a job waits without keeping others waiting, and is the job\'s run when it has gone on', async (t) => {
  const model = service.model(refused(), [{ text: 'All quiet.' }])
  const { job } = (await service.post('/api/crons/create', { prompt: 'Look around', schedule: 'every 1h', model })).body
  await service.post('/api/crons/run', { job_id: job.id })
  await eventually('it is parked', () => rowsLeft() === 1)
  const streamId = service.app.db.sqlite.prepare<[], string>('select stream_id from parked_turns').pluck().get()!
  const other = (await service.post('/api/crons/create', { prompt: 'Look', schedule: 'every 1h', model: service.model([{ text: 'Fine.' }]) })).body.job
  const jobOf = async (id: string): Promise<Json> => (await service.get('/api/crons')).body.jobs.find((one: Json) => one.id === id)
  await service.post('/api/crons/run', { job_id: other.id })
  await eventually('another one runs', async () => (await jobOf(other.id)).last_status === 'ok')
  t.match((await service.post('/api/crons/run', { job_id: job.id })).body, { ok: false, status: 'already_running' })
  await untilParked(streamId)
  passes(3_602)
  await eventually('it is over', async () => (await jobOf(job.id)).last_status === 'ok')
  await eventually('its answer is written', async () => /All quiet\./.test((await service.get(`/api/crons/output?job_id=${job.id}`)).body.outputs[0]?.content))
  t.equal((await jobOf(job.id)).repeat.completed, 1)
})

t.test('branched, the copy has nothing that waits', async (t) => {
  const { sessionId, streamId, reader } = await parked([[{ text: 'Let me look. ' }, { tool: 'list_files', args: {}, id: 'call_1' }], refused(), [{ text: 'On.' }]])
  const branch = (await service.post('/api/session/branch', { session_id: sessionId, keep_count: 1 })).body
  const copy = branch.session_id ?? branch.session?.session_id
  t.match(await detail(copy), { active_stream_id: null })
  t.equal((await detail(copy)).resumes_at, undefined)
  t.ok(service.app.chat.isParked(streamId))
  await resume(streamId)
  await reader.ended
  t.equal((await rolesOf(sessionId)).at(-1), 'assistant: On.')
})

t.test('a key that is gone when the time comes: it asks and says so, and goes on once the key is there and somebody says so', async (t) => {
  const folder = newFolder('keyless')
  const key = (text: string): void => writeFileSync(join(folder, 'home', '.env'), text)
  const there = `OPENAI_API_KEY=test-key-12345\nOPENAI_BASE_URL=${service.endpoint.url}\n`
  key(there)
  const on = await service.again(t, folder, { clock, env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' } })
  const asks = async ({ reader, streamId }: Pick<Awaited<ReturnType<typeof parked>>, 'reader' | 'streamId'>): Promise<Json> => {
    await eventually('it asks', () => reader.frames.at(-1)?.data.problem !== undefined)
    await untilParked(streamId, on)
    return reader.frames.at(-1)?.data
  }
  const turn = await parked([refused(), [{ text: 'Here.' }]], on)
  const { sessionId, streamId, reader, model } = turn
  const stopped = await parked([refused({ 'retry-after': '3700' }), [{ text: 'Never.' }]], on)
  key('')
  passes(3_602, on)
  t.match(await asks(turn), { resumes_at: null, provider: 'openai', model, problem: /openai is not configured.* no API key: set OPENAI_API_KEY/ })
  t.equal((await detail(sessionId, on)).resumes_at, null)
  t.match((await on.get('/api/home')).body.running.find((row: Json) => row.session_id === sessionId).parked, { resumes_at: null, problem: /no API key/ })
  const refusal = await resume(streamId, {}, on)
  t.equal(refusal.status, 400)
  t.match(refusal.body.error, /no API key/)
  t.match((await resume(streamId, { now: false }, on)).body, { resumed: false, resumes_at: nowMs / 1_000 + 60 })
  await eventually('its card waits again', () => reader.frames.at(-1)?.event === 'parked' && reader.frames.at(-1)?.data.problem === undefined)
  passes(62, on)
  await asks(turn)
  passes(100, on)
  await asks(stopped)
  t.match((await cancel(stopped.streamId, on)).body, { cancelled: true })
  await stopped.reader.ended
  t.equal(stopped.reader.frames.at(-1)?.event, 'cancel')

  key(there)
  t.ok(on.app.chat.isParked(streamId), 'a key alone has nobody asked')
  const answers = await Promise.all([resume(streamId, {}, on), resume(streamId, {}, on)])
  t.equal(answers.filter(({ body }) => body.resumed).length, 1)
  await reader.ended
  t.same(await rolesOf(sessionId, on), ['user: Go', 'assistant: Here.'])
  t.equal(service.requests(model).length, 2)
  t.same(endsOf(reader.frames).filter((event) => event !== 'parked'), ['resumed', 'stream_end'], 'it says that it goes on when it does')
  t.ok(reader.frames.every(({ id }, index) => Number(id?.split(':')[1]) === index + 1))
})

t.test('a key that its provider refuses when the time comes: it asks with another model, and the row says whose', async (t) => {
  const { streamId, sessionId, reader } = await parked([refused(), [{ refuse: 401, error: 'Incorrect API key' }]])
  passes(3_602)
  await eventually('it asks', () => /refused the API key/.test(reader.frames.at(-1)?.data.problem))
  await untilParked(streamId)
  configure({ custom_providers: [{ name: 'Desk', base_url: service.endpoint.url }] })
  const model = service.model([{ text: 'From the desk.' }])
  t.match((await resume(streamId, { now: false, model, model_provider: 'desk' })).body, { resumed: false })
  await eventually('its card names the other one', () => reader.frames.at(-1)?.data.provider_name === 'Desk')
  t.match(reader.frames.at(-1)?.data, { event: undefined, provider: 'desk', provider_name: 'Desk', model })
  passes(3_602)
  await reader.ended
  t.equal((await rolesOf(sessionId)).at(-1), 'assistant: From the desk.')
  t.equal(rowsLeft(), 0)
  configure({})
})

t.test('a run of a job that asks nobody ends, and its job says what is missing', async (t) => {
  const folder = newFolder('keyless-job')
  const key = (text: string): void => writeFileSync(join(folder, 'home', '.env'), text)
  key(`OPENAI_API_KEY=test-key-12345\nOPENAI_BASE_URL=${service.endpoint.url}\n`)
  const on = await service.again(t, folder, { clock, env: { OPENAI_API_KEY: '', OPENAI_BASE_URL: '' } })
  const { job } = (await on.post('/api/crons/create', { prompt: 'Look around', schedule: 'every 1d', model: on.model(refused()) })).body
  await on.post('/api/crons/run', { job_id: job.id })
  await eventually('it is parked', () => on.app.db.sqlite.prepare('select count(*) from parked_turns').pluck().get() === 1 && on.app.chat.activeTurns() === 0)
  key('')
  passes(3_602, on)
  const jobOf = async (): Promise<Json> => (await on.get('/api/crons')).body.jobs.find((one: Json) => one.id === job.id)
  t.match(await eventually('it is over', async () => {
    const now = await jobOf()
    return now.last_status !== null && now
  }), { last_status: 'blocked_config', last_error: /no API key/ })
})

t.test('a profile that is deleted takes what waits in it along', async (t) => {
  await service.post('/api/profile/create', { name: 'guest', clone_config: true })
  const sessionId = await service.newSession({ profile: 'guest', model: service.model(refused(), [{ text: 'Never.' }]), model_provider: 'openai' })
  const inGuest = { cookie: 'svc_profile=guest' }
  const { stream_id: streamId } = (await service.post('/api/chat/start', { session_id: sessionId, message: 'Go' }, inGuest)).body
  await untilParked(streamId)
  const reader = await service.watch(streamId, '', inGuest)
  t.match((await service.post('/api/profile/delete', { name: 'guest' })).status, 200)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
  t.equal(rowsLeft(), 0)
})

t.test('twenty turns of a provider, killed with the service: they go on a second apart, in their order, each once', async (t) => {
  const folder = newFolder('twenty')
  const before = await service.again(t, folder, { clock })
  const turns: Array<Awaited<ReturnType<typeof parked>>> = []
  for (let count = 0; count < 20; count++) {
    turns.push(await parked([refused({ 'retry-after': String(3_600 + count) }), [{ text: `Done ${count}.` }]], before))
  }
  // The state that a kill leaves: the files as they are.
  const killed = join(service.folder, 'twenty-killed')
  cpSync(folder, killed, { recursive: true })
  await before.stop()
  nowMs += 86_400_000
  const after = await service.again(t, killed, { clock })
  const asked = (): number[] => turns.map(({ model }) => service.requests(model).length)
  await eventually('the first goes on', () => asked()[0] === 2)
  for (let count = 1; count < turns.length; count++) {
    t.same(asked(), turns.map((_, index) => index < count ? 2 : 1))
    passes(0.9, after)
    t.equal(asked()[count], 1, 'not before its second')
    passes(0.4, after)
    await eventually('the next goes on', () => asked()[count] === 2)
  }
  for (const [index, { sessionId }] of turns.entries()) {
    await eventually('it is over', async () => (await detail(sessionId, after)).active_stream_id === null)
    t.same(await rolesOf(sessionId, after), ['user: Go', `assistant: Done ${index}.`])
  }
  t.equal(after.app.db.sqlite.prepare('select count(*) from parked_turns').pluck().get(), 0)
})

t.test('in a state folder that was restored it asks first, and its card says so', async (t) => {
  const { restoreBackup } = await import('../../services/areas/backups/index.js')
  const folder = newFolder('backed-up')
  const before = await service.again(t, folder, { clock })
  const { sessionId, streamId } = await parked([refused(), [{ text: 'Once more.' }]], before)
  await before.stop()
  const stateDir = join(folder, 'home', 'webui')
  const copy = join(service.folder, 'a-copy.db')
  cpSync(join(stateDir, 'service.db'), copy)
  restoreBackup({ home: join(folder, 'home'), stateDir, source: copy, nowS: nowMs / 1_000 })
  nowMs += 86_400_000
  const after = await service.again(t, folder, { clock })
  passes(0, after)
  t.equal((await detail(sessionId, after)).resumes_at, null)
  const reader = await after.watch(streamId)
  await eventually('its card asks', () => reader.frames.findLast(({ event }) => event === 'parked')?.data.resumes_at === null)
  t.ok(after.app.chat.isParked(streamId))
  await resume(streamId, {}, after)
  await reader.ended
  t.same(await rolesOf(sessionId, after), ['user: Go', 'assistant: Once more.'])
})
