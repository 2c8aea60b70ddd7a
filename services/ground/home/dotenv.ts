import { isDeepStrictEqual } from 'node:util'
import { Conflict } from '../errors.js'

const name = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_.]*)\s*=[ \t]*/
const escapes: Record<string, string> = { n: '\n', r: '\r', t: '\t' }

/** One assignment of a `.env` file. Its lines are `text.slice(start, end)`, including the end of the last line. */
interface Assignment { name: string, value: string, start: number, end: number }

/**
 * Parses a `.env` file: comments, `export`, single quotes and backticks (literal), double quotes (with \n, \r, \t, \" and \\), quoted
 * values over several lines. An unquoted value ends at white space followed by `#`. The platform's own `util.parseEnv` cuts unquoted values
 * at any `#`, which destroys keys, and does not support escaped quotes.
 */
export function parseDotenv (text: string): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const { name, value } of assignments(text)) variables[name] = value
  return variables
}

/**
 * Returns the text of a `.env` file with a variable set or removed; comments and all other lines stay. If the file sets it several times,
 * only one assignment remains, in the place of the last. Throws Conflict if other variables would change: an unclosed quote turns all that
 * follows into one assignment.
 *
 * @param value null removes the variable
 */
export function withVariable (text: string, name: string, value: string | null): string {
  const { [name]: before, ...others } = parseDotenv(text)
  if (before === (value ?? undefined)) return text
  const line = value === null ? '' : `${name}=${quoted(value)}\n`
  const { replaced, without } = replacing(text, name, line)
  const wanted = value === null ? others : { ...others, [name]: value }
  const found = [replaced, `${line}${without}`].find((candidate) => isDeepStrictEqual(sorted(parseDotenv(candidate)), sorted(wanted)))
  if (found === undefined) throw new Conflict('.env has a quote that is never closed; nothing was written to it. Correct it and try again.')
  return found
}

function replacing (text: string, name: string, line: string): { replaced: string, without: string } {
  const present = [...assignments(text)].filter((assignment) => assignment.name === name)
  let replaced = ''
  let without = ''
  let from = 0
  for (const [index, { start, end }] of present.entries()) {
    const kept = text.slice(from, start)
    replaced += kept + (index === present.length - 1 ? line : '')
    without += kept
    from = end
  }
  const rest = text.slice(from)
  if (present.length > 0) return { replaced: replaced + rest, without: without + rest }
  return { replaced: `${rest}${rest === '' || rest.endsWith('\n') ? '' : '\n'}${line}`, without: rest }
}

const sorted = (variables: Record<string, string>): Array<[string, string]> => Object.entries(variables).sort(([a], [b]) => a < b ? -1 : 1)

function * assignments (text: string): Generator<Assignment> {
  for (let at = text.startsWith('\uFEFF') ? 1 : 0; at < text.length;) {
    const start = at
    const opening = name.exec(lineFrom(text, at))
    if (opening === null) {
      at += lineFrom(text, at).length + 1
      continue
    }
    at += opening[0].length
    const quote = quotedValue(text, at)
    const value = quote?.value ?? withoutComment(lineFrom(text, at))
    at += quote?.length ?? 0
    at = Math.min(text.length, at + lineFrom(text, at).length + 1)
    yield { name: opening[1] ?? '', value, start, end: at }
  }
}

function lineFrom (text: string, at: number): string {
  const end = text.indexOf('\n', at)
  return end === -1 ? text.slice(at) : text.slice(at, end)
}

/** Searches from each `#`, not from each space: a long run of spaces would take minutes. */
function withoutComment (value: string): string {
  const comment = /(?<!\S)#/.exec(value)
  return (comment === null ? value : value.slice(0, comment.index)).trim()
}

function quotedValue (text: string, at: number): { value: string, length: number } | undefined {
  const quote = text[at]
  if (quote === undefined || !'"\'`'.includes(quote)) return undefined
  const rest = text.slice(at)
  const found = (quote === '"' ? /^"((?:[^"\\]|\\[^])*)"/ : quote === '\'' ? /^'([^']*)'/ : /^`([^`]*)`/).exec(rest)
  if (found === null) return undefined
  const written = (found[1] ?? '').replaceAll('\r\n', '\n')
  const value = quote !== '"'
    ? written
    : written.replace(/\\([^])/g, (whole, letter: string) => escapes[letter] ?? (letter === '"' || letter === '\\' ? letter : whole))
  return { value, length: found[0].length }
}

/** Returns a value as `parseDotenv`, and shells that source such a file, read it back. */
function quoted (value: string): string {
  if (/^[\w./:@%+=,~^-]+$/.test(value)) return value
  if (!/['\n\r]/.test(value)) return `'${value}'`
  return `"${value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}"`
}
