import {
  chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync, utimesSync, writeFileSync
} from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import t from '#test'
import { contentVersion, int64 } from '../../../services/workspace/files/index.js'
import { versionOf } from '../../../services/workspace/files/version.js'
import { anyCharacter } from '../../support/any-character.js'
import { type Answer, start } from '../../support/app.js'
import { sendForm } from '../../support/forms.js'
import { outsideOf, whileSwapping } from '../../support/swaps.js'
import { tries } from '../../support/tries.js'

const service = await start(t)
const { workspace } = service
const id = await service.newSession()
const at = (...parts: string[]): string => join(workspace, ...parts)
const call = (route: string, body: Record<string, unknown>): Promise<Answer> => service.post(`/api/file/${route}`, { session_id: id, ...body })
const text = (path: string): string => readFileSync(at(path), 'utf8')
/** Returns the names in a folder of the workspace, including hidden ones. */
const names = (path = '.'): string[] => readdirSync(at(path)).sort()

t.test('a new file', async (t) => {
  const made = await call('create', { path: 'notes.txt', content: 'héllo\n' })
  t.match(made, { status: 200, body: { ok: true, path: 'notes.txt', size: 7, version: contentVersion(Buffer.from('héllo\n')) } })
  t.match(made.text, new RegExp(`"mtime_ns":${lstatSync(at('notes.txt'), { bigint: true }).mtimeNs}[,}]`), 'to the nanosecond')
  t.equal(text('notes.txt'), 'héllo\n')
  t.match(await call('create', { path: 'empty.txt', content: null }), { status: 200, body: { size: 0 } })
  t.match(await call('create', { path: 'notes.txt', content: 'other' }), { status: 400, body: { code: 'exists', error: /already/ } })
  t.equal(text('notes.txt'), 'héllo\n', 'and it stays what it was')

  symlinkSync('nowhere', at('dangling'))
  t.match(await call('create', { path: 'dangling', content: 'x' }), { status: 400, body: { code: 'exists' } })
  t.notOk(existsSync(at('nowhere')), 'a symlink is not followed')
  t.match(await call('create', { path: 'deep/er/file.txt', content: 'x' }), { status: 404, body: { error: 'Folder not found' } })
  t.match(await call('create', { path: 'deep/er/file.txt', content: 'x', parents: true }), { status: 200, body: { path: 'deep/er/file.txt' } })
  t.match(await call('create', { path: 'notes.txt/below.txt', parents: true }), { status: 409, body: { code: 'exists' } })
  t.match(await call('create', { path: 'deep/er/', content: 'x' }), { status: 400, body: { code: 'exists' } })
  t.same(names('deep/er'), ['file.txt'], 'and nothing else is left')
})

t.test('of many who make the same file one does', async (t) => {
  const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => call('create', { path: 'race.txt', content: `by ${n}` })))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.ok(answers.every(({ status, body }) => status === 200 || (status === 400 && body.code === 'exists')))
  t.equal(text('race.txt'), `by ${answers.findIndex(({ status }) => status === 200)}`)
})

t.test('a saved file', async (t) => {
  writeFileSync(at('script.sh'), 'echo 1\n')
  chmodSync(at('script.sh'), 0o750)
  const first = await call('save', { path: 'script.sh', content: 'echo 2\n' })
  t.match(first, { status: 200, body: { ok: true, path: 'script.sh', size: 7, version: contentVersion(Buffer.from('echo 2\n')) } })
  t.equal(text('script.sh'), 'echo 2\n')
  t.equal(statSync(at('script.sh')).mode & 0o7777, 0o750, 'keeps its mode')
  const { version } = first.body
  t.match(await call('save', { path: 'script.sh', content: 'echo 3\n', if_match: version }), { status: 200 })
  t.match(await call('save', { path: 'script.sh', content: 'lost\n', if_match: version }), {
    status: 409, body: { code: 'changed', version: contentVersion(Buffer.from('echo 3\n')) }
  }, 'what somebody else has saved is not lost')
  t.equal(text('script.sh'), 'echo 3\n')
  t.match(await call('save', { path: 'script.sh', content: '', if_match: null }), { status: 200, body: { size: 0 } })

  t.match(await call('save', { path: 'missing.txt', content: 'x' }), { status: 404, body: { error: 'File not found' } })
  t.notOk(existsSync(at('missing.txt')))
  t.match(await call('save', { path: 'deep', content: 'x' }), { status: 400 })
  t.match(await call('save', { path: 'script.sh' }), { status: 400, body: { error: /content/ } })
  symlinkSync('script.sh', at('link.sh'))
  t.match(await call('save', { path: 'link.sh', content: 'x' }), { status: 400, body: { code: 'symlink' } })
  for (const name of ['a.docx', 'b.XLSX', 'c.pptx', 'd.odt']) {
    writeFileSync(at(name), 'PK')
    t.match(await call('save', { path: name, content: 'x' }), { status: 400, body: { code: 'office' } }, name)
  }
  writeFileSync(at('fixed.txt'), 'fixed')
  chmodSync(at('fixed.txt'), 0o444)
  t.match(await call('save', { path: 'fixed.txt', content: 'x' }), { status: 403, body: { code: 'read_only' } })
  t.equal(text('fixed.txt'), 'fixed')
  t.same(names().filter((name) => name.endsWith('.tmp')), [], 'nothing unfinished is left')
})

t.test('what is not text is not replaced by mistake', async (t) => {
  const contents: Array<[what: string, bytes: Buffer]> = [['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1])], ['text of another encoding', Buffer.from([0x63, 0x61, 0x66, 0xe9])]]
  for (const [what, bytes] of contents) {
    writeFileSync(at('blob'), bytes)
    const refused = await call('save', { path: 'blob', content: 'x', force: true })
    t.match(refused, { status: 400, body: { code: 'not_text', version: contentVersion(bytes) } }, what)
    t.match(await call('save', { path: 'blob', content: 'x', if_match: refused.body.version }), { status: 400, body: { code: 'not_text' } }, what)
    t.same(readFileSync(at('blob')), bytes)
    t.match(await call('save', { path: 'blob', content: 'x', if_match: refused.body.version, force: true }), { status: 200 }, 'but on purpose')
  }
})

t.test('one version is replaced once, however many try', { long: true }, async (t) => {
  const { body: { version } } = await call('create', { path: 'shared.txt', content: 'start' })
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => call('save', { path: 'shared.txt', content: `by ${n}`, if_match: version })))
  t.same(answers.map(({ status }) => status).sort(), [200, ...Array<number>(11).fill(409)])
  t.equal(text('shared.txt'), `by ${answers.findIndex(({ status }) => status === 200)}`)
})

t.test('readers see the old text or the new one', { long: true }, async (t) => {
  const texts = ['a', 'b'].map((letter) => letter.repeat(300_000))
  await call('create', { path: 'large.txt', content: texts[0] })
  const progress = { saved: 0 }
  const saves = (async () => {
    for (let n = 0; n < 20; n++, progress.saved++) await call('save', { path: 'large.txt', content: texts[n % 2] })
  })()
  const seen = new Set<string>()
  while (progress.saved < 20) {
    const now = text('large.txt')
    seen.add(`${now.length} ${new Set(now).size}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await saves
  t.same([...seen], ['300000 1'])
})

t.test('what a crash has left is hidden, and goes', async (t) => {
  mkdirSync(at('crashed'))
  const stray = '.agent-0123456789abcdef.tmp'
  writeFileSync(at('crashed', stray), 'half')
  writeFileSync(at('crashed', 'file.txt'), 'whole')
  const listed = await service.app.workers.run('listFolder', { territory: { root: workspace, closed: [] }, path: 'crashed' })
  t.same(JSON.parse(Buffer.from(listed.entries).toString()).map(({ name }: { name: string }) => name), ['file.txt'])
  utimesSync(at('crashed', stray), 1, 1)
  t.match(await call('save', { path: 'crashed/file.txt', content: 'new' }), { status: 200 })
  for (let n = 0; n < 500 && existsSync(at('crashed', stray)); n++) await new Promise((resolve) => setTimeout(resolve, 10))
  t.same(names('crashed'), ['file.txt'])
  t.match(await call('create', { path: `crashed/${stray}`, content: 'x' }), { status: 403 })
})

t.test('another name', async (t) => {
  mkdirSync(at('box'))
  for (const name of ['one.txt', 'two.txt']) writeFileSync(at('box', name), name)
  t.match(await call('rename', { path: 'box/one.txt', new_name: 'ONE.txt' }), { status: 200, body: { ok: true, old_path: 'box/one.txt', new_path: 'box/ONE.txt' } })
  t.match(await call('rename', { path: 'box/ONE.txt', new_name: 'two.txt' }), { status: 409, body: { code: 'exists' } })
  t.equal(text('box/two.txt'), 'two.txt', 'nothing is overwritten')
  t.match(await call('rename', { path: 'box/two.txt', new_name: 'two.txt' }), { status: 200 }, 'its own name is no obstacle')
  mkdirSync(at('box', 'full'))
  mkdirSync(at('box', 'empty'))
  writeFileSync(at('box', 'full', 'x'), 'x')
  t.match(await call('rename', { path: 'box/full', new_name: 'empty' }), { status: 409, body: { code: 'exists' } }, 'not even an empty folder')
  t.match(await call('rename', { path: 'box/full', new_name: 'fuller' }), { status: 200 })
  symlinkSync('two.txt', at('box', 'link'))
  t.match(await call('rename', { path: 'box/link', new_name: 'other-link' }), { status: 200 })
  t.equal(readlinkSync(at('box', 'other-link')), 'two.txt', 'of a symlink itself')
  for (const name of ['', '.', '..', 'a/b', '/etc', 'zero\0', 'line\nbreak', 'x'.repeat(256)]) t.match(await call('rename', { path: 'box/two.txt', new_name: name }), { status: 400 }, JSON.stringify(name))
  t.match(await call('rename', { path: 'box', new_name: '.agent-trash' }), { status: 403 })
  t.match(await call('rename', { path: '.', new_name: 'x' }), { status: 400 })
  t.match(await call('rename', { path: 'box/gone.txt', new_name: 'x' }), { status: 404 })
  t.same(names('box'), ['ONE.txt', 'empty', 'fuller', 'other-link', 'two.txt'])
})

t.test('another folder', async (t) => {
  mkdirSync(at('from', 'sub'), { recursive: true })
  mkdirSync(at('to', 'sub'), { recursive: true })
  for (const path of ['from/a.txt', 'to/b.txt', 'from/b.txt', 'from/sub/c.txt']) writeFileSync(at(path), path)
  t.match(await call('move', { path: 'from/a.txt', dest_dir: 'to' }), { status: 200, body: { ok: true, old_path: 'from/a.txt', new_path: 'to/a.txt' } })
  t.match(await call('move', { path: 'from/b.txt', dest_dir: 'to' }), { status: 409, body: { code: 'exists', error: /b\.txt/ } })
  t.equal(text('to/b.txt'), 'to/b.txt')
  t.match(await call('move', { path: 'from/sub', dest_dir: 'to' }), { status: 409, body: { code: 'exists' } }, 'an empty folder is one as well')
  t.match(await call('move', { path: 'from', dest_dir: 'from/sub' }), { status: 400, body: { error: /into itself/ } })
  t.match(await call('move', { path: 'from', dest_dir: 'from' }), { status: 400 })
  t.match(await call('move', { path: 'from/sub/c.txt', dest_dir: '' }), { status: 200, body: { new_path: 'c.txt' } })
  t.match(await call('move', { path: 'c.txt', dest_dir: '.' }), { status: 200, body: { new_path: 'c.txt' } }, 'where it is already')
  t.match(await call('move', { path: 'c.txt', dest_dir: 'nowhere' }), { status: 404, body: { error: 'Folder not found' } })
  t.match(await call('move', { path: 'c.txt', dest_dir: 'to/b.txt' }), { status: 404 })
  t.match(await call('move', { path: 'from', dest_dir: 'to' }), { status: 200, body: { new_path: 'to/from' } })
  t.same(names('to/from'), ['b.txt', 'sub'])
})

t.test('a new folder, and where things are', async (t) => {
  t.match(await call('create-dir', { path: 'fresh' }), { status: 200, body: { ok: true, path: 'fresh' } })
  t.match(await call('create-dir', { path: 'fresh' }), { status: 400, body: { code: 'exists' } })
  t.match(await call('create-dir', { path: 'fresh/a/b' }), { status: 404 })
  t.match(await call('create-dir', { path: 'fresh/a/b/', parents: true }), { status: 200, body: { path: 'fresh/a/b' } })
  t.match(await call('path', { path: 'fresh/a' }), { status: 200, body: { ok: true, path: at('fresh/a') } })
  t.match(await call('path', { path: '.' }), { status: 200, body: { path: workspace } })
  t.match(await call('path', { path: at('fresh') }), { status: 200, body: { path: at('fresh') } })
  t.match(await call('path', { path: 'fresh/nothing' }), { status: 404 })
})

t.test('nothing outside can be reached', async (t) => {
  const outside = outsideOf(service.folder, { 'secret.txt': 'secret' })
  symlinkSync(outside.path, at('leak'))
  symlinkSync(join(outside.path, 'secret.txt'), at('leak.txt'))
  writeFileSync(at('mine.txt'), 'mine')
  const before = outside.look()
  const paths = [
    '..', '../outside/secret.txt', 'box/../../outside/secret.txt', `${outside.path}/secret.txt`, `${workspace}/../outside/secret.txt`, 'leak/secret.txt', 'leak/new.txt',
    'leak/../outside/secret.txt', '/etc/passwd', '/proc/self/environ', '/', 'zero\0.txt', 'tab\tname', '.', './', '', 'x'.repeat(300), `${'d/'.repeat(2_000)}x`,
    '.agent-trash', '.agent-trash/x', '.agent-trash/../.agent-trash/x', '~/x/y', '//etc/passwd', 'leak/'
  ]
  const routes: Array<[route: string, body: (path: string) => Record<string, unknown>]> = [
    ['create', (path) => ({ path, content: 'x' })], ['create', (path) => ({ path, content: 'x', parents: true })], ['save', (path) => ({ path, content: 'x' })],
    ['rename', (path) => ({ path, new_name: 'taken-away' })], ['move', (path) => ({ path, dest_dir: 'fresh' })], ['delete', (path) => ({ path, recursive: true })],
    ['create-dir', (path) => ({ path })], ['create-dir', (path) => ({ path, parents: true })], ['path', (path) => ({ path })], ['extract', (path) => ({ path })]
  ]
  for (const [route, body] of routes) {
    for (const path of paths) {
      if ((path === '~/x/y' && 'parents' in body(path)) || (path === 'leak/' && ['rename', 'move', 'delete', 'path'].includes(route)) || (route === 'path' && ['.', './'].includes(path))) continue
      const answer = await call(route, body(path))
      t.ok([400, 403, 404, 409].includes(answer.status), `${route} ${path.slice(0, 60)}: ${answer.status} ${answer.text.slice(0, 200)}`)
      t.notMatch(answer.text, outside.path)
    }
  }
  for (const path of ['..', outside.path, 'leak', '../outside', '/etc']) t.match(await call('move', { path: 'mine.txt', dest_dir: path }), { status: 404 }, path)
  t.same(outside.look(), before)
  t.match(await call('delete', { path: 'leak' }), { status: 200 }, 'a symlink out can be removed')
  t.same(outside.look(), before, 'and what it leads to stays')
})

t.test('whatever a path is, the answer is one of the interface and nothing outside changes', { long: true }, async (t) => {
  const outside = outsideOf(service.folder, { 'kept.txt': 'kept' })
  mkdirSync(at('play'), { recursive: true })
  symlinkSync(outside.path, at('play', 'out'))
  symlinkSync('..', at('play', 'up'))
  const before = outside.look()
  const part = fc.oneof(fc.constantFrom('..', '.', '', 'out', 'up', 'play', 'kept.txt', 'a', 'A', '~', '\0', 'é', '\u202e', '\\', '%2e%2e'), fc.string({ maxLength: 8, unit: anyCharacter }))
  const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => `play/${parts.join('/')}`)
  const step = fc.tuple(fc.constantFrom('create', 'save', 'rename', 'move', 'create-dir', 'path'), path, path)
  await fc.assert(fc.asyncProperty(step, async ([route, one, other]) => {
    const answer = await call(route, { path: one, content: 'x', new_name: other.slice(5), dest_dir: other, parents: other.length % 2 === 0 })
    return [200, 400, 403, 404, 409].includes(answer.status)
  }), { numRuns: tries(300) })
  t.same(outside.look(), before)
})

t.test('who may change files', async (t) => {
  const { app } = service
  const shown = await service.newSession()
  app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(shown)
  for (const [route, body] of [['create', { content: '' }], ['save', { content: '' }], ['rename', { new_name: 'x' }], ['move', { dest_dir: '.' }], ['delete', {}], ['create-dir', {}], ['extract', {}]] as const) {
    t.match(await service.post(`/api/file/${route}`, { session_id: shown, path: 'mine.txt', ...body }), { status: 403 }, route)
    t.match(await service.post(`/api/file/${route}`, { session_id: 'nobody', path: 'mine.txt', ...body }), { status: 404, body: { error: 'Session not found' } }, route)
    t.match(await service.post(`/api/file/${route}`, { path: 'mine.txt', ...body }), { status: 400, body: { error: /session_id/ } }, route)
  }
  t.match(await service.post('/api/file/path', { session_id: shown, path: 'mine.txt' }), { status: 200 })
})

t.test('names that are kept are refused before anything is made', async (t) => {
  const own = await start(t)
  const inHome = await own.newSession()
  const home = join(own.folder, 'home')
  own.app.db.sqlite.prepare('update sessions set workspace = ? where id = ?').run(home, inHome)
  const send = (route: string, body: object): Promise<Answer> => own.post(`/api/file/${route}`, { session_id: inHome, ...body })
  const before = readdirSync(home)
  const kept = ['.env/x', '.env/deep/er/x', 'new/.agent-trash', 'new/.Agent-Trash/x', 'new/.agent-0123456789abcdef.tmp/x', `new/${'x'.repeat(300)}`]
  for (const path of kept) {
    for (const route of ['create', 'create-dir']) {
      const { status } = await send(route, { path, parents: true })
      t.equal(status, path.includes('xxx') ? 400 : 403, `${route} ${path.slice(0, 40)}`)
    }
  }
  t.match(await send('create-dir', { path: '.Agent-Trash' }), { status: 403 })
  t.same(readdirSync(home), before)
  t.match(await send('create-dir', { path: 'new/er', parents: true }), { status: 200 })
  t.match(await send('rename', { path: 'new/er', new_name: '.agent-trash' }), { status: 403 })
})

t.test('half a character is no text', async (t) => {
  const half = '\ud83d'
  t.match(await call('create', { path: 'half.txt', content: `a${half}b` }), { status: 400, body: { error: /^content / } })
  t.match(await call('create', { path: `half${half}`, content: 'x' }), { status: 400, body: { error: /^path / } })
  t.match(await call('create', { path: 'whole.txt', content: '\ud83d\ude00' }), { status: 200, body: { size: 4 } })
  t.match(await call('save', { path: 'whole.txt', content: half }), { status: 400 })
  t.match(await call('rename', { path: 'whole.txt', new_name: half }), { status: 400, body: { error: /^new_name / } })
  t.match(await call('move', { path: 'whole.txt', dest_dir: half }), { status: 400 })
  t.match(await call('extract', { path: half }), { status: 400 })
  t.equal(text('whole.txt'), '\ud83d\ude00')
  t.notOk(names().some((name) => name.startsWith('half')))
})

t.test('a moment in nanoseconds fits 64 bits', async (t) => {
  const most = 2n ** 63n - 1n
  for (const [from, to] of [[0n, 0n], [most, most], [most + 1n, most], [-most - 9n, -most]] as const) t.equal(int64(from), to)
  writeFileSync(at('far.txt'), 'far')
  utimesSync(at('far.txt'), 12_000_000_000, 12_000_000_000)
  // Not every file system has such a range.
  const { mtimeNs } = lstatSync(at('far.txt'), { bigint: true })
  const listed = await service.app.workers.run('listFolder', { territory: { root: workspace, closed: [] }, path: '.' })
  t.match(Buffer.from(listed.entries).toString(), new RegExp(`"name":"far.txt".*?"mtime_ns":${mtimeNs > most ? most : mtimeNs},`))
})

t.test('folders that the service keeps its own files in stay where they are', async (t) => {
  const own = await start(t)
  const above = await own.newSession()
  own.app.db.sqlite.prepare('update sessions set workspace = ? where id = ?').run(own.folder, above)
  const send = (route: string, body: object): Promise<Answer> => own.post(`/api/file/${route}`, { session_id: above, ...body })
  for (const path of ['home', 'home/webui']) {
    for (const [route, body] of [['rename', { new_name: 'x' }], ['move', { dest_dir: 'workspace' }], ['delete', { recursive: true }]] as const) t.match(await send(route, { path, ...body }), { status: 403 }, `${route} ${path}`)
  }
  t.match(await send('create', { path: 'home/webui/x.txt' }), { status: 403 })
  t.match(await send('create', { path: 'home/.env', content: 'KEY=1' }), { status: 403 })
  t.match(await sendForm(`${own.url}/api/workspace/upload`, [{ name: 'session_id', content: above }, { name: 'path', content: 'home/webui' }, { name: 'file', filename: 'x', content: 'x' }]), { status: 403 })
})

t.test('folders that are swapped for symlinks meanwhile lead nowhere', { long: true }, async (t) => {
  const rounds = 60
  const files = Object.fromEntries(Array.from({ length: rounds }, (_, n) => ['s', 'm', 'd', 'r'].map((kind) => [`${kind}${n}.txt`, 'outside'])).flat())
  const swaps = await start(t)
  const session = await swaps.newSession()
  const outside = outsideOf(swaps.folder, files)
  mkdirSync(join(swaps.workspace, 'swap'))
  mkdirSync(join(swaps.workspace, 'moved'))
  for (const name of Object.keys(files)) writeFileSync(join(swaps.workspace, 'swap', name), 'inside')
  const before = outside.look()
  const statuses = new Map<number, number>()
  const send = async (route: string, body: object): Promise<void> => {
    const { status, text } = await swaps.post(`/api/file/${route}`, { session_id: session, ...body })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    if (![200, 400, 403, 404, 409].includes(status)) t.fail(`${route}: ${status} ${text}`)
  }
  const count = await whileSwapping(t, swaps.workspace, outside.path, async () => {
    for (let n = 0; n < rounds; n++) {
      await Promise.all([
        send('create', { path: `swap/new${n}.txt`, content: 'x' }), send('create', { path: `swap/deep${n}/er/new.txt`, content: 'x', parents: true }),
        send('save', { path: `swap/s${n}.txt`, content: 'saved' }), send('move', { path: `swap/m${n}.txt`, dest_dir: 'moved' }), send('delete', { path: `swap/d${n}.txt` }),
        send('rename', { path: `swap/r${n}.txt`, new_name: `renamed${n}.txt` }), send('create-dir', { path: `swap/folder${n}` }),
        sendForm(`${swaps.url}/api/workspace/upload`, [{ name: 'session_id', content: session }, { name: 'path', content: 'swap' }, { name: 'file', filename: `up${n}.txt`, content: 'up' }])
          .then(({ status, text }) => { if (![200, 404].includes(status)) t.fail(`upload: ${status} ${text}`) })
      ])
    }
  })
  t.ok(count >= 10_000, `${count} swaps`)
  t.same(outside.look(), before, 'nothing outside has changed')
  t.ok((statuses.get(200) ?? 0) > 0, 'and inside things were done')
})

t.test('a version names a content, however large', { long: true }, async (t) => {
  for (const size of [0, 1, 512 * 1024, 512 * 1024 + 1, 2_000_000]) t.equal(await versionOf(Buffer.alloc(size, 7)), contentVersion(Buffer.alloc(size, 7)), `${size}`)
})
