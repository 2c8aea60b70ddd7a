/** HTML that may be written as it is. Nothing that was read from a message can be one. */
export class Markup {
  constructor (readonly source: string) {}
}

type Value = Markup | readonly Markup[] | string | number | null | undefined

/** A piece of the page: every value that is not `Markup` becomes text, between tags as in a quoted attribute; null leaves nothing. */
export function html (template: TemplateStringsArray, ...values: Value[]): Markup {
  return new Markup(String.raw({ raw: template }, ...values.map(toSource)))
}

function toSource (value: Value): string {
  if (value === null || value === undefined) return ''
  if (value instanceof Markup) return value.source
  if (typeof value === 'object') return value.map(({ source }) => source).join('')
  return escapeHtml(String(value))
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export function escapeHtml (text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? character)
}

// Control characters, halves of surrogate pairs, and what turns the direction of the text around it (embeddings,
// overrides, isolates: https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters).
const unprintable = /(?![\t\n\r])[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069]/gu

/**
 * What is left when nothing unprintable is: control characters become their pictures, halves of pairs the replacement
 * character, and text reads in the order in which it stands. For finished HTML, which may have such characters from entities.
 */
export function printable (source: string): string {
  return source.replace(unprintable, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7F) return '\u2421'
    return code >= 0x2000 && code < 0xD800 ? '' : '\uFFFD'
  })
}
