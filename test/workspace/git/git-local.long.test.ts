import { chownSync, existsSync, renameSync, unlinkSync, writeFileSync } from 'node:fs'
import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from '#test'
import { createSystemGit } from '../../../services/workspace/git/system/index.js'
import { gitEngineSuite } from '../../support/git-engine/index.js'
import { emptyRepository, gitScratch, hostileInside, hostileRepository, needsGit, smallRepository } from '../../support/git-repository.js'

const engine = createSystemGit()
gitEngineSuite(t, 'git', engine)

t.test('a pipe in place of the file that names a linked work tree does not block', needsGit, async (t) => {
  const { root, git } = smallRepository(t)
  const linked = join(root, '..', 'linked')
  git('worktree', 'add', '--quiet', linked)
  t.ok(await engine.info(linked))
  const back = join(root, '.git', 'worktrees', 'linked', 'gitdir')
  unlinkSync(back)
  spawnSync('mkfifo', [back])
  const read = engine.branches(linked).then(() => 'read', (error: { code?: string }) => error.code)
  const outcome = await Promise.race([read, delay(10_000, 'blocked', { ref: false })])
  t.equal(outcome, 'not_a_repo')
  // A writer ends the read, so that the test ends too.
  if (outcome === 'blocked') spawnSync('timeout', ['2', 'sh', '-c', ': > "$0"', back])
})

t.test('a hostile repository runs nothing, whatever is done in it', needsGit, async (t) => {
  const repository = smallRepository(t)
  const { root, write, git, commitAll } = repository
  const library = emptyRepository(join(root, '..', 'library'))
  library.write('x')
  library.commitAll('Library')
  git('submodule', '--quiet', 'add', library.root, 'vendored')
  for (const name of ['one.diff', 'two.diff', 'x.evil', 'x.process', 'x.later']) write(name, '1\n2\n3\n')
  commitAll('Files')
  git('switch', '--quiet', '--create', 'other')
  write('one.diff', 'other\n')
  commitAll('Other')
  git('switch', '--quiet', '--create', 'filtered')
  write('x.evil', 'other\n')
  commitAll('Filtered')
  git('switch', '--quiet', 'main')
  const signed = git('cat-file', 'commit', 'HEAD').replace('\n\n', '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n eA==\n -----END PGP SIGNATURE-----\n\n')
  git('update-ref', 'refs/heads/main', repository.gitWith(`${signed}\n`, 'hash-object', '-t', 'commit', '-w', '--stdin'))
  const { traces } = hostileRepository(repository)
  const inner = join(root, '.git', 'modules', 'vendored')
  git('config', 'submodule.vendored.ignore', 'none')
  hostileInside(repository, inner)
  write('vendored/x', 'changed\n')
  const embedded = emptyRepository(join(root, 'embedded'))
  embedded.write('x')
  embedded.commitAll('Embedded')
  hostileInside(repository, join(embedded.root, '.git'))
  embedded.write('x', 'changed\n')
  const attempt = async (what: string, work: Promise<unknown>) => {
    await work.catch((error: { code?: string, message: string }) => { t.fail(`${what}: ${error.message}`) })
    t.equal(traces(), '', what)
  }

  for (const name of ['one.diff', 'two.diff']) write(name, 'changed\n')
  write('new.diff', 'new\n')
  await attempt('status', engine.status(root))
  await attempt('info', engine.info(root))
  await attempt('branches', engine.branches(root))
  for (const path of ['one.diff', 'new.diff', 'x.evil', 'x.process', 'vendored']) await attempt(`diff ${path}`, engine.diff(root, path, 'unstaged'))
  await attempt('stage', engine.stage(root, ['one.diff', 'new.diff', 'vendored']))
  await attempt('stage all there is in a folder', engine.stage(root, ['vendored', '.gitmodules']))
  await t.rejects(engine.stage(root, ['embedded']), { name: 'Invalid' })
  t.equal(traces(), '')
  await attempt('staged diff', engine.diff(root, 'one.diff', 'staged'))
  await attempt('unstage', engine.unstage(root, ['new.diff']))
  await attempt('describe', engine.changesToDescribe(root, null))
  await attempt('describe', engine.changesToDescribe(root, ['.']))
  await attempt('commit', engine.commit(root, 'Mine'))
  await attempt('commit selected', engine.commitSelected(root, 'Chosen', ['two.diff', 'new.diff']))
  await attempt('log', engine.log(root, { limit: 10, offset: 0 }))
  await attempt('show', engine.show(root, 'HEAD'))
  await attempt('show', engine.show(root, 'other'))
  write('two.diff', 'again\n')
  unlinkSync(join(root, 'new.diff'))
  await attempt('discard', engine.discard(root, ['two.diff', 'new.diff'], { deleteUntracked: true }))
  await attempt('checkout', engine.checkout(root, { ref: 'other', mode: 'local' }))
  await attempt('checkout', engine.checkout(root, { ref: 'HEAD', mode: 'new', newBranch: 'third' }))
  write('one.diff', 'stashed\n')
  write('y.diff', 'untracked\n')
  await attempt('stash', engine.stashCheckout(root, { ref: 'main', mode: 'local' }))
  write('one.diff', 'on main\n')
  await attempt('stashes', engine.stashes(root))
  await attempt('stash and restore', engine.stashCheckout(root, { ref: 'third', mode: 'local' }))
  // A merge of the stash with what came meanwhile.
  await engine.commitSelected(root, 'Third', ['.'])
  write('one.diff', 'third\n')
  await attempt('stash again', engine.stashCheckout(root, { ref: 'other', mode: 'local' }))
  git('branch', '--force', 'third', 'main')
  await attempt('restore with a merge', engine.stashCheckout(root, { ref: 'third', mode: 'local' }))
  t.equal(traces(), '')

  const refused = { name: 'Invalid', code: 'filtered_path' }
  await t.rejects(engine.stashCheckout(root, { ref: 'filtered', mode: 'local' }), refused)
  t.equal(repository.read('x.evil'), '1\n2\n3\n')
  for (const name of ['x.evil', 'x.process', 'x.later']) {
    write(name, 'changed\n')
    await t.rejects(engine.stage(root, [name]), refused, name)
    await t.rejects(engine.commitSelected(root, 'x', ['.']), refused, name)
    await t.rejects(engine.discard(root, [name], { deleteUntracked: false }), refused, name)
    await t.rejects(engine.stashCheckout(root, { ref: 'main', mode: 'local' }), refused, name)
    t.equal(repository.read(name), 'changed\n')
  }
  t.equal(traces(), '')
  spawnSync('git', ['status'], { cwd: root })
  t.not(traces(), '', 'the same repository harms whoever calls git plainly')
})

t.test('a checkout writes no file that a program would have to unpack', needsGit, async (t) => {
  const { root, write, git, commitAll, read } = smallRepository(t)
  const refused = { name: 'Invalid', code: 'filtered_path', message: /picture/ }
  git('config', '--global', 'filter.large.smudge', 'false')
  git('config', '--global', 'filter.large.clean', 'cat')
  git('branch', 'before')
  write('.gitattributes', '*.bin filter=large\n')
  write('picture.bin', 'pointer\n')
  commitAll('Large')
  write('picture.bin', 'a large picture\n')
  git('update-index', '--assume-unchanged', 'picture.bin')
  git('branch', 'same')
  git('symbolic-ref', 'HEAD', 'refs/heads/same')
  write('a', 'more\n')
  git('commit', '--quiet', '--message', 'More', 'a')
  await engine.checkout(root, { ref: 'main', mode: 'local' })
  t.equal(read('picture.bin'), 'a large picture\n', 'what is the same on both branches is not touched')
  git('update-index', '--no-assume-unchanged', 'picture.bin')
  write('picture.bin', 'pointer\n')
  await engine.checkout(root, { ref: 'before', mode: 'local' })
  for (const mode of ['local', 'new'] as const) {
    await t.rejects(engine.checkout(root, { ref: 'main', mode, newBranch: 'other' }), refused, 'as the attributes are there')
    await t.rejects(engine.stashCheckout(root, { ref: 'main', mode, newBranch: 'other' }), refused)
  }
  t.same([git('branch', '--show-current'), git('status', '--porcelain'), git('branch', '--list', 'other')], ['before', '', ''])
  git('config', '--global', '--unset-all', 'filter.large.smudge')
  git('config', '--global', '--unset-all', 'filter.large.clean')
  await engine.checkout(root, { ref: 'main', mode: 'local' })
  t.equal(read('picture.bin'), 'pointer\n', 'a filter that nobody has set up does nothing in git either')
})

t.test('refs that begin with a dash are names', needsGit, async (t) => {
  const { root, git } = smallRepository(t)
  const sha = git('rev-parse', 'HEAD')
  writeFileSync(join(root, '.git', 'packed-refs'), `# pack-refs with: peeled fully-peeled sorted \n${sha} refs/heads/--output=x\n${sha} refs/remotes/-x/--exec=y\n`)
  t.same((await engine.branches(root)).local.map(({ name }) => name).sort(), ['--output=x', 'main'])
  for (const mode of ['local', 'remote'] as const) await t.rejects(engine.checkout(root, { ref: '--output=x', mode }), { code: 'invalid_ref' })
  await t.rejects(engine.log(root, { ref: '--output=x', limit: 1, offset: 0 }), { code: 'invalid_ref' })
  t.same((await engine.log(root, { limit: 1, offset: 0 })).commits[0]?.refs.sort(), ['--output=x', '-x/--exec=y', 'main'])
})

t.test('settings that lead elsewhere', needsGit, async (t) => {
  const { root, git } = smallRepository(t)
  git('config', 'core.worktree', '../..')
  t.equal(await engine.status(root), null)
  await t.rejects(engine.stage(root, ['a']), { code: 'not_a_repo' })
})

const asRoot = process.getuid?.() === 0 ? {} : { skip: 'only root can give a folder away' }
t.test("another user's repository is opened only where git's own settings allow it", { ...asRoot, ...needsGit }, async (t) => {
  const { root } = smallRepository(t)
  for (const path of [root, join(root, '.git')]) chownSync(path, 12345, 12345)
  await t.rejects(engine.status(root), { name: 'Forbidden', code: 'git_failed', message: /safe\.directory/ })
  await t.rejects(engine.stage(root, ['a']), { name: 'Forbidden' })
})

/** Waits until git's cached file times can be relied upon. */
async function settle (): Promise<void> {
  await delay(200)
}

t.test('settings that change are heeded at once, also when the repository is known', needsGit, async (t) => {
  const { root, git, write } = smallRepository(t)
  const trace = join(root, '..', 'trace')
  await settle()
  for (let again = 0; again < 3; again++) await engine.status(root)
  const places: Array<[what: string, ...args: string[]]> = [['of the repository', '--local'], ['of the user', '--global']]
  for (const [what, ...args] of places) {
    for (const key of ['clean', 'smudge', 'process']) git('config', ...args, `filter.late.${key}`, `touch '${trace}'; cat`)
    writeFileSync(join(root, '.git', 'info', 'attributes'), 'a filter=late\n')
    await settle()
    write('a', 'one\ntwo\n4 of as many bytes\n')
    t.match((await engine.status(root))?.files, [{ path: 'a' }], what)
    await t.rejects(engine.stage(root, ['a']), { code: 'filtered_path' }, what)
    for (const key of ['clean', 'smudge', 'process']) git('config', ...args, '--unset', `filter.late.${key}`)
    await settle()
    for (let again = 0; again < 3; again++) await engine.status(root)
  }
  t.notOk(existsSync(trace))
})

t.test('a known repository that another one takes the place of', needsGit, async (t) => {
  const outer = smallRepository(t)
  const trace = join(outer.root, '..', 'trace')
  const folder = join(outer.root, 'dir')
  const inner = emptyRepository(folder)
  inner.git('commit', '--quiet', '--allow-empty', '--message', 'Inner')
  outer.git('config', 'filter.outer.clean', `touch '${trace}'; cat`)
  writeFileSync(join(outer.root, '.git', 'info', 'attributes'), '* filter=outer\n')
  await settle()
  for (let again = 0; again < 3; again++) t.match(await engine.status(folder), { totals: { changed: 1, untracked: 1 } })
  renameSync(join(folder, '.git', 'HEAD'), join(folder, '.git', 'gone'))
  outer.write('dir/b', 'c\n')
  t.match(await engine.status(folder), { branch: 'main', files: [{ path: 'b', status: 'M' }] }, 'git goes further up, and so do we')
  t.notOk(existsSync(trace))
  renameSync(join(folder, '.git', 'gone'), join(folder, '.git', 'HEAD'))
  t.match(await engine.status(folder), { totals: { changed: 1, untracked: 1 } })
  t.match(await engine.status(outer.root), { branch: 'main' })
})

t.test("the agent's own git at the same time: no commit is lost", needsGit, async (t) => {
  const { root, write, git } = smallRepository(t)
  const agent = spawn('sh', ['-c', 'for i in 1 2 3 4 5 6 7 8; do echo $i > agent-$i; git add agent-$i && git commit -q -m agent-$i -- agent-$i || true; done'], {
    cwd: root, env: { PATH: process.env.PATH, HOME: process.env.HOME }, stdio: 'ignore'
  })
  const ended = new Promise((resolve) => { agent.once('close', resolve) })
  const made: string[] = []
  for (let index = 0; index < 6; index++) {
    write(`mine-${index}`)
    await engine.commitSelected(root, `mine-${index}`, [`mine-${index}`]).then(({ commit }) => { made.push(commit) }, (error: { code?: string }) => {
      t.equal(error.code, 'operation_in_progress')
    })
  }
  await ended
  t.ok(made.length > 0)
  const history = git('rev-list', 'HEAD').split('\n')
  for (const sha of made) t.ok(history.includes(sha))
  // The agent's commands do not wait for ours, so one of its files may remain staged.
  t.same(git('status', '--porcelain').split('\n').filter((line) => line.includes('mine-') && !line.startsWith('?? ')), [], 'nothing of ours is left half done')
})

t.test('a folder stays although the other branch does not have it', needsGit, async (t) => {
  const made = emptyRepository(join(gitScratch(t), 'repo'))
  made.write('a')
  made.commitAll('First')
  made.git('branch', 'other')
  made.write('folder/file')
  made.commitAll('Folder')
  const folder = join(made.root, 'folder')
  t.match(await engine.checkout(folder, { ref: 'other', mode: 'local' }), { currentBranch: 'other' })
  t.match(await engine.status(folder), { branch: 'other', files: [] })
  await engine.checkout(folder, { ref: 'main', mode: 'local' })
  t.ok(made.has('folder/file'))
})
