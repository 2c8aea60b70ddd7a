import { constants } from 'node:fs'
import { lstat, mkdir, open, realpath, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { codeOf, Conflict, Forbidden, Invalid, Unavailable } from '../../ground/errors.js'
import {
  changesIn, commitNamed, gitText, isAncestor, mainRootOf, refName, registrationOf, runGit, workTreeOf, type Registration
} from '../git/index.js'
import { createSharedQueue } from '../../ground/concurrency/shared-queue.js'
import { createSlots } from '../../ground/concurrency/slots.js'

/** A session's own work tree: `<repoRoot>/.worktrees/<session id>`, created on the branch `agent/<session id>`. */
export interface Worktree { path: string, branch: string, repoRoot: string }

export interface NewWorktree extends Worktree {
  /** The folder in the new work tree that corresponds to the session's folder in the original one. */
  workspace: string
}

export interface WorktreeStatus {
  exists: boolean
  path: string
  branch: string
  /** Tracked files with uncommitted changes, and submodules that are checked out. */
  dirtyFiles: number
  untrackedFiles: number
  /** Commits of the branch, and of what is checked out, that are on no other branch, local or remote. */
  ahead: number
  /** Whether the commit that is checked out in the repository itself contains the whole branch. */
  merged: boolean
  /** Whether it was locked with `git worktree lock`. */
  locked: boolean
}

export interface Removal {
  removed: boolean
  branchDeleted: boolean
  /** A new branch with the commits that were checked out and on no branch at all. */
  savedBranch?: string
}

const folderName = '.worktrees'
const longMs = 60_000

/** One change at a time in each repository, because what it has checked must stay true until it acts. Looks share the time between. */
const queue = createSharedQueue()
/** How many looks at one repository share the time: each of them runs git, which uses all processors. */
const mostLooks = 4
const looks = createSlots(mostLooks)

/** Runs work that makes or removes a worktree of a repository, by itself. */
export const whileWorktreesChange = <T>(repoRoot: string, work: () => Promise<T>): Promise<T> => queue.alone(repoRoot, work)

/** Runs work during which no worktree of a repository is made or removed: the files of one that is being removed are no state of it. */
export async function whileWorktreesStay<T> (repoRoot: string, work: () => Promise<T>): Promise<T> {
  const slot = looks.take(repoRoot)
  try {
    await slot.free
    return await queue.shared(repoRoot, work)
  } finally {
    slot.leave()
  }
}

/**
 * Creates a work tree for the session, on a new branch that starts at what is checked out in `folder`. If `folder` is in a worktree, the
 * new one is created next to that one, not in it. The title becomes the branch's description. Files of git-lfs appear as their pointers,
 * and submodules stay empty. Leaves nothing behind if it fails.
 *
 * Throws Invalid (`not_a_repo`, `no_commits`, `invalid_ref`, `git_failed`), Conflict (`conflict` if the folder or the
 * branch already exists, `operation_in_progress`) and what runGit throws.
 */
export async function createWorktree ({
  folder, sessionId, title
}: { folder: string, sessionId: string, title?: string }): Promise<NewWorktree> {
  const branch = branchOf(sessionId)
  const start = await realpath(folder).catch(() => { throw new Invalid('The folder does not exist or cannot be opened', 'not_a_repo') })
  const source = await workTreeOf(start)
  const repoRoot = await mainRootOf(source)
  const commit = await commitNamed(source.top, 'HEAD')
  if (commit === null) throw new Invalid('The repository has no commit yet. Make one before you create a worktree', 'no_commits')

  return await whileWorktreesChange(repoRoot, async () => {
    const worktree = { path: await claimFolder(repoRoot, sessionId), branch, repoRoot }
    let branchMade = false
    try {
      await excludeFolder(source.commonDir)
      await gitText(repoRoot, ['branch', '--no-track', branch, commit])
      branchMade = true
      await gitText(repoRoot, ['worktree', 'add', '--no-checkout', '--', worktree.path, branch])
      // A separate command instead of a part of `worktree add`: the settings may depend on the folder and the branch.
      await gitText(worktree.path, ['reset', '--quiet', '--hard', '--no-recurse-submodules'], { timeoutMs: longMs })
      const workspace = await makeSubfolder(worktree.path, relative(source.top, start))
      if (title !== undefined) await describeBranch(repoRoot, branch, title)
      return { ...worktree, workspace }
    } catch (error) {
      await discard(worktree).catch(() => {})
      if (branchMade) await deleteIfThere(repoRoot, branch).catch(() => {})
      throw error
    }
  })
}

/**
 * Returns the state of a worktree. Throws Conflict (`conflict`) if something else has replaced it, Invalid
 * (`path_outside_workspace`) for a record that createWorktree cannot have made, and what gitText throws.
 */
export async function worktreeStatus (worktree: Worktree): Promise<WorktreeStatus> {
  const { path, branch } = worktree
  const place = await locate(worktree)
  if (place === null) return { exists: false, path, branch, dirtyFiles: 0, untrackedFiles: 0, ahead: 0, merged: false, locked: false }
  const { status, foreign } = await inspect(place, place.exists)
  if (foreign) throw displaced()
  return status
}

/**
 * Removes the worktree's folder, and its branch if all of its commits are on other branches. Without `force`, throws Conflict
 * (`dirty_worktree`, `unmerged_commits`) if work would be lost. With `force`, the folder is removed and the commits stay on their branch,
 * unless `deleteBranch` deletes it too. Ignored files are removed with the folder. If the folder is gone, only git's record is removed.
 *
 * Even with `force`, throws Conflict for a locked worktree (`locked_worktree`) and for one that contains another (`conflict`). Also throws
 * what worktreeStatus throws, except that a forced removal removes any folder in the worktree's place.
 */
export async function removeWorktree (
  worktree: Worktree, { force, deleteBranch = false }: { force: boolean, deleteBranch?: boolean }
): Promise<Removal> {
  return await whileWorktreesChange(worktree.repoRoot, async () => {
    const place = await locate(worktree)
    if (place === null) return { removed: true, branchDeleted: false }
    const { repoRoot, branch, exists } = place
    const { status, entry, foreign } = await inspect(place, exists)
    if (entry?.locked === true) throw new Conflict('The worktree is locked. Run `git worktree unlock` first', 'locked_worktree')
    if (entry?.holdsAnother === true) throw new Conflict('This worktree contains another one. Remove that one first', 'conflict')
    if (foreign && !force) throw displaced()
    if (exists && !force) refuseLoss(status)

    const givenUp = force && deleteBranch
    const savedBranch = givenUp || entry === null ? null : await saveCheckedOut(repoRoot, branch, entry)
    await discard(place)
    const unmerged = await countHeldNowhere(repoRoot, branch, await branchTip(repoRoot, branch))
    const branchDeleted = (givenUp || unmerged === 0) && await deleteIfThere(repoRoot, branch)
    return { removed: true, branchDeleted, ...(savedBranch === null ? {} : { savedBranch }) }
  })
}

function branchOf (sessionId: string): string {
  if (!/^[\w.-]{1,128}$/.test(sessionId)) {
    throw new Invalid('This session cannot have a worktree: its id is not a valid folder name', 'invalid_ref')
  }
  return refName(`agent/${sessionId}`)
}

/** Returns the worktree with its real paths; null if its repository is gone. */
async function locate ({ path, branch, repoRoot }: Worktree): Promise<Worktree & { exists: boolean } | null> {
  const name = basename(path)
  if (path !== join(repoRoot, folderName, name) || branch !== branchOf(name)) {
    throw new Invalid('This is not the worktree of a session', 'path_outside_workspace')
  }
  const root = await realpath(repoRoot).catch(() => null)
  if (root === null) return null
  const holder = await isRealFolder(join(root, folderName))
  const real = join(root, folderName, name)
  return { path: real, branch, repoRoot: root, exists: holder && await isRealFolder(real) }
}

/** Returns false if nothing exists there. Throws Conflict for a symlink, which may lead anywhere, and for a file. */
async function isRealFolder (path: string): Promise<boolean> {
  const entry = await lstat(path).catch(() => null)
  if (entry !== null && !entry.isDirectory()) throw new Conflict(`${basename(path)} is not a folder, or a link to one`, 'conflict')
  return entry !== null
}

async function claimFolder (repoRoot: string, sessionId: string): Promise<string> {
  const holder = join(repoRoot, folderName)
  if (!await isRealFolder(holder)) await mkdir(holder, { recursive: true })
  const path = join(holder, sessionId)
  try {
    await mkdir(path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new Conflict('This session already has a worktree', 'conflict')
    throw new Invalid(`The folder could not be created in the repository (${String(codeOf(error))})`, 'git_failed')
  }
  return path
}

/** Keeps worktrees out of the repository's own status, without changing its tracked files. */
async function excludeFolder (commonDir: string): Promise<void> {
  const info = join(commonDir, 'info')
  if (!await isRealFolder(info)) await mkdir(info)
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants
  const unwritable = (): Invalid => new Invalid('The file info/exclude of the repository cannot be written', 'git_failed')
  const file = await open(join(info, 'exclude'), O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK).catch(() => { throw unwritable() })
  try {
    // A read from a pipe would never end.
    if (!(await file.stat()).isFile()) throw unwritable()
    const text = await file.readFile('utf8')
    if (text.split('\n').some((line) => line.trim() === `${folderName}/`)) return
    await file.appendFile(`${text === '' || text.endsWith('\n') ? '' : '\n'}${folderName}/\n`)
  } finally {
    await file.close()
  }
}

/** Returns the same subfolder in the worktree. Creates it if the commit does not have it, because git stores no empty folders. */
async function makeSubfolder (top: string, subfolder: string): Promise<string> {
  let path = top
  for (const name of subfolder.split(sep).filter((name) => name !== '')) {
    path = join(path, name)
    if (!await isRealFolder(path)) await mkdir(path)
  }
  return path
}

/** Stores a description for people who list branches later. A failure is ignored. */
async function describeBranch (repoRoot: string, branch: string, title: string): Promise<void> {
  await gitText(repoRoot, ['config', '--', `branch.${branch}.description`, title]).catch(() => {})
}

/** Inspects a worktree. `foreign`: the folder is not, or no longer, a work tree of this repository, so its contents are unknown. */
async function inspect (
  worktree: Worktree, exists: boolean
): Promise<{ status: WorktreeStatus, entry: Registration | null, foreign: boolean }> {
  const { path, branch, repoRoot } = worktree
  const { commonDir } = await workTreeOf(repoRoot)
  const entry = await registrationOf(repoRoot, path)
  const foreign = exists && (entry === null || !await belongs(path, commonDir))
  const tip = await branchTip(repoRoot, branch)
  const tips = [...tip, ...(entry?.head == null ? [] : [entry.head])]
  const changes = exists && !foreign ? await changesIn(path) : { dirtyFiles: 0, untrackedFiles: 0 }
  const ahead = await countHeldNowhere(repoRoot, branch, tips)
  const merged = tip.length > 0 && await isAncestor(repoRoot, `refs/heads/${branch}`, 'HEAD')
  return { status: { exists, path, branch, ...changes, ahead, merged, locked: entry?.locked ?? false }, entry, foreign }
}

async function belongs (path: string, commonDir: string): Promise<boolean> {
  try {
    const tree = await workTreeOf(path)
    return tree.top === path && tree.commonDir === commonDir
  } catch (error) {
    if (error instanceof Invalid || error instanceof Forbidden) return false
    throw error
  }
}

/** Returns the tip of the branch as a list, which is empty if the branch does not exist. */
async function branchTip (repoRoot: string, branch: string): Promise<string[]> {
  return [await commitNamed(repoRoot, `refs/heads/${branch}`)].flatMap((tip) => tip ?? [])
}

/** Counts the commits reachable from `tips` that are on no branch but this one. */
async function countHeldNowhere (repoRoot: string, branch: string, tips: string[]): Promise<number> {
  if (tips.length === 0) return 0
  return Number(await gitText(repoRoot, ['rev-list', '--count', ...tips, '--not', `--exclude=${branch}`, '--branches', '--remotes', '--']))
}

function refuseLoss ({ dirtyFiles, untrackedFiles, ahead }: WorktreeStatus): void {
  if (dirtyFiles + untrackedFiles > 0) {
    throw new Conflict('The worktree has uncommitted changes', 'dirty_worktree', {
      dirty_files: dirtyFiles, untracked_files: untrackedFiles
    })
  }
  if (ahead > 0) throw new Conflict('The worktree has commits that are on no other branch', 'unmerged_commits', { ahead })
}

/** Creates a branch for commits that are on none, as during a rebase: git forgets a detached checkout with its worktree. */
async function saveCheckedOut (repoRoot: string, branch: string, { head }: Registration): Promise<string | null> {
  if (head === null) return null
  const count = await gitText(repoRoot, ['rev-list', '--count', head, '--not', '--branches', '--remotes', '--'])
  if (count === '0') return null
  const name = `${branch}-${head.slice(0, 12)}`
  await gitText(repoRoot, ['branch', '--no-track', name, head])
  return name
}

/** Removes a worktree. The caller has checked that `path` is really below the repository's folder for worktrees. */
async function discard ({ path, repoRoot }: Worktree): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch((error: NodeJS.ErrnoException) => {
    throw new Unavailable(`The folder of the worktree could not be removed completely (${String(error.code)})`, 'git_failed')
  })
  if (await registrationOf(repoRoot, path) !== null) await gitText(repoRoot, ['worktree', 'remove', '--force', '--', path])
  await rmdir(dirname(path)).catch(() => {}) // succeeds only after the last worktree
}

/** Deletes a branch. Returns false if it does not exist, or if another work tree has it checked out. */
async function deleteIfThere (repoRoot: string, branch: string): Promise<boolean> {
  if ((await branchTip(repoRoot, branch)).length === 0) return false
  await runGit(repoRoot, ['branch', '--quiet', '-D', '--', branch])
  return (await branchTip(repoRoot, branch)).length === 0
}

function displaced (): Conflict {
  return new Conflict('The folder of the worktree is no longer a work tree of its repository', 'conflict')
}
