import { afterOptions, hasOption, operandsOf } from '../tables/options.js'
import { gitCommandAt } from '../tables/git-command.js'
import * as programs from '../tables/programs.js'
import { scriptRuns } from '../shell/script-text.js'
import { optionsOf } from '../tables/known.js'
import { readOptions, strangeWords } from '../tables/option-words.js'
import { tellingAt } from '../tables/subcommands.js'
import { interpreters, shells } from '../tables/wrappers.js'

/**
 * Decides which words of a call may name something that the call changes. This table works the other way round from the others: a program
 * is in it because it is known only to read, or only to take text. For any other program, every word counts.
 */

/** Programs besides the readers in programs.ts that only look, or whose arguments are not files that they open. */
const lookers: ReadonlySet<string> = new Set(['vdir', 'pwd', 'lsof', 'getfacl', 'getfattr', 'lsattr', 'namei', 'mountpoint', 'findmnt', 'zipinfo', 'ffprobe', 'sha384sum', 'sha224sum', 'eza', 'exa', 'lsd', 'typeset', 'readonly', 'popd', 'dirs',
  'shopt', 'umask', 'ulimit', 'jobs', 'mapfile', 'readarray', 'getopts', 'hash', 'compgen', 'printenv', 'notify-send', 'logger', 'groups', 'nproc', 'uptime', 'clear', 'history'])

const gitLooks = /^(?:status|log|diff|show|blame|annotate|shortlog|describe|cat-file|grep|rev-parse|rev-list|ls-files|ls-tree|ls-remote|name-rev|diff-tree|diff-index|diff-files|merge-base|for-each-ref|show-ref|whatchanged|count-objects|check-ignore|check-attr|var|version|help)$/
const gitWrites = /^--?(?:o|O|output(?:-directory)?|outp?u?t?|ext-diff|open-files-in-pager)(?:=|$)|^-O/

/** Options whose value is only read, or is only text, whatever the program. */
const harmlessOption = /^--(?:env-file|reference|exclude|exclude-from|ignore|ignore-path)(?:=|$)/

/** Options whose value is text that the program keeps or sends. */
const textOptions: ReadonlyMap<string, RegExp> = new Map([
  ['git', /^(?:-[a-zA-Z]*m|--message(?:=.*)?|--grep(?:=.*)?|--author(?:=.*)?)$/s],
  ['gh', /^(?:-[btn]|--(?:body|title|notes)(?:=.*)?)$/s],
  ['glab', /^(?:-[dtm]|--(?:description|title|message)(?:=.*)?)$/s],
  [
    'curl',
    /^(?:-[dFTHbEuAeX]|--(?:data[a-z-]*|form[a-z-]*|upload-file|header|cert|key|cacert|cookie|user|user-agent|referer|url)(?:=.*)?|--json(?:=.*)?)$/s
  ],
  ['wget', /^(?:-i|--(?:post-file|body-file|input-file|load-cookies|header|post-data)(?:=.*)?)$/s]
])

/** Returns the arguments without the options that match and without their values, attached or in the next word. */
function without (args: readonly string[], option: RegExp): string[] {
  return args.filter((arg, index) => !option.test(arg) && !(option.test(args[index - 1] ?? '') && !(args[index - 1] ?? '').includes('=')))
}

const options = (args: readonly string[]): string[] => args.filter((arg) => arg.startsWith('-'))

/** Returns only the options of `tar` that write something besides the archive: it names what it reads, and its folder, in many ways. */
function ofTar (args: readonly string[]): string[] {
  return args.filter((arg, index) => /^--(?!exclude|directory|file|files-from|absolute)[a-z-]+=/.test(arg) ||
    [arg, args[index - 1] ?? ''].some((word) => /^(?:--(?:listed|index-file|volno|one-top)|-[a-zA-Z]*g)/.test(word)))
}

/** The destination is in the table of own/files.ts, and the source is only read. A hard link is the file itself, so every word counts. */
const copied = (args: readonly string[]): readonly string[] => hasOption(args, 'l', '--link') ? args : options(args)

type Words = (args: readonly string[]) => readonly string[]
/** Programs that are known to only read certain operands, or whose changes to them are in own/files.ts. */
const judged: ReadonlyMap<string, Words> = new Map<string, Words>([
  ...[
    'rm', 'rmdir', 'unlink', 'shred', 'trash', 'trash-put', 'wipe', 'srm', 'mv', 'rename', 'prename', 'mmv', 'chmod', 'chown', 'chgrp',
    'chattr', 'setfacl', 'chcon', 'rsync', 'scp', 'install', 'ditto', 'zip', 'sort', 'shuf', 'uniq', 'xxd', 'find', 'iconv'
  ]
    .map((name): [string, Words] => [name, options]),
  ['cp', copied],
  ['ln', (args) => hasOption(args, 's', '--symbolic') ? options(args) : args],
  ['tar', ofTar],
  ...['unzip', '7z'].map((name): [string, Words] => [name, (args) => args.filter((arg) => arg.startsWith('--'))]),
  ...['gzip', 'bzip2', 'xz', 'zstd'].map((name): [string, Words] =>
    [name, (args) => hasOption(args, 'ctl', '--stdout', '--to-stdout', '--test', '--list') ? options(args) : args]),
  ['dd', (args) => args.filter((arg) => !arg.startsWith('if='))],
  ['sqlite3', (args) => args.some((arg) => /^--?readonly$/.test(arg)) ? operandsOf(args, {}).slice(1) : args],
  ['ssh', (args) => args.slice(0, afterOptions(args, { short: 'BbcDEeFIiJLlmOopQRSWw' }))]
])

function ofGit (args: readonly string[]): readonly string[] | null {
  const at = gitCommandAt(args)
  if (gitLooks.test(args[at] ?? '') && !args.some((arg) => gitWrites.test(arg)) && runsItself('git', args, at)) return null
  return args
}

/** Returns whether a call runs no program but its own. */
function runsItself (program: string, args: readonly string[], at: number): boolean {
  const [strange = ''] = [...strangeWords(program === 'git' ? optionsOf(program, undefined) ?? [] : [], args.slice(0, at)),
    ...readOptions(program, program === 'git' ? args[at] : undefined, program === 'git' ? args.slice(at + 1) : args).strange]
  return tellingAt(program, args, at) === -1 && !strange.startsWith('-')
}

/** Returns the words of a call that count if they name files of the service; null if the program changes nothing. */
export function wordsThatCount (program: string, args: readonly string[]): readonly string[] | null {
  if ((programs.wordsOnly.has(program) && program !== 'ssh') || lookers.has(program)) return null
  if (shells.has(program)) return null // their command text is judged separately, and a script file is only read
  if (programs.onlyReads(program, args) && runsItself(program, args, 0) && !scriptRuns(program, args)) return null
  const words = program === 'git' ? ofGit(args) : judged.get(program)?.(args) ?? args
  if (words === null) return null
  const text = textOptions.get(program)
  const told = without(text === undefined ? words : without(words, text), harmlessOption)
  // An interpreter only reads the file of the program that it runs.
  return interpreters.has(program) && told[0] === args[0] && !(args[0] ?? '-').startsWith('-') && !scriptRuns(program, args) &&
    !['awk', 'gawk', 'mawk'].includes(program)
    ? told.slice(1)
    : told
}

/** Returns whether a program may change files in the folder that it works in. */
export const worksInFolder = (program: string): boolean => !judged.has(program)

/** Returns whether a program runs its input, whose text then counts like its arguments. */
export const runsInput = (program: string): boolean => (interpreters.has(program) && !['awk', 'gawk', 'mawk'].includes(program)) ||
  /^(?:sqlite3|duckdb|psql|mysql|ed|ex|vi|vim|gdb|m4|expect|bc|lftp|sftp|ftp|fish|make)$/.test(program)

/** Options that name an output. */
const output = /^(?:-o|-O|-out|--?out(?:put)?[a-z-]*|--dest[a-z-]*|--target[a-z-]*|-C|--directory|--prefix|--to)$/
const glued = /^(?:-[oOC](?=[/~.])|--?(?:out|dest|target|directory|prefix|to)[a-z-]*=)/

/** Returns whether a word is in a position where programs take the name of a file that they write. */
export function isOutput (program: string, words: readonly string[], index: number): boolean {
  const word = words[index] ?? ''
  if (output.test(words[index - 1] ?? '') || glued.test(word)) return true
  return /^(?:ffmpeg|convert|magick|gs|sox)$/.test(program) && index === words.length - 1 && words[index - 1] !== '-i' &&
    words.filter((each) => !each.startsWith('-')).length > 1
}
