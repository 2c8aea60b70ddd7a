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
  /** All values a variable may have here, the empty one where it may not be set; `[unknown]` when nothing is known. */
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

const quotes: ReadonlySet<WordPart['type']> = new Set(['SingleQuoted', 'AnsiCQuoted', 'DoubleQuoted', 'LocaleString'])
/** What is put in may be cut into words, or leave none. */
const expansions: ReadonlySet<WordPart['type']> = new Set(['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion'])

const isQuoted = (parts: readonly WordPart[]): boolean => parts.some(({ type }) => quotes.has(type))

/**
 * What a word of a command may become, each possibility as the words that it is then: braces give several words, blanks part what is put
 * in, and nothing is left of what is empty unless something of it is quoted.
 */
function argumentReadings (word: Word, scope: Scope): string[][] {
  scope.budget.open(word.text)
  const { parts } = word
  if (parts === undefined) return [[word.value]]
  if (scope.positional !== null && isArguments(word)) return [paid([...scope.positional], scope)]
  let readings = [['']]
  for (const part of parts) {
    scope.budget.spend(1 + (part.text.length >> 2))
    const next = expandPart(part, scope)
    if (readings.flat().length * next.length > maxReadings) return [[unknown]]
    readings = part.type === 'BraceExpansion'
      ? readings.map((words) => words.flatMap((start) => next.map((end) => start + end)))
      : readings.flatMap((words) => next.map((end) => words.map((start) => start + end)))
    paid(readings.flat(), scope)
  }
  const mayPart = (text: string): boolean => /[ \t\n]/.test(text)
  // Where `IFS` is another one, a blank may stay.
  const parted = parts.some(({ type }) => expansions.has(type))
    ? readings.flatMap((words) => words.some(mayPart) ? [words, words.flatMap((text) => text.split(/[ \t\n]+/).filter(Boolean))] : [words])
    : readings
  return isQuoted(parts) ? parted : parted.map((words) => words.filter((text) => text !== ''))
}

/** All that the words of a command may become together. Where that is too much, what varies is not known. */
export function commandArguments (words: ReadonlyArray<Word | string[]>, scope: Scope): string[][] {
  const each = words.map((word) => Array.isArray(word) ? [word] : argumentReadings(word, scope))
  const count = each.reduce((product, { length }) => product * length, 1)
  const bounded = count > maxReadings ? each.map((readings) => readings.length > 1 ? [[unknown]] : readings) : each
  let lists: string[][] = [[]]
  for (const readings of bounded) {
    const [only] = readings
    // The usual word adds to what is there: a copy of a long list for each of its words would take the square of its length.
    if (readings.length === 1 && only !== undefined) for (const list of lists) for (const text of only) list.push(text)
    else lists = lists.flatMap((list) => readings.map((reading) => [...list, ...reading]))
  }
  return lists
}

/** The scope once for each set of values that the variables in the words may have together: in all of the words it is the same one. */
export function scopesOf (words: readonly Word[], scope: Scope): Scope[] {
  const choices = new Map<string, string[]>()
  const lookup = (name: string): string[] => {
    const values = scope.lookup(name)
    if (values.length > 1) choices.set(name, values)
    return values
  }
  const within = (lookup: Scope['lookup']): Scope => ({
    budget: scope.budget, positional: scope.positional, output: (part) => scope.output(part), lookup
  })
  for (const word of words) expandWord(word, within(lookup))
  const count = [...choices.values()].reduce((product, { length }) => product * length, 1)
  if (count > maxReadings) return [within((name) => choices.has(name) ? [unknown] : scope.lookup(name))]
  const sets = [...choices].reduce<Array<Map<string, string>>>((before, [name, values]) =>
    before.flatMap((set) => values.map((value) => new Map([...set, [name, value]]))), [new Map()])
  return sets.map((set) => within((name) => {
    const value = set.get(name)
    return value === undefined ? scope.lookup(name) : [value]
  }))
}

function paid (words: string[], { budget }: Scope): string[] {
  budget.read(words)
  return words
}

/** The words a plain command word may become, for each possibility: a variable may hold a program with arguments. */
export function commandReadings (word: Word, scope: Scope): string[][] {
  const { parts } = word
  scope.budget.open(word.text)
  if (parts === undefined) return [[word.value]]
  if (scope.positional !== null && isArguments(word)) return [paid([...scope.positional], scope)]
  const readings = expandParts(parts, scope)
  if (!parts.some(({ type }) => type === 'SimpleExpansion' || type === 'ParameterExpansion')) return readings.map((reading) => [reading])
  return readings.map((reading) => /[ \t\n]/.test(reading) || (reading === '' && !isQuoted(parts))
    ? paid(reading.split(/[ \t\n]+/).filter(Boolean), scope)
    : [reading])
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
      // What stands beside `$@` in quotes belongs to its first and last word; with none, there may be no word at all.
      if (scope.positional?.length !== 1 && part.parts.some(({ text }) => /^\$(?:@|\{@\})$/.test(text))) return [unknown]
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
  const inner = /^\{([^{}$`"'\\,]*,[^{}$`"'\\]*)\}$/.exec(text)?.[1]
  return inner === undefined ? [unknown] : inner.split(',')
}
