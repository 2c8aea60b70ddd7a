import { afterOptions, pairsOf } from './options.js'
import { globalsOf, harmlessByNature, optionsOf, runsProject, sameByAnyOption } from './known.js'
import { openEnded, sessionOnly } from './programs.js'
import { isOption, type KnownOptions, mayBeOtherOption, strangeAt, takenBy } from './spelling.js'
import { runners, packageRunners, shells, wrappers } from './wrappers.js'

/** What the options of a call mean for its keys. */
export interface OptionReading {
  /** The first word that is not known to be harmless, with some of the words after it; empty if there is none. */
  strange: readonly string[]
  /** The names of the options of an unknown program, which become part of the key. */
  named: readonly string[]
}

/** With more named options, all of them count as strange. */
const mostNamed = 8
const mostShown = 8
const nothing: OptionReading = { strange: [], named: [] }

/** Commands that pass the words after `--` to another program. */
const passing = /^(?:npm|pnpm|yarn|bun|deno|uv|cargo|kubectl exec|docker compose (?:exec|run))/
/** Commands that pass the words after the name of the script to the script. */
const scripts = /^(?:pnpm|yarn|bun|deno) (?:run|test|start|task)$/
/** Commands whose first operand is followed by another program's words. */
const leading = /^(?:docker|podman) (?:run|create|exec)$/

/** Reads the options after a program, or after its subcommand. */
export function readOptions (program: string, subcommand: string | undefined, words: readonly string[]): OptionReading {
  const command = subcommand === undefined ? program : `${program} ${subcommand}`
  const known = optionsOf(program, subcommand)
  if (packageRunners.has(program) && subcommand !== undefined) return nothing
  if (known !== undefined) {
    return { strange: strangeWords(known, ownWords(program, command, words, known), passing.test(command)), named: [] }
  }
  const globals = globalsOf(program)
  // Words after the name of a script belong to the script.
  const harmful = /^(?:pnpm|yarn|bun|bunx)$/.test(program) ? -1 : words.findIndex((word) => globals?.isHarmful(word) === true)
  if (harmful !== -1) return { strange: words.slice(harmful, harmful + mostShown), named: [] }
  if (isOfProject(program, command) || sameByAnyOption.has(program)) return nothing
  if ([harmlessByNature, openEnded, sessionOnly].some((names) => names.has(program)) || openEnded.has(command)) {
    const open = words.findIndex(mayBeOtherOption)
    return open === -1 ? nothing : { strange: words.slice(open, open + mostShown), named: [] }
  }
  const named = [
    ...new Set(words.filter((word) => isOption(word) && takenBy(globals === undefined ? [] : [globals], word) === undefined).map(nameOf))
  ]
  return named.length > mostNamed ? { strange: named, named: [] } : { strange: [], named }
}

/** Returns the first word that is not known to be harmless, with some of the words after it. */
export function strangeWords (known: readonly KnownOptions[], words: readonly string[], passesOn = false): readonly string[] {
  const at = strangeAt(known, words, passesOn)
  return at === -1 ? [] : words.slice(at, at + mostShown)
}

/** Returns whether a program runs what the project, or another word, tells it to: a grant for it covers all of its options. */
function isOfProject (program: string, command: string): boolean {
  return program.includes('/') || [runsProject, shells, wrappers, packageRunners].some((names) => names.has(program)) ||
    /^(?:pnpm|yarn|bun|bunx) /.test(command)
}

/** Returns the options, with their values, that tell a program where, or as which user, to act. */
export function placesOf (program: string, args: readonly string[]): Array<{ name: string, value: string }> {
  const globals = globalsOf(program)
  return globals === undefined || globals.placing.length === 0
    ? []
    : pairsOf(args, globals).filter(({ name }) => globals.placing.includes(name))
}

/** Returns an option's name: `--name` for `--name=value`, `-j` for `-j4`. */
function nameOf (word: string): string {
  return word.startsWith('--') ? word.split('=', 1)[0] ?? '' : /^-[A-Za-z](?=\d+$)/.exec(word)?.[0] ?? word.split('=', 1)[0] ?? ''
}

/** Returns whether no option makes this command of git do more than its name says. */
export const takesAnyWord = (command: string): boolean =>
  /^git (?:add|mv|status|ls-files|ls-tree|check-ignore|hash-object|blame|rev-parse|merge-base|commit)$/.test(command)

/** Returns whether arguments that are not visible may be options that do harm. */
export function mindsMore (program: string, subcommand: string | undefined): boolean {
  return optionsOf(program, subcommand) !== undefined && !takesAnyWord(`${program} ${subcommand ?? ''}`) && !packageRunners.has(program) &&
    !runners.has(`${program} ${subcommand ?? ''}`)
}

/** Returns the words of a call that belong to it, and not to another program that it starts. */
function ownWords (program: string, command: string, words: readonly string[], known: readonly KnownOptions[]): readonly string[] {
  if (/^(?:gtar|bsdtar|tar)$/.test(program) && /^[a-zA-Z]+$/.test(words[0] ?? '')) {
    return [...oldLetters(words[0] ?? '', known), ...words.slice(1)]
  }
  if (program === 'find') return withoutStarted(words)
  if (runners.has(command)) return words.slice(0, afterOptions(words, optionsIn(known)) + (runners.get(command) ?? 0))
  if (leading.test(command)) return words.slice(0, afterOptions(words, optionsIn(known)))
  if (scripts.test(command)) return / run$| task$/.test(command) ? words.slice(0, afterOptions(words, {})) : []
  if (program === 'ssh') return ofSsh(words, known)
  if (/ compose$/.test(command) && /^(?:exec|run)$/.test(words[0] ?? '')) {
    return words.slice(0, 1 + afterOptions(words.slice(1), optionsIn(known)))
  }
  return command === 'git bisect' && words[0] === 'run' ? [] : words
}

const optionsIn = (known: readonly KnownOptions[]) => known[0] instanceof RegExp ? {} : known[0] ?? {}

/** Returns ssh's options before the host, those after it, and the first word of the command, which may turn out to be an option. */
function ofSsh (words: readonly string[], known: readonly KnownOptions[]): readonly string[] {
  const host = afterOptions(words, optionsIn(known))
  const behind = words.slice(host + 1)
  return [...words.slice(0, host), ...behind.slice(0, afterOptions(behind, optionsIn(known)) + 1)]
}

/** Returns, as options, the unknown ones among letters without a dash (`tar xzf`). */
const oldLetters = (letters: string, known: readonly KnownOptions[]): string[] =>
  [...letters].map((letter) => `-${letter}`).filter((option) => takenBy(known, option) === undefined)

/** Returns the words of a `find` without the commands that it starts. */
function withoutStarted (words: readonly string[]): string[] {
  const own: string[] = []
  for (let at = 0; at < words.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at] ?? '')) own.push(words[at] ?? '')
    else while (++at < words.length && words[at] !== ';' && !(words[at] === '+' && words[at - 1] === '{}'));
  }
  return own
}
