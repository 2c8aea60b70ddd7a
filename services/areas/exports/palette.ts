import { isRecord } from '../../ground/fields.js'
import { Invalid } from '../../ground/errors.js'
import { parseJson } from '../../ground/text/parse-json.js'

const maxVariables = 64
const maxEncodedChars = 65_536
const maxValueChars = 200
const name = /^--[a-z0-9-]{1,40}$/

const number = '[+-]?(?:\\d{1,6}(?:\\.\\d{0,6})?|\\.\\d{1,6})'
const length = `${number}(?:px|rem|em|ch|ex|vh|vw|pt|%)?`
const channel = `(?:${number}(?:%|deg|rad|turn)?|none)`
const word = '[a-z]{1,30}(?:-[a-z]{1,30}){0,3}'
const family = '(?:[A-Za-z][\\w-]{0,40}(?: [A-Za-z][\\w-]{0,40}){0,5}|"[\\w -]{1,60}"|\'[\\w -]{1,60}\')'

/** Colours, one to four lengths or numbers, and lists of font families: the harmless part of https://www.w3.org/TR/css-values-4/. */
const values = [
  /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i,
  new RegExp(`^(?:rgb|hsl)a?\\( *${channel}(?: *, *${channel}){2,3} *\\)$`, 'i'),
  new RegExp(`^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch)\\( *${channel}(?: +${channel}){2}(?: */ *${channel})? *\\)$`, 'i'),
  new RegExp(`^${length}(?: +${length}){0,3}$`, 'i'),
  new RegExp(`^${word}$`, 'i'),
  new RegExp(`^${family}(?: *, *${family}){0,9}$`)
]

/** Names of variables in other programs, and those that the page uses for the same. */
const aliases: Record<string, string> = {
  '--bg': '--ground', '--surface': '--panel', '--code-bg': '--tint', '--muted': '--quiet', '--border': '--line', '--error': '--alarm'
}

/**
 * Returns the CSS declarations of a palette: base64 (either alphabet) of a JSON object of at most 64 CSS variables. Leaves out every name
 * or value that is not certainly harmless. Throws Invalid if it is not such an object.
 */
export function paletteDeclarations (palette: string): string {
  const own = Object.entries(decoded(palette))
  if (own.length > maxVariables) throw new Invalid(`A palette has at most ${maxVariables} variables.`)
  const safe = new Map(own.map(([key, value]) => [key, typeof value === 'string' ? value.trim() : '']).filter(isSafe))
  for (const [theirs, ours] of Object.entries(aliases)) {
    const value = safe.get(theirs)
    if (value !== undefined && !safe.has(ours)) safe.set(ours, value)
  }
  return [...safe].map(([key, value]) => `${key}: ${value};`).join(' ')
}

function isSafe (pair: string[]): pair is [string, string] {
  const [key = '', value = ''] = pair
  return name.test(key) && value.length <= maxValueChars && values.some((pattern) => pattern.test(value))
}

function decoded (palette: string): object {
  // An unescaped plus sign arrives as a space.
  const encoded = palette.trim().replaceAll(' ', '+')
  if (encoded.length > maxEncodedChars) throw new Invalid(`A palette has at most ${maxEncodedChars} characters.`)
  if (/^[\w+/-]+={0,2}$/.test(encoded)) {
    const variables = parseJson(Buffer.from(encoded, 'base64').toString())
    if (isRecord(variables)) return variables
  }
  throw new Invalid('The palette must be a JSON object of CSS variables, encoded as base64.')
}
