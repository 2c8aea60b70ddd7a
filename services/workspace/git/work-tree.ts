import { lstat, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Invalid } from '../../ground/errors.js'
import { readRegularText } from '../../ground/files/regular-file.js'
import { notARepository } from './errors.js'
import { gitEntries, gitText, runGit } from './run.js'

/** Absolute paths, free of symlinks. */
export interface WorkTree {
  top: string
  gitDir: string
  /** The part that all work trees of the repository share; the same as `gitDir` in the main one. */
  commonDir: string
}

/** A repository's record of one of its work trees. It may exist without the folder. */
export interface Registration {
  /** The commit that is checked out; null if there is none yet. */
  head: string | null
  locked: boolean
  /** Whether another work tree is inside it. */
  holdsAnother: boolean
}

/** Limits for listing many files: an index entry takes about a hundred bytes. */
const longList = { timeoutMs: 60_000, maxOutputBytes: 64 * 1024 * 1024 }

/**
 * Returns the work tree that contains a folder. It is not enough that the folder points to a repository: the repository must know this
 * work tree, otherwise a `.git` file could bring in any repository of the machine. Throws Invalid (`not_a_repo`) for anything else, such
 * as a bare repository or the inside of `.git`.
 */
export async function workTreeOf (folder: string): Promise<WorkTree> {
  const tree = await found(folder)
  // A repository elsewhere may claim an unrelated folder with core.worktree.
  if (tree.top !== folder && (await found(tree.top)).gitDir !== tree.gitDir) throw notARepository()
  if (!await isKnown(tree)) throw new Invalid('The folder points to a git repository that does not know of it', 'not_a_repo')
  return tree
}

/** Returns the top of the repository's main work tree; of this work tree if there is no main one, as with a bare repository. */
export async function mainRootOf ({ top, gitDir, commonDir }: WorkTree): Promise<string> {
  if (gitDir === commonDir || basename(commonDir) !== '.git') return top
  const main = await found(dirname(commonDir)).catch((error: unknown) => {
    if (error instanceof Invalid) return null
    throw error
  })
  return main !== null && main.gitDir === commonDir && main.top === dirname(commonDir) ? main.top : top
}

/** Returns null if the repository has no work tree at `path`, which is absolute and free of symlinks. Throws what gitText throws. */
export async function registrationOf (repoRoot: string, path: string): Promise<Registration | null> {
  // Without -z, which git has only since 2.36. Paths are printed unquoted, so the whole entry is searched for.
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

/** Counts the files of a work tree whose changes are not committed. Throws what gitText throws. */
export async function changesIn (top: string): Promise<{ dirtyFiles: number, untrackedFiles: number }> {
  const entries = await gitEntries(top, ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames'], longList)
  const index = await gitEntries(top, ['ls-files', '--stage', '-z'], longList)
  // The contents of submodules are not inspected, so each one that is checked out counts as a change.
  const submodules = index.filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1))
  const filled = await Promise.all(submodules.map(async (name) => await lstat(join(top, name, '.git')).then(() => true, () => false)))
  return {
    dirtyFiles: entries.filter((line) => /^[12u] /.test(line)).length + filled.filter(Boolean).length,
    untrackedFiles: entries.filter((line) => line.startsWith('? ')).length
  }
}

async function found (folder: string): Promise<WorkTree> {
  const asked = ['--show-toplevel', '--absolute-git-dir', '--git-common-dir']
  let answers = (await gitText(folder, ['rev-parse', ...asked])).split('\n')
  // A path contains a line break, so each value needs its own call.
  if (answers.length !== asked.length) answers = await Promise.all(asked.map(async (what) => await gitText(folder, ['rev-parse', what])))
  const [top = '', gitDir = '', commonDir = ''] = answers
  return { top, gitDir: await realpath(gitDir), commonDir: await realpath(resolve(folder, commonDir)) }
}

async function isKnown ({ top, gitDir, commonDir }: WorkTree): Promise<boolean> {
  const link = join(top, '.git')
  if (gitDir !== commonDir) {
    if (dirname(gitDir) !== join(commonDir, 'worktrees')) return false
    const back = await readRegularText(join(gitDir, 'gitdir')).catch(() => '')
    return back !== '' && resolve(gitDir, back.replace(/\n$/, '')) === link
  }
  if (gitDir === link) return (await lstat(link)).isDirectory()
  // In a submodule, the repository is elsewhere and names its work tree.
  return (await runGit(top, ['config', '--get', 'core.worktree'])).exitCode === 0
}
