import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Stash } from '../engine.js'
import { refusal } from '../errors.js'
import { type GitOutcome } from '../run.js'
import { eachChange } from './changes.js'
import { stashesOf } from './history.js'
import { fromInput, pathList } from './paths.js'
import { recordsOf } from './records.js'
import { removeFiles } from './removal.js'
import { attempt, change, commitAt, fromFolder, headOf, look, writing, type Repository } from './repository.js'
import { stashAuthor } from './stash.js'

const conflicting = 'The changes conflict with the branch'

/**
 * Restores a stash and drops it. Staged changes are staged again where possible. Returns null on success, otherwise the reason; the stash
 * and the work tree are unchanged then. It touches nothing if the stash does not fit, because someone else may be working there.
 */
export async function restoreStash (repository: Repository, { sha }: Pick<Stash, 'sha'>): Promise<string | null> {
  const [tracked, untracked] = [await trackedIn(repository, sha), await untrackedIn(repository, sha)]
  if ([...tracked, ...untracked].some((file) => fromFolder(repository, file) === null)) return 'It has changes outside of this folder'
  for (const file of untracked) if (await isThere(repository, file)) return `${file} is there again`
  const edited = await editedAmong(repository, new Set(tracked))
  if (edited !== null) return `${edited} has changes of its own`
  if (await isKnownToConflict(repository, sha)) return conflicting
  let reason = 'The stash is gone'
  for (const withIndex of [true, false]) {
    const ref = await refOf(repository, sha)
    if (ref === null) return reason
    const outcome = await attempt(repository, ['stash', 'apply', '--quiet', ...withIndex ? ['--index'] : [], ref], {
      ...writing, off: undefined
    })
    if (outcome.exitCode === 0) {
      await drop(repository, sha)
      return null
    }
    const isMerged = await hasMerged(repository, outcome)
    reason = isMerged ? conflicting : refusal(outcome, repository.top).message
    // This undoes only the attempt: git began it because these files were unchanged or did not exist.
    if (isMerged && tracked.length > 0) {
      await change(repository, [
        'restore', '--source=HEAD', '--staged', '--worktree', '--no-recurse-submodules', ...fromInput
      ], { input: pathList(tracked) })
    }
    await removeFiles(repository, untracked)
  }
  return reason
}

/** Whether a failed attempt has nevertheless changed tracked files. It may have restored untracked files in any case. */
async function hasMerged (repository: Repository, { stderr }: GitOutcome): Promise<boolean> {
  if (stderr.includes('would be overwritten by merge')) return false
  return stderr.includes('could not restore untracked') ||
    (await look(repository, ['ls-files', '--unmerged', '-z'], writing)).stdout.length > 0
}

async function editedAmong (repository: Repository, files: ReadonlySet<string>): Promise<string | null> {
  let edited: string | null = null
  await eachChange(repository, { untracked: true, wholeTree: true, renames: false }, ({ path }) => { if (files.has(path)) edited ??= path })
  return edited
}

/** Whether a merge of HEAD with the stash has conflicts, tried without the work tree. False with git before 2.38, which cannot tell. */
async function isKnownToConflict (repository: Repository, sha: string): Promise<boolean> {
  const head = await headOf(repository)
  if (head === null) return false
  // A commit of HEAD's tree directly after the stash's base, so that this base is what both have in common.
  const {
    stdout
  } = await look(repository, ['commit-tree', '-p', `${sha}^1`, `${head}^{tree}`], { input: 'HEAD', environment: stashAuthor })
  return (await attempt(repository, ['merge-tree', '--write-tree', '--name-only', '-z', stdout.toString().trim(), sha], {
    ...writing, off: undefined
  })).exitCode === 1
}

async function drop (repository: Repository, sha: string): Promise<void> {
  const ref = await refOf(repository, sha)
  if (ref !== null) await change(repository, ['stash', 'drop', '--quiet', ref])
}

/** Returns the current name of a stash. It changes, because stashes are numbered from the latest. */
async function refOf (repository: Repository, sha: string): Promise<string | null> {
  return (await stashesOf(repository)).find((stash) => stash.sha === sha)?.ref ?? null
}

async function trackedIn (repository: Repository, sha: string): Promise<string[]> {
  const lists = await Promise.all([`${sha}^2`, sha].map(async (commit) => {
    return recordsOf((await look(repository, ['diff', '--name-only', '-z', '--no-renames', `${sha}^1`, commit, '--'], writing)).stdout)
  }))
  return [...new Set(lists.flat())]
}

async function untrackedIn (repository: Repository, sha: string): Promise<string[]> {
  if (await commitAt(repository, `${sha}^3`) === null) return []
  return recordsOf((await look(repository, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', `${sha}^3`], writing)).stdout)
}

async function isThere ({ top }: Repository, file: string): Promise<boolean> {
  return await lstat(join(top, file)).then(() => true, () => false)
}
