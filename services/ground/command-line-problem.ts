import { asError } from './errors.js'
import { similar } from './home/similar.js'

/**
 * Returns what is wrong with an option of a command line, with the option that was probably meant, from an error of parseArgs. `known`: the
 * options by name, each with the placeholder of its value, such as `<folder>`, if it takes one.
 */
export function optionProblem (error: unknown, known: Readonly<Record<string, { says: string, value?: string }>>): string {
  const { message } = asError(error)
  const [, option] = /^(?:Unknown option|Option) '(--?[^' ]*)/.exec(message) ?? []
  if (option === undefined) return message
  const name = option.slice(2)
  if (!Object.hasOwn(known, name)) {
    const names = Object.keys(known)
    // Other programs take the beginning of an option for the option.
    const meant = names.find((each) => name !== '' && each.startsWith(name)) ?? similar(name, names)
    return `There is no option ${option}.${meant === undefined ? '' : ` Did you mean --${meant}?`}`
  }
  const { value } = known[name] ?? {}
  return value === undefined ? `${option} takes no value.` : `${option} needs a value: ${option} ${value}.`
}
