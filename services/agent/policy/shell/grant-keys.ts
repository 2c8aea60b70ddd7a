import { keysOf } from '../tables/dangers.js'
import { placesByAddress, sendsOn } from '../tables/fetchers.js'
import { changesSettings } from '../tables/git-config.js'
import { globalsOf, optionsOf } from '../tables/known.js'
import { mindsMore, placesOf, readOptions, strangeWords, takesAnyWord } from '../tables/option-words.js'
import { afterOptions } from '../tables/options.js'
import * as programs from '../tables/programs.js'
import { type KnownOptions, mayBeOtherOption, Spelling, takenBy } from '../tables/spelling.js'
import { sshOptions } from '../tables/targets.js'
import { changesOthers, nameOf, subcommands, tellingAt, tellingSetting } from '../tables/subcommands.js'
import { inlineByNature, interpreters, packageRunners, runners, shells, wrappers } from '../tables/wrappers.js'
import { isInputDevice } from '../paths.js'
import { whyLeaves } from './leaving.js'
import { scriptRuns } from './script-text.js'
import { type Caller, type Walk } from './walk.js'
import { isKnown, isPattern } from './words.js'
import { reason } from '../../../../reasons/index.js'

const noOptions = new Spelling('')
/** Python's option whose value, which may be attached to it, is a module. */
const withModule = /^-[bBdEhiIOPqsSuvVx]*m(.*)$/s

/**
 * Returns the index of an interpreter's first operand, or of the option after which the program follows; the length if there is neither.
 */
function operandAt (args: readonly string[], known: readonly KnownOptions[], ends: (arg: string) => boolean): number {
  let at = 0
  for (let arg = args[0]; arg !== undefined && arg.length > 1 && arg.startsWith('-'); arg = args[at]) {
    if (ends(arg)) return at
    if (arg === '--') return at + 1
    at += takenBy(known, arg) === 'next' && !/^-[a-zA-Z]*m$/.test(arg) ? 2 : 1
  }
  return Math.min(at, args.length)
}

/** Finds the keys under which a call may be allowed. */
export class Keys {
  constructor (private readonly shell: Walk, private readonly calls: Caller) {}

  /** @param many whether there are more arguments than are visible, each of which may be an option */
  find (program: string, args: string[], depth: number, unseen: boolean, many: boolean): void {
    const { findings } = this.shell
    const inlineOptions = interpreters.get(program)
    if (inlineOptions !== undefined) return this.interpreter(program, args, inlineOptions, depth)
    if (scriptRuns(program, args)) findings.cannotRead(reason('script_runs', { program }))
    if (program === 'find' && args.includes('-delete')) findings.add('cmd:find -delete', true)
    if (placesByAddress(program, args)) findings.cannotRead(reason('addresses_decide_place'))
    if (sendsOn(program, args)) findings.cannotRead(reason('redirect_decides'))
    const options = subcommands.get(program)
    const at = options === undefined ? 0 : afterOptions(args, options)
    this.tells(program, args, at, depth)
    const subcommand = options === undefined ? undefined : args[at]
    if (subcommand !== undefined && (!isKnown(subcommand) || /[*?[ \t\n]/.test(subcommand))) {
      findings.cannotRead(reason('unknown_effect', { command: program }))
      return findings.add(`cmd:${program}`)
    }
    const command = subcommand === undefined ? program : `${program} ${subcommand}`
    const { isRead, named } = this.options(program, subcommand, args, at, many, depth)
    const whole = subcommand === undefined || this.shell.state.isFunctionCall ? { name: command, end: at + 1 } : nameOf(program, args, at)
    if (whole === null) findings.cannotRead(reason('unknown_effect', { command }))
    const { name, end } = whole ?? { name: command, end: at + 1 }
    // Most programs also take their options before the subcommand; git's mean something else there.
    const behind = subcommand === undefined ? args : [...args.slice(end), ...(program === 'git' ? [] : args.slice(0, end))]
    if (program !== 'find' || !args.includes('-delete')) {
      for (const { key, lasting } of keysOf(name, behind, unseen, isRead)) findings.add(key, lasting)
    }
    for (const option of named) findings.add(`cmd:${name} ${option}`)
    for (const place of placesOf(program, args)) {
      if (isKnown(place.value)) findings.add(`cmd:${program} ${place.name} ${place.value}`)
      else findings.cannotRead(reason('unknown_place', { program }))
    }
    if (changesOthers(name)) findings.touch('write:protected', 'beyond')
    if (command === 'git config' && changesSettings(behind)) findings.touch('write:protected', 'beyond')
    this.runner(program, command, args, at, depth)
  }

  /** Finds options that are not known to be harmless, and returns the names of the options of unknown programs. */
  private options (
    program: string, subcommand: string | undefined, args: readonly string[], at: number, many: boolean, depth: number
  ): { isRead: boolean, named: readonly string[] } {
    const { findings, state } = this.shell
    if (state.isFunctionCall) return { isRead: true, named: [] }
    const command = subcommand === undefined ? program : `${program} ${subcommand}`
    const { strange: behind, named } = readOptions(program, subcommand, subcommand === undefined ? args : args.slice(at + 1))
    const before = subcommand === undefined ? [] : strangeWords([globalsOf(program) ?? noOptions], args.slice(0, at))
    const strange = [before, behind].find(([word]) =>
      word !== undefined && (word.startsWith('-') || !(state.isDefining || takesAnyWord(command)))) ?? []
    if (strange.length > 0) this.strange(command, strange, depth)
    else if (many && !state.isDefining && mindsMore(
      program, subcommand
    )) findings.cannotRead(reason('arguments_may_be_options', { command }))
    return { isRead: strange.length === 0, named }
  }

  /** An option may make a program run its value, so calls that never run are looked for in it. */
  private strange (command: string, words: readonly string[], depth: number): void {
    const [word = ''] = words
    const name = mayBeOtherOption(word) ? undefined : /^-(?:-[\w-]+|\w[\w-]*)/.exec(word)?.[0].slice(0, 40)
    this.shell.findings.cannotRead(name === undefined
      ? reason('argument_may_be_option', { command })
      : reason('unknown_option', { name, command }))
    for (const text of words.flatMap((each) =>
      [each, each.slice(each.indexOf('=') + 1), each.slice(2)])) this.shell.floor(text.replace(/^[:!]+/, ''), depth)
  }

  private tells (program: string, args: readonly string[], at: number, depth: number): void {
    const setting = tellingSetting(program, args)
    if (setting !== undefined) {
      this.shell.findings.cannotRead(reason('setting_runs_other', { program }))
      this.shell.floor(setting.slice(setting.search(/[ =]/) + 1), depth)
    }
    const index = tellingAt(program, args, at)
    if (index === -1) return
    this.shell.findings.cannotRead(reason('argument_runs_other', { program }))
    const word = args[index] ?? ''
    const texts = word === 'foreach'
      ? [args.slice(index + 1).join(' ')]
      : [word, args[index + 1] ?? ''].flatMap((text) => [text, text.slice(text.indexOf('=') + 1)])
    for (const text of texts) this.shell.floor(text.replace(/^[:!+]+/, ''), depth)
  }

  /** Judges programs that start a command from their remaining words: `poetry run pytest`, `npx eslint`, `ssh host ls`. */
  private runner (program: string, command: string, args: string[], at: number, depth: number): void {
    const own = runners.get(command) ?? (command === 'git bisect' && args[at + 1] === 'run' ? 1 : undefined)
    if (own !== undefined) {
      // `mise exec node -- npm test`: the tools that it needs come first.
      const rest = args.slice(/^mise /.test(command) && args.includes('--') ? args.indexOf('--') + 1 : at + 1 + own)
      const start = afterOptions(rest, globalsOf(command) ?? noOptions)
      if (rest.length > start) this.calls.call(rest.slice(start), depth + 1)
    } else if (packageRunners.has(program)) {
      const name = programs.programName(args[at] ?? '')
      if (shells.has(name) || interpreters.has(name) || wrappers.has(name)) this.calls.call(args.slice(at), depth + 1)
      else this.shell.floor(args.slice(at).join(' '), depth)
    } else if (program === 'ssh') {
      const start = afterOptions(args, sshOptions)
      this.shell.floor(args.slice(start + 1).join(' '), depth)
    }
  }

  private interpreter (program: string, args: string[], inlineOptions: string[], depth: number): void {
    const { findings, state } = this.shell
    const known = optionsOf(program, undefined) ?? []
    const isInline = (arg: string): boolean => inlineOptions.some((option) =>
      arg === option || (option.length === 2 && new RegExp(`^-[a-zA-Z]*${option[1]}`).test(arg)) || arg.startsWith(`${option}=`))
    const operand = operandAt(args, known, isInline)
    const inline = isInline(args[operand] ?? '')
    const module = program === 'python' ? args.slice(0, operand + 1).findIndex((arg) => withModule.test(arg)) : -1
    if (scriptRuns(program, args)) findings.cannotRead(reason('script_runs', { program }))
    if (inline) return findings.add(`cmd:${program} ${inlineOptions[0]}`)
    if (module !== -1) {
      const hanging = withModule.exec(args[module] ?? '')?.[1] ?? ''
      return this.module(hanging === '' ? args.slice(module + 1) : [hanging, ...args.slice(module + 1)], depth)
    }
    const strange = strangeWords(known, inlineByNature.has(program) ? args : args.slice(0, operand))
    if (known.length > 0 && strange.length > 0) this.strange(program, strange, depth)
    const device = isInputDevice(args[operand] ?? '') ||
      args.some((arg, index) => isInputDevice(arg) && /^-[a-z]*f$/.test(args[index - 1] ?? ''))
    const readsInput = operand === args.length || args[operand] === '-'
    if (device || (readsInput && !inlineByNature.has(program) && state.input.piped)) {
      findings.cannotRead(reason('runs_input', { program }))
    }
    if (!isKnown(args[operand] ?? '')) findings.cannotRead(reason('unknown_run_of', { program }))
    else if (!inlineByNature.has(program) && args.slice(0, operand + 1).some(isPattern)) {
      findings.cannotRead(reason('files_decide_run', { program }))
    }
    findings.add(`cmd:${program}`)
  }

  private module ([name = '', ...args]: readonly string[], depth: number): void {
    const { findings } = this.shell
    if (!/^[\w.]+$/.test(name)) return findings.cannotRead(reason('unknown_run_of', { program: 'python' }))
    findings.add(`cmd:python -m ${name}`)
    // A program with subcommands is judged by the subcommand.
    if (subcommands.has(name)) return this.calls.call([name, ...args], depth + 1)
    if (optionsOf(name, undefined) !== undefined) this.options(name, undefined, args, 0, false, depth)
    const departure = whyLeaves(name, args)
    if (departure !== null) findings.leaves(departure.why, departure.onlyNetwork)
  }
}
