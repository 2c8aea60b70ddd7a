import Sqlite from 'better-sqlite3'
import { request } from 'node:http'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { allFamilies, type Measured } from '../../services/areas/metrics/families.js'
import { createModelMeter, createRequestMeter } from '../../services/areas/metrics/index.js'
import { databaseFile } from '../../services/ground/database/index.js'
import { start, type TestService } from '../support/app.js'
import { eventually, gate, held, startChat } from '../support/chat.js'

const service = await startChat(t)

interface Scraped {
  /** By metric name, without the names of a histogram's parts. */
  types: Map<string, { type: string, help: string }>
  /** By name and labels as in the text. */
  samples: Map<string, number>
  text: string
}

const nameForm = '[a-zA-Z_:][a-zA-Z0-9_:]*'
const labelForm = '[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\\\\n]|\\\\[\\\\"n])*"'
const sampleForm = new RegExp(`^(${nameForm})((?:\\{${labelForm}(?:,${labelForm})*\\})?) (-?[0-9.e+-]+|NaN|[+-]Inf)$`)

/** Parses the text format 0.0.4 strictly; throws for anything else. */
function parsed (text: string): Scraped {
  const types: Scraped['types'] = new Map()
  const samples: Scraped['samples'] = new Map()
  if (!text.endsWith('\n')) throw new Error('the last line has no end')
  let current = ''
  for (const line of text.split('\n').filter((line) => line !== '')) {
    const [, kind, name, rest] = new RegExp(`^# (HELP|TYPE) (${nameForm}) (.+)$`).exec(line) ?? []
    if (kind === 'HELP') {
      if (types.has(name!)) throw new Error(`${name} is there twice`)
      types.set(current = name!, { help: rest!, type: '' })
    } else if (kind === 'TYPE') {
      if (name !== current) throw new Error(`${line} does not follow its help`)
      types.get(name)!.type = rest!
    } else {
      const [, sample, labels, value] = sampleForm.exec(line) ?? []
      if (sample === undefined) throw new Error(`no sample: ${line}`)
      const isPart = types.get(current)!.type === 'histogram' && [`${current}_bucket`, `${current}_sum`, `${current}_count`].includes(sample)
      if (sample !== current && !isPart) throw new Error(`${sample} stands below ${current}`)
      if (samples.has(sample + labels!)) throw new Error(`${line} is there twice`)
      samples.set(sample + labels!, Number(value!.replace('Inf', 'Infinity')))
    }
  }
  return { types, samples, text }
}

async function scrape (service: TestService): Promise<Scraped> {
  const { status, headers, text } = await service.get('/metrics')
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'text/plain; version=0.0.4; charset=utf-8')
  t.equal(headers.get('cache-control'), 'no-store')
  return parsed(text)
}

/** Returns what has increased between two scrapes, for metrics whose names begin like this. */
function moved (before: Scraped, after: Scraped, beginning: string): Record<string, number> {
  return Object.fromEntries([...after.samples].filter(([key]) => key.startsWith(beginning))
    .map(([key, value]) => [key, value - (before.samples.get(key) ?? 0)] as const).filter(([, more]) => more !== 0))
}

const families = allFamilies({
  version: '1', requests: createRequestMeter(), models: createModelMeter({ isLive: () => false })
} as Measured, () => { throw new Error('nothing is read') })

t.test('every metric is named as Prometheus asks for it, and stands in the documentation as it is', (t) => {
  t.ok(families.length > 30)
  for (const { name, help, type, labels } of families) {
    t.match(name, /^svc_[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/)
    t.equal(name.endsWith('_total'), type === 'counter', name)
    t.notMatch(name, /_(?:ms|milliseconds|minutes|kb|mb|percent|gauge|counter|histogram|count|sum|bucket)(?:_|$)/, name)
    t.notOk(labels.some((label) => label === 'le' || label === 'quantile' || label.startsWith('__')), name)
    t.notMatch(help, /\.$|[\n|\\]/, name)
  }
  const documented = readFileSync('docs/metrics.md', 'utf8').split('\n').filter((line) => line.startsWith('| `svc_'))
  t.same(documented, families.map(({ name, type, labels, help }) =>
    `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`))
})

t.test('every expression of the board and of the examples names metrics that there are', (t) => {
  const names = new Set(families.flatMap(({ name, type }) => type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]))
  const board = JSON.parse(readFileSync('packaging/grafana/agent-web-service.json', 'utf8')) as { panels: Array<{ id: number, targets?: Array<{ expr: string }> }> }
  const expressions = board.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  const examples = [...readFileSync('docs/metrics.md', 'utf8').matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr!)
  t.ok(expressions.length > 20)
  t.ok(examples.length > 3)
  for (const expr of [...expressions, ...examples]) {
    const used = expr.match(/svc_\w+/g) ?? []
    t.ok(used.length > 0, expr)
    t.same(used.filter((name) => !names.has(name)), [], expr)
    const labels = [...expr.matchAll(/(?:by|without) \(([^)]*)\)|\{([^}]*)\}/g)].flatMap(([, by, matched]) =>
      by === undefined ? [...matched!.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label!) : by.split(/, */))
    const known = new Set(['le', 'instance', 'job', ...families.filter(({ name }) => used.some((one) => one.startsWith(name))).flatMap(({ labels }) => labels)])
    t.same(labels.filter((label) => !known.has(label)), [], expr)
  }
  t.equal(new Set(board.panels.map(({ id }) => id)).size, board.panels.length)
})

t.test('metrics are for people who have signed in and for tokens that may read', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.match(await service.get('/metrics'), { status: 401 })
  t.match(await service.get('/metrics', { authorization: 'Bearer svct_000000000000_0000000000000000000000000000000000000000' }), { status: 401 })
  t.match(await service.get('/metrics?token=x'), { status: 401 })
  const signedIn = await service.post('/api/auth/login', { password: 'correct horse' })
  const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!
  t.match(await service.get('/metrics', { cookie }), { status: 200, text: /^# HELP svc_/ })
  for (const scope of ['read', 'chat', 'admin']) {
    const { body } = await service.post('/api/auth/tokens/create', { name: `Prometheus ${scope}`, scope }, { cookie })
    const { status, text } = await service.get('/metrics', { authorization: `Bearer ${body.token}` })
    t.equal(status, 200, scope)
    t.notMatch(text, /svct_|Prometheus|correct horse/)
    await service.post('/api/auth/tokens/revoke', { id: body.device.id }, { cookie })
    t.match(await service.get('/metrics', { authorization: `Bearer ${body.token}` }), { status: 401 })
  }
})

t.test('requests count once, under the route that answered them and not under what was asked for', async (t) => {
  const id = await service.newSession()
  const before = await scrape(service)
  await service.get('/api/auth/status')
  await service.get('/api/auth/status?x=1')
  await service.get(`/api/session?session_id=${id}`)
  await service.get('/api/session?session_id=none-such')
  await service.post('/api/session/rename', { session_id: id, title: 'Mine' })
  await service.post('/api/session/rename', 'no json')
  await service.get('/share/a-secret-of-mine')
  for (let index = 0; index < 30; index++) await service.get(`/nowhere/${index}/a-secret-of-mine`)
  for (const method of ['PROPFIND', 'LOCK', 'REPORT', 'TRACE']) {
    await new Promise((resolve, reject) => {
      request(`${service.url}/a-secret-of-mine`, { method }, (response) => response.resume().on('end', resolve)).on('error', reject).end()
    })
  }
  await fetch(`${service.url}/api/auth/status`, { method: 'HEAD' })
  const after = await scrape(service)
  t.same(moved(before, after, 'svc_http_requests_total'), {
    'svc_http_requests_total{method="GET",route="/api/auth/status",status="2xx"}': 2,
    'svc_http_requests_total{method="HEAD",route="/api/auth/status",status="2xx"}': 1,
    'svc_http_requests_total{method="GET",route="/api/session",status="2xx"}': 1,
    'svc_http_requests_total{method="GET",route="/api/session",status="4xx"}': 1,
    'svc_http_requests_total{method="POST",route="/api/session/rename",status="2xx"}': 1,
    'svc_http_requests_total{method="POST",route="/api/session/rename",status="4xx"}': 1,
    'svc_http_requests_total{method="GET",route="/share/:token",status="4xx"}': 1,
    'svc_http_requests_total{method="GET",route="unknown",status="4xx"}': 30,
    'svc_http_requests_total{method="other",route="unknown",status="4xx"}': 4,
    'svc_http_requests_total{method="GET",route="/metrics",status="2xx"}': 1
  })
  t.notMatch(after.text, new RegExp(`a-secret-of-mine|${id}|none-such|Mine`))
  const status = 'method="GET",route="/api/auth/status",status="2xx"}'
  t.equal(after.samples.get(`svc_http_request_duration_seconds_count{${status}`), 2)
  t.ok(after.samples.get(`svc_http_request_duration_seconds_sum{${status}`)! > 0)
  const buckets = [...after.samples].filter(([key]) => key.startsWith('svc_http_request_duration_seconds_bucket{') && key.endsWith(status))
  t.same(buckets.map(([key]) => /le="([^"]+)"/.exec(key)![1]), ['0.001', '0.005', '0.025', '0.1', '0.5', '2.5', '10', '+Inf'])
  t.same(buckets.map(([, value]) => value), buckets.map(([, value]) => value).toSorted((a, b) => a - b), 'each holds those before it')
  t.equal(buckets.at(-1)![1], 2)
})

t.test('an event stream counts while it is open, and its length is no duration of a request', async (t) => {
  const sessionId = await service.newSession()
  const readers = []
  for (let index = 0; index < 3; index++) readers.push(await service.events('/api/events'))
  readers.push(await service.events(`/api/approval/stream?session_id=${sessionId}`))
  const open = await scrape(service)
  t.equal(open.samples.get('svc_event_streams_open{route="/api/events"}'), 3)
  t.equal(open.samples.get('svc_event_streams_open{route="/api/approval/stream"}'), 1)
  t.ok(open.samples.get('svc_event_subscriptions')! > 0)
  for (const reader of readers) reader.drop()
  const closed = await eventually('the streams to be gone', async () => {
    const scraped = await scrape(service)
    return [...scraped.samples].some(([key, value]) => key.startsWith('svc_event_streams_open{') && value > 0) ? false : scraped
  })
  t.equal(closed.samples.get('svc_event_streams_opened_total{route="/api/events"}'), 3)
  t.equal(closed.samples.get('svc_event_streams_opened_total{route="/api/approval/stream"}'), 1)
  t.notMatch(closed.text, /svc_http_\w+\{[^}]*route="\/api\/events"/)
})

t.test('calls of models, tokens, money and turns move by what happened', async (t) => {
  const id = await service.newSession()
  // Then no model is asked for a title.
  await service.post('/api/session/rename', { session_id: id, title: 'Theirs' })
  const usage = { usage: { input: 1_000, output: 20, cacheRead: 600 } }
  const step = async (does: () => Promise<unknown>): Promise<(beginning: string) => Record<string, number>> => {
    const before = await scrape(service)
    await does()
    await eventually('quiet', () => service.app.chat.activeTurns() === 0)
    const after = await scrape(service)
    return (beginning) => moved(before, after, beginning)
  }

  const tools = await step(() => service.turn(id, 'Hello', service.model([{ tool: 'list_files', args: {} }, usage], [{ text: 'Seen.' }, usage])))
  t.same(tools('svc_model_calls_total'), { 'svc_model_calls_total{provider="openai",outcome="ok"}': 2 })
  t.same(tools('svc_turns_ended_total'), { 'svc_turns_ended_total{kind="chat",outcome="done"}': 1 })
  t.same(tools('svc_model_tokens_total{provider="openai",kind="cache_read"}'), { 'svc_model_tokens_total{provider="openai",kind="cache_read"}': 1_200 })

  const refused = await step(() => service.turn(id, 'Hello', 'fault-401'))
  t.same(refused('svc_model_calls_total'), { 'svc_model_calls_total{provider="openai",outcome="auth"}': 1 })
  t.same(refused('svc_turns_ended_total'), { 'svc_turns_ended_total{kind="chat",outcome="failed"}': 1 })
  const limited = await step(async () => {
    const streamId = await service.send(id, 'Hello', { model: 'fault-429' })
    await eventually('it waits for the limit', () => service.app.chat.isParked(streamId))
    await service.post('/api/chat/cancel', { stream_id: streamId })
  })
  t.same(limited('svc_model_calls_total'), { 'svc_model_calls_total{provider="openai",outcome="limit"}': 1 })
  const out = await step(() => service.turn(id, 'Hello', 'fault-quota'))
  t.same(out('svc_model_calls_total'), { 'svc_model_calls_total{provider="openai",outcome="quota"}': 1 })

  const stopped = await step(async () => {
    const streamId = await service.send(id, 'Hello', { model: service.model(held(gate(), [{ text: 'Half an answer' }], [])) })
    const reader = await service.watch(streamId)
    await reader.until('token')
    await service.post('/api/chat/cancel', { stream_id: streamId })
  })
  t.same(stopped('svc_model_calls_total'), { 'svc_model_calls_total{provider="openai",outcome="cancelled"}': 1 })
  t.same(stopped('svc_turns_ended_total'), { 'svc_turns_ended_total{kind="chat",outcome="cancelled"}': 1 })

  const home = join(service.folder, 'home')
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({
    model: { provider: 'openai' },
    custom_providers: [{ name: 'Ann and Bob', base_url: service.endpoint.url, api_key: 'ann-key-12345', models: ['stand-in'] }],
    fallback_providers: [{ provider: 'ann-and-bob', model: 'stand-in' }]
  }))
  await eventually('the list to be read', () => service.app.profiles.settings('default').config.fallback_providers !== undefined)
  const replaced = await step(() => service.turn(id, 'Hello', 'fault-401'))
  t.same(replaced('svc_model_calls_total'), {
    'svc_model_calls_total{provider="openai",outcome="replaced"}': 1, 'svc_model_calls_total{provider="custom",outcome="ok"}': 1
  }, 'what a person has named is custom')
  const { text } = await scrape(service)
  t.notMatch(text, new RegExp(`[Aa]nn-|Bob|12345|stand-in|scripted|Half|Hello|${id}|${service.folder}|default`))
})

t.test('tokens and money go to their providers, of which there are no more than the service knows', (t) => {
  const meter = createModelMeter({ isLive: () => false })
  const usage = { inputTokens: 10, outputTokens: 2, cacheReadTokens: 4, cacheWriteTokens: 1, estimated: false }
  const call = { kind: 'chat' as const, turnId: 'turn', usage, isWhole: true }
  meter.booked({ ...call, provider: 'anthropic', cost: 0.25 })
  meter.booked({ ...call, provider: 'anthropic', cost: 0.5, kind: 'retracted' })
  meter.booked({ ...call, provider: null, cost: null })
  for (let index = 0; index < 1_000; index++) meter.booked({ ...call, provider: `made-up-${index}`, cost: null })
  for (const provider of ['constructor', '__proto__', 'x"} 1\nsvc_evil 1', 'openai ', 'OpenAI']) meter.booked({ ...call, provider, cost: null })
  meter.booked({ ...call, provider: 'codex', cost: null, isWhole: false })
  const failure = { answer: '', state: 'failed' as const }
  meter.ended('chat', 'google', { ...failure, errorType: 'rate_limit' })
  meter.ended('chat', 'google', { ...failure, errorType: 'interrupted' })
  meter.ended('chat', 'google', { ...failure, errorType: 'error', fault: 'of the service' })
  meter.ended('cron', null, { ...failure, errorType: 'error' })
  t.ok([...meter.calls()].some(({ labels, value }) => labels['provider'] === 'google' && labels['outcome'] === 'auth' && value === 0), 'a first failure is seen')
  t.same([...meter.calls()].filter(({ value }) => value > 0), [
    { labels: { provider: 'anthropic', outcome: 'ok' }, value: 1 },
    { labels: { provider: 'anthropic', outcome: 'retracted' }, value: 1 },
    { labels: { provider: 'unknown', outcome: 'ok' }, value: 1 },
    { labels: { provider: 'custom', outcome: 'ok' }, value: 1_005 },
    { labels: { provider: 'google', outcome: 'limit' }, value: 1 }
  ], 'an answer that was broken off by a failure counts as that')
  t.same([...meter.dollars()], [{ labels: { provider: 'anthropic' }, value: 0.75 }])
  t.same([...meter.tokens()].filter(({ labels }) => labels['provider'] === 'anthropic').map(({ labels, value }) => [labels['kind'], value]), [
    ['input', 20], ['output', 4], ['cache_read', 8], ['cache_write', 2]
  ])
  meter.interrupted('chat')
  t.same([...meter.turns()].filter(({ value }) => value > 0), [
    { labels: { kind: 'chat', outcome: 'failed' }, value: 3 },
    { labels: { kind: 'chat', outcome: 'interrupted' }, value: 1 },
    { labels: { kind: 'cron', outcome: 'failed' }, value: 1 }
  ])
})

t.test('what waits for a person, and what turns do meanwhile', async (t) => {
  const waiting = (scraped: Scraped) => [...scraped.samples].filter(([key]) => key.startsWith('svc_prompts_waiting')).map(([, value]) => value)
  t.same(waiting(await scrape(service)), [0, 0])
  const id = await service.newSession()
  const streamId = await service.send(id, 'Go', { model: service.model([{ tool: 'terminal', args: { command: 'touch never' } }]) })
  await service.pending(id)
  const asked = await scrape(service)
  t.same(waiting(asked), [1, 0])
  t.ok(asked.samples.get('svc_prompt_oldest_age_seconds{kind="approval"}')! > 0)
  t.equal(asked.samples.get('svc_prompt_oldest_age_seconds{kind="question"}'), 0)
  t.equal(asked.samples.get('svc_turns_live{phase="running"}'), 1)
  t.equal(asked.samples.get('svc_agent_runs'), 1)
  t.equal(asked.samples.get('svc_agent_hosts{state="ready"}'), 1)
  t.equal(asked.samples.get('svc_queued_messages'), 0)
  await service.post('/api/session/queue', { session_id: id, action: 'add', message: 'Next' })
  t.equal((await scrape(service)).samples.get('svc_queued_messages'), 1)
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await eventually('nothing to live', async () => (await scrape(service)).samples.get('svc_turns_live{phase="cancelling"}') === 0)
  t.same(waiting(await scrape(service)), [0, 0])
})

t.test('jobs by state and last run, those that are late, and what the disk holds', async (t) => {
  const service = await start(t, { onDisk: true })
  const { job } = (await service.post('/api/crons/create', { prompt: 'Look', schedule: '1d', name: 'A name of mine' })).body
  await service.post('/api/crons/create', { prompt: 'Look', schedule: '2d' })
  await service.post('/api/crons/pause', { job_id: job.id })
  const { samples, text } = await scrape(service)
  t.equal(samples.get('svc_jobs{state="scheduled"}'), 1)
  t.equal(samples.get('svc_jobs{state="paused"}'), 1)
  t.equal(samples.get('svc_jobs_last_run{status="none"}'), 2)
  t.equal(samples.get('svc_jobs_due'), 0)
  t.ok(samples.get('svc_database_size_bytes')! > 0)
  t.ok(samples.has('svc_database_wal_size_bytes'))
  t.ok(samples.get('svc_disk_free_bytes')! > 0)
  t.equal(samples.get('svc_database_writable'), 1)
  t.equal(samples.get('svc_machines{state="ready"}'), 0)
  t.ok(samples.get('svc_process_resident_memory_bytes')! > 1_000_000)
  t.match([...samples.keys()].find((key) => key.startsWith('svc_build_info')), `svc_build_info{version="${service.app.serviceVersion}",node="${process.versions.node}"}`)
  t.notMatch(text, /A name of mine|Look/)
})

t.test('writes that the database refuses are counted while they wait, and so is how long they do', async (t) => {
  const service = await start(t, { onDisk: true })
  service.app.db.flush()
  t.same(service.app.db.waiting(), { writes: 0, oldestMs: 0 })
  const other = new Sqlite(databaseFile(service.app.config.stateDir))
  t.teardown(() => other.close())
  other.exec('begin exclusive')
  let isStored = false
  service.app.db.enqueue({ write () {}, committed () { isStored = true } })
  const stuck = await eventually('the lock to be noticed', async () => {
    const scraped = await scrape(service)
    return scraped.samples.get('svc_database_writable') === 0 && scraped
  })
  t.ok(stuck.samples.get('svc_writer_queue_writes')! >= 1)
  t.ok(stuck.samples.get('svc_journal_lag_seconds')! > 0)
  t.equal(isStored, false)
  other.exec('commit')
  const free = await eventually('it to be written again', async () => {
    const scraped = await scrape(service)
    return scraped.samples.get('svc_database_writable') === 1 && scraped.samples.get('svc_writer_queue_writes') === 0 && scraped
  })
  t.equal(free.samples.get('svc_journal_lag_seconds'), 0)
  t.equal(isStored, true)
})

t.test('under load the text is whole, and no longer for a thousand conversations than for one', { long: true }, async (t) => {
  // A series that another test has begun would not be seen to begin here.
  const service = await startChat(t)
  const first = await service.newSession()
  await service.turn(first, 'Hello')
  const shapeOf = ({ samples }: Scraped): string[] => [...samples.keys()].filter((key) => !/route="\/(?:metrics|api\/events)"/.test(key)).toSorted()
  const before = shapeOf(await scrape(service))
  for (let round = 0; round < 20; round++) await Promise.all(Array.from({ length: 50 }, async () => await service.newSession()))
  const readers = await Promise.all(Array.from({ length: 50 }, async () => await service.events('/api/events')))
  const turns = Array.from({ length: 10 }, async () => await service.turn(await service.newSession(), 'Hello'))
  const scraped = await Promise.all(Array.from({ length: 5 }, async () => await scrape(service)))
  await Promise.all(turns)
  t.same(shapeOf(await scrape(service)).filter((key) => !before.includes(key)), [])
  for (const { samples } of scraped) t.equal(samples.get('svc_event_streams_open{route="/api/events"}'), 50)
  for (const reader of readers) reader.drop()
})
