import { type Budget } from '../budget.js'
import { type Findings } from '../findings.js'
import { type Arguments, type Surroundings } from './arguments.js'
import { type ShellState } from './state.js'

/** The walk through a command line, as the modules for calls and builtins use it. */
export interface Walk {
  readonly around: Surroundings
  readonly findings: Findings
  readonly state: ShellState
  readonly files: Arguments
  readonly budget: Budget
  readonly contacts: GitContacts
  /** The number of command lines around this one. */
  readonly depth: number
  /** Whether the code at this point certainly runs, in this shell. */
  readonly isCertain: boolean
  /** Reads text that is run as commands. @param positional the values of `$1` and so on in it @param zero the value of `$0` */
  script (text: string, depth: number, positional?: readonly string[] | null, zero?: string): void
  /** Looks for calls that never run in text that may be run, and ignores everything else in it. */
  floor (text: string, depth: number, positional?: readonly string[] | null): void
  /** Reads the body of a function of the command line as it runs with these arguments. */
  function (name: string, args: readonly string[], depth: number): void
}

/** Tracks what git contacts at each point of the command line. */
export interface GitContacts {
  /** Called with the text of a script before its calls. */
  reads (text: string): void
  /** Called when a file is written. */
  writes (word: string): void
  /** Called when a program may change what git contacts later. */
  changes (): void
  judge (program: string, args: readonly string[]): void
}

/** Judges calls, for modules that find further calls inside one. */
export interface Caller {
  /** @param unseen whether there are more arguments than are visible @param many whether each may be an option; default: `unseen` */
  call (argv: readonly string[], depth: number, unseen?: boolean, many?: boolean): void
  /**
   * Forbids a call that changes files of the service. @param starts where a command that it starts begins among its words; null if it
   * starts none
   */
  own (program: string, args: readonly string[], starts?: number | null): void
}
