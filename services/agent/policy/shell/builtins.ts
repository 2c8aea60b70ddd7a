import { within } from '../../tools/containment.js'
import { isInputDevice } from '../paths.js'
import { steersInText } from '../tables/programs.js'
import { calculates } from './evaluation.js'
import { type Walk } from './walk.js'
import { isKnown, isPattern, list, ownText, unknown } from './words.js'
import { reason } from '../../../../reasons/index.js'

const maxFolders = 16

type Builtin = (shell: Walk, args: readonly string[], depth: number, program: string) => void

/** Builtins of the shell (and `su`) that take commands as text, change what later words mean, or change the folder. */
const builtins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['eval', evaluate],
  ['alias', alias],
  ...['enable', 'hash', 'complete', 'compgen', 'bind', 'fc'].map((name): [string, Builtin] => [name, redefine]),
  ['trap', trap],
  ['source', source],
  ['.', source],
  ['su', switchUser],
  ['set', setOptions],
  ['shift', ({ state }) => { state.setPositional(null, false) }],
  ['shopt', setShell],
  ['jobs', runJob],
  ...['read', 'mapfile', 'readarray', 'getopts', 'wait'].map((name): [string, Builtin] => [name, read]),
  ['printf', print],
  ...['let', 'declare', 'typeset', 'local', 'export', 'readonly', 'unset'].map((name): [string, Builtin] => [name, declare]),
  ['test', test],
  ['[', test],
  ['cd', changeFolder],
  ['pushd', changeFolder]
])

export function runBuiltin (shell: Walk, program: string, args: readonly string[], depth: number): void {
  const builtin = builtins.get(program)
  if (builtin === undefined) return
  if (args.some((arg) => /^[-+]/.test(arg) && isPattern(arg))) {
    shell.findings.cannotRead(reason('files_decide_options', { program }))
  }
  builtin(shell, args, depth, program)
}

function setOptions ({ state, findings, isCertain }: Walk, args: readonly string[]): void {
  if (args[0] === '--') return state.setPositional(args.slice(1), isCertain)
  // The positional parameters begin at the first word that is neither an option nor the value of one.
  if (args.some((arg) => !/^[-+][a-zA-Z]+$/.test(arg)) && !(args.length === 2 && /^[-+][a-zA-Z]*o$/.test(args[0] ?? ''))) {
    state.setPositional(null, false)
  }
  if (args.some((arg, index) => /^-[a-z]*k/.test(arg) || (arg === 'keyword' && /^-[a-z]*o$/.test(args[index - 1] ?? '')))) {
    findings.cannotRead(reason('arguments_as_variables'))
  }
}

/** Options of bash that do not change what a line means. */
const plainShellOption = /^-[supqo]*$|^(?:nullglob|failglob|globstar|extglob|inherit_errexit|lastpipe|checkwinsize|histappend|cmdhist|nocasematch|huponexit|autocd|cdspell|dirspell|interactive_comments)$/

/** Returns whether a value of `bash -o` or `bash -O` does not change what a line means. */
export const isPlainSetting = (name: string): boolean => /^(?:pipefail|errexit|nounset|xtrace|noglob|verbose|noclobber|posix|)$/.test(name) ||
  plainShellOption.test(name)

function setShell ({ findings }: Walk, args: readonly string[]): void {
  if (args.some((arg) => /^-[a-z]*[su]/.test(arg)) && !args.every((arg) => plainShellOption.test(arg))) {
    findings.cannotRead(reason('changes_reading'))
  }
}

function evaluate (shell: Walk, args: readonly string[], depth: number): void {
  shell.findings.cannotRead(reason('runs_text'))
  if (args.every(isKnown)) shell.script(args.join(' '), depth + 1)
}

function alias (shell: Walk, args: readonly string[], depth: number): void {
  if (args.some((arg) => arg.includes('='))) shell.findings.cannotRead(reason('changes_meaning', { program: 'alias' }))
  for (const arg of args) shell.floor(arg.slice(arg.indexOf('=') + 1), depth)
}

function redefine ({ findings }: Walk, args: readonly string[], depth: number, program: string): void {
  if (args.some((arg) => /^-[a-zA-Z]*[fpCFxesW]/.test(arg))) findings.cannotRead(reason('changes_meaning', { program }))
}

/** `jobs -x` runs the words that follow. */
function runJob (shell: Walk, args: readonly string[], depth: number): void {
  const at = args.findIndex((arg) => /^-[a-z]*x/.test(arg))
  if (at === -1) return
  shell.findings.cannotRead(reason('runs_own_words'))
  shell.floor(args.slice(at + 1).join(' '), depth)
}

function trap (shell: Walk, args: readonly string[], depth: number): void {
  const [code] = args[0] === '--' ? args.slice(1) : args
  if (code === undefined || code === '-' || /^-[lp]$/.test(code)) return
  if (!isKnown(code)) return shell.findings.cannotRead(reason('unknown_run'))
  shell.script(code, depth + 1)
  shell.state.traps.add(code)
}

function source (shell: Walk, [file]: readonly string[], depth: number): void {
  if (file !== undefined && isKnown(file) && !isInputDevice(file)) return
  shell.findings.cannotRead(reason('unknown_run'))
  if (shell.state.input.text !== null) shell.script(shell.state.input.text, depth + 1)
}

function switchUser (shell: Walk, args: readonly string[], depth: number): void {
  const { findings, state } = shell
  const at = args.findIndex((arg) => /^-[a-z]*c$|^--command(?:=|$)/.test(arg))
  const text = at === -1 ? undefined : /^--command=(.*)$/s.exec(args[at] ?? '')?.[1] ?? args[at + 1] ?? ''
  if (text !== undefined) {
    if (isKnown(text)) state.elsewhere(true, () => { shell.script(text, depth + 1) })
    else findings.cannotRead(reason('unknown_run'))
  } else if (state.input.piped) {
    findings.cannotRead(reason('runs_input', { program: 'su' }))
    if (state.input.text !== null) shell.script(state.input.text, depth + 1)
  }
}

/** Variables that these builtins set without naming them. */
const unnamed: Record<string, string[]> = { read: ['REPLY'], mapfile: ['MAPFILE'], readarray: ['MAPFILE'], getopts: ['OPTARG'] }

function read (shell: Walk, args: readonly string[], depth: number, program: string): void {
  const fills = program !== 'read' || args.some((arg) => /^-[a-zA-Z]*a/.test(arg))
  for (const arg of [...args, ...unnamed[program] ?? []]) {
    if (!element.test(arg)) continue
    shell.state.assign(nameOf(arg), [unknown])
    if (fills) shell.state.arrays.add(nameOf(arg))
  }
  if (program !== 'read' && args.some((arg) => /^-[a-z]*C/.test(arg))) shell.findings.cannotRead(reason('runs_text_reading'))
  calculates(shell, args)
}

/** `printf -v` sets a variable. */
function print (shell: Walk, args: readonly string[]): void {
  const name = args[0] === '-v' ? args[1] : /^-v(.+)$/.exec(args[0] ?? '')?.[1]
  if (name === undefined) return
  shell.state.assign(nameOf(name), [unknown])
  calculates(shell, [name])
}

/** A variable, or an element of one. */
const element = /^\w+(?:\[.*\])?$/s
const nameOf = (text: string): string => text.split('[', 1)[0] ?? ''
/** A variable that is removed from the environment steers programs like a changed one; without `PATH`, they look in the current folder. */
const takesAway = (program: string, args: readonly string[]): boolean =>
  program === 'unset' || ['local', 'declare', 'typeset'].includes(program) ||
  (program === 'export' && args.some((arg) => /^-[a-z]*n/.test(arg)))

function declare (shell: Walk, args: readonly string[], depth: number, program: string): void {
  if (['declare', 'typeset', 'local'].includes(program) && args.some((arg) => /^-[a-zA-Z]*n/.test(arg))) {
    shell.findings.cannotRead(reason('second_name'))
  }
  if (program === 'unset') shell.state.undefine()
  const declares = (letters: string): boolean =>
    ['declare', 'typeset', 'local'].includes(program) && args.some((arg) => /^-[a-zA-Z]/.test(arg) && [...letters].some((letter) => arg.includes(letter)))
  const changesLetters = declares('luc')
  const isArray = args.some((arg) => /^-[a-zA-Z]*[aA]/.test(arg))
  for (const arg of args) {
    const [, name, value] = /^(\w+)(?:\[[^\]]*\])?\+?=(.*)$/s.exec(arg) ?? []
    if (isArray) shell.state.arrays.add(nameOf(arg.split('=', 1)[0] ?? ''))
    if (program !== 'unset' && program !== 'let' && shell.state.arrays.has(name ?? '')) listed(shell, value ?? '', depth)
    // The option may change the case of letters.
    if (changesLetters) shell.state.assign(nameOf(arg.split('=', 1)[0] ?? ''), [unknown])
    if (name !== undefined) shell.state.assign(name, [value ?? ''])
    else if (takesAway(program, args)) {
      shell.state.set(nameOf(arg), [unknown])
      shell.state.unset(nameOf(arg))
    }
    if (program === 'export') shell.state.give(name === undefined ? shell.state.lookup(arg) : [value ?? ''])
  }
  if (program === 'let' && args.some(steersInText)) shell.findings.cannotRead(reason('sets_steering'))
  if (program === 'let') for (const arg of args) shell.state.calculate(arg)
  if (declares('i')) {
    for (const arg of args) {
      shell.state.integer(nameOf(arg.split(/\+?=/, 1)[0] ?? ''))
      shell.state.calculate(/^\w+\+?=(.*)$/s.exec(arg)?.[1] ?? '')
    }
  }
  if (declares('A') && shell.isCertain) for (const arg of args) shell.state.maps.add(nameOf(arg.split('=', 1)[0] ?? ''))
  calculates(shell, program === 'let' ? args : args.map((arg) => arg.split('=')[0] ?? ''))
}

/** What an array is declared with is read as a list even where it comes from quotes or a variable: `declare -a a="$x"` runs `($(id))`. */
function listed (shell: Walk, value: string, depth: number): void {
  if (value === list || value === ownText || !/^[(\0]/.test(value)) return
  if (isKnown(value) && !/[*?]/.test(value)) shell.script(`list=${value}`, depth + 1)
  else shell.findings.cannotRead(reason('runs_text_reading'))
}

function test (shell: Walk, args: readonly string[]): void {
  calculates(shell, args.filter((_, index) => /^-[vR]$/.test(args[index - 1] ?? '')))
}

/** Keeps later turns of a loop from going deeper into the workspace for ever, where all folders are judged alike. */
function leadsOn (word: string, path: string, turn: number, workspace: string): boolean {
  return turn === 0 || (!within(workspace, path) && (turn === 1 || /^(?:\.\.\/?)+$/.test(word)))
}

function changeFolder ({ findings, state, files, around }: Walk, args: readonly string[]): void {
  const targets = args.filter((arg) => !/^-[LPe@n]+$/.test(arg) && arg !== '--')
  // The targets are all possible values of one word.
  for (const word of targets.length === 0 ? [around.boundaries.userHome] : targets) {
    if (word === '-') continue
    if (!isKnown(word)) {
      findings.add('read:outside')
      return findings.cannotRead(reason('unknown_folder'))
    }
    const found = files.paths(word).filter((path) => leadsOn(word, path, state.turn, around.boundaries.workspace))
    // Relative paths multiply the folders that the shell may be in; an absolute path leads to one place.
    if (state.folders.size >= maxFolders && !/^[/~]/.test(word) && found.some((path) => !state.folders.has(path))) {
      return findings.cannotRead(reason('too_many_folders'))
    }
    for (const path of found) state.folders.add(path)
  }
}
