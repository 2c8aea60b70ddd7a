import { Invalid } from '../../ground/errors.js'

/**
 * Commands that neither read nor write the contents of files, so no filter is ever asked. For `ls-files` this holds with
 * `--stage`, `-v` and `--others`, for `commit-tree` without `-S`, for `cat-file` without `--filters` and `--textconv`. Nothing that
 * writes an index is one of them: git compares files with it then that were changed in the second in which it was written before.
 */
const contentFree = [
  'branch', 'cat-file', 'check-attr', 'commit-tree', 'config', 'for-each-ref', 'ls-files', 'ls-tree', 'merge-base', 'remote', 'rev-list',
  'rev-parse', 'symbolic-ref', 'update-ref', 'worktree'
] as const
/** Commands that show differences, for which a repository may name programs: external diff, textconv. */
const showing = ['diff', 'log', 'show'] as const
/**
 * Commands that compare or write the contents of work trees, or an index: filters, merge drivers, and with `commit` also hooks and signing
 * programs.
 */
type Working = 'add' | 'apply' | 'commit' | 'merge' | 'merge-tree' | 'read-tree' | 'reset' | 'restore' | 'stash' | 'status' | 'switch'
  | 'update-index' | 'write-tree'
/** Commands that talk to remotes; they work only with what system/transport.ts adds. */
type Talking = 'fetch' | 'push'

/**
 * Git's own commands, whose place no alias can take. `worktree add` needs `--no-checkout`, and `worktree remove` a
 * folder that is gone or `--force`: otherwise they work on contents in a place whose settings were not looked at.
 */
export type GitCommand = typeof contentFree[number] | typeof showing[number] | Working | Talking

/** What switches off the programs that the settings name, as they were when they were read. Only programsOff makes one. */
export interface ProgramsOff {
  /** `key=value` each. */
  settings: readonly string[]
  /** Names of the filters that would change contents on their way in or out. */
  filters: ReadonlySet<string>
  /** Where the settings stand, in git's words: `file:` and a path, which may be relative to the work tree. */
  origins: ReadonlySet<string>
  /** Some settings name further files of settings. */
  includesOthers: boolean
}

export const nothingOff: ProgramsOff = { settings: [], filters: new Set(), origins: new Set(), includesOthers: false }

/** Above every setting of the repository: nothing it names is run, nothing is left running, and output looks as expected. */
export const safeSettings: readonly string[] = [
  'core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.alternateRefsCommand=:', 'safe.bareRepository=explicit',
  'submodule.recurse=false',
  'commit.gpgSign=false', 'tag.gpgSign=false', 'log.showSignature=false', 'gc.auto=0', 'maintenance.auto=false',
  // Would take the index's lock in the middle of a read.
  'diff.autoRefreshIndex=false',
  // An invented name at an invented host helps nobody.
  'user.useConfigOnly=true',
  'color.ui=false', 'core.quotePath=false', 'i18n.commitEncoding=UTF-8', 'i18n.logOutputEncoding=UTF-8',
  'diff.ignoreSubmodules=dirty', 'diff.noprefix=false', 'diff.mnemonicPrefix=false', 'diff.relative=false', 'diff.context=3',
  'diff.interHunkContext=0', 'diff.orderFile=/dev/null', 'diff.renames=true', 'diff.srcPrefix=a/', 'diff.dstPrefix=b/'
]
/** Programs under names that the repository chooses; each must be overridden by its name. */
const namedProgram = /^(?:filter\..*\.(?:clean|smudge|process|required)|merge\..*\.driver|hook\..*\.command)$/s

export function isContentFree (command: GitCommand): boolean {
  return isOneOf(contentFree, command)
}

/** Options of git itself. Paths are names, not patterns; only `stash` asks for its own with a pattern. */
export function ownOptions (command: GitCommand): string[] {
  return command === 'stash' ? ['--no-pager'] : ['--no-pager', '--literal-pathspecs']
}

/** Options of the command. Submodules are not looked into, as their settings may name programs of their own. */
export function precautions (command: GitCommand): string[] {
  if (isOneOf(showing, command)) return ['--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short', '--ignore-submodules=dirty']
  if (command === 'status') return ['--ignore-submodules=dirty']
  return command === 'commit' ? ['--no-verify', '--no-gpg-sign', '--no-status'] : []
}

/**
 * Makes every filter and merge program inert, given the names of all settings as `git config --list --show-origin --null
 * --name-only` prints them. Throws Invalid (`git_failed`) for names that cannot be overridden.
 */
export function programsOff (listed: Buffer): ProgramsOff {
  // As bytes, since git's own pattern matching passes over those that are not UTF-8.
  const parts = listed.toString('latin1').split('\0').slice(0, -1).map((part) => Buffer.from(part, 'latin1').toString())
  const names = parts.filter((_, index) => index % 2 === 1)
  const keys = new Set(names.filter((key) => namedProgram.test(key)))
  // `-c` cannot name these, so they could not be overridden.
  if ([...keys].some((key) => key.includes('=') || key.includes('\ufffd'))) {
    throw new Invalid('This repository configures a filter that the service cannot turn off', 'git_failed')
  }
  const filters = [...keys].flatMap((key) => /^filter\.(.*)\.(?:clean|smudge|process)$/s.exec(key)?.[1] ?? [])
  return {
    settings: [...keys].map(inert),
    filters: new Set(filters),
    origins: new Set(parts.filter((_, index) => index % 2 === 0)),
    includesOthers: names.some((key) => /^include(?:if)?\./.test(key))
  }
}

function inert (key: string): string {
  if (key.endsWith('.required')) return `${key}=false`
  if (key.startsWith('hook.')) return `${key.replace(/command$/, 'enabled')}=false`
  return key.startsWith('merge.') ? `${key}=false` : `${key}=` // as a merge program, nothing at all would count as success
}

function isOneOf (list: readonly string[], command: string): boolean {
  return list.includes(command)
}
