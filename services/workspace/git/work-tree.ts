import { lstat, readFile, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Invalid } from '../../ground/errors.js'
import { gitText, runGit } from './run.js'

/** Absolute paths, free of symlinks. */
export interface WorkTree {
  top: string
  gitDir: string
  /** What all work trees of the repository share; the same as `gitDir` in the main one. */
  commonDir: string
}

/** What a repository remembers of one of its work trees, with or without the folder. */
export interface Registration {
  /** The commit that is checked out; null when there is none yet. */
  head: string | null
  locked: boolean
  /** Another work tree lies inside. */
  holdsAnother: boolean
}

/** For many files: an index entry takes about a hundred bytes. */
const longList = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 * 1024 }

/**
 * The work tree that a folder lies in. Not enough that the folder points to a repository: the repository must know of
 * this work tree, or a file `.git` could bring in any repository of the machine. Throws Invalid (`not_a_repo`) for
 * anything else, as for a bare repository and the inside of `.git`.
 */
export async function workTreeOf (folder: string): Promise<WorkTree> {
  const tree = await found(folder)
  // From elsewhere, core.worktree may claim a folder that has nothing to do with the repository.
  if (tree.top !== folder && (await found(tree.top)).gitDir !== tree.gitDir) {
    throw new Invalid('The folder is not in a git work tree', 'not_a_repo')
  }
  if (!await isKnown(tree)) throw new Invalid('The folder points to a git repository that does not know of it', 'not_a_repo')
  return tree
}

/** The top of the repository's main work tree, or the work tree's own when there is none, as beside a bare repository. */
export async function mainRootOf ({ top, gitDir, commonDir }: WorkTree): Promise<string> {
  if (gitDir === commonDir || basename(commonDir) !== '.git') return top
  const main = await found(dirname(commonDir)).catch((error: unknown) => {
    if (error instanceof Invalid) return null
    throw error
  })
  return main !== null && main.gitDir === commonDir && main.top === dirname(commonDir) ? main.top : top
}

/** Null when the repository has no work tree at `path`, which is absolute and free of symlinks. Throws what gitText throws. */
export async function registrationOf (repoRoot: string, path: string): Promise<Registration | null> {
  // Without -z, which git has only since 2.36. Paths stand as they are, so ours is looked for as a whole.
  const list = `\n\n${await gitText(repoRoot, ['worktree', 'list', '--porcelain'])}\n\n`
  const start = `\n\nworktree ${path}\n`
  const at = list.indexOf(start)
  if (at === -1) return null
  const lines = list.slice(at + start.length, list.indexOf('\n\n', at + start.length)).split('\n')
  const head = lines.find((line) => line.startsWith('HEAD '))?.slice('HEAD '.length) ?? ''
  return {
    head: /^0*$/.test(head) ? null : head,
    locked: lines.some((line) => line === 'locked' || line.startsWith('locked ')),
    holdsAnother: list.includes(`\n\nworktree ${path}/`)
  }
}

/** Counts what a work tree has that no commit has. Throws what gitText throws. */
export async function changesIn (top: string): Promise<{ dirtyFiles: number, untrackedFiles: number }> {
  const listing = await gitText(top, ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames'], longList)
  const entries = listing.split('\0')
  const index = await gitText(top, ['ls-files', '--stage', '-z'], longList)
  // What is in a submodule is not looked at, so a filled one counts as a change.
  const submodules = index.split('\0').filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1))
  const filled = await Promise.all(submodules.map(async (name) => await lstat(join(top, name, '.git')).then(() => true, () => false)))
  return {
    dirtyFiles: entries.filter((line) => /^[12u] /.test(line)).length + filled.filter(Boolean).length,
    untrackedFiles: entries.filter((line) => line.startsWith('? ')).length
  }
}

async function found (folder: string): Promise<WorkTree> {
  const asked = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir']
  let answers = (await gitText(folder, ['rev-parse', ...asked])).split('\n')
  // One call for each when a path holds a line break.
  if (answers.length !== asked.length) answers = await Promise.all(asked.map(async (what) => await gitText(folder, ['rev-parse', what])))
  const [top = '', gitDir = '', commonDir = ''] = answers
  return { top, gitDir: await realpath(gitDir), commonDir: await realpath(resolve(folder, commonDir)) }
}

async function isKnown ({ top, gitDir, commonDir }: WorkTree): Promise<boolean> {
  const link = join(top, '.git')
  if (gitDir !== commonDir) {
    if (dirname(gitDir) !== join(commonDir, 'worktrees')) return false
    const back = await readFile(join(gitDir, 'gitdir'), 'utf8').catch(() => '')
    return back !== '' && resolve(gitDir, back.replace(/\n$/, '')) === link
  }
  if (gitDir === link) return (await lstat(link)).isDirectory()
  // A submodule: its repository lies elsewhere and names its work tree.
  return (await runGit(top, ['config', '--get', 'core.worktree'])).exitCode === 0
}
