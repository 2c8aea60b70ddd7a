const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/** Decodes the references in a text of XML. References to a document's own entities stay as they are. */
export function decoded (text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (
    all, decimal?: string, hex?: string, name?: string
  ) => {
    if (name !== undefined) return named[name.toLowerCase()] ?? all
    const code = decimal === undefined ? parseInt(hex ?? '', 16) : Number(decimal)
    return code > 0x10ffff ? all : String.fromCodePoint(code)
  })
}

/** A tag, or the text between two tags. `isEmpty`: the tag has no end tag. */
export type XmlToken = { kind: 'open', name: string, attributes: string, isEmpty: boolean } | { kind: 'close', name: string } | { kind: 'text', text: string }

/** A longer text is yielded in pieces: an expression that replaces millions of places at once takes more memory than a thread has. */
const mostTextChars = 64 * 1024
/** How many characters before its `;` a reference may begin. */
const longestReference = 10

/** Yields the tags and texts of XML in one pass. Never throws: broken XML ends early. */
export function * tokensOf (xml: string): Generator<XmlToken> {
  for (let at = 0; at < xml.length;) {
    if (xml[at] !== '<') {
      for (const end = endOf(xml, '<', at); at < end;) {
        const from = at
        at = pieceEnd(xml, from, end)
        yield { kind: 'text', text: decoded(xml.slice(from, at)) }
      }
    } else if (xml.startsWith('<!--', at)) at = endOf(xml, '-->', at + 4) + 3
    else if (xml.startsWith('<![CDATA[', at)) {
      const end = endOf(xml, ']]>', at)
      yield { kind: 'text', text: xml.slice(at + 9, end) }
      at = end + 3
    } else {
      const end = xml.indexOf('>', at)
      if (end === -1) return
      const tag = xml.slice(at + 1, end)
      at = end + 1
      if (tag.startsWith('/')) yield { kind: 'close', name: tag.slice(1).trimEnd() }
      else if (!/^[?!]/.test(tag)) {
        const isEmpty = tag.endsWith('/')
        const name = /^[^\s/]*/.exec(tag)?.[0] ?? ''
        yield { kind: 'open', name, attributes: tag.slice(name.length, isEmpty ? -1 : undefined), isEmpty }
      }
    }
  }
}

function endOf (xml: string, mark: string, from: number): number {
  const end = xml.indexOf(mark, from)
  return end === -1 ? xml.length : end
}

/** Returns where a piece of the text that ends at `end` ends: not inside of a reference. */
function pieceEnd (xml: string, at: number, end: number): number {
  if (end - at <= mostTextChars) return end
  const cut = at + mostTextChars
  const reference = xml.slice(cut - longestReference, cut).lastIndexOf('&')
  return reference === -1 ? cut : cut - longestReference + reference
}

/** Returns the decoded value of an attribute of a tag; null if the tag does not have it. */
export function attributeOf (attributes: string, name: string): string | null {
  const value = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`).exec(attributes)
  return value === null ? null : decoded(value[1] ?? value[2] ?? '')
}
