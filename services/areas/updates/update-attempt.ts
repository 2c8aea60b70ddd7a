import { randomBytes } from 'node:crypto'
import { lstatSync, type Stats } from 'node:fs'
import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { killMarked, markVariable } from '../../ground/process/processes.js'
import { runGit } from '../../workspace/git/index.js'
import { attemptName, readJournal, type UnderWay } from './journal.js'

/** One attempt to update. It has a folder of its own, so that programs which an earlier attempt left running write elsewhere. */
export type Attempt = Pick<UnderWay, 'root' | 'attempt'>

/** The folder in which new versions are made, on the disk of the installation, so that they can be moved into place. Ignored by git. */
const updatesFolder = (root: string): string => join(root, '.update')
/** The file in an attempt's folder that names the state folder with its journal. */
const ownerFile = 'state-folder'

/** Returns the folder of an attempt. Versions that gave attempts no names used the common folder. */
export const attemptFolder = ({ root, attempt }: Attempt): string =>
  attempt === null ? updatesFolder(root) : join(updatesFolder(root), attempt)
export const stageOf = (attempt: Attempt): string => join(attemptFolder(attempt), 'next')

export const newAttempt = (root: string): Attempt => ({ root, attempt: randomBytes(4).toString('hex') })

/** Returns the variable by which the programs of an attempt are found after a kill of the service that started them. */
export const markOf = ({ attempt }: Attempt): Record<string, string> => attempt === null ? {} : { [markVariable]: `update-${attempt}.` }

export async function beginAttempt (attempt: Attempt, stateDir: string): Promise<void> {
  await mkdir(attemptFolder(attempt), { recursive: true, mode: 0o700 })
  await writeFile(join(attemptFolder(attempt), ownerFile), stateDir, { mode: 0o600 })
}

/** Ends programs that an attempt has left running, and removes its files and git's record of its worktree. */
export async function clearAttempt (attempt: Attempt): Promise<void> {
  const mark = markOf(attempt)[markVariable]
  if (mark !== undefined) await killMarked(mark)
  // Programs without a mark cannot be found and may still be writing there.
  await rm(attemptFolder(attempt), { recursive: true, force: true, maxRetries: 5 })
  // Only this worktree: `prune` would also forget worktrees that are missing at the moment, as on a disk that is not mounted.
  await runGit(attempt.root, ['worktree', 'remove', '--force', '--', stageOf(attempt)])
  // Fails unless it is empty: another service of this checkout may have an attempt there.
  if (attempt.attempt !== null) await rmdir(updatesFolder(attempt.root)).catch(() => {})
}

const entryAt = (root: string): Stats | undefined => lstatSync(updatesFolder(root), { throwIfNoEntry: false })
export const hasLeftovers = (root: string): boolean => entryAt(root)?.isDirectory() === true
/** Whether something else has this name: a file, or a link to a folder, whose content must not be removed. */
export const isTaken = (root: string): boolean => entryAt(root)?.isDirectory() === false

/** Removes all attempts that no service has active. The caller must hold the lock of the checkout: see checkout-lock.ts. */
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
    return false // the file that names its owner is missing
  }
}
