import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import t from '#test'
import { programsOff } from '../../../services/workspace/git/safety.js'
import { openRepository } from '../../../services/workspace/git/system/repository.js'
import { restoreStash } from '../../../services/workspace/git/system/restore-stash.js'
import { createSystemGit } from '../../../services/workspace/git/system/index.js'
import { emptyRepository, hostileInside, needsGit, smallRepository, type TestRepository } from '../../support/git-repository.js'
import { tries } from '../../support/tries.js'

const engine = createSystemGit()

/** Creates a nested repository in which `f` is edited. */
function repositoryInside (outer: TestRepository, name: string): { traces (): string } {
  const inner = emptyRepository(join(outer.root, name))
  inner.write('f', 'one\n')
  inner.commitAll('Inner')
  const hostile = hostileInside(outer, join(inner.root, '.git'))
  inner.write('f', 'two\n')
  return hostile
}

t.test('a repository that names thousands of programs is refused at once', async (t) => {
  const listed = (count: number): Buffer =>
    Buffer.from(Array.from({ length: count }, (_, at) => `file:.git/config\0filter.é${at}.clean\0`).join(''))
  const few = programsOff(listed(1_000))
  t.equal(few.settings[999], 'filter.é999.clean=')
  t.ok(few.filters.has('é0'))
  t.same([...few.origins], ['file:.git/config'])
  t.throws(() => programsOff(listed(1_001)), { name: 'Invalid', code: 'git_failed' })
})

t.test('programs of a repository inside do not run, be it a submodule or not', needsGit, async (t) => {
  const repository = smallRepository(t)
  const { root, write, git } = repository
  const { traces } = repositoryInside(repository, 'sub')
  const sha = git('-C', 'sub', 'rev-parse', 'HEAD')
  git('update-index', '--add', '--cacheinfo', `160000,${sha},sub`)
  git('commit', '--quiet', '--message', 'With sub')
  git('config', 'submodule.sub.ignore', 'none')
  git('branch', 'other')
  repositoryInside(repository, 'dir/embedded')
  const quiet = async (what: string, work: Promise<unknown>) => {
    const outcome = await work.catch((error: { code?: string }) => error)
    t.equal(traces(), '', what)
    return outcome
  }
  write('a', 'changed\n')
  write('new')
  await quiet('status', engine.status(root))
  await quiet('diff', engine.diff(root, 'sub', 'unstaged'))
  await quiet('stage sub', engine.stage(root, ['sub']))
  t.equal(git('ls-files', '--stage', 'sub').split(/\s/)[1], sha)
  await quiet('stage all', engine.stage(root, ['.']))
  t.same(git('diff', '--cached', '--name-only', '--ignore-submodules=dirty').split('\n'), ['a', 'new'], 'the repository of which git knows nothing is left out')
  await quiet('stage embedded', engine.stage(root, ['dir/embedded']))
  await t.rejects(engine.stage(root, ['dir/embedded']), { name: 'Invalid', message: /is a separate repository/ })
  await quiet('unstage', engine.unstage(root, ['.']))
  await quiet('describe', engine.changesToDescribe(root, ['.']))
  t.match(await quiet('stash', engine.stashCheckout(root, { ref: 'other', mode: 'local' })), { stashed: true, currentBranch: 'other' })
  t.match(await quiet('restore', engine.stashCheckout(root, { ref: 'main', mode: 'local' })), { stashed: false, restoredStash: { branch: 'main' } })
  t.same([repository.read('a'), repository.read('sub/f'), repository.read('dir/embedded/f')], ['changed\n', 'two\n', 'two\n'])
  await quiet('commit chosen', engine.commitSelected(root, 'Chosen', ['.']))
  t.notOk(git('ls-files').includes('embedded'))

  const moved = git('-C', 'sub', 'commit-tree', '-p', 'HEAD', '-m', 'Moved', 'HEAD^{tree}')
  git('-C', 'sub', 'update-ref', 'HEAD', moved)
  t.equal(traces(), '')
  write('a', 'again\n')
  await t.rejects(engine.stashCheckout(root, { ref: 'other', mode: 'local' }), { name: 'Conflict', code: 'dirty_worktree', message: /submodule sub/ })
  t.equal(traces(), '')
  await quiet('discard', engine.discard(root, ['.'], { deleteUntracked: false }))
  await quiet('stage moved', engine.stage(root, ['.']))
  t.equal(git('ls-files', '--stage', 'sub').split(/\s/)[1], moved, 'the commit that it is at')
  await quiet('commit', engine.commit(root, 'Sub has moved'))
  t.equal(git('rev-parse', 'HEAD:sub'), moved)
  renameSync(join(root, 'sub'), join(root, '..', 'away'))
  await quiet('stage gone', engine.stage(root, ['sub']))
  t.equal(git('ls-files', 'sub'), '')
  renameSync(join(root, '..', 'away'), join(root, 'sub'))
  spawnSync('git', ['-C', join(root, 'sub'), 'status'])
  t.not(traces(), '', 'they do run for whoever calls git plainly')
})

t.test('from a part of a work tree nothing outside is moved', { ...needsGit, long: true }, async (t) => {
  const { root, write, git, has, read, commitAll } = smallRepository(t)
  git('branch', 'other')
  write('code/tracked')
  commitAll('Code')
  write('svc/state.db', 'live\n')
  write('other/new')
  const code = join(root, 'code')
  git('rm', '--quiet', '--cached', 'code/tracked')
  git('commit', '--quiet', '--message', 'No code')
  const outcome = await engine.stashCheckout(code, { ref: 'other', mode: 'local' })
  t.match(outcome, { stashed: true, currentBranch: 'other' })
  t.same([read('svc/state.db'), has('other/new'), has('code'), has('code/tracked')], ['live\n', true, true, false])
  t.match(await engine.status(code), { branch: 'other', files: [] })
  t.match(await engine.stashCheckout(code, { ref: 'main', mode: 'local' }), { stashed: false, restoredStash: { branch: 'main' } })
  t.ok(has('code/tracked'))

  await engine.stage(code, ['tracked'])
  t.match(await engine.stashCheckout(code, { ref: 'other', mode: 'local' }), { stashed: true }, 'also when the last tracked file goes')
  t.ok(has('code'))
  await engine.stashCheckout(code, { ref: 'main', mode: 'local' })
  t.equal(git('status', '--porcelain', 'code'), 'A  code/tracked')

  write('a', 'changed\n')
  const refused = { name: 'Conflict', code: 'dirty_worktree', message: /outside this folder/ }
  await t.rejects(engine.checkout(code, { ref: 'other', mode: 'local' }), refused)
  await t.rejects(engine.stashCheckout(code, { ref: 'other', mode: 'local' }), refused)
  t.same([read('a'), has('code/tracked'), (await engine.stashes(root)).length], ['changed\n', true, 0])
  await engine.stashCheckout(root, { ref: 'other', mode: 'local' })
  mkdirSync(code, { recursive: true })
  t.match(await engine.stashCheckout(code, { ref: 'main', mode: 'local' }), { restoredStash: null, restoreFailed: { error: /outside of this folder/ } })
  t.equal(read('a'), 'one\ntwo\nthree\n')
})

t.test('no link among the files of git leads a write elsewhere', needsGit, async (t) => {
  const { root, write, git } = smallRepository(t)
  git('branch', 'other')
  const hub = join(root, '..', 'hub.git')
  execFileSync('git', ['clone', '--quiet', '--bare', root, hub])
  git('remote', 'add', 'origin', hub)
  git('fetch', '--quiet', 'origin')
  git('branch', '--quiet', '--set-upstream-to=origin/main')
  git('pack-refs', '--no-all')
  write('a', 'changed\n')
  const outside = join(root, '..', 'outside')
  const refused = { name: 'Invalid', code: 'git_failed', message: /symbolic link/ }
  const operations: Record<string, () => Promise<unknown>> = {
    stage: () => engine.stage(root, ['a']),
    unstage: () => engine.unstage(root, ['a']),
    discard: () => engine.discard(root, ['a'], { deleteUntracked: false }),
    commit: () => engine.commit(root, 'x'),
    'commit of paths': () => engine.commitSelected(root, 'x', ['a']),
    checkout: () => engine.checkout(root, { ref: 'other', mode: 'local' }),
    'stash and checkout': () => engine.stashCheckout(root, { ref: 'other', mode: 'local' }),
    fetch: () => engine.fetch(root),
    pull: () => engine.pull(root),
    push: () => engine.push(root)
  }
  const files = [
    'index', 'HEAD', 'config', 'refs/heads/main', 'logs', 'objects', 'ORIG_HEAD', 'COMMIT_EDITMSG', 'MERGE_MSG', 'MERGE_HEAD', 'FETCH_HEAD', 'packed-refs', 'shallow',
    'logs/HEAD', 'logs/refs/heads/main', 'logs/refs/stash', 'refs/heads/other', 'refs/remotes/origin/main', 'refs/stash', 'logs/refs', 'refs/heads', 'objects/pack', 'info'
  ]
  for (const name of files.slice(0, tries(60))) {
    const place = join(root, '.git', name)
    const kept = join(root, '..', 'kept')
    const existed = existsSync(place)
    mkdirSync(dirname(place), { recursive: true })
    if (existed) {
      renameSync(place, kept)
      execFileSync('cp', ['-r', kept, outside])
    } else writeFileSync(outside, 'marker\n')
    const before = listingOf(outside)
    symlinkSync(outside, place)
    for (const [what, work] of Object.entries(operations)) {
      await t.rejects(work(), name === 'HEAD' || name === 'refs/heads' || name === 'refs/heads/main' || name === 'objects' ? { name: 'Invalid' } : refused, `${what} with ${name}`)
    }
    t.equal(listingOf(outside), before, name)
    rmSync(place)
    if (existed) renameSync(kept, place)
    rmSync(outside, { recursive: true })
  }
  symlinkSync(join(root, '..'), join(root, '.git', 'lfs'))
  await engine.stage(root, ['a'])
  t.equal(git('diff', '--cached', '--name-only'), 'a', 'what git never writes may be kept elsewhere')
  t.match(await engine.fetch(root), /Nothing new/)
  writeFileSync(join(root, '.git', 'FETCH_HEAD'), '')
  await engine.fetch(root)
  t.equal(readFileSync(join(root, '.git', 'FETCH_HEAD'), 'utf8'), '')
})

/** Returns names, sizes and checksums. */
function listingOf (path: string): string {
  return execFileSync('sh', ['-c', 'find "$1" -type f -exec cksum {} + | sort', 'sh', path], { encoding: 'utf8' })
}

t.test('a stash that does not fit leaves alone what somebody else has edited', needsGit, async (t) => {
  const { root, write, git, commitAll, read } = smallRepository(t)
  write('c')
  commitAll('C')
  write('a', 'mine\n')
  write('new', 'untracked\n')
  git('stash', 'push', '--quiet', '--include-untracked')
  write('a', 'theirs\n')
  commitAll('Theirs')
  write('c', 'an edit\n')
  write('dir/b', 'staged\n')
  git('add', 'dir/b')
  const sha = git('rev-parse', 'stash@{0}')
  t.match(await restoreStash(await openRepository(root), { sha }), /conflict/)
  t.same([read('c'), read('dir/b'), read('a'), git('status', '--porcelain')], ['an edit\n', 'staged\n', 'theirs\n', ' M c\nM  dir/b'])
  git('restore', '--source=HEAD~1', '--staged', '--worktree', 'a')
  git('commit', '--quiet', '--message', 'Back', 'a')
  write('a', 'an edit of the same file\n')
  t.match(await restoreStash(await openRepository(root), { sha }), /^a has changes/)
  t.same([read('c'), read('a')], ['an edit\n', 'an edit of the same file\n'])
  git('restore', 'a')
  t.equal(await restoreStash(await openRepository(root), { sha }), null)
  t.same([read('a'), read('new'), read('c'), (await engine.stashes(root)).length], ['mine\n', 'untracked\n', 'an edit\n', 0])
})

t.test('changes of a checkout that never ended come back on the same branch', { ...needsGit, long: true }, async (t) => {
  const { root, write, git, read } = smallRepository(t)
  write('a', 'mine\n')
  git('stash', 'push', '--quiet', '--message', 'svc-auto: main')
  write('dir/b', 'dirty\n')
  t.match(await engine.stashCheckout(root, { ref: 'main', mode: 'local' }), { restoredStash: null, message: 'Already on main' }, 'not into other changes')
  git('restore', 'dir/b')
  const back = await engine.stashCheckout(root, { ref: 'main', mode: 'local' })
  t.match(back, { currentBranch: 'main', stashed: false, restoredStash: { message: 'svc-auto: main' }, message: /Already on main\..*are back/ })
  t.same([read('a'), (await engine.stashes(root)).length], ['mine\n', 0])
})

t.test('a file that git only intends to add is stashed with its contents', { ...needsGit, long: true }, async (t) => {
  const { root, write, git, read, has } = smallRepository(t)
  git('branch', 'other')
  write('new', 'contents\n')
  git('add', '--intent-to-add', 'new')
  t.match(await engine.stashCheckout(root, { ref: 'other', mode: 'local' }), { stashed: true, currentBranch: 'other' })
  t.notOk(has('new'))
  t.match(await engine.stashCheckout(root, { ref: 'main', mode: 'local' }), { restoredStash: { branch: 'main' } })
  t.equal(read('new'), 'contents\n')
})

t.test('with nothing but a repository of its own there is nothing to stash', { ...needsGit, long: true }, async (t) => {
  const { root, git } = smallRepository(t)
  git('branch', 'other')
  const inner = emptyRepository(join(root, 'inner'))
  inner.write('x')
  inner.commitAll('Inner')
  t.match(await engine.stashCheckout(root, { ref: 'other', mode: 'local' }), { stashed: false, stashName: null })
  t.ok(inner.has('x'))
  await engine.stage(root, ['.'])
  t.equal(git('diff', '--cached', '--name-only'), '')
})

t.test('a stash of this service is one that git itself can apply', { ...needsGit, long: true }, async (t) => {
  const { root, write, git, read } = smallRepository(t)
  git('branch', 'other')
  write('a', 'staged\n')
  git('add', 'a')
  write('a', 'staged and more\n')
  rmSync(join(root, 'dir/b'))
  write('odd \n"name"', 'untracked\n')
  chmodSync(join(root, 'odd \n"name"'), 0o755)
  symlinkSync('a', join(root, 'link'))
  const before = git('status', '--porcelain', '-z')
  await engine.stashCheckout(root, { ref: 'other', mode: 'local' })
  t.equal(git('status', '--porcelain'), '')
  git('switch', '--quiet', 'main')
  git('stash', 'pop', '--quiet', '--index')
  t.same([git('status', '--porcelain', '-z'), read('a'), read('link')], [before, 'staged and more\n', 'staged and more\n'])
  await engine.stashCheckout(root, { ref: 'other', mode: 'local' })
  await engine.stashCheckout(root, { ref: 'main', mode: 'local' })
  t.equal(git('status', '--porcelain', '-z'), before)
})

t.test('a folder that has become a link stops nothing but what is behind it', { ...needsGit, long: true }, async (t) => {
  const { root, write, read } = smallRepository(t)
  const outside = join(root, '..', 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'b'), 'outside\n')
  rmSync(join(root, 'dir'), { recursive: true })
  symlinkSync(outside, join(root, 'dir'))
  await t.rejects(engine.discard(root, ['.'], { deleteUntracked: false }), { code: 'path_outside_workspace' }, 'there is nothing else')
  write('a', 'changed\n')
  await engine.discard(root, ['.'], { deleteUntracked: false })
  t.same([read('a'), read('../outside/b'), read('dir/b')], ['one\ntwo\nthree\n', 'outside\n', 'outside\n'])
  await t.rejects(engine.stashCheckout(root, { ref: '', mode: 'new', newBranch: 'x' }), { code: 'path_outside_workspace' })
  await engine.discard(root, ['.'], { deleteUntracked: true })
  t.same([read('dir/b'), read('../outside/b')], ['b\n', 'outside\n'], 'with the link gone, the file is there again')
})

t.test('what cannot be staged is said', { ...needsGit, long: true }, async (t) => {
  const { root, write, git } = smallRepository(t)
  write('.gitignore', 'ignored\n')
  write('ignored')
  await t.rejects(engine.stage(root, ['ignored']), { name: 'Invalid', code: 'git_failed', message: /ignored/ })
  await t.rejects(engine.stage(root, ['a', 'never-was']), { name: 'Invalid', message: /never-was/ })
  mkdirSync(join(root, 'empty'))
  await engine.stage(root, ['a', 'dir', 'empty'])
  t.equal(git('diff', '--cached', '--name-only'), '')
  rmSync(join(root, 'dir'), { recursive: true })
  write('dir', 'a file now\n')
  await engine.stage(root, ['dir'])
  t.same(git('diff', '--cached', '--name-only').split('\n'), ['dir', 'dir/b'])
})
