/** The exit codes of commands. */
export const exitCodes = { done: 0, failed: 1, wrongUsage: 2, notRunning: 3 } as const
export type ExitCode = typeof exitCodes[keyof typeof exitCodes]

export interface OptionSpec {
  /** The placeholder of its value, such as `<folder>`; absent if it takes none. */
  value?: string
  says: string
}

/** The arguments of a command. */
export interface CommandLine {
  /** Values of the options by name; `true` for a flag. */
  options: Readonly<Record<string, string | true>>
  operands: readonly string[]
  /** Whether JSON is wanted, for a program that reads the output. */
  isJson: boolean
}

/** The result of a command: `text` for a person, `value` as JSON. */
export interface Outcome {
  text: string
  value: unknown
  exitCode?: ExitCode
}

/** Runs a command. Resolves with null if the command has printed its result itself. Throws CommandFailed, and errors of services. */
export type Run = (asked: CommandLine) => Promise<Outcome | null>

export interface CommandSpec {
  /** One word, or two. */
  name: string
  summary: string
  /** The placeholder of the operands, such as `<id>…`. */
  operands?: string
  mostOperands?: number
  options?: Readonly<Record<string, OptionSpec>>
  /** Command lines without the program's name, each with what it does. */
  examples: ReadonlyArray<readonly [line: string, does: string]>
  /** Paragraphs below the options. */
  notes?: readonly string[]
  /** The meanings of exit codes that differ from the usual ones. */
  exits?: Partial<Record<ExitCode, string>>
  /** The command works only with a running service. */
  needsService?: true
  /** The command reads its arguments itself, and does not have the common options. */
  passesOn?: true
  /** The command has no `--json`, because another program prints its output. */
  noJson?: true
  load: () => Promise<{ run: Run }>
}

/** Thrown if a command fails; the message says why and what to do. */
export class CommandFailed extends Error {
  constructor (message: string, readonly exitCode: ExitCode = exitCodes.failed) {
    super(message)
    this.name = 'CommandFailed'
  }
}

/** Thrown for an invalid command line. `command`: whose help says what is valid; the command that runs, if absent. */
export class WrongUsage extends CommandFailed {
  constructor (message: string, readonly command?: string) {
    super(message, exitCodes.wrongUsage)
  }
}

/** Thrown if no service runs with a state folder. `way`: what to do. */
export class NotRunning extends CommandFailed {
  constructor (stateDir: string, way: string) {
    super(`The service is not running (state folder ${stateDir}). ${way}`, exitCodes.notRunning)
  }
}

/** Returns the value of an option, if it was given. */
export function textOf ({ options }: CommandLine, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export const hasFlag = ({ options }: CommandLine, name: string): boolean => options[name] === true
