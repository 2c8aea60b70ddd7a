import { execFileSync } from 'node:child_process'

/** What the benchmarks, torture and fuzzing write: a change of these alone says nothing about the code that was tried. */
const generated = [
  'docs/performance.md', 'docs/performance.json', 'docs/performance', 'docs/reliability.md', 'docs/reliability.json', 'docs/fuzzing.json'
]

/**
 * Returns the commit that is checked out in the current folder, and says whether tracked files other than the generated ones
 * have changes.
 */
export function commitHere (): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ...generated.map((path) => `:!${path}`))
  return `${git('rev-parse', '--short=10', 'HEAD')}${changed === '' ? '' : ' and changes'}`
}
