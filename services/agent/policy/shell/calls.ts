import { join, resolve } from 'node:path'
import { runBuiltin } from './builtins.js'
import { keysOf } from '../tables/dangers.js'
import { changesSettings } from '../tables/git-config.js'
import { changingService, findRoots, selects } from '../call.js'
import { hardline } from '../hardline.js'
import { whyLeaves } from './leaving.js'
import { afterOptions, hasOption } from '../tables/options.js'
import { namesService } from '../own/names.js'
import { ownFound } from '../own/find.js'
import * as programs from '../tables/programs.js'
import { scriptRuns } from './script-text.js'
import { isInputDevice } from '../paths.js'
import { type Walk } from './walk.js'
import { maxDepth } from './state.js'
import { reroutedAt, subcommands } from '../tables/subcommands.js'
import { isKnown, unknown } from './words.js'
import { commandReaders, foreignShells, inlineByNature, interpreters, packageRunners, runners, shells, type Wrapper, wrappers } from '../tables/wrappers.js'

/** A call is held against the tables, each of its words against some dozens of patterns. */
const callSteps = 20
const argumentSteps = 4
const wildSteps = 40

/** Judges program calls: takes wrappers off, finds the key, and asks what the call does. */
export class Calls {
  constructor (private readonly shell: Walk) {}

  /**
   * One program with its arguments, wrappers still around it.
   *
   * @param unseen there are more arguments than can be seen
   */
  call (argv: readonly string[], depth: number, unseen = false): void {
    const { findings, files, around, state } = this.shell
    const [word, ...args] = argv
    if (depth > maxDepth) return findings.tooDeep()
    if (word === undefined) return
    this.shell.budget.spend(callSteps)
    this.shell.budget.read(argv)
    for (const arg of args) this.shell.budget.spend(/[*?[]/.test(arg) ? wildSteps : argumentSteps)
    if (!isKnown(word) || word === '') {
      findings.cannotRead('the program to run is only known while it runs')
      return this.floor(args) // an empty variable in front changes nothing
    }
    this.shell.function(word, args)
    const program = this.nameOf(word)
    if (/[ \t\n]/.test(program)) findings.cannotRead('the name of what it runs contains spaces')
    findings.forbid(hardline({ program, args, paths: (path, ofLink) => files.paths(path, ofLink), territory: around.territory }))
    const why = whyLeaves(program, args)
    if (why !== null) findings.leaves(why)
    if (programs.readsUnnamed(program, args)) findings.add('read:protected')

    const wrapper = wrappers.get(program)
    const { environment } = state
    const unwrapped = wrapper !== undefined && this.unwrap(program, args, wrapper, depth, unseen)
    state.environment = environment
    if (unwrapped) return
    this.own(program, args)
    if (shells.has(program)) return this.subshell(program, args, depth, unseen)
    runBuiltin(this.shell, program, args, depth)
    if (program === 'find' || program === 'fd') this.found(args, depth)
    if (commandReaders.get(program)?.(args) === true && state.input.piped) this.runsInput(program, depth)
    this.key(program, args, depth, unseen || args.some((arg) => !isKnown(arg)))
    files.judge(program, args)
  }

  /** The name a program goes by; a path that leads to a folder of the system's programs means that program. */
  private nameOf (word: string): string {
    if (!word.includes('/') || word.startsWith('/')) return programs.programName(word)
    for (const folder of this.shell.state.folders) {
      const name = programs.programName(resolve(folder, word))
      if (!name.includes('/')) return name
    }
    return word
  }

  /** Holds a call to it that nobody changes files of the service, by whatever program. */
  private own (program: string, args: readonly string[], starts = this.starts(program, args)): void {
    const { findings, files, around, state, budget } = this.shell
    if (state.functions.has(program)) return // its body is read with these words
    const call = { program, args: args.slice(0, starts ?? args.length), paths: (path: string, ofLink?: boolean) => files.paths(path, ofLink), territory: around.territory }
    const surroundings = starts === null ? { environment: state.environment, input: state.input.text, folders: state.folders, budget } : { environment: [], input: null, folders: [], budget }
    if (namesService(call, surroundings)) findings.forbid(changingService)
    if (program === 'find' && args.includes('-delete') && ownFound(args, (path) => files.paths(path), around.territory).length > 0) findings.forbid(changingService)
  }

  /** Where the words of a command begin that is read by itself; null when there is none. */
  private starts (program: string, args: readonly string[]): number | null {
    const options = subcommands.get(program)
    const at = options === undefined ? 0 : afterOptions(args, options)
    return options !== undefined && runners.has(`${program} ${args[at] ?? ''}`) ? at : null
  }

  private floor ([program, ...args]: readonly string[]): void {
    const { findings, files, around } = this.shell
    if (program === undefined || !isKnown(program)) return
    findings.forbid(hardline({ program: this.nameOf(program), args, paths: (path, ofLink) => files.paths(path, ofLink), territory: around.territory }))
    if (!wrappers.has(this.nameOf(program))) this.own(this.nameOf(program), args)
  }

  /** Reads the command inside the wrapper; false when there is none. */
  private unwrap (program: string, args: string[], wrapper: Wrapper, depth: number, unseen: boolean): boolean {
    const { findings, files } = this.shell
    let at = afterOptions(args, wrapper)
    const options = args.slice(0, at)
    if (program === 'command' && options.some((option) => /^-[pvV]*[vV]/.test(option))) return false
    if (options.some((option) => wrapper.opaque?.test(option))) findings.cannotRead(`${program} is used in a way that hides what it runs`)
    files.judge(program, args.slice(0, at + (wrapper.operands ?? 0)))
    this.own(program, [...options.filter((option, index) => ![option, options[index - 1] ?? ''].some((word) => wrapper.folder?.test(word) === true || wrapper.text?.test(word) === true)), ...args.slice(at, at + (wrapper.operands ?? 0))], args.length)
    this.changesFolder(options, wrapper)
    if (wrapper.assignments === true) at = this.assignments(args, at)
    if (wrapper.own === true) findings.add(`cmd:${program}`)
    if (program === 'env' && this.splitText(args, depth)) return true
    if (this.optionText(args, wrapper, depth)) return true
    at += wrapper.operands ?? 0
    const inner = args.slice(at)
    if (inner.length === 0) return false
    if (wrapper.joins === true) this.joined(program, inner, depth)
    else if (wrapper.hidesArguments === true) this.call([...this.filledIn(inner, options), unknown], depth + 1, true)
    else this.call(inner, depth + 1, unseen)
    return true
  }

  /** Passes NAME=value words; returns where they end. */
  private assignments (args: readonly string[], start: number): number {
    let at = start
    for (let next = args[at]; next !== undefined && /^\w+=/.test(next); next = args[++at]) {
      const equals = next.indexOf('=')
      this.shell.state.set(next.slice(0, equals), [next.slice(equals + 1)])
      this.shell.state.give([next.slice(equals + 1)])
    }
    return at
  }

  private changesFolder (options: readonly string[], { folder }: Wrapper): void {
    options.forEach((option, index) => {
      if (folder?.test(option) !== true) return
      const value = /^--[^=]*=(.*)$/s.exec(option)?.[1] ?? /^-[a-zA-Z](.+)$/s.exec(option.startsWith('--') ? '' : option)?.[1] ?? options[index + 1] ?? ''
      runBuiltin(this.shell, 'cd', [value], 0)
    })
  }

  /** `env -S` splits its text into words. */
  private splitText (args: readonly string[], depth: number): boolean {
    const index = args.findIndex((arg) => /^(?:-[a-zA-Z]*S|--split-s)/.test(arg))
    if (index === -1) return false
    this.shell.findings.cannotRead('env is used in a way that hides what it runs')
    const attached = /^(?:-[a-zA-Z]*S|--split-s[a-z]*=?)(.*)$/s.exec(args[index] ?? '')?.[1] ?? ''
    this.shell.script([attached, ...args.slice(index + 1)].join(' '), depth + 1)
    return true
  }

  private optionText (args: readonly string[], { text }: Wrapper, depth: number): boolean {
    const index = text === undefined ? -1 : args.findIndex((arg) => text.test(arg))
    if (index === -1) return false
    const value = /^--[^=]*=(.*)$/s.exec(args[index] ?? '')?.[1] ?? args[index + 1] ?? ''
    if (!isKnown(value)) this.shell.findings.cannotRead('what it runs is only known while it runs')
    else this.shell.script(value, depth + 1)
    return true
  }

  /** Words that are put together and given to a shell. `parallel` adds further ones to them. */
  private joined (program: string, inner: readonly string[], depth: number): void {
    const { findings } = this.shell
    const end = program === 'parallel' ? inner.findIndex((arg) => /^:::/.test(arg)) : -1
    const command = end === -1 ? inner : inner.slice(0, end)
    const values = end === -1 ? [] : inner.slice(end + 1).filter((arg) => !/^:::/.test(arg))
    if (program === 'parallel') findings.cannotRead('it puts command lines together while it runs')
    const texts = program !== 'parallel' ? [command.join(' ')] : command.length === 0 ? values : [`${command.join(' ').replaceAll(/\{[^}]*\}/g, ' ')} ${values.join(' ')}`]
    for (const text of texts) {
      if (isKnown(text)) this.shell.script(text, depth + 1)
      else findings.cannotRead('what it runs is only known while it runs')
    }
  }

  /** The words of an `xargs` command with what is known of its input in their places. */
  private filledIn (inner: readonly string[], options: readonly string[]): string[] {
    const index = options.findIndex((option) => /^(?:-[a-zA-Z]*[Ii]|--replace)/.test(option))
    const { text } = this.shell.state.input
    if (index === -1) return [...inner, ...(text ?? '').split(/\s+/).filter(Boolean)]
    const option = options[index] ?? ''
    const mark = /^-[a-zA-Z]*[Ii](.+)$/.exec(option)?.[1] ?? /^--replace=(.+)$/.exec(option)?.[1] ?? (/I$/.test(option) ? options[index + 1] : '{}') ?? '{}'
    const lines = (text ?? '').split('\n').filter(Boolean)
    const places = inner.filter((word) => word === mark).length
    this.shell.budget.spend(places * lines.length)
    return inner.flatMap((word) => !word.includes(mark) ? [word] : word === mark && lines.length > 0 ? [...lines, unknown] : [word.replaceAll(mark, unknown)])
  }

  private subshell (program: string, args: string[], depth: number, unseen: boolean): void {
    const { findings, state, files } = this.shell
    let at = 0
    let inline = false
    for (let arg = args[0]; arg !== undefined && /^[-+]./.test(arg); arg = args[++at]) {
      if (arg === '--') { at++; break }
      if (/^--(?:rcfile|init-file)/.test(arg)) findings.cannotRead('it runs a start-up file of its own')
      if (/^-[a-zA-Z]*s/.test(arg)) return this.runsInput(program, depth)
      if (/^-[a-zA-Z]*c/.test(arg) || /^--?command$/i.test(arg)) inline = true
      if (/^[-+][a-zA-Z]*[oO]$/.test(arg)) at++
    }
    const operand = args[at]
    if (inline) {
      if (operand === undefined || !isKnown(operand)) return findings.cannotRead(`what ${program} runs is only known while it runs`)
      if (foreignShells.has(program)) findings.cannotRead(`it is written for ${program}`)
      const positional = args.slice(at + 2)
      if (unseen) this.shell.floor(operand, depth, positional)
      return this.shell.script(operand, depth + 1, unseen ? positional.map(() => unknown) : positional)
    }
    if (operand === undefined || operand === '-') {
      if (state.input.piped || operand === '-') return this.runsInput(program, depth)
    } else if (!isKnown(operand) || isInputDevice(operand)) return this.runsInput(program, depth)
    findings.add(`cmd:${program}`)
    files.judge(program, args.slice(at))
  }

  private runsInput (program: string, depth: number): void {
    const { findings, state } = this.shell
    findings.cannotRead(`${program} runs whatever it is given as input`)
    // Input that is written out is read all the same, so that the floor holds for it.
    if (state.input.text !== null) this.shell.script(state.input.text, depth + 1)
  }

  /** What `find -exec` and `fd --exec` run. */
  private found (args: string[], depth: number): void {
    // What is found lies below the folders the search starts from; without a condition it is those folders themselves.
    if (args.some((arg) => /^-(?:exec|ok)/.test(arg))) for (const root of findRoots(args)) this.shell.files.through(root)
    const below = selects(args)
    const places = findRoots(args).map((root) => below ? join(root, 'found-file') : root)
    const own = args.some((arg) => /^-(?:exec|ok)/.test(arg)) ? ownFound(args, (path) => this.shell.files.paths(path), this.shell.around.territory).map((root) => join(root, 'found-file')) : []
    for (let at = 0; at < args.length; at++) {
      if (!/^-(?:exec|execdir|ok|okdir)$/.test(args[at] ?? '')) continue
      const start = at + 1
      // As find reads it: up to a `;`, or to a `+` behind `{}`. Whatever stands before belongs to this command.
      while (++at < args.length && args[at] !== ';' && !(args[at] === '+' && args[at - 1] === '{}'));
      const inner = args.slice(start, at)
      const holes = inner.filter((word) => word === '{}').length
      this.shell.budget.spend(holes * (places.length + own.length))
      if (own.length > 0 && holes > 0) this.floor(inner.flatMap((word) => word === '{}' ? own : [word]))
      this.call(inner.flatMap((word) => word === '{}' ? places : [word.replaceAll('{}', unknown)]), depth + 1, inner.some((word) => word.includes('{}')))
    }
  }

  private key (program: string, args: string[], depth: number, unseen: boolean): void {
    const { findings } = this.shell
    const inlineOptions = interpreters.get(program)
    if (inlineOptions !== undefined) return this.interpreter(program, args, inlineOptions)
    if (scriptRuns(program, args)) findings.cannotRead(`the text it gives to ${program} runs commands or writes files`)
    if (program === 'find' && args.includes('-delete')) return findings.add('cmd:find -delete', true)
    const options = subcommands.get(program)
    const at = options === undefined ? 0 : afterOptions(args, options)
    this.rerouted(program, args, at, depth)
    const subcommand = options === undefined ? undefined : args[at]
    if (subcommand !== undefined && (!isKnown(subcommand) || /[*?[ \t\n]/.test(subcommand))) {
      findings.cannotRead(`what ${program} does is only known while it runs`)
      return findings.add(`cmd:${program}`)
    }
    const command = subcommand === undefined ? program : `${program} ${subcommand}`
    // Most programs take an option before the subcommand as well; git's mean something else there.
    const behind = subcommand === undefined ? args : [...args.slice(at + 1), ...(program === 'git' ? [] : args.slice(0, at))]
    for (const { key, lasting } of keysOf(command, behind, unseen)) findings.add(key, lasting)
    if (command === 'git config' && changesSettings(behind)) findings.touch('write:protected', 'beyond')
    this.runner(program, command, args, at, depth)
  }

  private rerouted (program: string, args: readonly string[], at: number, depth: number): void {
    const index = reroutedAt(program, args, at)
    if (index === -1) return
    this.shell.findings.cannotRead(`an option of ${program} makes it run something else`)
    const option = args[index] ?? ''
    const next = args[index + 1] ?? ''
    const texts = option === 'foreach' ? [args.slice(index + 1).join(' ')] : [option, next].flatMap((word) => [word, word.slice(word.indexOf('=') + 1)])
    for (const text of texts) this.shell.floor(text.replace(/^[:!]+/, ''), depth)
  }

  /** Programs that start what their further words name: `poetry run pytest`, `npx eslint`, `ssh host ls`. */
  private runner (program: string, command: string, args: string[], at: number, depth: number): void {
    const own = runners.get(command) ?? (command === 'git bisect' && args[at + 1] === 'run' ? 1 : undefined)
    if (own !== undefined) {
      const rest = args.slice(at + 1 + own)
      const start = afterOptions(rest, {})
      if (rest.length > start) this.call(rest.slice(start), depth + 1)
    } else if (packageRunners.has(program)) {
      const name = programs.programName(args[at] ?? '')
      if (shells.has(name) || interpreters.has(name) || wrappers.has(name)) this.call(args.slice(at), depth + 1)
      else this.shell.floor(args.slice(at).join(' '), depth)
    } else if (program === 'ssh') {
      const start = afterOptions(args, { short: 'BbcDEeFIiJLlmOopQRSWw' })
      if (hasOption(args.slice(0, start), 'E')) this.shell.findings.cannotRead('an option of ssh makes it write a file')
      this.shell.floor(args.slice(start + 1).join(' '), depth)
    }
  }

  private interpreter (program: string, args: string[], inlineOptions: string[]): void {
    const { findings, state } = this.shell
    const inline = args.findIndex((arg) => inlineOptions.some((option) => arg === option || (option.length === 2 && new RegExp(`^-[a-zA-Z]*${option[1]}`).test(arg)) || arg.startsWith(`${option}=`)))
    const module = program === 'python' ? args.findIndex((arg) => /^-[a-zA-Z]*m$/.test(arg)) : -1
    const operand = args.findIndex((arg) => !arg.startsWith('-') || arg === '-')
    if (scriptRuns(program, args)) findings.cannotRead(`the text it gives to ${program} runs commands or writes files`)
    if (reroutedAt(program, args, 0) !== -1) findings.cannotRead(`an option of ${program} makes it run something else`)
    if (inline !== -1 && (operand === -1 || inline <= operand)) return findings.add(`cmd:${program} ${inlineOptions[0]}`)
    if (module !== -1 && (operand === -1 || module < operand)) return this.module(args.slice(module + 1))
    const device = isInputDevice(args[operand] ?? '') || args.some((arg, index) => isInputDevice(arg) && /^-[a-z]*f$/.test(args[index - 1] ?? ''))
    const readsInput = operand === -1 || args[operand] === '-'
    if (device || (readsInput && !inlineByNature.has(program) && state.input.piped)) findings.cannotRead(`${program} runs whatever it is given as input`)
    if (operand !== -1 && !isKnown(args[operand] ?? '')) findings.cannotRead(`what ${program} runs is only known while it runs`)
    findings.add(`cmd:${program}`)
  }

  private module ([name = '', ...args]: readonly string[]): void {
    const { findings } = this.shell
    if (!/^[\w.]+$/.test(name)) return findings.cannotRead('what python runs is only known while it runs')
    findings.add(`cmd:python -m ${name}`)
    const why = whyLeaves(name, args)
    if (why !== null) findings.leaves(why)
  }
}
