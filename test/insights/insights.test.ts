import fc from 'fast-check'
import t from '#test'
import { dateOf } from '../../services/ground/time/day.js'
import { period } from '../../services/areas/insights/period.js'
import { shares } from '../../services/areas/insights/shares.js'
import { start, type TestService } from '../support/app.js'

// A zone in which clocks change; this file has a process of its own.
process.env.TZ = 'Europe/Berlin'

/** Wednesday at noon. */
const now = new Date(2026, 9, 28, 12).getTime()
const clock = { now: () => now }
const at = (day: number, hour = 12): number => new Date(2026, 9, day, hour).getTime() / 1000

let made = 0
/** Adds the usage row that a turn leaves. */
function use (service: TestService, { atS, ...row }: { atS: number, sessionId?: string, profile?: string, model?: string | null, input?: number, output?: number, cacheRead?: number, cost?: number | null }): void {
  service.app.db.sqlite.prepare(`insert into usage (stream_id, session_id, profile, provider, model, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost, estimated, duration_s, created_at)
    values (?, ?, ?, 'openai', ?, ?, ?, ?, 7, ?, 0, 1, ?)`).run(`stream-${++made}`, row.sessionId ?? 'gone', row.profile ?? 'default', row.model === undefined ? 'gpt' : row.model,
    row.input ?? 100, row.output ?? 10, row.cacheRead ?? 0, row.cost === undefined ? 0.5 : row.cost, atS)
}

function session (service: TestService, atS: number, { messages = 2, hidden = 0, archived = 0, profile = 'default' } = {}): string {
  const id = `session-${++made}`
  service.app.db.sqlite.prepare('insert into sessions (id, profile, workspace, message_count, hidden, archived, created_at, updated_at, last_message_at) values (?, ?, ?, ?, ?, ?, 1, 1, ?)')
    .run(id, profile, service.workspace, messages, hidden, archived, atS)
  return id
}

const read = async (service: TestService, query = '') => (await service.get(`/api/insights${query}`)).body

t.test('nothing was used', async (t) => {
  const service = await start(t, { clock })
  const answer = await read(service)
  t.match(answer, {
    period_days: 30, total_sessions: 0, total_messages: 0, total_input_tokens: 0, total_output_tokens: 0, total_cache_read_tokens: 0,
    total_cache_hit_percent: null, total_tokens: 0, total_cost: 0, models: []
  })
  t.same(answer.daily_tokens.map(({ date }: { date: string }) => date).slice(0, 2), ['2026-09-29', '2026-09-30'])
  t.same(answer.daily_tokens.at(-1), { date: '2026-10-28', input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, sessions: 0, cost: 0 })
  t.same(answer.activity_by_day, ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'].map((day) => ({ day, sessions: 0 })))
  t.same(answer.activity_by_hour, Array.from({ length: 24 }, (_, hour) => ({ hour, sessions: 0 })))
})

t.test('the period is clamped, and begins at midnight', async (t) => {
  const service = await start(t, { clock })
  use(service, { atS: at(28, 0) - 0.001 })
  use(service, { atS: at(28, 0), input: 1, output: 0 })
  for (const [days, length] of [['1', 1], ['0', 1], ['-3', 1], ['365', 365], ['9999', 365], ['%207%20', 7], ['seven', 30], ['', 30], ['1e2', 30]] as const) {
    const answer = await read(service, `?days=${days}`)
    t.same([answer.period_days, answer.daily_tokens.length], [length, length], `days=${days}`)
  }
  t.equal((await read(service, '?days=1')).total_tokens, 1)
  t.same((await read(service, '?days=2')).daily_tokens.map((day: Record<string, unknown>) => [day.date, day.input_tokens]), [['2026-10-27', 100], ['2026-10-28', 1]])
})

t.test('models, days, weekdays and hours', async (t) => {
  const service = await start(t, { clock })
  const [one, two] = [session(service, at(28, 9), { messages: 4 }), session(service, at(26, 23), { archived: 1 })]
  session(service, at(28, 10), { hidden: 1 })
  session(service, at(28, 10), { messages: 0 })
  session(service, at(28, 10), { profile: 'other' })
  session(service, new Date(2026, 8, 1).getTime() / 1000)
  use(service, { atS: at(28), sessionId: one, input: 1_000, output: 200, cacheRead: 250, cost: 0.1000004 })
  use(service, { atS: at(27), sessionId: one, model: 'sonnet', cost: 0.2 })
  use(service, { atS: at(27), sessionId: two, cost: 0.1 })
  use(service, { atS: at(26), model: null, cost: null })
  use(service, { atS: at(28), profile: 'other', cost: 5 })

  const answer = await read(service, '?days=7')
  t.match(answer, {
    period_days: 7, total_sessions: 2, total_messages: 6, total_input_tokens: 1_300, total_output_tokens: 230, total_cache_read_tokens: 250,
    total_cache_hit_percent: 19, total_tokens: 1_530, total_cost: 0.4
  })
  t.same(answer.models, [
    { model: 'gpt', sessions: 2, input_tokens: 1_100, output_tokens: 210, cache_hit_percent: 23, total_tokens: 1_310, cost: 0.2, session_share: 67, token_share: 86, cost_share: 50 },
    { model: 'sonnet', sessions: 1, input_tokens: 100, output_tokens: 10, cache_hit_percent: null, total_tokens: 110, cost: 0.2, session_share: 33, token_share: 7, cost_share: 50 },
    { model: 'unknown', sessions: 0, input_tokens: 100, output_tokens: 10, cache_hit_percent: null, total_tokens: 110, cost: 0, session_share: 0, token_share: 7, cost_share: 0 }
  ])
  t.same(answer.daily_tokens.slice(-3).map((day: Record<string, unknown>) => [day.date, day.input_tokens, day.sessions, day.cost]),
    [['2026-10-26', 100, 1, 0], ['2026-10-27', 200, 0, 0.3], ['2026-10-28', 1_000, 1, 0.1]])
  t.same(answer.activity_by_day.filter(({ sessions }: { sessions: number }) => sessions > 0), [{ day: 'Mon', sessions: 1 }, { day: 'Wed', sessions: 1 }])
  t.same(answer.activity_by_hour.filter(({ sessions }: { sessions: number }) => sessions > 0), [{ hour: 9, sessions: 1 }, { hour: 23, sessions: 1 }])
  t.match(await read(service, '?days=7&all_profiles=1'), { total_cost: 5.4, total_sessions: 3 })
})

t.test('a conversation counts once for each model, whatever days it spans, in kept days as in others', async (t) => {
  const service = await start(t, { clock })
  const [one, two, three] = [session(service, at(28)), session(service, at(28)), session(service, at(28))]
  for (const day of [20, 21, 22, 28]) for (const sessionId of [one, two]) use(service, { atS: at(day), sessionId, cost: null })
  use(service, { atS: at(21), sessionId: one, model: 'sonnet', cost: 1 })
  use(service, { atS: at(28), sessionId: one, model: 'sonnet', cost: null })
  const counted = async (query: string) => (await read(service, query)).models.map(({ model, sessions, cost }: Record<string, unknown>) => [model, sessions, cost])
  t.same(await counted('?days=30'), [['sonnet', 1, 1], ['gpt', 2, 0]])
  for (const sessionId of [session(service, at(22), { hidden: 1 }), 'deleted']) use(service, { atS: at(19), sessionId, cost: null })
  t.same(await counted('?days=30'), [['sonnet', 1, 1], ['gpt', 2, 0]], 'the same conversations as in total_sessions')
  use(service, { atS: at(28), sessionId: three })
  t.same(await counted('?days=30'), [['sonnet', 1, 1], ['gpt', 3, 0.5]], 'the days before are kept')
  t.same(await counted('?days=1'), [['gpt', 3, 0.5], ['sonnet', 1, 0]])
  t.same((await service.get('/api/insights/export?format=json&days=8')).body.map((row: Record<string, unknown>) => [row['date'], row['model'], row['turns'], row['cost']]), [
    ['2026-10-21', 'gpt', 2, null], ['2026-10-21', 'sonnet', 1, 1], ['2026-10-22', 'gpt', 2, null], ['2026-10-28', 'gpt', 3, 0.5], ['2026-10-28', 'sonnet', 1, null]
  ])
})

t.test('conversations of other front ends bring their tokens along', async (t) => {
  const service = await start(t, { clock })
  // A look at the files of other front ends would remove these rows, which have none: one that has begun ends first, and no other begins.
  await service.post('/api/settings', { show_cli_sessions: false })
  await service.app.foreign.refresh()
  const add = service.app.db.sqlite.prepare(`insert into foreign_sessions (id, source, path, read_bytes, inode, modified_at, model, message_count, user_message_count, input_tokens, output_tokens, cache_read_tokens, created_at, last_message_at)
    values (?, 'codex', ?, 1, 1, 1, ?, 3, ?, 50, 5, 10, 1, ?)`)
  add.run('a', '/a', 'gpt', 1, at(28))
  add.run('b', '/b', null, 1, at(27))
  add.run('without a word of a person', '/c', null, 0, at(27))
  t.match(await read(service), { total_sessions: 2, total_messages: 6, total_tokens: 110, total_cache_read_tokens: 20, total_cache_hit_percent: 20, total_cost: 0, models: [{ model: 'gpt', sessions: 1, cost_share: 0 }, { model: 'unknown' }] })

  // A conversation that is also continued here: its file lists turns of ours, which our books already contain.
  const { sqlite } = service.app.db
  const id = session(service, at(28), { messages: 4 })
  add.run(id, '/d', 'gpt', 1, at(28))
  sqlite.prepare(`insert into attached_sessions (session_id, source, agent, native_id, folder, path, read_bytes, seam, known_rows, last_writer)
    values (?, 'codex', 'openai', 'x', '/', '/d', 1, '', 2, 'ours')`).run(id)
  use(service, { atS: at(28), sessionId: id, input: 30, output: 2, cacheRead: 6 })
  t.match(await read(service), { total_sessions: 3, total_messages: 10, total_tokens: 165, total_cache_read_tokens: 30 }, 'nothing twice')
})

t.test('what is counted is counted at once, also in days that are over', async (t) => {
  let ms = now
  const service = await start(t, { clock: { now: () => ms } })
  t.equal((await read(service)).total_tokens, 0)
  const id = await service.newSession()
  const stream = await service.send(id, 'Hello')
  await (await service.events(`/api/chat/stream?stream_id=${stream}`)).until('stream_end')
  const { total_tokens: tokens, total_sessions: sessions } = await read(service)
  t.ok(tokens > 0)
  t.equal(sessions, 1)
  // A turn that runs past midnight belongs to the day of its last sign of life.
  service.app.db.sqlite.prepare("update streams set state = 'active' where id = ?").run(stream)
  ms += 86_400_000
  t.match((await read(service, '?days=2')).daily_tokens, [{ input_tokens: Number, date: '2026-10-28' }, { input_tokens: 0 }])
  service.app.db.sqlite.prepare('update usage set created_at = ?').run(ms / 1000)
  const [yesterday, today] = (await read(service, '?days=2')).daily_tokens
  t.equal(yesterday.input_tokens + yesterday.output_tokens, 0)
  t.equal(today.input_tokens + today.output_tokens, tokens)
  service.app.db.sqlite.prepare("update streams set state = 'closed' where id = ?").run(stream)
})

t.test('by kind, by project, and what was asked', async (t) => {
  const service = await start(t, { clock })
  const id = session(service, at(28))
  const { body: { project } } = await service.post('/api/projects/create', { name: 'Garden' })
  service.app.db.sqlite.prepare('update sessions set project_id = ? where id = ?').run(project.project_id, id)
  use(service, { atS: at(28), sessionId: id })
  service.app.db.sqlite.prepare("insert into streams (id, session_id, kind, state, generation, started_at) values (?, ?, 'chat', 'closed', 1, 1)").run(`stream-${made}`, id)
  use(service, { atS: at(27), cost: null })
  const prompt = service.app.db.sqlite.prepare('insert into prompts (id, arrival, session_id, stream_id, kind, body, state, answer, created_at) values (?, 1, ?, ?, ?, \'{}\', ?, ?, ?)')
  for (const [kind, state, answer] of [['approval', 'answered', 'once'], ['approval', 'answered', 'deny'], ['approval', 'expired', null], ['clarify', 'answered', 'deny'], ['clarify', 'cancelled', null]]) {
    prompt.run(`prompt-${++made}`, id, 'x', kind, state, answer, at(28))
  }
  t.same((await service.get('/api/insights/breakdown?days=7')).body, {
    period_days: 7,
    kinds: [{ kind: 'chat', turns: 1, total_tokens: 110, cost: 0.5 }, { kind: 'deleted', turns: 1, total_tokens: 110, cost: 0 }],
    projects: [{ project_id: project.project_id, name: 'Garden', turns: 1, total_tokens: 110, cost: 0.5 }, { project_id: null, name: null, turns: 1, total_tokens: 110, cost: 0 }],
    tools: [],
    tools_since: null,
    jobs: [],
    prompts: [
      { kind: 'approval', asked: 3, allowed: 1, denied: 1, answered: 2, expired: 1, cancelled: 0, open: 0 },
      { kind: 'clarify', asked: 2, allowed: 0, denied: 0, answered: 1, expired: 0, cancelled: 1, open: 0 }
    ]
  })
  await service.post('/api/session/delete', { session_id: id })
  t.match((await service.get('/api/insights/breakdown?days=7')).body, { kinds: [{ kind: 'deleted', turns: 2, cost: 0.5 }], projects: [{ project_id: null, cost: 0.5 }], prompts: [{ asked: 0 }, { asked: 0 }] }, 'what was spent stays, what was asked goes with its conversation')
})

t.test('tools and jobs, added up as they end; calls of models that are no turns count for money alone', async (t) => {
  let ms = now - 2 * 86_400_000
  const service = await start(t, { clock: { now: () => ms } })
  const { app: { usage: log, db } } = service
  const used = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
  const by = { profile: 'default', sessionId: session(service, at(28)), jobId: 'job-1', provider: 'p', model: 'gpt', usage: used, cost: 0.25 }
  db.transaction(() => {
    log.saveTurn({ ...by, streamId: 'turn', kind: 'cron', durationS: 1, firstTokenMs: 3 }, { usage: used, cost: 0.25, isWhole: true })
    log.saveTurn({ ...by, streamId: 'turn', kind: 'cron', durationS: 2, firstTokenMs: 3, cost: 0.5 }, { usage: used, cost: 0.25, isWhole: true })
    log.addCall({ ...by, kind: 'retracted', turnId: 'turn' })
    log.addCall({ ...by, kind: 'probe', turnId: null, sessionId: null, jobId: null, model: 'tester', cost: null })
    log.addJobRun({ profile: 'default', jobId: 'job-1', name: 'Early', isFailed: true })
    for (const [tool, isError, durationS] of [['terminal', false, 1.5], ['terminal', true, 0.5], ['=evil()', false, -3], ['read_file', false, Number.NaN]] as const) log.addToolCall({ profile: 'default', tool, isError, durationS })
    log.addToolCall({ profile: 'else', tool: 'terminal', isError: false, durationS: 7 })
  })
  ms = now
  db.transaction(() => {
    log.addJobRun({ profile: 'default', jobId: 'job-1', name: 'Late', isFailed: false })
    log.addToolCall({ profile: 'default', tool: 'terminal', isError: false, durationS: 1 })
  })
  const { kinds, projects, tools, tools_since: since, jobs } = (await service.get('/api/insights/breakdown?days=7')).body
  t.same(kinds, [{ kind: 'cron', turns: 1, total_tokens: 15, cost: 0.5 }, { kind: 'retracted', turns: 1, total_tokens: 15, cost: 0.25 }, { kind: 'probe', turns: 1, total_tokens: 15, cost: 0 }])
  t.same(projects, [{ project_id: null, name: null, turns: 1, total_tokens: 45, cost: 0.75 }])
  t.same(tools, [{ tool: 'terminal', calls: 3, failures: 1, total_seconds: 3, mean_seconds: 1 }, { tool: 'other', calls: 1, failures: 0, total_seconds: 0, mean_seconds: 0 }, { tool: 'read_file', calls: 1, failures: 0, total_seconds: 0, mean_seconds: 0 }])
  t.equal(since, '2026-10-26')
  t.same(jobs, [{ job_id: 'job-1', name: 'Late', runs: 2, failures: 1, turns: 1, total_tokens: 30, cost: 0.75 }])
  t.match((await service.get('/api/insights/breakdown?days=1')).body, { kinds: [], tools: [{ calls: 1 }], jobs: [{ runs: 1, failures: 0, turns: 0, cost: 0 }] })
  t.match((await service.get('/api/insights/breakdown?days=7&all_profiles=1')).body, { tools: [{ tool: 'terminal', calls: 4 }, {}, {}] })
  t.match((await read(service, '?days=7')).models, [{ model: 'gpt', sessions: 1, cost: 0.75, session_share: 100 }, { model: 'tester', sessions: 0, session_share: 0 }], 'a model that was only tested has answered in no conversation')

  const csv = async (part: string) => (await service.get(`/api/insights/export?days=7&by=${part}`)).text.trimEnd().split('\r\n')
  t.same(await csv('tool'), ['date,tool,calls,failures,total_seconds', '2026-10-26,other,1,0,0', '2026-10-26,read_file,1,0,0', '2026-10-26,terminal,2,1,2', '2026-10-28,terminal,1,0,1'])
  t.same(await csv('job'), ['date,job_id,name,runs,failures,turns,total_tokens,cost', '2026-10-26,job-1,Early,1,1,1,30,0.75', '2026-10-28,job-1,Late,1,0,0,0,0'])
  t.same((await csv('kind')).slice(0, 2), ['date,kind,turns,total_tokens,cost', '2026-10-26,cron,1,15,0.5'])
  t.same(await csv('project'), ['date,project_id,name,turns,total_tokens,cost', '2026-10-26,,,1,45,0.75'])
  t.same(await csv('prompt'), ['date,kind,asked,allowed,denied,answered,expired,cancelled,open'])
  for (const part of ['model', 'kind', 'project', 'tool', 'job', 'prompt']) {
    const { status, body, headers } = await service.get(`/api/insights/export?days=7&by=${part}&format=json`)
    t.ok(status === 200 && Array.isArray(body), part)
    t.match(headers.get('content-disposition'), part === 'model' ? '"usage.json"' : `"usage-${part}.json"`)
  }
  t.equal((await service.get('/api/insights/export?by=week')).status, 400)
})

t.test('a model that makes names of tools up does not fill the books', async (t) => {
  const service = await start(t, { clock })
  const { usage: usageLog, db } = service.app
  db.transaction(() => { for (let index = 0; index < 400; index++) usageLog.addToolCall({ profile: 'default', tool: `made-up-${index}`, isError: true, durationS: 0 }) })
  const { tools } = (await service.get('/api/insights/breakdown?days=1')).body
  t.match(tools[0], { tool: 'other', calls: 100, failures: 100 })
  t.equal(tools.length, 301)
})

t.test('what a turn calls is counted with its result', async (t) => {
  const service = await start(t)
  await service.app.db.durably(() => {})
  const id = await service.newSession()
  await (await service.events(`/api/chat/stream?stream_id=${await service.send(id, 'Please use a tool: todo')}`)).until('stream_end')
  const cards = (await service.session(id)).tool_calls as unknown[]
  const { tools } = (await service.get('/api/insights/breakdown?days=1')).body
  t.equal(tools.reduce((sum: number, { calls }: { calls: number }) => sum + calls, 0), cards.length)
})

t.test('as a file', async (t) => {
  const service = await start(t, { clock })
  use(service, { atS: at(27), model: '=cmd|"x",1' })
  use(service, { atS: at(28), cost: null })
  const csv = await service.get('/api/insights/export?days=7')
  t.match(csv.headers.get('content-type'), /^text\/csv/)
  t.equal(csv.headers.get('content-disposition'), 'attachment; filename="usage.csv"')
  t.equal(csv.text, ['date,model,turns,input_tokens,output_tokens,cache_read_tokens,cache_write_tokens,cost',
    '2026-10-27,"\'=cmd|""x"",1",1,100,10,0,7,0.5', '2026-10-28,gpt,1,100,10,0,7,', ''].join('\r\n'))
  t.match((await service.get('/api/insights/export?days=7&format=json')).body, [{ model: '=cmd|"x",1', cost: 0.5 }, { date: '2026-10-28', cost: null }])
  t.equal((await service.get('/api/insights/export?format=xml')).status, 400)
})

t.test('a day is from midnight to midnight, also when clocks are changed', async (t) => {
  const days = period(now, 5)
  t.same(days.map(({ startS, endS }) => (endS - startS) / 3600), [24, 25, 24, 24, 24], 'the 25th of October 2026 has 25 hours')
  fc.assert(fc.property(fc.integer({ min: 0, max: 4_000_000_000_000 }), fc.integer({ min: 1, max: 365 }), (ms, length) => {
    const list = period(ms, length)
    return list.length === length && list.at(-1)!.date === dateOf(new Date(ms)) && new Set(list.map(({ date }) => date)).size === length &&
      list.every(({ startS, endS }, index) => startS < endS && (index === 0 || list[index - 1]!.endS === startS)) && list.at(-1)!.startS * 1000 <= ms && ms < list.at(-1)!.endS * 1000
  }))
})

t.test('shares are whole and add up', async (t) => {
  t.same(shares([1, 1, 1]), [34, 33, 33])
  t.same(shares([0, 0]), [0, 0])
  t.same(shares([]), [])
  fc.assert(fc.property(fc.array(fc.double({ min: 0, max: 1e9, noNaN: true }), { maxLength: 40 }), (amounts) => {
    const result = shares(amounts)
    const isSomething = amounts.reduce((sum, amount) => sum + amount, 0) > 0
    return result.every((share) => Number.isInteger(share) && share >= 0) && result.reduce((sum, share) => sum + share, 0) === (isSomething ? 100 : 0)
  }))
})
