/** A part of a page, from one heading to the next. */
export interface Entry {
  /** The name of the page, and the anchor of the heading; empty for the part before the first one. */
  readonly page: string
  readonly anchor: string
  readonly title: string
  readonly heading: string
  readonly text: string
}

export interface Hit extends Entry {
  /** The text around the first word found, in pieces. Pieces with an odd index are the words themselves. */
  readonly excerpt: readonly string[]
}

const before = 40
const excerptLength = 160

/** Returns the parts that contain every word of the query, best first. A match at the beginning of a word ranks above one inside it. */
export function search (entries: readonly Entry[], query: string, most = 20): Hit[] {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== '')
  if (words.length === 0) return []
  return entries
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, most)
    .map(({ entry }) => ({ ...entry, excerpt: excerptOf(entry.text, words) }))
}

/** Returns 0 if a word is missing. The reference ranks below other pages, because it contains almost every word. */
function scoreOf (entry: Entry, words: readonly string[]): number {
  let score = entry.heading.toLowerCase() === words.join(' ') ? 30 : 0
  for (const word of words) {
    const found = weightOf(entry.heading, word, 12) + weightOf(entry.title, word, 8) + weightOf(entry.text, word, 3)
    if (found === 0) return 0
    score += found
  }
  return entry.page.startsWith('api-') ? score / 2 : score
}

function weightOf (text: string, word: string, weight: number): number {
  const lower = text.toLowerCase()
  const at = lower.indexOf(word)
  if (at === -1) return 0
  return startOf(lower, word) === -1 ? weight / 3 : weight
}

/** Returns the index at which a word of the text begins with `word`; -1 if none does. */
function startOf (lower: string, word: string): number {
  for (let at = lower.indexOf(word); at !== -1; at = lower.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}]/u.test(lower[at - 1] ?? '')) return at
  }
  return -1
}

function excerptOf (text: string, words: readonly string[]): string[] {
  const lower = text.toLowerCase()
  const first = Math.min(...words.map((word) => lower.indexOf(word)).filter((at) => at !== -1))
  if (first === Infinity) return [text.slice(0, excerptLength)]
  const from = first <= before ? 0 : text.indexOf(' ', first - before) + 1
  const piece = text.slice(Math.min(from, first), first + excerptLength)
  const pattern = new RegExp(`(${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&')).join('|')})`, 'gi')
  return `${from > 0 ? '…' : ''}${piece}`.split(pattern)
}
