import { basename, dirname, join, resolve } from 'node:path'
import { isPlainSetting, runBuiltin } from './builtins.js'
import { changingService, findRoots, mayFindLinks, selects } from '../program-call.js'
import { hardline } from '../hardline.js'
import { whyLeaves } from './leaving.js'
import { afterOptions } from '../tables/options.js'
import { protectedBy } from '../own/administering.js'
import { namesService } from '../own/names.js'
import { ownFound } from '../own/find.js'
import { movesBase } from '../tables/git-base.js'
import { levelsFollowed } from '../tables/links.js'
import { onlyLooksAt, onlyWraps } from '../tables/lookers.js'
import * as programs from '../tables/programs.js'
import { isInGitFolder, isInputDevice } from '../paths.js'
import { Keys } from './grant-keys.js'
import { trackMoves } from './moving.js'
import { type Caller, type Walk } from './walk.js'
import { Wrapping } from './wrapping.js'
import { maxDepth } from './state.js'
import { subcommands } from '../tables/subcommands.js'
import { isKnown, isPattern, isWritten, unknown } from './words.js'
import { commandReaders, escapableReaders, foreignShells, runners, shells, wrappers } from '../tables/wrappers.js'
import { reason } from '../../../../reasons/index.js'

/** A call is looked up in the tables, and each of its words is compared with some dozens of patterns. */
const callSteps = 20
const argumentSteps = 4
const wildSteps = 40
/** How many lines of input are checked for calls that never run. */
const mostLines = 50

const foundName = 'found-file'
/** Stands for any file that find finds in a folder. */
const foundIn = (root: string): string => join(root, foundName)
/** Whether a program is any file that find finds. It has no key: a person would see a name that is in no command. */
const isFound = (word: string): boolean => basename(word) === foundName

/** Judges program calls: removes wrappers, finds the keys, and finds out what the call does. */
export class Calls implements Caller {
  private readonly wrapping: Wrapping
  private readonly keys: Keys

  constructor (private readonly shell: Walk) {
    this.wrapping = new Wrapping(shell, this)
    this.keys = new Keys(shell, this)
  }

  /**
   * Judges one program with its arguments, including wrappers.
   *
   * @param unseen whether there are more arguments than are visible
   * @param many whether each of those may be an option
   */
  call (argv: readonly string[], depth: number, unseen = false, many = unseen): void {
    const { findings, files, around, state } = this.shell
    const [word, ...args] = argv
    if (depth > maxDepth) return findings.tooDeep()
    if (word === undefined) return
    this.shell.budget.spend(callSteps)
    this.shell.budget.read(argv)
    for (const arg of args) this.shell.budget.spend(/[*?[]/.test(arg) ? wildSteps : argumentSteps)
    if (!isKnown(word) || word === '') {
      findings.cannotRead(reason('unknown_program'))
      return this.floor(args) // an empty variable in front changes nothing
    }
    state.isFunctionCall = false
    this.shell.function(word, args, depth)
    // Programs that start others, and other shells, do not know the function.
    state.isFunctionCall = depth === 0 && state.isFunction(word)
    const program = this.nameOf(word)
    if (/[ \t\n]/.test(program)) findings.cannotRead(reason('name_with_spaces'))
    if (isPattern(word) || isFound(word)) findings.cannotRead(reason('files_decide_program'))
    findings.forbid(hardline({ program, args, paths: (path, ofLink) => files.paths(path, ofLink), boundaries: around.boundaries }))
    const departure = whyLeaves(program, args)
    if (departure !== null) findings.leaves(departure.why, departure.onlyNetwork)
    if (programs.readsUnnamed(program, args)) findings.add('read:protected')
    const own = protectedBy({ program, args }, unseen || many)
    if (own !== null) findings.touch(own, 'beyond')

    const wrapper = wrappers.get(program)
    const { environment } = state
    if (wrapper !== undefined && !onlyWraps(program, args)) findings.mayChange(program)
    const unwrapped = wrapper !== undefined && this.wrapping.take(program, args, wrapper, depth, { unseen, many })
    state.environment = environment
    if (unwrapped) return
    this.own(program, args)
    if (shells.has(program)) return this.subshell(program, args, depth, unseen)
    if (!onlyLooksAt(program, args, unseen || many)) findings.mayChange(program)
    runBuiltin(this.shell, program, args, depth)
    this.insideGit(program, args)
    if (program === 'find') this.found(args, depth)
    if (commandReaders.get(program)?.(args) === true && state.input.piped) this.runsInput(program, depth)
    else if (escapableReaders.has(program) && state.input.piped) this.mayEscape(program, depth)
    if (!isFound(word)) this.keys.find(program, args, depth, unseen || args.some((arg) => !isKnown(arg)), many)
    this.shell.contacts.judge(program, args)
    files.judge(program, args)
    if (programs.bringsFiles(program, args, state.isBaseMoved)) state.isFilled = true
    if (program === 'git' && movesBase(args)) state.isBaseMoved = true
    trackMoves(this.shell, program, args)
  }

  /** A file that a program writes in the current folder, without naming it, may be one that git runs. */
  private insideGit (program: string, args: readonly string[]): void {
    const { findings, state } = this.shell
    if (programs.onlyReads(program, args) || programs.wordsOnly.has(program) || state.isFunctionCall) return
    if ([...state.folders].some(isInGitFolder)) findings.touch('write:protected', 'beyond')
  }

  /** Returns a program's name; for a path that leads to a folder of the system's programs, the name of that program. */
  private nameOf (word: string): string {
    const { state, files } = this.shell
    const places = !word.includes('/') || word.startsWith('/') ? [word] : [...state.folders].map((folder) => resolve(folder, word))
    const throughProcesses = /\/(?:proc|dev\/fd)\//.test(word) ? files.paths(word) : []
    const names = [...places, ...throughProcesses].map((place) => programs.programName(place))
    return names.find((name) => !name.includes('/')) ?? word
  }

  /** Forbids a call that changes files of the service, whatever the program. */
  own (program: string, args: readonly string[], starts = this.starts(program, args)): void {
    const { findings, files, around, state, budget } = this.shell
    if (state.isFunctionCall) return // its body is read with these arguments
    const call = {
      program, args: args.slice(0, starts ?? args.length),
      // What a program that is not known does with a pattern need not concern each link that it finds.
      paths: (path: string, ofLink?: boolean) => files.paths(path, ofLink, false), boundaries: around.boundaries
    }
    const surroundings = starts === null
      ? { environment: state.environment, input: state.input.text, folders: state.folders, budget }
      : { environment: [], input: null, folders: [], budget }
    if (namesService(call, surroundings)) findings.forbid(changingService)
    if (program === 'find' && args.includes('-delete') && ownFound(args, (path) => files.paths(path), around.boundaries).length > 0) {
      findings.forbid(changingService)
    }
  }

  /** Returns where a command begins that the call starts and that is judged separately; null if it starts none. */
  private starts (program: string, args: readonly string[]): number | null {
    const options = subcommands.get(program)
    const at = options === undefined ? 0 : afterOptions(args, options)
    return options !== undefined && runners.has(`${program} ${args[at] ?? ''}`) ? at : null
  }

  private floor ([program, ...args]: readonly string[]): void {
    const { findings, files, around } = this.shell
    if (program === undefined || !isKnown(program)) return
    findings.forbid(hardline({
      program: this.nameOf(program), args, paths: (path, ofLink) => files.paths(path, ofLink), boundaries: around.boundaries
    }))
    if (!wrappers.has(this.nameOf(program))) this.own(this.nameOf(program), args)
  }

  private subshell (program: string, args: string[], depth: number, unseen: boolean): void {
    const { findings, state, files } = this.shell
    let at = 0
    let inline = false
    const setting = (name = ''): void => { if (!isPlainSetting(name)) findings.cannotRead(reason('setting_changes_reading', { program })) }
    const read = (arg = ''): void => { if (isPattern(arg)) findings.cannotRead(reason('files_decide_run', { program })) }
    for (let arg = args[0]; arg !== undefined && /^[-+]./.test(arg); arg = args[++at]) {
      if (arg === '--') { at++; break }
      read(arg)
      if (/^--(?:rcfile|init-file)/.test(arg)) findings.cannotRead(reason('own_startup_file'))
      if (/^-[a-zA-Z]*s/.test(arg)) return this.runsInput(program, depth)
      if (/^-[a-zA-Z]*c/.test(arg) || /^--?command$/i.test(arg)) inline = true
      if (/^[-+][a-zA-Z]*[oO]$/.test(arg)) setting(args[++at])
    }
    const operand = args[at]
    if (!inline) read(operand)
    if (inline) {
      if (operand === undefined || !isKnown(operand)) return findings.cannotRead(reason('unknown_run_of', { program }))
      if (foreignShells.has(program)) findings.cannotRead(reason('other_shell', { program }))
      // A word for `$0` that is known only when the line runs may be several words.
      const positional = [...isWritten(args[at + 1] ?? '') ? [] : [unknown], ...args.slice(at + 2)]
      if (unseen) this.shell.floor(operand, depth, positional)
      return state.elsewhere(program !== 'bash', () => {
        if (unseen) this.shell.script(operand, depth + 1, positional.map(() => unknown), unknown)
        else this.shell.script(operand, depth + 1, positional, args[at + 1] ?? program)
      })
    }
    if (operand === undefined || operand === '-') {
      if (state.input.piped || operand === '-') return this.runsInput(program, depth)
    } else if (!isKnown(operand) || isInputDevice(operand)) return this.runsInput(program, depth)
    findings.add(`cmd:${program}`)
    findings.mayChange(program)
    this.shell.contacts.changes()
    files.judge(program, args.slice(at))
  }

  private runsInput (program: string, depth: number): void {
    const { findings, state } = this.shell
    findings.cannotRead(reason('runs_input', { program }))
    // Input that is written out is still read, so that calls that never run are found in it.
    if (state.input.text !== null) this.shell.script(state.input.text, depth + 1)
  }

  /** The program's language is not read, but calls that never run are looked for in its lines. */
  private mayEscape (program: string, depth: number): void {
    const { findings, state } = this.shell
    findings.cannotRead(reason('input_starts_programs', { program }))
    for (const line of state.input.text?.split(
      '\n', mostLines
    ) ?? []) this.shell.floor(line.replace(/^[\s.:\\!]*(?:(?:shell|system)\b)?/, ''), depth)
  }

  /** Judges the commands that `find -exec` runs. fd needs none of this: its `--exec` is an unknown option, which makes the call opaque. */
  private found (args: string[], depth: number): void {
    // Found files lie below the folders from which the search starts; without a condition, those folders are found too.
    const runs = args.some((arg) => /^-(?:exec|ok)/.test(arg))
    if (runs) for (const root of findRoots(args)) this.shell.files.through(root)
    // A program that is started with the name of a link follows it.
    const inside = args.findIndex((arg) => /^-(?:exec|ok)dir$/.test(arg))
    const runsInside = inside !== -1 && args.slice(inside + 2).some((arg) => !/^(?:\{\}|[;+])$/.test(arg))
    if (levelsFollowed('find', args) > 0 || runsInside || (runs && mayFindLinks(args))) {
      for (const root of findRoots(args)) this.shell.files.below(root, Infinity, 'find')
    }
    // Names in the command mean files of the folders that are searched, and of the one in which a root has its name.
    if (runsInside) for (const root of findRoots(args)) this.shell.files.below(dirname(root), 1, 'find')
    const below = selects(args)
    const places = findRoots(args).map((root) => below ? foundIn(root) : root)
    const own = runs
      ? ownFound(args, (path) => this.shell.files.paths(path), this.shell.around.boundaries).map(foundIn)
      : []
    for (let at = 0; at < args.length; at++) {
      if (!/^-(?:exec|execdir|ok|okdir)$/.test(args[at] ?? '')) continue
      const start = at + 1
      // As find reads it: up to a `;`, or to a `+` after `{}`. Everything before that belongs to this command.
      while (++at < args.length && args[at] !== ';' && !(args[at] === '+' && args[at - 1] === '{}'));
      const inner = args.slice(start, at)
      const holes = inner.filter((word) => word === '{}').length
      this.shell.budget.spend(holes * (places.length + own.length))
      if (own.length > 0 && holes > 0) this.floor(inner.flatMap((word) => word === '{}' ? own : [word]))
      if (!below && holes > 0) this.call(inner.map((word) => word.replaceAll('{}', foundName)), depth + 1)
      this.call(inner.flatMap((word) =>
        word === '{}' ? places : [word.replaceAll('{}', unknown)]), depth + 1, inner.some((word) => word.includes('{}')), false)
    }
  }
}
