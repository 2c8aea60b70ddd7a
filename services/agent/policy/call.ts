import { type Territory } from './paths.js'

/** What the checks need to know about one program call whose wrappers are already taken off. */
export interface Call {
  program: string
  args: readonly string[]
  /** The real paths a word may mean; with `ofLink` a symlink at its end is itself meant, not what it points at. */
  paths (word: string, ofLink?: boolean): string[]
  territory: Territory
}

/** The end of the sentence "This would …". */
export const changingService = 'change or remove files of the service itself'

/** The folders a `find` starts from. */
export function findRoots (args: readonly string[]): string[] {
  const operands = args.filter((arg) => !/^-[HLP]$/.test(arg))
  const end = operands.findIndex((arg) => /^[-(!]/.test(arg))
  const roots = end === -1 ? operands : operands.slice(0, end)
  return roots.length === 0 ? ['.'] : roots
}

/** True when a `find` names conditions, so that not everything below its folders is meant. */
export function selects (args: readonly string[]): boolean {
  return args.some((arg) =>
    /^-(?:i?name|i?path|i?wholename|i?regex|[acm](?:time|min)|a?newer\w*|size|empty|user|group|perm|inum|samefile|links)$/.test(arg))
}
