import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { Conflict, DomainError, Invalid } from '../../../ground/errors.js'
import { inScratch } from '../../../ground/files/scratch.js'
import { type Stash } from '../engine.js'
import { addChanges } from './adding.js'
import { isUnstaged, type Change } from './changes.js'
import { stashesOf } from './history.js'
import { fromInput, pathList } from './paths.js'
import { removeFiles } from './removal.js'
import { branchOf, change, headOf, type Repository } from './repository.js'

/** Author of stashes. Git uses the same one if it does not know the author. */
export const stashAuthor = {
  GIT_AUTHOR_NAME: 'git stash', GIT_AUTHOR_EMAIL: 'git@stash', GIT_COMMITTER_NAME: 'git stash', GIT_COMMITTER_EMAIL: 'git@stash'
} as const

/** Changes to stash. */
export interface Stashable {
  /** Without conflicts and submodules. */
  tracked: readonly Change[]
  untracked: readonly Change[]
}

/**
 * Moves changes into a stash in git's own format and returns it. `git stash push` would do more than is wanted: it looks into submodules
 * and stashes untracked files of the whole work tree. At every moment the changes are in the work tree, in the stash or in both. Throws
 * Invalid (`git_failed`) before the first commit, Conflict (`operation_in_progress`).
 */
export async function stashChanges (repository: Repository, { tracked, untracked }: Stashable, message: string): Promise<Stash> {
  const head = await headOf(repository)
  if (head === null) throw new Invalid('The repository has no commit yet, so changes cannot be stashed. Commit them first', 'git_failed')
  const branch = (await branchOf(repository))?.replace(/^refs\/heads\//, '') ?? null
  const subject = `On ${branch ?? '(no branch)'}: ${message}`
  // This also waits for a process that holds the lock of the index, before anything has been changed.
  const index = await treeOf(repository)
  const sha = await inScratch('git', async (scratch) => {
    const staged = await commitOf(repository, index, [head], `index: ${subject}`)
    const present = await changedTree(repository, index, tracked.filter(isUnstaged), join(scratch, 'index'))
    const beside = untracked.length === 0
      ? []
      : [
          await commitOf(repository, await changedTree(repository, null, untracked, join(scratch, 'untracked')), [], `untracked: ${subject}`)
        ]
    return await commitOf(repository, present, [head, staged, ...beside], subject)
  })
  await change(repository, ['stash', 'store', '--quiet', '--message', subject, sha], { environment: stashAuthor })
  const made = (await stashesOf(repository)).find((stash) => stash.sha === sha)
  if (made === undefined) throw new Conflict('The stash was not found. Another git operation may be running', 'operation_in_progress')
  await clear(repository, { tracked, untracked }, made)
  return made
}

async function clear (repository: Repository, { tracked, untracked }: Stashable, { sha }: Stash): Promise<void> {
  try {
    const paths = tracked.map(({ path }) => path)
    if (paths.length > 0) {
      await change(repository, [
        'restore', '--source=HEAD', '--staged', '--worktree', '--no-recurse-submodules', ...fromInput
      ], { input: pathList(paths) })
    }
  } catch (error) {
    const ref = (await stashesOf(repository)).find((stash) => stash.sha === sha)?.ref
    // If git could not get the lock, nothing has been changed yet.
    if (ref === undefined || !(error instanceof DomainError) || error.code !== 'operation_in_progress') throw kept(ref)
    await change(repository, ['stash', 'drop', '--quiet', ref])
    throw error
  }
  const files: string[] = []
  // Files that a tracked folder has replaced are already gone.
  for (const {
    path
  } of untracked) if ((await lstat(join(repository.top, path)).catch(() => null))?.isDirectory() === false) files.push(path)
  await removeFiles(repository, files).catch(() => { throw kept('a stash') })
}

function kept (ref = 'a stash'): Conflict {
  return new Conflict(`The changes are stashed in ${ref}, but git could not remove them here`, 'operation_in_progress')
}

async function treeOf (repository: Repository, environment: Record<string, string> = {}): Promise<string> {
  return (await change(repository, ['write-tree'], { environment })).stdout.toString().trim()
}

/** Writes a tree with the changes applied. A `tree` of null stands for the empty tree. */
async function changedTree (repository: Repository, tree: string | null, changes: readonly Change[], indexFile: string): Promise<string> {
  const environment = { GIT_INDEX_FILE: indexFile }
  await change(repository, ['read-tree', tree ?? '--empty'], { environment })
  await addChanges(repository, changes, environment)
  return await treeOf(repository, environment)
}

async function commitOf (repository: Repository, tree: string, parents: readonly string[], message: string): Promise<string> {
  const { stdout } = await change(repository, ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), tree], {
    input: message, environment: stashAuthor
  })
  return stdout.toString().trim()
}
