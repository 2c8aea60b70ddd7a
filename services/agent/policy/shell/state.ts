import { type Command, type Function, type Redirection, type SyntaxNode } from 'unbash'
import { type Budget } from '../budget.js'
import { type Findings } from '../findings.js'
import * as programs from '../tables/programs.js'
import { type Input, printedText, type PrintScope, redirectedInput } from './input.js'
import { isOwnText, mayRunValue, namesIn } from './numbers.js'
import { heldForOthers, isArgument, setByShell } from './variable-names.js'
import { isKnown, isWritten, ownText, unknown } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** How many levels of command lines inside command lines (bash -c, eval, functions) are read. */
export const maxDepth = 8
const maxValues = 32
const calculating = reason('calculates_unknown')
/** For how many turns of a loop the values of a variable are followed. */
const turnsFollowed = 3

/** What is known about the running shell at one point of a command line. */
export class ShellState implements PrintScope {
  /** All folders that the shell may be in; `cd` adds to them and removes none. */
  readonly folders: Set<string>
  /** All definitions of each function: which of them is in force is known only while the line runs. */
  readonly functions = new Map<string, Function[]>()
  /** Names that certainly stand for a function of the line from here on. */
  readonly #certain = new Set<string>()
  /** Whether the body of a function is being read at its definition; its arguments are known where it is called. */
  isDefining = false
  /** Whether the current call is one of a function of the line, whose body is read with the call's arguments. */
  isFunctionCall = false
  input: Input = { piped: false, text: null }
  /** Whether a shell with fewer features than bash, the system's `sh`, may run the text that is being read. */
  isPlainShell = false
  positional: readonly string[] | null = null
  /** How often the body of a loop has been read before, to find the state in its later turns. */
  turn = 0
  /** Scripts of traps: they run with everything that is set later. */
  readonly traps = new Set<string>()
  /** Whether an earlier call may have put files from elsewhere in place, any of which may be a link. */
  isFilled = false
  /** Whether an earlier call may have changed what git goes back to: its current commit, or its index. */
  isBaseMoved = false
  /** Whether the line may have made links with unknown names. They lead to no other place unless the line moves them or puts more there. */
  hasLooseLinks = false
  /** The value of `$0`. */
  zero = 'bash'
  /** Values that the command line puts into the environment of programs. */
  environment: readonly string[] = []
  readonly #variables = new Map<string, Set<string>>()
  /** Variables that may be unset, because the code that sets them may not run, or not in this shell. */
  #perhaps = new Set<string>()
  /** Variables that may hold text from outside the line. */
  readonly #foreign = new Set<string>()
  /** Whether the shell's arguments, where they are not followed, may be text from outside the line. */
  #hasForeignArguments = false
  readonly #calculated = new Set<string>()
  /** Variables declared as integers: bash evaluates every value assigned to them as arithmetic. */
  readonly #integers = new Set<string>()
  /** Associative arrays (`declare -A`). */
  readonly maps = new Set<string>()
  /** Variables that may be arrays. */
  readonly arrays = new Set(setByShell)
  #changes = 0

  constructor (cwd: string, private readonly userHome: string, private readonly findings: Findings, readonly budget: Budget) {
    this.folders = new Set([cwd])
  }

  lookup (name: string): string[] {
    if (/^0+$/.test(name)) return [this.zero]
    if (/^\d+$/.test(name) && this.positional !== null) return [this.#argument(Number(name) - 1, this.positional)]
    if (/^[@*]$/.test(name) && this.positional !== null) {
      this.budget.read(this.positional)
      return [this.positional.join(' ')]
    }
    const known = this.#variables.get(name)
    if (setByShell.has(name)) return [...known ?? [], ...name === 'PWD' ? this.#places() : [unknown]]
    if (known !== undefined) return [...known, ...this.#perhaps.has(name) ? [''] : []]
    if (name === 'HOME') return [this.userHome]
    return [name === 'IFS' ? ' ' : unknown]
  }

  /** Words that are known only when the line runs may be several, or none: what follows them stands at no known place. */
  #argument (index: number, positional: readonly string[]): string {
    const open = positional.findIndex((word) => !isWritten(word))
    this.budget.spend(1 + (Math.min(index, positional.length) >> 2))
    return open !== -1 && open < index ? unknown : positional[index] ?? ''
  }

  /** Grows with each change that may make an earlier part of the line mean something else when it runs again. */
  get version (): number {
    return this.#changes + this.folders.size + this.placed
  }

  /** Grows with each change that may put something else in place later. */
  get placed (): number {
    return Number(this.isFilled) + Number(this.hasLooseLinks) + Number(this.isBaseMoved)
  }

  /** @param isCertain whether the definition certainly takes effect in this shell */
  define (name: string, node: Function, isCertain: boolean): void {
    const known = this.functions.get(name) ?? []
    if (isCertain) this.#certain.add(name)
    if (known.includes(node)) return
    this.functions.set(name, [...known, node])
    this.#changes++
  }

  /** Called when any function may have been removed. */
  undefine (): void {
    this.#certain.clear()
  }

  /** Returns whether the shell certainly runs a function of the line for this word, and not a program. */
  isFunction (name: string): boolean {
    return this.#certain.has(name)
  }

  /** Changes the arguments of the shell or the function. @param isCertain whether the change certainly happens */
  setPositional (words: readonly string[] | null, isCertain: boolean): void {
    if (!isCertain && this.positional !== null) this.#changes++
    if (!isCertain && ![words, this.positional].every((all) => all?.every(isWritten) === true)) this.loseArguments()
    this.positional = isCertain ? words : null
  }

  /** Called when the shell's arguments may become text from outside the line, and are not followed. */
  loseArguments (): void {
    this.#hasForeignArguments = true
    // In a loop, or a function that calls itself, earlier code also runs after later code.
    if ([...this.#calculated].some(isArgument)) this.findings.cannotRead(calculating)
  }

  #places (): string[] {
    const places = [...this.folders]
    this.budget.read(places)
    return places
  }

  /** Reads code that may not run, or not in this shell: the variables that it sets are certain only within it. */
  unsurely (work: () => void): void {
    this.alternatives([work], false)
  }

  /** Reads alternatives, of which one runs at most. @param isComplete whether one of them certainly runs */
  alternatives (works: ReadonlyArray<() => void>, isComplete: boolean): void {
    const before = this.#certainNames()
    const ends = works.map((work) => {
      this.#perhaps = this.#allBut(before)
      work()
      return this.#certainNames()
    })
    const set = [...ends, ...isComplete ? [] : [before]].reduce((all, each) => new Set([...all].filter((name) => each.has(name))))
    this.#perhaps = this.#allBut(set)
  }

  #certainNames (): Set<string> {
    return new Set([...this.#variables.keys()].filter((name) => !this.#perhaps.has(name)))
  }

  #allBut (certain: ReadonlySet<string>): Set<string> {
    const names = [...this.#variables.keys()].filter((name) => !certain.has(name))
    this.budget.read(names)
    return new Set(names)
  }

  /** Reads code that another shell runs, where only exported variables exist. */
  elsewhere (isPlainShell: boolean, work: () => void): void {
    const before = { isPlainShell: this.isPlainShell, certain: this.#certainNames() }
    this.isPlainShell = isPlainShell
    this.#perhaps = this.#allBut(new Set())
    work()
    this.#perhaps = this.#allBut(before.certain)
    this.isPlainShell = before.isPlainShell
  }

  unset (name: string): void {
    if (this.#variables.has(name)) this.#perhaps.add(name)
  }

  /** @param texts the words of the line that the values come from */
  assign (name: string, values: string[], texts?: readonly string[]): void {
    this.budget.read(values)
    if (this.#integers.has(name)) for (const text of texts ?? values.filter(isKnown)) this.calculate(text)
    const isOwn = values.every((value) => isKnown(value) || value === ownText)
    if (!isOwn || [...values, ...texts ?? []].some((text) => /[*?[]/.test(text))) this.#take(name, texts)
    const known = this.#variables.get(name) ?? new Set()
    // A value that grows with each turn of a loop may become anything.
    const added = this.turn > turnsFollowed && values.some((value) => !known.has(value)) ? [...values, unknown] : values
    if (!known.has(unknown) && added.some((value) => !known.has(value))) this.#changes++
    for (const value of added) known.add(value)
    this.#variables.set(name, known.size > maxValues ? new Set([unknown]) : known)
    this.#perhaps.delete(name)
    this.set(name, values)
    // These variables are in the environment already.
    if (programs.steers(name, values[0] ?? '') || name === 'TMPDIR') this.give(values)
  }

  isForeign (name: string): boolean {
    return this.#namesOf(name).some((each) =>
      isArgument(each) ? this.#isForeignArgument(each) : heldForOthers.has(each) || this.#foreign.has(each))
  }

  #isForeignArgument (name: string): boolean {
    const isOwn = (value: string): boolean => isWritten(value) && !/[$`]/.test(value)
    if (this.positional === null && !/^0+$/.test(name)) return this.#hasForeignArguments
    return /^\d/.test(name) ? !this.lookup(name).every(isOwn) : this.positional?.every(isOwn) !== true
  }

  /** Returns a variable and those that evaluating it reads: its values may name others. */
  #namesOf (name: string): string[] {
    const names = new Set([name])
    for (const each of names) {
      for (const value of this.#variables.get(each) ?? []) {
        for (const found of isKnown(value) ? namesIn(value) : []) names.add(found)
      }
    }
    this.budget.read([...names])
    return [...names]
  }

  #take (name: string, texts?: readonly string[]): void {
    if (texts?.every((text) => isOwnText(text, this)) === true) return
    this.#foreign.add(name)
    // In a loop, earlier code also runs after later code.
    if (this.#calculated.has(name)) this.findings.cannotRead(calculating)
  }

  /** Called when a variable is declared as an integer. */
  integer (name: string): void {
    if (!/^\w+$/.test(name) || this.#integers.has(name)) return
    this.#integers.add(name)
    this.#changes++
    this.#calculated.add(name)
    if (this.isForeign(name)) this.findings.cannotRead(calculating)
  }

  /** Called when the shell evaluates a text of the line as arithmetic. */
  calculate (text: string): void {
    for (const name of namesIn(text)) for (const each of this.#namesOf(name)) this.#calculated.add(each)
    // A name that is put together from expansions is unknown.
    if (mayRunValue(text, this) || /\$\{!|\$\{\w+\}\w|(?<!\w)[A-Za-z_]\w*\$[\w{]/.test(text)) this.findings.cannotRead(calculating)
  }

  /** Called when a variable is set, even for one command only. */
  set (name: string, values: string[]): void {
    if (values.some((value) => programs.steers(name, value))) this.findings.cannotRead(reason('sets_steering_named', { name }))
    // Arithmetic and prompts run the substitutions in a value; arithmetic also makes the assignments in it.
    if (values.some((value) => /\$\(|`/.test(value) || programs.steersInText(value))) {
      this.findings.cannotRead(reason('keeps_program_text', { name }))
    }
  }

  /** Called when values are put into the environment of the programs that follow. */
  give (values: readonly string[]): void {
    const telling = values.filter((value) => /\D/.test(value))
    this.budget.read(telling)
    if (telling.length > 0) this.environment = [...this.environment, ...telling].slice(-maxValues)
  }

  /** Returns the possible values of `HOME`, which `~` stands for. */
  homes (): string[] {
    return [...new Set([this.userHome, ...this.lookup('HOME')])].filter(isKnown)
  }

  output (part: SyntaxNode): string[] {
    const commands = part.type === 'CommandExpansion' ? part.script?.commands ?? [] : []
    const only = commands.length === 1 ? commands[0]?.command : undefined
    if (only?.type !== 'Command' || only.redirects.length > 0) return [unknown]
    this.budget.open(only.name?.text ?? '')
    if (this.functions.has(only.name?.value ?? '')) return [unknown]
    if (only.name?.value === 'pwd') return this.#places()
    const text = printedText(only, this)
    // Text after these characters may be printed as something else.
    return text === null ? [unknown] : /[\\%]/.test(text) ? [unknown, text] : [text]
  }

  takeInput (redirection: Redirection): void {
    this.input = redirectedInput(redirection, this) ?? this.input
  }

  given (command: Command): string | null {
    const before = this.input
    for (const redirection of command.redirects) this.takeInput(redirection)
    const { text } = this.input
    this.input = before
    return text
  }
}
