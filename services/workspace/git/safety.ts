import { Invalid } from '../../ground/errors.js'

/**
 * Commands that neither read nor write the contents of files, so that no filter ever runs. For `ls-files` this holds with `--stage`, `-v`
 * and `--others`, for `commit-tree` without `-S`, for `cat-file` without `--filters` and `--textconv`. Commands that write an index are
 * not among them: git then compares files that were changed in the second in which the index was last written.
 */
const contentFree = [
  'branch', 'cat-file', 'check-attr', 'commit-tree', 'config', 'for-each-ref', 'ls-files', 'ls-tree', 'merge-base', 'remote', 'rev-list',
  'rev-parse', 'symbolic-ref', 'update-ref', 'worktree'
] as const
/** Commands that show differences. The settings of a repository may name programs for them: external diff, textconv. */
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
 * Git's own commands, which no alias can replace. `worktree add` needs `--no-checkout`, and `worktree remove` needs `--force` or a folder
 * that is gone: otherwise they work on contents in a place whose settings have not been read.
 */
export type GitCommand = typeof contentFree[number] | typeof showing[number] | Working | Talking

/** Switches off the programs that the settings named when they were read. Only programsOff creates it. */
export interface ProgramsOff {
  /** Each as `key=value`. */
  settings: readonly string[]
  /** Names of the filters that would change contents when they are stored or checked out. */
  filters: ReadonlySet<string>
  /** Where the settings come from, as git prints it: `file:` and a path, which may be relative to the work tree. */
  origins: ReadonlySet<string>
  /** Whether the settings include further files of settings. */
  includesOthers: boolean
}

export const nothingOff: ProgramsOff = { settings: [], filters: new Set(), origins: new Set(), includesOthers: false }

/** Override the repository's settings: no program that it names runs, none stays running, and the output has the expected format. */
export const safeSettings: readonly string[] = [
  'core.fsmonitor=false', 'core.hooksPath=/dev/null', 'core.alternateRefsCommand=:', 'safe.bareRepository=explicit',
  'submodule.recurse=false',
  'commit.gpgSign=false', 'tag.gpgSign=false', 'log.showSignature=false', 'gc.auto=0', 'maintenance.auto=false',
  // It would take the lock of the index during a read.
  'diff.autoRefreshIndex=false',
  // Git would otherwise make up an author from the user and host names.
  'user.useConfigOnly=true',
  'color.ui=false', 'core.quotePath=false', 'i18n.commitEncoding=UTF-8', 'i18n.logOutputEncoding=UTF-8',
  'diff.ignoreSubmodules=dirty', 'diff.noprefix=false', 'diff.mnemonicPrefix=false', 'diff.relative=false', 'diff.context=3',
  'diff.interHunkContext=0', 'diff.orderFile=/dev/null', 'diff.renames=true', 'diff.srcPrefix=a/', 'diff.dstPrefix=b/'
]
/** Settings of programs that have names chosen by the repository; each must be overridden by its full name. */
const namedProgram = /^(?:filter\..*\.(?:clean|smudge|process|required)|merge\..*\.driver|hook\..*\.command)$/s

export function isContentFree (command: GitCommand): boolean {
  return isOneOf(contentFree, command)
}

/** Options of git itself. Paths are names, not patterns, except with `stash`, which uses a pattern internally. */
export function ownOptions (command: GitCommand): string[] {
  return command === 'stash' ? ['--no-pager'] : ['--no-pager', '--literal-pathspecs']
}

/** Options of the command. Git does not look into submodules, because their settings may name programs of their own. */
export function precautions (command: GitCommand): string[] {
  if (isOneOf(showing, command)) return ['--no-ext-diff', '--no-textconv', '--no-color', '--submodule=short', '--ignore-submodules=dirty']
  if (command === 'status') return ['--ignore-submodules=dirty']
  return command === 'commit' ? ['--no-verify', '--no-gpg-sign', '--no-status'] : []
}

/** Each is overridden by an argument of every git command. Real repositories have a few. */
const mostPrograms = 1_000

/**
 * Makes every filter and merge program inert, given the names of all settings as `git config --list --show-origin --null
 * --name-only` prints them. Throws Invalid (`git_failed`) for names that cannot be overridden, and for too many.
 */
export function programsOff (listed: Buffer): ProgramsOff {
  // Split as bytes, because names that are not UTF-8 must be found too; git's own pattern matching skips them.
  const parts = listed.toString('latin1').split('\0').slice(0, -1)
  const names = parts.filter((_, index) => index % 2 === 1)
  const keys = new Set(names.filter((key) => namedProgram.test(key)))
  if (keys.size > mostPrograms) {
    throw new Invalid(`This repository configures more than ${mostPrograms} filters and other programs`, 'git_failed')
  }
  const whole = [...keys].map(utf8)
  // `-c` cannot express these names, so they cannot be overridden.
  if (whole.some((key) => key.includes('=') || key.includes('\ufffd'))) {
    throw new Invalid('This repository configures a filter that the service cannot turn off', 'git_failed')
  }
  const filters = whole.flatMap((key) => /^filter\.(.*)\.(?:clean|smudge|process)$/s.exec(key)?.[1] ?? [])
  return {
    settings: whole.map(inert),
    filters: new Set(filters),
    origins: new Set([...new Set(parts.filter((_, index) => index % 2 === 0))].map(utf8)),
    includesOthers: names.some((key) => /^include(?:if)?\./.test(key))
  }
}

/** Returns the text of bytes that were read as Latin-1. */
const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString()

function inert (key: string): string {
  if (key.endsWith('.required')) return `${key}=false`
  if (key.startsWith('hook.')) return `${key.replace(/command$/, 'enabled')}=false`
  return key.startsWith('merge.') ? `${key}=false` : `${key}=` // an empty merge program would count as success, so it is `false`
}

function isOneOf (list: readonly string[], command: string): boolean {
  return list.includes(command)
}
