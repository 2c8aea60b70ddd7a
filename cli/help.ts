import { optionsOf } from './arguments.js'
import { commandLine } from '../services/ground/command-line.js'
import { commands } from './catalogue.js'
import { exitCodes, type CommandSpec, type ExitCode } from './command.js'

const widthChars = 80

/** The usual meanings of the exit codes. */
export const usualExits: Readonly<Record<ExitCode, string>> = {
  [exitCodes.done]: 'success',
  [exitCodes.failed]: 'the command failed, or found a problem',
  [exitCodes.wrongUsage]: 'wrong usage',
  [exitCodes.notRunning]: 'the service is not running'
}

/** Returns the help of the program, or of the commands that begin with a word. */
export function overview (group?: string): string {
  const shown = group === undefined ? commands : commands.filter(({ name }) => name.startsWith(`${group} `))
  return [
    `Usage: ${commandLine(`${group ?? '[<command>]'} …`)}`,
    ...(group === undefined ? ['A self-hosted web service that puts an AI agent behind a browser app and an interface for programs.'] : []),
    `Commands:\n${table(shown.map(({ name, summary }) => [name, summary]))}`,
    ...(group === undefined
      ? [
          `Without a command, the service starts. ${commandLine('<command> --help')} shows the options and examples of a command.`,
          `Options:\n${table([['--version', 'show the version'], ['--help', 'show this help']])}`,
          `Exit codes: ${Object.entries(usualExits).map(([code, means]) => `${code} ${means}`).join('; ')}.`
        ]
      : [])
  ].join('\n\n')
}

/** Returns the help of a command. */
export function helpOf (command: CommandSpec): string {
  return [
    `Usage: ${commandLine(usageOf(command))}`,
    `${command.summary}.`,
    `Options:\n${table(Object.entries(optionsOf(command)).map(([name, { value, says }]) =>
      [`--${name}${value === undefined ? '' : ` ${value}`}`, says]))}`,
    `Examples:\n${command.examples.map(([line, does]) => `  ${commandLine(line)}\n      ${does}`).join('\n')}`,
    ...(command.notes ?? []).map((note) => wrapped(note, '')),
    `Exit codes:\n${table(exitsOf(command).map(([code, means]) => [String(code), means]))}`
  ].join('\n\n')
}

/** Returns the form of a command line, without the name of the program. */
export function usageOf ({ name, operands, passesOn }: CommandSpec): string {
  return [name, ...(passesOn === true ? [] : ['[options]']), ...(operands === undefined ? [] : [operands])].join(' ')
}

/** Returns the exit codes that a command can end with. */
export function exitsOf ({ exits, needsService }: CommandSpec): Array<[code: number, means: string]> {
  const { [exitCodes.notRunning]: notRunning, ...usual } = usualExits
  const means = { ...usual, ...(needsService === true ? { [exitCodes.notRunning]: notRunning } : {}), ...exits }
  return Object.entries(means).map(([code, words]) => [Number(code), words])
}

function table (rows: ReadonlyArray<readonly [left: string, right: string]>): string {
  const indent = Math.min(Math.max(...rows.map(([left]) => left.length)), 28) + 4
  return rows.map(([left, right]) => {
    const words = wrapped(right, ' '.repeat(indent))
    return left.length + 4 > indent ? `  ${left}\n${words}` : `  ${left.padEnd(indent - 2)}${words.trimStart()}`
  }).join('\n')
}

function wrapped (text: string, indent: string): string {
  const lines: string[] = []
  let line = indent
  for (const word of text.split(' ')) {
    if (line.trim() !== '' && line.length + word.length >= widthChars) {
      lines.push(line.trimEnd())
      line = indent
    }
    line += `${word} `
  }
  return [...lines, line.trimEnd()].join('\n')
}
