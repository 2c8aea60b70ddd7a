import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { type Workers } from '../../services/ground/workers/index.js'
import { restoreFiles, type RestoreFilesInput } from '../../services/workspace/checkpoints/restore-task.js'
import { carryOutMove, changesBetween, keepState, planMove, treeWithParts } from '../../services/workspace/states/index.js'
import { emptyRepository, gitScratch, needsGit, type TestRepository } from '../support/git-repository.js'

const lines = Array.from({ length: 30 }, (_, index) => `line ${index}`)
/** Returns a file with some lines replaced. */
const text = (changes: Record<number, string>, encoding: BufferEncoding = 'utf8'): Buffer =>
  Buffer.from(lines.map((line, index) => changes[index] ?? line).join('\n') + '\n', encoding)

/** Returns the tree with some hunks of what has changed since a commit. */
async function withHunks (repository: TestRepository, from: string, path: string, hunks: number[]): Promise<string | null> {
  const { top, commit, prefix } = await keepState(repository.root)
  return await treeWithParts(top, from, commit, { files: await changesBetween(top, from, commit, prefix), parts: [{ path, hunks }] })
}

t.test('states of folders', needsGit, async (t) => {
  const scratch = gitScratch(t)
  const repositoryOf = (name: string, files: Record<string, string | Buffer>): TestRepository => {
    const repository = emptyRepository(join(scratch, name))
    for (const [file, content] of Object.entries(files)) repository.write(file, content)
    repository.commitAll('First')
    return repository
  }
  /** Returns the lines of a file in a tree, byte by byte. */
  const read = (repository: TestRepository, tree: string | null): string[] =>
    execFileSync('git', ['show', `${tree}:a.txt`], { cwd: repository.root }).toString('latin1').split('\n')

  t.test('hunks of a file in another encoding than UTF-8 are taken byte by byte', async (t) => {
    const repository = repositoryOf('latin', { 'a.txt': text({ 24: 'na\u00efve' }, 'latin1') })
    const { commit } = await keepState(repository.root)
    repository.write('a.txt', text({ 2: 'caf\u00e9', 24: 'na\u00efve', 25: 'other' }, 'latin1'))
    const [first, second] = [read(repository, await withHunks(repository, commit, 'a.txt', [0])), read(repository, await withHunks(repository, commit, 'a.txt', [1]))]
    t.same([first[2], first[24], first[25]], ['caf\u00e9', 'na\u00efve', 'line 25'])
    t.same([second[2], second[24], second[25]], ['line 2', 'na\u00efve', 'other'])
  })

  t.test('a hunk begins where git begins one, whatever stands in the text', async (t) => {
    for (const sign of ['\r', '\u2028', '\u2029', '\u0085']) {
      const repository = repositoryOf(`sign-${sign.charCodeAt(0)}`, { 'a.txt': text({}) })
      const { commit } = await keepState(repository.root)
      repository.write('a.txt', text({ 2: `x${sign}@@ -1,1 +1,1 @@`, 25: 'second' }))
      const taken = read(repository, await withHunks(repository, commit, 'a.txt', [1]))
      t.same([taken[2], taken[25]], ['line 2', 'second'])
      t.match(read(repository, await withHunks(repository, commit, 'a.txt', [0]))[2], /^x.+@@ -1,1 \+1,1 @@$/s)
      t.equal(await withHunks(repository, commit, 'a.txt', [2]), null)
    }
  })

  t.test('a file that becomes a link is taken as a whole', async (t) => {
    const repository = repositoryOf('kind', { 'a.txt': text({}) })
    const { commit } = await keepState(repository.root)
    rmSync(join(repository.root, 'a.txt'))
    symlinkSync('elsewhere', join(repository.root, 'a.txt'))
    await t.rejects(withHunks(repository, commit, 'a.txt', [0]), { message: /only be taken as a whole/ })
  })

  t.test('what has changed in the second in which the index was written is seen', async (t) => {
    const repository = repositoryOf('second', { 'a.txt': 'aaaa\n' })
    const [file, index] = [join(repository.root, 'a.txt'), join(repository.root, '.git', 'index')]
    repository.git('config', 'core.trustctime', 'false')
    for (const path of [file, index]) utimesSync(path, 1_000_000, 1_000_000)
    repository.git('update-index', '--refresh')
    utimesSync(index, 1_000_000, 1_000_000)
    writeFileSync(file, 'bbbb\n')
    utimesSync(file, 1_000_000, 1_000_000)
    const { commit, isChanged } = await keepState(repository.root)
    t.ok(isChanged)
    t.equal(repository.git('show', `${commit}:a.txt`), 'bbbb')
  })

  t.test('what was written before the writing failed is taken back', async (t) => {
    const repository = repositoryOf('cut', { 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' })
    const { commit } = await keepState(repository.root)
    repository.write('a.txt', 'A\n')
    repository.write('new/d.txt', 'D\n')
    rmSync(join(repository.root, 'b.txt'))
    const { commit: wanted } = await keepState(repository.root)
    repository.git('checkout', '--quiet', '.')
    rmSync(join(repository.root, 'new'), { recursive: true })
    repository.write('c.txt', 'mine\n')
    const move = await planMove(repository.root, commit, wanted)
    let runs = 0
    const workers = {
      async run (_: string, input: RestoreFilesInput) {
        if (++runs > 1) return restoreFiles(input)
        restoreFiles({ ...input, placed: input.placed.subarray(0, 'a.txt'.length + 1) })
        throw new Error('given up')
      }
    } as unknown as Workers
    const territory = (root: string) => ({ root, closed: [] })
    await t.rejects(carryOutMove(move, { workers, territory } as never), { message: 'given up' })
    t.same(['a.txt', 'b.txt', 'c.txt'].map((name) => repository.read(name)), ['a\n', 'b\n', 'mine\n'])
    t.notOk(repository.has('new/d.txt'))
    t.equal(runs, 2)
  })

  t.test('a repository in the folder that has no commit yet is in nobody\'s way', async (t) => {
    const repository = repositoryOf('embedded', { 'a.txt': 'a\n' })
    mkdirSync(join(repository.root, 'inner'))
    repository.gitIn(join(repository.root, 'inner'), 'init', '--quiet')
    repository.write('inner/x', 'x\n')
    repository.write('b.txt', 'b\n')
    const { commit } = await keepState(repository.root)
    t.equal(repository.git('ls-tree', '-r', '--name-only', commit), 'a.txt\nb.txt')
  })
})
