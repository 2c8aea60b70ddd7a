import { afterOptions, pairsOf } from './options.js'
import { globalsOf, harmlessByNature, optionsOf, runsProject, sameByAnyOption } from './known.js'
import { openEnded, sessionOnly } from './programs.js'
import { isOption, type Known, mayBeOtherOption, strangeAt, takenBy } from './spelling.js'
import { runners, packageRunners, shells, wrappers } from './wrappers.js'

/** What the options of a call come to. */
export interface OptionReading {
  /** The first word that is not known to be harmless, with some of those behind it; empty when there is none. */
  strange: readonly string[]
  /** The names of the options of a program that nothing is known of. */
  named: readonly string[]
}

/** More of them are not told apart. */
const mostNamed = 8
const mostShown = 8
const nothing: OptionReading = { strange: [], named: [] }

/** They give what stands behind `--` to another program. */
const passing = /^(?:npm|pnpm|yarn|bun|deno|uv|cargo|kubectl exec|docker compose (?:exec|run))/
/** What stands behind the name of the script is the script's. */
const scripts = /^(?:pnpm|yarn|bun|deno) (?:run|test|start|task)$/
/** Their first operand is followed by another program's words. */
const leading = /^(?:docker|podman) (?:run|create|exec)$/

/** Reads the options behind a program, or behind its subcommand. */
export function readOptions (program: string, subcommand: string | undefined, words: readonly string[]): OptionReading {
  const command = subcommand === undefined ? program : `${program} ${subcommand}`
  const known = optionsOf(program, subcommand)
  if (packageRunners.has(program) && subcommand !== undefined) return nothing
  if (known !== undefined) {
    return { strange: strangeWords(known, ownWords(program, command, words, known), passing.test(command)), named: [] }
  }
  const globals = globalsOf(program)
  // What stands behind the name of a script is the script's.
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

/** The first of the words that is not known to be harmless, with some of those behind it. */
export function strangeWords (known: readonly Known[], words: readonly string[], passesOn = false): readonly string[] {
  const at = strangeAt(known, words, passesOn)
  return at === -1 ? [] : words.slice(at, at + mostShown)
}

/** True for programs that run what the project, or another word, says: a grant of one covers whatever options it is given. */
function isOfProject (program: string, command: string): boolean {
  return program.includes('/') || [runsProject, shells, wrappers, packageRunners].some((names) => names.has(program)) ||
    /^(?:pnpm|yarn|bun|bunx) /.test(command)
}

/** As whom or where a program is told to act, with the option that says so. */
export function placesOf (program: string, args: readonly string[]): Array<{ name: string, value: string }> {
  const globals = globalsOf(program)
  return globals === undefined || globals.placing.length === 0
    ? []
    : pairsOf(args, globals).filter(({ name }) => globals.placing.includes(name))
}

/** `--name=value` is `--name`, `-j4` is `-j`. */
function nameOf (word: string): string {
  return word.startsWith('--') ? word.split('=', 1)[0] ?? '' : /^-[A-Za-z](?=\d+$)/.exec(word)?.[0] ?? word.split('=', 1)[0] ?? ''
}

/** True for commands of git that none of its options makes do more than it says. */
export const takesAnyWord = (command: string): boolean =>
  /^git (?:add|mv|status|ls-files|ls-tree|check-ignore|hash-object|blame|rev-parse|merge-base|commit)$/.test(command)

/** True when more words than can be seen may be options that do harm. */
export function mindsMore (program: string, subcommand: string | undefined): boolean {
  return optionsOf(program, subcommand) !== undefined && !takesAnyWord(`${program} ${subcommand ?? ''}`) && !packageRunners.has(program) &&
    !runners.has(`${program} ${subcommand ?? ''}`)
}

/** The words of a call that are its own, and not those of another program that it starts. */
function ownWords (program: string, command: string, words: readonly string[], known: readonly Known[]): readonly string[] {
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

const optionsIn = (known: readonly Known[]) => known[0] instanceof RegExp ? {} : known[0] ?? {}

/** Options stand before the host, and behind it up to the command, whose name is one more word that may turn out to be an option. */
function ofSsh (words: readonly string[], known: readonly Known[]): readonly string[] {
  const host = afterOptions(words, optionsIn(known))
  const behind = words.slice(host + 1)
  return [...words.slice(0, host), ...behind.slice(0, afterOptions(behind, optionsIn(known)) + 1)]
}

/** Of letters without a dash (`tar xzf`) those that are not known, as options. */
const oldLetters = (letters: string, known: readonly Known[]): string[] =>
  [...letters].map((letter) => `-${letter}`).filter((option) => takenBy(known, option) === undefined)

/** The words of a `find` without the commands that it starts. */
function withoutStarted (words: readonly string[]): string[] {
  const own: string[] = []
  for (let at = 0; at < words.length; at++) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(words[at] ?? '')) own.push(words[at] ?? '')
    else while (++at < words.length && words[at] !== ';' && !(words[at] === '+' && words[at - 1] === '{}'));
  }
  return own
}
