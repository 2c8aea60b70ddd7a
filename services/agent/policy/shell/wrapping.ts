import { afterOptions } from '../tables/options.js'
import { strangeAt } from '../tables/spelling.js'
import { spellingOf, type Wrapper } from '../tables/wrappers.js'
import { runBuiltin } from './builtins.js'
import { type Caller, type Walk } from './walk.js'
import { isKnown, unknown } from './words.js'
import { reason } from '../../../../reasons/index.js'

/** Removes wrappers: programs that run a command that their remaining words are, or contain. */
export class Wrapping {
  constructor (private readonly shell: Walk, private readonly calls: Caller) {}

  /** Reads the command in the wrapper. Returns false if there is none. */
  take (program: string, args: string[], wrapper: Wrapper, depth: number, { unseen, many }: { unseen: boolean, many: boolean }): boolean {
    const { findings, files } = this.shell
    let at = afterOptions(args, wrapper)
    if (program === 'env' && args[at] === '-') at++ // the short way to write `-i`
    const options = args.slice(0, at)
    if (program === 'command' && options.some((option) => /^-[pvV]*[vV]/.test(option))) return false
    if (strangeAt([spellingOf(program, wrapper)], options) !== -1 || options.some((option) => wrapper.opaque?.test(option))) {
      findings.cannotRead(reason('hides_run', { program }))
    }
    files.judge(program, args.slice(0, at + (wrapper.operands ?? 0)))
    this.calls.own(program, [...options.filter((option, index) => ![option, options[index - 1] ?? ''].some((word) => wrapper.folder?.test(
      word
    ) === true || wrapper.text?.test(word) === true)), ...args.slice(at, at + (wrapper.operands ?? 0))], args.length)
    this.changesFolder(options, wrapper)
    if (wrapper.assignments === true) at = this.assignments(args, at)
    if (wrapper.own === true) findings.add(`cmd:${program}`)
    if (program === 'env') this.takesAway(options)
    if (program === 'env' && this.splitText(args, depth)) return true
    if (this.optionText(args, wrapper, at + (wrapper.operands ?? 0), depth)) return true
    if (args.slice(at, at + (wrapper.operands ?? 0)).some((word) => wrapper.operand?.test(word) === false)) {
      findings.cannotRead(reason('hides_run', { program }))
    }
    at += wrapper.operands ?? 0
    const inner = args.slice(at)
    if (inner.length === 0) return false
    if (wrapper.joins === true) this.joined(program, inner, depth)
    else if (wrapper.hidesArguments === true) this.calls.call([...this.filledIn(inner, options), unknown], depth + 1, true)
    else this.calls.call(inner, depth + 1, unseen, many)
    return true
  }

  /** Handles removed variables. Without `HOME`, git follows other settings. */
  private takesAway (options: readonly string[]): void {
    const names = options.flatMap((option, index) =>
      /^-[a-zA-Z0]*u$|^--unset$/.test(options[index - 1] ?? '') ? [option] : /^(?:--unset=|-[i0v]*u)(.+)$/.exec(option)?.[1] ?? [])
    for (const name of names) this.shell.state.set(name, [unknown])
    if (options.some((option) => option === '-' || /^-[0v]*i|^--ignore/.test(option))) this.shell.contacts.changes()
  }

  /** Reads NAME=value words; returns the index after them. */
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
      const value = /^--[^=]*=(.*)$/s.exec(option)?.[1] ?? /^-[a-zA-Z](.+)$/s.exec(option.startsWith('--') ? '' : option)?.[1] ??
        options[index + 1] ?? ''
      runBuiltin(this.shell, 'cd', [value], 0)
    })
  }

  /** `env -S` splits its text into words. */
  private splitText (args: readonly string[], depth: number): boolean {
    const index = args.findIndex((arg) => /^(?:-[a-zA-Z]*S|--split-s)/.test(arg))
    if (index === -1) return false
    this.shell.findings.cannotRead(reason('hides_run', { program: 'env' }))
    // oxlint-disable-next-line regexp/no-super-linear-backtracking -- the rest is anything
    const attached = /^(?:-[a-zA-Z]*S|--split-s[a-z]*=?)(.*)$/s.exec(args[index] ?? '')?.[1] ?? ''
    this.shell.script([attached, ...args.slice(index + 1)].join(' '), depth + 1)
    return true
  }

  /** @param end where the wrapper's own words end: an option after that may belong to the command */
  private optionText (args: readonly string[], { text }: Wrapper, end: number, depth: number): boolean {
    const index = text === undefined ? -1 : args.findIndex((arg) => text.test(arg))
    if (index === -1) return false
    const option = args[index] ?? ''
    const joined = /^--[^=]*=(.*)$/s.exec(option)?.[1]
    // Letters after the option's own letter may be its value.
    const hanging = option.startsWith('--') ? '' : /^-[abd-rt-zA-Z]*[cs](.+)$/s.exec(option)?.[1] ?? ''
    for (const value of joined !== undefined ? [joined] : [hanging, args[index + 1] ?? '']) {
      if (!isKnown(value)) this.shell.findings.cannotRead(reason('unknown_run'))
      else if (value !== '') this.text(value, depth)
    }
    return index <= end
  }

  /** Reads text that the system's shell runs. */
  private text (text: string, depth: number): void {
    this.shell.state.elsewhere(true, () => { this.shell.script(text, depth + 1) })
  }

  /** Reads words that are joined and passed to a shell. `parallel` adds further words to them. */
  private joined (program: string, inner: readonly string[], depth: number): void {
    const { findings } = this.shell
    const end = program === 'parallel' ? inner.findIndex((arg) => /^:::/.test(arg)) : -1
    const command = end === -1 ? inner : inner.slice(0, end)
    const values = end === -1 ? [] : inner.slice(end + 1).filter((arg) => !/^:::/.test(arg))
    if (program === 'parallel') findings.cannotRead(reason('builds_commands'))
    const texts = program !== 'parallel'
      ? [command.join(' ')]
      : command.length === 0 ? values : [`${command.join(' ').replaceAll(/\{[^}]*\}/g, ' ')} ${values.join(' ')}`]
    for (const text of texts) {
      if (isKnown(text)) this.text(text, depth)
      else findings.cannotRead(reason('unknown_run'))
    }
  }

  /** Returns the words of an `xargs` command, with the known input inserted. */
  private filledIn (inner: readonly string[], options: readonly string[]): string[] {
    const index = options.findIndex((option) => /^(?:-[a-zA-Z]*[Ii]|--replace)/.test(option))
    const { text } = this.shell.state.input
    if (index === -1) return [...inner, ...(text ?? '').split(/\s+/).filter(Boolean)]
    const option = options[index] ?? ''
    // oxlint-disable-next-line regexp/no-super-linear-backtracking -- the rest is anything
    const mark = /^-[a-zA-Z]*[Ii](.+)$/s.exec(option)?.[1] ?? /^--replace=(.+)$/.exec(option)?.[1] ??
      (/I$/.test(option) ? options[index + 1] : '{}') ?? '{}'
    const lines = (text ?? '').split('\n').filter(Boolean)
    const places = inner.filter((word) => word === mark).length
    this.shell.budget.spend(places * lines.length)
    return inner.flatMap((word) =>
      !word.includes(mark) ? [word] : word === mark && lines.length > 0 ? [...lines, unknown] : [word.replaceAll(mark, unknown)])
  }
}
