import { closeSync, constants, openSync, readlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { type Finding, type GitView } from './git-findings.js'

/** Files in a repository that nobody misses when they were not there before. */
const removable = /\/(?:commondir|config\.worktree|info\/attributes|objects\/info\/alternates)$/

/**
 * Undoes what can be undone exactly, in repositories that were there before: files that steer git and were not there are
 * removed, a HEAD that is missing is written again. Returns what is undone.
 */
export function putBack (before: GitView, fresh: readonly Finding[]): Finding[] {
  const repositories = new Set(before.repositories)
  return fresh.filter(({ path }) => {
    const repository = path.replace(removable, '')
    if (repository !== path && repositories.has(repository) && !before.present.has(path)) return inFolder(path, (at) => unlinkSync(at))
    const head = before.heads.get(path)
    // 'wx': what stands there, whatever it is, is not ours to replace.
    return head !== undefined && inFolder(`${path}/HEAD`, (at) => writeFileSync(at, head, { encoding: 'latin1', flag: 'wx' }))
  })
}

/**
 * Does something to an entry of the very folder that its path names, without following a link on the way. False when that is not possible.
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
