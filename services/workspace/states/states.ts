import { copyFile, lstat, stat, utimes } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { codeOf, Invalid } from '../../ground/errors.js'
import { inScratch } from '../../ground/scratch.js'
import { nameList, namesOf } from '../checkpoints/names.js'
import {
  gitText, readPrograms, runGit, succeeding, workTreeOf, type GitArguments, type GitOptions, type ProgramsOff
} from '../git/index.js'

/** What a folder of a repository holds, committed or not, as a commit of its own that no branch knows of. */
export interface FolderState {
  /** Of the work tree that the folder lies in. */
  top: string
  /** Where the folder lies in it, with `/`; '' for all of it. */
  prefix: string
  /** The commit that is checked out. */
  head: string
  commit: string
  /** What the commit holds. */
  tree: string
  /** Files differ from the commit that is checked out. */
  isChanged: boolean
  /** The programs of its settings, as they were just before: for commands that only compare states. */
  off: ProgramsOff
}

/** For folders with many files. */
export const longGit = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 * 1024 }

const author = {
  GIT_AUTHOR_NAME: 'attempts', GIT_AUTHOR_EMAIL: 'attempts@localhost', GIT_COMMITTER_NAME: 'attempts', GIT_COMMITTER_EMAIL: 'attempts@localhost'
}

/** Runs git commands with an index of their own, so that the one of the folder stays as it is. */
export async function withIndex<T> (
  top: string, work: (git: (args: GitArguments, options?: GitOptions) => Promise<string>, index: string) => Promise<T>
): Promise<T> {
  return await inScratch('git', async (scratch) => {
    const index = join(scratch, 'index')
    return await work(async (args, options = {}) => await gitText(top, args, {
      ...longGit, ...options, environment: { ...options.environment, GIT_INDEX_FILE: index }
    }), index)
  })
}

/**
 * Keeps what a folder (absolute, free of symlinks) holds now: tracked and untracked files, not those that git ignores. Changes neither
 * its files nor its index. Throws Invalid (`not_a_repo`, `no_commits`) and what gitText throws.
 */
export async function keepState (folder: string): Promise<FolderState> {
  const { top, gitDir } = await workTreeOf(folder)
  const prefix = relative(top, folder)
  // With the two dashes, no file can stand for what is not there.
  const { stdout, exitCode } = await runGit(top, ['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}', '--'])
  const [head = '', committed = ''] = stdout.toString().split('\n')
  if (exitCode !== 0) throw new Invalid('The repository has no commit yet. Make one first', 'no_commits')
  const { tree, off } = await withIndex(top, async (git, index) => {
    // The folder's own index knows which files have not changed, so that these are not read.
    if (prefix !== '' || !await copyIndex(join(gitDir, 'index'), index)) await git(['read-tree', head])
    else await lookAtAll(top, index)
    const off = await readPrograms(top)
    await addAll(top, prefix === '' ? '.' : prefix, { ...longGit, off, environment: { GIT_INDEX_FILE: index } })
    return { tree: await git(['write-tree']), off }
  })
  return { top, prefix, head, commit: await commitOf(top, tree, [head]), tree, isChanged: tree !== committed, off }
}

/** False where there is none. */
async function copyIndex (from: string, to: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(from)
    await copyFile(from, to)
    // By the time of its index, git knows which files may have changed in the same second: those it reads.
    const writtenS = Math.floor(mtimeMs / 1_000)
    await utimes(to, writtenS, writtenS)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * Has git look also at files that the index says not to look at: what they hold would neither be kept nor be missed when it is written
 * over. Those that are not there are none that somebody has removed: a sparse checkout leaves them out.
 */
async function lookAtAll (top: string, index: string): Promise<void> {
  const options = { ...longGit, environment: { GIT_INDEX_FILE: index } }
  const marked = namesOf((await succeeding(top, ['ls-files', '-v', '-z'], options)).stdout).filter((line) => /^[a-zS] /.test(line))
  const isThere = async (name: string): Promise<boolean> =>
    await lstat(Buffer.concat([Buffer.from(`${top}/`), Buffer.from(name, 'latin1')])).then(() => true, () => false)
  const assumed = marked.filter((line) => !line.startsWith('S')).map((line) => line.slice(2))
  const skipped: string[] = []
  for (const line of marked) if (/^s/i.test(line) && await isThere(line.slice(2))) skipped.push(line.slice(2))
  const looks = [['--no-assume-unchanged', assumed], ['--no-skip-worktree', skipped]] as const
  for (const [option, names] of looks) {
    if (names.length > 0) await gitText(top, ['update-index', option, '-z', '--stdin'], { ...options, input: nameList(names) })
  }
}

/** Adds all that is there, but for repositories in it that have no commit yet: nothing stands for those. */
async function addAll (top: string, place: string, options: GitOptions): Promise<void> {
  const { exitCode, stderr } = await runGit(top, ['add', '--all', '--ignore-errors', '--', place], options)
  const isLeftOut = (line: string): boolean =>
    line === '' || line.endsWith('does not have a commit checked out') || /^(?:warning|hint): ?/.test(line)
  if (exitCode !== 0 && !stderr.split('\n').every(isLeftOut)) await gitText(top, ['add', '--all', '--', place], { ...options, off: undefined })
}

/** A commit that no branch knows of. */
export async function commitOf (top: string, tree: string, parents: readonly string[]): Promise<string> {
  return await gitText(top, ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), tree], { input: 'state', environment: author })
}

/** Makes the files of a work tree (its top) those of a state; its index stays, so that what differs counts as not committed. */
export async function bringIn (top: string, commit: string): Promise<void> {
  await gitText(top, ['restore', '--source', commit, '--worktree', '--', '.'], longGit)
}

/** Keeps git from ever removing commits that no branch knows of, by names of refs; all of them, or none. */
export async function protect (top: string, commits: Readonly<Record<string, string>>): Promise<void> {
  await updateRefs(top, Object.entries(commits).map(([name, commit]) => `update ${name} ${commit}`))
}

/** Lets git remove what was protected under names that begin so. */
export async function unprotect (folder: string, beginning: string): Promise<void> {
  const names = (await gitText(folder, ['for-each-ref', '--format=%(refname)', beginning])).split('\n').filter((name) => name !== '')
  await updateRefs(folder, names.map((name) => `delete ${name}`))
}

async function updateRefs (folder: string, commands: readonly string[]): Promise<void> {
  if (commands.length === 0) return
  await gitText(folder, ['update-ref', '--stdin'], { input: commands.map((command) => `${command}\n`).join('') })
}
