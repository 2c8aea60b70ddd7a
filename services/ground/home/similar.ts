/** Returns the entry of `known` that was probably meant; undefined if none is similar. */
export function similar (word: string, known: readonly string[]): string | undefined {
  const plain = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const wanted = plain(word)
  if (wanted === '' || wanted.length > 64) return undefined
  const near = known.map((candidate) => ({ candidate, distance: distance(wanted, plain(candidate)) }))
    // In a short word, a single mistake makes another word.
    .filter(({ candidate, distance }) => distance <= (candidate.length < 4 ? 0 : candidate.length < 8 ? 1 : 2))
    .sort((a, b) => a.distance - b.distance)
  return near[0]?.candidate
}

/** Returns how many characters must be added, removed, replaced, or swapped with their neighbour. */
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
