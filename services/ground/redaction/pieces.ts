import { findSecrets } from './find.js'
import { masked } from './redaction.js'

/**
 * Returns the pieces of a text with credentials masked. They are searched in the whole text, because what identifies one (its name, the
 * first line of a key) may be in another piece.
 */
export function redactPieces (pieces: readonly string[], separator: string): string[] {
  const text = pieces.join(separator)
  const spans = findSecrets(text)
  if (spans.length === 0) return [...pieces]
  let from = 0
  let first = 0
  return pieces.map((piece) => {
    const to = from + piece.length
    while ((spans[first]?.end ?? Infinity) <= from) first++
    const own = []
    for (let index = first, span = spans[index]; span !== undefined && span.start < to; span = spans[++index]) {
      own.push({ start: Math.max(from, span.start), end: Math.min(to, span.end) })
    }
    const shown = masked(text, own, from, to)
    from = to + separator.length
    return shown
  })
}
