import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type StartOptions } from '../support/app.js'
import { type ReceivedFrame } from '../support/events.js'
import { eventually, said, startChat, type ChatService } from '../support/chat.js'
import { type ModelStep } from '../support/model-endpoint.js'

const base = await startChat(t)
let folders = 0

/** A service with these budgets. Its OpenAI is somebody whose prices nobody knows, its Anthropic has list prices. */
async function limited (t: Tap.Test, budgets: unknown, more: StartOptions = {}): Promise<ChatService & { home: string }> {
  const folder = join(base.folder, `budgets-${++folders}`)
  const home = join(folder, 'home')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ budgets, auxiliary: { title_generation: { provider: 'offline-demo' } } }))
  // Not an address of this machine or network by its looks, where models are free of charge.
  const elsewhere = base.endpoint.url.replace('127.0.0.1', '0.0.0.0')
  const service = await base.again(t, folder, { ...more, env: { OPENAI_BASE_URL: elsewhere, ANTHROPIC_BASE_URL: elsewhere.replace('/v1', ''), ANTHROPIC_API_KEY: 'test-key-67890' } })
  return { ...service, home }
}

const spend = (input: number, ...steps: ModelStep[]): ModelStep[] => [...steps, { usage: { input, output: 0 } }]
const call = (input: number, id = 'call_1'): ModelStep[] => spend(input, { tool: 'todo', args: { todos: [] }, id })
const warnings = (frames: ReceivedFrame[]): string[] => frames.filter(({ event, data }) => event === 'warning' && data.type === 'budget').map(({ data }) => data.message as string)
const card = async (service: ChatService, sessionId: string) => await eventually('a card', async () => (await service.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending)
const none = async (service: ChatService, sessionId: string): Promise<boolean> => (await service.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending_count === 0
const answer = async (service: ChatService, sessionId: string, choice: string, id?: string) =>
  await service.post('/api/approval/respond', { session_id: sessionId, choice, ...(id === undefined ? {} : { approval_id: id }) })
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
  const asked = await card(service, sessionId)
  t.match(asked, {
    command: 'The budget of this turn is used up: 120 of 100 tokens.',
    description: /^Continue\? Allow once: another 100 tokens for this turn, up to 220 tokens\. Then it is asked again\. Allow for the session: No turn of this conversation/,
    max_scope: 'session', pattern_key: 'budget:turn:tokens', budget: [{ scope: 'turn', measure: 'tokens', used: 120, limit: 100, up_to: 220 }]
  })
  t.match((await service.get('/api/prompts')).body, { approval_count: 1, prompts: [{ type: 'approval', approval_id: asked.approval_id }] })
  t.match(await use(service, sessionId), { turn: { tokens: 120 } })
  t.match((await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })).body, { yolo_enabled: true })
  t.equal((await card(service, sessionId)).approval_id, asked.approval_id, 'yolo does not answer it')
  t.equal(service.requests(model).length, 1)

  await answer(service, sessionId, 'once', asked.approval_id)
  const again = await eventually('another card', async () => {
    const { pending } = (await service.get(`/api/approval/pending?session_id=${sessionId}`)).body
    return pending !== null && pending.approval_id !== asked.approval_id && pending
  })
  t.match(again, { command: 'The budget of this turn is used up: 240 of 220 tokens.', budget: [{ up_to: 340 }] })
  t.equal(service.requests(model).length, 3)
  await answer(service, sessionId, 'deny', again.approval_id)
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

t.test('a conversation or a day that is used up asks before the first call; for the session lifts it', async (t) => {
  const service = await limited(t, { session: { hard_tokens: 100 }, day: { hard_tokens: 1_000 } })
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Go', service.model(spend(150, { text: 'Done' })))
  const model = service.model(call(20), spend(20, { text: 'Done' }), spend(900, { text: 'More' }))
  await service.send(sessionId, 'Go on', { model })
  t.match(await card(service, sessionId), { command: 'The budget of this conversation is used up: 150 of 100 tokens.', pattern_keys: ['budget:session:tokens'] })
  t.equal(service.requests(model).length, 0)
  await answer(service, sessionId, 'session')
  await eventually('the end', async () => !(await service.session(sessionId)).active_stream_id)
  t.match(await use(service, sessionId), { session: { tokens: 190, lifted: ['hard_tokens'] } })
  t.match((await service.turn(sessionId, 'Once more', model)).last, { event: 'stream_end' })

  const other = await service.newSession()
  const refused = service.model()
  await service.send(other, 'Hello', { model: refused })
  t.match(await card(service, other), { command: 'The budget of this day is used up: 1,090 of 1,000 tokens.' })
  await answer(service, other, 'once')
  await eventually('the end', async () => !(await service.session(other)).active_stream_id)
  t.equal(service.requests(refused).length, 1)
  t.match(await use(service), { day: { allowed_tokens: 2_090 } })
  t.match((await service.turn(sessionId, 'And here', service.model())).last, { event: 'stream_end' }, 'more for the day is for everybody')
})

t.test('dollars are counted where the price is known, and where it is not that is said', async (t) => {
  const service = await limited(t, { turn: { hard_usd: 0.5 }, session: { soft_usd: 0.2, hard_tokens: 1_000_000 } })
  const sessionId = await service.newSession()
  const unpriced = await service.turn(sessionId, 'Go', service.model(call(5_000), spend(5_000, { text: 'Done' })))
  t.match(warnings(unpriced.frames), [/^The price of scripted-\d+ is unknown: budgets in dollars count only what is known\. Budgets in tokens hold\.$/])
  t.match(await use(service, sessionId), { session: { usd: 0, tokens: 10_000, unpriced_model: /scripted/ } })

  service.endpoint.script((request) => request.stream && request.model === 'claude-sonnet-5-5' ? call(180_000, `c${request.attempt}`) : undefined)
  const other = await service.newSession()
  const streamId = await service.send(other, 'Go', { model: 'claude-sonnet-5-5', model_provider: 'anthropic' })
  const asked = await card(service, other)
  t.match(asked.command, /^The budget of this turn is used up: \$0\.\d\d of \$0\.50\.$/)
  t.match(asked.description, /another \$0\.50 for this turn, up to \$1\.\d\d/)
  const { session, day } = await use(service, other)
  t.equal(session.usd, day.usd)
  t.ok(asked.budget[0].used >= 0.5 && Math.abs(asked.budget[0].used - session.usd) < 1e-9)
  await answer(service, other, 'deny')
  const reader = await service.watch(streamId)
  await reader.ended
  t.match(warnings(reader.frames), [/^The budget of this conversation has reached its soft limit: \$0\.\d\d of \$0\.20\.$/])
})
