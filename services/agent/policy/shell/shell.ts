import {
  type Assignment, type Case, type Command, type CommandArgument, forEachChild, type Function, type If, parse, type ParsedScript,
  type Pipeline, type ProcessSubstitutionPart, type Redirected, type Redirection, type SyntaxNode, type Word
} from 'unbash'
import { Arguments, type Surroundings } from './arguments.js'
import { Calls } from './calls.js'
import { Contacts } from './contacts.js'
import { type Budget, Unfinished } from '../budget.js'
import { hasHidden, hasMistakable } from './characters.js'
import { type CommandReading, Findings } from '../findings.js'
import { changingService } from '../call.js'
import { isBlockDevice, isHarmlessDevice, isOfService } from '../paths.js'
import { maxDepth, ShellState } from './state.js'
import { steersInText } from '../tables/programs.js'
import { isOthersName, variableTexts } from './variable-names.js'
import { type Walk } from './walk.js'
import { commandArguments, commandReadings, expandWord, isArguments, isKnown, isPlain, maySplit, type Scope, scopesOf, unknown, unquoted } from './words.js'

/** Syntax inside syntax. */
const maxLevels = 200
const maxCommandChars = 32_768
/** Readings of the body of a loop. */
const maxTurns = 12
/** What other shells than bash, and bash as `sh`, remember of `X=1 export`, and of `X=1 f` for a function. */
const keepsAssignments = (name: string, { functions }: ShellState): boolean =>
  /^(?::|\.|source|break|continue|eval|exec|exit|export|readonly|return|set|shift|times|trap|unset)$/.test(name) || functions.has(name)
const othersName = 'which variable it means is only known while it runs'

/**
 * Reads a bash command line: every simple command in it, through lists, pipelines, subshells, substitutions and the
 * programs that only start others. It makes good questions and catches accidents; it is not a security boundary, as a
 * program that is allowed to run can do what its user can.
 */
export function readCommand (text: string, surroundings: Surroundings): CommandReading {
  const shell = new Shell(surroundings)
  shell.read(text)
  const reading = shell.findings.result()
  return reading.keys.length > 0 ? reading : { ...reading, keys: ['shell:empty'] }
}

/** How many parentheses stand open at most, quoted or not: what that is is seen before it is parsed. */
function openParentheses (text: string): number {
  let open = 0
  let most = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === 0x28) most = Math.max(most, ++open)
    else if (character === 0x29 && open > 0) open--
  }
  return most
}

/** Walks the syntax of a command line and knows what the shell would know at each point. */
class Shell implements Walk {
  readonly findings = new Findings()
  readonly state: ShellState
  readonly files: Arguments
  readonly budget: Budget
  readonly contacts: Contacts
  private readonly calls: Calls
  private readonly running = new Set<string>()
  private depth = 0
  private level = 0
  /** In how much of what may not run, may run again, or runs in another shell, this is. */
  private unsure = 0
  private base = 0
  private readonly recursing = new Set<string>()

  constructor (readonly around: Surroundings) {
    this.budget = around.budget
    this.state = new ShellState(around.cwd, around.territory.userHome, this.findings, around.budget)
    this.state.isPlainShell = around.isPlainShell === true
    this.files = new Arguments(around, this.findings, this.state)
    this.contacts = new Contacts(this)
    this.calls = new Calls(this)
  }

  read (text: string): void {
    try {
      this.script(text, 0)
      this.traps()
    } catch (error) {
      if (error instanceof Unfinished) this.findings.giveUp(error.message)
      else if (error instanceof RangeError) this.findings.tooDeep() // the parser ran out of stack
      else throw error
    }
  }

  private traps (): void {
    this.again(() => { for (const trap of this.state.traps) this.script(trap, this.depth + 1, null) })
  }

  /** @param positional what `$1` and so on are in there */
  script (text: string, depth: number, positional = this.state.positional, zero = this.state.zero): void {
    if (depth > maxDepth) return this.findings.tooDeep()
    if (text.length > maxCommandChars) throw new Unfinished('it is too long')
    this.budget.spend(text.length)
    if (openParentheses(text) > maxLevels) return this.findings.tooDeep()
    if (hasHidden(text)) this.findings.cannotRead('it contains invisible characters')
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

  /** Holds text that may be run to the floor, and takes nothing else from it. */
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
    // What is local to it is gone behind it.
    this.state.unsurely(() => { this.bodies(found, args) })
    // What it calls itself with is not followed any further.
    if (this.recursing.delete(name)) this.state.unsurely(() => { this.bodies(found, null) })
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

  /** Reads what may run again once more, as long as that finds something that it did not know before. */
  private again (read: () => void): void {
    const before = this.state.turn
    for (let turn = 0; ; turn++) {
      const { version } = this.state
      this.state.turn = before + turn
      read()
      if (this.state.version === version) break
      if (turn === maxTurns) {
        this.findings.cannotRead('what it does depends on how often it repeats something')
        break
      }
    }
    this.state.turn = before
  }

  /** What may not run, may run again, or runs in a shell of its own. */
  private unsurely (work: () => void): void {
    this.unsure++
    this.state.unsurely(work)
    this.unsure--
  }

  /** The folder that a subshell changes to matters afterwards only to the traps that run at its end. */
  private apart (work: () => void): void {
    const before = new Set(this.state.folders)
    work()
    this.traps()
    for (const folder of this.state.folders) if (!before.has(folder)) this.state.folders.delete(folder)
  }

  private visit (node: SyntaxNode): void {
    this.pay(node)
    if (++this.level > maxLevels) this.findings.tooDeep()
    else this.visitNode(node)
    this.level--
  }

  /** Words and expansions are parsed when they are come to: one inside another is gone through once for each level. */
  private pay (node: SyntaxNode): void {
    if (node.type === 'Word') this.budget.open(node.text)
    else if (node.type === 'Command' && node.name !== undefined) this.budget.open(node.name.text)
    else this.budget.spend(1 + ((node.end - node.pos) >> (node.type.endsWith('Expansion') ? 2 : 4)))
  }

  private visitNode (node: SyntaxNode): void {
    switch (node.type) {
      case 'Script': return this.visitScript(node)
      case 'Pipeline': return this.visitPipeline(node)
      case 'Command': return this.visitCommand(node)
      case 'Redirected': return this.visitRedirected(node)
      case 'ProcessSubstitution': return this.visitSubstitution(node)
      case 'Function': return this.visitFunction(node)
      case 'Coproc':
        if (node.name !== undefined) this.state.set(node.name.value, [unknown])
        return this.unsurely(() => { this.withInput({ piped: true, text: null }, () => { this.visitChildren(node) }) })
      case 'For':
      case 'Select':
        this.state.assign(node.name.value, node.wordlist?.flatMap((word) =>
          expandWord(word, this.state)) ?? [unknown], node.wordlist?.map(({ text }) => text))
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
      case 'ParameterExpansion':
        // As a prompt, a value has its substitutions run, whatever it was filled with.
        if (node.text.endsWith('@P}')) this.findings.cannotRead('it runs what stands in a variable')
        if (node.index !== undefined) this.subscript(node.parameter, node.index)
        if (node.prefix === '!' && node.index === undefined && !/[@*]\}$/.test(node.text) && this.state.isForeign(node.parameter)) {
          this.findings.cannotRead(othersName)
        }
        if (node.operation?.type === 'Slice') {
          for (const word of [node.operation.offset, node.operation.length]) this.state.calculate(word?.text ?? '')
        }
        if (node.prefix === '!' && node.operation?.type === 'Default' && node.operation.operator.endsWith(
          '='
        )) this.findings.cannotRead('it sets a variable that it does not name')
        else if (node.operation?.type === 'Default' && node.operation.operator.endsWith(
          '='
        )) this.state.assign(node.parameter, expandWord(node.operation.operand, this.state))
        break
      case 'TestCommand':
        this.ofBash()
        break
      case 'ArithmeticCommand':
      case 'ArithmeticExpansion':
        if (node.type === 'ArithmeticCommand') this.ofBash(node.body)
        this.sets(node.type === 'ArithmeticCommand' ? node.body : node.text)
        this.state.calculate(node.type === 'ArithmeticCommand' ? node.body : node.text.slice('$(('.length, -'))'.length))
        break
      case 'ArithmeticWord':
        this.state.calculate(node.value)
        break
      case 'ArithmeticBinary':
        if (/^(?:[^=!<>]|<<|>>)?=$/.test(node.operator) && node.left.type === 'ArithmeticWord') this.sets(`${node.left.value}=`)
        break
      case 'TestUnary':
        if (!/^-[vR]$/.test(node.operator)) break
        this.calculates(expandWord(node.operand, this.state))
        if (isOthersName(node.operand.text, this.state)) this.findings.cannotRead(othersName)
        break
      case 'TestBinary':
        if (/^-(?:eq|ne|[lg][te])$/.test(node.operator)) for (const { text } of [node.left, node.right]) this.state.calculate(text)
        if (/^-(?:eq|ne|[lg][te])$/.test(node.operator)) {
          this.calculates([node.left, node.right].flatMap((word) => expandWord(word, this.state)))
        }
        break
      case 'Word':
        if (node.parts?.some(({ type, text }) => type === 'AnsiCQuoted' && text.includes("\\'")) === true) this.ofBash()
        if (hasMistakable(unquoted(node))) this.findings.cannotRead('it contains characters that look like others')
        break
      case 'Redirect':
      case 'HereString':
      case 'HereDoc':
        this.redirection(node)
        break
    }
    this.visitChildren(node)
  }

  /** @param text what another shell takes for a command */
  private ofBash (text = ''): void {
    if (!this.state.isPlainShell) return
    this.findings.cannotRead('only bash reads it like this, and another shell may run it')
    this.floor(text, this.depth)
  }

  private visitBranches (node: If | Case): void {
    this.unsure++
    this.visit(node.type === 'If' ? node.clause : node.word)
    const isComplete = node.type === 'If' ? node.else !== undefined : node.items.some(({ pattern }) => pattern.some(({ text }) => text === '*'))
    const branches: SyntaxNode[][] = node.type === 'Case'
      ? node.items.map((item) => [item])
      : [[node.then], ...node.elif.map(({ clause, then }) => [clause, then]), ...node.else === undefined ? [] : [[node.else]]]
    this.state.alternatives(branches.map((nodes) => () => { for (const each of nodes) this.visit(each) }), isComplete)
    this.unsure--
  }

  private sets (text: string): void {
    if (steersInText(text)) this.findings.cannotRead('it sets a variable that changes what programs do')
  }

  private visitChildren (node: SyntaxNode): void {
    forEachChild(node, (child) => { this.visit(child) })
  }

  private visitScript (script: ParsedScript): void {
    this.visitChildren(script)
    if ((script.errors?.length ?? 0) > 0) this.findings.cannotRead('it is not valid shell syntax')
  }

  private visitPipeline (pipeline: Pipeline): void {
    const before = this.state.input
    for (const command of pipeline.commands) {
      if (pipeline.commands.length > 1) this.unsurely(() => { this.visit(command) })
      else this.visit(command)
      this.state.input = { piped: true, text: command.type === 'Command' ? this.state.printed(command) : null }
    }
    this.state.input = before
  }

  private visitRedirected (node: Redirected): void {
    const before = this.state.input
    for (const redirection of node.redirects) this.state.takeInput(redirection)
    this.visit(node.command)
    this.state.input = before
    for (const redirection of node.redirects) this.visit(redirection)
  }

  private visitSubstitution (node: ProcessSubstitutionPart): void {
    this.withInput({
      piped: node.operator === '>' || this.state.input.piped, text: null
    }, () => { if (node.script !== undefined) this.visit(node.script) })
  }

  private visitFunction (node: Function): void {
    this.checkForkBomb(node)
    this.state.define(node.name.value, node, this.unsure === 0 && !this.state.isDefining && this.running.size === 0)
    // Whoever calls it may give it input and arguments that are not known here.
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

  private visitCommand (command: Command): void {
    const { state } = this
    const { environment } = state
    for (const part of [...command.prefix, ...command.suffix]) {
      if (part.type !== 'Assignment') continue
      const values = this.valuesOf(part)
      if (part.index !== undefined) this.subscript(part.name, part.index)
      if ('elements' in part.value && !state.maps.has(part.name)) this.elements(part.value.elements)
      const assign = (): void => {
        state.assign(part.name, values, 'elements' in part.value ? part.value.elements.map(({ text }) => text) : [part.value.text])
      }
      if (command.name === undefined || command.suffix.includes(part)) assign()
      else if (keepsAssignments(command.name.value, state)) state.unsurely(assign)
      else if (part.name !== 'IFS' || command.name.value !== 'read') state.set(part.name, values) // `IFS= read` concerns that line only
      if (command.name !== undefined && command.prefix.includes(part)) state.give(values)
    }
    const before = state.input
    for (const redirection of command.redirects) state.takeInput(redirection)
    if (command.name !== undefined) this.visitCalls(command.name, command.args)
    if (command.name !== undefined && command.prefix.length > 0) state.environment = environment
    // `exec < file` without a program redirects the shell itself, for all that follows.
    if (command.name?.value !== 'exec' || command.args.length > 0) state.input = before
    this.visitChildren(command)
  }

  private visitCalls (name: Word, words: readonly CommandArgument[]): void {
    const texts = [name, ...words].flatMap((word) => word.type === 'Word' ? [word.text] : [])
    if (variableTexts(texts).some((text) => isOthersName(text, this.state))) this.findings.cannotRead(othersName)
    if (name.value === 'let') for (const text of texts.slice(1)) this.state.calculate(text)
    const many = words.some((word) => word.type === 'Word' && maySplit(word, this.state))
    const given = words.map((word) => word.type === 'Word' ? word : this.valuesOf(word).map((value) => `${word.name}=${value}`))
    const varying = [name, ...given.flatMap((word) => Array.isArray(word) ? [] : [word])]
    for (const scope of scopesOf(varying, this.state)) {
      for (const args of commandArguments(given, scope)) this.visitCall(name, args, scope, many)
    }
  }

  private visitCall (name: Word, args: readonly string[], scope: Scope, many: boolean): void {
    const isOpen = !isPlain(name)
    for (const reading of isOpen ? commandArguments([name], scope) : commandReadings(name, scope)) {
      if (isOpen || (reading.length > 1 && !isArguments(name))) {
        this.findings.cannotRead('the program to run is only known while it runs')
      }
      const argv = [...reading, ...args]
      this.findings.runs(argv)
      this.calls.call(argv, this.depth, false, many)
    }
  }

  private valuesOf ({ value, append, index }: Assignment): string[] {
    // Braces stay in what is assigned.
    const isRead = value.type === 'Word' && append !== true && index === undefined && value.parts?.some(({ type }) => type === 'BraceExpansion') !== true
    return isRead ? expandWord(value, this.state) : [unknown]
  }

  private redirection (redirection: Redirection): void {
    if (redirection.descriptor?.type === 'FileDescriptorVariable') {
      this.state.set(redirection.descriptor.name.replace(/\[[^]*$/, ''), [unknown])
    }
    if (redirection.type !== 'Redirect' || redirection.target === undefined) return
    const { operator, target } = redirection
    if (operator === '<&' || (operator === '>&' && /^(?:\d+-?|-)$/.test(target.value))) return
    const access = operator === '<' ? 'read' : 'write'
    if (access === 'write' && !isHarmlessDevice(target.value)) this.findings.mayChange(operator)
    for (const word of expandWord(target, this.state)) {
      const host = /^\/dev\/(?:tcp|udp)\/([^/]*)/.exec(word)?.[1]
      if (host !== undefined) {
        this.findings.add(`net:${host}`)
        this.findings.mayChange(word)
      } else if (access === 'write' && (isBlockDevice(word) || this.files.paths(word).some(isBlockDevice))) {
        this.findings.forbid(
          'overwrite a disk'
        )
      } else if (isKnown(word)) this.redirected(word, access)
      else if (access === 'write') this.findings.cannotRead('the file it writes is only known while it runs')
      else this.findings.add('read:protected')
    }
  }

  private redirected (word: string, access: 'read' | 'write'): void {
    if (access === 'read') return this.files.path(word, access)
    this.files.written(word)
    this.contacts.writes(word)
    if (this.files.paths(word).some((path) => isOfService(path, false, this.around.territory))) this.findings.forbid(changingService)
  }

  /** Text that is evaluated as arithmetic runs the substitutions in its subscripts. */
  calculates (texts: readonly string[]): void {
    for (const text of texts) {
      if (!/\$\(|`/.test(text)) continue
      this.findings.cannotRead('it runs text as a command while it calculates')
      this.script(`echo ${text}`, this.depth + 1)
    }
  }

  /** The same for the places that elements are given: `a=([i]=1)`. */
  private elements (words: readonly Word[]): void {
    for (const { text } of words) this.state.calculate(/^\[(.*?)\]\+?=/s.exec(text)?.[1] ?? '')
  }

  /** What stands in brackets is calculated, unless the variable has been declared as one with names in it. */
  private subscript (name: string, index: Word): void {
    if (!/^[@*]$/.test(index.value) && !this.state.maps.has(name)) this.state.calculate(index.text)
  }

  private checkForkBomb (node: Function): void {
    const name = node.name.value
    const callsItself = (child: SyntaxNode, multiplied: boolean): boolean => {
      this.pay(child)
      if (child.type === 'Command' && child.name?.value === name) return multiplied
      let found = false
      const inside = multiplied || child.type === 'Pipeline' || (child.type === 'Statement' && child.background === true)
      forEachChild(child, (grandchild) => { found ||= callsItself(grandchild, inside) })
      return found
    }
    if (callsItself(node.body, false)) this.findings.forbid('start processes without end (a fork bomb)')
  }
}
