import { execFileSync } from 'node:child_process'

/**
 * Returns the commit that is checked out in the current folder, and says whether tracked files other than the `generated`
 * ones have changes.
 */
export function commitHere (generated: string[] = []): string {
  const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const changed = git('status', '--porcelain', '--untracked-files=no', '--', '.', ...generated.map((path) => `:!${path}`))
  return `${git('rev-parse', '--short=10', 'HEAD')}${changed === '' ? '' : ' and changes'}`
}
