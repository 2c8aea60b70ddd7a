/** The parts of a diff line that a comment needs; see `DiffLine`. */
export interface ReviewedLine { readonly kind: 'same' | 'add' | 'del' | 'note', readonly text: string, readonly before: number | null, readonly after: number | null }

/** The lines that a comment is about, with those around them, so that the service can find them again. */
export interface Anchored { side: 'old' | 'new', line: number, end_line: number, quote: string[], before: string[], after: string[] }

const mostAround = 3
const mostQuoted = 200

/** Returns the anchor of a comment on the lines between two of a hunk, both included; null if none of them is on its side. */
export function anchorOf (hunk: readonly ReviewedLine[], one: ReviewedLine, other: ReviewedLine): Anchored | null {
  const ends = [hunk.indexOf(one), hunk.indexOf(other)]
  const [from, to] = [Math.min(...ends), Math.max(...ends)]
  const side = from !== -1 && hunk.slice(from, to + 1).every(({ kind }) => kind === 'del' || kind === 'note') ? 'old' : 'new'
  const numberOf = (line: ReviewedLine): number | null => side === 'old' ? line.before : line.after
  const lines = from === -1 ? [] : hunk.slice(from, to + 1).filter((line) => numberOf(line) !== null).slice(0, mostQuoted)
  const [first, last] = [lines[0], lines.at(-1)]
  const [line, end] = [first === undefined ? null : numberOf(first), last === undefined ? null : numberOf(last)]
  if (line === null || end === null) return null
  return {
    side, line, end_line: end, quote: lines.map(({ text }) => text),
    before: around(hunk.slice(0, from).reverse(), side).reverse(), after: around(hunk.slice(to + 1), side)
  }
}

/** Returns the next lines that are in the file now. For removed lines, these follow everything that was changed together with them. */
function around (lines: readonly ReviewedLine[], side: Anchored['side']): string[] {
  const start = side === 'new' ? 0 : lines.findIndex(({ kind }) => kind === 'same')
  if (start === -1) return []
  const found: string[] = []
  for (const { kind, text, after } of lines.slice(start)) {
    if (found.length === mostAround || (side === 'old' && kind !== 'same')) break
    if (after !== null) found.push(text)
  }
  return found
}
