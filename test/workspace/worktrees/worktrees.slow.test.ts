import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from '#test'
import { gitText, refName, runGit } from '../../../services/workspace/git/index.js'
import { createWorktree, removeWorktree, worktreeStatus, type Worktree } from '../../../services/workspace/index.js'
import { git, needsGit } from '../../support/git-repository.js'

type Test = Pick<typeof t, 'teardown'>
interface Repository {
  root: string
  git (...args: string[]): string
  /** Like `git`, in another folder. */
  gitIn (folder: string, ...args: string[]): string
  write (name: string, text?: string): void
}

const id = '0123456789ab'

/** Creates a temporary folder, outside of the repository that these tests are in; its git settings are the only ones. */
function scratch (t: Test): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'worktrees-')))
  const { HOME, XDG_CONFIG_HOME } = process.env
  const home = join(root, 'home')
  mkdirSync(home)
  process.env.HOME = home
  delete process.env.XDG_CONFIG_HOME
  t.teardown(() => {
    process.env.HOME = HOME
    if (XDG_CONFIG_HOME !== undefined) process.env.XDG_CONFIG_HOME = XDG_CONFIG_HOME
    rmSync(root, { recursive: true, force: true, maxRetries: 5 })
  })
  return root
}

function emptyRepository (root: string): Repository {
  mkdirSync(root, { recursive: true })
  git(root, 'init', '--quiet', '--initial-branch=main')
  return {
    root,
    git: (...args) => git(root, ...args),
    gitIn: git,
    write: (name, text = `${name}\n`) => {
      mkdirSync(join(root, name, '..'), { recursive: true })
      writeFileSync(join(root, name), text)
    }
  }
}

/** Creates a repository with one commit, of `readme` and `packages/one/index`. */
function repository (t: Test, name = 'repo'): Repository {
  const made = emptyRepository(join(scratch(t), name))
  made.write('readme')
  made.write('packages/one/index')
  made.git('add', '.')
  made.git('commit', '--quiet', '--message', 'First')
  return made
}

function commitIn (folder: string, name: string): void {
  writeFileSync(join(folder, name), `${name}\n`)
  git(folder, 'add', '--', name)
  git(folder, 'commit', '--quiet', '--message', name)
}

/** Creates a program that leaves a file behind when it runs. */
function canary (root: string): { program: string, hasRun (): boolean } {
  const program = join(root, '..', 'canary.sh')
  const trace = join(root, '..', 'canary.ran')
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> '${trace}'\ncat\n`)
  chmodSync(program, 0o755)
  return { program, hasRun: () => existsSync(trace) }
}

t.test('a worktree is made on its own branch, unseen by the repository, and removed without a trace', needsGit, async (t) => {
  const { root, git, gitIn } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id, title: '-- A "title"\nof two lines' })
  const path = join(root, '.worktrees', id)
  t.same(made, { path, branch: `agent/${id}`, repoRoot: root, workspace: path })
  t.equal(gitIn(path, 'rev-parse', '--abbrev-ref', 'HEAD'), `agent/${id}`)
  t.equal(gitIn(path, 'rev-parse', 'HEAD'), git('rev-parse', 'HEAD'))
  t.equal(readFileSync(join(path, 'readme'), 'utf8'), 'readme\n')
  t.equal(git('status', '--porcelain'), '', 'the repository does not see it')
  t.equal(gitIn(path, 'status', '--porcelain'), '')
  t.equal(git('config', `branch.agent/${id}.description`), '-- A "title"\nof two lines')
  t.same(await worktreeStatus(made), { exists: true, path, branch: `agent/${id}`, dirtyFiles: 0, untrackedFiles: 0, ahead: 0, merged: true, locked: false })

  const other = await createWorktree({ folder: root, sessionId: 'second' })
  t.equal(readFileSync(join(root, '.git', 'info', 'exclude'), 'utf8').split('\n').filter((line) => line === '.worktrees/').length, 1, 'excluded once')

  t.same(await removeWorktree(made, { force: false }), { removed: true, branchDeleted: true })
  t.notOk(existsSync(path))
  t.same(await removeWorktree(other, { force: false }), { removed: true, branchDeleted: true })
  t.notOk(existsSync(join(root, '.worktrees')))
  t.equal(git('branch', '--list', '--format=%(refname)'), 'refs/heads/main')
  t.equal(git('worktree', 'list').split('\n').length, 1)
  t.notMatch(readFileSync(join(root, '.git', 'config'), 'utf8'), 'agent/')
})

t.test('a session in a subfolder gets the same subfolder, also one that git does not keep', needsGit, async (t) => {
  const { root, gitIn } = repository(t)
  const first = await createWorktree({ folder: join(root, 'packages', 'one'), sessionId: 'a' })
  t.equal(first.workspace, join(root, '.worktrees', 'a', 'packages', 'one'))
  t.equal(first.repoRoot, root)
  t.equal(readFileSync(join(first.workspace, 'index'), 'utf8'), 'packages/one/index\n')

  mkdirSync(join(root, 'packages', 'new', 'deep'), { recursive: true })
  const second = await createWorktree({ folder: join(root, 'packages', 'new', 'deep'), sessionId: 'b' })
  t.ok(existsSync(second.workspace))
  t.equal(gitIn(second.workspace, 'rev-parse', '--show-prefix'), 'packages/new/deep/')
})

t.test('what was a folder may be a link in the commit: nothing is made behind it', needsGit, async (t) => {
  const { root, git } = repository(t)
  const outside = join(root, '..', 'outside')
  mkdirSync(outside)
  symlinkSync(outside, join(root, 'link'))
  git('add', 'link')
  git('commit', '--quiet', '--message', 'Link')
  rmSync(join(root, 'link'))
  mkdirSync(join(root, 'link', 'deep'), { recursive: true })

  await t.rejects(createWorktree({ folder: join(root, 'link', 'deep'), sessionId: id }), { name: 'Conflict', code: 'conflict' })
  t.same(readdirSync(outside), [])
  t.notOk(existsSync(join(root, '.worktrees')), 'cleaned up')
  t.equal(git('branch', '--list', 'agent/*'), '')
  t.equal(git('worktree', 'list').split('\n').length, 1)
})

t.test('folders that have no worktree to give', needsGit, async (t) => {
  const root = scratch(t)
  const refused = async (folder: string, code: string, name = 'Invalid'): Promise<void> => {
    await t.rejects(createWorktree({ folder, sessionId: id }), { name, code })
    t.notOk(existsSync(join(folder, '.worktrees')))
  }
  mkdirSync(join(root, 'plain'))
  await refused(join(root, 'plain'), 'not_a_repo')
  await refused(join(root, 'missing'), 'not_a_repo')
  writeFileSync(join(root, 'file'), '')
  await refused(join(root, 'file'), 'not_a_repo')
  const unborn = emptyRepository(join(root, 'unborn'))
  await refused(unborn.root, 'no_commits')
  await refused(join(unborn.root, '.git'), 'not_a_repo')
  git(root, 'init', '--quiet', '--bare', 'bare')
  await refused(join(root, 'bare'), 'not_a_repo')
  // A repository may contain another one, with settings of its own choice.
  git(root, 'init', '--quiet', '--bare', join('unborn', 'inner'))
  await refused(join(unborn.root, 'inner'), 'not_a_repo')
})

t.test('a repository that the folder merely points to is left alone', needsGit, async (t) => {
  const { root: mine, git } = repository(t)
  const refused = async (folder: string): Promise<void> => {
    await t.rejects(createWorktree({ folder, sessionId: id }), { code: 'not_a_repo' })
    t.equal(git('branch', '--list', 'agent/*'), '')
  }
  const place = (name: string): string => {
    const folder = join(mine, '..', name)
    mkdirSync(folder)
    return folder
  }

  const byFile = place('by-file')
  writeFileSync(join(byFile, '.git'), `gitdir: ${mine}/.git\n`)
  await refused(byFile)

  const byLink = place('by-link')
  symlinkSync(join(mine, '.git'), join(byLink, '.git'))
  await refused(byLink)

  const byCommonDir = place('by-common-dir')
  mkdirSync(join(byCommonDir, '.git'))
  writeFileSync(join(byCommonDir, '.git', 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(byCommonDir, '.git', 'commondir'), `${mine}/.git\n`)
  writeFileSync(join(byCommonDir, '.git', 'gitdir'), `${byCommonDir}/.git\n`)
  await refused(byCommonDir)

  const claiming = emptyRepository(place('claiming'))
  commitIn(claiming.root, 'a')
  claiming.git('config', 'core.worktree', join(claiming.root, '..'))
  await refused(claiming.root)
  t.notOk(existsSync(join(claiming.root, '..', '.worktrees')))
})

const asRoot = process.getuid?.() === 0 ? {} : { skip: 'only root can give a folder away' }
t.test("another user's repository is opened only where git's own settings allow it", { ...asRoot, ...needsGit }, async (t) => {
  const { root } = repository(t)
  for (const path of [root, join(root, '.git')]) chownSync(path, 12345, 12345)
  await t.rejects(createWorktree({ folder: root, sessionId: id }), { name: 'Forbidden', code: 'git_failed' })
  writeFileSync(join(String(process.env.HOME), '.gitconfig'), '[safe]\ndirectory = *\n')
  t.ok(existsSync((await createWorktree({ folder: root, sessionId: id })).path))
})

t.test('a submodule is a repository of its own', { ...needsGit, long: true }, async (t) => {
  const { root: library } = repository(t, 'library')
  const product = emptyRepository(join(library, '..', 'product'))
  product.git('submodule', '--quiet', 'add', library, 'vendored')
  product.git('commit', '--quiet', '--message', 'Vendored')
  const vendored = join(product.root, 'vendored')
  const inner = await createWorktree({ folder: vendored, sessionId: 'inner' })
  t.equal(inner.path, join(vendored, '.worktrees', 'inner'))
  t.ok(existsSync(join(inner.path, 'readme')))
  t.same(await removeWorktree(inner, { force: false }), { removed: true, branchDeleted: true })

  const outer = await createWorktree({ folder: product.root, sessionId: 'outer' })
  t.equal((await worktreeStatus(outer)).dirtyFiles, 0, 'an empty submodule holds no work')
  git(outer.path, 'submodule', '--quiet', 'update', '--init')
  t.equal((await worktreeStatus(outer)).dirtyFiles, 1, 'a filled one may')
  const { program, hasRun } = canary(library)
  const filled = join(outer.path, 'vendored')
  git(filled, 'config', 'filter.own.clean', program)
  writeFileSync(join(filled, '.gitattributes'), '* filter=own\n')
  writeFileSync(join(filled, 'readme'), 'eadmer\n')
  await t.rejects(removeWorktree(outer, { force: false }), { code: 'dirty_worktree' })
  git(product.root, 'config', 'diff.submodule', 'diff')
  t.equal(await gitText(outer.path, ['diff']), '')
  t.notOk(hasRun(), 'its own programs do not run')
  t.match(await removeWorktree(outer, { force: true }), { removed: true, branchDeleted: true })
})

t.test('work that is not committed is not removed unless it is forced', needsGit, async (t) => {
  const { root, gitIn } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id })
  writeFileSync(join(made.path, 'readme'), 'changed\n')
  writeFileSync(join(made.path, 'packages', 'staged'), '')
  gitIn(made.path, 'add', 'packages/staged')
  for (const name of ['a b', '-rf', 'quo"te', "apo'strophe", 'line\nbreak', '1 x', '? y']) writeFileSync(join(made.path, name), '')
  mkdirSync(join(made.path, 'folder'))
  writeFileSync(join(made.path, 'folder', 'one'), '')
  writeFileSync(join(made.path, 'folder', 'two'), '')
  gitIn(made.path, 'config', 'status.showUntrackedFiles', 'no')

  t.match(await worktreeStatus(made), { dirtyFiles: 2, untrackedFiles: 9, ahead: 0 })
  await t.rejects(removeWorktree(made, { force: false }), { name: 'Conflict', code: 'dirty_worktree', details: { dirty_files: 2, untracked_files: 9 } })
  gitIn(made.path, 'reset', '--quiet', '--hard')
  t.match(await worktreeStatus(made), { dirtyFiles: 0, untrackedFiles: 9 })
  await t.rejects(removeWorktree(made, { force: false, deleteBranch: true }), { code: 'dirty_worktree' })
  t.ok(existsSync(join(made.path, 'line\nbreak')))

  t.same(await removeWorktree(made, { force: true }), { removed: true, branchDeleted: true }, 'the branch had nothing of its own')
  t.notOk(existsSync(made.path))
})

t.test('commits are not lost: a forced removal keeps their branch', needsGit, async (t) => {
  const { root, git } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id })
  commitIn(made.path, 'one')
  commitIn(made.path, 'two')
  t.match(await worktreeStatus(made), { dirtyFiles: 0, ahead: 2, merged: false })
  await t.rejects(removeWorktree(made, { force: false }), { name: 'Conflict', code: 'unmerged_commits', details: { ahead: 2 } })

  t.same(await removeWorktree(made, { force: true }), { removed: true, branchDeleted: false })
  t.notOk(existsSync(made.path))
  t.match(await worktreeStatus(made), { exists: false, ahead: 2 })
  t.equal(git('log', '--format=%s', '-1', made.branch), 'two')
  await t.rejects(createWorktree({ folder: root, sessionId: id }), { name: 'Conflict', code: 'conflict' }, 'the name is taken')
  t.notOk(existsSync(join(root, '.worktrees')))

  git('merge', '--quiet', '--ff-only', made.branch)
  t.match(await worktreeStatus(made), { exists: false, ahead: 0, merged: true })
  t.same(await removeWorktree(made, { force: false }), { removed: true, branchDeleted: true }, 'merged by now')
})

t.test('commits are given up only by an explicit word', needsGit, async (t) => {
  const { root, git } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id })
  commitIn(made.path, 'one')
  await t.rejects(removeWorktree(made, { force: false, deleteBranch: true }), { code: 'unmerged_commits' })
  t.same(await removeWorktree(made, { force: true, deleteBranch: true }), { removed: true, branchDeleted: true })
  t.equal(git('branch', '--list', 'agent/*'), '')
})

t.test('another branch may hold the commits, a remote one as well', { ...needsGit, long: true }, async (t) => {
  const { root, git, gitIn } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: 'a' })
  commitIn(made.path, 'one')
  gitIn(made.path, 'branch', 'kept')
  t.match(await worktreeStatus(made), { ahead: 0, merged: false })
  t.same(await removeWorktree(made, { force: false }), { removed: true, branchDeleted: true })
  t.equal(git('log', '--format=%s', '-1', 'kept'), 'one')

  gitIn(join(root, '..'), 'init', '--quiet', '--bare', 'hub')
  git('remote', 'add', 'origin', join(root, '..', 'hub'))
  const pushed = await createWorktree({ folder: root, sessionId: 'b' })
  commitIn(pushed.path, 'two')
  gitIn(pushed.path, 'push', '--quiet', 'origin', 'HEAD')
  t.equal((await worktreeStatus(pushed)).ahead, 0)
})

t.test('commits on no branch at all are found, and kept under a new one', needsGit, async (t) => {
  const { root, git, gitIn } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id })
  gitIn(made.path, 'checkout', '--quiet', '--detach')
  commitIn(made.path, 'adrift')
  t.equal((await worktreeStatus(made)).ahead, 1)
  await t.rejects(removeWorktree(made, { force: false }), { code: 'unmerged_commits' })
  rmSync(made.path, { recursive: true })
  const { savedBranch, ...rest } = await removeWorktree(made, { force: false })
  t.same(rest, { removed: true, branchDeleted: true })
  t.equal(git('log', '--format=%s', '-1', String(savedBranch)), 'adrift')
})

t.test('a worktree that is gone counts as removed', needsGit, async (t) => {
  const { root, git } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id })
  rmSync(made.path, { recursive: true })
  t.match(await worktreeStatus(made), { exists: false, ahead: 0, locked: false })
  t.same(await removeWorktree(made, { force: false }), { removed: true, branchDeleted: true })
  t.equal(git('worktree', 'list').split('\n').length, 1, 'git has forgotten it')
  t.same(await removeWorktree(made, { force: false }), { removed: true, branchDeleted: false })
  t.match(await worktreeStatus(made), { exists: false, merged: false })

  rmSync(root, { recursive: true })
  t.match(await worktreeStatus(made), { exists: false, ahead: 0 })
  t.same(await removeWorktree(made, { force: true }), { removed: true, branchDeleted: false })
})

t.test('a locked worktree stays, even when forced', needsGit, async (t) => {
  const { root, git } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id })
  git('worktree', 'lock', '--reason', 'on a\n\nmovable disk', made.path)
  t.equal((await worktreeStatus(made)).locked, true)
  await t.rejects(removeWorktree(made, { force: true }), { name: 'Conflict', code: 'locked_worktree' })
  t.ok(existsSync(made.path))
  git('worktree', 'unlock', made.path)
  t.equal((await worktreeStatus(made)).locked, false)
  t.match(await removeWorktree(made, { force: false }), { removed: true })
})

t.test('a worktree of a worktree lies beside it and starts where that one is', { ...needsGit, long: true }, async (t) => {
  const { root, gitIn } = repository(t)
  const first = await createWorktree({ folder: root, sessionId: 'first' })
  commitIn(first.path, 'one')
  const second = await createWorktree({ folder: join(first.path, 'packages'), sessionId: 'second' })
  t.same(second, { path: join(root, '.worktrees', 'second'), branch: 'agent/second', repoRoot: root, workspace: join(root, '.worktrees', 'second', 'packages') })
  t.ok(existsSync(join(second.path, 'one')))
  t.equal((await worktreeStatus(second)).ahead, 0, 'the first holds it too')

  const removals = await Promise.allSettled([first, second].map(async (made) => await removeWorktree(made, { force: false })))
  t.same(removals.map(({ status }) => status).sort(), ['fulfilled', 'rejected'], 'the last that holds it stays, although both were to go at once')
  const left = removals[0]?.status === 'rejected' ? first : second
  t.match(await worktreeStatus(left), { exists: true, ahead: 1 })

  gitIn(left.path, 'worktree', 'add', '--quiet', '--detach', join(left.path, 'inner'))
  await t.rejects(removeWorktree(left, { force: true }), { name: 'Conflict', code: 'conflict' }, 'one that holds another')
  t.ok(existsSync(join(left.path, 'inner', 'one')))
})

t.test('a worktree of a bare repository keeps its own', { ...needsGit, long: true }, async (t) => {
  const { root, gitIn } = repository(t)
  const folder = join(root, '..', 'project')
  mkdirSync(folder)
  gitIn(folder, 'clone', '--quiet', '--bare', root, '.git')
  gitIn(folder, 'worktree', 'add', '--quiet', 'main')
  const made = await createWorktree({ folder: join(folder, 'main'), sessionId: id })
  t.equal(made.path, join(folder, 'main', '.worktrees', id))
  t.equal(gitIn(join(folder, 'main'), 'status', '--porcelain'), '')
  t.match(await removeWorktree(made, { force: false }), { removed: true, branchDeleted: true })
})

t.test('names of every kind', { ...needsGit, long: true }, async (t) => {
  for (const name of ['with space', 'quo"te', "apo'strophe", 'line\n\nbreaks\n', '-rf', '--help', '$(touch x)', 'ünï', '%s*?[a]']) {
    const { root } = repository(t, name)
    for (const sessionId of name === '-rf' ? [id, '-rf', 'cron_1.2-x'] : [id]) {
      const made = await createWorktree({ folder: join(root, 'packages'), sessionId })
      t.equal(made.workspace, join(root, '.worktrees', sessionId, 'packages'))
      t.match(await worktreeStatus(made), { exists: true, dirtyFiles: 0, untrackedFiles: 0 })
      t.same(await removeWorktree(made, { force: false }), { removed: true, branchDeleted: true }, JSON.stringify([name, sessionId]))
    }
  }
  const { root } = repository(t)
  for (const sessionId of ['', '.', '..', '../x', 'a/b', 'a\nb', 'a b', '.hidden', 'x.lock', 'a..b', 'dot.', 'x'.repeat(129)]) {
    await t.rejects(createWorktree({ folder: root, sessionId }), { name: 'Invalid', code: 'invalid_ref' }, JSON.stringify(sessionId))
  }
  t.notOk(existsSync(join(root, '.worktrees')))
})

t.test('a link in the place of a worktree leads nowhere', needsGit, async (t) => {
  const { root, git } = repository(t)
  const outside = join(root, '..', 'outside')
  mkdirSync(outside)
  symlinkSync(outside, join(root, '.worktrees'))
  await t.rejects(createWorktree({ folder: root, sessionId: id }), { name: 'Conflict', code: 'conflict' })
  t.same(readdirSync(outside), [])
  t.equal(git('branch', '--list', 'agent/*'), '')
  rmSync(join(root, '.worktrees'))

  const made = await createWorktree({ folder: root, sessionId: id })
  renameSync(join(root, '.worktrees'), join(outside, 'moved'))
  symlinkSync(join(outside, 'moved'), join(root, '.worktrees'))
  await t.rejects(removeWorktree(made, { force: true, deleteBranch: true }), { name: 'Conflict', code: 'conflict' })
  await t.rejects(worktreeStatus(made), { code: 'conflict' })
  rmSync(join(root, '.worktrees'))
  mkdirSync(join(root, '.worktrees'))
  symlinkSync(join(outside, 'moved', id), made.path)
  await t.rejects(removeWorktree(made, { force: true, deleteBranch: true }), { code: 'conflict' })
  t.ok(existsSync(join(outside, 'moved', id, 'readme')))
})

t.test('only what createWorktree makes can be asked for or removed', needsGit, async (t) => {
  const { root, git } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id })
  const wrong: Worktree[] = [
    { ...made, path: root },
    { ...made, path: join(root, '.worktrees') },
    { ...made, path: join(root, 'packages') },
    { ...made, path: `${root}/.worktrees/../packages` },
    { ...made, branch: 'main' },
    { ...made, branch: 'agent/other' },
    { ...made, repoRoot: join(root, '..') }
  ]
  for (const worktree of wrong) {
    await t.rejects(removeWorktree(worktree, { force: true, deleteBranch: true }), { name: 'Invalid' }, JSON.stringify(worktree))
    await t.rejects(worktreeStatus(worktree), { name: 'Invalid' })
  }
  t.ok(existsSync(join(made.path, 'readme')))
  t.equal(git('status', '--porcelain'), '')
})

t.test('a folder that is no longer the worktree goes only by force', needsGit, async (t) => {
  const { root, gitIn } = repository(t)
  const made = await createWorktree({ folder: root, sessionId: id })
  rmSync(join(made.path, '.git'))
  await t.rejects(worktreeStatus(made), { name: 'Conflict', code: 'conflict' }, 'the repository around it must not answer for it')
  gitIn(made.path, 'init', '--quiet')
  await t.rejects(worktreeStatus(made), { name: 'Conflict', code: 'conflict' })
  await t.rejects(removeWorktree(made, { force: false }), { name: 'Conflict', code: 'conflict' })
  t.ok(existsSync(join(made.path, 'readme')))
  t.same(await removeWorktree(made, { force: true }), { removed: true, branchDeleted: true })
  t.notOk(existsSync(made.path))
})

t.test('many at once, and the same one twice', { ...needsGit, long: true }, async (t) => {
  const { root, git } = repository(t)
  const names = ['a', 'b', 'c', 'd', 'a']
  const results = await Promise.allSettled(names.map(async (sessionId) => await createWorktree({ folder: root, sessionId })))
  t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled', 'rejected'])
  t.ok(existsSync(join(root, '.worktrees', 'a', 'readme')), 'the second attempt took nothing from the first')
  const made = results.flatMap((result) => result.status === 'fulfilled' ? [result.value] : [])
  await Promise.all(made.map(async (worktree) => await removeWorktree(worktree, { force: false })))
  t.equal(git('branch', '--list', 'agent/*'), '')
})

t.test('a lock is waited for, but not for ever', { ...needsGit, long: true }, async (t) => {
  const { root, git } = repository(t)
  const lock = join(root, '.git', 'index.lock')
  writeFileSync(lock, '')
  const waiting = gitText(root, ['reset', '--hard', '--quiet'])
  setTimeout(() => { rmSync(lock) }, 200)
  t.equal(await waiting, '')
  writeFileSync(lock, '')
  await t.rejects(gitText(root, ['reset', '--hard', '--quiet']), { name: 'Conflict', code: 'operation_in_progress' })

  rmSync(lock)
  mkdirSync(join(root, '.git', 'refs', 'heads', 'agent'))
  writeFileSync(join(root, '.git', 'refs', 'heads', 'agent', `${id}.lock`), '')
  await t.rejects(createWorktree({ folder: root, sessionId: id }), { name: 'Conflict', code: 'operation_in_progress' })
  t.notOk(existsSync(join(root, '.worktrees')), 'cleaned up')
  t.equal(git('worktree', 'list').split('\n').length, 1)
})

t.test('the file of exclusions is not written through a link', needsGit, async (t) => {
  const { root, git } = repository(t)
  const victim = join(root, '..', 'victim')
  writeFileSync(victim, 'mine')
  rmSync(join(root, '.git', 'info', 'exclude'), { force: true })
  symlinkSync(victim, join(root, '.git', 'info', 'exclude'))
  await t.rejects(createWorktree({ folder: root, sessionId: id }), { name: 'Invalid', code: 'git_failed' })
  t.equal(readFileSync(victim, 'utf8'), 'mine')
  t.equal(git('branch', '--list', 'agent/*'), '')
})

t.test('a pipe in place of the file of exclusions does not block', needsGit, async (t) => {
  const { root } = repository(t)
  const exclude = join(root, '.git', 'info', 'exclude')
  rmSync(exclude, { force: true })
  execFileSync('mkfifo', [exclude])
  await t.rejects(createWorktree({ folder: root, sessionId: id }), { name: 'Invalid', code: 'git_failed' })
})

t.test('a hostile repository runs nothing', { ...needsGit, long: true }, async (t) => {
  const { root, git, write } = repository(t)
  const { program, hasRun } = canary(root)
  write('.gitattributes', '* filter=evil diff=evil merge=evil\n*.x filter=other\n')
  write('a.x')
  git('add', '.')
  git('commit', '--quiet', '--message', 'Attributes')
  const signed = git('cat-file', 'commit', 'HEAD').replace('\n\n', '\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n eA==\n -----END PGP SIGNATURE-----\n\n')
  write('../signed', `${signed}\n`)
  git('reset', '--quiet', git('hash-object', '-t', 'commit', '-w', '../signed'))
  const hooks = join(root, 'hooks')
  mkdirSync(hooks)
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'fsmonitor-watchman', 'pre-commit']) {
    for (const folder of [hooks, join(root, '.git', 'hooks')]) {
      mkdirSync(folder, { recursive: true })
      rmSync(join(folder, hook), { force: true })
      symlinkSync(program, join(folder, hook))
    }
  }
  appendFileSync(join(root, '.git', 'config'), `
[core]
  fsmonitor = ${program}
  hooksPath = ${hooks}
  sshCommand = ${program}
  pager = ${program}
  editor = ${program}
  askPass = ${program}
  alternateRefsCommand = ${program}
[pager]
  status = ${program}
  branch = ${program}
[alias]
  status = !${program}
  worktree = !${program}
  rev-parse = !${program}
[filter "evil"]
  clean = ${program}
  smudge = ${program}
  required = true
[filter "other"]
  process = ${program}
  required = true
[diff]
  external = ${program}
[diff "evil"]
  command = ${program}
  textconv = ${program}
[merge "evil"]
  driver = ${program}
[credential]
  helper = ${program}
[gpg]
  program = ${program}
[commit]
  gpgSign = true
[log]
  showSignature = true
[includeIf "onbranch:agent/**"]
  path = later
[includeIf "gitdir:**/worktrees/**"]
  path = later
`)
  writeFileSync(join(root, '.git', 'later'), `[filter "later"]\n clean = ${program}\n smudge = ${program}\n required = true\n`)
  mkdirSync(join(root, '.git', 'info'), { recursive: true })
  writeFileSync(join(root, '.git', 'info', 'attributes'), 'readme filter=later\n')

  const made = await createWorktree({ folder: root, sessionId: id, title: 'Evil' })
  t.notOk(hasRun(), 'creation')
  t.equal(readFileSync(join(made.path, 'readme'), 'utf8'), 'readme\n')
  writeFileSync(join(made.path, 'readme'), 'eadmer\n')
  writeFileSync(join(made.path, 'a.x'), 'y.a\n')
  t.match(await worktreeStatus(made), { dirtyFiles: 2, untrackedFiles: 0 })
  t.notOk(hasRun(), 'status')
  t.match(await gitText(made.path, ['diff']), '+eadmer')
  t.match(await gitText(made.path, ['show', 'HEAD']), 'Attributes')
  t.match(await gitText(made.path, ['log', '--patch']), 'First')
  t.notOk(hasRun(), 'differences')
  await t.rejects(removeWorktree(made, { force: false }), { code: 'dirty_worktree' })
  t.match(await removeWorktree(made, { force: true }), { removed: true, branchDeleted: true })
  t.notOk(hasRun(), 'removal')

  git('config', '--remove-section', 'filter.other') // the canary does not speak its protocol
  execFileSync('git', ['status'], { cwd: root, stdio: 'ignore' })
  t.ok(hasRun(), 'the same repository harms whoever calls git plainly')
})

t.test('nothing is fetched, by whatever program the repository names for it', needsGit, async (t) => {
  const { root, git, gitIn } = repository(t)
  const { program, hasRun } = canary(root)
  const partial = join(root, '..', 'partial')
  git('config', 'uploadpack.allowFilter', 'true')
  gitIn(join(root, '..'), 'clone', '--quiet', '--no-checkout', '--filter=blob:none', `file://${root}`, partial)
  for (const settings of [['remote.origin.uploadpack', program], ['remote.origin.vcs', 'ext'], ['remote.origin.url', `ext::${program}`], ['remote.origin.url', 'ssh://localhost/x']]) {
    gitIn(partial, 'config', ...settings)
    gitIn(partial, 'config', 'core.sshCommand', program)
    await t.rejects(createWorktree({ folder: partial, sessionId: id }), { name: 'Invalid', code: 'git_failed' })
    t.notOk(hasRun())
    t.notOk(existsSync(join(partial, '.worktrees')), 'cleaned up')
    t.equal(gitIn(partial, 'branch', '--list', 'agent/*'), '')
  }
})

t.test('filters whose names cannot be given are refused', needsGit, async (t) => {
  const { root } = repository(t)
  const { program, hasRun } = canary(root)
  for (const name of [Buffer.from('a=b'), Buffer.from([0x61, 0xff])]) {
    const config = readFileSync(join(root, '.git', 'config'))
    appendFileSync(join(root, '.git', 'config'), Buffer.concat([Buffer.from('[filter "'), name, Buffer.from(`"]\nsmudge = ${program}\n`)]))
    writeFileSync(join(root, '.git', 'info', 'attributes'), Buffer.concat([Buffer.from('* filter='), name]))
    await t.rejects(createWorktree({ folder: root, sessionId: id }), { name: 'Invalid', code: 'git_failed' })
    writeFileSync(join(root, '.git', 'config'), config)
  }
  t.notOk(hasRun())
})

t.test('a relative entry of the search path does not find a program of the repository', needsGit, async (t) => {
  const { root } = repository(t)
  const { program, hasRun } = canary(root)
  symlinkSync(program, join(root, 'git'))
  const { PATH } = process.env
  t.teardown(() => { process.env.PATH = PATH })
  for (const path of [`.:${PATH}`, `:${PATH}`, '', '.']) {
    process.env.PATH = path
    t.equal(await gitText(root, ['rev-parse', '--show-toplevel']), root)
  }
  t.notOk(hasRun())
})

t.test('git is given its limits', { ...needsGit, long: true }, async (t) => {
  const { root, write } = repository(t)
  write('big', 'x'.repeat(100_000))
  await gitText(root, ['diff', '--no-index', '--', 'readme', 'big']).catch(() => {})
  await t.rejects(runGit(root, ['diff', '--no-index', '--', 'readme', 'big'], { maxOutputBytes: 10_000 }), { name: 'TooLarge', code: 'too_large' })
  const { stdout, exitCode } = await runGit(root, ['diff', '--no-index', '--', 'readme', '-'], { input: 'from outside\n' })
  t.equal(exitCode, 1)
  t.match(stdout.toString(), '+from outside')

  // Stands in for git: it starts another process, and both ignore SIGTERM.
  const slow = join(root, '..', 'bin')
  mkdirSync(slow)
  writeFileSync(join(slow, 'git'), "#!/bin/sh\ntrap '' TERM\n(trap '' TERM; sleep 60.125) &\nwait\nwait\n")
  chmodSync(join(slow, 'git'), 0o755)
  const { PATH } = process.env
  t.teardown(() => { process.env.PATH = PATH })
  process.env.PATH = `${slow}:${PATH}`
  const startedAtMs = Date.now()
  await t.rejects(runGit(root, ['rev-parse', 'HEAD'], { timeoutMs: 200 }), { name: 'Invalid', code: 'timeout' })
  t.ok(Date.now() - startedAtMs < 60_000)
  if (process.platform === 'linux') {
    const left = (): boolean => readdirSync('/proc').some((pid) => /^\d+$/.test(pid) && isRunning(pid, 'sleep\0' + '60.125'))
    for (let round = 0; round < 100 && left(); round++) await delay(20)
    t.notOk(left(), 'the other process is gone as well')
  }

  process.env.PATH = join(root, 'packages')
  await t.rejects(runGit(root, ['rev-parse', 'HEAD']), { name: 'Unavailable', code: 'missing_git' })
  await t.rejects(runGit(join(root, 'nowhere'), ['rev-parse', 'HEAD']), { name: 'Invalid', code: 'not_a_repo' })
})

function isRunning (pid: string, commandLine: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(commandLine)
  } catch {
    return false
  }
}

t.test('what git says is passed on without the paths of the machine', needsGit, async (t) => {
  const { root } = repository(t, "it's a\nrepo")
  const messageOf = async (...args: Parameters<typeof gitText>): Promise<string> => await gitText(...args).then(() => 'fine', (error: Error) => error.message)
  t.equal(await messageOf(root, ['rev-parse', 'nothing', '--']), "git refused: bad revision 'nothing'")
  for (const path of [join(root, 'packages'), root, '/etc', '/etc/pass wd']) {
    const message = await messageOf(root, ['worktree', 'remove', '--force', '--', path])
    t.match(message, 'git refused: ')
    t.notMatch(message, /\/etc|\/tmp|worktrees-/)
  }
  await t.rejects(gitText(root, ['rev-parse', 'a\0b']), { name: 'Invalid', code: 'git_failed' })
})

t.test('names of branches and tags', { long: true }, async (t) => {
  for (const name of ['main', 'agent/0123', 'feature/a-b_c.d', 'ünï', 'a@b', 'x/@']) t.equal(refName(name), name)
  for (const name of ['', '@', '-d', '--delete', '/a', 'a/', 'a//b', '.a', 'a/.b', 'a..b', 'a.', 'a.lock', 'a.lock/b', 'a b', 'a\nb', 'a~1', 'a^', 'a:b', 'a?', 'a*', 'a[', 'a\\b', 'a@{1}', 'a\0b']) {
    t.throws(() => refName(name), { name: 'Invalid', code: 'invalid_ref' }, JSON.stringify(name))
  }
})
