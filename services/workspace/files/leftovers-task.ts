import { lstatSync, readdirSync, type Dirent } from 'node:fs'
import { join, relative } from 'node:path'
import { tried } from '../../ground/tried.js'
import { type Territory } from '../place/place.js'
import { removeTrees } from './removal-task.js'
import { isOurs, isTemporary } from '../../ground/files/temporary.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { removeLeftovers: typeof removeLeftovers }
}

export interface LeftoversInput {
  territory: Territory
  /** Files that were last changed before this are abandoned (epoch milliseconds). */
  abandonedBeforeMs: number
}

const mostFolders = 20_000

/**
 * Removes unfinished files of this service anywhere in a folder. It skips unfinished folders, which are recorded elsewhere.
 * Searches at most 20,000 folders. Runs in a worker thread.
 */
export async function removeLeftovers ({ territory, abandonedBeforeMs }: LeftoversInput): Promise<{ removed: number }> {
  let removed = 0
  let looked = 0
  const pending = [territory.root]
  for (let folder = pending.pop(); folder !== undefined && looked++ < mostFolders; folder = pending.pop()) {
    const names: string[] = []
    for (const entry of list(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (!isTemporary(entry.name) && !territory.closed.includes(path)) pending.push(path)
      } else if (isTemporary(entry.name) && !isOurs(entry.name) && isAbandoned(path, abandonedBeforeMs)) names.push(entry.name)
    }
    // removeTrees opens the folder and works inside that one, because another folder may have replaced it.
    if (names.length > 0) removed += (await removeTrees({ territory, folder: relative(territory.root, folder) || '.', names })).removed
  }
  return { removed }
}

const list = (folder: string): Dirent[] => tried(() => readdirSync(folder, { withFileTypes: true }), [])

/** Goes by ctime, the time of the last change of any kind: unlike mtime, programs cannot set it. */
function isAbandoned (path: string, beforeMs: number): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isDirectory() && stats.ctimeMs < beforeMs
}
