import { isScalar, parseDocument, visit, YAMLParseError, type Document, type ParseOptions } from 'yaml'

/**
 * As config.yaml is read everywhere: `<<` merges, as people who use anchors expect it; warnings, which quote the file, are not
 * printed. The parser compares each key of a mapping with all before it, which takes minutes for a long one: that a key stands
 * there twice is found out here.
 */
const yamlOptions = { merge: true, logLevel: 'error', uniqueKeys: false } as const

/** A document with its errors, a key that stands in a mapping twice among them; each says its line. Never throws. */
export function readYaml (text: string, options: ParseOptions = {}): Document.Parsed {
  const document = parseDocument(text, { ...yamlOptions, ...options })
  if (document.errors.length > 0) return document
  const twice = keyTwice(document)
  if (twice !== null) {
    const above = text.slice(0, twice)
    const error = new YAMLParseError([twice, twice + 1], 'DUPLICATE_KEY', 'Map keys must be unique')
    error.linePos = [{ line: above.split('\n').length, col: twice - above.lastIndexOf('\n') }]
    document.errors.push(error)
  }
  return document
}

/** What a document holds as plain values. Throws the first of its errors, and for aliases that lead nowhere or are too many. */
export function parseYaml (text: string): unknown {
  const document = readYaml(text)
  if (document.errors[0] !== undefined) throw document.errors[0]
  return document.toJS()
}

/** Where in the text the first key stands that its mapping has already; null where there is none. */
function keyTwice (document: Document.Parsed): number | null {
  let found: number | null = null
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        if (!isScalar(key)) continue
        if (seen.has(key.value)) {
          found = key.range?.[0] ?? 0
          return visit.BREAK
        }
        seen.add(key.value)
      }
    }
  })
  return found
}
