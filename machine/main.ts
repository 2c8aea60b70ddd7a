import { localEnvironment } from '../plugins/ground/config-environment.js'
import { asset } from '../services/ground/assets.js'
import { holdBuild, UnusableDatabase } from '../services/ground/database/index.js'
import { takeLibraryWarnings } from '../services/ground/library-warnings.js'
import { neverFailToWrite } from '../services/ground/process/standard-output.js'
import { configureOutgoing } from '../services/ground/proxy/outgoing.js'
import { gitStartsIn } from '../services/workspace/git/index.js'
import { redact, redactDeep } from '../services/ground/redaction/index.js'
import { help, readArguments, WrongArguments } from './arguments.js'
import { runMachine, type RunningMachine } from './machine.js'
import { startParts } from './parts.js'
import { CannotJoin } from './presence.js'
import { startingLines, writeSetup } from './setup.js'

/** How long a stop may take, in which runs are told that they end. Supervisors wait longer after SIGTERM. */
const stopLimitMs = 8_000

// No top-level await, because the build turns this into a script, which does not support it.
void start()

async function start (): Promise<void> {
  neverFailToWrite()
  takeLibraryWarnings((text) => log('a library warns', { text }))
  gitStartsIn(process.env)
  holdBuild(asset('.'))
  try {
    const environment = localEnvironment()
    const wanted = readArguments(process.argv.slice(2), environment)
    if (wanted.kind === 'help') return say(help.trimEnd())
    if (wanted.kind === 'setup') {
      await writeSetup(wanted.settings)
      return say(startingLines(wanted.settings))
    }
    const env: Record<string, string> = {}
    for (const [name, value] of Object.entries(environment)) if (value !== undefined) env[name] = value
    configureOutgoing(wanted.settings.home, env)
    const stopping = new AbortController()
    let machine: RunningMachine | null = null
    const stop = (code: number): void => {
      if (stopping.signal.aborted) return
      stopping.abort()
      setTimeout(() => { process.exit(1) }, stopLimitMs).unref()
      void (machine?.close() ?? Promise.resolve()).finally(() => process.exit(code))
    }
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => stop(0))
    // An error in a single question must not end the turns.
    process.on('unhandledRejection', (reason) => log('unhandled error', { reason: String(reason) }))
    machine = await runMachine({
      settings: wanted.settings, env, startParts, say, log, lost: (reason) => { tell(reason); stop(1) }
    }, stopping.signal)
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') return
    const isExplained = error instanceof CannotJoin || error instanceof UnusableDatabase
    console.error(isExplained ? error.message : error)
    process.exit(error instanceof WrongArguments ? 2 : 1)
  }
}

function say (line: string): void {
  console.log(redact(line))
}

function tell (line: string): void {
  console.error(redact(line))
}

function log (message: string, details: Record<string, unknown> = {}): void {
  console.error(redact(message), Object.keys(details).length === 0 ? '' : JSON.stringify(redactDeep(details)))
}
