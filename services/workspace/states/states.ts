import { copyFile, lstat, stat, utimes } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { codeOf, Invalid } from '../../ground/errors.js'
import { inScratch } from '../../ground/files/scratch.js'
import { nameList, namesOf } from '../checkpoints/names.js'
import {
  gitText, readPrograms, runGit, succeeding, workTreeOf, type GitArguments, type GitOptions, type ProgramsOff
} from '../git/index.js'

/** The contents of a folder of a repository, committed or not, as a separate commit that is on no branch. */
export interface FolderState {
  /** Top of the work tree that contains the folder. */
  top: string
  /** Path of the folder in the work tree, separated by `/`; '' for the whole work tree. */
  prefix: string
  /** The commit that is checked out. */
  head: string
  commit: string
  /** The tree of the commit. */
  tree: string
  /** Whether files differ from the commit that is checked out. */
  isChanged: boolean
  /** The programs of its settings, read just before; for commands that only compare states. */
  off: ProgramsOff
}

/** Limits for folders with many files. */
export const longGit = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 * 1024 }

const author = {
  GIT_AUTHOR_NAME: 'attempts', GIT_AUTHOR_EMAIL: 'attempts@localhost', GIT_COMMITTER_NAME: 'attempts', GIT_COMMITTER_EMAIL: 'attempts@localhost'
}

/** Runs git commands with a separate index, so that the folder's own index stays unchanged. */
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
 * Stores the current contents of a folder (absolute, free of symlinks): tracked and untracked files, but not ignored ones. Changes
 * neither its files nor its index. Throws Invalid (`not_a_repo`, `no_commits`) and what gitText throws.
 */
export async function keepState (folder: string): Promise<FolderState> {
  const { top, gitDir } = await workTreeOf(folder)
  const prefix = relative(top, folder)
  // With the two dashes, git cannot take these names for files if there is no commit.
  const { stdout, exitCode } = await runGit(top, ['rev-parse', 'HEAD^{commit}', 'HEAD^{tree}', '--'])
  const [head = '', committed = ''] = stdout.toString().split('\n')
  if (exitCode !== 0) throw new Invalid('The repository has no commit yet. Make one first', 'no_commits')
  const { tree, off } = await withIndex(top, async (git, index) => {
    // The folder's own index records which files have not changed, so that git need not read them.
    if (prefix !== '' || !await copyIndex(join(gitDir, 'index'), index)) await git(['read-tree', head])
    else await lookAtAll(top, index)
    const off = await readPrograms(top)
    await addAll(top, prefix === '' ? '.' : prefix, { ...longGit, off, environment: { GIT_INDEX_FILE: index } })
    return { tree: await git(['write-tree']), off }
  })
  return { top, prefix, head, commit: await commitOf(top, tree, [head]), tree, isChanged: tree !== committed, off }
}

/** Copies an index. Returns false if it does not exist. */
async function copyIndex (from: string, to: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(from)
    await copyFile(from, to)
    // Git compares file times with that of the index, and reads files that may have changed in the same second. So the time is kept.
    const writtenS = Math.floor(mtimeMs / 1_000)
    await utimes(to, writtenS, writtenS)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/**
 * Makes git also look at files that the index marks as assumed unchanged or to be skipped: otherwise their contents would not be kept, nor
 * missed when they are overwritten. Skipped files that do not exist were left out by a sparse checkout, not removed by a person.
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

/** Adds all files, except nested repositories without a commit, which git cannot record. */
async function addAll (top: string, place: string, options: GitOptions): Promise<void> {
  const { exitCode, stderr } = await runGit(top, ['add', '--all', '--ignore-errors', '--', place], options)
  const isLeftOut = (line: string): boolean =>
    line === '' || line.endsWith('does not have a commit checked out') || /^(?:warning|hint): ?/.test(line)
  if (exitCode !== 0 && !stderr.split('\n').every(isLeftOut)) await gitText(top, ['add', '--all', '--', place], { ...options, off: undefined })
}

/** Creates a commit that is on no branch, and returns its sha. */
export async function commitOf (top: string, tree: string, parents: readonly string[]): Promise<string> {
  return await gitText(top, ['commit-tree', ...parents.flatMap((parent) => ['-p', parent]), tree], { input: 'state', environment: author })
}

/** Sets the files of a work tree (its top) to those of a state. The index stays, so that differences count as uncommitted. */
export async function bringIn (top: string, commit: string): Promise<void> {
  await gitText(top, ['restore', '--source', commit, '--worktree', '--', '.'], longGit)
}

/** Creates refs with these names, all or none, so that git never removes the commits, which are on no branch. */
export async function protect (top: string, commits: Readonly<Record<string, string>>): Promise<void> {
  await updateRefs(top, Object.entries(commits).map(([name, commit]) => `update ${name} ${commit}`))
}

/** Deletes the refs whose names begin with `beginning`, so that git may remove their commits. */
export async function unprotect (folder: string, beginning: string): Promise<void> {
  const names = (await gitText(folder, ['for-each-ref', '--format=%(refname)', beginning])).split('\n').filter((name) => name !== '')
  await updateRefs(folder, names.map((name) => `delete ${name}`))
}

async function updateRefs (folder: string, commands: readonly string[]): Promise<void> {
  if (commands.length === 0) return
  await gitText(folder, ['update-ref', '--stdin'], { input: commands.map((command) => `${command}\n`).join('') })
}
