import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Answer, start } from './support/app.js'
import { outsideOf } from './support/swaps.js'

const dayMs = 24 * 3_600_000
let nowMs = 1_800_000_000_000
const clock = { now: () => nowMs }

interface Item { id: string, path: string, name: string, is_dir: boolean, size: number | null, deleted_at: number }

/** A service, and what a person does with its trash. */
async function trashOf (t: Parameters<typeof start>[0], options: Parameters<typeof start>[1] = {}) {
  const service = await start(t, { clock, ...options })
  const id = await service.newSession()
  const at = (...parts: string[]): string => join(service.workspace, ...parts)
  const post = (route: string, body: object = {}): Promise<Answer> => service.post(`/api/${route}`, { session_id: id, ...body })
  return {
    service, id, at, post,
    remove: (path: string, recursive?: boolean) => post('file/delete', { path, recursive }),
    items: async (): Promise<Item[]> => (await service.get(`/api/trash?session_id=${id}`)).body.items,
    restore: (trashId: string) => post('trash/restore', { id: trashId }),
    /** Names in the trash folder itself. */
    lying: (): string[] => readdirSync(at('.agent-trash')).filter((name) => name !== '.gitignore').sort()
  }
}

t.test('what is deleted can be brought back', async (t) => {
  const { at, remove, items, restore, service } = await trashOf(t)
  t.same(await items(), [], 'before anything was')
  t.notOk(existsSync(at('.agent-trash')))
  mkdirSync(at('docs', 'old'), { recursive: true })
  writeFileSync(at('docs', 'a.txt'), 'first')
  writeFileSync(at('docs', 'old', 'b.txt'), 'b')
  const deleted = await remove('docs/a.txt')
  t.match(deleted, { status: 200, body: { ok: true, path: 'docs/a.txt', trash_id: String } })
  t.notOk(existsSync(at('docs', 'a.txt')))
  t.match(await remove('docs'), { status: 400, body: { code: 'is_folder', error: /recursive/ } })
  nowMs += 1_000
  const folder = await remove('docs', true)
  t.match(folder, { status: 200, body: { path: 'docs' } })
  t.same((await items()).map(({ id: _id, ...item }) => item), [
    { path: 'docs', name: 'docs', is_dir: true, size: null, deleted_at: nowMs / 1_000 },
    { path: 'docs/a.txt', name: 'a.txt', is_dir: false, size: 5, deleted_at: nowMs / 1_000 - 1 }
  ])
  const listed = await service.app.workers.run('listFolder', { territory: { root: service.workspace, closed: [] }, path: '.' })
  t.equal(Buffer.from(listed.entries).toString(), '[]', 'the trash is not listed')

  t.match(await restore(deleted.body.trash_id), { status: 200, body: { ok: true, path: 'docs/a.txt' } }, 'into a folder that is gone as well')
  t.equal(readFileSync(at('docs', 'a.txt'), 'utf8'), 'first')
  t.match(await restore(folder.body.trash_id), { status: 200, body: { path: 'docs (restored)' } }, 'beside what took its place')
  t.equal(readFileSync(at('docs (restored)', 'old', 'b.txt'), 'utf8'), 'b')
  t.same(await items(), [])
  t.match(await restore(folder.body.trash_id), { status: 404 })
})

t.test('the place of what comes back', async (t) => {
  const { at, remove, restore, post } = await trashOf(t)
  for (const text of ['one', 'two', 'three']) {
    writeFileSync(at('same.tar.gz'), text)
    const { body } = await remove('same.tar.gz')
    writeFileSync(at(`${text}.id`), body.trash_id)
  }
  const paths: string[] = []
  for (const text of ['one', 'two', 'three']) paths.push((await restore(readFileSync(at(`${text}.id`), 'utf8'))).body.path)
  t.same(paths, ['same.tar.gz', 'same (restored).tar.gz', 'same (restored 2).tar.gz'])
  t.equal(readFileSync(at('same.tar.gz'), 'utf8'), 'one')

  mkdirSync(at('up'))
  writeFileSync(at('up', 'x'), 'x')
  const { body } = await remove('up/x')
  rmSync(at('up'), { recursive: true })
  writeFileSync(at('up'), 'a file')
  t.match(await restore(body.trash_id), { status: 409, body: { code: 'exists' } }, 'a file in the way of its folder')
  rmSync(at('up'))
  t.match(await restore(body.trash_id), { status: 200, body: { path: 'up/x' } }, 'and nothing was lost')
  symlinkSync('somewhere', at('link'))
  const link = await remove('link')
  t.match(await restore(link.body.trash_id), { status: 200, body: { path: 'link' } })
  t.ok(lstatSync(at('link')).isSymbolicLink())
  t.match(await post('trash/restore', {}), { status: 400 })
})

t.test('removed for good', async (t) => {
  const { at, remove, items, post, lying, service } = await trashOf(t)
  const outside = outsideOf(service.folder, { 'kept.txt': 'kept' })
  const before = outside.look()
  const other = await service.newSession()
  service.app.db.sqlite.prepare('update sessions set workspace = ? where id = ?').run(outside.path, other)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(at(name, 'sub'), { recursive: true })
    writeFileSync(at(name, 'sub', 'x'), 'x')
    symlinkSync(outside.path, at(name, 'sub', 'link'))
    ids.push((await remove(name, true)).body.trash_id)
  }
  t.match(await service.post('/api/trash/delete', { session_id: other, id: ids[0] }), { status: 404 }, 'a trash belongs to its workspace')
  t.match(await post('trash/delete', { id: ids[0] }), { status: 200, body: { ok: true, removed: 1 } })
  t.match(await post('trash/delete', { id: ids[0] }), { status: 404 })
  t.equal((await items()).length, 2)
  t.match(await post('trash/empty'), { status: 200, body: { ok: true, removed: 2 } })
  t.same(await items(), [])
  await service.app.trash.settled()
  t.same(lying(), [])
  t.match(await post('trash/empty'), { status: 200, body: { removed: 0 } })
  t.same(outside.look().map((line) => line.replace(/^\d+$/, '')), before.map((line) => line.replace(/^\d+$/, '')), 'what symlinks lead to stays')
})

t.test('a folder of great depth is removed as well', async (t) => {
  const { at, remove, post, lying, service } = await trashOf(t)
  // Deeper than a path can say.
  execFileSync('sh', ['-c', 'mkdir deep && cd deep && i=0; while [ $i -lt 300 ]; do mkdir nested-folder-with-a-name-$i && cd nested-folder-with-a-name-$i; i=$((i+1)); done; : > file'], { cwd: service.workspace })
  t.match(await remove('deep', true), { status: 200 })
  t.notOk(existsSync(at('deep')))
  t.match(await post('trash/empty'), { status: 200, body: { removed: 1 } })
  await service.app.trash.settled()
  await service.app.trash.sweep()
  t.same(lying(), [])
})

t.test('it stays for 30 days, not less and not more', async (t) => {
  const { at, remove, items, lying, service } = await trashOf(t)
  writeFileSync(at('old'), 'old')
  await remove('old')
  nowMs += 20 * dayMs
  writeFileSync(at('new'), 'new')
  await remove('new')
  nowMs += 10 * dayMs - 1_000
  await service.app.trash.sweep()
  t.same((await items()).map(({ name }) => name), ['new', 'old'])
  nowMs += 2_000
  await service.app.trash.sweep()
  t.same((await items()).map(({ name }) => name), ['new'])
  t.equal(lying().length, 1)
})

t.test('a crash in the middle loses nothing', async (t) => {
  const { at, remove, items, lying, restore, post, service } = await trashOf(t)
  writeFileSync(at('kept'), 'kept')
  await remove('kept')
  const { sqlite } = service.app.db
  const [row] = sqlite.prepare('select * from trash').all() as Array<Record<string, unknown>>
  // The row was written, the file never moved.
  sqlite.prepare('insert into trash (id, workspace, path, is_folder, size_bytes, deleted_at) values (?, ?, ?, 0, 1, ?)').run('f'.repeat(20), service.workspace, 'here', nowMs / 1_000)
  t.same((await items()).map(({ name }) => name), ['kept'])
  nowMs += 2 * 3_600_000
  await service.app.trash.sweep()
  t.equal(sqlite.prepare('select count(*) from trash').pluck().get(), 1)
  // The rows are gone, as in a database from yesterday's backup.
  sqlite.prepare('delete from trash').run()
  mkdirSync(at('.agent-trash', '0'.repeat(20)))
  const [found] = await items()
  t.match(found, { id: row!.id, path: 'kept', deleted_at: nowMs / 1_000, size: 4 }, 'it begins its 30 days anew')
  t.equal(lying().length, 1, 'an empty place is cleared')
  t.match(await restore(found!.id), { status: 200, body: { path: 'kept' } })
  // Removed for good, and then the process ended.
  await remove('kept')
  renameSync(at('.agent-trash', lying()[0]!), at('.agent-trash', `${'a'.repeat(20)}.gone`))
  await service.app.trash.sweep()
  t.same(lying(), [])
  t.same(await items(), [])
  t.match(await post('trash/empty'), { status: 200 })
})

t.test('a trash that leads elsewhere is none', async (t) => {
  const { at, remove, restore, items, post, service, id } = await trashOf(t)
  const outside = outsideOf(service.folder, { 'x.txt': 'x' })
  mkdirSync(at('inside'))
  const before = outside.look()
  writeFileSync(at('a.txt'), 'a')
  for (const target of [outside.path, 'inside', 'a.txt', 'missing']) {
    symlinkSync(target, at('.agent-trash'))
    t.match(await remove('a.txt'), { status: 409, body: { code: 'trash_blocked' } }, target)
    t.match(await service.get(`/api/trash?session_id=${id}`), { status: 409 }, target)
    t.match(await post('trash/empty'), { status: 409 }, target)
    rmSync(at('.agent-trash'))
  }
  writeFileSync(at('.agent-trash'), 'a file')
  t.match(await remove('a.txt'), { status: 409, body: { code: 'trash_blocked' } })
  rmSync(at('.agent-trash'))
  const { body } = await remove('a.txt')
  // Somebody puts a symlink in the place of what was deleted.
  renameSync(at('.agent-trash', body.trash_id), at('taken'))
  symlinkSync(outside.path, at('.agent-trash', body.trash_id))
  t.match(await restore(body.trash_id), { status: 404 })
  t.match(await post('trash/delete', { id: body.trash_id }), { status: 200 })
  await service.app.trash.settled()
  t.same(await items(), [])
  t.same(outside.look(), before)
  t.match(await remove('.'), { status: 400 })
  t.match(await remove('.agent-trash', true), { status: 403 })
})

const git = hasGit() || process.env.CI === 'true' ? {} : { skip: 'git is not installed' }

t.test('git does not see it', git, async (t) => {
  const { at, remove, service } = await trashOf(t)
  execFileSync('git', ['init', '-q'], { cwd: service.workspace })
  writeFileSync(at('a.txt'), 'a')
  await remove('a.txt')
  t.equal(execFileSync('git', ['status', '--porcelain'], { cwd: service.workspace }).toString(), '')
})

t.test('it is there after a restart', async (t) => {
  const folder = t.testdir({})
  const first = await trashOf(t, { folder })
  writeFileSync(first.at('a.txt'), 'a')
  const { body } = await first.remove('a.txt')
  await first.service.stop()
  const second = await trashOf(t, { folder })
  t.same((await second.items()).map(({ id }) => id), [body.trash_id])
  t.match(await second.restore(body.trash_id), { status: 200, body: { path: 'a.txt' } })
})

function hasGit (): boolean {
  try {
    execFileSync('git', ['--version'])
    return true
  } catch {
    return false
  }
}
