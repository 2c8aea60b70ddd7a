import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GitEngine } from '../../../services/workspace/git/engine.js'
import { emptyRepository, gitScratch, smallRepository, type TestRepository } from '../git-repository.js'
import { kinds, operations, type EngineSuite } from './suite.js'

const attempts: Record<typeof operations[number], (engine: GitEngine, root: string) => Array<() => Promise<unknown>>> = {
  discard: (engine, root) => [() => engine.discard(root, ['a'], { deleteUntracked: false })],
  selected: (engine, root) => [() => engine.commitSelected(root, 'x', ['a'])],
  checkout: (engine, root) => [() => engine.checkout(root, { ref: 'main', mode: 'local' })],
  'stash-checkout': (engine, root) => [() => engine.stashCheckout(root, { ref: 'main', mode: 'local' })],
  remotes: (engine, root) => [() => engine.fetch(root), () => engine.pull(root), () => engine.push(root)]
}

/** Creates a repository of each kind, and returns its folder. */
const made: Record<typeof kinds[number], (repository: TestRepository) => string> = {
  submodules: (repository) => {
    const library = emptyRepository(join(repository.root, '..', 'library'))
    library.write('x')
    library.commitAll('Library')
    repository.git('submodule', '--quiet', 'add', library.root, 'vendored')
    return repository.root
  },
  worktrees: ({ root, git }) => {
    git('worktree', 'add', '--quiet', '../linked')
    return join(root, '..', 'linked')
  },
  sha256: ({ root }) => emptyRepository(join(root, '..', 'sha256'), '--object-format=sha256').root,
  'index-kinds': ({ root, git }) => {
    git('update-index', '--index-version', '4')
    return root
  },
  sparse: ({ root, git }) => {
    git('sparse-checkout', 'set', 'dir')
    return root
  },
  converted: ({ root, git, write }) => {
    git('config', 'core.autocrlf', 'input')
    write('new')
    return root
  }
}

/** Tests that an engine reports missing abilities, and changes nothing. */
export function refusalsSuite ({ t, name, engine, can, needs }: EngineSuite): void {
  const missing = { name: 'Unavailable', code: 'missing_git' }
  for (const operation of operations.filter((each) => !can(each))) {
    t.test(`${name}: ${operation} is left to git`, needs(), async (t) => {
      const { root, git, write } = smallRepository(t)
      write('a', 'changed\n')
      for (const attempt of attempts[operation](engine, root)) await t.rejects(attempt(), missing)
      t.equal(git('status', '--porcelain'), ' M a')
      const plain = gitScratch(t)
      for (const attempt of attempts[operation](engine, plain)) await t.rejects(attempt(), { code: 'not_a_repo' }, 'elsewhere there is nothing to do it in')
    })
  }
  for (const kind of kinds.filter((each) => !can(each))) {
    t.test(`${name}: repositories of another kind are left to git: ${kind}`, needs(), async (t) => {
      const folder = made[kind](smallRepository(t))
      if (kind !== 'converted') await t.rejects(engine.status(folder), missing)
      writeFileSync(join(folder, 'new'), 'x\r\n')
      await t.rejects(engine.stage(folder, ['new']), missing)
    })
  }
}
