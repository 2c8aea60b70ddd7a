import {
  type Case, forEachChild, type Function, type If, parse, type Pipeline, type ProcessSubstitutionPart, type Redirected, type SyntaxNode
} from 'unbash'
import { Arguments, type Surroundings } from './arguments.js'
import { Calls } from './calls.js'
import { Contacts } from './contacts.js'
import { type Budget, Unfinished } from '../budget.js'
import { hasHidden } from './characters.js'
import { evaluate } from './evaluation.js'
import { type CommandReading, Findings } from '../findings.js'
import { judgeRedirection } from './redirections.js'
import { readSimpleCommand } from './simple-command.js'
import { printedText } from './input.js'
import { maxDepth, ShellState } from './state.js'
import { branchesOf, isForkBomb, openParentheses, payFor, runsBeside } from './syntax.js'
import { type Walk } from './walk.js'
import { expandWord, isKnown, unknown } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** How many levels of nested syntax are read. */
const maxLevels = 200
const maxCommandChars = 32_768
/** How often the body of a loop is read at most. */
const maxTurns = 12

/**
 * Reads a bash command line: every simple command in it, through lists, pipelines, subshells, substitutions and the programs that only
 * start others. It leads to good questions and catches accidents. It is not a security boundary, because a program that is allowed to run
 * can do whatever its user can.
 */
export function readCommand (text: string, surroundings: Surroundings): CommandReading {
  const shell = new Shell(surroundings)
  shell.read(text)
  const reading = shell.findings.result()
  return reading.keys.length > 0 ? reading : { ...reading, keys: ['shell:empty'] }
}

/** Walks the syntax of a command line and tracks what the shell would know at each point. */
class Shell implements Walk {
  readonly findings = new Findings()
  readonly state: ShellState
  readonly files: Arguments
  readonly budget: Budget
  readonly contacts: Contacts
  depth = 0
  private readonly calls: Calls
  private readonly running = new Set<string>()
  private level = 0
  /** How many constructs around this point may not run, may run again, or run in another shell. */
  private unsure = 0
  private base = 0
  private readonly recursing = new Set<string>()
  private isParallel = false

  constructor (readonly around: Surroundings) {
    this.budget = around.budget
    this.state = new ShellState(around.cwd, around.boundaries.userHome, this.findings, around.budget)
    this.state.isPlainShell = around.isPlainShell === true
    this.files = new Arguments(around, this.findings, this.state)
    this.contacts = new Contacts(this)
    this.calls = new Calls(this)
  }

  read (text: string): void {
    try {
      const { disk } = this.around
      this.script(text, 0)
      this.traps()
      // What runs at the same time may find what is moved later in the line.
      if (this.isParallel && this.placed() > 0) this.again(() => { this.script(text, 0) }, this.placed)
      if (disk.isMissed) this.findings.cannotRead(reason('links_unchecked'))
    } catch (error) {
      if (error instanceof Unfinished) this.findings.giveUp(error.reason)
      else if (error instanceof RangeError) this.findings.tooDeep() // the parser ran out of stack
      else throw error
    }
  }

  private traps (): void {
    this.again(() => { for (const trap of this.state.traps) this.script(trap, this.depth + 1, null) })
  }

  /** @param positional the values of `$1` and so on in it */
  script (text: string, depth: number, positional = this.state.positional, zero = this.state.zero): void {
    if (depth > maxDepth) return this.findings.tooDeep()
    if (text.length > maxCommandChars) throw new Unfinished(reason('too_long'))
    this.budget.spend(text.length)
    if (openParentheses(text) > maxLevels) return this.findings.tooDeep()
    if (hasHidden(text)) this.findings.cannotRead(reason('invisible_characters'))
    const before = { depth: this.depth, positional: this.state.positional, zero: this.state.zero, base: this.base }
    this.contacts.reads(text)
    this.depth = depth
    this.state.positional = positional
    this.state.zero = zero
    this.base = this.unsure
    this.visit(parse(text))
    this.depth = before.depth
    this.state.positional = before.positional
    this.state.zero = before.zero
    this.base = before.base
  }

  /** Looks for calls that never run in text that may be run, and ignores everything else in it. */
  floor (text: string, depth: number, positional: readonly string[] | null = null): void {
    if (depth > maxDepth || !isKnown(text)) return
    const other = new Shell(this.around)
    try {
      other.script(text, depth + 1, positional)
    } finally {
      this.findings.forbid(other.findings.result().forbidden)
    }
  }

  /** Reads the body of a function of the command line as it runs with these arguments. */
  function (name: string, args: readonly string[], depth: number): void {
    const found = this.state.functions.get(name)
    if (found === undefined) return
    if (this.running.has(name)) {
      // `command git` in a function `git` means the program.
      if (depth === this.depth) this.recursing.add(name)
      return
    }
    const before = { positional: this.state.positional, isDefining: this.state.isDefining, base: this.base }
    this.running.add(name)
    this.state.isDefining = false
    this.base = this.unsure
    // Its local variables are gone after the call.
    this.state.unsurely(() => { this.bodies(found, args) })
    // The arguments of its recursive calls are not followed.
    if (this.recursing.delete(name)) {
      this.state.loseArguments()
      this.state.unsurely(() => { this.bodies(found, null) })
    }
    this.state.positional = before.positional
    this.state.isDefining = before.isDefining
    this.base = before.base
    this.running.delete(name)
  }

  private bodies (definitions: readonly Function[], args: readonly string[] | null): void {
    for (const { body } of definitions) {
      this.state.positional = args
      this.visit(body)
    }
  }

  get isCertain (): boolean {
    return this.unsure === this.base
  }

  /** Grows with what the line puts in place. */
  private readonly placed = (): number => this.around.disk.version + this.state.placed

  /** Reads code that may run repeatedly, again and again as long as each turn changes the state, but `maxTurns` times at most. */
  private again (read: () => void, version = () => this.state.version + this.around.disk.version): void {
    const before = this.state.turn
    for (let turn = 0; ; turn++) {
      const known = version()
      this.state.turn = before + turn
      read()
      if (version() === known) break
      if (turn === maxTurns) {
        this.findings.cannotRead(reason('depends_on_repeats'))
        break
      }
    }
    this.state.turn = before
  }

  /** Reads code that may not run, may run again, or runs in a shell of its own. */
  private unsurely (work: () => void): void {
    this.unsure++
    this.state.unsurely(work)
    this.unsure--
  }

  /** Reads a subshell. The folder that it changes to matters afterwards only to the traps that run at its end. */
  private apart (work: () => void): void {
    const before = new Set(this.state.folders)
    work()
    this.traps()
    for (const folder of this.state.folders) if (!before.has(folder)) this.state.folders.delete(folder)
  }

  private visit (node: SyntaxNode): void {
    payFor(node, this.budget)
    this.isParallel ||= runsBeside(node)
    if (++this.level > maxLevels) this.findings.tooDeep()
    else this.visitNode(node)
    this.level--
  }

  private visitNode (node: SyntaxNode): void {
    switch (node.type) {
      case 'Script':
        this.visitChildren(node)
        if ((node.errors?.length ?? 0) > 0) this.findings.cannotRead(reason('invalid_syntax'))
        return
      case 'Pipeline': return this.visitPipeline(node)
      case 'Command':
        readSimpleCommand(this, this.calls, node)
        break
      case 'Redirected': return this.visitRedirected(node)
      case 'ProcessSubstitution': return this.visitSubstitution(node)
      case 'Function': return this.visitFunction(node)
      case 'Coproc':
        if (node.name !== undefined) {
          this.state.set(node.name.value, [unknown])
          this.state.arrays.add(node.name.value)
        }
        return this.unsurely(() => { this.withInput({ piped: true, text: null }, () => { this.visitChildren(node) }) })
      case 'For':
      case 'Select':
        this.state.assign(node.name.value, node.wordlist?.flatMap((word) =>
          expandWord(word, this.state)) ?? [unknown], node.wordlist?.map(({ text }) => text))
        if (node.type === 'Select') this.state.assign('REPLY', [unknown])
        return this.unsurely(() => { this.again(() => { this.visitChildren(node) }) })
      case 'While':
      case 'ArithmeticFor':
        return this.unsurely(() => { this.again(() => { this.visitChildren(node) }) })
      case 'Subshell':
        return this.unsurely(() => { this.apart(() => { this.visitChildren(node) }) })
      case 'If':
      case 'Case':
        return this.visitBranches(node)
      case 'AndOr':
      case 'CommandExpansion':
        return this.unsurely(() => { this.visitChildren(node) })
      case 'Statement':
        if (node.background === true) return this.unsurely(() => { this.visitChildren(node) })
        break
      case 'Redirect':
      case 'HereString':
      case 'HereDoc':
        judgeRedirection(this, node)
        break
      default: evaluate(this, node)
    }
    this.visitChildren(node)
  }

  private visitBranches (node: If | Case): void {
    this.unsure++
    this.visit(node.type === 'If' ? node.clause : node.word)
    const { branches, isComplete } = branchesOf(node)
    this.state.alternatives(branches.map((nodes) => () => { for (const each of nodes) this.visit(each) }), isComplete)
    this.unsure--
  }

  private visitChildren (node: SyntaxNode): void {
    forEachChild(node, (child) => { this.visit(child) })
  }

  private visitPipeline ({ commands: [only, ...more] }: Pipeline): void {
    if (only === undefined || more.length === 0) return only && this.visit(only)
    const before = this.state.input
    // Its parts run at the same time.
    this.again(() => {
      for (const command of [only, ...more]) {
        this.unsurely(() => { this.visit(command) })
        this.state.input = { piped: true, text: command.type === 'Command' ? printedText(command, this.state) : null }
      }
      this.state.input = before
    }, this.placed)
  }

  private visitRedirected (node: Redirected): void {
    const before = this.state.input
    for (const redirection of node.redirects) this.state.takeInput(redirection)
    this.visit(node.command)
    this.state.input = before
    for (const redirection of node.redirects) this.visit(redirection)
  }

  private visitSubstitution (node: ProcessSubstitutionPart): void {
    const isPiped = node.operator === '>' || this.state.input.piped
    this.withInput({ piped: isPiped, text: null }, () => { if (node.script !== undefined) this.visit(node.script) })
  }

  private visitFunction (node: Function): void {
    if (isForkBomb(node, this.budget)) this.findings.forbid('start processes without end (a fork bomb)')
    this.state.define(node.name.value, node, this.unsure === 0 && !this.state.isDefining && this.running.size === 0)
    // A call may give it input and arguments that are not known here.
    const before = { positional: this.state.positional, isDefining: this.state.isDefining }
    this.state.positional = null
    this.state.isDefining = true
    this.unsurely(() => { this.withInput({ piped: true, text: null }, () => { this.visitChildren(node) }) })
    this.state.positional = before.positional
    this.state.isDefining = before.isDefining
  }

  private withInput (input: ShellState['input'], work: () => void): void {
    const before = this.state.input
    this.state.input = input
    work()
    this.state.input = before
  }
}
