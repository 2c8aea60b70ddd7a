import { join } from 'node:path'
import { type Command, forEachChild, type Function, parse, type ParsedScript, type Pipeline, type ProcessSubstitutionPart, type Redirection, type SyntaxNode } from 'unbash'
import { Arguments, type Findings, type Surroundings } from './arguments.js'
import { findRoots, hardline } from './hardline.js'
import { isBlockDevice } from './paths.js'
import * as programs from './programs.js'
import { expandWord, isKnown, isPlain, type Scope, unknown } from './words.js'

/** What was found out about a command line without running it. */
export interface CommandReading {
  /** Pattern keys, each one something the command does; in the order of the command line. */
  keys: string[]
  /** Why the command cannot be read completely; null when it can. */
  opaque: string | null
  /** What it would do that is never done; null when nothing. */
  forbidden: string | null
}

/** Command lines inside command lines (bash -c, eval). */
const maxDepth = 8
/** Syntax inside syntax. */
const maxLevels = 200
const maxCommandChars = 32_768
const maxFolders = 16
/** Reading a program from there means running what something else prints. */
const inputDevice = /^\/dev\/(?:stdin|fd\/)/

/**
 * Reads a bash command line: every simple command in it, through lists, pipelines, subshells, substitutions and the
 * programs that only start others. It makes good questions and catches accidents; it is not a security boundary, as a
 * program that is allowed to run can do what its user can.
 */
export function readCommand (text: string, surroundings: Surroundings): CommandReading {
  const reader = new CommandReader(surroundings)
  try {
    reader.script(text, 0)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    reader.tooDeep() // the parser ran out of stack
  }
  return reader.result()
}

interface Input { piped: boolean, text: string | null }

class CommandReader implements Scope, Findings {
  private readonly keys = new Set<string>()
  private opaque: string | null = null
  private forbidden: string | null = null
  private readonly variables = new Map<string, Set<string>>()
  /** All folders the shell may be in at this point; `cd` adds, nothing takes away. */
  readonly folders: Set<string>
  private readonly files: Arguments
  private input: Input = { piped: false, text: null }
  private depth = 0
  private level = 0

  constructor (private readonly around: Surroundings) {
    this.folders = new Set([around.cwd])
    this.files = new Arguments(around, this)
  }

  result (): CommandReading {
    const keys = [...this.keys]
    const telling = keys.filter((key) => !(key.startsWith('cmd:') && programs.inert.has(key.slice(4))))
    const kept = telling.length > 0 || this.opaque !== null ? telling : keys
    if (this.opaque !== null) kept.unshift('shell:opaque')
    return { keys: kept.length === 0 ? ['shell:empty'] : kept, opaque: this.opaque, forbidden: this.forbidden }
  }

  script (text: string, depth: number): void {
    if (depth > maxDepth) return this.tooDeep()
    if (text.length > maxCommandChars) return this.cannotRead('it is too long')
    // eslint-disable-next-line no-control-regex -- what a terminal or a browser would hide from the reader
    if (/[\u0000-\u0008\u000b-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) this.cannotRead('it contains invisible characters')
    const before = this.depth
    this.depth = depth
    this.visit(parse(text))
    this.depth = before
  }

  lookup (name: string): string[] {
    const known = this.variables.get(name)
    if (known !== undefined) return [...known]
    if (name === 'HOME') return [this.around.territory.userHome]
    if (name === 'PWD') return [...this.folders]
    return [name === 'IFS' ? ' ' : unknown]
  }

  output (part: SyntaxNode): string[] {
    const commands = part.type === 'CommandExpansion' ? part.script?.commands ?? [] : []
    const only = commands.length === 1 ? commands[0]?.command : undefined
    if (only?.type !== 'Command' || only.redirects.length > 0) return [unknown]
    if (only.name?.value === 'pwd') return [...this.folders]
    return [this.printed(only) ?? unknown]
  }

  cannotRead (why: string): void {
    this.opaque ??= why
  }

  /** What cannot be read to its end could hide anything, so the floor would not hold; nobody writes such commands. */
  tooDeep (): void {
    this.cannotRead('it is nested too deeply')
    this.forbidden ??= 'run commands that are nested too deeply to be checked'
  }

  private visit (node: SyntaxNode): void {
    if (++this.level > maxLevels) this.tooDeep()
    else this.visitNode(node)
    this.level--
  }

  private visitNode (node: SyntaxNode): void {
    switch (node.type) {
      case 'Script': return this.visitScript(node)
      case 'Pipeline': return this.visitPipeline(node)
      case 'Command': return this.visitCommand(node)
      case 'ProcessSubstitution': return this.visitSubstitution(node)
      case 'Function': this.checkForkBomb(node); break
      case 'For':
      case 'Select':
        this.assign(node.name.value, node.wordlist?.flatMap((word) => expandWord(word, this)) ?? [unknown])
        break
      case 'Redirect':
      case 'HereString':
      case 'HereDoc':
        this.redirection(node)
        break
    }
    forEachChild(node, (child) => { this.visit(child) })
  }

  private visitScript (script: ParsedScript): void {
    forEachChild(script, (child) => { this.visit(child) })
    if ((script.errors?.length ?? 0) > 0) this.cannotRead('it is not valid shell syntax')
  }

  private visitPipeline (pipeline: Pipeline): void {
    const before = this.input
    let previous: Command | null = null
    for (const command of pipeline.commands) {
      this.visit(command)
      previous = command.type === 'Command' ? command : null
      this.input = { piped: true, text: previous === null ? null : this.printed(previous) }
    }
    this.input = before
  }

  private visitSubstitution (node: ProcessSubstitutionPart): void {
    const before = this.input
    this.input = { piped: node.operator === '>', text: null }
    if (node.script !== undefined) this.visit(node.script)
    this.input = before
  }

  /** What `echo` and `printf` with written-out arguments print. */
  private printed (command: Command): string | null {
    if (command.name === undefined || !['echo', 'printf'].includes(programs.programName(command.name.value))) return null
    const words = command.args.flatMap((word) => word.type === 'Word' ? expandWord(word, this) : [unknown])
    const text = words.filter((word, index) => index > 0 || !/^-[neE]+$/.test(word)).join(' ')
    return isKnown(text) ? text : null
  }

  private visitCommand (command: Command): void {
    for (const part of [...command.prefix, ...command.suffix]) {
      if (part.type !== 'Assignment') continue
      const values = part.value.type === 'Word' && part.append !== true && part.index === undefined ? expandWord(part.value, this) : [unknown]
      if (programs.steeringVariable.test(part.name)) this.cannotRead(`it sets ${part.name}, which changes what programs do`)
      if (command.name === undefined || command.suffix.includes(part)) this.assign(part.name, values)
    }
    const before = this.input
    for (const redirection of command.redirects) this.takeInput(redirection)
    if (command.name !== undefined) {
      const argv = [command.name, ...command.args].flatMap((word) => word.type === 'Word' ? expandWord(word, this) : [word.text])
      const split = argv.length > 1 && /\s/.test(argv[0] ?? '') // several words in one variable
      if (split || !isPlain(command.name)) this.cannotRead('the program to run is only known while it runs')
      this.call(split ? argv.slice(1) : argv)
    }
    this.input = before
    forEachChild(command, (child) => { this.visit(child) })
  }

  private assign (name: string, values: string[]): void {
    const known = this.variables.get(name) ?? new Set()
    for (const value of values) known.add(value)
    this.variables.set(name, known.size > 32 ? new Set([unknown]) : known)
  }

  private takeInput (redirection: Redirection): void {
    if (redirection.type === 'HereDoc') this.input = { piped: true, text: redirection.body.text }
    else if (redirection.type === 'HereString') this.input = { piped: true, text: redirection.target === undefined ? null : expandWord(redirection.target, this).join('\n') }
    else if (redirection.operator === '<' && redirection.target?.value !== '/dev/null') this.input = { piped: true, text: null }
  }

  private redirection (redirection: Redirection): void {
    if (redirection.type !== 'Redirect' || redirection.target === undefined) return
    const { operator, target } = redirection
    if (operator === '<&' || (operator === '>&' && /^(?:\d+-?|-)$/.test(target.value))) return
    const access = operator === '<' ? 'read' : 'write'
    for (const word of expandWord(target, this)) {
      const host = /^\/dev\/(?:tcp|udp)\/([^/]+)/.exec(word)?.[1]
      if (host !== undefined) this.add(`net:${isKnown(host) ? host.toLowerCase() : 'unknown'}`)
      else if (access === 'write' && (isBlockDevice(word) || this.files.paths(word).some(isBlockDevice))) this.forbidden ??= 'overwrite a disk'
      else if (isKnown(word)) this.files.path(word, access)
      else if (access === 'write') this.cannotRead('the file it writes is only known while it runs')
      else this.add('read:outside')
    }
  }

  /** One program with its arguments, wrappers still around it. */
  private call (argv: string[], depth = this.depth): void {
    const [word, ...args] = argv
    if (depth > maxDepth) return this.tooDeep()
    if (word === undefined) return
    if (!isKnown(word) || word === '') return this.cannotRead('the program to run is only known while it runs')
    const program = programs.programName(word)
    this.forbidden ??= hardline({ program, args, paths: (path, ofLink) => this.files.paths(path, ofLink), territory: this.around.territory })

    const wrapper = programs.wrappers.get(program)
    if (wrapper !== undefined && this.unwrap(program, args, wrapper, depth)) return
    if (programs.shells.has(program)) return this.shell(program, args, depth)
    this.builtin(program, args, depth)
    this.key(program, args)
    this.files.judge(program, args)
  }

  /** Reads the command inside the wrapper; false when there is none. */
  private unwrap (program: string, args: string[], wrapper: programs.Wrapper, depth: number): boolean {
    let at = programs.afterOptions(args, wrapper)
    const options = args.slice(0, at)
    if (program === 'command' && options.some((option) => /^-[pvV]*[vV]/.test(option))) return false
    if (options.some((option) => wrapper.opaque?.some((name) => option === name || option.startsWith(`${name}=`)))) {
      this.cannotRead(`${program} is used in a way that hides what it runs`)
      if (program === 'env') this.script(args.slice(at).join(' '), depth + 1) // -S splits its text into words
    }
    this.files.judge(program, options)
    if (wrapper.assignments === true) {
      for (let next = args[at]; next !== undefined && /^\w+=/.test(next); next = args[++at]) {
        const name = next.slice(0, next.indexOf('='))
        if (programs.steeringVariable.test(name)) this.cannotRead(`it sets ${name}, which changes what programs do`)
      }
    }
    at += wrapper.operands ?? 0
    if (wrapper.own === true) this.add(`cmd:${program}`)
    const inner = args.slice(at)
    if (inner.length === 0) return false
    this.call(wrapper.hidesArguments === true ? [...inner, unknown] : inner, depth + 1)
    return true
  }

  private shell (program: string, args: string[], depth: number): void {
    let at = 0
    let inline = false
    for (let arg = args[0]; arg !== undefined && /^[-+]./.test(arg); arg = args[++at]) {
      if (arg === '--') { at++; break }
      if (/^--(?:rcfile|init-file)/.test(arg)) this.cannotRead('it runs a start-up file of its own')
      if (/^-[a-zA-Z]*s/.test(arg)) return this.runsInput(program)
      if (/^-[a-zA-Z]*c/.test(arg)) inline = true
      if (/^[-+][a-zA-Z]*[oO]$/.test(arg)) at++
    }
    const operand = args[at]
    if (inline) {
      if (operand === undefined || !isKnown(operand)) return this.cannotRead(`what ${program} runs is only known while it runs`)
      return this.script(operand, depth + 1)
    }
    if (operand === undefined || operand === '-') {
      if (this.input.piped || operand === '-') return this.runsInput(program)
    } else if (!isKnown(operand) || inputDevice.test(operand)) return this.runsInput(program)
    this.add(`cmd:${program}`)
    this.files.judge(program, args.slice(at))
  }

  private runsInput (program: string): void {
    this.cannotRead(`${program} runs whatever it is given as input`)
    // Input that is written out is read all the same, so that the floor holds for it.
    if (this.input.text !== null) this.script(this.input.text, this.depth + 1)
  }

  /** Words of the shell that take commands as text, and programs that start others in their own way. */
  private builtin (program: string, args: string[], depth: number): void {
    switch (program) {
      case 'eval':
        this.cannotRead('it runs text as a command (eval)')
        if (args.every(isKnown)) this.script(args.join(' '), depth + 1)
        break
      case 'alias':
        this.cannotRead('it gives commands another meaning (alias)')
        break
      case 'trap':
        if (args[0] !== undefined && isKnown(args[0]) && args[0] !== '-') this.script(args[0], depth + 1)
        break
      case 'source':
      case '.':
        if (args[0] === undefined || !isKnown(args[0]) || inputDevice.test(args[0])) this.cannotRead('what it runs is only known while it runs')
        break
      case 'su': {
        const at = args.findIndex((arg) => /^-[a-z]*c$|^--command$/.test(arg))
        if (at !== -1) this.script(args[at + 1] ?? '', depth + 1)
        else if (this.input.piped) this.runsInput(program)
        break
      }
      case 'read':
        for (const arg of args) if (/^\w+$/.test(arg)) this.assign(arg, [unknown])
        break
      case 'cd':
      case 'pushd':
        this.changeFolder(args)
        break
      case 'find':
        this.found(args, depth)
        break
    }
  }

  private changeFolder (args: string[]): void {
    const target = args.find((arg) => !/^-[LPe@n]+$/.test(arg) && arg !== '--')
    const words = target === undefined ? [this.around.territory.userHome] : target === '-' ? [] : [target]
    for (const word of words) {
      if (!isKnown(word)) {
        this.add('read:outside')
        this.cannotRead('the folder it changes to is only known while it runs')
        continue
      }
      if (this.folders.size >= maxFolders) return this.cannotRead('it changes folders too often')
      for (const path of this.files.paths(word)) this.folders.add(path)
    }
  }

  private found (args: string[], depth: number): void {
    args.forEach((arg, index) => {
      if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg)) return
      const rest = args.slice(index + 1)
      const end = rest.findIndex((word) => word === ';' || word === '+')
      const inner = end === -1 ? rest : rest.slice(0, end)
      // What is found lies below the folders the search starts from.
      this.call(inner.flatMap((word) => word === '{}' ? findRoots(args).map((root) => join(root, 'found-file')) : [word.replaceAll('{}', unknown)]), depth + 1)
    })
  }

  private key (program: string, args: string[]): void {
    const inlineOptions = programs.interpreters.get(program)
    if (inlineOptions !== undefined) return this.interpreter(program, args, inlineOptions)
    if (program === 'find' && args.includes('-delete')) return this.add('cmd:find -delete')
    const options = programs.subcommands.get(program)
    if (options === undefined) return this.add(`cmd:${program}`)
    const at = programs.afterOptions(args, options)
    const rerouting = programs.reroutingOptions.get(program) ?? []
    if (args.slice(0, at).some((arg) => rerouting.some((name) => arg === name || arg.startsWith(`${name}=`) || (name.length === 2 && arg.startsWith(name))))) {
      this.cannotRead(`an option of ${program} makes it run something else`)
    }
    const subcommand = args[at]
    if (subcommand !== undefined && !isKnown(subcommand)) this.cannotRead(`what ${program} does is only known while it runs`)
    this.add(subcommand === undefined || !isKnown(subcommand) ? `cmd:${program}` : `cmd:${program} ${subcommand.slice(0, 100)}`)
  }

  private interpreter (program: string, args: string[], inlineOptions: string[]): void {
    const inline = args.findIndex((arg) => inlineOptions.some((option) => arg === option || (option.length === 2 && new RegExp(`^-[a-zA-Z]*${option[1]}`).test(arg)) || arg.startsWith(`${option}=`)))
    const module = program === 'python' ? args.indexOf('-m') : -1
    const operand = args.findIndex((arg) => !arg.startsWith('-') || arg === '-')
    if (inline !== -1 && (operand === -1 || inline <= operand)) return this.add(`cmd:${program} ${inlineOptions[0]}`)
    if (module !== -1 && (operand === -1 || module < operand)) return this.add(`cmd:python -m ${args[module + 1] ?? ''}`)
    const readsInput = operand === -1 || args[operand] === '-' || inputDevice.test(args[operand] ?? '')
    if (readsInput && !programs.inlineByNature.has(program) && this.input.piped) this.cannotRead(`${program} runs whatever it is given as input`)
    if (operand !== -1 && !isKnown(args[operand] ?? '')) this.cannotRead(`what ${program} runs is only known while it runs`)
    this.add(`cmd:${program}`)
  }

  add (key: string): void {
    this.keys.add(key)
  }

  private checkForkBomb (node: Function): void {
    const name = node.name.value
    const callsItself = (child: SyntaxNode, multiplied: boolean): boolean => {
      if (child.type === 'Command' && child.name?.value === name) return multiplied
      let found = false
      const inside = multiplied || child.type === 'Pipeline' || (child.type === 'Statement' && child.background === true)
      forEachChild(child, (grandchild) => { found ||= callsItself(grandchild, inside) })
      return found
    }
    if (callsItself(node.body, false)) this.forbidden ??= 'start processes without end (a fork bomb)'
  }
}
