import { type Command, type Function, type Redirection, type SyntaxNode } from 'unbash'
import { type Budget } from '../budget.js'
import { type Findings } from '../findings.js'
import * as programs from '../tables/programs.js'
import { isOwnText, mayRunValue, namesIn } from './numbers.js'
import { commandArguments, expandWord, isKnown, type Scope, unknown } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** What a command is given on standard input; `text` when it is written in the command line. */
export interface Input { piped: boolean, text: string | null }

/** Command lines inside command lines (bash -c, eval, functions). */
export const maxDepth = 8
const maxValues = 32
const calculating = reason('calculates_unknown')
/** The shell itself gives them other values, whatever the line gives them. */
const setByShell: ReadonlySet<string> = new Set(['_', 'PWD', 'OLDPWD', 'DIRSTACK', 'REPLY', 'MAPFILE', 'COPROC', 'OPTARG', 'OPTIND', 'FUNCNAME', 'PIPESTATUS', 'GROUPS', 'LINENO', 'RANDOM',
  'SRANDOM', 'SECONDS', 'EPOCHSECONDS', 'EPOCHREALTIME', 'HISTCMD', 'BASHPID', 'BASH_COMMAND', 'BASH_REMATCH', 'BASH_SUBSHELL', 'BASH_LINENO', 'BASH_SOURCE', 'BASH_ARGC', 'BASH_ARGV'])
/** Values that a loop gives to a variable are followed for so many turns. */
const turnsFollowed = 3

/** What is known about the running shell at one point of a command line. */
export class ShellState implements Scope {
  /** All folders the shell may be in; `cd` adds, nothing takes away. */
  readonly folders: Set<string>
  /** All that a name may stand for: which of its definitions counts is only seen while it runs. */
  readonly functions = new Map<string, Function[]>()
  /** Names that stand for a function of the line from here on, whatever runs. */
  readonly #certain = new Set<string>()
  /** The body of a function is read, as it stands there: with what arguments it runs is seen where it is called. */
  isDefining = false
  /** The call that is looked at is one of a function of the line, whose body is read with its words. */
  isFunctionCall = false
  input: Input = { piped: false, text: null }
  /** The text that is read may be run by a shell that knows less than bash: the `sh` of the system. */
  isPlainShell = false
  positional: readonly string[] | null = null
  /** How often the body of a loop has been read before, for what its later turns find. */
  turn = 0
  /** Scripts of traps: they run when all that is set later is set. */
  readonly traps = new Set<string>()
  /** Files of others were put in place by an earlier call: any of them may be a link now. */
  isFilled = false
  /** What `$0` is. */
  zero = 'bash'
  /** Values that a program finds in its environment, as far as the command line sets them. */
  environment: readonly string[] = []
  readonly #variables = new Map<string, Set<string>>()
  /** Variables that may never have been set: what sets them may not run, or not in this shell. */
  #perhaps = new Set<string>()
  /** Variables that may hold what others have written. */
  readonly #foreign = new Set<string>()
  readonly #calculated = new Set<string>()
  /** Variables declared as numbers: bash calculates with whatever they are given. */
  readonly #integers = new Set<string>()
  /** Variables whose parts have names (`declare -A`). */
  readonly maps = new Set<string>()
  #changes = 0

  constructor (cwd: string, private readonly userHome: string, private readonly findings: Findings, readonly budget: Budget) {
    this.folders = new Set([cwd])
  }

  lookup (name: string): string[] {
    if (/^0+$/.test(name)) return [this.zero]
    if (/^\d+$/.test(name) && this.positional !== null) return [this.positional[Number(name) - 1] ?? '']
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

  /** Grows with all that may make an earlier part of the line mean something else when it runs again. */
  get version (): number {
    return this.#changes + this.folders.size
  }

  /** @param isCertain nothing can keep the definition from being made, and it is made in this shell */
  define (name: string, node: Function, isCertain: boolean): void {
    const known = this.functions.get(name) ?? []
    if (isCertain) this.#certain.add(name)
    if (known.includes(node)) return
    this.functions.set(name, [...known, node])
    this.#changes++
  }

  /** Any function may be gone. */
  undefine (): void {
    this.#certain.clear()
  }

  /** True when the shell itself runs a function of the line for this word, and not a program. */
  isFunction (name: string): boolean {
    return this.#certain.has(name)
  }

  /** The arguments of the shell, or of the function, are other ones. @param isCertain nothing can keep that from being done */
  setPositional (words: readonly string[] | null, isCertain: boolean): void {
    if (!isCertain && this.positional !== null) this.#changes++
    this.positional = isCertain ? words : null
  }

  #places (): string[] {
    const places = [...this.folders]
    this.budget.read(places)
    return places
  }

  /** Reads what may not run, or not in this shell: what it sets is certain within it alone. */
  unsurely (work: () => void): void {
    this.alternatives([work], false)
  }

  /** Reads what of several is run. @param isComplete one of them is; otherwise it may be none */
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

  /** Reads what another shell runs: only what is exported is there as well. */
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

  /** @param texts the words of the line that the values were made of */
  assign (name: string, values: string[], texts?: readonly string[]): void {
    this.budget.read(values)
    if (this.#integers.has(name)) for (const text of texts ?? values.filter(isKnown)) this.calculate(text)
    if (!values.every(isKnown) || texts?.some((text) => /[*?[]/.test(text)) === true) this.#take(name, texts)
    const known = this.#variables.get(name) ?? new Set()
    // What grows with each turn of a loop may become anything.
    const added = this.turn > turnsFollowed && values.some((value) => !known.has(value)) ? [...values, unknown] : values
    if (!known.has(unknown) && added.some((value) => !known.has(value))) this.#changes++
    for (const value of added) known.add(value)
    this.#variables.set(name, known.size > maxValues ? new Set([unknown]) : known)
    this.#perhaps.delete(name)
    this.set(name, values)
    // These are in the environment already.
    if (programs.steers(name, values[0] ?? '') || name === 'TMPDIR') this.give(values)
  }

  isForeign (name: string): boolean {
    return this.#namesOf(name).some((each) => each === '_' || (/^\d/.test(each)
      ? this.positional !== null && !this.lookup(each).every((value) => isKnown(value) && !/[$`]/.test(value))
      : this.#foreign.has(each)))
  }

  /** The variables by which one is calculated: what it holds may name others. */
  #namesOf (name: string): string[] {
    const names = new Set([name])
    for (const each of names) {
      for (const value of this.#variables.get(each) ?? []) {
        for (const found of isKnown(value)
          ? namesIn(value)
          : []) names.add(found)
      }
    }
    this.budget.read([...names])
    return [...names]
  }

  #take (name: string, texts?: readonly string[]): void {
    if (texts?.every((text) => isOwnText(text, this)) === true) return
    this.#foreign.add(name)
    // In a loop, what stands before comes after.
    if (this.#calculated.has(name)) this.findings.cannotRead(calculating)
  }

  /** A variable is declared as a number. */
  integer (name: string): void {
    if (!/^\w+$/.test(name) || this.#integers.has(name)) return
    this.#integers.add(name)
    this.#changes++
    this.#calculated.add(name)
  }

  /** The shell calculates with a text of the line. */
  calculate (text: string): void {
    for (const name of namesIn(text)) for (const each of this.#namesOf(name)) this.#calculated.add(each)
    // What is put together is another name.
    if (mayRunValue(text, this) || /\$\{\w+\}\w|(?<!\w)[A-Za-z_]\w*\$[\w{]/.test(text)) this.findings.cannotRead(calculating)
  }

  /** A variable is set, if only for one command. */
  set (name: string, values: string[]): void {
    if (values.some((value) => programs.steers(name, value))) this.findings.cannotRead(reason('sets_steering_named', { name }))
    // Arithmetic and prompts run the substitutions that stand in a value; arithmetic also assigns what it says.
    if (values.some((value) => /\$\(|`/.test(value) || programs.steersInText(value))) {
      this.findings.cannotRead(reason('keeps_program_text', { name }))
    }
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
    if (this.functions.has(only.name?.value ?? '')) return [unknown]
    if (only.name?.value === 'pwd') return this.#places()
    const text = this.printed(only)
    // What is behind these signs may be printed as something else.
    return text === null ? [unknown] : /[\\%]/.test(text) ? [unknown, text] : [text]
  }

  takeInput (redirection: Redirection): void {
    const descriptor = redirection.descriptor
    if (descriptor?.type === 'FileDescriptorVariable' || (descriptor?.type === 'FileDescriptor' && descriptor.value !== 0)) return
    if (redirection.type === 'HereDoc') this.input = { piped: true, text: redirection.body.text }
    else if (redirection.type === 'HereString') {
      this.input = {
        piped: true, text: redirection.target === undefined ? null : expandWord(redirection.target, this).join('\n')
      }
    } else if (['<', '<>', '<&'].includes(redirection.operator) && redirection.target?.value !== '/dev/null') {
      this.input = {
        piped: true, text: null
      }
    }
  }

  /** What a command with written-out arguments prints; null when that cannot be told. */
  printed (command: Command): string | null {
    if (command.name === undefined) return null
    const readings = commandArguments(command.args.map((word) => word.type === 'Word' ? word : [unknown]), this)
    const words = readings.length === 1 ? readings[0] ?? [] : [unknown]
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
