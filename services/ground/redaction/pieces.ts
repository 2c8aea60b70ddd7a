import { findSecrets } from './find.js'
import { masked } from './redaction.js'

/**
 * The pieces of a text, each with what looks like a credential in the whole of it masked: what makes one known (its name, the
 * line a key begins with) may stand in another piece.
 */
export function redactPieces (pieces: readonly string[], separator: string): string[] {
  const text = pieces.join(separator)
  const spans = findSecrets(text)
  if (spans.length === 0) return [...pieces]
  let from = 0
  let first = 0
  return pieces.map((piece) => {
    const to = from + piece.length
    while (first < spans.length && spans[first]!.end <= from) first++
    const own = []
    for (let index = first; index < spans.length && spans[index]!.start < to; index++) {
      own.push({
        start: Math.max(from, spans[index]!.start), end: Math.min(to, spans[index]!.end)
      })
    }
    const shown = masked(text, own, from, to)
    from = to + separator.length
    return shown
  })
}
