import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type StartOptions, type TestLike } from '../support/app.js'
import { type ReceivedFrame } from '../support/events.js'
import { eventually, gate, held, said, startChat, type ChatService } from '../support/chat.js'
import { elsewhere } from '../support/elsewhere.js'
import { type ModelStep } from '../support/model-endpoint.js'

const base = await startChat(t)
let folders = 0

/** Starts a service with these budgets. Its OpenAI is a server with unknown prices, its Anthropic has list prices. */
async function limited (t: TestLike, budgets: unknown, more: StartOptions = {}): Promise<ChatService & { home: string }> {
  const folder = join(base.folder, `budgets-${++folders}`)
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ budgets, auxiliary: { title_generation: { provider: 'offline-demo' } } }))
  const url = elsewhere(base.endpoint.url)
  const service = await base.again(t, folder, { ...more, env: { OPENAI_BASE_URL: url, ANTHROPIC_BASE_URL: url.replace('/v1', ''), ANTHROPIC_API_KEY: 'test-key-67890' } })
  return { ...service, home }
}

const spend = (input: number, ...steps: ModelStep[]): ModelStep[] => [...steps, { usage: { input, output: 0 } }]
const call = (input: number, id = 'call_1'): ModelStep[] => spend(input, { tool: 'todo', args: { todos: [] }, id })
const warnings = (frames: ReceivedFrame[]): string[] => frames.filter(({ event, data }) => event === 'warning' && data.type === 'budget').map(({ data }) => data.message as string)
const use = async (service: ChatService, sessionId?: string) => (await service.get(`/api/budgets${sessionId === undefined ? '' : `?session_id=${sessionId}`}`)).body

t.test('a soft limit is told of once for each turn, conversation and day', async (t) => {
  const service = await limited(t, { turn: { soft_tokens: 100 }, session: { soft_tokens: 150 }, day: { soft_tokens: 300 } })
  const sessionId = await service.newSession()
  const first = await service.turn(sessionId, 'Go', service.model(call(60), call(60), call(10), spend(10, { text: 'Done' })))
  t.same(warnings(first.frames), ['The budget of this turn has reached its soft limit: 120 of 100 tokens.'])
  const second = await service.turn(sessionId, 'Go', service.model(spend(60, { text: 'Done' })))
  t.same(warnings(second.frames), ['The budget of this conversation has reached its soft limit: 200 of 150 tokens.'])
  const third = await service.turn(sessionId, 'Go', service.model(spend(120, { text: 'Done' })))
  t.same(warnings(third.frames), ['The budget of this turn has reached its soft limit: 120 of 100 tokens.', 'The budget of this day has reached its soft limit: 320 of 300 tokens.'])
  const other = await service.newSession()
  t.same(warnings((await service.turn(other, 'Go', service.model(spend(20, { text: 'Done' })))).frames), [])
  t.equal((await use(service)).day.tokens, 340)
  t.match(await use(service, sessionId), { session: { tokens: 320 }, day: { tokens: 340 }, turn: null })
})

t.test('at a hard limit the turn asks before its next call; once allows as much again', async (t) => {
  const service = await limited(t, { turn: { hard_tokens: 100 } })
  const sessionId = await service.newSession()
  const model = service.model(call(120, 'a'), call(60, 'b'), call(60, 'c'), spend(5, { text: 'All of it' }))
  const streamId = await service.send(sessionId, 'Go', { model })
  const asked = await service.pending(sessionId)
  t.match(asked, {
    command: 'The budget of this turn is used up: 120 of 100 tokens.',
    description: /^Continue\? Allow once: another 100 tokens for this turn, up to 220 tokens\. Then it is asked again\. Allow for the session: No turn of this conversation/,
    max_scope: 'session', pattern_key: 'budget:turn:tokens', budget: [{ scope: 'turn', measure: 'tokens', used: 120, limit: 100, up_to: 220 }]
  })
  t.match((await service.get('/api/prompts')).body, { approval_count: 1, prompts: [{ type: 'approval', approval_id: asked.approval_id }] })
  t.match(await use(service, sessionId), { turn: { tokens: 120 } })
  t.match((await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })).body, { yolo_enabled: true })
  t.equal((await service.pending(sessionId)).approval_id, asked.approval_id, 'yolo does not answer it')
  t.equal(service.requests(model).length, 1)

  await service.respond(sessionId, 'once', asked.approval_id)
  const again = await eventually('another card', async () => {
    const { pending } = (await service.get(`/api/approval/pending?session_id=${sessionId}`)).body
    return pending !== null && pending.approval_id !== asked.approval_id && pending
  })
  t.match(again, { command: 'The budget of this turn is used up: 240 of 220 tokens.', budget: [{ up_to: 340 }] })
  t.equal(service.requests(model).length, 3)
  await service.respond(sessionId, 'deny', again.approval_id)
  const reader = await service.watch(streamId)
  await reader.ended
  const done = reader.frames.find(({ event }) => event === 'done')
  const message = 'The budget of this turn is used up: 240 of 220 tokens. More was not allowed, so the turn ends here.'
  t.match(done?.data, { terminal_state: 'budget_exhausted', terminal_reason: 'budget', finish_reason: 'budget_exhausted', hint: /budgets\.turn\.hard_tokens/, usage: { last_prompt_tokens: 60 } })
  t.match(done?.data.session.messages.at(-1), { role: 'assistant', content: message, finish_reason: 'budget_exhausted' })
  t.equal(reader.frames.at(-1)?.event, 'stream_end')
  t.match((await service.get(`/api/chat/stream/status?stream_id=${streamId}`)).body, { active: false, journal: { terminal_state: 'budget_exhausted' } })

  const next = service.model(spend(5, { text: 'Fresh' }))
  t.match((await service.turn(sessionId, 'Go on', next)).last, { event: 'stream_end' }, 'the next turn has a budget of its own')
  t.ok(said(service.requests(next)[0], 'assistant').some((text) => text.startsWith('The budget of this turn is used up')), 'the model is shown why it had stopped')
})

t.test('a run that says it was offered more than it was gets no more', async (t) => {
  const offered = (message: unknown): unknown => JSON.parse(JSON.stringify(message).replaceAll(/"upTo":\d+/g, '"upTo":999999'))
  const service = await limited(t, { turn: { hard_tokens: 100 } }, {
    transport: (local) => Object.assign((profile: string) => {
      const connection = local(profile)
      return { ...connection, onMessage: (listener: (message: unknown) => void) => connection.onMessage((message) => listener(offered(message))) }
    }, { close: local.close })
  })
  const sessionId = await service.newSession()
  await service.send(sessionId, 'Go', { model: service.model(call(120, 'a'), call(120, 'b'), spend(5, { text: 'All of it' })) })
  const asked = await service.pending(sessionId)
  t.match(asked.budget, [{ scope: 'turn', used: 120, up_to: 220 }])
  await service.respond(sessionId, 'once', asked.approval_id)
  t.match(await eventually('another card', async () => {
    const again = await service.pending(sessionId)
    return again.approval_id !== asked.approval_id && again
  }), { command: 'The budget of this turn is used up: 240 of 220 tokens.' })
})

t.test('a conversation or a day that is used up asks before the first call; for the session lifts it', async (t) => {
  const service = await limited(t, { session: { hard_tokens: 100 }, day: { hard_tokens: 1_000 } })
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Go', service.model(spend(150, { text: 'Done' })))
  const model = service.model(call(20), spend(20, { text: 'Done' }), spend(900, { text: 'More' }))
  await service.send(sessionId, 'Go on', { model })
  t.match(await service.pending(sessionId), { command: 'The budget of this conversation is used up: 150 of 100 tokens.', pattern_keys: ['budget:session:tokens'] })
  t.equal(service.requests(model).length, 0)
  await service.respond(sessionId, 'session')
  await eventually('the end', async () => !(await service.session(sessionId)).active_stream_id)
  t.match(await use(service, sessionId), { session: { tokens: 190, lifted: ['hard_tokens'] } })
  t.match((await service.turn(sessionId, 'Once more', model)).last, { event: 'stream_end' })

  const other = await service.newSession()
  const refused = service.model()
  await service.send(other, 'Hello', { model: refused })
  t.match(await service.pending(other), { command: 'The budget of this day is used up: 1,090 of 1,000 tokens.' })
  await service.respond(other, 'once')
  await eventually('the end', async () => !(await service.session(other)).active_stream_id)
  t.equal(service.requests(refused).length, 1)
  t.match(await use(service), { day: { allowed_tokens: 2_090 } })
  t.match((await service.turn(sessionId, 'And here', service.model())).last, { event: 'stream_end' }, 'more for the day is for everybody')
})

t.test('a day ends at midnight; what is used before and after counts for its own day', async (t) => {
  const midnight = new Date(2026, 4, 10).getTime()
  let now = midnight - 60_000
  const service = await limited(t, { day: { hard_tokens: 100 } }, { clock: { now: () => now } })
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Go', service.model(spend(150, { text: 'Done' })))
  t.match(await use(service), { date: '2026-05-09', day: { tokens: 150 }, resets_at: midnight / 1000 })
  const model = service.model()
  await service.send(sessionId, 'Go on', { model })
  await service.respond(sessionId, 'deny', (await service.pending(sessionId)).approval_id)
  await eventually('the end', async () => !(await service.session(sessionId)).active_stream_id)
  t.equal(service.requests(model).length, 0)
  now = midnight
  t.match(await use(service), { date: '2026-05-10', day: { tokens: 0 } })
  t.match((await service.turn(sessionId, 'Good morning', service.model(spend(30, { text: 'Done' })))).last, { event: 'stream_end' })
  t.match(await use(service), { day: { tokens: 30 } })
})

t.test('two turns at once see what each other has used', async (t) => {
  const service = await limited(t, { day: { hard_tokens: 100 } })
  const [one, other] = [await service.newSession(), await service.newSession()]
  const waiting = gate()
  const slow = service.model(held(waiting, [{ text: 'a' }], call(60)), spend(5, { text: 'Done' }))
  const slowId = await service.send(one, 'Go', { model: slow })
  await eventually('its call', () => service.requests(slow).length === 1)
  await service.turn(other, 'Go', service.model(spend(60, { text: 'Done' })))
  waiting.open()
  t.match(await service.pending(one), { command: 'The budget of this day is used up: 120 of 100 tokens.' })
  const late = service.model()
  await service.send(other, 'Go', { model: late })
  const second = await service.pending(other)
  await service.respond(one, 'once')
  await service.respond(other, 'once', second.approval_id)
  const reader = await service.watch(slowId)
  await reader.ended
  t.match((await use(service)).day, { allowed_tokens: 220 }, 'two answers to the same question do not add up')
})

t.test('sub-agents, tasks and questions on the side use the budgets of what they work for; nobody is asked where nobody is', async (t) => {
  const service = await limited(t, { turn: { hard_tokens: 200 }, session: { hard_tokens: 400 } })
  const sessionId = await service.newSession()
  // The sub-agent uses its parent's model, which answers in this order.
  const model = service.model(spend(50, { tool: 'delegate', args: { task: 'Look' }, id: 'call_d' }), call(180), spend(5, { text: 'never' }))
  const streamId = await service.send(sessionId, 'Go', { model })
  const asked = await service.pending(sessionId)
  t.match(asked, { session_id: sessionId, command: 'The budget of this turn is used up: 230 of 200 tokens.' }, 'what the sub-agent waits for is asked where its parent is')
  await service.respond(sessionId, 'deny', asked.approval_id)
  const own = await eventually('the parent to ask', async () => {
    const { pending } = (await service.get(`/api/approval/pending?session_id=${sessionId}`)).body
    return pending !== null && pending.approval_id !== asked.approval_id && pending
  })
  await service.respond(sessionId, 'deny', own.approval_id)
  const reader = await service.watch(streamId)
  await reader.ended
  t.match(reader.frames.find(({ event }) => event === 'tool_complete')?.data, { name: 'delegate', preview: /^The budget of this turn is used up: 230 of 200 tokens\. More was not allowed/ })

  await service.turn(sessionId, 'More', service.model(spend(190, { text: 'Done' })))
  t.match(await use(service, sessionId), { session: { tokens: 420 } })
  t.equal((await service.post('/api/background', { session_id: sessionId, prompt: 'Look it up' })).status, 200)
  const { results: [result] } = await eventually('the result', async () => {
    const { body } = await service.get(`/api/background/status?session_id=${sessionId}`)
    return body.results.length > 0 && body
  })
  t.equal(result.answer, 'The budget of this conversation is used up: 420 of 400 tokens. Nobody is there to be asked, so the turn ends here.')
  const { stream_id: aside } = (await service.post('/api/btw', { session_id: sessionId, question: 'And this?' })).body
  const btw = await service.watch(aside)
  await btw.ended
  t.match(btw.frames.find(({ event }) => event === 'done')?.data, { ephemeral: true, answer: /^The budget of this conversation is used up/, finish_reason: 'budget_exhausted' })
  t.equal((await service.get('/api/prompts')).body.approval_count, 0)

  const fresh = await service.newSession()
  const { stream_id: counted } = (await service.post('/api/btw', { session_id: fresh, question: 'Hello?' })).body
  await (await service.watch(counted)).ended
  const { session, day } = await use(service, fresh)
  t.ok(session.tokens > 0 && day.tokens >= 420 + Number(session.tokens), 'what is thrown away counts for its conversation and its day')
})

t.test('a goal is paused when its turn ends on a budget, and nobody judges it', async (t) => {
  const service = await limited(t, { turn: { hard_tokens: 100 } })
  const sessionId = await service.newSession()
  const model = service.model(call(120))
  const { stream_id: streamId } = (await service.post('/api/goal', { session_id: sessionId, args: 'Tidy up', model })).body
  await service.respond(sessionId, 'deny', (await service.pending(sessionId)).approval_id)
  await (await service.watch(streamId)).ended
  t.match((await service.post('/api/goal', { session_id: sessionId, args: 'status' })).body, { goal: { status: 'paused' }, message: /the budget is used up/ })
  t.equal(service.judged().length, 0)
})

t.test('limits are set one by one, what does not fit is refused by name, and comments stay', async (t) => {
  const service = await limited(t, {})
  const path = join(service.home, 'config.yaml')
  writeFileSync(path, '# mine\nbudgets:\n  # careful\n  turn:\n    hard_usd: 2 # dollars\n')
  t.match(await use(service), { limits: { turn: { hard_usd: 2, soft_usd: null } }, problems: [], session: null, turn: null })
  const changes = [{ turn: { soft_usd: 1.5 } }, { day: { hard_tokens: 1_000 } }, { session: { hard_usd: 9 } }, { turn: { hard_usd: 3 } }, { job: { soft_tokens: 5 } }]
  await Promise.all(changes.map(async (body) => t.equal((await service.post('/api/budgets', body)).status, 200)))
  t.match(await use(service), { limits: { turn: { soft_usd: 1.5, hard_usd: 3 }, day: { hard_tokens: 1_000 }, session: { hard_usd: 9 }, job: { soft_tokens: 5 } } })
  t.match(readFileSync(path, 'utf8'), /^# mine\nbudgets:\n {2}# careful\n {2}turn:\n {4}hard_usd: 3 # dollars\n/)
  t.match((await service.post('/api/budgets', { turn: { soft_usd: null }, session: null })).body, { limits: { turn: { soft_usd: null, hard_usd: 3 }, session: { hard_usd: null } } })
  for (const [key, body] of Object.entries({
    'turn.hard_usd': { turn: { hard_usd: '3' } }, 'day.soft_tokens': { day: { soft_tokens: 1.5 } }, 'day.hard_tokens': { day: { hard_tokens: 0 } }, 'session.soft_usd': { session: { soft_usd: -1 } },
    'job.hard_usd': { turn: { hard_usd: 4 }, job: { hard_usd: true } }, 'turn.usd': { turn: { usd: 1 } }, week: { week: {} }, session: { session: [] }, turn: { turn: 'none' }
  })) t.match(await service.post('/api/budgets', body), { status: 400, body: { error: new RegExp(`^${key.replace('.', '\\.')}: `) } }, key)
  t.match((await service.post('/api/budgets', [])).status, 400)
  t.match(await use(service), { limits: { turn: { hard_usd: 3 } } })
  t.match(await service.get('/api/budgets?session_id=nobody'), { status: 404, body: { error: 'Session not found' } })
  writeFileSync(path, 'budgets: [')
  t.match(await service.post('/api/budgets', { turn: { hard_usd: 5 } }), { status: 409, body: { code: 'config_broken' } })
})

t.test('what config.yaml says of budgets and makes no sense is told, and limits nothing', async (t) => {
  const service = await limited(t, { turn: { hard_usd: 'sk-secret-two', hard_token: 5 }, session: [1], month: {}, day: { hard_tokens: 100 } })
  const { body, text } = await service.get('/api/budgets')
  t.same(body.problems, [
    'budgets.month: not known; there are turn, session, attempts, job, day', 'budgets.turn.hard_usd: must be a number of US dollars above 0',
    'budgets.turn.hard_token: not known; there are soft_usd, hard_usd, soft_tokens, hard_tokens', 'budgets.session: must be a mapping'
  ])
  t.notMatch(text, /secret/)
  const { frames } = await service.turn(await service.newSession(), 'Go', service.model(spend(150, { text: 'Done' })))
  t.match(warnings(frames), [/^Some budgets of config\.yaml do not count: budgets\.month: not known/])
})

// Last, because it removes the models of the tests.
t.test('dollars are counted where the price is known, and where it is not that is said', async (t) => {
  const service = await limited(t, { turn: { hard_usd: 0.5 }, session: { soft_usd: 0.2, hard_tokens: 1_000_000 } })
  const sessionId = await service.newSession()
  const unpriced = await service.turn(sessionId, 'Go', service.model(call(5_000), spend(5_000, { text: 'Done' })))
  t.match(warnings(unpriced.frames), [/^The price of scripted-\d+ is unknown: budgets in dollars count only what is known\. Budgets in tokens hold\.$/])
  t.match(await use(service, sessionId), { session: { usd: 0, tokens: 10_000, unpriced_model: /scripted/ } })

  service.endpoint.script((request) => request.stream && request.model === 'claude-sonnet-5-5' ? call(180_000, `c${request.attempt}`) : undefined)
  const other = await service.newSession()
  const streamId = await service.send(other, 'Go', { model: 'claude-sonnet-5-5', model_provider: 'anthropic' })
  const asked = await service.pending(other)
  t.match(asked.command, /^The budget of this turn is used up: \$0\.\d\d of \$0\.50\.$/)
  t.match(asked.description, /another \$0\.50 for this turn, up to \$1\.\d\d/)
  const { session, day } = await use(service, other)
  t.equal(session.usd, day.usd)
  t.ok(asked.budget[0].used >= 0.5 && Math.abs(asked.budget[0].used - session.usd) < 1e-9)
  await service.respond(other, 'deny')
  const reader = await service.watch(streamId)
  await reader.ended
  t.match(warnings(reader.frames), [/^The budget of this conversation has reached its soft limit: \$0\.\d\d of \$0\.20\.$/])
})
