import { escapeHtml } from '../../ground/text/html.js'

/** HTML that is written as it is. Text that was read from a message never becomes Markup unescaped. */
export class Markup {
  constructor (readonly source: string) {}
}

type Value = Markup | readonly Markup[] | string | number | null | undefined

/** A piece of the page: every value that is not `Markup` is escaped, for use between tags and in quoted attributes; null adds nothing. */
export function html (template: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(String.raw({ raw: template }, ...values.map(toSource)))
}

function toSource (value: Value): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Markup) return value.source
  if (typeof value === 'object') return value.map(({ source }) => source).join('')
  return escapeHtml(String(value))
}

// Control characters, halves of surrogate pairs, and characters that change the direction of the text around them (embeddings, overrides,
// isolates: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters).
const unprintable = /(?![\t\n\r])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu

/**
 * Replaces unprintable characters: control characters by their pictures, halves of pairs by the replacement character; those that change
 * the direction of text are removed. For finished HTML, which may have such characters from entities.
 */
export function printable (source: string): string {
  return source.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7F) return '\u2421'
    return code >= 0x2000 && code < 0xD800 ? '' : '\uFFFD'
  })
}
