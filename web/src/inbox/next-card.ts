/** Returns the index of the card that a key leads to, from `at` (-1: none) of `count`; null if it leads nowhere. */
export function nextCard (key: string, at: number, count: number): number | null {
  if (count === 0) return null
  const to = { j: at + 1, ArrowDown: at + 1, k: at - 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[key]
  return to === undefined ? null : Math.max(0, Math.min(count - 1, to))
}
