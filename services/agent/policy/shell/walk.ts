import { type Budget } from '../budget.js'
import { type Findings } from '../findings.js'
import { type Arguments, type Surroundings } from './arguments.js'
import { type ShellState } from './state.js'

/** The walk through a command line, as the calls and builtins in it see it. */
export interface Walk {
  readonly around: Surroundings
  readonly findings: Findings
  readonly state: ShellState
  readonly files: Arguments
  readonly budget: Budget
  readonly contacts: GitContacts
  /** In how many command lines inside command lines this is. */
  readonly depth: number
  /** What is read here runs in this shell, whatever else does. */
  readonly isCertain: boolean
  /** Reads text that is run as commands. @param positional what `$1` and so on are in there @param zero what `$0` is */
  script (text: string, depth: number, positional?: readonly string[] | null, zero?: string): void
  /** Holds text that may be run to the floor, and takes nothing else from it. */
  floor (text: string, depth: number, positional?: readonly string[] | null): void
  /** Reads the body of a function of the command line as it runs with these arguments. */
  function (name: string, args: readonly string[], depth: number): void
}

/** Knows where git goes at each point of the command line. */
export interface GitContacts {
  /** The text of a script whose calls follow. */
  reads (text: string): void
  /** Something is written at a path. */
  writes (word: string): void
  /** What runs here may change where git goes later. */
  changes (): void
  judge (program: string, args: readonly string[]): void
}

/** Judges calls, for who finds further ones inside of one. */
export interface Caller {
  /** @param unseen there are more arguments than can be seen @param many each of those may be an option; default: as `unseen` */
  call (argv: readonly string[], depth: number, unseen?: boolean, many?: boolean): void
  /**
   * Holds a call to it that nobody changes files of the service. @param starts where a command of
   * its own begins in its words; null = nowhere
   */
  own (program: string, args: readonly string[], starts?: number | null): void
}
