/** Returns whether `pattern` matches `key`; `*` stands for any number of characters. Takes linear time for each `*`. */
export function matches (pattern: string, key: string): boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return pattern === key
  if (!key.startsWith(first)) return false
  let at = first.length
  for (const piece of rest) {
    const found = key.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  return key.length - last.length >= at && key.endsWith(last)
}
