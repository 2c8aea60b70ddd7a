import { randomBytes } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { killMarked, markVariable } from '../../ground/process/processes.js'
import { runGit } from '../../workspace/git/index.js'
import { attemptName, readJournal, type UnderWay } from './journal.js'

/** One attempt to go to a new version. It has a folder of its own: whatever an earlier one has left running writes elsewhere. */
export type Attempt = Pick<UnderWay, 'root' | 'attempt'>

/** Where new versions are made, on the disk of the installation, so that they can be moved into its place. Ignored by git. */
const updatesFolder = (root: string): string => join(root, '.update')
/** Says in an attempt's folder whose journal tells of it. */
const ownerFile = 'state-folder'

/** Its folder. Versions that gave attempts no names have made theirs in the folder of all. */
export const attemptFolder = ({ root, attempt }: Attempt): string =>
  attempt === null ? updatesFolder(root) : join(updatesFolder(root), attempt)
export const stageOf = (attempt: Attempt): string => join(attemptFolder(attempt), 'next')

export const newAttempt = (root: string): Attempt => ({ root, attempt: randomBytes(4).toString('hex') })

/** By this the programs of an attempt are found after the service that has started them was killed. */
export const markOf = ({ attempt }: Attempt): Record<string, string> => attempt === null ? {} : { [markVariable]: `update-${attempt}.` }

export async function beginAttempt (attempt: Attempt, stateDir: string): Promise<void> {
  await mkdir(attemptFolder(attempt), { recursive: true, mode: 0o700 })
  await writeFile(join(attemptFolder(attempt), ownerFile), stateDir, { mode: 0o600 })
}

/** Ends what an attempt has left running, and removes what it has made and git's memory of it. */
export async function clearAttempt (attempt: Attempt): Promise<void> {
  const mark = markOf(attempt)[markVariable]
  if (mark !== undefined) await killMarked(mark)
  // What cannot be found by a mark may write there still.
  await rm(attemptFolder(attempt), { recursive: true, force: true, maxRetries: 5 })
  // Of ours alone: `prune` would forget every work tree that is not there now, as on a disk that is not mounted.
  await runGit(attempt.root, ['worktree', 'remove', '--force', '--', stageOf(attempt)])
  // The last one; another service of this checkout may have one under way.
  if (attempt.attempt !== null) await rmdir(updatesFolder(attempt.root)).catch(() => {})
}

const entryAt = (root: string): Stats | undefined => lstatSync(updatesFolder(root), { throwIfNoEntry: false })
export const hasLeftovers = (root: string): boolean => entryAt(root)?.isDirectory() === true
/** Something else stands there: a file, or a link to a folder, of which nothing is ours to be removed. */
export const isTaken = (root: string): boolean => entryAt(root)?.isDirectory() === false

/** Removes all attempts that no service has under way. To be called by who has the checkout: see owner.ts. */
export async function clearLeftovers (root: string): Promise<void> {
  if (!hasLeftovers(root)) return
  for (const name of await readdir(updatesFolder(root))) {
    if (await isUnderWay({ root, attempt: name })) continue
    if (attemptName.test(name)) await clearAttempt({ root, attempt: name })
    else {
      await rm(join(updatesFolder(root), name), { recursive: true, force: true, maxRetries: 5 })
      if (name === 'next') await runGit(root, ['worktree', 'remove', '--force', '--', stageOf({ root, attempt: null })])
    }
  }
  await rmdir(updatesFolder(root)).catch(() => {})
}

async function isUnderWay ({ root, attempt }: Attempt): Promise<boolean> {
  try {
    const { underWay } = readJournal(await readFile(join(attemptFolder({ root, attempt }), ownerFile), 'utf8'))
    return underWay?.root === root && underWay.attempt === attempt
  } catch {
    return false // nobody has written there whose it is
  }
}
