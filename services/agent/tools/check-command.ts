import { programRoots } from '../../ground/assets.js'
import { type SandboxStatus } from '../sandbox/index.js'
import { childEnvironment } from './child-environment.js'
import { ToolError } from './containment.js'
import { createTerminal } from './terminal.js'

export interface CheckCommand {
  command: string
  seconds: number
  /** Absolute and free of symlinks. */
  folder: string
  /** As the agent's commands there; one that is not available confines nothing. */
  sandbox: SandboxStatus
  hidden: readonly string[]
  env: Record<string, string>
  signal: AbortSignal
}

export interface CheckResult { passed: boolean, output: string }

const outputChars = 4_000

/**
 * Runs a command that a person has given, as the agent's commands are run: in the sandbox where there is one, with the same limits.
 * `output` is the end of what it printed. Never rejects.
 */
export async function runCheck ({ command, seconds, folder, sandbox, hidden, env, signal }: CheckCommand): Promise<CheckResult> {
  try {
    const { text, isError } = await createTerminal(undefined, sandbox).run({ command, timeout_s: seconds }, {
      workspace: folder, signal, childEnv: childEnvironment(env), approved: true, confined: sandbox.available, hidden, readable: [],
      programs: programRoots
    })
    return { passed: isError !== true, output: lastLines(text) }
  } catch (error) {
    return { passed: false, output: error instanceof ToolError ? error.message : 'The check could not be run.' }
  }
}

const lastLines = (text: string): string =>
  text.length <= outputChars ? text : text.slice(-outputChars).replace(/^[^\n]*\n/, '[…]\n')
