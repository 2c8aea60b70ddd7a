import { readFileSync } from 'node:fs'
import { asset } from '../services/ground/assets.js'
import { neverFailToWrite, writeWhole } from '../services/ground/output.js'
import { readCommandLine } from './arguments.js'
import { programName } from './catalogue.js'
import { CommandFailed, exitCodes, WrongUsage, type ExitCode, type Outcome } from './command.js'
import { helpOf, overview } from './help.js'

/** Errors whose message is meant for whoever has called the program. */
const explained: ReadonlySet<string> = new Set(['CannotListen', 'ConfigError', 'PathTooLong', 'StateFolderInUse', 'UnusableDatabase'])

/** Does what a command line asks for, says how that went, and sets the exit code. Never rejects. */
export async function run (words: readonly string[]): Promise<void> {
  const isJson = words.includes('--json')
  try {
    const wanted = readCommandLine(words)
    // Whoever reads it may have read enough. What is passed on may be a protocol, of which nothing can be left out.
    if (wanted.kind !== 'pass-on') neverFailToWrite()
    switch (wanted.kind) {
      case 'version': return say(versionOf(), exitCodes.done)
      case 'help': return say(wanted.command === undefined ? overview(wanted.group) : helpOf(wanted.command), exitCodes.done)
      case 'pass-on':
        // It reads its arguments where a program of its own has them.
        process.argv.splice(2, process.argv.length, ...wanted.rest)
        await (await wanted.command.load()).run({ options: {}, operands: [], isJson: false })
        return
      case 'run': {
        if (wanted.home !== undefined) process.env.SVC_HOME = wanted.home
        const { run } = await wanted.command.load()
        const outcome = await run(wanted.asked)
        if (outcome !== null) tell(outcome, isJson)
      }
    }
  } catch (error) {
    await tellFailure(error, isJson)
  }
}

const versionOf = (): string => (JSON.parse(readFileSync(asset('package.json'), 'utf8')) as { version: string }).version

const tell = ({ text, value, exitCode = exitCodes.done }: Outcome, isJson: boolean): never =>
  say(isJson ? JSON.stringify(value) : text, exitCode)

/** Ends the process: what a command has left open is of no use to anybody. Whoever has stopped to read has read enough. */
function say (text: string, exitCode: ExitCode): never {
  const problem = writeWhole(1, `${text}\n`)
  if (problem === null || problem === 'EPIPE') process.exit(exitCode)
  console.error(`The output could not be written (${problem})`)
  process.exit(exitCodes.failed)
}

async function tellFailure (error: unknown, isJson: boolean): Promise<never> {
  const exitCode: ExitCode = error instanceof CommandFailed ? error.exitCode : exitCodes.failed
  const message = await wordsFor(error)
  if (isJson) say(JSON.stringify({ error: message, exit_code: exitCode }), exitCode)
  console.error(message)
  if (error instanceof WrongUsage && error.command !== undefined) console.error(`See ${programName} ${error.command} --help.`)
  process.exit(exitCode)
}

/** One sentence for what a person can mend; anything else is a fault of the program and shows where it happened. */
async function wordsFor (error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error)
  if (error instanceof CommandFailed || explained.has(error.name)) return error.message
  const { inPlainWords } = await import('../services/ground/database/unusable.js')
  const path = 'path' in error && typeof error.path === 'string' ? error.path : 'The disk'
  return inPlainWords(error, path)?.message ?? error.stack ?? error.message
}
