import { lstat, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Conflict, DomainError, Invalid } from '../../../ground/errors.js'
import { type CheckedOut, type CheckoutTarget, type Stash, type StashedCheckout } from '../engine.js'
import { refName, succeeding } from '../run.js'
import { isForeignRepository } from './adding.js'
import { eachChange, type Change } from './changes.js'
import { refuseFiltered, refuseFilteredMove } from './filters.js'
import { commitOf, stashesOf } from './history.js'
import { refuseConflicts, refuseFolders } from './index-edits.js'
import { refuseLinks } from './paths.js'
import { restoreStash } from './restore-stash.js'
import { branchOf, commitAt, fromFolder, headOf, look, changing, refuseUnderWay, writing, type Repository } from './repository.js'
import { stashChanges } from './stash.js'

/** The steps of a checkout. */
interface Plan {
  /** Arguments of `git switch`; null when the target is already checked out. */
  args: string[] | null
  /** The commit that the work tree moves to, by any name; null when it stays where it is. */
  to: string | null
  /** Null for a commit without a branch. */
  branch: string | null
  message: string
}

/** Message of stashes that are made here, before the name of the branch; they are found again by it. */
const automatic = 'svc-auto: '

/**
 * See GitEngine.checkout. It changes the whole work tree, even if the folder is only a part of it. A tag or a commit is checked out
 * without a branch. Throws Invalid (`invalid_ref`, `filtered_path`), Conflict (`dirty_worktree`, `conflict`, `operation_in_progress`).
 */
export async function checkout (folder: string, target: CheckoutTarget): Promise<CheckedOut> {
  return await changing(folder, async (repository) => {
    await refuseUnderWay(repository)
    const plan = await planOf(repository, target)
    if (plan.args !== null) {
      const changes = await trackedChanges(repository)
      refuseElsewhere(repository, changes)
      if (changes.length > 0) {
        throw new Conflict('There are uncommitted changes. Commit, stash or discard them first', 'dirty_worktree')
      }
    }
    if (plan.to !== null) await refuseFilteredMove(repository, plan.to)
    return await carryOut(repository, plan)
  })
}

/**
 * See GitEngine.stashCheckout. At every moment the changes are in the work tree, in a stash or in both. If the folder is a part of the work
 * tree, only its contents are stashed and restored. If the branch is already checked out and nothing has changed, the stash of an earlier
 * checkout is restored. Throws what checkout throws, after restoring the changes.
 */
export async function stashCheckout (folder: string, target: CheckoutTarget): Promise<StashedCheckout> {
  return await changing(folder, async (repository) => {
    await refuseUnderWay(repository)
    const plan = await planOf(repository, target)
    const changes = await trackedChanges(repository)
    if (plan.args === null && changes.length > 0) return { ...await carryOut(repository, plan), ...nothingStashed }
    const made = plan.args === null ? null : await stashAll(repository, changes, plan)
    let done: CheckedOut
    try {
      done = await carryOut(repository, plan)
    } catch (error) {
      if (made !== null) await putBack(repository, made, error)
      throw error
    }
    const restored = await restoreEarlier(repository, plan)
    await keepFolder(repository)
    const message = plan.args === null && restored.restoredStash !== null
      ? `${done.message}. The changes that were kept in a stash are back`
      : done.message
    return { ...done, message, stashName: made?.message ?? null, stashed: made !== null, ...restored }
  })
}

const nothingStashed = { stashName: null, stashed: false, restoredStash: null } as const

/** Restores what an earlier checkout stashed for the branch. */
async function restoreEarlier (
  repository: Repository, { branch }: Plan
): Promise<Pick<StashedCheckout, 'restoredStash' | 'restoreFailed'>> {
  const earlier = branch === null ? undefined : (await stashesOf(repository)).find(({ message }) => message === automatic + branch)
  if (earlier === undefined) return { restoredStash: null }
  const { sha, createdAtS, ...stash } = earlier
  const error = await restoreStash(repository, earlier)
  return error === null ? { restoredStash: stash } : { restoredStash: null, restoreFailed: { stash, error } }
}

async function planOf (repository: Repository, { ref, mode, newBranch, track }: CheckoutTarget): Promise<Plan> {
  if (mode === 'new') return await newBranchPlan(repository, ref, newBranch ?? '', track === true)
  if (mode === 'remote') return await remotePlan(repository, ref.replace(/^refs\/remotes\//, ''), newBranch, track !== false)
  const name = refName(ref.replace(/^refs\/heads\//, ''))
  if (await exists(repository, `refs/heads/${name}`)) return await localPlan(repository, name)
  if (await branchOf(repository) === `refs/heads/${name}`) return { args: null, to: null, branch: name, message: `Already on ${name}` }
  const sha = await commitOf(repository, ref)
  return { args: ['--detach', sha], to: sha, branch: null, message: `Checked out ${name} without a branch` }
}

async function localPlan (repository: Repository, name: string): Promise<Plan> {
  if (await branchOf(repository) === `refs/heads/${name}`) return { args: null, to: null, branch: name, message: `Already on ${name}` }
  const holder = (await look(
    repository, ['for-each-ref', '--format=%(worktreepath)', '--', `refs/heads/${name}`]
  )).stdout.toString().replace(/\n$/, '')
  if (holder !== '' && holder !== repository.top) {
    throw new Conflict(`The branch ${name} is checked out in another work tree of this repository`, 'conflict')
  }
  return { args: [name], to: `refs/heads/${name}`, branch: name, message: `Switched to ${name}` }
}

async function remotePlan (repository: Repository, name: string, newBranch: string | undefined, track: boolean): Promise<Plan> {
  const remoteRef = `refs/remotes/${refName(name)}`
  if (!await exists(repository, remoteRef)) throw new Invalid('No remote has this branch', 'invalid_ref')
  const local = branchName(newBranch ?? await nameAtRemote(repository, name))
  if (!await exists(repository, `refs/heads/${local}`)) {
    return {
      args: ['--create', local, track ? '--track' : '--no-track', remoteRef], to: remoteRef, branch: local,
      message: `Made ${local} from ${name} and switched to it`
    }
  }
  const upstream = (await look(repository, ['for-each-ref', '--format=%(upstream)', '--', `refs/heads/${local}`])).stdout.toString().trim()
  if (upstream !== remoteRef) throw new Conflict(`The branch ${local} already exists and does not track ${name}`, 'conflict')
  return await localPlan(repository, local)
}

async function newBranchPlan (repository: Repository, ref: string, newBranch: string, track: boolean): Promise<Plan> {
  const name = branchName(newBranch)
  if (await exists(repository, `refs/heads/${name}`)) throw new Conflict(`The branch ${name} already exists`, 'conflict')
  const plan = { branch: name, message: `Made ${name} and switched to it` }
  const isHead = ref === '' || ref === 'HEAD'
  if (isHead && await headOf(repository) === null) return { ...plan, args: ['--create', name], to: null }
  const followed = track ? await followable(repository, ref) : null
  const start = followed ?? await commitOf(repository, isHead ? 'HEAD' : ref)
  return { ...plan, args: ['--create', name, followed === null ? '--no-track' : '--track', start], to: start }
}

async function followable (repository: Repository, ref: string): Promise<string | null> {
  for (const place of ['refs/remotes/', 'refs/heads/']) if (await exists(repository, place + refName(ref))) return place + ref
  return null
}

/** Throws Invalid (`invalid_ref`). */
function branchName (name: string): string {
  if (refName(name) === 'HEAD') throw new Invalid('HEAD cannot be the name of a branch', 'invalid_ref')
  return name
}

async function exists (repository: Repository, ref: string): Promise<boolean> {
  return await commitAt(repository, ref) !== null
}

/** Returns the name of a branch without its remote, whose name may contain slashes too. */
async function nameAtRemote (repository: Repository, name: string): Promise<string> {
  const remotes = (await look(repository, ['remote'])).stdout.toString().split('\n')
  const remote = remotes.filter((each) => each !== '' && name.startsWith(`${each}/`)).sort((one, other) => other.length - one.length)[0]
  return remote === undefined ? name.slice(name.indexOf('/') + 1) : name.slice(remote.length + 1)
}

async function carryOut (repository: Repository, { args, branch, message }: Plan): Promise<CheckedOut> {
  // Runs in the folder itself: git then keeps it, even if the other branch does not have it.
  if (args !== null) {
    await keepFolder(repository)
    await succeeding(
      repository.folder, ['switch', '--quiet', '--no-guess', '--no-overwrite-ignore', '--no-recurse-submodules', ...args], writing
    )
    await keepFolder(repository)
  }
  return { currentBranch: branch ?? (await headOf(repository))?.slice(0, 7) ?? '', message }
}

async function trackedChanges (repository: Repository): Promise<Change[]> {
  const changes: Change[] = []
  await eachChange(repository, { untracked: false, wholeTree: true, renames: false }, (each) => { changes.push(each) })
  return changes
}

/** Throws Conflict for changes outside of the folder, which a checkout here must neither stash nor carry along. */
function refuseElsewhere (repository: Repository, changes: readonly Change[]): void {
  if (changes.some(({ path }) => fromFolder(repository, path) === null)) {
    throw new Conflict(
      'The repository has changes outside this folder. Commit, stash or discard them first', 'dirty_worktree'
    )
  }
}

/** Stashes all changes of the folder. Returns null if there were none. */
async function stashAll (repository: Repository, tracked: readonly Change[], { to }: Plan): Promise<Stash | null> {
  refuseConflicts(tracked)
  refuseElsewhere(repository, tracked)
  const submodule = tracked.find(({ isSubmodule }) => isSubmodule)
  if (submodule !== undefined) {
    throw new Conflict(`The submodule ${submodule.path} is at another commit. Commit or restore it first`, 'dirty_worktree')
  }
  await refuseFolders(repository, tracked)
  await refuseLinks(repository, tracked.map(({ path }) => path))
  // Stashed files are written again when they are restored, so filters matter for them too.
  await refuseFiltered(repository, tracked)
  if (to !== null) await refuseFilteredMove(repository, to)
  const untracked: Change[] = []
  await eachChange(repository, { untracked: true }, (each) => {
    if (each.kind === 'untracked' && !isForeignRepository(each)) untracked.push(each)
  })
  if (tracked.length + untracked.length === 0) return null
  const ref = await branchOf(repository)
  const message = automatic + (ref?.replace(/^refs\/heads\//, '') ?? `detached at ${(await headOf(repository))?.slice(0, 7) ?? ''}`)
  return await stashChanges(repository, { tracked, untracked }, message)
}

/** Creates the folder again: git removes it when a checkout or a stash empties it. */
async function keepFolder ({ top, prefix }: Repository): Promise<void> {
  let place = top
  for (const part of prefix.split('/').slice(0, -1)) {
    place = join(place, part)
    await mkdir(place).catch(() => {})
    if ((await lstat(place).catch(() => null))?.isDirectory() !== true) return
  }
}

async function putBack (repository: Repository, stash: Stash, cause: unknown): Promise<void> {
  const failed = await restoreStash(repository, stash).catch((error: unknown) => String(error))
  if (failed === null) return
  const why = cause instanceof DomainError ? cause.message : 'The checkout failed'
  throw new Conflict(`${why}. The changes could not be restored and are kept in ${stash.ref} (${stash.message})`, 'conflict')
}
