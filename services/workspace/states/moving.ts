import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Conflict, Unavailable } from '../../ground/errors.js'
import { inScratch } from '../../ground/scratch.js'
import { type Workers } from '../../ground/workers/index.js'
import { nameList } from '../checkpoints/names.js'
import { gitText, readPrograms, runGit, workTreeOf } from '../git/index.js'
import { type Territory } from '../place/place.js'
import { changesBetween, type ChangedFile } from './differences.js'
import { commitOf, keepState, longGit } from './states.js'

/** A change of a folder from one state to another. */
export interface Move { top: string, prefix: string, before: string, after: string }

/** One that is not made yet. `isMade`: the folder holds already what it would bring. */
export interface PlannedMove extends Move { isMade: boolean }

interface Writing { workers: Workers, territory: (top: string) => Territory }

const writeLimitMs = 120_000

/**
 * What a folder would hold if the change between two states were made to what it holds now: changes of different places go together.
 * Changes nothing. Throws Conflict (`attempt_conflict`) with `files` where they do not, and what keepState throws.
 */
export async function planMove (folder: string, from: string, to: string): Promise<PlannedMove> {
  const now = await keepState(folder)
  const { top, prefix } = now
  const [ours, theirs] = await Promise.all([now.commit, to].map(async (state) => await commitOf(top, `${state}^{tree}`, [from])))
  const merged = await runGit(top, ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours ?? '', theirs ?? ''], longGit)
  const [tree = '', ...files] = merged.stdout.toString().split('\0').filter((field) => field !== '')
  if (merged.exitCode === 1) {
    throw new Conflict(
      'The folder has changed since in the same places, so these changes cannot be applied. Nothing was changed', 'attempt_conflict',
      // Where a file meets a folder, git gives it a name of its own.
      { files: [...new Set(files.map((file) => file.replace(/~[0-9a-f]{40,64}$/, '')))] }
    )
  }
  if (merged.exitCode !== 0) throw new Unavailable('The changes could not be put together. This needs git 2.38 or newer', 'git_failed')
  return { top, prefix, before: now.commit, after: await commitOf(top, tree, [now.commit]), isMade: tree === now.tree }
}

/**
 * Writes the change into the folder, each file at one moment. What cannot be written undoes all that was. Throws Unavailable
 * (`git_failed`) then. Returns the files.
 */
export async function carryOutMove ({ top, prefix, before, after }: Move, writing: Writing): Promise<string[]> {
  const files = await changesBetween(top, before, after, prefix)
  const { done, errors } = await write(top, after, files, writing).catch(async (error: unknown) => {
    // How far it came is only seen in the folder.
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
 * Goes on with a change that was cut off: what is still missing is written or, where somebody has changed one of its files since, what
 * was written is taken back. Returns whether the change is made now.
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

/** Takes back what of a change is in the folder. */
async function takeBack (folder: string, { top, prefix, before, after }: Move, writing: Writing): Promise<void> {
  const missing = await namesBetween(top, (await keepState(folder)).commit, after, prefix)
  const back = (await changesBetween(top, after, before, prefix)).filter(({ name }) => !missing.has(name))
  await write(top, before, back, writing)
}

/** Makes files of a work tree those of a state. */
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
    return await workers.run('putBack', {
      root, closed, source, removed: nameList(removed.sort().reverse()), placed: nameList(placed.sort())
    }, { timeoutMs: writeLimitMs })
  })
}
