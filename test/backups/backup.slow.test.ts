import Sqlite from 'better-sqlite3'
import { execFile } from 'node:child_process'
import { appendFileSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from '#test'
import { asset } from '../../services/ground/assets.js'
import { createAudit } from '../../services/areas/audit/index.js'
import { backupWarning, createBackups, makeBackup, restoreBackup } from '../../services/areas/backups/index.js'
import { openDatabase } from '../../services/ground/database/index.js'
import { start } from '../support/app.js'
import { eventually, gate, startChat } from '../support/chat.js'
import { tokenText } from '../support/events.js'
import { temporaryFolder } from '../support/folder.js'
import { type ModelStep } from '../support/model-endpoint.js'
import { tries } from '../support/tries.js'

/** Database version of this program: the number of migrations. */
const version = readdirSync(asset('drizzle')).filter((name) => name.endsWith('.sql')).length
const dist = (name: string): string => asset(`dist/${name}.js`)

interface Ended { code: number, output: string }

/** Runs `npm run backup` or `npm run restore` for the service of a folder. */
async function run (name: 'backup' | 'restore', folder: string, args: string[] = [], more: Record<string, string> = {}): Promise<Ended> {
  const env = { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home'), ...more }
  return await new Promise((resolve) => {
    execFile(process.execPath, [dist(name), ...args], { cwd: folder, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), output: stdout + stderr })
    })
  })
}

const stateOf = (folder: string): string => join(folder, 'home', 'webui')
const databaseOf = (folder: string): string => join(stateOf(folder), 'service.db')
const backupsOf = (folder: string): string[] => readdirSync(join(stateOf(folder), 'backups')).filter((name) => name.startsWith('backup-')).sort()
const newFolder = (t: Test): string => temporaryFolder(t, 'backup')

/** Creates a folder with a database of one session, without a service. */
function withDatabase (t: Test): string {
  const folder = newFolder(t)
  mkdirSync(stateOf(folder), { recursive: true })
  const db = openDatabase({ file: databaseOf(folder) })
  db.sqlite.exec("insert into sessions (id, profile, workspace, created_at, updated_at) values ('s', 'default', '/w', 1, 1)")
  db.close()
  return folder
}

function damage (file: string): void {
  const bytes = readFileSync(file)
  // Damages pages of tables, not the first page, which holds the schema.
  bytes.fill(0xa5, 4096 * 2, bytes.length)
  writeFileSync(file, bytes)
}

/** Returns steps that stream text without end, until the gate is opened. */
function streaming (until: { isOpen: boolean }): ModelStep[] {
  return Object.assign([] as ModelStep[], {
    * [Symbol.iterator] (): Generator<ModelStep> {
      for (let word = 1; !until.isOpen; word++) {
        yield { text: `word${word} ` }
        yield { waitMs: 1 }
      }
      yield { text: 'the end.' }
    }
  })
}

t.test('a backup is made while turns stream, and holds every session', async (t) => {
  const folder = newFolder(t)
  const service = await startChat(t, { folder })
  const settled: string[] = []
  for (const message of ['one', 'two', 'three']) {
    const sessionId = await service.newSession({ title: message })
    await service.turn(sessionId, message, service.model([{ text: `The answer to ${message}. ` }, { tool: 'list_files', args: {} }], [{ text: 'Done.' }]))
    settled.push(sessionId)
  }
  // A database that takes longer to copy than the time between two commits.
  const fill = service.app.db.sqlite.prepare("insert into frames (stream_id, seq, event, data) values ((select id from streams limit 1), ?, 'filler', hex(randomblob(50000)))")
  service.app.db.transaction(() => { for (let seq = 1_000; seq < 1_300; seq++) fill.run(seq) })
  mkdirSync(join(stateOf(folder), 'attachments', settled[0]!), { recursive: true })
  writeFileSync(join(stateOf(folder), 'attachments', settled[0]!, 'notes.txt'), 'attached')
  writeFileSync(join(folder, 'home', 'SOUL.md'), 'Be kind.')

  const stop = gate()
  const live = await Promise.all(['a', 'b', 'c', 'd'].map(async (message) => {
    const sessionId = await service.newSession({ title: `live ${message}` })
    const reader = await service.watch(await service.send(sessionId, message, { model: service.model(streaming(stop)) }))
    await reader.until('token')
    return { sessionId, reader }
  }))
  const before = live.map(({ reader }) => tokenText(reader.frames).length)
  const backedUp = await run('backup', folder)
  t.equal(backedUp.code, 0, backedUp.output)
  t.match(backedUp.output, /7 sessions, \d+ messages, 1 attachment\./)
  for (const [index, { reader }] of live.entries()) {
    await reader.until(() => tokenText(reader.frames).length > before[index]!)
    t.notOk(reader.frames.some((frame) => frame.event === 'done'), 'the turns have gone on streaming meanwhile')
  }
  stop.open()
  await Promise.all(live.map(async ({ reader }) => await reader.ended))

  const backup = join(stateOf(folder), 'backups', backupsOf(folder)[0]!)
  for (const file of readdirSync(backup, { recursive: true, encoding: 'utf8' })) {
    const { mode } = statSync(join(backup, file))
    t.equal(mode & 0o077, 0, `${file} is the owner's alone`)
  }
  t.same(readdirSync(backup).sort(), ['attachments', 'home', 'manifest.json', 'service.db'])

  const elsewhere = newFolder(t)
  const restored = await run('restore', elsewhere, [backup])
  t.equal(restored.code, 0, restored.output)
  t.match(restored.output, /Restored 7 sessions, .* 1 missing attachment\./)
  t.equal(readFileSync(join(elsewhere, 'home', 'SOUL.md'), 'utf8'), 'Be kind.')
  const again = await service.again(t, elsewhere)
  t.same((await again.get('/api/sessions')).body.sessions.map((row: { session_id: string }) => row.session_id).sort(), [...settled, ...live.map(({ sessionId }) => sessionId)].sort())
  for (const sessionId of settled) t.same(await again.session(sessionId), await service.session(sessionId), 'as it was')
  for (const { sessionId } of live) {
    const { messages } = await again.session(sessionId)
    const [, whole] = (await service.session(sessionId)).messages
    t.match(messages, [{ role: 'user' }, { role: 'assistant', _partial: true }, { _error: true }])
    t.ok(whole.content.startsWith(messages[1].content), 'what was heard up to the backup')
  }
  t.equal(readFileSync(join(stateOf(elsewhere), 'attachments', settled[0]!, 'notes.txt'), 'utf8'), 'attached')
})

t.test('a backup of a service that does not run, in a folder of its own', async (t) => {
  const folder = withDatabase(t)
  const target = join(newFolder(t), 'mine')
  for (let count = 0; count < 5; count++) t.equal((await run('backup', folder, [target], { SVC_WEBUI_BACKUP_KEEP: '1', SVC_WEBUI_PASSWORD_FILE: '/nowhere' })).code, 0)
  t.equal(readdirSync(target).filter((name) => name.startsWith('backup-')).length, 5, 'where a person keeps them, none is removed')
  t.same(readdirSync(stateOf(folder)).sort(), ['service.db', 'service.db.exists'], 'nothing is left beside the database')
})

t.test('what cannot be backed up is told in words, and leaves nothing behind', { long: true }, async (t) => {
  const none = newFolder(t)
  t.match(await run('backup', none), { code: 1, output: /^There is no database to back up: .* is missing\. Start the service once, or give its home folder \(SVC_HOME\)\.\n$/ })
  const target = join(none, 'mine', 'too')
  t.equal((await run('backup', none, [target])).code, 1)
  t.notOk(existsSync(join(none, 'mine')), 'no folder is made')
  const folder = withDatabase(t)
  const there = readdirSync(folder)
  for (const empty of ['', ' ']) t.match(await run('backup', folder, [empty]), { code: 1, output: /\n {2}- the name of the folder is empty [^\n]+\n$/ })
  t.same(readdirSync(folder), there, 'a variable that is not set makes no backup where one happens to stand')
  t.equal((await run('backup', folder)).code, 0)
  damage(databaseOf(folder))
  t.match(await run('backup', folder, [], { SVC_WEBUI_BACKUP_KEEP: '1' }), { code: 1, output: /^The database .* is damaged\. Restore a backup/ })
  t.equal(backupsOf(folder).length, 1, 'the last good one is still there')
  t.same(readdirSync(join(stateOf(folder), 'backups')).filter((name) => name.startsWith('.partial')), [])
})

t.test('the oldest go, a crash leaves nothing, and a clock that is set back removes no new one', { long: true }, async (t) => {
  const folder = withDatabase(t)
  const backups = join(stateOf(folder), 'backups')
  mkdirSync(join(stateOf(folder), 'attachments', 's'), { recursive: true })
  writeFileSync(join(stateOf(folder), 'attachments', 's', 'a.txt'), 'the same')
  const make = (nowS: number) => makeBackup({ home: join(folder, 'home'), stateDir: stateOf(folder), folder: backups, keep: 2, nowS }).name
  const [first, second] = [make(1_800_000_000), make(1_800_086_400)]
  t.same(backupsOf(folder), [first, second])
  t.equal(statSync(join(backups, first, 'attachments', 's', 'a.txt')).ino, statSync(join(backups, second, 'attachments', 's', 'a.txt')).ino, 'what is the same is kept once')
  mkdirSync(join(backups, '.partial-killed'))
  mkdirSync(join(backups, 'backup-20200101-000000'))
  const third = make(1_800_172_800)
  t.same(backupsOf(folder), ['backup-20200101-000000', second, third], 'what is no whole backup is not counted and not touched')
  t.notOk(existsSync(join(backups, '.partial-killed')))
  const setBack = make(1_700_000_000)
  t.same(backupsOf(folder), ['backup-20200101-000000', setBack, third])
  t.equal(make(1_700_000_000), `${setBack}-2`, 'two in one second')
})

t.test('a restore that cannot be says why, and touches nothing', { long: true }, async (t) => {
  const folder = withDatabase(t)
  t.equal((await run('backup', folder)).code, 0)
  const good = join(stateOf(folder), 'backups', backupsOf(folder)[0]!)
  const variant = (name: string, change: (file: string) => void): string => {
    const copy = join(folder, name)
    cpSync(good, copy, { recursive: true })
    change(join(copy, 'service.db'))
    return copy
  }
  const sql = (...statements: string[]) => (file: string) => {
    const db = new Sqlite(file)
    for (const statement of statements) db.exec(statement)
    db.close()
  }
  const manifestOf = (file: string): string => join(file, '..', 'manifest.json')
  // First those that every test run should include.
  const refused: Array<[what: string, source: string, words: RegExp]> = [
    ['nothing', join(folder, 'nowhere'), /There is no backup at/],
    ['a newer one', variant('newer', sql("insert into __drizzle_migrations (hash, created_at) values ('x', 9999999999999)", "insert or replace into settings (key, value, updated_at) values ('written_by', '\"9.8.7\"', 1)")), new RegExp(`has version ${version + 1} and was written by a newer program, 9\\.8\\.7; this is \\d+\\.\\d+\\.\\d+, which knows versions up to ${version}\\.`)],
    ['a damaged one', variant('damaged', damage), /damaged/],
    ['one that lost a row', variant('changed', sql("delete from sessions where id = 's'")), /does not match its manifest/],
    ['one with half a manifest', variant('half', (file) => writeFileSync(manifestOf(file), '{')), /its manifest\.json is invalid/],
    ['no database', variant('text', (file) => writeFileSync(file, 'hello '.repeat(1000))), /not a database of this service/],
    ['a folder of something else', folder, /is not a backup/],
    ['another program\'s', variant('foreign', (file) => { rmSync(file); sql('create table t (x)')(file) }), /the database of another program/],
    ['an empty one', variant('empty', (file) => truncateSync(file, 0)), /truncated/],
    ['one that is truncated', variant('short', (file) => truncateSync(file, statSync(file).size - 4096)), /is truncated/],
    ['one with another title', variant('renamed', sql("update sessions set title = 'Changed'")), /does not match its manifest/],
    ['one that was only tidied up', variant('vacuumed', sql('pragma user_version = 77')), /does not match its manifest/],
    ['one with a log beside it', variant('logged', (file) => writeFileSync(`${file}-wal`, 'x'.repeat(5_000))), /does not match its manifest/],
    ['one without a manifest', variant('bare', (file) => rmSync(manifestOf(file))), /there is no manifest\.json in it.* name the file: node scripts\/cli\.js restore \S+\/bare\/service\.db$/m],
    ['one with a manifest of something else', variant('else', (file) => writeFileSync(manifestOf(file), '{"rows":{}}')), /its manifest\.json is invalid/],
    ['one of an older program', variant('older', (file) => writeFileSync(manifestOf(file), readFileSync(manifestOf(file), 'utf8').replace(/.*sha256.*\n/, ''))), /has no database_sha256/]
  ]
  const before = readFileSync(databaseOf(folder))
  const listing = readdirSync(stateOf(folder))
  for (const [what, source, words] of refused.slice(0, tries(60))) {
    const { code, output } = await run('restore', folder, [source])
    t.match({ code, output }, { code: 1, output: words }, what)
    t.match(output, /^[^\n]+\n$/, 'one sentence, no stack trace')
    t.notMatch(output, /Restore a backup/, 'which is what is being tried')
    t.same([readFileSync(databaseOf(folder)).equals(before), readdirSync(stateOf(folder)).filter((name) => name !== 'server.lock')], [true, listing], what)
  }
  for (const args of [[], ['']]) t.match(await run('restore', folder, args), { code: 2, output: /Name the backup/ })
  t.match(await run('restore', newFolder(t), [join(folder, 'bare', 'service.db')]), { code: 0, output: /Restored 1 session,/ }, 'the file alone, when it is named')

  const running = await start(t, { folder })
  t.equal(running.app.db.sqlite.open, true)
  const { lockStateFolder } = await import('../../services/ground/database/index.js')
  const unlock = lockStateFolder(stateOf(folder))
  t.match(await run('restore', folder, [good]), { code: 1, output: /in use by another server/ })
  t.match(await run('restore', folder, [join(folder, 'nowhere')]), { code: 1, output: /There is no backup at/ }, 'before anybody stops the service')
  unlock()
})

t.test('what a killed restore has left goes with the next one', { long: true }, async (t) => {
  const stateDir = t.testdir({ '.restore-abc123': { 'service.db': 'half' }, '.restored': { mine: '' } })
  const source = join(stateDir, 'other.db')
  new Sqlite(source).exec('create table t (x)').close()
  t.throws(() => restoreBackup({ home: stateDir, stateDir, source, nowS: 0 }), /the database of another program/)
  t.same(readdirSync(stateDir).filter((name) => name.startsWith('.rest')), ['.restored'])
})

t.test('a restore keeps what was there before, its log included', async (t) => {
  const folder = withDatabase(t)
  t.equal((await run('backup', folder)).code, 0)
  const good = join(stateOf(folder), 'backups', backupsOf(folder)[0]!)
  writeFileSync(`${databaseOf(folder)}-wal`, 'what a killed service has left')
  appendFileSync(databaseOf(folder), 'changed')
  writeFileSync(join(folder, 'home', 'SOUL.md'), 'mine')
  t.match(await run('restore', folder, ['backup-none']), { code: 1, output: new RegExp(`There is no backup at .*/backup-none\\. The newest in .* is ${basename(good)}\n`) })
  const { code, output } = await run('restore', folder, [basename(good)])
  t.equal(code, 0, output)
  const aside = /kept in (\S+)\.\n$/.exec(output)![1]!
  t.same(readdirSync(aside).sort(), ['service.db', 'service.db-wal'])
  t.notOk(existsSync(`${databaseOf(folder)}-wal`), 'no log of another database beside it')
  t.equal(statSync(databaseOf(folder)).mode & 0o777, 0o600)
  const db = openDatabase({ file: databaseOf(folder) })
  t.equal(db.sqlite.prepare('select count(*) from sessions').pluck().get(), 1)
  db.close()

  // A copy of a stopped service's folder, with the database log, is as good as a backup.
  const copied = join(folder, 'copied')
  mkdirSync(copied)
  const open = new Sqlite(databaseOf(folder))
  open.exec("insert into sessions (id, profile, workspace, created_at, updated_at) values ('in the log', 'default', '/w', 1, 1)")
  for (const part of ['', '-wal']) cpSync(databaseOf(folder) + part, join(copied, `service.db${part}`))
  open.close()
  t.match(await run('restore', folder, [join(copied, 'service.db')]), {
    code: 0, output: /Restored 2 sessions,[^\n]*\nThis machine has no \/w\. Put these folders there, or choose another folder in their conversations\.\n/
  }, 'as on a machine that does not have the folders')
})

t.test('the service makes backups by itself, looks at its database, and says how it went', { long: true }, async (t) => {
  const folder = withDatabase(t)
  const logged: string[] = []
  let aheadMs = 0
  const db = openDatabase({ file: ':memory:' })
  t.teardown(() => db.close())
  const at = (everyHours: number) => createBackups({
    environment: process.env, home: join(folder, 'home'), stateDir: stateOf(folder), folder: join(stateOf(folder), 'backups'), everyHours, keep: 2, clock: { now: () => Date.now() + aheadMs }, audit: createAudit({ db, clock: { now: Date.now } }),
    log: (message) => logged.push(message), timing: { checkAfterMs: 0, firstAfterMs: 0, lookEveryMs: 5 }
  })
  const first = at(1)
  first.begin()
  await eventually('a first backup and the look at the database', () => first.status().result === 'ok' && first.check() === 'ok')
  t.match(first.status(), { lastAtS: Number, kept: 1, failure: null })
  t.equal(backupWarning(first.status()), null)
  aheadMs = 86_400_000
  await new Promise((resolve) => setTimeout(resolve, 50))
  t.match([first.status().result, first.status().ageS! < 60, backupsOf(folder).length], ['ok', true, 1], 'a clock that jumps makes no backup')
  first.stop()

  aheadMs = -86_400_000
  const second = at(1)
  second.begin()
  t.match(second.status(), { result: 'ok', ageS: 0, kept: 1 }, 'after a start the last one counts, also when the clock was set back')
  second.stop()

  aheadMs = 3 * 3_600_000
  damage(databaseOf(folder))
  const third = at(1)
  third.begin()
  t.match(backupWarning(third.status()), /older than it should be/)
  await eventually('a backup that fails', () => third.status().result === 'failed' && third.check() === 'damaged')
  t.match(third.status(), { failure: 'damaged', kept: 1, lastAtS: Number })
  t.match(backupWarning(third.status()), /could not be made: the database is damaged/)
  t.ok(logged.includes('a backup could not be made'))
  third.stop()
})

t.test('health tells of backups, without a path', async (t) => {
  const folder = withDatabase(t)
  const service = await start(t, { folder })
  const { body, text } = await service.get('/api/system/health')
  t.match(body, { status: 'ok', database: { version, writable: true, check: 'pending' }, backup: { every_hours: 24, result: 'none', last_at: null, age_seconds: null, kept: 0, warning: null } })
  await service.app.backups!.make()
  t.match((await service.get('/api/system/health')).body.backup, { result: 'ok', last_at: Number, age_seconds: Number, kept: 1, warning: null })
  t.notMatch(text, folder)
})
