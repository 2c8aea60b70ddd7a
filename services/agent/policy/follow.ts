import { followLinks, linkTarget } from '../../ground/containment.js'
import { type Budget, lookSteps, Unfinished } from './budget.js'

/** Returns where a path leads. `linkOf` returns the target of a link at one place on the way; see followLinks. */
export type ResolvePath = (path: string, linkOf: (path: string) => string | null | undefined) => string

/** The longest path that the kernel accepts. */
export const kernelPathChars = 4096

/**
 * Follows symlinks for one decision: each look at the file system is paid for, and no place is looked at twice. Returns a path that the
 * kernel would refuse unchanged.
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
      if (path.length <= kernelPathChars) real = resolvePath(path, linkOf)
    } catch (error) {
      if (error instanceof Unfinished) throw error // anything else is a loop of symlinks, which cannot be opened
    }
    followed.set(path, real)
    return real
  }
}
