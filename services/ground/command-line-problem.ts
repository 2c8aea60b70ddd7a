import { parseArgs } from 'node:util'
import { similar } from './home/similar.js'

/** Options by name, each with the placeholder of its value, such as `<folder>`, if it takes one. */
type KnownOptions = Readonly<Record<string, { says: string, value?: string }>>

/**
 * Returns a sentence for each thing that is wrong with the options of a command line, with the option that was probably meant.
 * `mayBeEmpty`: the program itself judges empty values.
 */
export function optionProblems (words: readonly string[], known: KnownOptions, { mayBeEmpty = false } = {}): string[] {
  const options = Object.fromEntries(Object.entries(known).map(([name, { value }]) =>
    [name, { type: value === undefined ? 'boolean' as const : 'string' as const }]))
  const { tokens } = parseArgs({ args: [...words], options, strict: false, allowPositionals: true, tokens: true })
  const problems = tokens.flatMap((token) =>
    token.kind === 'option' ? problemsOf({ ...token, word: words[token.index] ?? token.rawName }, known, mayBeEmpty) : [])
  return [...new Set(problems)]
}

/** `word`: what was written; a word with one hyphen is one option for each of its letters. */
interface GivenOption { name: string, rawName: string, value: string | undefined, inlineValue: boolean | undefined, word: string }

function problemsOf ({ name, rawName, value, inlineValue, word }: GivenOption, known: KnownOptions, mayBeEmpty: boolean): string[] {
  if (!Object.hasOwn(known, name) || !rawName.startsWith('--')) {
    const names = Object.keys(known)
    const [, hyphens = '', written = ''] = /^(--?)([^=]*)/.exec(word) ?? []
    // Other programs take the beginning of an option for the option.
    const meant = written.length < 2 ? undefined : names.find((each) => each.startsWith(written)) ?? similar(written, names)
    return [`There is no option ${hyphens}${written}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`]
  }
  const { value: placeholder } = known[name] ?? {}
  if (placeholder === undefined) return value === undefined ? [] : [`${rawName} takes no value.`]
  // What begins with a hyphen is the next option; a value of this kind is written behind an equals sign.
  const isMissing = value === undefined || (inlineValue !== true && /^-./.test(value))
  if (isMissing) return [`${rawName} needs a value: ${rawName} ${placeholder}.`]
  return value === '' && !mayBeEmpty ? [`${rawName} is empty. Is a variable not set?`] : []
}
