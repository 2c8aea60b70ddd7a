import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Stash } from '../engine.js'
import { refusal } from '../errors.js'
import { recordsOf } from './records.js'
import { removeFiles } from './removal.js'
import { stashesOf } from './history.js'
import { attempt, change, look, writing, type Repository } from './repository.js'

/**
 * Puts a stash back into a clean work tree, what was staged as staged where that is possible, and drops it. Null when
 * that went well; otherwise the reason, with the work tree as clean as before and the stash still there.
 */
export async function restoreStash (repository: Repository, { sha }: Pick<Stash, 'sha'>): Promise<string | null> {
  const untracked = await untrackedIn(repository, sha)
  const present = new Set<string>()
  for (const file of untracked) if (await isThere(repository, file)) present.add(file)
  let reason = 'The stash is gone'
  for (const withIndex of [true, false]) {
    const ref = await refOf(repository, sha)
    if (ref === null) return reason
    const outcome = await attempt(repository, ['stash', 'apply', '--quiet', ...withIndex ? ['--index'] : [], ref], { ...writing, off: undefined })
    if (outcome.exitCode === 0) {
      await drop(repository, sha)
      return null
    }
    reason = /^CONFLICT /m.test(outcome.stdout.toString() + outcome.stderr) ? 'The changes conflict with the branch' : refusal(outcome, repository.top).message
    await change(repository, ['reset', '--hard', '--quiet', '--no-recurse-submodules'])
    // What the attempt has brought back; what was there before is not its own.
    await removeFiles({ ...repository, folder: repository.top, prefix: '' }, untracked.filter((file) => !present.has(file)))
  }
  return reason
}

async function drop (repository: Repository, sha: string): Promise<void> {
  const ref = await refOf(repository, sha)
  if (ref !== null) await change(repository, ['stash', 'drop', '--quiet', ref])
}

/** Stashes are counted from the latest, so the name of one changes. */
async function refOf (repository: Repository, sha: string): Promise<string | null> {
  return (await stashesOf(repository)).find((stash) => stash.sha === sha)?.ref ?? null
}

async function untrackedIn (repository: Repository, sha: string): Promise<string[]> {
  if ((await attempt(repository, ['rev-parse', '--verify', '--quiet', `${sha}^3`])).exitCode !== 0) return []
  return recordsOf((await look(repository, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', `${sha}^3`], writing)).stdout)
}

async function isThere ({ top }: Repository, file: string): Promise<boolean> {
  return await lstat(join(top, file)).then(() => true, () => false)
}
