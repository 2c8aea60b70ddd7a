import { keysOf } from '../tables/dangers.js'
import { changesSettings } from '../tables/git-config.js'
import { afterOptions, hasOption } from '../tables/options.js'
import * as programs from '../tables/programs.js'
import { reroutedAt, subcommands } from '../tables/subcommands.js'
import { inlineByNature, interpreters, packageRunners, runners, shells, wrappers } from '../tables/wrappers.js'
import { isInputDevice } from '../paths.js'
import { whyLeaves } from './leaving.js'
import { scriptRuns } from './script-text.js'
import { type Caller, type Walk } from './walk.js'
import { isKnown } from './words.js'

/** Finds the keys that a call goes by: what it is to be allowed as. */
export class Keys {
  constructor (private readonly shell: Walk, private readonly calls: Caller) {}

  find (program: string, args: string[], depth: number, unseen: boolean): void {
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
      if (rest.length > start) this.calls.call(rest.slice(start), depth + 1)
    } else if (packageRunners.has(program)) {
      const name = programs.programName(args[at] ?? '')
      if (shells.has(name) || interpreters.has(name) || wrappers.has(name)) this.calls.call(args.slice(at), depth + 1)
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
