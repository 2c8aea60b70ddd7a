import { type Word, type WordPart } from 'unbash'
import { type Budget } from '../budget.js'

/** Stands for the part of a word that only the running shell knows. It cannot occur in a command line. */
export const unknown = '\0'

/** True for a word that stands for the names of files, where there are any like it: one of them may be an option, or another program. */
export const isPattern = (word: string): boolean => /[*?]|\[.+\]|[@+!]\(/.test(word)

export const isKnown = (word: string): boolean => !word.includes(unknown)

/** More readings of one word than this are not followed. */
const maxReadings = 32

/** What is known about the shell's variables while a command line is read. */
export interface Scope {
  readonly budget: Budget
  /** All values a variable may have here; `[unknown]` when nothing is known. */
  lookup (name: string): string[]
  /** The arguments of the function or script that is being read; null when they are not known. */
  readonly positional: readonly string[] | null
  /** What a command substitution prints, when that can be told. */
  output (part: WordPart): string[]
}

/**
 * The texts a word may become: quotes removed, known variables put in, braces multiplied. Braces give several words,
 * variables several possibilities; the policy has to judge all of them, so both end up in one list.
 */
export function expandWord (word: Word, scope: Scope): string[] {
  scope.budget.open(word.text)
  if (word.parts === undefined) return [word.value]
  if (scope.positional !== null && isArguments(word)) return paid([...scope.positional], scope)
  const readings = expandParts(word.parts, scope)
  if (!word.parts.some(({ type }) => type === 'SimpleExpansion' || type === 'ParameterExpansion')) return readings
  return paid(
    readings.flatMap((reading) => /[ \t\n]/.test(reading) ? [reading, ...reading.split(/[ \t\n]+/).filter(Boolean)] : [reading]), scope
  )
}

function paid (words: string[], { budget }: Scope): string[] {
  budget.read(words)
  return words
}

/** The words a plain command word may become, for each possibility: a variable may hold a program with arguments. */
export function commandReadings (word: Word, scope: Scope): string[][] {
  scope.budget.open(word.text)
  if (word.parts === undefined) return [[word.value]]
  if (scope.positional !== null && isArguments(word)) return [paid([...scope.positional], scope)]
  const splits = word.parts.some(({ type }) => type === 'SimpleExpansion' || type === 'ParameterExpansion')
  return expandParts(word.parts, scope).map((reading) =>
    splits && /[ \t\n]/.test(reading) ? paid(reading.split(/[ \t\n]+/).filter(Boolean), scope) : [reading])
}

/** True for `"$@"` and its like. */
export const isArguments = ({ text }: Word): boolean => /^(?:\$[@*]|"\$[@*]"|\$\{[@*]\}|"\$\{[@*]\}")$/.test(text)

/** True when the word is written out, at most with variables in it. */
export function isPlain (word: Word): boolean {
  return (word.parts ?? []).every(({ type }) =>
    !['Glob', 'ExtendedGlob', 'BraceExpansion', 'CommandExpansion', 'ArithmeticExpansion', 'ProcessSubstitution'].includes(type))
}

/**
 * True when the word may become several ones that are only known when the command runs: nothing but quotes keeps what is put in together.
 */
export function maySplit (word: Word, scope: Scope): boolean {
  return (word.parts ?? []).some((part) =>
    ['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion'].includes(part.type) && !/^\$(?:[#?$!-]|\{#\w+\}$)/.test(part.text) &&
    !expandPart(part, scope).every(isKnown))
}

/** What of a word stands outside quotes. */
export function unquoted ({ text, parts }: Word): string {
  return parts === undefined
    ? text
    : parts.filter(({ type }) =>
      ['Literal', 'Glob', 'ExtendedGlob', 'BraceExpansion', 'SimpleExpansion'].includes(type)).map((part) => part.text).join('')
}

function expandParts (parts: readonly WordPart[], scope: Scope): string[] {
  let readings = ['']
  for (const part of parts) {
    scope.budget.spend(1 + (part.text.length >> 2))
    const next = expandPart(part, scope)
    if (readings.length * next.length > maxReadings) return [unknown]
    readings = paid(readings.flatMap((start) => next.map((end) => start + end)), scope)
  }
  return readings
}

function expandPart (part: WordPart, scope: Scope): string[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value]
    case 'DoubleQuoted':
    case 'LocaleString':
      return expandParts(part.parts, scope)
    case 'Glob':
    case 'ExtendedGlob':
      return [part.text]
    case 'BraceExpansion':
      return expandBraces(part.text)
    case 'SimpleExpansion':
      return scope.lookup(part.text.slice(1))
    case 'ParameterExpansion': {
      if (part.prefix !== undefined || part.index !== undefined) return [unknown]
      if (part.operation === undefined) return scope.lookup(part.parameter)
      return part.operation.type === 'Default' ? [...scope.lookup(part.parameter), ...expandWord(part.operation.operand, scope)] : [unknown]
    }
    case 'CommandExpansion':
      return scope.output(part)
    case 'ProcessSubstitution':
      return ['/dev/fd/63']
    default:
      return [unknown]
  }
}

/** Plain lists only; nested braces, ranges and expansions inside braces are not followed. */
function expandBraces (text: string): string[] {
  const inner = /^\{([^{}$`"'\\]*,[^{}$`"'\\]*)\}$/.exec(text)?.[1]
  return inner === undefined ? [unknown] : inner.split(',')
}
