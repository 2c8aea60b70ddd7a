import Sqlite from 'better-sqlite3'
import { readMigrationFiles } from 'drizzle-orm/migrator'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { asset } from '../../services/ground/assets.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { identify, knownVersion, openDatabase } from '../../services/ground/database/index.js'
import { createRemasking } from '../../services/areas/sessions/index.js'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { tries } from '../support/tries.js'
import { freePort } from '../support/listening.js'
import { startServer } from '../support/upgrading.js'

const key = 'sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF'

/** Creates a database as an early version left it, with `messages` messages, one in ten of which contains a key. */
function early (file: string, migrations: number, messages: number): void {
  const sqlite = new Sqlite(file)
  sqlite.pragma('journal_mode = WAL')
  sqlite.exec('CREATE TABLE "__drizzle_migrations" (id SERIAL PRIMARY KEY, hash text NOT NULL, created_at numeric)')
  for (const { sql, hash, folderMillis } of readMigrationFiles({ migrationsFolder: asset('drizzle') }).slice(0, migrations)) {
    for (const statement of sql) sqlite.exec(statement.replace(':after', '-1').replace(':upto', '1e15'))
    sqlite.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)').run(hash, folderMillis)
  }
  sqlite.exec(`insert into sessions (id, profile, workspace, created_at, updated_at, message_count) select 's' || value, 'default', '/w', 1, 1, ${messages / 100}
    from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 100) select value from n)`)
  sqlite.prepare(`with recursive n(value) as (select 0 union all select value + 1 from n where value < ${messages - 1})
    insert into messages (session_id, position, message_id, role, counted, body, created_at)
    select 's' || (value % 100 + 1), value / 100, 'm' || value, 'user', 1,
      json_object('role', 'user', 'content', 'What about number ' || value || '? ' || case when value % 10 = 0 then ? else 'Nothing much.' end), 1 from n`).run(`The key is ${key}`)
  sqlite.close()
}

t.test('an upgrade that is killed goes on where it was, says how far it is, and loses nothing', async (t) => {
  const folder = temporaryFolder(t, 'upgrade')
  const stateDir = join(folder, 'home', 'webui')
  mkdirSync(stateDir, { recursive: true })
  const file = join(stateDir, 'service.db')
  const messages = Math.max(30_000, tries(80_000))
  early(file, 2, messages)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const ask = async (path: string, headers: Record<string, string> = {}) => await fetch(url + path, { headers }).catch(() => null)
  const progressNow = async (): Promise<number> => {
    const response = await ask('/readyz')
    return response?.status === 503 ? (await response.json() as { progress: number }).progress : -1
  }

  let furthest = 0
  for (let kills = 0; kills < 1; kills++) {
    const service = startServer(t, folder, port)
    const isFurther = (progress: number): boolean => progress > furthest + 0.02
    const reached = await eventually('progress', async () => {
      const progress = await progressNow()
      if (progress >= 0) t.ok(progress >= furthest - 0.1, 'nothing is begun anew')
      return isFurther(progress) && progress
    })
    if (kills === 0) {
      t.match(await (await ask('/livez'))?.json(), { status: 'ok' })
      const ready = await ask('/readyz')
      t.match({ status: ready?.status, body: await ready?.json() }, { status: 503, body: { status: 'unavailable', reason: 'upgrading', message: /^upgrading \d+ %$/ } })
      const health = await ask('/health')
      t.match({ status: health?.status, body: await health?.json() }, { status: 503, body: { status: 'upgrading', progress: Number, active_runs: 0 } })
      const other = await ask('/api/sessions')
      t.match({ status: other?.status, retry: other?.headers.get('retry-after'), body: await other?.json() }, { status: 503, retry: '5', body: { code: 'upgrading', error: /is upgrading its database \(\d+ % done\)/ } })
      const page = await ask('/', { accept: 'text/html' })
      t.match({ status: page?.status, body: await page?.text() }, { status: 503, body: /continues automatically/ })
    }
    await service.kill()
    furthest = reached
  }

  const service = startServer(t, folder, port)
  await eventually('the service', async () => (await ask('/health'))?.status === 200)
  t.match(service.output(), /upgrading the database, \d+ % done/)
  t.match(service.output(), /"msg":"the database is upgraded"/)
  // Masks by today's rules are made in the background, and until then on reading.
  const answer = await ask('/api/session?session_id=s1&messages=1')
  t.equal((await answer?.text())?.match(/\[redacted\]/g)?.length, messages / 100)
  await service.kill()

  const db = openDatabase({ file })
  t.teardown(() => { db.close() })
  const count = (sql: string): unknown => db.sqlite.prepare(sql).pluck().get()
  t.ok(Number(count('select count(*) from messages where redacted_body is not null')) < messages / 10, 'they were not waited for')
  const remasking = createRemasking({ db, clock: systemClock })
  remasking.prepare()
  await remasking.work()
  t.equal(identify(db.sqlite, file).version, knownVersion)
  t.equal(count('select count(*) from messages'), messages)
  t.equal(count('select count(*) from message_texts'), messages, 'each text can be found')
  t.equal(count("select count(*) from messages where redacted_body is not null and instr(redacted_body, 'abcdefghijklm') = 0"), messages / 10, 'each key is masked')
  t.equal(count('select count(*) from sessions where last_said is not null'), 100)
  t.equal(count("select count(*) from settings where key in ('migration', 'remasking')"), 0)
  t.equal(count('select count(*) from __drizzle_migrations'), knownVersion, 'no migration came twice')
})

t.test('an older program does not work with half of a migration', async (t) => {
  const file = join(temporaryFolder(t, 'half'), 'service.db')
  early(file, 2, 2_000)
  const sqlite = new Sqlite(file)
  const { migrating } = await import('../../services/ground/database/migrating.js')
  for (const progress of migrating(sqlite)) if (progress > 0 && sqlite.prepare("select count(*) from settings where key = 'migration'").pluck().get() === 1) break
  t.equal(sqlite.prepare('select count(*) from __drizzle_migrations').pluck().get(), 3, 'it meets a version that it does not know')
  t.equal(identify(sqlite, file).version, 2, 'and this one goes on with it')
  sqlite.close()
  const db = openDatabase({ file })
  t.equal(db.sqlite.prepare('select count(*) from message_texts').pluck().get(), 2_000)
  db.close()
})

t.test('the tables of jobs are rebuilt without a loss, however often that is cut off', async (t) => {
  const file = join(temporaryFolder(t, 'jobs'), 'service.db')
  early(file, 40, 100)
  const sqlite = new Sqlite(file)
  const required = sqlite.prepare<[], { name: string, type: string }>("select name, type from pragma_table_info('cron_jobs') where \"notnull\" and dflt_value is null").all()
  sqlite.exec(`insert into cron_jobs (${required.map(({ name }) => name).join(', ')}) values (${required.map(({ type }) => type === 'TEXT' ? "'job'" : '1').join(', ')});
    insert into cron_runs (id, job_id, slot_at, state, created_at) with recursive n(i) as (select 1 union all select i + 1 from n where i < 1234) select 'run' || i, 'job', i, 'done', i from n;
    insert into cron_deliveries (id, run_id, target, body, state, created_at) select 'sent' || id, id, 'https://example.com', '{}', 'pending', 1 from cron_runs where created_at % 2 = 0`)
  const held = (): unknown[] => ['runs', 'deliveries'].map((table) => sqlite.prepare(`select * from cron_${table} order by id`).all())
  const before = held()
  const { migrating } = await import('../../services/ground/database/migrating.js')
  let steps = 0
  for (; migrating(sqlite).next().done !== true; steps++) sqlite.pragma('foreign_keys = on')
  t.ok(steps > 5, `${steps} transactions, each by a process of its own`)
  t.same(held(), before)
  t.same(sqlite.pragma('foreign_key_check'), [])
  t.same(sqlite.prepare("select name from sqlite_schema where name like '\\_\\_new%' escape '\\'").all(), [])
  sqlite.exec("delete from cron_jobs; delete from cron_runs where id = 'run2'")
  t.match(sqlite.prepare('select (select count(*) from cron_runs) as runs, (select count(*) from cron_deliveries) as deliveries').get(), { runs: 1233, deliveries: 616 })
  sqlite.close()
})
