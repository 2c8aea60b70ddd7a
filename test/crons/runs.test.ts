import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type Json } from '../support/app.js'
import { eventually, gate, held, said, startChat } from '../support/chat.js'
import { type ModelStep } from '../support/model-endpoint.js'
import { writeOutput } from '../../services/areas/crons/output.js'

const service = await startChat(t)
const home = join(service.folder, 'home')
mkdirSync(join(home, 'skills', 'watching'), { recursive: true })
writeFileSync(join(home, 'skills', 'watching', 'SKILL.md'), '---\nname: watching\ndescription: How to watch\n---\nLook twice.\n')

const call = async (path: string, body: Json): Promise<Json> => (await service.post(`/api/crons/${path}`, body)).body
const create = async (more: Json = {}): Promise<Json> => (await call('create', { prompt: 'Look around', schedule: 'every 1h', ...more })).job
const job = async (id: string): Promise<Json> => (await service.get('/api/crons')).body.jobs.find((job: Json) => job.id === id)
async function ran (id: string, count = 1): Promise<Json> {
  await call('run', { job_id: id })
  return await eventually(`run ${count}`, async () => {
    const now = await job(id)
    return now.repeat.completed === count && now
  })
}
const spend = (input: number, ...steps: ModelStep[]): ModelStep[] => [...steps, { usage: { input, output: 0 } }]

t.test('a job has a budget of its own for each day, and says when it is used up', async (t) => {
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ budgets: { job: { hard_tokens: 100 } } }))
  const model = service.model(spend(150, { text: 'Half' }, { tool: 'todo', args: { todos: [] } }), spend(10, { text: 'Not reached' }))
  const { id } = await create({ model })
  t.match(await ran(id), { last_status: 'error', last_error: /^The budget of this job for today is used up: 150 of 100 tokens\./, failure_streak: 1 })
  t.match(await ran(id, 2), { last_status: 'error', last_error: /^The budget of this job for today is used up/ }, 'also for its next run')
  t.equal(service.requests(model).length, 1)
  const other = await create({ model: service.model([{ text: 'Fine' }]) })
  t.match(await ran(other.id), { last_status: 'ok' }, 'another job has its own')
  writeFileSync(join(home, 'config.yaml'), '{}')
})

t.test('the instructions of its skills are sent with a job', async (t) => {
  const model = service.model([{ text: 'Seen' }])
  mkdirSync(join(home, 'skills', 'gone'))
  writeFileSync(join(home, 'skills', 'gone', 'SKILL.md'), '---\nname: gone\ndescription: For now\n---\nGo.\n')
  await service.app.skills.reload('default')
  const { id } = await create({ model, skills: ['watching', 'gone'], name: 'Watch' })
  rmSync(join(home, 'skills', 'gone'), { recursive: true })
  await service.app.skills.reload('default')
  t.match((await ran(id)).last_status, 'ok')
  t.match(said(service.requests(model)[0]!, 'user').at(-1), /^\[This is a run[^]*switched off: gone\.[^]*<skill name="watching">[^]*Look twice\.[^]*The user's request:\nLook around$/)
  const { completions } = (await service.get('/api/crons/recent')).body
  const { session } = (await service.get(`/api/session?session_id=${completions.at(-1).session_id}`)).body
  t.match(session.messages[0].content, /^\[This is a run of the scheduled job "Watch"[^]*\n\nLook around$/, 'people see what they have written')
})

t.test('a model that nobody has, and a provider that is not set up, block the job', async (t) => {
  const { id } = await create({ model: 'm', provider: 'no-such-provider' })
  t.match(await ran(id), { last_status: 'blocked_config', last_error: /./, latest_execution: { status: 'blocked_config' }, state: 'scheduled' })
})

t.test('runs that wait for a person keep no other from running; deleted, they leave nothing', async (t) => {
  const asking = service.model(...Array.from({ length: 5 }, () => [{ tool: 'clarify', args: { question: 'Which one?' } }]))
  const ids: string[] = []
  for (let count = 0; count < 5; count++) ids.push((await create({ model: asking, ask: 'wait' })).id)
  for (const id of ids) await call('run', { job_id: id })
  await eventually('all ask', () => service.app.prompts.allOpen().length === 5)
  const { id } = await create({ model: service.model([{ text: 'Done' }]) })
  t.match(await ran(id), { last_status: 'ok' })
  for (const each of ids) t.match(await call('delete', { job_id: each }), { ok: true })
  await eventually('no question is left', () => service.app.prompts.allOpen().length === 0)
  const left = service.app.db.sqlite.prepare<[string], number>("select count(*) from streams where state <> 'closed' and session_id in (select id from sessions where source = 'cron' and title like ?)").pluck()
  await eventually('no turn is left', () => left.get('%') === 0)
})

t.test('a job that is deleted while it runs takes the session of this run with it', async (t) => {
  const wait = gate()
  const model = service.model(held(wait, [{ text: 'Wai' }], [{ text: 'ted.' }]))
  const { id } = await create({ model })
  await call('run', { job_id: id })
  await eventually('it is asked', () => service.requests(model).length === 1)
  const { latest_execution: { session_id: sessionId } } = await job(id)
  t.match(await call('delete', { job_id: id }), { ok: true })
  await eventually('the session is gone', async () => (await service.get(`/api/session?session_id=${sessionId}`)).status === 404)
  wait.open()
})

t.test('a job that is deleted takes the sessions of all its runs with it, but not those that a person has continued', async (t) => {
  const { id } = await create({ model: service.model([{ text: 'Done' }]) })
  await ran(id)
  const { sqlite } = service.app.db
  const { latest_execution: { session_id: first } } = await job(id)
  const copy = (table: string, key: string, from: string, changes: Record<string, string>): void => {
    const columns = sqlite.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table)
    const values = columns.map((column) => changes[column] ?? column)
    sqlite.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 250)
      insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${table}, n where ${key} = ?`).run(from)
  }
  copy('sessions', 'id', first, { id: "'run' || i", user_message_count: 'iif(i = 7, 2, user_message_count)' })
  copy('cron_runs', 'job_id', id, { id: "'run' || i", session_id: "'run' || i", slot_at: 'slot_at + i', created_at: 'created_at - i', stream_id: 'null', output: 'null' })
  const left = (and: string): unknown[] => sqlite.prepare(`select id from sessions where (id like 'run%' or id = ?) ${and}`).pluck().all(first)
  const announced: number[] = []
  service.app.sessions.on('removed', (ids) => { announced.push(ids.length) })
  t.match(await call('delete', { job_id: id }), { ok: true })
  t.same(left("and source <> 'deleted'"), ['run7'], 'they are gone with it')
  await eventually('all rows are gone', () => left('').length === 1 && sqlite.prepare('select count(*) from cron_runs where job_id = ?').pluck().get(id) === 0)
  t.same(left(''), ['run7'])
  t.same(announced, Array.from({ length: 250 }, () => 1), 'each is announced when it is gone, because the service may stop before the last one is')
})

t.test('the next cleaning up removes what a stop has left of a deleted job, and old entries of the ledger', async (t) => {
  const { id } = await create({ model: service.model([{ text: 'Done' }]) })
  await ran(id)
  const { sqlite } = service.app.db
  const { latest_execution: { session_id: session } } = await job(id)
  const enter = (runs: number, jobId: string, session: string | null, state: string, createdAt: number): void => {
    sqlite.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
      insert into cron_runs (id, job_id, state, session_id, created_at) select ? || i, ?, ?, ?, ? + i from n`).run(runs, `${jobId}${state}${createdAt}`, jobId, state, session, createdAt)
  }
  enter(1_500, id, null, 'done', 0)
  enter(1_500, id, null, 'skipped', Date.now() / 1000 - 3 * 24 * 3600)
  enter(5, id, null, 'skipped', Date.now() / 1000 - 60)
  enter(5, id, null, 'done', Date.now() / 1000 - 3 * 24 * 3600)
  enter(150, 'gone', null, 'done', Date.now() / 1000)
  enter(1, 'gone', session, 'done', Date.now() / 1000 - 60)
  await service.app.crons.sweep()
  const runs = sqlite.prepare<[string], number>('select count(*) from cron_runs where job_id = ?').pluck()
  t.equal(runs.get('gone'), 0)
  t.equal((await service.get(`/api/session?session_id=${session}`)).status, 404)
  t.equal(runs.get(id), 11, 'what is not old yet stays')
})

t.test('the sessions of all but the newest runs go, however many runs have none any more', async (t) => {
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ cron: { output_retention: 2 } }))
  const { id } = await create({ model: service.model(...Array.from({ length: 4 }, () => [{ text: 'Done' }])) })
  const sessions: string[] = []
  for (let count = 1; count <= 4; count++) {
    await ran(id, count)
    sessions.push((await job(id)).latest_execution.session_id)
  }
  const { sqlite } = service.app.db
  // Between the two that go and the two that stay, all at the same time: more than are read at once.
  sqlite.prepare('update cron_runs set created_at = created_at - 10000 where session_id in (?, ?)').run(sessions[0], sessions[1])
  sqlite.prepare(`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
    insert into cron_runs (id, job_id, state, session_id, created_at) select 'between' || i, ?, 'done', 'none', (select min(created_at) + 5000 from cron_runs where job_id = ?) from n`).run(id, id)
  await service.app.crons.sweep()
  const left = await Promise.all(sessions.map(async (session) => (await service.get(`/api/session?session_id=${session}`)).status))
  t.same(left, [404, 404, 200, 200])
  writeFileSync(join(home, 'config.yaml'), '{}')
  await call('delete', { job_id: id })
})

t.test('the session of an old run stays if a person keeps it while another one is being removed', async (t) => {
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ cron: { output_retention: 1 } }))
  const { id } = await create({ model: service.model(...Array.from({ length: 3 }, () => [{ text: 'Done' }])) })
  const ids: string[] = []
  for (let count = 1; count <= 3; count++) {
    await ran(id, count)
    ids.push((await job(id)).latest_execution.session_id)
  }
  const { crons, sessions } = service.app
  sessions.on('removed', async ([removed]) => { if (removed === ids[1]) await sessions.pin(ids[0]!, true) })
  await crons.sweep()
  const left = await Promise.all(ids.map(async (session) => (await service.get(`/api/session?session_id=${session}`)).status))
  t.same(left, [200, 404, 200])
  writeFileSync(join(home, 'config.yaml'), '{}')
  await call('delete', { job_id: id })
})

t.test('nothing is delivered for a job that was deleted', async (t) => {
  const { id } = await create({ model: service.model([{ text: 'Done' }]), deliver: 'webhook:https://example.invalid/hook' })
  await ran(id)
  t.equal(service.app.crons.standing().deliveries, 1)
  t.match(await call('delete', { job_id: id }), { ok: true })
  t.equal(service.app.crons.standing().deliveries, 0)
})

t.test('once, a moment ago: taken at once, also when it is changed to that', async (t) => {
  const { id } = await create({ model: service.model([{ text: 'Done' }]), schedule: '2 days' })
  t.match(await call('update', { job_id: id, schedule: new Date(Date.now() - 60_000).toISOString() }), { ok: true })
  await eventually('it has run', async () => (await job(id)).state === 'completed')
  t.match(await service.post('/api/crons/create', { prompt: 'x', schedule: '9999-12-31T23:59:59-12:00' }), { status: 400, body: { error: /later than the year 9999/ } })
})

t.test('a file that was written before a stop is not written again', async (t) => {
  const folder = join(home, 'again')
  mkdirSync(folder)
  const what = { text: 'All of it', atMs: Date.parse('2026-06-01T10:00:00Z'), zone: 'UTC', keep: 0 }
  t.equal(await writeOutput(folder, 'job', what), '2026-06-01_10-00-00.md')
  t.equal(await writeOutput(folder, 'job', { ...what, isAgain: true }), '2026-06-01_10-00-00.md')
  t.equal(await writeOutput(folder, 'job', { ...what, text: 'More of it', isAgain: true }), '2026-06-01_10-00-01.md')
  t.same(readdirSync(join(folder, 'cron', 'output', 'job')).sort(), ['2026-06-01_10-00-00.md', '2026-06-01_10-00-01.md'])
})
