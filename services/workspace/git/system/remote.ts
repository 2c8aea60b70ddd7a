import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { entriesIn } from '../../../ground/files/folder-entries.js'
import { Conflict, DomainError, Invalid } from '../../../ground/errors.js'
import { noRoomIn, otherOperation } from '../errors.js'
import { commitNamed, gitText, isAncestor, runGit, type GitArguments, type GitOutcome } from '../run.js'
import { refuseLinkedStorage } from '../storage.js'
import { workTreeOf } from '../work-tree.js'
import { refuseFilteredMove } from './filters.js'
import { clean, remoteRefusal } from './remote-errors.js'
import { openRepository } from './repository.js'
import { addressesOf, transportSettings, type Address, type TransportSettings } from './transport.js'

const remoteLimitMs = 60_000
/** For a remote that is a folder: git there does not inherit our settings, and programs of that repository must not run either. */
const guarded = 'git -c core.hooksPath=/dev/null -c core.fsmonitor=false -c core.alternateRefsCommand=true -c gc.auto=0 -c maintenance.auto=false -c receive.autogc=false -c receive.denyCurrentBranch=refuse'
/** Hooks that run when a repository receives a push. */
const receiving = ['pre-receive', 'update', 'post-receive', 'post-update', 'proc-receive', 'push-to-checkout', 'reference-transaction']

/** A branch of a remote. */
interface Upstream { remote: string, branch: string }

/** The branch that is checked out, and its upstream. */
interface Current {
  branch: string
  /** Null if it tracks nothing that can be fetched. */
  upstream: Upstream | null
}

/**
 * Fetches from the remote of the current branch, otherwise `origin` or the only remote, and prunes what is gone there. Returns one line for
 * the person.
 */
export async function fetch (folder: string): Promise<string> {
  const transport = await transportSettings(folder)
  const upstream = currentOf(transport, await branchOf(folder))?.upstream ?? null
  return await fetchFrom(folder, transport, upstream?.remote ?? onlyRemote(transport))
}

/**
 * Fetches, then fast-forwards the current branch and the work tree to the upstream, or changes nothing if they have diverged. The remote
 * may be slow, so the current branch is read again for the second step, which `inTree` runs. Throws Conflict (`not_fast_forward`,
 * `dirty_worktree`, `operation_in_progress`) and Invalid (`no_upstream`, `filtered_path`).
 */
export async function pull (
  folder: string, inTree: (forward: () => Promise<string>) => Promise<string> = async (forward) => await forward()
): Promise<string> {
  const transport = await transportSettings(folder)
  const fetched = followed(transport, await branchOf(folder))
  await fetchFrom(folder, transport, fetched.remote)
  return await inTree(async () => {
    const now = followed(await transportSettings(folder), await branchOf(folder))
    if (now.remote !== fetched.remote || now.branch !== fetched.branch) {
      throw new Conflict(
        `Another branch was checked out during the fetch from ${fetched.remote}. Nothing was changed; pull again`, 'operation_in_progress'
      )
    }
    return await forwardToUpstream(folder, now)
  })
}

/** Returns the upstream of the current branch. Throws Invalid (`no_upstream`; `git_failed` without a branch). */
function followed (transport: TransportSettings, branch: string | null): Upstream {
  const current = currentOf(transport, branch)
  if (current === null) throw new Invalid('No branch is checked out, so there is nothing to pull into', 'git_failed')
  if (current.upstream === null) throw new Invalid(`The branch ${current.branch} has no upstream branch`, 'no_upstream')
  return current.upstream
}

async function forwardToUpstream (folder: string, { remote, branch }: Upstream): Promise<string> {
  const tracked = await commitNamed(folder, '@{upstream}')
  if (tracked === null) throw new Invalid(`${remote} has no branch ${branch} any more`, 'no_upstream')
  return await forward(folder, tracked, `${remote}/${branch}`)
}

/**
 * Pushes the current branch to its upstream, which must have the same name. A branch without an upstream is pushed to `origin` and
 * tracks it from then on. Throws Conflict (`rejected`) and Invalid (`no_upstream`, `auth_failed`, `network_failed`).
 */
export async function push (folder: string): Promise<string> {
  await refuseLinkedStorage(await workTreeOf(folder))
  const transport = await transportSettings(folder)
  const current = currentOf(transport, await branchOf(folder))
  if (current === null) throw new Invalid('No branch is checked out, so there is nothing to push', 'git_failed')
  const { branch, upstream } = current
  if (await commitNamed(folder, 'HEAD') === null) throw new Invalid(`The branch ${branch} has no commit yet`, 'git_failed')
  if (upstream === null && !remotesOf(transport).includes('origin')) {
    throw new Invalid(`The branch ${branch} has no upstream, and no remote is called origin`, 'no_upstream')
  }
  if (upstream !== null && upstream.branch !== branch) {
    throw new Invalid(
      `The branch ${branch} tracks ${upstream.remote}/${upstream.branch}, which has another name. Push from a terminal to choose the branch`,
      'git_failed'
    )
  }
  const remote = upstream?.remote ?? 'origin'
  writtenByFetching(transport, remote)
  const program = await receivingProgram(folder, await addressesOf(folder, remote, 'push'), remote)
  const outcome = await talk(folder, transport, [
    'push', '--porcelain', '--no-progress', '--no-verify', '--no-signed', '--no-follow-tags', '--recurse-submodules=no',
    `--receive-pack=${program}`,
    ...(upstream === null ? ['--set-upstream'] : []), '--', remote, `refs/heads/${branch}:refs/heads/${branch}`
  ])
  if (outcome.exitCode !== 0) throw remoteRefusal(outcome, remote, 'push')
  const isNews = /^[ *+-]\t/m.test(outcome.stdout.toString())
  if (!isNews) return `${remote} has everything already`
  return upstream === null ? `Pushed ${branch} to ${remote}, which it follows from now on` : `Pushed ${branch} to ${remote}`
}

async function fetchFrom (folder: string, transport: TransportSettings, remote: string): Promise<string> {
  // If the refspecs write to refs/tags, pruning would delete the person's own tags.
  const prune = writtenByFetching(transport, remote).every((name) => name.startsWith('refs/remotes/')) ? '--prune' : '--no-prune'
  const { stderr } = await runFetch(folder, transport, [prune, '--no-prune-tags'], remote)
  const count = stderr.split('\n').filter((line) => /^ [ *+t-] \S.* -> /.test(line)).length
  return count === 0 ? `Nothing new at ${remote}` : `Fetched from ${remote}: ${count} ${count === 1 ? 'reference' : 'references'} changed`
}

/**
 * Fetches only `refspecs` from a remote: no tags, no branches of the settings. Refs that are gone there are pruned among the
 * names that the refspecs write to. Throws what fetch throws.
 */
export async function fetchRefs (folder: string, remote: string, refspecs: readonly string[]): Promise<void> {
  await runFetch(folder, await transportSettings(folder), ['--prune', '--no-tags', '--refmap='], remote, refspecs)
}

async function runFetch (
  folder: string, transport: TransportSettings, options: readonly string[], remote: string, refspecs: readonly string[] = []
): Promise<GitOutcome> {
  await refuseLinkedStorage(await workTreeOf(folder))
  const [address] = await addressesOf(folder, remote, 'fetch')
  const outcome = await talk(folder, transport, [
    'fetch', ...options, '--no-progress', '--no-recurse-submodules', '--no-auto-maintenance', '--no-write-fetch-head',
    `--upload-pack=${address?.localPath == null ? 'git-upload-pack' : `${guarded} upload-pack`}`, '--', remote, ...refspecs
  ])
  if (outcome.exitCode !== 0) throw remoteRefusal(outcome, remote, 'fetch')
  return outcome
}

async function forward (folder: string, target: string, name: string): Promise<string> {
  const from = await commitNamed(folder, 'HEAD')
  if (from !== null) {
    if (await isAncestor(folder, target, from)) return `Already up to date with ${name}`
    if (!await isAncestor(folder, from, target)) {
      throw new Conflict(
        `This branch and ${name} have diverged. Nothing was changed. Merge or rebase from a terminal, or ask the agent to`,
        'not_fast_forward'
      )
    }
  }
  const repository = await openRepository(folder)
  await refuseLinkedStorage(repository)
  await refuseFilteredMove(repository, target)
  const outcome = await runGit(folder, [
    'merge', '--ff-only', '--no-squash', '--no-autostash', '--no-verify-signatures', '--no-edit', '--no-stat', '--no-progress', target
  ], { timeoutMs: remoteLimitMs })
  if (outcome.exitCode !== 0) throw mergeRefusal(outcome, name)
  const count = from === null ? null : Number(await gitText(folder, ['rev-list', '--count', `${from}..${target}`]))
  return count === null ? `Now at ${name}` : `Moved forward by ${count} ${count === 1 ? 'commit' : 'commits'} to ${name}`
}

function mergeRefusal ({ stderr, exitCode }: GitOutcome, name: string): DomainError {
  const full = noRoomIn(stderr)
  if (full !== null) return full
  if (/would be overwritten by merge|Your local changes|not uptodate|would lose untracked/.test(stderr)) {
    return new Conflict(
      `${name} would overwrite files that you have changed. Nothing was changed. Commit, stash or discard your changes first`,
      'dirty_worktree'
    )
  }
  if (/not concluded your merge|unmerged files|CHERRY_PICK_HEAD|is in the middle|index\.lock|could not lock|cannot lock ref/.test(stderr)) {
    return otherOperation()
  }
  if (/Not possible to fast-forward|diverg/i.test(stderr)) {
    return new Conflict(`This branch and ${name} have diverged`, 'not_fast_forward')
  }
  return new Invalid(`git refused: ${clean(/^(?:fatal|error): (.*)/m.exec(stderr)?.[1] ?? `exit code ${exitCode}`)}`, 'git_failed')
}

/** Runs a command that talks to a remote. Reports a timeout as the remote's. */
async function talk (folder: string, { settings, environment }: TransportSettings, args: GitArguments): Promise<GitOutcome> {
  try {
    return await runGit(folder, args, { timeoutMs: remoteLimitMs, settings, environment })
  } catch (error) {
    if (error instanceof DomainError && error.code === 'timeout') {
      throw new Invalid(`The remote did not answer within ${remoteLimitMs / 1_000} s`, 'timeout')
    }
    throw error
  }
}

/** Returns the name of the current branch; null when HEAD is detached. */
async function branchOf (folder: string): Promise<string | null> {
  const branch = await gitText(folder, ['branch', '--show-current'])
  return branch === '' ? null : branch
}

function currentOf ({ values }: TransportSettings, branch: string | null): Current | null {
  if (branch === null) return null
  const remote = values.get(`branch.${branch}.remote`)?.at(-1)
  const merge = values.get(`branch.${branch}.merge`)?.at(-1)
  const follows = remote !== undefined && merge?.startsWith('refs/heads/') === true && values.has(`remote.${remote}.url`)
  return { branch, upstream: follows ? { remote, branch: merge.slice('refs/heads/'.length) } : null }
}

/**
 * Returns the refs that a fetch from the remote writes to, as patterns. Throws Invalid (`git_failed`) for anything outside of
 * refs/remotes and refs/tags, such as the repository's own branches, which a fetch would move or delete as those of the remote change.
 */
function writtenByFetching ({ values }: TransportSettings, remote: string): string[] {
  const targets = (values.get(`remote.${remote}.fetch`) ?? []).flatMap((refspec) => /:(.+)$/s.exec(refspec)?.[1] ?? [])
  if (!targets.every((name) => /^refs\/(?:remotes|tags)\//.test(name))) {
    throw new Invalid(
      `The settings of ${remote} (remote.fetch) let it write outside refs/remotes and refs/tags, which this service does not allow. Use git in a terminal`,
      'git_failed'
    )
  }
  return targets
}

function remotesOf ({ values }: TransportSettings): string[] {
  return [...values.keys()].flatMap((key) => /^remote\.(.+)\.url$/s.exec(key)?.[1] ?? [])
}

function onlyRemote (transport: TransportSettings): string {
  const remotes = remotesOf(transport)
  const [first] = remotes
  if (remotes.includes('origin')) return 'origin'
  if (first === undefined || remotes.length > 1) {
    throw new Invalid(first === undefined
      ? 'The repository has no remote'
      : 'The branch has no upstream, and no remote is called origin', 'no_upstream')
  }
  return first
}

/**
 * Returns the program that receives a push. In a folder of this machine it would run the hooks of the repository there, so they are
 * switched off. Because such hooks may protect its branches, throws Conflict (`rejected`) if the repository has any.
 */
async function receivingProgram (folder: string, addresses: Address[], remote: string): Promise<string> {
  const local = addresses.flatMap(({ localPath }) => localPath ?? [])
  if (local.length === 0) return 'git-receive-pack'
  if (local.length !== addresses.length) {
    throw new Invalid(`${remote} has addresses of different kinds. Push from a terminal`, 'git_failed')
  }
  const top = await gitText(folder, ['rev-parse', '--show-toplevel'])
  for (const path of local) {
    if (await hasReceivingHooks(resolve(top, path))) {
      throw new Conflict(
        `${remote} is a folder of this machine with hooks, which this service does not run. Push from a terminal`, 'rejected'
      )
    }
  }
  return `${guarded} receive-pack`
}

async function hasReceivingHooks (path: string): Promise<boolean> {
  for (const candidate of [`${path}/.git`, path, `${path}.git/.git`, `${path}.git`]) {
    if (!await stat(`${candidate}/objects`).then((found) => found.isDirectory(), () => false)) continue
    const configured = await runGit(candidate, ['config', '--null', '--get-all', 'core.hooksPath'], { environment: { GIT_DIR: candidate } })
    // The last value is our own setting.
    const own = configured.stdout.toString().split('\0').slice(0, -2).at(-1)
    const hooks = own === undefined || own === '' ? `${candidate}/hooks` : resolve(candidate, own)
    return (await entriesIn(hooks)).some(({ name }) => receiving.includes(name))
  }
  return false
}
