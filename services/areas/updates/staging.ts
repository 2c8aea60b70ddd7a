import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { tried } from '../../ground/tried.js'
import { gitEntries, gitText, runGit } from '../../workspace/git/index.js'
import { beginAttempt, markOf, stageOf, type Attempt } from './update-attempt.js'
import { UpdateFailed } from './failure.js'
import { runNpm, type NpmOptions } from './programs.js'
import { changesOf, manyFiles, stashing } from './stashes.js'

const installLimitMs = 15 * 60_000
const buildLimitMs = 10 * 60_000

export interface Stage {
  folder: string
  /** The person's changes of tracked files, as a commit; null if there are none. */
  changes: string | null
  /** Whether the changes do not fit the new version, which is then built without them. */
  conflicts: boolean
}

/**
 * Builds the version of a commit beside the installation, with the person's changes if they fit: its files, its packages, its build. The
 * installation is not touched. Throws UpdateFailed, and errors of git.
 */
export async function stageVersion (
  attempt: Attempt, sha: string, { stateDir, ...given }: Pick<NpmOptions, 'environment' | 'signal' | 'log'> & { stateDir: string }
): Promise<Stage> {
  const { root } = attempt
  const folder = stageOf(attempt)
  const npm = { ...given, folder, mark: markOf(attempt) }
  await beginAttempt(attempt, stateDir)
  await gitText(root, ['worktree', 'add', '--detach', '--no-checkout', folder, sha])
  await gitText(folder, ['reset', '--hard', '--quiet'], manyFiles)
  const changes = await changesOf(root)
  const conflicts = changes !== null && !await fits(folder, changes)
  await refuseInTheWay(root, sha)
  if (!hasPackages(folder, root)) {
    await runNpm([
      'ci', '--include=dev', '--no-audit', '--no-fund'
    ], 'The packages of the new version could not be installed', { ...npm, timeoutMs: installLimitMs })
  } else if (existsSync(join(root, 'node_modules'))) symlinkSync(relative(folder, join(root, 'node_modules')), join(folder, 'node_modules'))
  const own = changes === null || conflicts ? '' : ', with your changes of its files,'
  await runNpm(['run', 'build'], `The new version${own} could not be built`, { ...npm, timeoutMs: buildLimitMs })
  if (!existsSync(join(folder, 'dist', 'server.js'))) throw new UpdateFailed('The build of the new version has no dist/server.js')
  return { folder, changes, conflicts }
}

async function fits (folder: string, changes: string): Promise<boolean> {
  const { exitCode } = await runGit(folder, ['stash', 'apply', '--quiet', changes], stashing)
  if (exitCode !== 0) await gitText(folder, ['reset', '--hard', '--quiet'], manyFiles)
  return exitCode === 0
}

/** Throws UpdateFailed if git would refuse to write a file of the new version. */
async function refuseInTheWay (root: string, sha: string): Promise<void> {
  const added = await gitEntries(root, ['diff', '--name-only', '--no-renames', '--diff-filter=A', '-z', 'HEAD', sha, '--'], manyFiles)
  const index = await gitEntries(root, ['ls-files', '--stage', '-z'], manyFiles)
  const tracked = new Set(index.map((entry) => entry.slice(entry.indexOf('\t') + 1)))
  for (const path of added.filter((name) => !tracked.has(name))) {
    const isThere = await lstat(join(root, path)).then(() => true, () => false)
    if (isThere) {
      throw new UpdateFailed(`The new version contains ${path}, where you have a file of your own. Move it away first`, { conflict: true })
    }
  }
}

interface Lock { packages?: Record<string, { version?: string, optional?: boolean, link?: boolean }> }

/**
 * Whether the installed packages are exactly those of a version, including those for development: compares its lock file with npm's record
 * of installed packages.
 */
function hasPackages (folder: string, root: string): boolean {
  const wanted = readLock(join(folder, 'package-lock.json'))?.packages
  if (wanted === undefined) return true
  const names = Object.keys(wanted).filter((name) => name !== '' && wanted[name]?.link !== true)
  const installed = readLock(join(root, 'node_modules', '.package-lock.json'))?.packages ?? {}
  return names.every((name) =>
    installed[name] === undefined ? wanted[name]?.optional === true : installed[name].version === wanted[name]?.version) &&
    Object.keys(installed).every((name) => wanted[name] !== undefined)
}

const readLock = (file: string): Lock | null => tried(() => JSON.parse(readFileSync(file, 'utf8')) as Lock, null)
