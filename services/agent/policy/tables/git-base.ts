import { gitCommandAt } from './git-command.js'

/** What git's commands do with what git goes back to: its current commit, and its index. */

/** Git's commands that put files from elsewhere into the work tree. */
const gitBrings = /^(?:clone|pull|merge|am|apply|checkout|switch|rebase|cherry-pick|submodule|worktree)$/

/** Git's commands that change neither its current commit nor its index, except by what is in the work tree. */
const gitKeeps = new Set((
  'status diff log show blame grep describe shortlog rev-parse rev-list ls-files ls-tree cat-file remote tag add rm mv clean commit stash'
).split(' '))
const namesCommit = (arg: string): boolean => !/^(?:-.*|HEAD|@)$/s.test(arg)

/**
 * Returns whether a call of git may take its current commit, or files of its index, from elsewhere, so that going back to them later in the
 * line brings files. Commands that bring files themselves need not be told.
 */
export function movesBase (args: readonly string[]): boolean {
  const at = gitCommandAt(args)
  const [command, ...rest] = args.slice(at)
  if (command === undefined || gitKeeps.has(command)) return false
  switch (command) {
    case 'restore': return rest.some((arg) => /^-[a-zA-Z]*s|^--so/.test(arg))
    case 'reset': return rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined).some(namesCommit)
    case 'branch': return rest.some(namesCommit)
    case 'fetch': return rest.some((arg) => /:|^-[a-zA-Z]*u|^--up/.test(arg))
    default: return true
  }
}

/**
 * Returns whether a call of git puts files from elsewhere into the work tree. Going back to the current commit, or the index, brings none.
 *
 * @param isBaseMoved whether movesBase was true for an earlier call of the line
 */
export function bringsFromGit (args: readonly string[], isBaseMoved: boolean): boolean {
  if (args.some((arg) => gitBrings.test(arg))) return true
  const at = gitCommandAt(args)
  const rest = args.slice(at + 1)
  switch (args[at]) {
    case 'restore': return (isBaseMoved || rest.some((arg) => /^-[a-zA-Z]*s|^-[23]|^--(?:so|ou|th)/.test(arg))) &&
      (!rest.some((arg) => /^-[a-zA-Z]*S|^--st/.test(arg)) || rest.some((arg) => /^-[a-zA-Z]*W|^--w/.test(arg)))
    case 'reset': return rest.some((arg) => /^--(?:h|m|k)/.test(arg) && arg !== '--mixed') && (isBaseMoved || rest.some(namesCommit))
    case 'stash': return isBaseMoved
      ? !/^(?:list|show|drop|clear|create|store)$/.test(rest[0] ?? '')
      : /^(?:pop|apply|branch)$/.test(rest[0] ?? '')
    case 'revert':
    case 'bisect':
    case 'checkout-index':
    case 'read-tree':
    case 'sparse-checkout': return true
    default: return false
  }
}
