import { type Contact } from '../git/remotes.js'
import { gitCommandAt } from './git-command.js'
import { optionsOf } from './known.js'
import { operandsOf } from './options.js'
import { Spelling } from './spelling.js'

/** A call of git. `contact`: what it contacts; null = nothing. */
export interface GitCall {
  subcommand: string
  /** The values of `-C`, each relative to the one before; null = the repository is set by other options. */
  folder: string | null
  contact: Contact | 'unclear' | null
}

/** Subcommands that contact other hosts in ways of their own. */
const other = /^(?:subtree|svn|p4|send-email|request-pull|fetch-pack|send-pack|http-fetch|http-push|imap-send|cvsimport|annex|remote-[\w-]+)$/
/** Subcommands that do not change what git contacts later. */
const keeping = new RegExp('^(?:add|status|log|diff|show|rev-parse|ls-files|ls-tree|ls-remote|tag|describe|blame|grep|shortlog|show-ref|rev-list|' +
  'merge-base|cat-file|for-each-ref|reflog|commit|push|fetch|pull|merge|cherry-pick|revert|stash|apply|notes|update-index|rm|mv|reset|restore|clean|format-patch|diff-tree|diff-index|diff-files|name-rev|whatchanged|count-objects|check-ignore|var|version|help|gc|fsck)$')
/** Subcommands after which another branch may be checked out, or follow another remote. */
const branching = /^(?:checkout|switch|branch|rebase|am|bisect|symbolic-ref|update-ref)$/

/** Returns how a call of git changes what later calls contact. */
export function effectOf (subcommand: string, args: readonly string[]): 'none' | 'branch' | 'all' {
  const [first] = args.filter((arg) => !arg.startsWith('-'))
  if (keeping.test(subcommand)) return args.includes('-u') || args.includes('--set-upstream') ? 'branch' : 'none'
  if (branching.test(subcommand)) return 'branch'
  if (subcommand === 'remote') return first === undefined || /^(?:show|get-url|update|prune)$/.test(first) ? 'none' : 'all'
  if (subcommand === 'config') {
    return first === 'get' || first === 'list' ||
    args.some((arg) => /^(?:-l|--list|--get|--get-all|--get-regexp)$/.test(arg))
      ? 'none'
      : 'all'
  }
  if (subcommand === 'submodule') return first === undefined || /^(?:status|summary)$/.test(first) ? 'none' : 'all'
  if (subcommand === 'lfs') return /^(?:push|fetch|ls-files|status|locks)$/.test(first ?? '') ? 'none' : 'all'
  return subcommand === '' ? 'none' : 'all'
}

export function readGitCall (args: readonly string[]): GitCall {
  const at = gitCommandAt(args)
  const subcommand = args[at] ?? ''
  const behind = args.slice(at + 1)
  const known = optionsOf('git', subcommand)?.[0]
  return {
    subcommand, folder: folderOf(args.slice(0, at)),
    contact: contactOf(subcommand, behind, operandsOf(behind, known instanceof Spelling ? known : {}))
  }
}

function folderOf (options: readonly string[]): string | null {
  if (options.some((option) => /^--(?:git-dir|work-tree|namespace|bare)/.test(option))) return null
  const folders = options.flatMap((option, index) => option === '-C' ? [options[index + 1] ?? ''] : []).filter((word) => word !== '')
  return folders.reduce((folder, next) => /^[/~]/.test(next) ? next : `${folder}/${next}`, '.')
}

function contactOf (subcommand: string, args: readonly string[], operands: readonly string[]): GitCall['contact'] {
  const [first, ...others] = operands
  const has = (pattern: RegExp): boolean => args.some((arg) => pattern.test(arg))
  const named = (word: string | undefined): string[] => word === undefined ? [] : [word]
  switch (subcommand) {
    case 'push': return { pushes: true, names: named(first) }
    case 'fetch':
    case 'pull':
      if (has(/^--recurse-submodules/)) return 'unclear'
      return {
        pushes: false, names: has(/^--all$/) ? 'all' : has(/^--multiple$/) ? operands : named(first),
        ...has(/^--no-recurse-submodules$/) ? {} : { submodules: 'too' }
      }
    case 'ls-remote': return has(/^--get-url$/) ? null : { pushes: false, names: named(first) }
    case 'clone': return first === undefined || has(/^--recurs/) ? 'unclear' : { pushes: false, names: [first], isClone: true }
    case 'remote': return ofRemote(first, others, has)
    case 'submodule':
      if (first === 'add') return others[0] === undefined ? 'unclear' : { pushes: false, names: [others[0]] }
      if (first !== 'update') return null
      return has(/^--recursive$/) ? 'unclear' : { pushes: false, names: [], submodules: has(/^--init$/) ? 'init' : 'only' }
    case 'lfs':
      if (/^(?:push|fetch|pull)$/.test(first ?? '')) return { pushes: first === 'push', names: named(others[0]) }
      return /^(?:clone|lock|unlock|locks|prune)$/.test(first ?? '') ? { pushes: true, names: 'all' } : null
    case 'maintenance': return has(/prefetch/) || first === 'run' || first === 'start' ? { pushes: false, names: 'all' } : null
    default: return other.test(subcommand) ? 'unclear' : null
  }
}

function ofRemote (first: string | undefined, others: readonly string[], has: (pattern: RegExp) => boolean): Contact | null {
  switch (first) {
    case 'update': return { pushes: false, names: others.length === 0 ? 'all' : others, submodules: 'too' }
    case 'show': return others.length === 0 || has(/^-n$/) ? null : { pushes: false, names: others }
    case 'prune': return { pushes: false, names: others }
    case 'set-head': return has(/^(?:-a|--auto)$/) ? { pushes: false, names: others.slice(0, 1) } : null
    default: return null
  }
}
