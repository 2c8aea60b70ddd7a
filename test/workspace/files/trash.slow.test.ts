import { execFileSync } from 'node:child_process'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type Answer, start } from '../../support/app.js'
import { needsGit } from '../../support/git-repository.js'
import { canMount } from '../../support/mounting.js'
import { outsideOf } from '../../support/swaps.js'

const dayMs = 24 * 3_600_000
let nowMs = 1_800_000_000_000
const clock = { now: () => nowMs }

interface Item { id: string, path: string, name: string, is_dir: boolean, size: number | null, deleted_at: number }

/** Starts a service, and the actions of a person with its trash. */
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
    /** Returns the names in the trash folder itself. */
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

t.test('it can come back elsewhere', async (t) => {
  const { at, remove, post, service } = await trashOf(t)
  mkdirSync(at('up'))
  mkdirSync(at('other'))
  const ids: string[] = []
  for (const name of ['x', 'y', 'z']) {
    writeFileSync(at('up', name), name)
    ids.push((await remove(`up/${name}`)).body.trash_id)
  }
  rmSync(at('up'), { recursive: true })
  symlinkSync(service.folder, at('up'))
  t.not((await post('trash/restore', { id: ids[0] })).status, 200, 'its folder leads outside')
  for (const dest of ['none', '..', 'up', service.folder]) t.match(await post('trash/restore', { id: ids[0], dest_dir: dest }), { status: 404 }, dest)
  t.match(await post('trash/restore', { id: ids[0], dest_dir: '.agent-trash' }), { status: 403 })
  t.match(await post('trash/restore', { id: ids[0], dest_dir: 'other' }), { status: 200, body: { path: 'other/x' } })
  t.match(await post('trash/restore', { id: ids[1], dest_dir: '' }), { status: 200, body: { path: 'y' } })
  writeFileSync(at('z'), 'taken')
  t.match(await post('trash/restore', { id: ids[2], dest_dir: '.' }), { status: 200, body: { path: 'z (restored)' } })
})

t.test('deleted without the trash', async (t) => {
  const { at, items, post, service } = await trashOf(t)
  const outside = outsideOf(service.folder, { 'kept.txt': 'kept' })
  const before = outside.look()
  const gone = (path: string, more: object = {}) => post('file/delete', { path, permanent: true, ...more })
  mkdirSync(at('sub', 'folder', 'deep'), { recursive: true })
  writeFileSync(at('sub', 'folder', 'deep', 'x'), 'x')
  symlinkSync(outside.path, at('sub', 'folder', 'link'))
  symlinkSync(outside.path, at('link'))
  writeFileSync(at('a.txt'), 'a')
  t.match(await gone('a.txt'), { status: 200, body: { ok: true, path: 'a.txt', trash_id: null } })
  t.match(await gone('link'), { status: 200 })
  t.match(await gone('sub/folder'), { status: 400, body: { code: 'is_folder' } })
  t.match(await gone('sub/folder', { recursive: true }), { status: 200, body: { path: 'sub/folder', trash_id: null } })
  t.match(await gone('sub/folder', { recursive: true }), { status: 404 })
  t.match(await gone('.', { recursive: true }), { status: 400 })
  t.match(await gone('../outside', { recursive: true }), { status: 404 })
  t.same(readdirSync(at('.'), { recursive: true }), ['sub'])
  t.same(readdirSync(join(service.folder, 'home', 'webui', 'unfinished')), [])
  t.same(await items(), [])
  t.same(outside.look(), before)
})

t.test('names that are not UTF-8, and folders of great depth, are removed as well', async (t) => {
  const { at, remove, post, lying, service } = await trashOf(t)
  for (const name of ['one', 'two']) {
    mkdirSync(at(name))
    const odd = Buffer.concat([Buffer.from(`${at(name)}/caf`), Buffer.from([0xe9])])
    mkdirSync(odd)
    writeFileSync(Buffer.concat([odd, Buffer.from('/'), Buffer.from([0xff, 0xfe])]), 'x')
    execFileSync('sh', ['-c', 'i=0; while [ $i -lt 300 ]; do mkdir nested-folder-with-a-name-$i && cd nested-folder-with-a-name-$i; i=$((i+1)); done; : > file'], { cwd: at(name) })
  }
  t.match(await remove('one', true), { status: 200 })
  t.match(await post('trash/empty'), { status: 200, body: { removed: 1 } })
  await service.there.files.trash.settled()
  t.same(lying(), [])
  t.match(await post('file/delete', { path: 'two', recursive: true, permanent: true }), { status: 200 })
  t.same(readdirSync(service.workspace), ['.agent-trash'])
})

t.test('something else that bears its name can be put elsewhere', async (t) => {
  const { at, remove, post } = await trashOf(t)
  const outside = t.testdir({ 'x.txt': 'x' })
  writeFileSync(at('a.txt'), 'a')
  writeFileSync(at('.agent-trash'), 'of somebody else')
  t.match(await remove('a.txt'), { status: 409, body: { code: 'trash_blocked', error: /Rename it/ } })
  t.match(await remove('.agent-trash'), { status: 409, body: { code: 'trash_blocked' } })
  t.match(await post('file/rename', { path: '.agent-trash', new_name: 'theirs' }), { status: 200, body: { new_path: 'theirs' } })
  t.match(await remove('a.txt'), { status: 200 })
  t.equal(readFileSync(at('theirs'), 'utf8'), 'of somebody else')
  t.match(await post('file/rename', { path: '.agent-trash', new_name: 'trash' }), { status: 403 }, 'the trash itself stays')
  t.match(await post('file/delete', { path: '.agent-trash', recursive: true, permanent: true }), { status: 403 })
  rmSync(at('.agent-trash'), { recursive: true })
  symlinkSync(outside, at('.agent-trash'))
  t.match(await post('file/delete', { path: '.agent-trash', permanent: true }), { status: 200 })
  t.match(await remove('theirs'), { status: 200 })
  t.same(readdirSync(outside), ['x.txt'])
})

t.test('the note that hides it from git is never in the way', async (t) => {
  const { at, remove } = await trashOf(t)
  const note = at('.agent-trash', '.gitignore')
  mkdirSync(at('.agent-trash'))
  writeFileSync(note, '')
  for (const [name, prepare] of [['empty', () => {}], ['folder', () => mkdirSync(note)], ['link', () => symlinkSync(at('kept'), note)]] as const) {
    if (name !== 'empty') rmSync(note, { recursive: true })
    prepare()
    writeFileSync(at('x'), 'x')
    t.match(await remove('x'), { status: 200 }, name)
    if (name === 'empty') t.equal(readFileSync(note, 'utf8'), '*\n', 'what a full disk has left is mended')
  }
  t.notOk(existsSync(at('kept')), 'a link is not followed')
})

t.test('other disks, and full ones', { ...canMount() ? {} : { skip: 'disks cannot be mounted here' }, long: true }, async (t) => {
  const { at, remove, post, service } = await trashOf(t)
  mkdirSync(at('disk'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', at('disk')])
  try {
    mkdirSync(at('disk', 'folder'))
    for (const path of ['disk/a.txt', 'disk/folder/b.txt']) writeFileSync(at(path), 'x')
    t.match(await remove('disk/a.txt'), { status: 400, body: { code: 'other_disk', error: /permanently instead/ } })
    t.match(await post('file/delete', { path: 'disk', recursive: true, permanent: true }), { status: 409, body: { code: 'mounted' } })
    t.match(await post('file/delete', { path: 'disk/folder', recursive: true, permanent: true }), { status: 200 })
    t.same(readdirSync(at('disk')), ['a.txt'])

    const full = await service.newSession()
    service.app.db.sqlite.prepare('update sessions set workspace = ? where id = ?').run(at('disk'), full)
    t.throws(() => writeFileSync(at('disk', 'large'), Buffer.alloc(100_000)), { code: 'ENOSPC' })
    t.match(await service.post('/api/file/delete', { session_id: full, path: 'a.txt' }), { status: 200 }, 'on a full disk things can be deleted')
    t.match(await service.post('/api/file/delete', { session_id: full, path: 'large', permanent: true }), { status: 200 })
  } finally {
    execFileSync('umount', [at('disk')])
  }
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
  await service.there.files.trash.settled()
  t.same(lying(), [])
  t.match(await post('trash/empty'), { status: 200, body: { removed: 0 } })
  t.same(outside.look().map((line) => line.replace(/^\d+$/, '')), before.map((line) => line.replace(/^\d+$/, '')), 'what symlinks lead to stays')
})

t.test('a folder of great depth is removed as well', { long: true }, async (t) => {
  const { at, remove, post, lying, service } = await trashOf(t)
  // Deeper than a path can express.
  execFileSync('sh', ['-c', 'mkdir deep && cd deep && i=0; while [ $i -lt 300 ]; do mkdir nested-folder-with-a-name-$i && cd nested-folder-with-a-name-$i; i=$((i+1)); done; : > file'], { cwd: service.workspace })
  t.match(await remove('deep', true), { status: 200 })
  t.notOk(existsSync(at('deep')))
  t.match(await post('trash/empty'), { status: 200, body: { removed: 1 } })
  await service.there.files.trash.settled()
  await service.there.files.trash.sweep()
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
  await service.there.files.trash.sweep()
  t.same((await items()).map(({ name }) => name), ['new', 'old'])
  nowMs += 2_000
  await service.there.files.trash.sweep()
  t.same((await items()).map(({ name }) => name), ['new'])
  t.equal(lying().length, 1)
})

t.test('a crash in the middle loses nothing', { long: true }, async (t) => {
  const { at, remove, items, lying, restore, post, service } = await trashOf(t)
  writeFileSync(at('kept'), 'kept')
  await remove('kept')
  const { sqlite } = service.there.db
  const [row] = sqlite.prepare('select * from trash').all() as Array<Record<string, unknown>>
  // The row was written, but the file was never moved.
  sqlite.prepare('insert into trash (id, workspace, path, is_folder, size_bytes, deleted_at) values (?, ?, ?, 0, 1, ?)').run('f'.repeat(20), service.workspace, 'here', nowMs / 1_000)
  t.same((await items()).map(({ name }) => name), ['kept'])
  nowMs += 2 * 3_600_000
  await service.there.files.trash.sweep()
  t.equal(sqlite.prepare('select count(*) from trash').pluck().get(), 1)
  // The rows are gone, as in a database from yesterday's backup.
  sqlite.prepare('delete from trash').run()
  mkdirSync(at('.agent-trash', '0'.repeat(20)))
  utimesSync(at('.agent-trash', '0'.repeat(20)), 1, 1)
  const [found] = await items()
  t.match(found, { id: row!.id, path: 'kept', deleted_at: nowMs / 1_000, size: 4 }, 'it begins its 30 days anew')
  t.equal(lying().length, 1, 'an empty place is cleared')
  t.match(await restore(found!.id), { status: 200, body: { path: 'kept' } })
  // Removed permanently, and then the process ended.
  await remove('kept')
  renameSync(at('.agent-trash', lying()[0]!), at('.agent-trash', `${'a'.repeat(20)}.gone`))
  await service.there.files.trash.sweep()
  t.same(lying(), [])
  t.same(await items(), [])
  t.match(await post('trash/empty'), { status: 200 })
})

t.test('what a kill has left without content is not listed, whatever the clock says: it could not be restored', async (t) => {
  // The folders get their times from the system, whose clock is ahead of this one.
  const { at, remove, items, lying, service } = await trashOf(t, { clock: { now: () => 1_600_000_000_000 } })
  writeFileSync(at('kept'), 'kept')
  await remove('kept')
  // Its row and its folder were made, and the file was not moved yet; or it was moved back, and the folder was to be removed next.
  mkdirSync(at('.agent-trash', 'f'.repeat(20)))
  service.there.db.sqlite.prepare('insert into trash (id, workspace, path, is_folder, size_bytes, deleted_at) values (?, ?, ?, 0, 1, ?)')
    .run('f'.repeat(20), service.workspace, 'here', nowMs / 1_000)
  await service.there.files.trash.sweep()
  t.equal(lying().length, 2, 'another service may be about to fill one that was just made')
  utimesSync(at('.agent-trash', 'f'.repeat(20)), 1, 1)
  await service.there.files.trash.sweep()
  t.same((await items()).map(({ name }) => name), ['kept'])
  t.equal(lying().length, 1)
  t.equal(service.there.db.sqlite.prepare('select count(*) from trash').pluck().get(), 1)
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
  // Another program puts a symlink in place of what was deleted.
  renameSync(at('.agent-trash', body.trash_id), at('taken'))
  symlinkSync(outside.path, at('.agent-trash', body.trash_id))
  t.match(await restore(body.trash_id), { status: 404 })
  t.match(await post('trash/delete', { id: body.trash_id }), { status: 200 })
  await service.there.files.trash.settled()
  t.same(await items(), [])
  t.same(outside.look(), before)
  t.match(await remove('.'), { status: 400 })
  t.match(await remove('.agent-trash', true), { status: 403 })
})

t.test('git does not see it', needsGit, async (t) => {
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
