import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import t from '#test'
import { eventually } from '../support/chat.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { spawnServer } from '../support/server.js'

t.test('killed over a slot and in the middle of a run: each slot is taken once, and the ledger agrees with the jobs', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'service-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), 'timezone: UTC\n')
  const endpoint = await modelEndpoint(t)
  let isSlow = true
  endpoint.script(() => isSlow ? [{ text: 'Begun' }, { waitMs: 15_000 }] : [{ text: 'Whole.' }])
  const env = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }
  const job = async (server: Awaited<ReturnType<typeof spawnServer>>, id: string) => (await server.json('/api/crons')).jobs.find((each: { id: string }) => each.id === id)

  const first = await spawnServer(t, folder, env)
  const soon = new Date(Math.ceil((Date.now() + 15_000) / 1000) * 1000)
  const create = async (schedule: string) => (await first.json('/api/crons/create', { prompt: 'Go', schedule, model: 'test-model' })).job.id as string
  const cut = await create('1h')
  const missed = await create(soon.toISOString())
  await first.json('/api/crons/run', { job_id: cut })
  await eventually('the run is under way', () => endpoint.requests.some(({ stream }) => stream))
  t.equal(await first.crash(), 'SIGKILL')
  await eventually('its time passes', () => Date.now() > soon.getTime() + 200)

  isSlow = false
  const second = await spawnServer(t, folder, env)
  await eventually('what was missed is made up for', async () => (await job(second, missed)).state === 'completed')
  t.match(await job(second, missed), { last_status: 'ok', repeat: { completed: 1 } })
  t.match(await job(second, cut), { last_status: 'error', last_error: /stopped unexpectedly/, repeat: { completed: 1 }, state: 'scheduled' })
  t.same(await second.json('/api/crons/status'), { running: {} })
  t.equal(await second.crash(), 'SIGKILL')

  const third = await spawnServer(t, folder, env)
  t.match(await job(third, missed), { state: 'completed', repeat: { completed: 1 } })
  await third.end('SIGTERM')
  const database = new Sqlite(join(folder, 'home', 'webui', 'service.db'), { readonly: true })
  t.teardown(() => database.close())
  t.same(database.prepare('select state, status, count(*) as count from cron_runs where job_id = ? group by 1, 2').all(missed), [{ state: 'done', status: 'ok', count: 1 }])
  t.same(database.prepare('select state, status, count(*) as count from cron_runs where job_id = ? group by 1, 2').all(cut), [{ state: 'done', status: 'error', count: 1 }])
  t.equal(database.prepare("select count(*) from streams where state <> 'closed'").pluck().get(), 0)
})

t.test('killed while the runs of a deleted job go: nobody sees the job or their sessions again, and the next start removes the rest', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'service-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const first = await spawnServer(t, folder)
  const { job: { id } } = await first.json('/api/crons/create', { prompt: 'Go', schedule: '1h' })
  const { session: { session_id: model } } = await first.json('/api/session/new', {})
  await first.end('SIGTERM')
  const database = new Sqlite(join(folder, 'home', 'webui', 'service.db'))
  t.teardown(() => database.close())
  const names = database.prepare<[], string>("select name from pragma_table_info('sessions')").pluck().all()
  const values: Record<string, string> = { id: "'run' || i", source: "'cron'", hidden: '0', message_count: '2' }
  database.exec(`create temp table n as with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000) select i from n;
    insert into cron_runs (id, job_id, state, session_id, created_at) select 'run' || i, '${id as string}', 'done', 'run' || i, i from n;
    insert into sessions (${names.join(', ')}) select ${names.map((name) => values[name] ?? name).join(', ')} from sessions, n where id = '${model as string}' and i > 19700`)

  const second = await spawnServer(t, folder)
  const seen = async (server: typeof second): Promise<number> => (await server.json('/api/sessions')).sessions.filter(({ session_id: id }: { session_id: string }) => id.startsWith('run')).length
  t.ok(await seen(second) > 0)
  t.match(await second.json('/api/crons/delete', { job_id: id }), { ok: true })
  t.equal(await seen(second), 0)
  await second.crash()
  const left = database.prepare<[], number>('select count(*) from cron_runs').pluck()
  t.ok(left.get()! > 0, 'it was killed in the middle')

  const third = await spawnServer(t, folder)
  t.same((await third.json('/api/crons')).jobs, [])
  t.equal(await seen(third), 0)
  await eventually('the rest is gone', () => left.get() === 0 && database.prepare("select count(*) from sessions where id like 'run%'").pluck().get() === 0)
  await third.end('SIGTERM')
})
