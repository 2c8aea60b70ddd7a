import { dirname, join, resolve } from 'node:path'
import { realPath } from '../../../ground/containment.js'
import { lookThere } from './look.js'
import { findRepository } from './repository.js'

/**
 * Where the repository of a work tree has what its work trees share; null where there is none, and where only the work tree says so, as any
 * folder could. Never throws.
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
