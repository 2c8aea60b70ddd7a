import { dirname, join, resolve } from 'node:path'
import { realPath } from '../../../ground/files/containment.js'
import { lookThere } from './look.js'
import { findRepository } from './repository.js'

/**
 * Returns the folder that all work trees of a repository share, given one of these work trees. Returns null for a folder that is not a work
 * tree, and for one whose `.git` file names a repository that does not name it in return: any folder could hold such a file. Never throws.
 */
export function commonFolder (workTree: string): string | null {
  try {
    const found = findRepository(workTree, lookThere)
    if (found === null || found.workTree !== workTree) return null
    const [own, common] = [realPath(found.gitFolder), realPath(found.common)]
    if (own === common) return own === join(workTree, '.git') ? common : null
    const back = lookThere(join(own, 'gitdir')).text?.replace(/\n$/, '')
    return dirname(own) === join(common, 'worktrees') && back !== undefined && resolve(own, back) === join(workTree, '.git') ? common : null
  } catch {
    return null
  }
}
