import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { Conflict, Invalid } from '../../errors.js'
import { chosenChanges, isIntended, isUnstaged, type Change } from './changes.js'
import { refuseFiltered } from './filters.js'
import { chosenOf, fromInput, pathList, refuseLinks } from './paths.js'
import { removeFiles } from './removal.js'
import { change, changing, type Repository } from './repository.js'

/** See GitEngine.stage. Throws Invalid (`filtered_path`). */
export async function stage (folder: string, paths: readonly string[]): Promise<void> {
  await changing(folder, async (repository) => {
    const chosen = await chosenOf(repository, paths)
    const changes = await chosenChanges(repository, chosen)
    await refuseFiltered(repository, changes.filter((each) => isUnstaged(each) || each.kind === 'untracked'))
    await change(repository, ['add', '--all', ...fromInput], { input: pathList(chosen) })
  })
}

/** See GitEngine.unstage. A renamed file goes back to its old name with it. Throws Conflict (`conflict`) for conflicts, which would be forgotten. */
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
 * See GitEngine.discard. What git only intends to add counts as untracked. Throws Conflict (`conflict`) for conflicts
 * and where untracked files have taken the place of a tracked one, Invalid (`filtered_path`).
 */
export async function discard (folder: string, paths: readonly string[], { deleteUntracked }: { deleteUntracked: boolean }): Promise<void> {
  await changing(folder, async (repository) => {
    const chosen = await chosenOf(repository, paths)
    const changes = await chosenChanges(repository, chosen)
    refuseConflicts(changes)
    const tracked = changes.filter((each) => isUnstaged(each) && !isIntended(each))
    const submodule = tracked.find(({ path, isSubmodule }) => isSubmodule && chosen.has(path))
    if (submodule !== undefined) throw new Invalid('A submodule is a repository of its own; its changes are discarded there', 'git_failed')
    const files = tracked.filter(({ isSubmodule }) => !isSubmodule)
    const unknown = changes.filter((each) => each.kind === 'untracked' || isIntended(each)).map(({ path }) => path)
    await refuseFiltered(repository, files)
    await refuseLinks(repository, [...files, ...changes].map(({ path }) => path))

    if (deleteUntracked) {
      const intended = changes.filter(isIntended).map(({ path }) => path)
      if (intended.length > 0) await change(repository, ['reset', '--quiet', ...fromInput], { input: pathList(intended) })
      await removeFiles(repository, unknown)
    }
    await refuseFolders(repository, files)
    if (files.length > 0) await change(repository, ['restore', '--worktree', '--no-recurse-submodules', ...fromInput], { input: pathList(files.map(({ path }) => path)) })
  })
}

/** Takes files out of the index that no commit has. */
export async function forget (repository: Repository, files: readonly string[]): Promise<void> {
  if (files.length > 0) await change(repository, ['reset', '--quiet', ...fromInput], { input: pathList(files) })
}

export function refuseConflicts (changes: readonly Change[]): void {
  if (changes.some(({ kind }) => kind === 'conflict')) throw new Conflict('There are conflicts; settle them first, then stage the files', 'conflict')
}

/** Where a tracked file was there may be a folder now, and git would remove it with all that it holds. */
async function refuseFolders ({ top }: Repository, changes: readonly Change[]): Promise<void> {
  for (const { path } of changes) {
    if ((await lstat(join(top, path)).catch(() => null))?.isDirectory() === true) throw new Conflict(`${path} is a folder now; move it away first`, 'conflict')
  }
}
