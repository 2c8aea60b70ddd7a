import Sqlite from 'better-sqlite3'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { asset } from '../../services/ground/assets.js'
import { lockStateFolder, openDatabase } from '../../services/ground/database/index.js'
import { eventually } from '../support/chat.js'
import { tokenText } from '../support/events.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const slowly = { OFFLINE_DEMO_WORDS_PER_SECOND: '40' }
const small = mountable()
/** Database version of this program: the number of migrations. */
const version = readdirSync(asset('drizzle')).filter((name) => name.endsWith('.sql')).length

function mountable (): { skip?: string } {
  const folder = mkdtempSync(join(tmpdir(), 'mount-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', folder], { stdio: 'ignore' })
    execFileSync('umount', [folder])
    return {}
  } catch {
    // On CI, it is a failure if disks cannot be mounted.
    return process.env.CI === 'true' ? {} : { skip: 'disks cannot be mounted here (mount needs root)' }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts a service whose state is on its own disk of 8 MB; `fill` uses all of its space, `clear` frees it again. */
function smallDisk (t: Test) {
  const folder = mkdtempSync(join(tmpdir(), 'storage-'))
  const stateDir = join(folder, 'state')
  mkdirSync(stateDir)
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m,mode=0700', 'none', stateDir])
  t.teardown(() => {
    execFileSync('umount', ['-l', stateDir])
    rmSync(folder, { recursive: true, force: true })
  })
  const ballast = join(stateDir, 'ballast')
  return {
    folder,
    stateDir,
    env: { ...slowly, SVC_WEBUI_STATE_DIR: stateDir, SVC_WEBUI_BACKUP_HOURS: '0' },
    /** Fills it to the last byte, including what has become free since the last time. */
    fill () {
      try {
        for (;;) appendFileSync(ballast, Buffer.alloc(4096))
      } catch {}
    },
    clear: () => rmSync(ballast, { force: true })
  }
}

const post = async (server: ServerProcess, path: string, body: unknown) => {
  const response = await fetch(server.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: await response.json() as Record<string, unknown> }
}
const get = async (server: ServerProcess, path: string) => {
  const response = await fetch(server.url + path)
  return { status: response.status, body: await response.json() as Record<string, any> } // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
}
const noStack = (output: string): boolean => !/\n\s+at /.test(output)

t.test('a service in which nobody writes says that its disk is full', { ...small, long: true }, async (t) => {
  const { folder, env, fill, clear } = smallDisk(t)
  const server = await spawnServer(t, folder, env)
  t.match(await get(server, '/readyz'), { status: 200 })
  fill()
  for (const path of ['/readyz', '/health']) t.match(await get(server, path), { status: 503, body: { reason: 'disk_full' } })
  clear()
  for (const path of ['/readyz', '/health']) t.match(await get(server, path), { status: 200 })
})

t.test('a disk that fills up while a turn runs', small, async (t) => {
  const disk = smallDisk(t)
  const server = await spawnServer(t, disk.folder, disk.env)
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', {})
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'slow 2000' })
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await reader.until('token')

  disk.fill()
  await eventually('the service to notice', async () => (await get(server, '/readyz')).status === 503)
  t.match((await get(server, '/readyz')).body, { status: 'unavailable', reason: 'disk_full', database: false })
  t.match(await get(server, '/health'), { status: 503, body: { status: 'degraded', reason: 'disk_full', sessions: 1 } })
  t.match(await get(server, '/livez'), { status: 200 })
  t.match((await get(server, '/api/system/health')).body, { status: 'degraded', database: { writable: false } })

  for (const [path, body] of [['/api/session/new', {}], ['/api/session/rename', { session_id: sessionId, title: 'x' }], ['/api/goal', { session_id: sessionId, args: 'status' }]] as const) {
    const answer = await post(server, path, body)
    if (path === '/api/goal') t.notMatch(answer.status, 500)
    else t.match(answer, { status: 503, retryAfter: '30', body: { error: /its disk is full/ } }, path)
  }
  t.equal((await get(server, '/api/sessions')).status, 200)
  t.equal((await get(server, `/api/session?session_id=${sessionId}`)).status, 200)
  const late = await server.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await late.until('token')
  for (const path of [`/api/approval/stream?session_id=${sessionId}`, '/api/sessions/events']) {
    const events = await server.events(path)
    await eventually('a snapshot', () => events.frames.length > 0 || events.text !== '')
    events.drop()
  }
  t.pass('readers can attach')

  t.equal((await get(server, '/health')).body.active_runs, 1)
  const cancelled = await get(server, `/api/chat/cancel?stream_id=${streamId}`)
  t.match(cancelled, { status: 200, body: { ok: true, cancelled: true } })
  await eventually('the run to be stopped', async () => (await get(server, '/health')).body.active_runs === 0)
  t.notOk(reader.frames.some((frame) => frame.event === 'cancel'), 'nobody is told what is not stored')

  disk.clear()
  await eventually('the service to come back', async () => (await get(server, '/readyz')).status === 200)
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
  const { session } = await server.json(`/api/session?session_id=${sessionId}`)
  t.match(session, { active_stream_id: null, messages: [{ role: 'user' }, { role: 'assistant', _partial: true }] })
  t.equal(session.messages[1].content, tokenText(reader.frames), 'what was heard is what was kept')
  t.match(await post(server, '/api/session/new', {}), { status: 200 })
  t.equal(await server.end('SIGTERM'), 0)
})

t.test('a service on a full disk stops cleanly, starts for readers, and comes back by itself', { ...small, long: true }, async (t) => {
  const disk = smallDisk(t)
  const server = await spawnServer(t, disk.folder, disk.env)
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', {})
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'slow 2000' })
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  const approvals = await server.events(`/api/approval/stream?session_id=${sessionId}`)
  await reader.until('token')
  disk.fill()
  await eventually('the service to notice', async () => (await get(server, '/readyz')).status === 503)
  t.equal(await server.end('SIGTERM'), 0, 'an orderly stop')
  for (const events of [reader, approvals]) {
    await events.ended
    t.match(events.comments.at(-1), /shutting down/, 'with a farewell')
  }
  t.ok(noStack(server.output().replaceAll(/"stack":"[^"]*"/g, '')))

  for (const how of ['stopped', 'killed'] as const) {
    disk.fill()
    const again = await spawnServer(t, disk.folder, disk.env)
    t.match(again.output(), /Ready at/, `it starts on a full disk after it was ${how}`)
    t.match(await get(again, '/readyz'), { status: 503, body: { reason: 'disk_full' } })
    t.equal((await get(again, '/api/sessions')).body.sessions.length, 1)
    t.match((await get(again, `/api/session?session_id=${sessionId}`)).body.session.messages[0], { role: 'user', content: 'slow 2000' })
    t.match(await post(again, '/api/session/new', {}), { status: 503, body: { error: /its disk is full/ } })
    const replay = await again.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
    await replay.until('token')
    if (how === 'stopped') {
      t.equal(await again.crash(), 'SIGKILL')
      continue
    }
    disk.clear()
    await eventually('the service to come back', async () => (await get(again, '/readyz')).status === 200)
    await replay.ended
    t.match(replay.frames.at(-1), { event: 'apperror', data: { type: 'interrupted' } })
    t.match((await get(again, `/api/session?session_id=${sessionId}`)).body.session, { active_stream_id: null })
    t.equal((await post(again, '/api/session/new', {})).status, 200)
    const other = new Sqlite(join(disk.stateDir, 'service.db'), { readonly: true, timeout: 0 })
    t.equal(other.prepare('select count(*) from sessions').pluck().get(), 2, 'others can read the database again, backups among them')
    other.close()
    t.equal(await again.end('SIGTERM'), 0)
  }
})

t.test('turns that a stop has cut off on a full disk keep no start from serving readers', { ...small, long: true }, async (t) => {
  for (const how of ['SIGTERM', 'SIGKILL'] as const) {
    const disk = smallDisk(t)
    const server = await spawnServer(t, disk.folder, disk.env)
    const turns = await Promise.all(['slow 2000', 'slow 1999'].map(async (message) => {
      const { session: { session_id: sessionId } } = await server.json('/api/session/new', {})
      const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message })
      const reader = await server.events(`/api/chat/stream?stream_id=${streamId}`)
      await reader.until('token')
      return { sessionId, streamId, reader }
    }))
    disk.fill()
    await eventually('the service to notice', async () => (await get(server, '/readyz')).status === 503)
    for (const { streamId } of turns) await (await server.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)).until('token')
    await (how === 'SIGKILL' ? server.crash() : server.end(how))
    for (const { reader } of turns) await reader.ended
    // Files that are created again at each start can also be created on a full disk.
    for (const name of ['server.pid', 'server.lock', 'attachments']) rmSync(join(disk.stateDir, name), { recursive: true, force: true })
    disk.fill()

    const again = await spawnServer(t, disk.folder, disk.env)
    t.match(again.output(), /Ready at/, `it starts after ${how}`)
    t.match(await get(again, '/readyz'), { status: 503, body: { reason: 'disk_full' } })
    const replays = []
    for (const { sessionId, streamId, reader } of turns) {
      t.equal((await get(again, `/api/session?session_id=${sessionId}`)).status, 200)
      t.equal((await get(again, `/api/chat/cancel?stream_id=${streamId}`)).status, 503, 'what must be stored is refused')
      const replay = await again.events(`/api/chat/stream?stream_id=${streamId}&replay=1&after_seq=0`)
      await replay.until(() => tokenText(replay.frames) === tokenText(reader.frames))
      replays.push(replay)
    }
    disk.clear()
    await eventually('the service to come back', async () => (await get(again, '/readyz')).status === 200)
    for (const [index, replay] of replays.entries()) {
      await replay.ended
      t.match(replay.frames.at(-1), { event: 'apperror', data: { type: 'interrupted' } }, 'the end comes when there is room')
      const { session } = (await get(again, `/api/session?session_id=${turns[index]!.sessionId}`)).body
      t.match(session, { active_stream_id: null, messages: [{ role: 'user' }, { role: 'assistant', _partial: true }, { _error: true }] })
      t.equal(session.messages[1].content, tokenText(replay.frames), 'what was heard is kept')
    }
    t.equal(await again.end('SIGTERM'), 0)
  }
})

t.test('an upgrade without room, and a read-only disk, are told in one sentence', { ...small, long: true }, async (t) => {
  const disk = smallDisk(t)
  disk.fill()
  const full = await spawnServer(t, disk.folder, disk.env)
  t.match({ code: await full.exited, output: full.output() }, { code: 1, output: /^The disk of [^\n]+ is full, [^\n]+\n$/ })
  disk.clear()
  openDatabase({ file: join(disk.stateDir, 'service.db') }).close()
  execFileSync('mount', ['-o', 'remount,ro', disk.stateDir])
  const readonly = await spawnServer(t, disk.folder, disk.env)
  t.match({ code: await readonly.exited, output: readonly.output() }, { code: 1, output: /^[^\n]*(read-only|cannot be opened)[^\n]*\n$/ })
})

t.test('what lies where the database should be', { long: true }, async (t) => {
  const whole = join(t.testdir({}), 'service.db')
  const seed = openDatabase({ file: whole })
  seed.sqlite.exec("insert into sessions (id, profile, workspace, created_at, updated_at) values ('s', 'default', '/w', 1, 1)")
  seed.close()
  const sql = (...statements: string[]) => (file: string): void => {
    const db = new Sqlite(file)
    for (const statement of statements) db.exec(statement)
    db.close()
  }
  const faults: Array<[what: string, lay: (file: string) => void, words: RegExp]> = [
    ['a folder', (file) => { rmSync(file); mkdirSync(file) }, /is a folder; the database should be there/],
    ['a device', (file) => { rmSync(file); symlinkSync('/dev/null', file) }, /is not a file/],
    ['a link to itself', (file) => { rmSync(file); symlinkSync('service.db', file) }, /symbolic link/],
    ['a text', (file) => writeFileSync(file, 'Dear diary, '.repeat(1_000)), /is not a database of this service/],
    ['a short text', (file) => writeFileSync(file, 'x'), /is not a database of this service/],
    ['the beginning of a header', (file) => truncateSync(file, 10), /is truncated: 10 of/],
    ['half of it', (file) => truncateSync(file, Math.floor(statSync(file).size / 8192) * 4096), /is truncated: \d+ of \d+ bytes/],
    ['all but a few bytes', (file) => truncateSync(file, statSync(file).size - 10), /truncated/],
    ['nothing in it', (file) => truncateSync(file, 0), /is empty, although there has been one.*SVC_WEBUI_START_EMPTY=1/],
    ['nothing', (file) => rmSync(file), /is missing, although there has been one.*SVC_WEBUI_START_EMPTY=1/],
    ['its log alone', (file) => { rmSync(file); rmSync(`${file}.exists`); writeFileSync(`${file}-wal`, 'x'.repeat(5_000)) }, /is missing, but its log service\.db-wal is there/],
    ['the log of an empty one', (file) => { truncateSync(file, 0); rmSync(`${file}.exists`); writeFileSync(`${file}-wal`, 'x'.repeat(5_000)) }, /is empty, but its log/],
    ['garbage instead of its schema', (file) => { const bytes = readFileSync(file); bytes.fill(0xee, 100, 4096); writeFileSync(file, bytes) }, /is damaged|is not a database/],
    ['garbage pages that the start reads', (file) => { const bytes = readFileSync(file); bytes.fill(0xee, 4096); writeFileSync(file, bytes) }, /is damaged/],
    ['another program\'s database', (file) => { rmSync(file); sql('create table customers (id)')(file) }, /is the database of another program/],
    ['another program\'s, made with the same library', (file) => { rmSync(file); sql('create table __drizzle_migrations (id, hash, created_at)', "insert into __drizzle_migrations values (1, 'x', 1)", 'create table customers (id)')(file) }, /is the database of another program/],
    ['a newer one', sql("insert into __drizzle_migrations (hash, created_at) values ('x', 9999999999999)", "update settings set value = '\"7.7.7\"' where key = 'written_by'"), new RegExp(`has version ${version + 1} and was written by a newer program, 7\\.7\\.7; this is \\d+\\.\\d+\\.\\d+, which knows versions up to ${version}\\.`)],
    ['a newer one that says little', sql("insert into __drizzle_migrations (hash, created_at) values ('x', 9999999999999)", 'drop table settings'), new RegExp(`has version ${version + 1} and was written by a newer program; this is`)]
  ]
  for (const [what, lay, words] of faults) {
    const stateDir = t.testdirName + `-${faults.findIndex(([name]) => name === what)}`
    t.teardown(() => rmSync(stateDir, { recursive: true, force: true }))
    mkdirSync(stateDir, { recursive: true })
    const file = join(stateDir, 'service.db')
    for (const part of ['', '.exists']) cpSync(whole + part, file + part)
    lay(file)
    const listing = () => readdirSync(stateDir).map((name) => [name, lstatSync(join(stateDir, name)).size])
      .filter(([name, size]) => !String(name).endsWith('-shm') && !(String(name).endsWith('-wal') && size === 0))
    const before = listing()
    t.throws(() => openDatabase({ file }), { name: 'UnusableDatabase', message: words }, what)
    t.same(listing(), before, `${what}: nothing was changed`)
  }
})

t.test('a start that cannot be is one plain sentence and the exit code 1', async (t) => {
  const lay: Record<string, { how: (stateDir: string) => void, words: RegExp }> = {
    text: { how: (stateDir) => writeFileSync(join(stateDir, 'service.db'), 'Dear diary'), words: /is not a database of this service/ },
    folder: { how: (stateDir) => mkdirSync(join(stateDir, 'service.db')), words: /is a folder/ },
    gone: { how: (stateDir) => writeFileSync(join(stateDir, 'service.db.exists'), ''), words: /is missing, although there has been one/ },
    file: { how: (stateDir) => { rmSync(stateDir, { recursive: true }); writeFileSync(stateDir, '') }, words: /there is a file where a folder should be/ },
    link: { how: (stateDir) => { rmSync(stateDir, { recursive: true }); symlinkSync(join(stateDir, '..', 'gone', 'there'), stateDir) }, words: /cannot be created: .*choose another folder/ }
  }
  for (const [name, { how, words }] of Object.entries(lay)) {
    const folder = join(t.testdirName, name)
    const stateDir = join(folder, 'home', 'webui')
    mkdirSync(stateDir, { recursive: true })
    how(stateDir)
    const server = await spawnServer(t, folder)
    t.match({ code: await server.exited, output: server.output() }, { code: 1, output: words }, name)
    t.match(server.output(), /^[^\n]+\n$/)
  }
  rmSync(t.testdirName, { recursive: true, force: true })
})

t.test('a folder that had a database begins with an empty one only when it is told to', { long: true }, async (t) => {
  const folder = t.testdir({})
  const stateDir = join(folder, 'home', 'webui')
  const first = await spawnServer(t, folder)
  await first.json('/api/session/new', {})
  t.equal(await first.end('SIGTERM'), 0)
  rmSync(join(stateDir, 'service.db'))
  writeFileSync(join(stateDir, 'service.db-wal'), 'what is left')
  t.equal(await (await spawnServer(t, folder)).exited, 1)
  const told = await spawnServer(t, folder, { SVC_WEBUI_START_EMPTY: '1' })
  t.match(await get(told, '/health'), { status: 200, body: { sessions: 0 } })
  t.equal(readFileSync(join(stateDir, 'service.db-wal.aside-1'), 'utf8'), 'what is left', 'nothing is thrown away')
  const { session: { session_id: kept } } = await told.json('/api/session/new', {})
  t.equal(await told.end('SIGTERM'), 0)
  const again = await spawnServer(t, folder, { SVC_WEBUI_START_EMPTY: '1' })
  t.equal((await get(again, `/api/session?session_id=${kept}`)).status, 200, 'one that is there is never begun anew')
})

t.test('a folder that may not be written is told in words', process.getuid?.() === 0 ? { skip: 'root may write everything' } : {}, async (t) => {
  const folder = t.testdir({})
  chmodSync(folder, 0o500)
  t.throws(() => lockStateFolder(folder), { name: 'UnusableDatabase', message: /cannot be opened/ })
  chmodSync(folder, 0o700)
})

t.test('damaged pages that the start does not read are found by a look at all of it', { long: true }, async (t) => {
  const folder = t.testdir({})
  const stateDir = join(folder, 'home', 'webui')
  mkdirSync(stateDir, { recursive: true })
  const file = join(stateDir, 'service.db')
  const db = openDatabase({ file })
  db.sqlite.exec("insert into sessions (id, profile, workspace, created_at, updated_at) values ('s', 'default', '/w', 1, 1)")
  const add = db.sqlite.prepare("insert into usage (stream_id, session_id, profile, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, estimated, duration_s, created_at) values (?, 's', 'default', 1, 1, 0, 0, 0, 1, 1)")
  for (let count = 0; count < 2_000; count++) add.run(`stream ${count} ${'x'.repeat(100)}`)
  const root = db.sqlite.prepare<[], number>("select pageno from dbstat where name = 'usage' and pagetype = 'leaf' limit 1 offset 5").pluck().get()!
  db.close()
  const bytes = readFileSync(file)
  bytes.fill(0xee, (root - 1) * 4096, root * 4096)
  writeFileSync(file, bytes)
  const server = await spawnServer(t, folder)
  t.match(server.output(), /Ready at/)
  await eventually('the damage to be found', async () => (await get(server, '/api/system/health')).body.database.check === 'damaged')
  t.match(await get(server, '/health'), { status: 503, body: { status: 'degraded', reason: 'database_damaged' } })
  t.match(await get(server, '/readyz'), { status: 503, body: { reason: 'database_damaged' } })
  t.match(server.output(), /the database is damaged: restore a backup/)
  t.equal((await get(server, '/api/sessions')).status, 200, 'what can be read is served')
})

t.test('another program\'s lock holds up nobody, is waited for, and is called by its name', { long: true }, async (t) => {
  const folder = t.testdir({})
  const server = await spawnServer(t, folder, slowly)
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', {})
  const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: sessionId, message: 'slow 2000' })
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}`)
  await reader.until('token')
  const other = new Sqlite(join(folder, 'home', 'webui', 'service.db'))

  other.exec('begin exclusive')
  const waiting = post(server, '/api/session/rename', { session_id: sessionId, title: 'Waited for' })
  await eventually('the lock to be noticed', async () => (await get(server, '/readyz')).status === 503)
  t.match((await get(server, '/readyz')).body, { reason: 'database_locked' })
  t.equal((await get(server, '/health')).status, 200, 'a moment\'s lock is nothing to tell clients')
  // None of them may wait for the lock: a hundred old-style waits, one after the other, would take minutes.
  for (let count = 0; count < 100; count++) t.equal((await get(server, `/api/session?session_id=${sessionId}`)).status, 200)
  t.equal((await get(server, '/readyz')).status, 503, 'all of that while it was locked')
  const heard = tokenText(reader.frames).length
  other.exec('rollback')
  t.match(await waiting, { status: 200 }, 'who can wait a moment gets an answer')
  await reader.until(() => tokenText(reader.frames).length > heard)
  await eventually('all to be well', async () => (await get(server, '/readyz')).status === 200)

  other.exec('begin exclusive')
  const refused = await post(server, '/api/session/rename', { session_id: sessionId, title: 'Not any more' })
  t.match(refused, { status: 503, retryAfter: '2', body: { error: /another program holds the lock of its database/ } })
  t.notMatch(refused.body.error, /full/)
  // It counts from the first write that was refused, which may be slightly later than the request.
  t.match(await eventually('a lasting lock to be told of', async () => {
    const { body } = await get(server, '/health')
    return body.status === 'degraded' && body
  }), { reason: 'database_locked' })
  t.match(await get(server, `/api/chat/cancel?stream_id=${streamId}`), { status: 200, body: { cancelled: true } })
  await eventually('the run to be stopped', async () => (await get(server, '/health')).body.active_runs === 0)
  other.exec('rollback')
  other.close()
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')
  t.match((await get(server, `/api/session?session_id=${sessionId}`)).body.session, { title: 'Waited for', active_stream_id: null })
  t.ok(existsSync(join(folder, 'home', 'webui', 'service.db')))
})
