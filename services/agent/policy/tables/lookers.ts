import { onlyReads } from './programs.js'
import { isKnown } from '../shell/words.js'
import { scriptRuns } from '../shell/script-text.js'

/**
 * Commands that change nothing, for plan mode. Every other command is refused, however harmless: this table allows what is known, and never
 * lists what to refuse.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/))

/** Programs that only read, whatever their arguments, even arguments that are known only when they run. */
const always = words(`cat tac nl ls dir head tail grep egrep fgrep wc stat diff cmp comm du df cut paste od hexdump strings readlink realpath md5sum sha1sum
  sha224sum sha256sum sha384sum sha512sum cksum sum b2sum basename dirname which type pwd echo printf true false : test [ [[ seq sleep
  uname whoami id expr tr rev fold fmt expand unexpand column join tsort groups users uptime free lscpu lsblk arch printenv jq cd pushd popd dirs
  zcat bzcat xzcat tokei nproc getconf cal factor numfmt set shopt local declare typeset readonly return exit break continue shift wait let unset
  read mapfile readarray getopts export ps pgrep nm size`)

/** Programs that only read unless an argument matches. */
const unless: ReadonlyMap<string, RegExp> = new Map([
  ['sort', /^(?:-[a-zA-Z\d.,]*o|--(?:o|co)|[*?[])/],
  ['shuf', /^(?:-[a-zA-Z]*o|--o|[*?[])/],
  ['iconv', /^(?:-[a-zA-Z]*o|--o|[*?[])/],
  ['base64', /^(?:-[a-zA-Z]*o|--o)/],
  ['base32', /^(?:-[a-zA-Z]*o|--o)/],
  ['uniq', /^[*?[]/],
  ['tree', /^(?:-[a-zA-Z]*[oR]|--o|[*?[])/],
  ['rg', /^(?:--(?:pre(?!-glob)|hos|sea)|-[a-zA-Z]*z)/],
  ['file', /^(?:-[a-zA-Z]*[Cz]|--(?:com|unc)|[*?[])/],
  // The command of `-exec` is judged separately.
  ['find', /^-(?:delete|fprint|fprintf|fls|fprint0|ok|okdir)$/],
  ['fd', /^(?:-[a-zA-Z]*[xX]|--exe)/],
  ['xxd', /^(?:-[a-zA-Z]*r|[*?[])/],
  ['yq', /^(?:-[a-zA-Z]*[is]|--(?:inp|spl)|[*?[])/],
  ['hostname', /(?:)/]
])

/** Harmless options of sed and awk: any other may name a file to write, or a program to run. */
const optionsOf: ReadonlyMap<string, RegExp> = new Map([
  ['sed', /^(?:-|-[nErsuz]*(?:e.*|l\d+)?|--(?:quiet|silent|debug|expression(?:=.*)?|posix|regexp-extended|separate|null-data|unbuffered|sandbox))$/s],
  ...['awk', 'gawk', 'mawk'].map((name): [string, RegExp] =>
    [name, /^(?:-|-[Fv].*|--(?:field-separator|assign)(?:=.*)?|--(?:posix|csv|sandbox))$/s])
])

/**
 * Programs whose `--version` does nothing but print the version. `yarn`, `pnpm`, `cargo` and `rustc` are not here: the program that answers
 * may belong to the project, or be downloaded.
 */
const tellsVersion = words('node npm npx bun deno python pip uv java javac gcc g++ clang make cmake git ruby php perl tsc docker')

/** Programs that start another program and do nothing else. */
const plainWrappers = words('env nice timeout stdbuf command builtin xargs time')

/** Returns whether a wrapper does nothing but start its command, which is judged separately. */
export function onlyWraps (program: string, args: readonly string[]): boolean {
  return plainWrappers.has(program) && !(program === 'time' && args.slice(args[0] === '-p' ? 1 : 0)[0]?.startsWith('-') === true)
}

/**
 * Returns whether a call is known to change nothing: no file, no repository, no other machine. Commands that it runs are judged separately.
 *
 * @param unseen whether there are more arguments than are visible
 */
export function onlyLooksAt (program: string, args: readonly string[], unseen: boolean): boolean {
  if (always.has(program)) return true
  const isSeen = !unseen && args.every(isKnown)
  const [only = '', ...others] = args
  if (only === '--version' && others.length === 0 && tellsVersion.has(program)) return true
  if (program === 'env') return isSeen && args.every((arg) => /^\w+=/.test(arg) || /^-[i0]$/.test(arg))
  if (program === 'command') return isSeen && /^-[vV]$/.test(only)
  if (program === 'date') return isSeen && args.every((arg, index) => isDateWord(arg, args[index - 1] ?? ''))
  if (program === 'git') return isSeen && gitLooks(args)
  if (!isSeen) return false
  const options = optionsOf.get(program)
  if (options !== undefined) {
    return args.every((arg) => !arg.startsWith('-') || options.test(arg)) && onlyReads(program, args) && !scriptRuns(program, args)
  }
  const forbidden = unless.get(program)
  if (forbidden === undefined || args.some((arg) => forbidden.test(arg))) return false
  return program === 'hostname' || program === 'find' || (onlyReads(program, args) && !scriptRuns(program, args))
}

const isDateWord = (arg: string, before: string): boolean =>
  /^(?:\+|-[uR]+$|-[uR]*[Idr]|--(?:dat|iso|rfc|utc|uni|ref))/.test(arg) || /^(?:-[uR]*[dr]|--date|--reference)$/.test(before)

/** Options of git that may precede the subcommand. */
const gitGlobals = /^(?:-C|-P|--no-pager|--no-optional-locks|--literal-pathspecs|--no-replace-objects)$/

/** Subcommands that only look, whatever their arguments, except for options that write a file or run a program. */
const gitLookers = words(`status log diff show blame annotate grep ls-files ls-tree cat-file rev-parse rev-list describe shortlog name-rev merge-base
  for-each-ref show-ref show-branch count-objects check-ignore check-attr check-mailmap diff-tree diff-files diff-index whatchanged cherry range-diff
  var version`)
/** Options that write or run something: any abbreviation of `--output=`, an external diff, a pager. */
const gitWrites = /^(?:--out|--ou(?:=|$)|--ext|--open)/

const selectors = 'points-at|contains|no-contains|merged|no-merged'
/** Options of `branch` and `tag` that list them. */
const listing = new RegExp('^(?:-[arvlqi]+|-n\\d*|--(?:all|remotes|list|verbose|quiet|show-current|ignore-case|no-column|no-color|no-abbrev)|' +
  `--(?:sort|format|color|column|abbrev|${selectors})=.*|--(?:color|column|abbrev|${selectors}))$`)
/** Options with which a name is a filter, and creates nothing. */
const looksFor = new RegExp(`^(?:-[arv]*l|--list|--(?:${selectors}))$`)

function gitLooks (args: readonly string[]): boolean {
  let at = 0
  while (gitGlobals.test(args[at] ?? '')) at += args[at] === '-C' ? 2 : 1
  const [verb = '', ...rest] = args.slice(at)
  const [first = '', ...more] = rest
  switch (verb) {
    case 'branch':
    case 'tag': return rest.every((arg) => listing.test(arg)) || (rest.some((arg) => looksFor.test(arg)) &&
      rest.every((arg) => listing.test(arg) || !arg.startsWith('-')))
    case 'remote': return rest.every((arg) => /^(?:-v|--verbose)$/.test(arg)) || (first === 'get-url' && more.every((arg) => /^(?:--all|--push|[^-].*)$/.test(arg)))
    case 'stash': return /^(?:list|show)$/.test(first) && !more.some((arg) => gitWrites.test(arg))
    case 'worktree': return first === 'list'
    case 'reflog': return (rest.length === 0 || first === 'show') && !more.some((arg) => gitWrites.test(arg))
    case 'notes': return /^(?:list|show)$/.test(first)
    case 'submodule': return first === 'status'
    case 'config': return isConfigLook(rest)
    default: return gitLookers.has(verb) && !rest.some((arg) => gitWrites.test(arg)) && !(verb === 'grep' && rest.some((arg) => /^-[a-zA-Z\d]*O/.test(arg)))
  }
}

function isConfigLook (args: readonly string[]): boolean {
  const act = args.find((arg) => !/^--(?:global|local|system|worktree|show-origin|show-scope|null|name-only|includes|type=\w+)$|^-z$/.test(arg))
  return act !== undefined && /^(?:-l|--list|--get|--get-all|--get-regexp|--get-urlmatch|get|list)$/.test(act) &&
    !args.some((arg) => /^(?:--(?:add|unset|replace|rename|remove|edit)|-e$)/.test(arg))
}
