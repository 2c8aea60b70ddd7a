import { type Word, type WordPart } from 'unbash'
import { type Budget } from '../budget.js'

/** Stands for the part of a word that only the running shell knows. It cannot occur in a command line. */
export const unknown = '\0'

/** Stands for the value in `a=(…)`, whose words are read where they stand. */
export const list = `${unknown})`

/** Stands for a number, or for text of the line, that is known only when the line runs. */
export const ownText = `${unknown}0`

/** Returns whether a word is a pattern for names of files, one of which may be an option, or another program. */
export const isPattern = (word: string): boolean => /[*?]|\[.+\]|[@+!]\(/.test(word)

export const isKnown = (word: string): boolean => !word.includes(unknown)

/** Returns whether a word is part of the line, and stays one word. */
export const isWritten = (word: string): boolean => isKnown(word) && !isPattern(word)

/** How many readings of one word are followed at most. */
const maxReadings = 32

/** What is known about the shell's variables while a command line is read. */
export interface ShellScope {
  readonly budget: Budget
  /** Returns all values that a variable may have here, including '' if it may be unset; `[unknown]` if nothing is known. */
  lookup (name: string): string[]
  /** The arguments of the function or script that is being read; null if unknown. */
  readonly positional: readonly string[] | null
  /** Returns what a command substitution may print; `[unknown]` if nothing is known. */
  output (part: WordPart): string[]
}

/**
 * Returns the texts that a word may become: quotes removed, known variables inserted, braces expanded. Braces give several words, variables
 * several possibilities. The policy has to judge all of them, so both end up in one list.
 */
export function expandWord (word: Word, scope: ShellScope): string[] {
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
/** Parts whose values may be split into words, or leave none. */
const expansions: ReadonlySet<WordPart['type']> = new Set(['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion'])

const isQuoted = (parts: readonly WordPart[]): boolean => parts.some(({ type }) => quotes.has(type))

/**
 * Returns what a word of a command may become, each possibility as a list of words: braces give several words, blanks split inserted
 * values, and an empty word disappears unless part of it is quoted.
 */
function argumentReadings (word: Word, scope: ShellScope): string[][] {
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
  // With another `IFS`, a blank may stay.
  const parted = parts.some(({ type }) => expansions.has(type))
    ? readings.flatMap((words) => words.some(mayPart) ? [words, words.flatMap((text) => text.split(/[ \t\n]+/).filter(Boolean))] : [words])
    : readings
  return isQuoted(parts) ? parted : parted.map((words) => words.filter((text) => text !== ''))
}

/** Returns all combinations of what the words of a command may become. If they are too many, words that vary count as unknown. */
export function commandArguments (words: ReadonlyArray<Word | string[]>, scope: ShellScope): string[][] {
  const each = words.map((word) => Array.isArray(word) ? [word] : argumentReadings(word, scope))
  const count = each.reduce((product, { length }) => product * length, 1)
  const bounded = count > maxReadings ? each.map((readings) => readings.length > 1 ? [[unknown]] : readings) : each
  let lists: string[][] = [[]]
  for (const readings of bounded) {
    const [only] = readings
    // A word with one reading is appended in place: copying a long list for each of its words would take quadratic time.
    if (readings.length === 1 && only !== undefined) for (const list of lists) for (const text of only) list.push(text)
    else lists = lists.flatMap((list) => readings.map((reading) => [...list, ...reading]))
  }
  return lists
}

/** Returns one scope for each combination of values of the variables in the words, so that a variable has one value in all words. */
export function scopesOf (words: readonly Word[], scope: ShellScope): ShellScope[] {
  const choices = new Map<string, string[]>()
  const lookup = (name: string): string[] => {
    const values = scope.lookup(name)
    if (values.length > 1) choices.set(name, values)
    return values
  }
  const within = (lookup: ShellScope['lookup']): ShellScope => ({
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

function paid (words: string[], { budget }: ShellScope): string[] {
  budget.read(words)
  return words
}

/** Returns the lists of words that a plain command word may become: a variable may hold a program with arguments. */
export function commandReadings (word: Word, scope: ShellScope): string[][] {
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

/** Returns whether a word is `"$@"` or one of its other forms. */
export const isArguments = ({ text }: Word): boolean => /^(?:\$[@*]|"\$[@*]"|\$\{[@*]\}|"\$\{[@*]\}")$/.test(text)

/** Returns whether the word is written out, with variables at most. */
export function isPlain (word: Word): boolean {
  return (word.parts ?? []).every(({ type }) =>
    !['Glob', 'ExtendedGlob', 'BraceExpansion', 'CommandExpansion', 'ArithmeticExpansion', 'ProcessSubstitution'].includes(type))
}

/**
 * Returns whether the word may become several words that are known only when the command runs: without quotes, inserted values are split.
 */
export function maySplit (word: Word, scope: ShellScope): boolean {
  return (word.parts ?? []).some((part) =>
    ['SimpleExpansion', 'ParameterExpansion', 'CommandExpansion'].includes(part.type) && !/^\$(?:[#?$!-]|\{#\w+\}$)/.test(part.text) &&
    !expandPart(part, scope).every(isKnown))
}

/** Returns the parts of a word outside quotes. */
export function unquoted ({ text, parts }: Word): string {
  return parts === undefined
    ? text
    : parts.filter(({ type }) =>
      ['Literal', 'Glob', 'ExtendedGlob', 'BraceExpansion', 'SimpleExpansion'].includes(type)).map((part) => part.text).join('')
}

function expandParts (parts: readonly WordPart[], scope: ShellScope): string[] {
  let readings = ['']
  for (const part of parts) {
    scope.budget.spend(1 + (part.text.length >> 2))
    const next = expandPart(part, scope)
    if (readings.length * next.length > maxReadings) return [unknown]
    readings = paid(readings.flatMap((start) => next.map((end) => start + end)), scope)
  }
  return readings
}

function expandPart (part: WordPart, scope: ShellScope): string[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value]
    case 'DoubleQuoted':
    case 'LocaleString':
      // Text next to `$@` in quotes joins its first and last words; without arguments, there may be no word at all.
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

/** Expands plain lists only; nested braces, ranges and expansions inside braces are unknown. */
function expandBraces (text: string): string[] {
  const inner = /^\{([^{}$`"'\\,]*,[^{}$`"'\\]*)\}$/.exec(text)?.[1]
  return inner === undefined ? [unknown] : inner.split(',')
}
