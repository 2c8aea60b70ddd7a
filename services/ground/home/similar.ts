/** The one of `known` that somebody has probably meant; undefined where none is near. */
export function similar (word: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const wanted = plain(word)
  if (wanted === '' || wanted.length > 64) return undefined
  const near = known.map((candidate) => ({ candidate, distance: distance(wanted, plain(candidate)) }))
    // One slip in a short word makes another word of it.
    .filter(({ candidate, distance }) => distance <= (candidate.length < 4 ? 0 : candidate.length < 8 ? 1 : 2))
    .sort((a, b) => a.distance - b.distance)
  return near[0]?.candidate
}

/** How many characters have to be added, left out, replaced, or swapped with the next one. */
function distance (a: string, b: string): number {
  const at = (row: readonly number[], index: number): number => row[index] ?? Infinity
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1]
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const replaced = at(last, j - 1) + (isSame ? 0 : 1)
      row.push(Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced, isSwapped ? at(beforeLast, j - 2) + 1 : Infinity))
    }
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}
