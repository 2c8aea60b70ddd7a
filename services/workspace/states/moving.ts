import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Conflict, Unavailable } from '../../ground/errors.js'
import { inScratch } from '../../ground/files/scratch.js'
import { type Workers } from '../../ground/workers/index.js'
import { nameList } from '../checkpoints/names.js'
import { gitText, readPrograms, runGit, workTreeOf } from '../git/index.js'
import { type Territory } from '../place/place.js'
import { changesBetween, type ChangedFile } from './differences.js'
import { commitOf, keepState, longGit } from './states.js'

/** A change of a folder from one state to another. */
export interface Move { top: string, prefix: string, before: string, after: string }

/** A move that is not carried out yet. `isMade`: the folder already contains the result. */
export interface PlannedMove extends Move { isMade: boolean }

interface Writing { workers: Workers, territory: (top: string) => Territory }

const writeLimitMs = 120_000

/**
 * Plans to apply the change between two states to the current contents of a folder, as a merge: changes in different places are combined.
 * Changes nothing. Throws Conflict (`attempt_conflict`) with `files` if they conflict, and what keepState throws.
 */
export async function planMove (folder: string, from: string, to: string): Promise<PlannedMove> {
  const now = await keepState(folder)
  const { top, prefix } = now
  const [ours, theirs] = await Promise.all([now.commit, to].map(async (state) => await commitOf(top, `${state}^{tree}`, [from])))
  const merged = await runGit(top, ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours ?? '', theirs ?? ''], longGit)
  const [tree = '', ...files] = merged.stdout.toString().split('\0').filter((field) => field !== '')
  if (merged.exitCode === 1) {
    throw new Conflict(
      'The folder has since changed in the same places, so these changes cannot be applied. Nothing was changed', 'attempt_conflict',
      // Where a file meets a folder, git gives it a name of its own.
      { files: [...new Set(files.map((file) => file.replace(/~[0-9a-f]{40,64}$/, '')))] }
    )
  }
  if (merged.exitCode !== 0) throw new Unavailable('The changes could not be put together. This needs git 2.38 or newer', 'git_failed')
  return { top, prefix, before: now.commit, after: await commitOf(top, tree, [now.commit]), isMade: tree === now.tree }
}

/**
 * Writes the change into the folder, each file atomically. Returns the files. If one cannot be written, undoes the others and throws
 * Unavailable (`git_failed`).
 */
export async function carryOutMove ({ top, prefix, before, after }: Move, writing: Writing): Promise<string[]> {
  const files = await changesBetween(top, before, after, prefix)
  const { done, errors } = await write(top, after, files, writing).catch(async (error: unknown) => {
    // Only the folder shows how much was written.
    await takeBack(join(top, prefix), { top, prefix, before, after }, writing)
    throw error
  })
  const [failed] = errors
  if (failed === undefined) return files.map(({ path }) => path)
  const written = new Set(done)
  const back = (await changesBetween(top, after, before, prefix)).filter(({ path }) => written.has(path))
  await write(top, before, back, writing)
  throw new Unavailable(`${failed.file} could not be written (${failed.error}). Nothing was changed`, 'git_failed')
}

/**
 * Continues an interrupted change: writes what is still missing or, if one of its files has been changed since, undoes what was
 * written. Returns whether the change is complete now.
 */
export async function finishMove (folder: string, { top, prefix, before, after }: Move, writing: Writing): Promise<boolean> {
  const { commit: now } = await keepState(folder)
  const files = await changesBetween(top, before, after, prefix)
  const [missing, begun] = [await namesBetween(top, now, after, prefix), await namesBetween(top, now, before, prefix)]
  if (files.some(({ name }) => missing.has(name) && begun.has(name))) {
    await takeBack(folder, { top, prefix, before, after }, writing)
    return false
  }
  const { errors } = await write(top, after, files.filter(({ name }) => missing.has(name)), writing)
  return errors.length === 0
}

const namesBetween = async (top: string, from: string, to: string, prefix: string): Promise<Set<string>> =>
  new Set((await changesBetween(top, from, to, prefix)).map(({ name }) => name))

/** Undoes the part of a change that is in the folder. */
async function takeBack (folder: string, { top, prefix, before, after }: Move, writing: Writing): Promise<void> {
  const missing = await namesBetween(top, (await keepState(folder)).commit, after, prefix)
  const back = (await changesBetween(top, after, before, prefix)).filter(({ name }) => !missing.has(name))
  await write(top, before, back, writing)
}

/** Writes files of a state into a work tree, and removes those that the state does not have. */
async function write (
  top: string, state: string, files: readonly ChangedFile[], { workers, territory }: Writing
): Promise<{ done: string[], errors: Array<{ file: string, error: string }> }> {
  const placed = files.filter(({ entry }) => entry !== null).map(({ name }) => name)
  const removed = files.filter(({ entry }) => entry === null).map(({ name }) => name)
  if (files.length === 0) return { done: [], errors: [] }
  const [{ gitDir }, off] = await Promise.all([workTreeOf(top), readPrograms(top)])
  return await inScratch('git', async (scratch) => {
    const source = join(scratch, 'files')
    await mkdir(source)
    const environment = { GIT_DIR: gitDir, GIT_WORK_TREE: source, GIT_INDEX_FILE: join(scratch, 'index') }
    await gitText(source, ['read-tree', state], { ...longGit, environment })
    if (placed.length > 0) {
      await gitText(source, ['restore', '--worktree', '--pathspec-from-file=-', '--pathspec-file-nul'], {
        ...longGit, environment, off, input: nameList(placed)
      })
    }
    const { root, closed } = territory(top)
    return await workers.run('restoreFiles', {
      root, closed, source, removed: nameList(removed.sort().reverse()), placed: nameList(placed.sort())
    }, { timeoutMs: writeLimitMs })
  })
}
