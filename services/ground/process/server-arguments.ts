import { commandLine } from '../command-line.js'

const options: ReadonlyArray<readonly [name: string, says: string]> = [
  ['--open', 'open the app in a browser once the service is ready'],
  ['--help', 'show this help']
]

const help = `Usage: node dist/server.js [options]

Starts the service. Environment variables and config.yaml set it up: see docs/configuration.md.

Options:
${options.map(([name, says]) => `  ${name.padEnd(8)}${says}`).join('\n')}

"${commandLine('start --help')}" shows a start with options for the port, the host, the password and the workspace.`

/**
 * Returns what the arguments of the service's program ask to be printed instead of a start: its help, or that it does not know one of them
 * (`isWrong`). Null: the service starts.
 * @param own arguments with which the service starts itself
 */
export function serverArguments (args: readonly string[], own: readonly string[]): { text: string, isWrong: boolean } | null {
  if (args.some((argument) => ['--help', '-h'].includes(argument))) return { text: help, isWrong: false }
  const unknown = args.find((argument) => !own.includes(argument) && !options.some(([name]) => name === argument))
  return unknown === undefined ? null : { text: `${JSON.stringify(unknown)} is not an option of the service.\n\n${help}`, isWrong: true }
}
