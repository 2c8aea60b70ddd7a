import { isScalar, parseDocument, visit, YAMLParseError, type Document, type ParseOptions } from 'yaml'

/**
 * Options with which config.yaml is read everywhere: `<<` merges, as people who use anchors expect, and without printing warnings, which
 * quote the file. The parser's own check for duplicate keys compares each key of a mapping with all before it, which takes minutes for a
 * long one, so this module checks instead.
 */
const yamlOptions = { merge: true, logLevel: 'error', uniqueKeys: false } as const

/** Returns a document with its errors, including duplicate keys; each error has its line. Never throws. */
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

/** Returns the content of a document as plain values. Throws its first error, and an error for aliases that are unresolved or too many. */
export function parseYaml (text: string): unknown {
  const document = readYaml(text)
  if (document.errors[0] !== undefined) throw document.errors[0]
  return document.toJS()
}

/** Returns the offset of the first duplicate key in the text; null if there is none. */
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
