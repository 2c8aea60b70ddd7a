import { type Command, type Function, type Redirection, type SyntaxNode } from 'unbash'
import { type Budget } from '../budget.js'
import { type Findings } from '../findings.js'
import * as programs from '../tables/programs.js'
import { isOwnText, mayRunValue, namesIn } from './numbers.js'
import { expandWord, isKnown, type Scope, unknown } from './words.js'

/** What a command is given on standard input; `text` when it is written in the command line. */
export interface Input { piped: boolean, text: string | null }

/** Command lines inside command lines (bash -c, eval, functions). */
export const maxDepth = 8
const maxValues = 32
const calculating = 'it calculates with text that it does not know, which may run commands'

/** What is known about the running shell at one point of a command line. */
export class ShellState implements Scope {
  /** All folders the shell may be in; `cd` adds, nothing takes away. */
  readonly folders: Set<string>
  readonly functions = new Map<string, Function>()
  /** The body of a function is read, as it stands there: with what arguments it runs is seen where it is called. */
  isDefining = false
  input: Input = { piped: false, text: null }
  positional: readonly string[] | null = null
  /** Values that a program finds in its environment, as far as the command line sets them. */
  environment: readonly string[] = []
  readonly #variables = new Map<string, Set<string>>()
  /** Variables that may hold what others have written. */
  readonly #foreign = new Set<string>()
  readonly #calculated = new Set<string>()

  constructor (cwd: string, private readonly userHome: string, private readonly findings: Findings, readonly budget: Budget) {
    this.folders = new Set([cwd])
  }

  lookup (name: string): string[] {
    if (/^\d+$/.test(name) && this.positional !== null) return [name === '0' ? 'bash' : this.positional[Number(name) - 1] ?? '']
    if (/^[@*]$/.test(name) && this.positional !== null) {
      this.budget.read(this.positional)
      return [this.positional.join(' ')]
    }
    const known = this.#variables.get(name)
    if (known !== undefined) return [...known]
    if (name === 'HOME') return [this.userHome]
    if (name === 'PWD') return this.#places()
    return [name === 'IFS' ? ' ' : unknown]
  }

  #places (): string[] {
    const places = [...this.folders]
    this.budget.read(places)
    return places
  }

  /** @param texts the words of the line that the values were made of */
  assign (name: string, values: string[], texts?: readonly string[]): void {
    this.budget.read(values)
    if (!values.every(isKnown) || texts?.some((text) => /[*?[]/.test(text)) === true) this.#take(name, texts)
    const known = this.#variables.get(name) ?? new Set()
    for (const value of values) known.add(value)
    this.#variables.set(name, known.size > maxValues ? new Set([unknown]) : known)
    this.set(name, values)
    // These are in the environment already.
    if (programs.steers(name, values[0] ?? '') || name === 'TMPDIR') this.give(values)
  }

  isForeign (name: string): boolean {
    return /^\d/.test(name) ? this.positional !== null && !this.lookup(name).every(isKnown) : this.#foreign.has(name)
  }

  #take (name: string, texts?: readonly string[]): void {
    if (texts?.every((text) => isOwnText(text, this)) === true) return
    this.#foreign.add(name)
    // In a loop, what stands before comes after.
    if (this.#calculated.has(name)) this.findings.cannotRead(calculating)
  }

  /** The shell calculates with a text of the line. */
  calculate (text: string): void {
    for (const name of namesIn(text)) this.#calculated.add(name)
    if (mayRunValue(text, this)) this.findings.cannotRead(calculating)
  }

  /** A variable is set, if only for one command. */
  set (name: string, values: string[]): void {
    if (values.some((value) => programs.steers(name, value))) this.findings.cannotRead(`it sets ${name}, which changes what programs do`)
    // Arithmetic and prompts run the substitutions that stand in a value; arithmetic also assigns what it says.
    if (values.some((value) => /\$\(|`/.test(value) || programs.steersInText(value))) this.findings.cannotRead(`it keeps program text in the variable ${name}`)
  }

  /** Values are put into the environment of the programs that follow. */
  give (values: readonly string[]): void {
    const telling = values.filter((value) => /\D/.test(value))
    this.budget.read(telling)
    if (telling.length > 0) this.environment = [...this.environment, ...telling].slice(-maxValues)
  }

  /** The values of `HOME`: `~` follows it. */
  homes (): string[] {
    return [...new Set([this.userHome, ...this.lookup('HOME')])].filter(isKnown)
  }

  output (part: SyntaxNode): string[] {
    const commands = part.type === 'CommandExpansion' ? part.script?.commands ?? [] : []
    const only = commands.length === 1 ? commands[0]?.command : undefined
    if (only?.type !== 'Command' || only.redirects.length > 0) return [unknown]
    this.budget.open(only.name?.text ?? '')
    if (only.name?.value === 'pwd') return this.#places()
    return [this.printed(only) ?? unknown]
  }

  takeInput (redirection: Redirection): void {
    const descriptor = redirection.descriptor
    if (descriptor?.type === 'FileDescriptorVariable' || (descriptor?.type === 'FileDescriptor' && descriptor.value !== 0)) return
    if (redirection.type === 'HereDoc') this.input = { piped: true, text: redirection.body.text }
    else if (redirection.type === 'HereString') this.input = { piped: true, text: redirection.target === undefined ? null : expandWord(redirection.target, this).join('\n') }
    else if (['<', '<>', '<&'].includes(redirection.operator) && redirection.target?.value !== '/dev/null') this.input = { piped: true, text: null }
  }

  /** What a command with written-out arguments prints; null when that cannot be told. */
  printed (command: Command): string | null {
    if (command.name === undefined) return null
    const words = command.args.flatMap((word) => word.type === 'Word' ? expandWord(word, this) : [unknown])
    switch (programs.programName(command.name.value)) {
      case 'echo':
      case 'printf': {
        this.budget.read(words)
        const text = words.filter((word, index) => index > 0 || !/^-[neE]+$/.test(word)).join(' ')
        return isKnown(text) ? text : null
      }
      case 'cat':
      case 'tee':
        return words.length === 0 || words.join() === '-' ? this.#given(command) : null
      case 'base64': {
        const text = /^(?:-d|-D|--decode)$/.test(words.join()) ? this.#given(command) : null
        if (text === null) return null
        this.budget.read([text])
        return Buffer.from(text, 'base64').toString('utf8')
      }
      default:
        return null
    }
  }

  #given (command: Command): string | null {
    const before = this.input
    for (const redirection of command.redirects) this.takeInput(redirection)
    const { text } = this.input
    this.input = before
    return text
  }
}
