import { type Boundaries } from './paths.js'

/** What the checks need to know about one program call, from which wrappers (`sudo`, `env`) have been removed. */
export interface ProgramCall {
  program: string
  args: readonly string[]
  /** Returns the real paths that a word may mean. With `ofLink`, a symlink at its end stands for itself, not for its target. */
  paths (word: string, ofLink?: boolean): string[]
  boundaries: Boundaries
}

/** The end of the sentence "This would …". */
export const changingService = 'change or remove files of the service itself'

/** Returns the folders that a `find` starts from. */
export function findRoots (args: readonly string[]): string[] {
  const operands = args.filter((arg) => !/^-[HLP]$/.test(arg))
  const end = operands.findIndex((arg) => /^[-(!]/.test(arg))
  const roots = end === -1 ? operands : operands.slice(0, end)
  return roots.length === 0 ? ['.'] : roots
}

/** Returns whether a `find` has conditions, so that it does not match everything below its folders. */
export function selects (args: readonly string[]): boolean {
  return args.some((arg) =>
    /^-(?:i?name|i?path|i?wholename|i?regex|[acm](?:time|min)|a?newer\w*|size|empty|user|group|perm|inum|samefile|links)$/.test(arg))
}

/** Returns whether a `find` that does not follow links may find some: not if it looks for files or folders only. */
export function mayFindLinks (args: readonly string[]): boolean {
  if (args.some((arg) => /^(?:-o|-or|,|!|-not)$/.test(arg))) return true
  return !args.some((arg, index) => args[index - 1] === '-type' && /^[fd]$/.test(arg))
}
