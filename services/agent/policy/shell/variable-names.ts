import { withoutNumbers } from './numbers.js'

/** Variables to which the shell itself gives values, whatever the line assigns. */
export const setByShell: ReadonlySet<string> = new Set(['_', 'PWD', 'OLDPWD', 'DIRSTACK', 'REPLY', 'MAPFILE', 'COPROC', 'OPTARG', 'OPTIND', 'FUNCNAME', 'PIPESTATUS', 'GROUPS', 'LINENO', 'RANDOM',
  'SRANDOM', 'SECONDS', 'EPOCHSECONDS', 'EPOCHREALTIME', 'HISTCMD', 'BASHPID', 'BASH_COMMAND', 'BASH_REMATCH', 'BASH_SUBSHELL', 'BASH_LINENO', 'BASH_SOURCE', 'BASH_ARGC', 'BASH_ARGV'])
/** Those of them that hold names of files, or text that a pattern has found. */
export const heldForOthers: ReadonlySet<string> = new Set(['_', 'PWD', 'OLDPWD', 'DIRSTACK', 'BASH_REMATCH'])
/** The shell's arguments, one of them or all. */
export const isArgument = (name: string): boolean => /^(?:\d+|[@*])$/.test(name)

/** What has to be known about a shell's variables to decide whether a name comes from outside the line. */
export interface Names {
  isForeign (name: string): boolean
}

/** Where builtins that set, unset or look for variables take a name, and which of their options take something else. */
const places: ReadonlyMap<string, { values?: RegExp, named?: RegExp }> = new Map<string, { values?: RegExp, named?: RegExp }>([
  ...['unset', 'declare', 'typeset', 'local', 'export', 'readonly'].map((name): [string, object] => [name, {}]),
  ['read', { values: /^-[a-zA-Z]*[dinNptu]$/ }],
  ...['mapfile', 'readarray'].map((name): [string, object] => [name, { values: /^-[a-zA-Z]*[dnOsuCc]$/ }]),
  ...['test', '['].map((name): [string, object] => [name, { named: /^-[vR]$/ }]),
  ['printf', { named: /^-v$/ }],
  ['wait', { named: /^-[a-z]*p$/ }]
])

/**
 * Returns the texts, as written, that a call uses as names of variables. They may also be elements (`a[i]`), whose subscript bash evaluates
 * as arithmetic.
 */
export function variableTexts (words: readonly string[]): string[] {
  const at = words.findIndex((word, index) => !/^(?:command|builtin)$/.test(word) && !(index > 0 && word.startsWith('-')))
  const [program = '', ...args] = words.slice(Math.max(0, at))
  const place = places.get(program)
  if (place === undefined) return []
  const { named, values } = place
  if (named !== undefined) return args.filter((arg, index) => named.test(args[index - 1] ?? '') || /^"?-[vp]["$]/.test(arg))
  return args.filter((arg, index) => !arg.startsWith('-') && values?.test(args[index - 1] ?? '') !== true).map((arg) =>
    arg.split('=', 1)[0] ?? '')
}

/** Returns whether such a text, or its subscript, may come from outside the line. */
export function isOthersName (text: string, names: Names): boolean {
  const rest = withoutNumbers(text).replaceAll(/\$\(\([^()]*\)\)/g, '0')
  if (/\$\(|`/.test(rest)) return true
  if (/\$\{?[@*]/.test(rest) && names.isForeign('@')) return true
  const put = [...rest.matchAll(/\$\{?!?(\w+)/g)].map(([, name = '']) => name)
  const calculated = [...rest.matchAll(/\[([^\]]*)/g)].flatMap(([, index = '']) =>
    [...index.matchAll(/(?<![\w$])[A-Za-z_]\w*/g)].map(([name]) => name))
  return [...put, ...calculated].some((name) => names.isForeign(name))
}
