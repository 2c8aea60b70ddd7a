/** How a command ends, as its exit code says it. */
export const exitCodes = { done: 0, failed: 1, wrongUsage: 2, notRunning: 3 } as const
export type ExitCode = typeof exitCodes[keyof typeof exitCodes]

export interface OptionSpec {
  /** What stands for its value, such as `<folder>`; absent: it takes none. */
  value?: string
  says: string
}

/** What was asked for on the command line. */
export interface Asked {
  /** Values of options by their names; a flag that was given is `true`. */
  options: Readonly<Record<string, string | true>>
  operands: readonly string[]
  /** It is a program that reads what is printed. */
  isJson: boolean
}

/** What a command has to say: for a person, or as JSON. */
export interface Outcome {
  text: string
  value: unknown
  exitCode?: ExitCode
}

/** Does what a command is for. Null: it has said by itself what there was to say. Throws CommandFailed and what services explain. */
export type Run = (asked: Asked) => Promise<Outcome | null>

export interface CommandSpec {
  /** One word, or two. */
  name: string
  summary: string
  /** What follows the name, such as `<id>…`. */
  operands?: string
  mostOperands?: number
  options?: Readonly<Record<string, OptionSpec>>
  /** Command lines without the name of the program, each with what it does. */
  examples: ReadonlyArray<readonly [line: string, does: string]>
  /** Paragraphs below the options. */
  notes?: readonly string[]
  /** What exit codes mean here, where that is more than everywhere. */
  exits?: Partial<Record<ExitCode, string>>
  /** It reads its arguments by itself, and has no options of ours. */
  passesOn?: true
  /** What it prints is not ours. */
  noJson?: true
  load: () => Promise<{ run: Run }>
}

/** A command could not do what it is for; the message says why and what to do. */
export class CommandFailed extends Error {
  constructor (message: string, readonly exitCode: ExitCode = exitCodes.failed) {
    super(message)
    this.name = 'CommandFailed'
  }
}

/** The command line is not one that the program knows. `command`: the one whose help shows what is. */
export class WrongUsage extends CommandFailed {
  constructor (message: string, readonly command?: string) {
    super(message, exitCodes.wrongUsage)
  }
}

export class NotRunning extends CommandFailed {
  constructor (message = 'The service does not run. Start it: agent-web-service start') {
    super(message, exitCodes.notRunning)
  }
}

/** The value of an option, if it was given. */
export function textOf ({ options }: Asked, name: string): string | undefined {
  const value = options[name]
  return typeof value === 'string' ? value : undefined
}

export const hasFlag = ({ options }: Asked, name: string): boolean => options[name] === true
