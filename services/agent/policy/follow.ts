import { followLinks, linkTarget } from '../../ground/files/containment.js'
import { type Budget, lookSteps, Unfinished } from './budget.js'
import { ofProcess } from './processes.js'

/** Returns where a path leads. `linkOf` returns the target of a link at one place on the way; see followLinks. */
export type ResolvePath = (path: string, linkOf: (path: string) => string | null | undefined) => string

/** The longest path that the kernel accepts. */
export const kernelPathChars = 4096

/**
 * Follows symlinks for one decision: each look at the file system is paid for, and no place is looked at twice. Returns a path that the
 * kernel would refuse unchanged.
 */
export function createFollower (budget: Budget, resolvePath: ResolvePath = followLinks): (path: string) => string {
  const links = createLinks(budget)
  const followed = new Map<string, string>()
  return (path) => {
    budget.spend(1 + (path.length >> 4))
    const real = followed.get(path) ?? leadOf(path, resolvePath, links)
    followed.set(path, real)
    return real
  }
}

/**
 * Returns a function like that of createFollower, for the paths of a command that another process will run: it returns each place that a
 * path may lead to, given the folders that the process may be in.
 */
export function createCommandFollower (
  budget: Budget, resolvePath: ResolvePath = followLinks
): (path: string, folders?: Iterable<string>) => string[] {
  const links = createLinks(budget)
  const followed = new Map<string, string>()

  /** @param folder null: unknown. */
  function follow (path: string, folder: string | null, isRootShared: boolean): { real: string, isOfProcess: boolean } {
    let stop: string | null = null
    let isOfProcess = false
    const real = leadOf(path, resolvePath, (at) => {
      const found = ofProcess(at)
      if (found === null) return links(at)
      isOfProcess = true
      if (found.includes('root') || (isRootShared && found.includes('other root'))) return '/'
      if (found.includes('folder') && folder !== null) return folder
      if (found.includes('folder') || found.includes('anywhere')) stop ??= at
      return null
    })
    return { real: stop ?? real, isOfProcess }
  }

  return (path, folders = []) => {
    budget.spend(1 + (path.length >> 4))
    const known = followed.get(path)
    if (known !== undefined) return [known]
    const { real, isOfProcess } = follow(path, null, false)
    if (isOfProcess) {
      const places = [...folders].flatMap((folder) => [false, true].map((isRootShared) => follow(path, folder, isRootShared).real))
      return [...new Set(places.length === 0 ? [real] : places)]
    }
    followed.set(path, real)
    return [real]
  }
}

/** Returns a function that looks at what stands at a path, as followLinks needs it. */
function createLinks (budget: Budget): (path: string) => string | null | undefined {
  const links = new Map<string, string | null | undefined>()
  return (path) => {
    budget.spend(1 + (path.length >> 5))
    if (links.has(path)) return links.get(path)
    budget.spend(lookSteps)
    const target = linkTarget(path)
    links.set(path, target)
    return target
  }
}

function leadOf (path: string, resolvePath: ResolvePath, linkOf: (path: string) => string | null | undefined): string {
  try {
    return path.length <= kernelPathChars ? resolvePath(path, linkOf) : path
  } catch (error) {
    if (error instanceof Unfinished) throw error
    return path // a loop of symlinks, which cannot be opened
  }
}
