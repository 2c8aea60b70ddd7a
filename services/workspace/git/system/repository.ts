import { lstat } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import { within } from '../../../ground/files/containment.js'
import { Conflict } from '../../../ground/errors.js'
import { createQueue } from '../../../ground/concurrency/queue.js'
import { notARepository } from '../errors.js'
import { commitNamed, gitAnswer, readPrograms, runGit, succeeding, type GitArguments, type GitOptions, type GitOutcome } from '../run.js'
import { type ProgramsOff } from '../safety.js'
import { refuseLinkedStorage } from '../storage.js'
import { workTreeOf, type WorkTree } from '../work-tree.js'

/** A work tree seen from a folder in it, opened for a single operation. */
export interface Repository extends WorkTree {
  /** Absolute, free of symlinks. */
  folder: string
  /** Path of the folder in the work tree, with `/` at its end; empty at the top. */
  prefix: string
  /** Switches off the programs that its settings named when the operation began. */
  off: ProgramsOff
}

/** Limits for writing or comparing many files. */
export const writing = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 * 1024 } as const
/** Limits for listing many files, on a disk that may be cold. */
export const listing = { timeoutMs: 20_000, maxOutputBytes: 256 * 1024 * 1024 } as const

/** Opens the repository of a folder. Throws Invalid (`not_a_repo`), Forbidden for another user's repository, and what runGit throws. */
export async function openRepository (folder: string): Promise<Repository> {
  const [off, tree] = await Promise.all([readPrograms(folder), workTreeOf(folder)])
  if (!within(tree.top, folder)) throw notARepository()
  const place = relative(tree.top, folder)
  return { ...tree, folder, prefix: place === '' ? '' : `${place}/`, off }
}

const inTurn = createQueue()

/**
 * Runs `work` once this service makes no other change to the same repository. Throws what
 * openRepository and refuseLinkedStorage throw.
 */
export async function changing<T> (folder: string, work: (repository: Repository) => Promise<T>): Promise<T> {
  const { commonDir } = await workTreeOf(folder)
  return await inTurn(commonDir, async () => {
    const repository = await openRepository(folder)
    await refuseLinkedStorage(repository)
    return await work(repository)
  })
}

/** Runs a command that only reads, at the top of the work tree. Throws what gitText throws. */
export async function look (repository: Repository, args: GitArguments, options: GitOptions = {}): Promise<GitOutcome> {
  return await succeeding(repository.top, args, here(repository, options))
}

/** Like `look`, but returns a failure as an outcome. */
export async function attempt (repository: Repository, args: GitArguments, options: GitOptions = {}): Promise<GitOutcome> {
  return await runGit(repository.top, args, here(repository, options))
}

/** Restricts git to the repository that was opened: it must not find another one further up, whose programs are not switched off. */
function here ({ top, off }: Repository, options: GitOptions = {}): GitOptions {
  return { off, ...options, environment: { ...options.environment, GIT_CEILING_DIRECTORIES: dirname(top) } }
}

/** Runs a command that changes something, after reading the programs in the settings again. Throws what gitText throws. */
export async function change (repository: Repository, args: GitArguments, options: GitOptions = {}): Promise<GitOutcome> {
  return await succeeding(repository.top, args, { ...writing, ...options })
}

/** Returns the paths, for after `--`, that limit a command to the folder. */
export function folderOnly ({ prefix }: Repository): string[] {
  return prefix === '' ? [] : [prefix.slice(0, -1)]
}

/** Returns a path of the work tree relative to the folder; null outside of it. */
export function fromFolder ({ prefix }: Repository, path: string): string | null {
  return path.startsWith(prefix) ? path.slice(prefix.length) : null
}

/** Returns the sha of the commit that a name stands for; null if there is none. */
export async function commitAt (repository: Repository, name: string): Promise<string | null> {
  return await commitNamed(repository.top, name, here(repository))
}

/** Returns the commit that is checked out; null on an unborn branch. */
export async function headOf (repository: Repository): Promise<string | null> {
  return await commitAt(repository, 'HEAD')
}

/** Returns the full name of the branch that is checked out; null when HEAD is detached. */
export async function branchOf (repository: Repository): Promise<string | null> {
  return await gitAnswer(repository.top, ['symbolic-ref', '--quiet', 'HEAD'], here(repository))
}

/** Returns the object name of the empty tree in the repository's object format. Git knows it without storing it. */
export async function emptyTree (repository: Repository): Promise<string> {
  const format = (await look(repository, ['rev-parse', '--show-object-format'])).stdout.toString().trim()
  return format === 'sha256'
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
}

type UnderWay = 'merge' | 'rebase' | 'cherry-pick' | 'revert' | 'bisect' | 'series'

const traces: ReadonlyArray<readonly [string, UnderWay]> = [
  ['rebase-merge', 'rebase'], ['rebase-apply', 'rebase'], ['sequencer', 'series'], ['MERGE_HEAD', 'merge'],
  ['CHERRY_PICK_HEAD', 'cherry-pick'], ['REVERT_HEAD', 'revert'], ['BISECT_LOG', 'bisect']
]

/** Returns the operation that was begun in this work tree and is not concluded; null if there is none. */
async function underWay ({ gitDir }: WorkTree): Promise<UnderWay | null> {
  const present = await Promise.all(traces.map(async ([name]) => await lstat(`${gitDir}/${name}`).then(() => true, () => false)))
  return traces[present.indexOf(true)]?.[1] ?? null
}

/** Returns the operation in progress, or null. Throws Conflict (`operation_in_progress`) if it is not one of those allowed. */
export async function refuseUnderWay (repository: WorkTree, ...allowed: UnderWay[]): Promise<UnderWay | null> {
  const found = await underWay(repository)
  if (found === null || allowed.includes(found)) return found
  const name = found === 'series' ? 'cherry-pick or revert of several commits' : found
  throw new Conflict(`A ${name} is in progress in this work tree. Finish or abort it first`, 'operation_in_progress')
}
