import { globalsOf } from '../tables/known.js'
import { operandsOf, pairsOf } from '../tables/options.js'
import { awkRuns } from './awk-text.js'
import { isKnown } from './words.js'

/** Checks scripts of sed, awk and jq for running commands, and for reading or writing files of their own choice. */

/** Returns whether a script on the command line does more than turn its input into text, or cannot be read. */
export function scriptRuns (program: string, args: readonly string[]): boolean {
  switch (program) {
    case 'sed': return sedScripts(args).some((script) => !isKnown(script) || !sedOnlyEdits(script))
    case 'awk':
    case 'gawk':
    case 'mawk': return awkProgram(args)
    case 'jq':
    case 'yq': return args.some((arg) => jqLoads.test(arg))
    default: return false
  }
}

function sedScripts (args: readonly string[]): string[] {
  const named = args.flatMap((arg, index) =>
    /^(?:-[a-zA-Z]*e|--expression)$/.test(arg) ? [args[index + 1] ?? ''] : /^(?:-[a-df-zA-Z]*e|--expression=)(.+)$/s.exec(arg)?.[1] ?? [])
  if (named.length > 0) return named
  const first = args.find((arg) => !arg.startsWith('-'))
  return first === undefined ? [] : [first]
}

/** Reads a sed script once, command by command. Returns false if a command reads, writes or runs something, or is unknown. */
function sedOnlyEdits (script: string): boolean {
  let at = 0
  const skip = (characters: string): void => { while (at < script.length && characters.includes(script[at] ?? '')) at++ }
  const skipLine = (): void => {
    while (at < script.length && script[at] !== '\n') at += script[at] === '\\' ? 2 : 1
  }
  /** GNU sed ends a label at a space or a semicolon. In a sed that continues the label, the rest runs nothing. */
  const skipLabel = (): void => {
    skip(' \t')
    while (at < script.length && !/[\s;}]/.test(script[at] ?? '')) at++
  }
  /** Moves past the next `mark`. Returns false if a bracket expression contains one, because versions of sed differ there. */
  const skipPast = (mark: string, isPattern = true): boolean => {
    for (; at < script.length && script[at] !== mark; at++) {
      if (script[at] === '\\') at++
      else if (isPattern && script[at] === '[' && holdsMark(script, at, mark)) return false
    }
    return script[at++] === mark
  }
  const skipAddress = (): boolean => {
    if (script[at] === '/' || script[at] === '\\') {
      if (script[at] === '\\') at++
      const mark = script[at++] ?? ''
      if (!skipPast(mark)) return false
      skip('IM')
    } else skip('0123456789$~+')
    return true
  }
  while (true) {
    skip(' \t\n;{}')
    if (at >= script.length) return true
    if (!skipAddress()) return false
    skip(' \t')
    if (script[at] === ',') {
      at++
      skip(' \t')
      if (!skipAddress()) return false
    }
    skip(' \t!')
    const command = script[at++] ?? ''
    if (command === 's' || command === 'y') {
      const mark = script[at++] ?? '\n'
      if (mark === '\n' || mark === '\\' || !skipPast(mark, command === 's') || !skipPast(mark, false)) return false
      if (command === 's') skip('0123456789gpiImM')
    } else if ('aic#'.includes(command)) skipLine()
    else if (':btT'.includes(command)) skipLabel()
    else if ('{}'.includes(command)) continue
    else if ('=dDgGhHnNpPxzFlLqQ'.includes(command)) skip('0123456789 \t')
    else return false
    skip(' \t')
    if (at < script.length && !';\n}#'.includes(script[at] ?? '')) return false
  }
}

/** Returns whether a bracket expression, in its longest reading, contains a mark that is not escaped. */
function holdsMark (script: string, start: number, mark: string): boolean {
  const first = /^\[\^?\]?/.exec(script.slice(start, start + 3))?.[0].length ?? 1
  for (let at = start + first; at < script.length && script[at] !== ']'; at++) {
    if (script[at] === mark) return true
    const inner = script[at] === '[' && /[:.=]/.test(script[at + 1] ?? '') ? script.indexOf(`${script[at + 1] ?? ''}]`, at + 2) : -1
    if (inner !== -1) {
      if (script.slice(at, inner).includes(mark)) return true
      at = inner + 1
    } else if (script[at] === '\\') at++
  }
  return false
}

/** Longer programs are not read. */
const maxAwkChars = 2000

function awkProgram (args: readonly string[]): boolean {
  const text = args.filter((arg) => !arg.startsWith('-') || arg.length > 2)
  if (text.reduce((sum, arg) => sum + arg.length, 0) > maxAwkChars) return true
  const options = globalsOf('awk') ?? {}
  const named = pairsOf(args, options).filter(({ name }) => name === '-e' || name === '--source').map(({ value }) => value)
  const programs = named.length > 0 ? named : operandsOf(args, options).slice(0, 1)
  return programs.some((program) => !isKnown(program) || awkRuns(program))
}

/** jq's modules, yq's operators that read files besides those that are named, and the one that runs an expression from text. */
const jqLoads = /(?<![.\w$"])(?:(?:import|include|load(?:_\w+)?)(?:\s|#[^\n]*\n)*[("']|eval\s*\()/
