import { programRoots } from '../../ground/assets.js'
import { realPath } from '../../ground/files/containment.js'
import { leftWarnings } from '../engines/left-warnings.js'
import { createMarks, startGuardian } from '../runtime/guardian.js'
import { Boundary, boundaryFolder, type SandboxStatus } from '../sandbox/index.js'
import { childEnvironment } from './child-environment.js'
import { ToolError } from './containment.js'
import { createTerminal, HeadAndTail, type Executed } from './terminal.js'

export interface CheckCommand {
  command: string
  seconds: number
  /** Absolute and without symlinks. */
  folder: string
  /** The sandbox of the agent's commands in that folder; one that is not available confines nothing. */
  sandbox: SandboxStatus
  signal: AbortSignal
  /** How many bytes of the output are kept, start and end together. Default: the end of the text that a model would get. */
  outputBytes?: number
  /** Called with a function that returns the output so far, if `outputBytes` is set. */
  live?: (read: () => string) => void
}

/** The result of a check. `ended`: whether it exited by itself, or why it was stopped; `unstarted`: it could not be run at all. */
export interface CheckResult {
  passed: boolean
  output: string
  ended: Executed['ended'] | 'unstarted'
  /** Null if it did not exit by itself. */
  exitCode: number | null
}

export interface CheckRunnerOptions {
  stateDir: string
  env: Record<string, string>
  /** Returns the files and folders of the service that no command may see. */
  hidden: (profile: string) => readonly string[]
}

const readChars = 4_000

/**
 * Runs commands that a person has given, in the same way as the agent's commands: in the sandbox if there is one, with the same limits, and
 * with the same check of what they leave behind for git. Outside the sandbox they are marked, so that they end with the service, however
 * that ends.
 */
export function createCheckRunner ({ stateDir, env, hidden }: CheckRunnerOptions) {
  const marks = createMarks(stateDir)
  let boundary: Boundary | undefined
  let letGuardianGo: (() => void) | undefined

  async function execute (profile: string, check: CheckCommand, heard: (chunk: Buffer) => void): Promise<[Executed, string[]]> {
    const { command, seconds, folder, sandbox, signal } = check
    const closed = hidden(profile)
    const run = async (repositories: readonly string[], sockets: readonly string[]): Promise<Executed> =>
      await createTerminal(undefined, sandbox).execute({ command, timeout_s: seconds }, {
        workspace: folder, signal, childEnv: childEnvironment(env), approved: true, confined: sandbox.available,
        hidden: [...closed, ...sockets], readable: [], programs: programRoots, repositories, commandMark: marks.service, output: heard
      })
    if (!sandbox.available) {
      letGuardianGo ??= startGuardian(marks.service, env['PATH'])
      return [await run([], []), []]
    }
    boundary ??= new Boundary({
      folder: boundaryFolder(stateDir), closed: closed.map(realPath), ...env['HOME'] === undefined ? {} : { userHome: realPath(env['HOME']) }
    })
    const watch = await boundary.begin(folder, signal)
    const executed = await run(watch.repositories, watch.sockets).catch(async (error: unknown) => {
      await watch.end()
      throw error
    })
    return [executed, leftWarnings(await watch.end(), 'the check').map(({ message }) => `[${message.slice(0, 1).toUpperCase()}${message.slice(1)}]`)]
  }

  return {
    /** Runs a check. `output` is the end of what it printed, or its start and its end. Never rejects. */
    async run (profile: string, check: CheckCommand): Promise<CheckResult> {
      const kept = check.outputBytes === undefined ? null : new HeadAndTail(check.outputBytes)
      try {
        if (kept !== null) check.live?.(() => kept.text())
        const [{ ended, exitCode, result: { text, isError } }, remarks] = await execute(profile, check, (chunk) => kept?.add(chunk))
        const output = [kept === null ? lastLines(text) : kept.text(), ...remarks].join('\n')
        return { passed: isError !== true, output, ended, exitCode: ended === 'exit' ? exitCode : null }
      } catch (error) {
        const why = error instanceof ToolError ? error.message : 'The check could not be run.'
        return { passed: false, output: why, ended: check.signal.aborted ? 'abort' : 'unstarted', exitCode: null }
      }
    },

    close: (): void => letGuardianGo?.()
  }
}

export type CheckRunner = ReturnType<typeof createCheckRunner>

const lastLines = (text: string): string =>
  text.length <= readChars ? text : text.slice(-readChars).replace(/^[^\n]*\n/, '[…]\n')
