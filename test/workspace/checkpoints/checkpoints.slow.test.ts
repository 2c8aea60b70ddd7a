import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import t from '#test'
import { onlyLooks } from '../../../services/agent/policy/index.js'
import { restoreFiles } from '../../../services/workspace/checkpoints/restore-task.js'
import { findIndexChanges } from '../../../services/workspace/checkpoints/index-changes-task.js'
import { type Answer, type TestLike } from '../../support/app.js'
import { eventually, gate, held, startChat, type ChatService } from '../../support/chat.js'
import { aheadBy } from '../../support/clock.js'
import { temporaryFolder } from '../../support/folder.js'
import { git, needsGit } from '../../support/git-repository.js'
import { spawnServer } from '../../support/server.js'

const needed = needsGit

/** Creates a temporary folder for the duration of the test; in the project's own folder, the project's repository would be around it. */
function kept (t: TestLike): string {
  const folder = temporaryFolder(t, 'checkpoints')
  return folder
}

/** Creates a PATH on which git waits before a command for as long as it is held there. */
function heldGit (folder: string): { path: string, hold: (command: string) => void, reached: () => boolean, release: () => void, running: () => string[] } {
  const bin = join(folder, 'bin')
  const own = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  mkdirSync(bin)
  writeFileSync(join(bin, 'git'), `#!/bin/sh
held=
[ ! -e '${bin}/hold' ] || read -r held < '${bin}/hold'
case " $* " in *" \${held:-nothing} "*)
  echo $$ >> '${bin}/reached'
  while [ -e '${bin}/hold' ]; do sleep 0.05; done
esac
exec '${own}' "$@"
`, { mode: 0o755 })
  const reached = (): string[] => existsSync(join(bin, 'reached')) ? read(bin, 'reached').trim().split('\n') : []
  return {
    path: `${bin}:${process.env.PATH}`,
    hold: (command) => {
      rmSync(join(bin, 'reached'), { force: true })
      writeFileSync(join(bin, 'hold'), `${command}\n`)
    },
    reached: () => reached().length > 0,
    release: () => rmSync(join(bin, 'hold'), { force: true }),
    running: () => reached().filter((pid) => existsSync(`/proc/${pid}`))
  }
}

let aheadMs = 0
const service = await startChat(t, { clock: aheadBy(() => aheadMs) })
let folders = 0

/** Creates a session in its own folder, which may do anything. */
async function place (on: ChatService = service, workspace = join(on.folder, `place-${++folders}`)): Promise<{ id: string, root: string, file: (name: string, content?: string) => string }> {
  mkdirSync(workspace, { recursive: true })
  const id = await on.newSession({ workspace })
  await on.post('/api/session/yolo', { session_id: id, enabled: true })
  return {
    id,
    root: workspace,
    file (name, content = `${name}\n`) {
      const path = join(workspace, name)
      mkdirSync(join(path, '..'), { recursive: true })
      writeFileSync(path, content)
      return path
    }
  }
}

type Calls = Array<{ tool: string, args: Record<string, unknown> }>
const calls = (on: ChatService, id: string, message: string, ...steps: Calls) => on.turn(id, message, on.model(...steps.map((step) => [step]), [{ text: 'Done.' }]))
const write = (path: string, content: string): Calls[number] => ({ tool: 'write_file', args: { path, content } })
const shell = (command: string): Calls[number] => ({ tool: 'terminal', args: { command } })
interface Row { id: string, checkpoint: string, kind: string, state: string, reason: string | null, session_id: string, stream_id: string | null, title: string, files_count: number | null }
const list = async (id: string, on: ChatService = service): Promise<Row[]> => (await on.get(`/api/rollback/list?session_id=${id}`)).body.checkpoints
const diff = async (id: string, checkpoint: string, on: ChatService = service): Promise<Answer> => await on.get(`/api/rollback/diff?session_id=${id}&checkpoint=${checkpoint}`)
const restore = async (id: string, checkpoint: string, more: object = {}, on: ChatService = service): Promise<Answer> => await on.post('/api/rollback/restore', { session_id: id, checkpoint, ...more })
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8')

t.test('commands that plainly only look', async (t) => {
  for (const command of ['ls -la', 'cat a | grep b', 'cd src && ls', 'pwd; ls', 'grep -r "two words" .', 'head -3 a.txt || true']) t.ok(onlyLooks(command), command)
  for (const command of ['', 'rm a', 'ls > a', 'cat $(rm a)', 'cat `rm a`', 'ls & rm a', 'X=1 ls', 'find . -delete', 'sed -i s/a/b/ c', 'sort -o a a', 'ls; rm a', 'ls\nrm a', 'python x', 'git log', './ls', 'cat <(rm a)', 'ls | tee a']) {
    t.notOk(onlyLooks(command), command)
  }
})

t.test('what a turn changes can be listed, compared and taken back', needed, async (t) => {
  const { id, root, file } = await place()
  file('kept.txt')
  file('changed.txt', 'one\ntwo\n')
  file('gone/deep.txt', 'deep\n')
  file('run.sh', 'echo\n')
  chmodSync(join(root, 'run.sh'), 0o755)
  symlinkSync('kept.txt', join(root, 'link'))
  const secret = `sk-${'a1'.repeat(20)}`
  const turn = await calls(service, id, `Change it, my key is ${secret} ${'and so on '.repeat(20)}`,
    write('changed.txt', 'one\nthree\n'), write('new/file.txt', 'new\n'), shell('rm -r gone; chmod -x run.sh; rm link; ln -s run.sh link'))
  const frame = turn.frames.find(({ event }) => event === 'checkpoint')
  const rows = await list(id)
  t.equal(rows.length, 1, 'one for the turn')
  t.match(rows[0], { kind: 'turn', state: 'ready', reason: null, session_id: id, stream_id: turn.streamId, files_count: 5, title: /^Change it, my key is \[redacted\] and so on/ })
  t.ok(rows[0]!.title.length <= 80)
  t.equal(rows[0]!.id, rows[0]!.checkpoint)
  t.match(frame?.data, { id: rows[0]!.id, state: 'ready', reason: null })

  const { status, body } = await diff(id, rows[0]!.id)
  t.equal(status, 200)
  t.match(body, { truncated: false, total_changes: 5 })
  t.same(body.files_changed, [
    { file: 'changed.txt', status: 'modified' }, { file: 'gone/deep.txt', status: 'deleted' }, { file: 'link', status: 'modified' },
    { file: 'new/file.txt', status: 'added' }, { file: 'run.sh', status: 'modified' }
  ])
  t.match(body.diff, /-two\n\+three/)
  t.notOk(body.diff.includes(service.folder))

  const restored = await restore(id, rows[0]!.id)
  t.match(restored, { status: 200, body: { ok: true, files_restored_count: 5, errors: [], safety_checkpoint: String } })
  t.same(restored.body.files_restored, ['changed.txt', 'gone/deep.txt', 'link', 'new/file.txt', 'run.sh'])
  t.equal(read(root, 'changed.txt'), 'one\ntwo\n')
  t.equal(read(root, 'gone', 'deep.txt'), 'deep\n')
  t.equal(readlinkSync(join(root, 'link')), 'kept.txt')
  t.ok(statSync(join(root, 'run.sh')).mode & 0o100)
  t.notOk(existsSync(join(root, 'new')), 'nor is its empty folder left')
  t.match((await diff(id, rows[0]!.id)).body, { total_changes: 0, diff: '' })
  t.same(readdirSync(root).sort(), ['changed.txt', 'gone', 'kept.txt', 'link', 'run.sh'], 'nothing else')

  const { safety_checkpoint: safety } = restored.body
  t.match((await list(id)).map(({ id, kind }) => [id, kind]), [[safety, 'restore'], [rows[0]!.id, 'turn']], 'the newest first')
  t.match((await restore(id, safety, { paths: ['./new/', 'changed.txt'] })).body, { ok: true, files_restored: ['changed.txt', 'new/file.txt'] }, 'only some of it, and undone')
  t.equal(read(root, 'changed.txt'), 'one\nthree\n')
  t.equal(read(root, 'new', 'file.txt'), 'new\n')
  t.ok(existsSync(join(root, 'gone', 'deep.txt')))
})

t.test('only before something is written', { ...needed, long: true }, async (t) => {
  const { id, file } = await place()
  file('a.txt')
  await calls(service, id, 'Look', { tool: 'read_file', args: { path: 'a.txt' } }, { tool: 'list_files', args: {} }, shell('ls && cat a.txt'))
  t.same(await list(id), [])
})

t.test('what is ignored is neither kept nor touched', needed, async (t) => {
  writeFileSync(join(service.folder, '.gitignore-of-user'), '*.mine\n')
  writeFileSync(join(service.folder, '.gitconfig'), `[core]\n\texcludesFile = ${join(service.folder, '.gitignore-of-user')}\n`)
  t.teardown(() => unlinkSync(join(service.folder, '.gitconfig')))
  const { id, root, file } = await place()
  git(root, 'init', '--quiet')
  file('.gitignore', 'built/\n*.log\n')
  file('.git/info/exclude', 'private\n')
  for (const name of ['built/out.js', 'a.log', 'private', 'x.mine', 'src/a.ts', '.agent-trash/t1/old.txt']) file(name, 'before\n')
  await calls(service, id, 'Go', shell('for f in built/out.js a.log private x.mine src/a.ts .agent-trash/t1/old.txt; do echo after > $f; done; echo > .gitignore; echo new > new.log; echo new > plain'))
  const [row] = await list(id)
  t.equal(row!.files_count, 2)
  const { body } = await restore(id, row!.id)
  t.same(body.errors, [])
  t.equal(read(root, 'src/a.ts'), 'before\n')
  t.equal(read(root, '.gitignore'), 'built/\n*.log\n')
  t.notOk(existsSync(join(root, 'plain')))
  for (const name of ['built/out.js', 'a.log', 'private', 'x.mine', '.agent-trash/t1/old.txt']) t.equal(read(root, name), 'after\n', `${name} is left, although its rule was gone for a while`)
  t.equal(read(root, 'new.log'), 'new\n')
  t.equal(git(root, 'status', '--porcelain', '--', '.git'), '')
})

t.test('a part of a repository follows the rules of the whole, unless the whole ignores it', { ...needed, long: true }, async (t) => {
  const outer = join(service.folder, 'outer')
  const part = await place(service, join(outer, 'packages', 'one'))
  git(outer, 'init', '--quiet')
  writeFileSync(join(outer, '.gitignore'), 'node_modules/\n/ignored/\n')
  part.file('node_modules/a/index.js')
  part.file('index.ts', 'before\n')
  await calls(service, part.id, 'Go', shell('echo after > index.ts; rm -r node_modules; echo outside > ../../top.txt'))
  const [row] = await list(part.id)
  t.equal(row!.files_count, 1)
  t.match((await restore(part.id, row!.id)).body, { ok: true, files_restored: ['index.ts'] })
  t.equal(read(part.root, 'index.ts'), 'before\n')
  t.ok(existsSync(join(outer, 'top.txt')), 'the rest of the repository is not its matter')

  const scratch = await place(service, join(outer, 'ignored'))
  scratch.file('a.txt', 'before\n')
  await calls(service, scratch.id, 'Go', write('a.txt', 'after\n'))
  const [other] = await list(scratch.id)
  t.equal(other!.files_count, 1)
  t.match((await restore(scratch.id, other!.id)).body, { files_restored: ['a.txt'] })
})

t.test('repositories in the workspace are kept with what is in them', { ...needed, long: true }, async (t) => {
  const { id, root, file } = await place()
  for (const name of ['one', 'two', 'one/vendor/three', 'empty']) {
    mkdirSync(join(root, name), { recursive: true })
    git(join(root, name), 'init', '--quiet')
    if (name !== 'empty') file(`${name}/a.txt`, 'before\n')
    if (name === 'one') git(join(root, name), 'commit', '--quiet', '--allow-empty', '--message', 'First')
  }
  file('one/.gitignore', '*.tmp\n')
  file('one/x.tmp')
  file('two/.git/info/exclude', 'y\n')
  file('two/y')
  file('top.txt')
  const head = read(root, 'one', '.git', 'HEAD')
  await calls(service, id, 'Go', shell('echo after > one/a.txt; rm two/a.txt; echo after > one/vendor/three/a.txt; echo > one/x.tmp; mkdir -p empty; echo new > empty/new.txt'))
  const [row] = await list(id)
  t.equal(row!.files_count, 5)
  const { body } = await diff(id, row!.id)
  t.same(body.files_changed.map(({ file }: { file: string }) => file), ['empty/new.txt', 'one/a.txt', 'one/vendor/three/a.txt', 'two/a.txt'])
  t.match((await restore(id, row!.id)).body, { ok: true, files_restored_count: 4 })
  for (const name of ['one/a.txt', 'two/a.txt', 'one/vendor/three/a.txt']) t.equal(read(root, name), 'before\n', name)
  t.equal(read(root, 'one', '.git', 'HEAD'), head)
  t.ok(existsSync(join(root, 'empty', '.git')))
  await calls(service, id, 'Again', shell('rm -rf two; echo 2 > top.txt'))
  const [second] = await list(id)
  t.match((await restore(id, second!.id)).body, { ok: false, files_restored: ['top.txt', 'two/a.txt'], errors: [{ file: 'two', error: /not its history/ }] }, 'a repository that is gone comes back without its history')
})

t.test('repositories that come and go are named', { ...needed, long: true }, async (t) => {
  const { id, root, file } = await place()
  git(root, 'init', '--quiet')
  for (const name of ['old', 'same']) {
    file(`${name}/a.txt`, 'before\n')
    git(join(root, name), 'init', '--quiet')
  }
  await calls(service, id, 'Go', shell('rm -rf old .git; mkdir -p cloned/lib; git init --quiet cloned; echo 1 > cloned/lib/x; echo 2 > cloned/y; echo after > same/a.txt; git init --quiet bare-new'))
  const [row] = await list(id)
  const part = (await restore(id, row!.id, { paths: ['same'] })).body
  t.match(part, { ok: true, files_restored: ['same/a.txt'], errors: [] }, 'only what was asked for')
  t.match((await restore(id, row!.id, { paths: ['cloned/lib'] })).body, { ok: false, files_restored: [], errors: [{ file: 'cloned/lib/x' }], safety_checkpoint: null })
  const { body } = await restore(id, row!.id)
  t.match(body, { ok: false, files_restored: ['old/a.txt'] })
  t.same(body.errors.map(({ file }: { file: string }) => file).sort(), ['.', 'bare-new', 'cloned', 'old'])
  t.equal(read(root, 'cloned', 'lib', 'x'), '1\n', 'a repository that came since is left alone')
  t.equal(read(root, 'old', 'a.txt'), 'before\n')
  const { body: forced } = await restore(id, row!.id, { force: true })
  t.same(forced.files_restored, ['cloned/lib/x', 'cloned/y'])
  t.notOk(existsSync(join(root, 'cloned', 'y')))
})

t.test('what is tracked although it is ignored is kept', { ...needed, long: true }, async (t) => {
  const { id, root, file } = await place()
  git(root, 'init', '--quiet')
  file('.gitignore', 'built/\n*.log\nlink/\n')
  for (const name of ['built/kept.js', 'built/other.js', 'deep/gone.log', 'plain.txt', 'real/inside']) file(name, 'before\n')
  file('link/file', 'before\n')
  git(root, 'add', '--force', 'built/kept.js', 'deep/gone.log', 'link/file', 'plain.txt')
  rmSync(join(root, 'link'), { recursive: true })
  symlinkSync('real', join(root, 'link'))
  file('real/file', 'behind a link\n')
  const index = readFileSync(join(root, '.git', 'index'))
  const { mtimeMs } = statSync(join(root, '.git', 'index'))
  await calls(service, id, 'Go', shell('for f in built/kept.js built/other.js plain.txt; do echo after > $f; done; rm -r deep'))
  const [row] = await list(id)
  t.match(row, { state: 'ready', reason: null })
  const { body } = await diff(id, row!.id)
  t.same(body.files_changed.map(({ file }: { file: string }) => file), ['built/kept.js', 'deep/gone.log', 'plain.txt'])
  t.match((await restore(id, row!.id)).body, { ok: true, files_restored: ['built/kept.js', 'deep/gone.log', 'plain.txt'] })
  t.equal(read(root, 'built', 'other.js'), 'after\n')
  t.ok(readFileSync(join(root, '.git', 'index')).equals(index))
  t.equal(statSync(join(root, '.git', 'index')).mtimeMs, mtimeMs, 'the index of the user is as it was')
  unlinkSync(join(root, '.git', 'index'))
  execFileSync('mkfifo', [join(root, '.git', 'index')])
  t.match((await calls(service, id, 'Again', write('plain.txt', 'again\n'))).last.event, 'stream_end')
  t.match((await list(id))[0], { title: 'Again', state: 'ready' }, 'an index that is a pipe is not opened')
})

t.test('an index that names what is not its own is not believed', { long: true }, async (t) => {
  const folder = kept(t)
  const top = join(folder, 'top')
  for (const name of ['top/own/deep/a.txt', 'top/inner/.git/HEAD', 'top/inner/a.txt', 'top/.git/config', 'outside/a.txt']) {
    mkdirSync(join(folder, name, '..'), { recursive: true })
    writeFileSync(join(folder, name), 'a')
  }
  symlinkSync('../outside', join(top, 'link'))
  const names = ['own/deep/a.txt', 'own/deep/a.txt', '../outside/a.txt', 'own/../../outside/a.txt', join(folder, 'outside', 'a.txt'), 'link/a.txt', 'inner/a.txt', '.git/config', '.GIT/config', 'own//deep/a.txt', 'own', '', 'gone']
  const none = Buffer.alloc(0)
  const { added, count } = findIndexChanges({ top, listing: none, changes: none, closed: [], tracked: Buffer.from(names.map((name) => `${name}\0`).join('')), maxFileBytes: 10 })
  t.same(added.map((portion) => Buffer.from(portion).toString()), ['own/deep/a.txt\0'])
  t.equal(count, 1)
})

t.test('a change that no checkpoint holds is named', { ...needed, long: true }, async (t) => {
  const { id, file } = await place()
  file('.GIT/config', 'before\n')
  file('a.txt', 'before\n')
  await calls(service, id, 'Go', write('a.txt', 'after\n'))
  const [row] = await list(id)
  t.match(row, { reason: 'Left out, as too large or not readable: .GIT/config.' })
  t.match((await restore(id, row!.id)).body, { ok: true, errors: [] }, 'it is as it was')
  file('.GIT/config', 'after it all\n')
  t.match((await restore(id, row!.id)).body, { ok: false, files_restored: [], errors: [{ file: '.GIT/config' }], safety_checkpoint: null })
})

t.test('a hostile workspace runs nothing and holds up nothing', { ...needed, long: true }, async (t) => {
  const { id, root, file } = await place()
  const mark = join(service.folder, 'ran')
  const evil = `touch ${mark}`
  git(root, 'init', '--quiet')
  for (const [key, value] of [['filter.evil.clean', evil], ['filter.evil.smudge', evil], ['filter.evil.process', evil], ['filter.evil.required', 'true'], ['core.fsmonitor', evil], ['diff.evil.textconv', evil], ['diff.evil.command', evil],
    ['core.hooksPath', join(root, 'hooks')], ['diff.external', evil], ['core.pager', evil], ['core.autocrlf', 'true']]) git(root, 'config', key!, value!)
  for (const hook of ['post-index-change', 'post-checkout', 'reference-transaction', 'pre-auto-gc']) {
    file(`hooks/${hook}`, `#!/bin/sh\n${evil}\n`)
    chmodSync(join(root, 'hooks', hook), 0o755)
  }
  file('.gitattributes', '* filter=evil diff=evil text eol=crlf ident working-tree-encoding=UTF-16\n')
  file('crlf.txt', 'a\r\nb\n$Id$\n')
  file('.gitignore', `${'a*'.repeat(200)}b\n`.repeat(500))
  const bytes = Buffer.from('not \xff utf-8', 'latin1')
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), bytes]), 'before\n')
  for (const name of ['with\nnewline', 'with "quotes" \'and\' \\', '-rf', ' space ', 'glob*[a]', '.GIT']) writeFileSync(join(root, name), 'before\n')
  execFileSync('mkfifo', [join(root, 'pipe')])
  symlinkSync('loop', join(root, 'loop'))
  symlinkSync('/etc', join(root, 'etc'))
  file('folder/inside', 'before\n')
  const turn = await calls(service, id, 'Go', shell('for f in *; do [ -f "$f" ] && ! [ -L "$f" ] && echo after > "$f"; done; rm -r folder; ln -s /tmp folder; rm pipe loop'))
  t.equal(turn.last.event, 'stream_end')
  const [row] = await list(id)
  t.match(row, { state: 'ready', reason: 'Left out, as too large or not readable: .GIT.' })
  const { body } = await diff(id, row!.id)
  t.match(body.diff, /-before\n\+after/, 'its own drivers do not show differences')
  const { body: restored } = await restore(id, row!.id)
  t.same(restored.errors, [])
  t.equal(read(root, 'crlf.txt'), 'a\r\nb\n$Id$\n', 'bytes are exact')
  for (const name of ['with\nnewline', 'with "quotes" \'and\' \\', '-rf', ' space ', 'glob*[a]', 'folder/inside']) t.equal(read(root, name), 'before\n', name)
  t.equal(readFileSync(Buffer.concat([Buffer.from(`${root}/`), bytes]), 'utf8'), 'before\n')
  t.ok(lstatSync(join(root, 'folder')).isDirectory())
  t.equal(readlinkSync(join(root, 'loop')), 'loop')
  t.notOk(existsSync(mark), 'nothing ran')
  t.notOk(existsSync('/tmp/inside'))
})

t.test('files that cannot be read are left out and left alone', { ...needed, ...(process.getuid?.() === 0 ? { skip: 'root reads everything' } : {}), long: true }, async (t) => {
  const { id, root, file } = await place()
  chmodSync(file('closed.txt'), 0o000)
  file('open.txt', 'before\n')
  await calls(service, id, 'Go', write('open.txt', 'after\n'))
  const [row] = await list(id)
  t.match(row, { state: 'ready', reason: /closed\.txt/ })
  chmodSync(join(root, 'closed.txt'), 0o644)
  t.match((await restore(id, row!.id)).body, { ok: false, files_restored: ['open.txt'], errors: [{ file: 'closed.txt' }] })
  t.ok(existsSync(join(root, 'closed.txt')))
})

t.test('nothing is put back outside, whatever is swapped', async (t) => {
  const folder = kept(t)
  const [root, source, outside] = ['root', 'source', 'outside'].map((name) => join(folder, name)) as [string, string, string]
  for (const each of [join(source, 'a', 'b'), join(outside, 'b'), root]) mkdirSync(each, { recursive: true })
  writeFileSync(join(source, 'a', 'b', 'file'), 'new')
  writeFileSync(join(outside, 'b', 'file'), 'theirs')
  symlinkSync(outside, join(root, 'a'))
  const names = Buffer.from('a/b/file\0')
  const none = Buffer.alloc(0)
  for (const order of [{ removed: names, placed: none }, { removed: none, placed: names }]) {
    t.match(restoreFiles({ root, closed: [], source, ...order }), { done: [], errors: [{ file: 'a/b/file', error: /Something else/ }] })
  }
  t.equal(read(outside, 'b', 'file'), 'theirs')
  unlinkSync(join(root, 'a'))
  symlinkSync(root, join(folder, 'link'))
  t.throws(() => restoreFiles({ root: join(folder, 'link'), closed: [], source, removed: none, placed: names }))
  t.match(restoreFiles({ root, closed: [join(root, 'a')], source, removed: none, placed: names }), { done: [], errors: [{ error: /service itself/ }] })
  t.match(restoreFiles({ root, closed: [], source, removed: none, placed: names }), { done: ['a/b/file'], errors: [] })
  chmodSync(join(root, 'a', 'b', 'file'), 0o600)
  writeFileSync(join(source, 'a', 'b', 'file'), 'newer')
  restoreFiles({ root, closed: [], source, removed: none, placed: names })
  t.equal(statSync(join(root, 'a', 'b', 'file')).mode & 0o777, 0o600, 'who may read it stays')
  t.match(restoreFiles({ root, closed: [], source, removed: none, placed: names }), { done: [] }, 'it is there already')
  t.match(restoreFiles({ root, closed: [], source, removed: names, placed: none }), { done: ['a/b/file'] })
  t.same(readdirSync(root), [])
})

t.test('two turns in one workspace have one each; sub-agents have none of their own', { ...needed, long: true }, async (t) => {
  const { id, root, file } = await place()
  file('a.txt', '0\n')
  const other = (await place(service, root)).id
  await Promise.all([calls(service, id, 'One', write('a.txt', '1\n'), write('b.txt', '1\n')), calls(service, other, 'Two', write('c.txt', '2\n'))])
  const rows = await list(id)
  t.same(rows.map(({ title }) => title).sort(), ['One', 'Two'])
  t.same(new Set(rows.map(({ session_id: session }) => session)), new Set([id, other]))

  const model = service.model([{ tool: 'delegate', args: { task: 'Write it' } }], [write('d.txt', 'sub\n')], [{ text: 'Written.' }], [write('e.txt', 'own\n')], [{ text: 'Done.' }])
  const { streamId } = await service.turn(id, 'Three', model)
  const [newest, ...rest] = await list(id)
  t.match(newest, { stream_id: streamId, session_id: id, title: 'Three' })
  t.equal(rest.length, 2)
  await restore(id, newest!.id)
  t.notOk(existsSync(join(root, 'd.txt')), 'what its sub-agent has done is taken back with it')
  t.ok(existsSync(join(root, 'c.txt')))
})

t.test('not while a turn runs there', needed, async (t) => {
  const { id, root, file } = await place()
  file('a.txt', '0\n')
  await calls(service, id, 'Go', write('a.txt', '1\n'))
  const [row] = await list(id)
  const open = gate()
  const below = join(root, 'below')
  const other = (await place(service, below)).id
  const streamId = await service.send(other, 'Wait', { model: service.model(held(open, [{ text: 'Well' }], [])) })
  t.match(await restore(id, row!.id), { status: 409, body: { code: 'active_stream', active_stream_id: streamId } })
  open.open()
  await (await service.watch(streamId)).ended
  t.match(await restore(id, row!.id), { status: 200, body: { ok: true } })
})

t.test('what cannot be asked for', { ...needed, long: true }, async (t) => {
  const { id, root, file } = await place()
  file('a.txt', '0\n')
  await calls(service, id, 'Go', write('a.txt', '1\n'))
  const [row] = await list(id)
  const elsewhere = (await place()).id
  const { workspace } = await service.session(id)
  t.match(await service.get('/api/rollback/list'), { status: 400 })
  t.match(await service.get('/api/rollback/list?session_id=nobody'), { status: 404, body: { error: 'Session not found' } })
  t.match(await service.get('/api/rollback/list?workspace=/etc'), { status: 404, body: { error: 'Workspace not found' } })
  t.match(await service.get(`/api/rollback/list?workspace=${workspace}`), { status: 200, body: { workspace, checkpoint_dir: '', checkpoints: [{ id: row!.id }] } })
  t.match(await service.get(`/api/rollback/diff?session_id=${id}`), { status: 400, body: { error: /checkpoint/ } })
  for (const [session, checkpoint] of [[id, 'nothing'], [id, '../../x'], [elsewhere, row!.id]] as const) {
    t.match(await diff(session, checkpoint), { status: 404, body: { error: 'Checkpoint not found' } })
    t.match(await restore(session, checkpoint), { status: 404 })
    t.match(await service.get(`/api/rollback/file?session_id=${session}&checkpoint=${checkpoint}&path=a.txt`), { status: 404 })
  }
  t.match(await restore(id, row!.id, { paths: 'a.txt' }), { status: 400 })
  for (const paths of [[], [''], ['../../etc/passwd'], ['a.txt', '/etc'], ['x/../..'], ['..'], ['a\0.txt'], [`${root}x`]]) {
    t.match(await restore(id, row!.id, { paths }), { status: 400 }, JSON.stringify(paths))
  }
  t.match(await restore(id, row!.id, { paths: ['nothing', '..a', join(root, 'nor-this')] }), { status: 200, body: { ok: true, files_restored: [], safety_checkpoint: null } })
  t.equal((await list(id)).length, 1, 'what changes nothing is not kept')
  t.match(await restore(id, row!.id, { paths: [join(root, 'a.txt')] }), { status: 200, body: { ok: true, files_restored: ['a.txt'], safety_checkpoint: String } })
  for (const again of [{}, { paths: ['.'] }]) t.match(await restore(id, row!.id, again), { status: 200, body: { ok: true, files_restored: [], safety_checkpoint: null } })
  t.equal((await list(id)).length, 2, 'repeating it drives nothing out')
  writeFileSync(join(root, 'a.txt'), '1\n')
  service.app.db.sqlite.prepare('update sessions set read_only = 1 where id = ?').run(id)
  t.match(await restore(id, row!.id), { status: 403 })
  t.equal((await diff(id, row!.id)).status, 200)
  await service.post('/api/session/delete', { session_id: id })
  t.match(await service.post('/api/rollback/restore', { workspace, checkpoint: row!.id, paths: null }), { status: 200, body: { ok: true, files_restored: ['a.txt'] } }, 'the past of a folder outlives the conversation')
  t.equal(read(root, 'a.txt'), '0\n')
})

t.test('what is too large is skipped, and said once', { ...needed, long: true }, async (t) => {
  const { limits } = service.there.checkpoints
  const usual = { ...limits }
  t.teardown(() => Object.assign(limits, usual))
  const warnings = (turn: { frames: Array<{ event: string, data: any }> }): string[] => turn.frames.filter(({ event, data }) => event === 'warning' && data.type === 'checkpoint_skipped').map(({ data }) => data.message) // eslint-disable-line @typescript-eslint/no-explicit-any -- frames of the wire
  const { id, root, file } = await place()
  for (let n = 0; n < 5; n++) file(`f${n}`, 'x'.repeat(1_000))

  Object.assign(limits, { files: 4 })
  const first = await calls(service, id, 'Go', write('f0', 'y'))
  t.match(warnings(first), [/cannot be undone: The folder holds more than 4 files/])
  t.equal(read(root, 'f0'), 'y', 'the turn goes on')
  t.same(warnings(await calls(service, id, 'Go', write('f0', 'z'))), [], 'once')
  const [skipped] = await list(id)
  t.match(skipped, { state: 'skipped', reason: 'The folder holds more than 4 files that are not ignored.', files_count: null })
  t.match(await diff(id, skipped!.id), { status: 404, body: { code: 'skipped' } })
  t.match(await restore(id, skipped!.id), { status: 404, body: { code: 'skipped' } })

  Object.assign(limits, { files: 100, newBytes: 3_000 })
  t.match(warnings(await calls(service, id, 'Go', write('f0', 'y'))), [/have to be stored anew/], 'another reason is told again')

  Object.assign(limits, usual, { fileBytes: 2_000 })
  file('large', 'L'.repeat(5_000))
  await calls(service, id, 'Go', shell('echo short > large; head -c 9000 /dev/zero > f1; rm f2'))
  const [row] = await list(id)
  t.match(row, { state: 'ready', reason: 'Left out, as too large or not readable: large.', files_count: 5 })
  const { body } = await restore(id, row!.id)
  t.match(body, { ok: false, files_restored: ['f2'] })
  t.same(body.errors.map(({ file }: { file: string }) => file).sort(), ['f1', 'large'], 'what is not held on either side is left alone')
  t.equal(read(root, 'large'), 'short\n')
  t.match((await restore(id, row!.id, { force: true })).body, { files_restored: ['f1'] })

  Object.assign(limits, { files: 1 })
  t.match(await restore(id, row!.id), { status: 409, body: { code: 'no_safety_checkpoint' } })
  t.match(await diff(id, row!.id), { status: 413, body: { code: 'too_large' } })
  writeFileSync(join(root, 'f3'), 'changed')
  t.match(await restore(id, row!.id, { force: true }), { status: 200, body: { files_restored: ['f3'], safety_checkpoint: null } })
})

for (const name of ['.gitignore', 'deep/down/.gitignore', 'deep/.gitattributes', 'deep/other/.git/HEAD', '.git/info/exclude', '.git/config', '.git/HEAD']) {
  const isOpened = /^(?!\.git\/)/.test(name)
  t.test(`a pipe in the place of ${name} holds nothing up`, { ...needed, long: true }, async (t) => {
    const { id, root, file } = await place()
    if (!isOpened) git(root, 'init', '--quiet')
    file('a.txt')
    file(`${name}x`)
    rmSync(join(root, name), { force: true })
    execFileSync('mkfifo', [join(root, name)])
    t.equal((await calls(service, id, 'Go', write('a.txt', 'after\n'))).last.event, 'stream_end')
    t.match(await list(id), [isOpened ? { state: 'skipped', reason: `${name} is a pipe or a device: git would wait for it for ever.` } : { state: 'ready' }])
    unlinkSync(join(root, name))
    await calls(service, id, 'Again', write('a.txt', 'again\n'))
    t.match(await list(id), [{ title: 'Again', state: 'ready' }, {}], 'and then all is well')
  })
}

t.test('a git that does not end is ended, and the line goes on', { ...needed, long: true }, async (t) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const stuck = heldGit(kept(t))
  const on = await service.again(t, kept(t), { env: { PATH: stuck.path } })
  t.teardown(() => stuck.release())
  // The first checkpoint must exist even if the machine is busy.
  const { limits } = on.there.checkpoints
  Object.assign(limits, { timeMs: 60_000 })
  const usual = { ...limits }
  const { id, root, file } = await place(on)
  file('a.txt')
  await calls(on, id, 'First', write('a.txt', 'before\n'))
  const [first] = await list(id, on)
  t.match(first, { state: 'ready' })
  Object.assign(limits, { timeMs: 1_500 })
  stuck.hold('ls-files')
  const collecting = setInterval(collect, 500) // a time limit that nothing references is collected
  t.teardown(() => clearInterval(collecting))
  t.match(await diff(id, first!.id, on), { status: 503, body: { code: 'timeout' } })
  const other = (await place(on, root)).id
  const turns = await Promise.all([id, other].map(async (session) => await calls(on, session, 'Go', write('a.txt', 'after\n'))))
  for (const { last, frames } of turns) {
    t.equal(last.event, 'stream_end')
    t.match(frames.find(({ event }) => event === 'warning')?.data, { type: 'checkpoint_skipped' }, 'whoever only waited for it as well')
  }
  t.match(await list(id, on), [{ state: 'skipped', reason: /longer than 1.5 s/ }, { state: 'skipped', reason: /longer than 1.5 s/ }, { title: 'First' }])
  t.ok(stuck.reached())
  t.same(stuck.running(), [], 'no git is left')
  stuck.release()
  Object.assign(limits, usual)
  t.equal((await calls(on, id, 'Go', write('a.txt', 'after\n'))).last.event, 'stream_end')
  t.match(await list(id, on), [{ state: 'skipped' }, { state: 'skipped' }, { state: 'skipped' }, {}], 'it is not tried at every turn')
  aheadMs += 11 * 60_000
  await calls(on, id, 'Go', write('a.txt', 'later\n'))
  t.match(await list(id, on), [{ state: 'ready' }, {}, {}, {}, {}], 'but later again')
})

t.test('so many are kept, and so much', { ...needed, long: true }, async (t) => {
  const { limits } = service.there.checkpoints
  const usual = { ...limits }
  t.teardown(() => Object.assign(limits, usual))
  Object.assign(limits, { checkpoints: 3 })
  const { id, root, file } = await place()
  for (let n = 0; n < 5; n++) {
    file('a.txt', `${n}\n`)
    await calls(service, id, `Turn ${n}`, write('a.txt', 'after\n'))
  }
  const rows = await list(id)
  t.same(rows.map(({ title }) => title), ['Turn 4', 'Turn 3', 'Turn 2'])
  const store = join(service.folder, 'home', 'webui', 'checkpoints')
  t.equal(statSync(store).mode & 0o077, 0)
  const own = readdirSync(store).map((name) => join(store, name)).find((folder) => read(folder, 'workspace') === root)!
  t.equal(statSync(own).mode & 0o077, 0)
  t.equal(git(own, '--git-dir', own, 'for-each-ref', 'refs/checkpoints').split('\n').length, 3)

  await service.there.checkpoints.tidy()
  t.match(await restore(id, rows[2]!.id), { status: 200, body: { ok: true } }, 'tidying keeps what is listed')
  t.equal(read(root, 'a.txt'), '2\n')
  const before = (await list(id)).length
  writeFileSync(join(root, 'noise'), execFileSync('head', ['-c', '600000', '/dev/urandom']))
  await calls(service, id, 'Large', write('a.txt', 'after\n'))
  Object.assign(limits, { storedBytes: 300_000 })
  await service.there.checkpoints.tidy()
  t.ok((await list(id)).length < before, 'the oldest are given up')
  Object.assign(limits, usual)
  await calls(service, id, 'On', write('a.txt', 'later\n'))
  const [last] = await list(id)
  t.match(last, { title: 'On', state: 'ready' })
  t.match((await restore(id, last!.id)).body, { ok: true, files_restored: ['a.txt'] })

  Object.assign(limits, { goneS: 0 })
  rmSync(root, { recursive: true })
  await service.there.checkpoints.tidy()
  t.notOk(existsSync(own), 'a workspace that is gone takes its past along')
  t.same(await list(id), [])
})

t.test('checkpoints outlive the service', needed, async (t) => {
  const folder = kept(t)
  const first = await service.again(t, folder)
  const { id, root, file } = await place(first)
  file('a.txt', 'before\n')
  await calls(first, id, 'Go', write('a.txt', 'after\n'))
  const [row] = await list(id, first)
  await first.stop()
  const checkpoints = join(folder, 'home', 'webui', 'checkpoints')
  const own = join(checkpoints, readdirSync(checkpoints)[0]!)
  for (const run of readdirSync(own).filter((name) => name.startsWith('run-'))) {
    for (const name of readdirSync(join(own, run))) if (name.endsWith('.index')) writeFileSync(join(own, run, `${name}.lock`), '')
  }
  const second = await service.again(t, folder)
  t.match(await restore(id, row!.id, {}, second), { status: 200, body: { ok: true, files_restored: ['a.txt'] } }, 'whatever a kill has left locked')
  t.equal(read(root, 'a.txt'), 'before\n')
  for (const name of readdirSync(own)) if (name.startsWith('run-')) for (const file of readdirSync(join(own, name))) writeFileSync(join(own, name, file), 'broken')
  await second.stop()
  const third = await service.again(t, folder)
  await third.post('/api/session/yolo', { session_id: id, enabled: true })
  await calls(third, id, 'More', write('a.txt', 'more\n'))
  t.match(await list(id, third), [{ title: 'More', state: 'ready' }, {}, {}], 'a broken index is made anew')
  t.same(third.there.checkpoints.size(), { stores: 1, taking: 0 })
  rmSync(own, { recursive: true })
  await third.stop()
  const fourth = await service.again(t, folder)
  t.equal((await diff(id, row!.id, fourth)).status, 503, 'the store was removed by hand')
  t.same(await list(id, fourth), [], 'and what it held with it')
})

t.test('a service that is killed in the middle', { ...needed, long: true }, async (t) => {
  const folder = kept(t)
  const stuck = heldGit(kept(t))
  t.teardown(() => stuck.release())
  const root = join(folder, 'workspace')
  const names = Array.from({ length: 400 }, (_, index) => `f${index}`)
  mkdirSync(root)
  for (const name of names) writeFileSync(join(root, name), 'before\n')
  const open = async () => await spawnServer(t, folder, { PATH: stuck.path, OPENAI_BASE_URL: service.endpoint.url, OPENAI_API_KEY: 'test-key-12345' })
  const begin = async (server: Awaited<ReturnType<typeof open>>, message: string, command: string): Promise<string> => {
    const model = service.model([shell(command)], [{ text: 'Done.' }])
    const { session: { session_id: id } } = await server.json('/api/session/new', { model, model_provider: 'openai' })
    await server.json('/api/session/yolo', { session_id: id, enabled: true })
    await server.json('/api/chat/start', { session_id: id, message })
    return id
  }
  const ended = async (server: Awaited<ReturnType<typeof open>>, id: string) => await eventually('the end of the turn', async () => (await server.json(`/api/session?session_id=${id}`)).session.active_stream_id == null)
  const rows = async (server: Awaited<ReturnType<typeof open>>, id: string): Promise<Row[]> => (await server.json(`/api/rollback/list?session_id=${id}`)).checkpoints

  const first = await open()
  t.not(first.url, '', first.output())
  stuck.hold('write-tree')
  await begin(first, 'Killed', 'echo never > f0')
  await eventually('the snapshot', () => stuck.reached())
  await first.crash()

  const second = await open()
  stuck.release() // leftovers of the first one keep running meanwhile
  const id = await begin(second, 'Next', 'for f in f*; do echo after > $f; done; echo new > new')
  await ended(second, id)
  const [row, ...more] = await rows(second, id)
  t.match(row, { title: 'Next', state: 'ready', files_count: names.length })
  t.same(more, [], 'nothing is left of the other')
  stuck.hold('checkout-index')
  const restoring = second.json('/api/rollback/restore', { session_id: id, checkpoint: row!.id }).catch(() => null)
  await eventually('the restore', () => stuck.reached())
  await second.crash()
  t.equal(await restoring, null)
  stuck.release()

  const third = await open()
  const [safety] = await rows(third, id)
  t.match(safety, { kind: 'restore', state: 'ready' }, 'what was there before is kept')
  const again = third.json('/api/rollback/restore', { session_id: id, checkpoint: row!.id }).catch(() => null)
  await eventually('the first file', () => read(root, 'f0') === 'before\n')
  await third.crash() // at whatever point it is
  await again

  const fourth = await open()
  const restored = async (checkpoint: string) => await fourth.json('/api/rollback/restore', { session_id: id, checkpoint })
  t.match(await restored(row!.id), { ok: true, errors: [] })
  t.same(names.filter((name) => read(root, name) !== 'before\n'), [])
  t.same(readdirSync(root).sort(), [...names].sort(), 'nothing else, and no half of a file')
  t.match(await restored(safety!.id), { ok: true, errors: [] })
  t.same([...names, 'new'].filter((name) => read(root, name) === 'before\n'), [], 'and it can be undone')
  t.equal((await third.exited), 'SIGKILL')
})

t.test('where git is missing everything else works', async (t) => {
  const without = await startChat(t, { env: { PATH: '/nonexistent' } })
  const { id, root } = await place(without)
  const turn = await calls(without, id, 'Go', write('a.txt', 'written\n'))
  t.equal(read(root, 'a.txt'), 'written\n')
  t.match(turn.frames.find(({ event }) => event === 'warning')?.data, { type: 'checkpoint_skipped', message: /git.*not installed/ })
  t.match(await list(id, without), [{ state: 'skipped', reason: /not installed/ }])
})
