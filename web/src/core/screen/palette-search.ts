/** The searched properties of an entry of the palette. */
export interface Searchable {
  readonly text: string
  readonly keywords?: string
  /** Whether a person has written the text, such as the title of a chat: it may contain any word by chance. */
  readonly isWritten?: boolean
}

/** What a match counts: at the beginning of a word, and within one. */
const worth = { text: [10, 5], keywords: [4, 1], written: [3, 2] } as const

/**
 * Ranks how well a text matches what was typed; null for no match. Each typed word must begin a word of the text or a keyword, or at least
 * occur in them. A text that begins as typed ranks first.
 */
function fit ({ text, keywords = '', isWritten = false }: Searchable, typed: string): number | null {
  const sought = folded(typed)
  const title = folded(text)
  if (sought === '') return 0
  if (title.startsWith(sought)) return 100
  let score = 0
  for (const word of sought.split(' ')) {
    const found = Math.max(fitOfWord(title, word, worth[isWritten ? 'written' : 'text']), fitOfWord(folded(keywords), word, worth.keywords))
    if (found === 0) return null
    score += found
  }
  return score
}

function fitOfWord (text: string, word: string, [beginning, within]: readonly [number, number]): number {
  if (!text.includes(word)) return 0
  return ` ${text}`.includes(` ${word}`) ? beginning : within
}

/** Returns the matching entries, the best first; equally good ones keep their order. */
export function ranked <Entry extends Searchable> (entries: readonly Entry[], typed: string): Entry[] {
  const fitting = entries.flatMap((entry) => {
    const score = fit(entry, typed)
    return score === null ? [] : [{ entry, score }]
  })
  return fitting.toSorted((a, b) => b.score - a.score).map(({ entry }) => entry)
}

/** Normalises case, accents and white space. */
function folded (text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim()
}
