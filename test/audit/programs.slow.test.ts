import Sqlite from 'better-sqlite3'
import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { createAudit, verifyChain } from '../../services/areas/audit/index.js'
import { asset } from '../../services/ground/assets.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { temporaryFolder } from '../support/folder.js'
import { installation } from '../support/installation.js'
import { spawnServer } from '../support/server.js'
import { tries } from '../support/tries.js'
import { updatesOf } from '../support/updates.js'

/** Runs a program for the service of a folder. */
async function run (name: 'audit' | 'backup' | 'restore', folder: string, ...args: string[]): Promise<{ code: number, output: string }> {
  const env = { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home') }
  return await new Promise((resolve) => {
    execFile(process.execPath, [asset(`dist/${name}.js`), ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}

const stateOf = (folder: string): string => join(folder, 'home', 'webui')
const databaseOf = (folder: string): string => join(stateOf(folder), 'service.db')

t.test('the log is verified beside the service and without it, in backups, and across a restore', { long: true }, async (t) => {
  const folder = temporaryFolder(t, 'audit')
  mkdirSync(stateOf(folder), { recursive: true })
  t.match(await run('audit', folder, 'verify'), { code: 2, output: /service\.db/ }, 'there is none yet')
  let server = await spawnServer(t, folder)
  await server.json('/api/settings', { bot_name: 'One' })
  t.match(await run('audit', folder, 'verify'), { code: 0, output: /is intact: 1 entry, 1 to 1\.\nThe last one is 1:[0-9a-f]{64}/ })
  t.equal((await run('backup', folder)).code, 0)
  await server.json('/api/settings', { bot_name: 'Two' })
  const verdict = JSON.parse((await run('audit', folder, 'verify', '--json')).output)
  t.match(verdict, { whole: true, entries: 3, first: 1, last: { id: 3, hash: /^[0-9a-f]{64}$/ }, removed_up_to: 0, problem: null })
  t.match((await server.json('/api/audit')).entries, [{ kind: 'settings.changed' }, { kind: 'backup.created', actor: { kind: 'console', name: String } }, { id: 1 }])
  await server.end('SIGTERM')
  t.equal((await run('audit', folder, 'verify')).code, 0)

  const backups = join(stateOf(folder), 'backups')
  const backup = join(backups, readdirSync(backups).find((name) => name.startsWith('backup-'))!)
  t.match(await run('audit', folder, 'verify', backup), { code: 0, output: /1 entry/ })
  t.match(await run('restore', folder, backup), { code: 0 })
  const known = `--includes=3:${verdict.last.hash as string}`
  t.match(await run('audit', folder, 'verify', known), { code: 1, output: /NOT intact. Entry 3: it is missing at the end/ }, 'a restore takes the log back, which who knows an entry sees')
  server = await spawnServer(t, folder)
  t.match((await server.json('/api/audit')).entries, [{ id: 2, kind: 'backup.restored', details: { backup: /^backup-/ } }, { id: 1 }])
  await server.end('SIGTERM')

  const sqlite = new Sqlite(databaseOf(folder))
  sqlite.exec("drop trigger audit_unchanged; update audit set address = '192.0.2.1' where id = 1")
  sqlite.close()
  t.match(await run('audit', folder, 'verify'), { code: 1, output: /NOT intact\. Entry 1: it was changed/ })
  t.match(JSON.parse((await run('audit', folder, 'verify', '--json')).output), { whole: false, problem: { id: 1 } })
  const wrongs = [[], ['verify', '--nothing'], ['verify', asset('package.json')], ['look'], ['verify', '--includes=x'], ['verify', join(folder, 'nothing.db')]]
  for (const wrong of wrongs.slice(0, tries(30))) {
    const { code, output } = await run('audit', folder, ...wrong)
    t.equal(code, 2, wrong.join(' '))
    t.notMatch(output, / at .*\(/, 'no stack')
  }
})

t.test('killed at any moment: what was done has its entry, and what has an entry was done', async (t) => {
  const folder = temporaryFolder(t, 'audit')
  // The default test run makes two of these rounds.
  for (const round of [0, 3, 1, 2].slice(0, tries(20))) {
    const server = await spawnServer(t, folder)
    const made = await Promise.all(Array.from({ length: 60 }, async (_, index) => await server.json('/api/projects/create', { name: `Project ${round} ${index}` })))
    // The answers are not awaited: the service dies while it works on the requests.
    let answered = 0
    const enough = Promise.withResolvers<void>()
    const deleting = made.map(async ({ project }) => {
      await server.json('/api/projects/delete', { project_id: project.project_id }).then(() => { if (++answered > round * 12) enough.resolve() }, () => {})
    })
    await enough.promise
    await server.end('SIGKILL')
    await Promise.all(deleting)
    const db = new Sqlite(databaseOf(folder))
    t.match(verifyChain(db), { whole: true })
    const there = new Set(db.prepare<[], string>('select id from projects').pluck().all())
    const deleted = new Set(db.prepare<[], string>("select json_extract(details, '$.project') from audit where kind = 'project.deleted'").pluck().all())
    for (const { project: { project_id: id } } of made) if (there.has(id) === deleted.has(id)) t.fail(`${id as string}: ${there.has(id) ? 'there, and recorded as deleted' : 'gone without an entry'}`)
    t.ok(deleted.size >= answered)
    db.close()
  }
})

t.test('an update is recorded, and one that was no good', { long: true }, async (t) => {
  const project = installation(t)
  const db = openDatabase({ file: ':memory:' })
  t.teardown(() => db.close())
  const audit = createAudit({ db, clock: { now: Date.now } })
  project.release({ 'server.js': 'process.exit(1)\n' })
  await updatesOf(project, { audit }).apply('webui')
  project.release({ 'server.js': project.read('server.js') + '// new\n' })
  await updatesOf(project, { audit }).apply('webui')
  await updatesOf(project, { audit }).apply('webui')
  t.match(audit.after(0, 10).map(({ kind, outcome, details }) => [kind, outcome, details]), [
    ['update.applied', 'failed', /did not start/], ['update.applied', 'ok', /Updated by/]
  ])
  t.equal(audit.head().id, 2, 'nothing where there was no update')
})
