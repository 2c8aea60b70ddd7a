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
  return [...new Set(tokens.flatMap((token) => token.kind === 'option' ? problemsOf(token, known, mayBeEmpty) : []))]
}

interface GivenOption { name: string, rawName: string, value: string | undefined, inlineValue: boolean | undefined }

function problemsOf ({ name, rawName, value, inlineValue }: GivenOption, known: KnownOptions, mayBeEmpty: boolean): string[] {
  if (!Object.hasOwn(known, name) || !rawName.startsWith('--')) {
    const names = Object.keys(known)
    // Other programs take the beginning of an option for the option.
    const meant = names.find((each) => each.startsWith(name)) ?? similar(name, names)
    return [`There is no option ${rawName}.${rawName.startsWith('--') && meant !== undefined ? ` Did you mean --${meant}?` : ''}`]
  }
  const { value: placeholder } = known[name] ?? {}
  if (placeholder === undefined) return value === undefined ? [] : [`${rawName} takes no value.`]
  // What begins with a hyphen is the next option; a value of this kind is written behind an equals sign.
  const isMissing = value === undefined || (inlineValue !== true && /^-./.test(value))
  if (isMissing) return [`${rawName} needs a value: ${rawName} ${placeholder}.`]
  return value === '' && !mayBeEmpty ? [`${rawName} is empty. Is a variable not set?`] : []
}
