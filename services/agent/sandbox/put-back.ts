import { closeSync, constants, openSync, readlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Finding, type GitView } from './git-findings.js'

/** Files in a repository that can be removed safely if they did not exist before. */
const removable = /\/(?:commondir|config\.worktree|info\/attributes|objects\/info\/alternates)$/

/**
 * Undoes changes that can be undone exactly, in repositories that existed before: removes new files that steer git, and restores a missing
 * HEAD. Returns the findings that were undone.
 */
export function putBack (before: GitView, fresh: readonly Finding[]): Finding[] {
  const repositories = new Set(before.repositories)
  return fresh.filter(({ path }) => {
    const repository = path.replace(removable, '')
    if (repository !== path && repositories.has(repository) && !before.present.has(path)) return inFolder(path, (at) => unlinkSync(at))
    const head = before.heads.get(path)
    // 'wx': never replaces an existing HEAD, whatever it is.
    return head !== undefined && inFolder(`${path}/HEAD`, (at) => writeFileSync(at, head, { encoding: 'latin1', flag: 'wx' }))
  })
}

/**
 * Changes an entry in exactly the folder that its path names, without following a link on the way. Returns false if that fails.
 */
function inFolder (path: string, change: (at: string) => void): boolean {
  let descriptor: number | undefined
  try {
    const folder = dirname(path)
    descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    if (readlinkSync(`/proc/self/fd/${descriptor}`) !== folder) return false
    change(`/proc/self/fd/${descriptor}/${basename(path)}`)
    return true
  } catch {
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}
