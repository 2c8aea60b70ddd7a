import { lstatSync } from 'node:fs'
import { followLinks, linkTarget } from '../../ground/files/containment.js'
import { type Budget, lookSteps, Unfinished } from './budget.js'
import { ofProcess } from './processes.js'
import { reason } from '../../../reasons/index.js'

/** Returns where a path leads. `linkOf` returns the target of a link at one place on the way; see followLinks. */
export type ResolvePath = (path: string, linkOf: (path: string) => string | null | undefined) => string

/** The longest path that the kernel accepts. */
export const kernelPathChars = 4096

/**
 * Follows symlinks for one decision: each look at the file system is paid for, and no place is looked at twice. Returns a path that the
 * kernel would refuse unchanged.
 */
export function createFollower (budget: Budget, resolvePath: ResolvePath = followLinks): (path: string) => string {
  const links = linksOf(budget)
  const followed = new Map<string, string>()
  return (path) => {
    budget.spend(1 + (path.length >> 4))
    const real = followed.get(path) ?? leadOf(path, resolvePath, links)
    followed.set(path, real)
    return real
  }
}

/** What stands at a place: the target of a link, null for anything else, undefined for nothing. */
export type Stands = string | null | undefined

/** In how many ways one path is followed, if what stands at places on it is uncertain. */
const mostWays = 64

/**
 * Follows symlinks like createFollower, in paths of a command that another process will run: a path may lead to several places, by the
 * folders that the process may be in, and by what the command line may have put on its way.
 */
export class CommandFollower {
  readonly #links: (at: string) => Stands
  readonly #followed = new Map<string, string[]>()
  #othersAt: ((at: string) => Stands[]) | null = null

  constructor (private readonly budget: Budget, private readonly resolvePath: ResolvePath = followLinks) {
    this.#links = linksOf(budget)
  }

  /** Called when the line may have put something at places: `othersAt` returns what, besides what is there now. */
  expect (othersAt: (at: string) => Stands[]): void {
    this.#othersAt = othersAt
    this.#followed.clear()
  }

  /** Returns each place that a path may lead to. Throws Unfinished. */
  follow (path: string, folders: Iterable<string> = []): string[] {
    this.budget.spend(1 + (path.length >> 4))
    const known = this.#followed.get(path)
    if (known !== undefined) return known
    const { reals, isOfProcess } = this.#from(path, null, false)
    if (isOfProcess) {
      const places = [...folders].flatMap((folder) => [false, true].flatMap((isRootShared) => this.#from(path, folder, isRootShared).reals))
      return [...new Set(places.length === 0 ? reals : places)]
    }
    this.#followed.set(path, reals)
    return reals
  }

  /** @param folder null: unknown. */
  #from (path: string, folder: string | null, isRootShared: boolean): { reals: string[], isOfProcess: boolean } {
    const othersAt = this.#othersAt
    let isOfProcess = false
    const lead = (choose: (first: Stands, others: readonly Stands[]) => Stands): string => {
      let stop: string | null = null
      const real = leadOf(path, this.resolvePath, (at) => {
        const found = ofProcess(at)
        if (found === null && othersAt === null) return this.#links(at)
        if (found === null) {
          // Where nothing is now, the line may make a folder.
          const first = this.#links(at) ?? null
          return choose(first, othersAt?.(at).filter((other) => other !== first) ?? [])
        }
        isOfProcess = true
        if (found.includes('root') || (isRootShared && found.includes('other root'))) return '/'
        if (found.includes('folder') && folder !== null) return folder
        if (found.includes('folder') || found.includes('anywhere')) stop ??= at
        return null
      })
      return stop ?? real
    }
    return { reals: othersAt === null ? [lead((first) => first)] : everyWay(lead), isOfProcess }
  }
}

/** Calls `lead` once for each combination of what may stand at the places it asks about, and returns all results. Throws Unfinished. */
function everyWay (lead: (choose: (first: Stands, others: readonly Stands[]) => Stands) => string): string[] {
  const found = new Set<string>()
  const pending: number[][] = [[]]
  let ways = 0
  for (let choices = pending.pop(); choices !== undefined; choices = pending.pop()) {
    if (++ways > mostWays) throw new Unfinished(reason('too_much_work'))
    const chosen = choices
    let step = 0
    found.add(lead((first, others) => {
      if (others.length === 0) return first
      const choice = chosen[step++]
      if (choice !== undefined) return choice === 0 ? first : others[choice - 1]
      for (let other = 1; other <= others.length; other++) pending.push([...chosen, other])
      chosen.push(0)
      return first
    }))
  }
  return [...found]
}

/** Returns a function that looks at what stands at a path, as followLinks needs it. */
export function linksOf (budget: Budget): (path: string) => Stands {
  const links = new Map<string, Stands>()
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

/** Returns whether what stands at a place may be a link, or a folder with links in it. */
export function mayBringLinks (at: string): boolean {
  try {
    const found = lstatSync(at, { throwIfNoEntry: false })
    return found !== undefined && (found.isSymbolicLink() || found.isDirectory())
  } catch {
    return true // it cannot be looked at
  }
}
