import { parseArgs } from 'node:util'
import { commandLine } from '../services/ground/command-line.js'
import { shellLine } from '../services/ground/text/shell-line.js'
import { similar } from '../services/ground/home/similar.js'
import { optionProblems } from '../services/ground/command-line-problem.js'
import { commands, commonOptions } from './catalogue.js'
import { WrongUsage, type CommandLine, type CommandSpec, type OptionSpec } from './command.js'

/** What a command line asks for. */
export type ParsedLine =
  | { kind: 'version' }
  /** `group`: the first word of several commands. Without `command` and `group`, the help is that of the program. */
  | { kind: 'help', command?: CommandSpec, group?: string }
  | { kind: 'run', command: CommandSpec, asked: CommandLine, home: string | undefined }
  /** The command reads what follows its name itself. */
  | { kind: 'pass-on', command: CommandSpec, rest: readonly string[] }

const isHelp = (word: string | undefined): boolean => word === '--help' || word === '-h' || word === 'help'

/** Reads a command line, without the program itself. Throws WrongUsage. */
export function readCommandLine (words: readonly string[]): ParsedLine {
  const [first, second] = words
  if (first === undefined) return { kind: 'run', ...parsed(commandNamed('start'), []) }
  if (first === '--version' || first === '-v' || first === 'version') return { kind: 'version' }
  if (isHelp(first)) return words.length === 1 ? { kind: 'help' } : readCommandLine([...words.slice(1), '--help'])
  // `agent-web-service --port 9000` is short for `start --port 9000`.
  if (first.startsWith('-')) return withoutCommand(words)
  const names = commands.map(({ name }) => name)
  const two = `${first} ${second ?? ''}`
  const pair = commands.find(({ name }) => name === two)
  if (pair !== undefined) return whole(pair, words.slice(2))
  const group = names.filter((name) => name.startsWith(`${first} `))
  const meantPair = second?.startsWith('-') === true ? undefined : similar(two, group)
  const single = commands.find(({ name }) => name === first)
  if (single !== undefined && meantPair === undefined) return whole(single, words.slice(1))
  if (group.length > 0 && isHelp(second)) return { kind: 'help', group: first }
  if (group.length > 0 && meantPair === undefined) {
    const problem = second === undefined ? `"${first}" is incomplete` : `There is no command "${two}"`
    throw new WrongUsage(`${problem}. Choose one of: ${group.join(', ')}`, first)
  }
  const swapped = `${second ?? ''} ${first}`
  const meant = meantPair ?? similar(two, names) ?? similar(swapped, names) ?? similar(first, names.map((name) => name.split(' ')[0] ?? name))
  const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`
  throw new WrongUsage(`There is no command "${meantPair === undefined ? first : two}".${hint} ${commandLine('--help')} lists the commands`)
}

/** Reads the options of `start`. Throws WrongUsage; if options were written before a command, with the line that was meant. */
function withoutCommand (words: readonly string[]): ParsedLine {
  try {
    return whole(commandNamed('start'), words)
  } catch (error) {
    const meant = words.map((_, at) => [...words.slice(at), ...words.slice(0, at)]).find(isCommandLine)
    throw meant === undefined ? error : new WrongUsage(`Write options after the command: ${commandLine(shellLine(meant))}`)
  }
}

function isCommandLine (words: readonly string[]): boolean {
  if (!commands.some(({ name }) => name.split(' ')[0] === words[0])) return false
  try {
    return ['run', 'pass-on'].includes(readCommandLine(words).kind)
  } catch {
    return false
  }
}

function commandNamed (name: string): CommandSpec {
  const found = commands.find((command) => command.name === name)
  if (found === undefined) throw new WrongUsage(`There is no command "${name}"`)
  return found
}

function whole (command: CommandSpec, rest: readonly string[]): ParsedLine {
  if (command.passesOn === true) return { kind: 'pass-on', command, rest }
  const read = parsed(command, rest)
  return read.asked.options['help'] === true ? { kind: 'help', command } : { kind: 'run', ...read }
}

/** Returns the options of a command, including those that all commands have. */
export function optionsOf (command: CommandSpec): Readonly<Record<string, OptionSpec>> {
  const left = command.passesOn === true ? ['home', 'json'] : command.noJson === true ? ['json'] : []
  return { ...command.options, ...Object.fromEntries(Object.entries(commonOptions).filter(([name]) => !left.includes(name))) }
}

function parsed (command: CommandSpec, rest: readonly string[]): { command: CommandSpec, asked: CommandLine, home: string | undefined } {
  const known = optionsOf(command)
  const options = Object.fromEntries(Object.entries(known).map(([name, { value }]) =>
    [name, { type: value === undefined ? 'boolean' as const : 'string' as const }]))
  const refuse = (message: string): never => { throw new WrongUsage(message, command.name) }
  // Checked first, so that help is shown whatever is wrong with the rest.
  if (rest.some((word) => word === '--help' || word === '-h')) {
    return { command, asked: { options: { help: true }, operands: [], isJson: false }, home: undefined }
  }
  const problems = optionProblems(rest, known)
  if (problems.length > 0) refuse(problems.join('\n'))
  const { positionals, values } = parseArgs({ args: [...rest], options, allowPositionals: true })
  const most = command.mostOperands ?? 0
  if (positionals.length > most) refuse(`${command.name}: unexpected argument "${positionals[most] ?? ''}"`)
  const given = Object.fromEntries(Object.entries(values).flatMap(([name, value]) =>
    value === true || typeof value === 'string' ? [[name, value]] : []))
  const { json, home, ...others } = given
  return { command, asked: { options: others, operands: positionals, isJson: json === true }, home: typeof home === 'string' ? home : undefined }
}
