import { followLinks, linkTarget } from '../../ground/containment.js'
import { type Budget, lookSteps, Unfinished } from './budget.js'

/** Finds where a path leads. `linkOf` says what stands in one place on the way there; see followLinks. */
export type ResolvePath = (path: string, linkOf: (path: string) => string | null | undefined) => string

/** The kernel takes no longer path. */
export const maxPathChars = 4096

/**
 * Follows symlinks for one decision: each look at the file system is paid for, and no place is looked at twice. What the
 * kernel would refuse comes back as it is.
 */
export function createFollower (budget: Budget, resolvePath: ResolvePath = followLinks): (path: string) => string {
  const links = new Map<string, string | null | undefined>()
  const followed = new Map<string, string>()

  function linkOf (path: string): string | null | undefined {
    budget.spend(1 + (path.length >> 5))
    if (links.has(path)) return links.get(path)
    budget.spend(lookSteps)
    const target = linkTarget(path)
    links.set(path, target)
    return target
  }

  return (path) => {
    budget.spend(1 + (path.length >> 4))
    const known = followed.get(path)
    if (known !== undefined) return known
    let real = path
    try {
      if (path.length <= maxPathChars) real = resolvePath(path, linkOf)
    } catch (error) {
      if (error instanceof Unfinished) throw error // anything else is a loop of symlinks: whoever opens it will fail
    }
    followed.set(path, real)
    return real
  }
}
