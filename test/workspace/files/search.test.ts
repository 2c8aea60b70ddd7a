import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import t, { type Test } from '#test'
import { type Workers } from '../../../services/ground/workers/index.js'
import { findPaths } from '../../../services/workspace/files/search/find-task.js'
import { createPathLists } from '../../../services/workspace/files/search/path-lists.js'
import { rankPath, readSought } from '../../../services/workspace/files/search/ranking.js'
import { createFileSearch } from '../../../services/workspace/files/search/search.js'
import { start } from '../../support/app.js'

function write (root: string, ...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), path)
    // Long ago, so that only the name counts.
    utimesSync(join(root, path), 1_600_000_000, 1_600_000_000)
  }
}

t.test('what answers best to what was typed of a path', async (t) => {
  const order = (query: string, ...paths: string[]) => {
    const sought = readSought(query)
    return paths.map((path) => ({ path, rank: rankPath(path, sought) })).filter(({ rank }) => rank !== null).sort((one, other) => one.rank! - other.rank!).map(({ path }) => path)
  }
  t.same(order('comp', 'web/comp.ts', 'completion.ts', 'src/my-comp.ts', 'decomp.ts', 'component/a.ts', 'web/xcompx/a.ts', 'other.ts'),
    ['web/comp.ts', 'completion.ts', 'src/my-comp.ts', 'decomp.ts', 'component/a.ts', 'web/xcompx/a.ts'])
  t.same(order('ufw', 'a/use-folder-watch.ts', 'useFolderWatch.ts', 'stuff-wide.ts', 'use_x.ts'), ['useFolderWatch.ts', 'a/use-folder-watch.ts', 'stuff-wide.ts'])
  t.same(order('usewatch', 'UseFolderWatch.tsx', 'watch-use.ts'), ['UseFolderWatch.tsx'])
  t.same(order('core/com', 'web/core/completion.ts', 'core/composer.ts', 'core/list.ts', 'score/a/com.ts'), ['core/composer.ts', 'web/core/completion.ts', 'score/a/com.ts'])
  t.same(order('tests/', 'a/tests/one.ts', 'tests.ts'), ['a/tests/one.ts'])
  t.same(order('list test', 'test/list.ts', 'list.ts', 'app/list.test.ts'), ['app/list.test.ts', 'test/list.ts'])
  t.same(order('über', 'U\u0308ber.md', 'uber.md'), ['U\u0308ber.md'])
  t.same(order('', 'b/deep.ts', 'a.ts'), ['a.ts', 'b/deep.ts'])
  t.same(order('./src/a', 'src/a.ts'), ['src/a.ts'])
})

t.test('files and folders are found by what is typed of their names, and nothing that is not to be seen', async (t) => {
  const s = await start(t)
  const id = await s.newSession()
  write(s.workspace, 'src/app/main-window.ts', 'src/app/menu.ts', 'docs/main.md', 'build/main.js', '.git/main', '.github/main.yml', '.agent-trash/main.ts', 'odd/\u202emain\nline.ts')
  writeFileSync(join(s.workspace, '.gitignore'), 'build/\n')
  write(s.folder, 'elsewhere/main-secret.ts')
  symlinkSync(join(s.folder, 'elsewhere'), join(s.workspace, 'main-link'))
  symlinkSync(join(s.folder, 'elsewhere', 'main-secret.ts'), join(s.workspace, 'main-file'))
  const search = async (q: string, more = '') => await s.get(`/api/file/search?session_id=${id}&q=${encodeURIComponent(q)}${more}`)
  const paths = async (q: string, more = ''): Promise<string[]> => (await search(q, more)).body.entries.map(({ path }: { path: string }) => path)

  t.same(await paths('main'), ['docs/main.md', 'src/app/main-window.ts', 'odd/\u202emain\nline.ts'])
  t.same(await paths('main', '&limit=1'), ['docs/main.md'])
  t.same(await paths('sapp'), ['src/app', 'src/app/menu.ts', 'src/app/main-window.ts'], 'a folder before what is in it')
  t.same(await paths('.github/'), ['.github/main.yml'], 'hidden ones are asked for with their dot')
  t.same(await paths('.git/ma'), ['.github/main.yml'])
  t.match((await search('menu')).body, { query: 'menu', workspace: s.workspace, truncated: false, entries: [{ name: 'menu.ts', path: 'src/app/menu.ts', type: 'file', is_dir: false, size: 15, modified: 1_600_000_000, workspace_sort_rank: 2 }] })
  t.match((await search('src')).body.entries[0], { name: 'src', type: 'dir', is_dir: true, size: null, workspace_sort_rank: 1 })
  utimesSync(join(s.workspace, 'src/app/main-window.ts'), new Date(), new Date())
  t.same((await paths('ma')).slice(0, 2), ['src/app/main-window.ts', 'docs/main.md'], 'what has changed lately comes first among equals')

  t.ok((await paths('')).includes('docs'))
  for (const q of ['../elsewhere', '/etc/passwd', 'no such thing', '%00', '('.repeat(400)]) t.same([(await search(q)).status, (await search(q)).body.entries], [200, []], q)
  t.equal((await search('x'.repeat(501))).status, 400)
  t.equal((await search('main', '&limit=-9')).body.entries.length, 1)
  t.equal((await s.get('/api/file/search?q=a')).status, 400)
  t.equal((await s.get('/api/file/search?session_id=nobody&q=a')).status, 404)
})

/** Creates a folder, and a ripgrep script that waits for a file before it ends. */
function slow (t: Test) {
  const root = realpathSync(t.testdir({ folder: { 'a.ts': '' } }))
  const [program, started, go] = [join(root, 'rg'), join(root, 'started'), join(root, 'go')]
  writeFileSync(program, `#!/bin/sh\necho $$ >> ${started}\nprintf 'a.ts\\0'\nwhile [ ! -e ${go} ]; do sleep 0.02; done\n`)
  chmodSync(program, 0o755)
  /** Waits for what the program does; throws if its search is over before. */
  const until = async (condition: () => boolean, search: Promise<unknown> = new Promise(() => {})): Promise<void> => {
    const outcome: unknown[] = []
    const note = (what: unknown): void => { outcome.push(what) }
    search.then(note, note)
    while (!condition()) {
      if (outcome.length > 0) throw new Error(`The search was over before: ${inspect(outcome)}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }
  /** Whole lines, because the file exists before it contains one. */
  const runs = () => existsSync(started) ? readFileSync(started, 'utf8').split('\n').slice(0, -1).map(Number) : []
  const isGone = (pid: number) => { try { process.kill(pid, 0); return false } catch { return true } }
  return { territory: { root: join(root, 'folder'), closed: [] }, program, until, runs, isGone, finish: () => writeFileSync(go, '') }
}

t.test('a list is made once for all who type, and given up when nobody waits for it', async (t) => {
  const { territory, program, until, runs, isGone, finish } = slow(t)
  const lists = createPathLists({ ripgrep: program, path: '/usr/bin:/bin' })
  const [one, other] = [new AbortController(), new AbortController()]
  const first = lists.of(territory, { withHidden: false }, one.signal).catch(() => 'gone')
  const second = lists.of(territory, { withHidden: false }, other.signal).catch(() => 'gone')
  await until(() => runs().length === 1, first)
  one.abort()
  t.equal(await first, 'gone')
  t.notOk(isGone(runs()[0]!), 'the other one waits still')
  other.abort()
  t.equal(await second, 'gone')
  await until(() => isGone(runs()[0]!) && lists.size() === 0)
  const third = lists.of(territory, { withHidden: false }, new AbortController().signal)
  await until(() => runs().length === 2, third)
  finish()
  const list = await third
  t.equal(Buffer.from(list.bytes).toString(), 'a.ts\0')
  t.equal(await lists.of(territory, { withHidden: false }, new AbortController().signal), list, 'kept for who types on')
  t.equal(runs().length, 2)
  lists.close()
  t.equal(lists.size(), 0)
})

t.test('of the searches of one client one is at work, and the last one waits', async (t) => {
  const { territory, program, until, runs, finish } = slow(t)
  const search = createFileSearch({ ripgrep: program, path: '/usr/bin:/bin', workers: { run: async (_task: string, input: Parameters<typeof findPaths>[0]) => findPaths(input) } as unknown as Workers })
  const find = async (query: string, client = 'me', signal = new AbortController().signal) =>
    await search.find({ territory, query, limit: 10, client, signal }).then(({ found }) => found.map(({ path }) => path).join(), (error: Error) => error.message)
  const first = find('a')
  await until(() => runs().length === 1, first)
  const [second, third, another] = [find('a.'), find('a.t'), find('ts', 'you')]
  t.match(await second, /A newer search/)
  finish()
  t.same(await Promise.all([first, third, another]), ['a.ts', 'a.ts', 'a.ts'])
  search.close()
})

t.test('without ripgrep, and with too much of everything', async (t) => {
  const root = realpathSync(t.testdir({}))
  write(root, 'a/b.ts', 'node_modules/b.ts', '.git/b.ts', '.hidden/b.ts', ...Array.from({ length: 40 }, (_, at) => `many/${at}.ts`))
  const listed = async (limits = {}, withHidden = false) => {
    const lists = createPathLists({ ripgrep: 'no-such-ripgrep', path: '/usr/bin:/bin', limits })
    const { bytes, isPart } = await lists.of({ root, closed: [] }, { withHidden }, new AbortController().signal)
    lists.close()
    return { paths: Buffer.from(bytes).toString().split('\0').slice(0, -1), isPart, bytes }
  }
  const all = await listed()
  t.same([all.paths.length, all.isPart, all.paths.filter((path) => path.endsWith('b.ts'))], [41, false, ['a/b.ts']])
  t.same((await listed({}, true)).paths.filter((path) => path.endsWith('b.ts')).sort(), ['.hidden/b.ts', 'a/b.ts'])
  const part = await listed({ listBytes: 60 })
  t.ok(part.isPart && part.bytes.byteLength <= 60)
  t.same(findPaths({ territory: { root, closed: [join(root, 'a')] }, bytes: all.bytes, query: 'b.ts', limit: 5 }).found, [], 'what stays closed')
})
