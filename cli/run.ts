import { readFileSync } from 'node:fs'
import { asset } from '../services/ground/assets.js'
import { commandLine } from '../services/ground/command-line.js'
import { neverFailToWrite, writeWhole } from '../services/ground/process/standard-output.js'
import { readCommandLine } from './arguments.js'
import { CommandFailed, exitCodes, WrongUsage, type ExitCode, type Outcome } from './command.js'
import { helpOf, overview } from './help.js'

/** Names of errors whose message is meant for the person who runs the program. */
const explained: ReadonlySet<string> = new Set(['CannotListen', 'ConfigError', 'PathTooLong', 'StateFolderInUse', 'UnusableDatabase'])

/** Runs a command line, prints the result, and sets the exit code. Never rejects. */
export async function run (words: readonly string[]): Promise<void> {
  const isJson = words.includes('--json')
  let command: string | undefined
  try {
    const wanted = readCommandLine(words)
    // The reader of the output may close it early. A command that reads its own arguments may speak a protocol, which must not lose lines.
    if (wanted.kind !== 'pass-on') neverFailToWrite()
    switch (wanted.kind) {
      case 'version': return say(versionOf(), exitCodes.done)
      case 'help': return say(wanted.command === undefined ? overview(wanted.group) : helpOf(wanted.command), exitCodes.done)
      case 'pass-on':
        // The command expects its arguments where a separate program has them.
        process.argv.splice(2, process.argv.length, ...wanted.rest)
        await (await wanted.command.load()).run({ options: {}, operands: [], isJson: false })
        return
      case 'run': {
        command = wanted.command.name
        if (wanted.home !== undefined) process.env.SVC_HOME = wanted.home
        const { run } = await wanted.command.load()
        const outcome = await run(wanted.asked)
        if (outcome !== null) tell(outcome, isJson)
      }
    }
  } catch (error) {
    await tellFailure(error, { isJson, command })
  }
}

const versionOf = (): string => (JSON.parse(readFileSync(asset('package.json'), 'utf8')) as { version: string }).version

const tell = ({ text, value, exitCode = exitCodes.done }: Outcome, isJson: boolean): never =>
  say(isJson ? JSON.stringify(value) : text, exitCode)

/** Prints a text and exits, whatever the command has left open. It is no error if the reader has closed the output. */
function say (text: string, exitCode: ExitCode): never {
  const problem = writeWhole(1, `${text}\n`)
  if (problem === null || problem === 'EPIPE') process.exit(exitCode)
  console.error(`The output could not be written (${problem})`)
  process.exit(exitCodes.failed)
}

/** `command`: the command that was run, if one was. */
async function tellFailure (error: unknown, { isJson, command }: { isJson: boolean, command: string | undefined }): Promise<never> {
  const exitCode: ExitCode = error instanceof CommandFailed ? error.exitCode : exitCodes.failed
  const message = await wordsFor(error)
  if (isJson) say(JSON.stringify({ error: message, exit_code: exitCode }), exitCode)
  console.error(message)
  const helpful = error instanceof WrongUsage ? error.command ?? command : undefined
  if (helpful !== undefined) console.error(`See ${commandLine(`${helpful} --help`)}.`)
  process.exit(exitCode)
}

/** Returns a message for a problem that a person can fix, and the stack of any other error. */
async function wordsFor (error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CommandFailed || explained.has(error.name)) return error.message
  const { inPlainWords } = await import('../services/ground/database/unusable.js')
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'The disk'
  return inPlainWords(error, path)?.message ?? error.stack ?? error.message
}
