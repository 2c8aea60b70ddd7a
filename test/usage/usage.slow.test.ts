import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type StartOptions, type TestLike } from '../support/app.js'
import { eventually, gate, held, startChat, type ChatService } from '../support/chat.js'
import { elsewhere } from '../support/elsewhere.js'
import { startModelEndpoint, type ModelStep } from '../support/model-endpoint.js'
import { spawnServer } from '../support/server.js'
import { openDatabase } from '../../services/ground/database/index.js'

const base = await startChat(t)
let folders = 0

/** Starts a service whose OpenAI is a server without known prices, and whose Anthropic has list prices. */
async function serviceWith (t: TestLike, config: Record<string, unknown> = {}, more: StartOptions = {}): Promise<ChatService> {
  const folder = join(base.folder, `usage-${++folders}`)
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify({ auxiliary: { title_generation: { provider: 'offline-demo' } }, ...config }))
  const url = elsewhere(base.endpoint.url)
  return await base.again(t, folder, { ...more, env: { OPENAI_BASE_URL: url, ANTHROPIC_BASE_URL: url.replace('/v1', ''), ANTHROPIC_API_KEY: 'test-key-67890' } })
}

interface Row { kind: string, model: string, turn: number, input: number, output: number, cost: number | null, estimated: number }
const rows = (service: ChatService): Row[] => service.app.db.sqlite.prepare(
  'select kind, model, turn_id is not null as turn, input_tokens as input, output_tokens as output, cost, estimated from usage order by rowid').all() as Row[]
const counts = (usage: Record<string, unknown>): ModelStep => ({ raw: `data: ${JSON.stringify({ id: 'x', choices: [], usage })}\n\n` })
const usage = (input: number, output: number): ModelStep => ({ usage: { input, output } })
const dayTokens = async (service: ChatService): Promise<number> => (await service.get('/api/budgets')).body.day.tokens

t.test('what a broken attempt has used is counted as its provider says: in the books, the session, the budgets and insights', async (t) => {
  const service = await serviceWith(t)
  const sessionId = await service.newSession()
  const model = service.model([{ text: 'Half an answ' }, counts({ prompt_tokens: 1_000, completion_tokens: 7, total_tokens: 1_007, prompt_tokens_details: { cached_tokens: 400 } }), { cut: true }],
    [{ text: 'All of it' }, usage(1_000, 20)])
  const { frames, last } = await service.turn(sessionId, 'Go', model)
  t.equal(last.event, 'stream_end')
  t.same(rows(service).map(({ kind, turn, input, output, estimated }) => ({ kind, turn, input, output, estimated })), [
    { kind: 'retracted', turn: 1, input: 1_000, output: 7, estimated: 0 }, { kind: 'chat', turn: 0, input: 1_000, output: 20, estimated: 0 }
  ])
  const done = frames.find(({ event }) => event === 'done')!.data
  t.match(done.usage, { input_tokens: 2_000, output_tokens: 27, cache_read_tokens: 400, last_prompt_tokens: 1_020, turn_cache_hit_percent: null })
  t.match(done.session.messages.at(-1), { role: 'assistant', content: 'All of it' })
  t.equal(done.session.messages.length, 2, 'the message shows nothing of it')
  t.match((await service.session(sessionId)), { last_prompt_tokens: 1_020 })
  t.match(await service.get('/api/budgets'), { body: { day: { tokens: 2_027 } } })
  t.match((await service.get('/api/insights?days=1')).body, { total_tokens: 2_027, models: [{ model, sessions: 1, total_tokens: 2_027 }] })
})

t.test('nothing is invented: attempts of which nothing is told, or nonsense, are not counted', async (t) => {
  const service = await startChat(t)
  const sessionId = await service.newSession()
  const nonsense = [{ prompt_tokens: -5, completion_tokens: -1 }, { prompt_tokens: 1e300, completion_tokens: 2.5 }]
  const model = service.model([{ text: 'Half' }, { cut: true }], ...nonsense.map((told): ModelStep[] => [{ text: 'Half' }, counts({ ...told, total_tokens: 1 }), { cut: true }]), [{ text: 'Whole' }, usage(30, 2)])
  t.equal((await service.turn(sessionId, 'Go', model)).last.event, 'stream_end')
  t.same(rows(service).filter(({ kind }) => kind !== 'title').map(({ kind, input, output }) => [kind, input, output]), [['chat', 30, 2]])
})

t.test('who has failed is charged under its own name when another model goes on; a turn that fails for good is not estimated as well', async (t) => {
  const service = await serviceWith(t)
  const told = counts({ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 })
  const broken = (): ModelStep[] => [{ text: 'Half' }, told, usage(100, 5), { raw: 'data: {"error":{"message":"No such deployment","type":"invalid_request_error","code":400}}\n\n' }]
  const [failing, stand] = [service.model(broken(), broken(), broken(), broken()), service.model([{ text: 'Whole' }, usage(200, 10)])]
  const sessionId = await service.newSession()
  const { frames } = await service.turn(sessionId, 'Go', failing)
  t.equal(frames.at(-1)?.event, 'apperror')
  const attempts = service.requests(failing).length
  t.same(rows(service).map(({ kind, input, output, estimated }) => [kind, input, output, estimated]), Array.from({ length: attempts }, () => ['retracted', 100, 5, 0]))

  const other = await serviceWith(t, { fallback_providers: [{ provider: 'openai', model: stand }] })
  const again = other.model(broken(), broken(), broken(), broken())
  const second = await other.turn(await other.newSession(), 'Go', again)
  t.equal(second.last.event, 'stream_end')
  const found = rows(other)
  t.match(found.at(-1), { kind: 'chat', model: stand, input: 200 })
  t.ok(found.length > 1 && found.slice(0, -1).every(({ kind, model }) => kind === 'retracted' && model === again))
})

t.test('Anthropic tells the input at the beginning, and is paid for it', { long: true }, async (t) => {
  const service = await serviceWith(t)
  const sessionId = await service.newSession()
  let requests = 0
  base.endpoint.script(({ stream }) => {
    if (!stream) return [{ text: 'A title' }]
    return ++requests === 1 ? [usage(5_000, 9), { text: 'Half' }, { cut: true }] : [{ text: 'Whole' }, usage(5_000, 10)]
  })
  const reader = await service.watch(await service.send(sessionId, 'Go', { model: 'claude-sonnet-4-5', model_provider: 'anthropic' }))
  await reader.ended
  const [retracted, chat] = rows(service)
  t.match(retracted, { kind: 'retracted', model: 'claude-sonnet-4-5', input: 5_000, output: 1 })
  t.match(chat, { kind: 'chat', input: 5_000, output: 10 })
  t.ok(retracted!.cost! > 0 && retracted!.cost! < chat!.cost!)
  t.equal((await service.session(sessionId)).estimated_cost, retracted!.cost! + chat!.cost!)
})

t.test('small tasks are in the books under their own kind, and in budgets and insights with them', async (t) => {
  const service = await serviceWith(t, { auxiliary: {} })
  base.endpoint.script((request) => request.stream ? [{ text: 'An answer' }, usage(10, 1)] : [{ text: 'A text of a model' }, usage(100, 3)])
  const sessionId = await service.newSession()
  for (const message of ['One', 'Two', 'Three']) t.equal((await service.turn(sessionId, message, 'test-model')).last.event, 'stream_end')
  t.match((await service.post('/api/session/compress', { session_id: sessionId })).status, 200)
  t.match((await service.post('/api/providers/test', { provider: 'openai', model: 'test-model' })).body, { ok: true })
  const sums = await eventually('all of it', () => {
    const found = service.app.db.sqlite.prepare('select kind, count(*) as calls, sum(input_tokens + output_tokens) as tokens from usage group by kind order by kind').all() as Array<{ kind: string, calls: number, tokens: number }>
    return found.length === 4 && found
  })
  t.same(sums, [{ kind: 'chat', calls: 3, tokens: 33 }, { kind: 'compress', calls: 1, tokens: 103 }, { kind: 'probe', calls: 1, tokens: 103 }, { kind: 'title', calls: 1, tokens: 103 }])
  t.equal(await dayTokens(service), 342)
  t.match((await service.get(`/api/budgets?session_id=${sessionId}`)).body, { session: { tokens: 239 } }, 'a test of a provider is of no conversation')
  t.match((await service.get('/api/insights?days=1')).body, { total_tokens: 342, total_sessions: 1 })
})

t.test('what a person asks for beside the turns is refused in words when nothing may be used any more', { long: true }, async (t) => {
  const service = await serviceWith(t, { budgets: { day: { hard_tokens: 50 } } })
  base.endpoint.script(() => [{ text: 'An answer' }, usage(30, 0)])
  const sessionId = await service.newSession()
  for (const message of ['One', 'Two']) await service.turn(sessionId, message, 'test-model')
  const before = base.endpoint.requests.length
  const refused = { status: 409, body: { code: 'budget_used_up', error: /^The budget of this day is used up: 60 of 50 tokens\. Change budgets\.day\.hard_tokens in the settings/ } }
  t.match(await service.post('/api/session/compress', { session_id: sessionId }), refused)
  t.match(await service.post('/api/session/compress/start', { session_id: sessionId }), refused)
  t.match((await service.get(`/api/session/compress/status?session_id=${sessionId}`)).body, { status: 'idle' })
  t.match(await service.post('/api/providers/test', { provider: 'openai', model: 'test-model' }), refused)
  t.match((await service.post('/api/providers/test', { provider: 'openai', base_url: base.endpoint.url, api_key: 'test-key-12345' })).body, { ok: true, model: null }, 'a list costs nothing')
  t.equal(base.endpoint.requests.slice(before).filter(({ path }) => path.endsWith('/completions')).length, 0)
  await service.post('/api/budgets', { day: { hard_tokens: null } })
  t.equal((await service.post('/api/session/compress', { session_id: sessionId })).status, 200)
})

t.test('what was counted before kill -9 is not counted again as an estimate; what was heard since is', { long: true }, async (t) => {
  const told = { text: 'Half an answer' }
  const wasted = counts({ prompt_tokens: 1_000, completion_tokens: 7, total_tokens: 1_007 })
  const endpoint = await startModelEndpoint()
  const isOver = gate()
  t.teardown(async () => {
    isOver.open()
    await endpoint.close()
  })
  endpoint.script(({ model, attempt, stream }) => {
    if (!stream) return [{ text: 'A title' }]
    if (attempt === 1) return [told, wasted, { cut: true }]
    return held(isOver, model === 'm-between' ? [] : [{ text: 'Once more, then' }], [])
  })
  for (const [model, expected] of [['m-between', ['retracted 7 0']], ['m-after', ['retracted 7 0', 'chat 4 1']]] as const) {
    const folder = join(base.folder, `usage-${++folders}`)
    mkdirSync(join(folder, 'home'), { recursive: true })
    writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify({ auxiliary: { title_generation: { provider: 'offline-demo' } } }))
    const environment = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }
    const first = await spawnServer(t, folder, environment)
    const { session: { session_id: sessionId } } = await first.json('/api/session/new', {})
    const { stream_id: streamId } = await first.json('/api/chat/start', { session_id: sessionId, message: 'Go', model })
    const reader = await first.events(`/api/chat/stream?stream_id=${streamId}`)
    await eventually('the attempt in the books, and what follows it', async () => (await first.json('/api/budgets')).day.tokens === 1_007 &&
      (model === 'm-between' || reader.frames.map(({ data }) => data.text ?? '').join('').endsWith('Once more, then')))
    await first.crash()

    const second = await spawnServer(t, folder, environment)
    const { session } = await second.json(`/api/session?session_id=${sessionId}`)
    t.match(session.messages.map(({ content }: { content: string }) => content).join('\n'), model === 'm-between' ? /Half an answer/ : /Once more, then/, 'what was heard is kept')
    await second.end('SIGTERM')
    const db = openDatabase({ file: join(folder, 'home', 'webui', 'service.db') })
    t.teardown(() => db.close())
    t.same(db.sqlite.prepare("select kind || ' ' || output_tokens || ' ' || estimated from usage order by rowid").pluck().all(), expected, model)
  }
})
