import { lstat } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { Conflict, Invalid } from '../../../ground/errors.js'
import { addChanges, isForeignRepository } from './adding.js'
import { chosenChanges, isIntended, isUnstaged, type Change } from './changes.js'
import { refuseFiltered } from './filters.js'
import { chosenOf, fromInput, isBehindLink, pathList, refuseLinks, type ChosenPaths } from './paths.js'
import { recordsOf } from './records.js'
import { removeFiles } from './removal.js'
import { change, changing, folderOnly, listing, look, type Repository } from './repository.js'

/**
 * See GitEngine.stage. Stages the commit that a submodule is at. Repositories that git does not know are skipped.
 * Throws Invalid (`filtered_path`, and `git_failed` for a path that git cannot stage).
 */
export async function stage (folder: string, paths: readonly string[]): Promise<void> {
  await changing(folder, async (repository) => {
    const chosen = await chosenOf(repository, paths)
    const changes = await chosenChanges(repository, chosen)
    const unstaged = changes.filter((each) => isUnstaged(each) || each.kind === 'untracked')
    await refuseUnknown(repository, chosen, changes)
    await refuseFiltered(repository, unstaged)
    await addChanges(repository, unstaged)
  })
}

/**
 * See GitEngine.unstage. The old path of a renamed file is unstaged too. Throws Conflict (`conflict`)
 * if there are conflicts, because git would forget them.
 */
export async function unstage (folder: string, paths: readonly string[]): Promise<void> {
  await changing(folder, async (repository) => {
    const chosen = await chosenOf(repository, paths)
    const changes = await chosenChanges(repository, chosen)
    refuseConflicts(changes)
    const origins = changes.flatMap(({ oldPath, inIndex }) => oldPath === null || inIndex !== 'R' ? [] : [oldPath])
    await change(repository, ['reset', '--quiet', ...fromInput], { input: pathList([...chosen, ...origins]) })
  })
}

/**
 * See GitEngine.discard. An intent to add counts as untracked. Throws Conflict (`conflict`) if there are conflicts
 * or a folder of untracked files has replaced a tracked file, Invalid (`filtered_path`).
 */
export async function discard (folder: string, paths: readonly string[], { deleteUntracked }: { deleteUntracked: boolean }): Promise<void> {
  await changing(folder, async (repository) => {
    const chosen = await chosenOf(repository, paths)
    const changes = await chosenChanges(repository, chosen)
    refuseConflicts(changes)
    const tracked = changes.filter((each) => isUnstaged(each) && !isIntended(each))
    const submodule = tracked.find(({ path, isSubmodule }) => isSubmodule && chosen.has(path))
    if (submodule !== undefined) throw new Invalid('A submodule is a separate repository. Discard its changes there', 'git_failed')
    const files = tracked.filter(({ isSubmodule }) => !isSubmodule)
    const unknown = changes.filter((each) => each.kind === 'untracked' || isIntended(each)).map(({ path }) => path)
    await refuseFiltered(repository, files)
    await refuseLinks(repository, unknown)

    if (deleteUntracked) {
      const intended = changes.filter(isIntended).map(({ path }) => path)
      if (intended.length > 0) await change(repository, ['reset', '--quiet', ...fromInput], { input: pathList(intended) })
      await removeFiles(repository, unknown)
    }
    await refuseFolders(repository, files)
    const open = await reachable(repository, files.map(({ path }) => path))
    if (open.length > 0) {
      await change(repository, ['restore', '--worktree', '--no-recurse-submodules', ...fromInput], { input: pathList(open) })
    }
  })
}

export function refuseConflicts (changes: readonly Change[]): void {
  if (changes.some(({ kind }) => kind === 'conflict')) {
    throw new Conflict('There are conflicts. Resolve them, then stage the files', 'conflict')
  }
}

/** Throws Invalid (`git_failed`) for a chosen path that git would not accept. */
async function refuseUnknown (repository: Repository, chosen: ChosenPaths, changes: readonly Change[]): Promise<void> {
  const own = changes.find((each) => isForeignRepository(each) && chosen.has(each.path.slice(0, -1)))
  if (own !== undefined) throw new Invalid(`${own.path.slice(0, -1)} is a separate repository. Stage its files there`, 'git_failed')
  const left = new Set(chosen)
  const find = (path: string): void => { for (let place = path; place !== '.'; place = posix.dirname(place)) left.delete(place) }
  for (const { path } of changes) find(path.replace(/\/$/, ''))
  left.delete('')
  if (left.size === 0) return
  for (const path of recordsOf((await look(repository, ['ls-files', '-z', '--', ...folderOnly(repository)], listing)).stdout)) find(path)
  for (const path of left) {
    const found = await lstat(join(repository.top, path)).catch(() => null)
    if (found?.isDirectory() === true) continue
    throw new Invalid(found === null
      ? `There is no file ${path}`
      : `${path} is ignored, or belongs to a repository of its own`, 'git_failed')
  }
}

/** Returns the files that are not behind a symlink. Throws Invalid (`path_outside_workspace`) if all of them are. */
async function reachable (repository: Repository, paths: readonly string[]): Promise<string[]> {
  const open: string[] = []
  for (const path of paths) if (!await isBehindLink(repository, path)) open.push(path)
  if (open.length === 0) await refuseLinks(repository, paths)
  return open
}

/** Throws Conflict if a folder has replaced a tracked file, because git would remove it with everything in it. */
export async function refuseFolders ({ top }: Repository, changes: readonly Change[]): Promise<void> {
  for (const { path } of changes) {
    if ((await lstat(join(top, path)).catch(() => null))?.isDirectory() === true) {
      throw new Conflict(`${path} is now a folder. Move it away first`, 'conflict')
    }
  }
}
