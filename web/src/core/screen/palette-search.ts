/** The searched properties of an entry of the palette. */
export interface Searchable { readonly text: string, readonly keywords?: string }

/**
 * Ranks how well a text matches what was typed; null for no match. Each typed word must begin a word of the text or a keyword, or at least
 * occur in them. A text that begins as typed ranks first.
 */
function fit ({ text, keywords = '' }: Searchable, typed: string): number | null {
  const sought = folded(typed)
  const title = folded(text)
  if (sought === '') return 0
  if (title.startsWith(sought)) return 100
  let score = 0
  for (const word of sought.split(' ')) {
    const found = Math.max(fitOfWord(title, word, 3), fitOfWord(folded(keywords), word, 1))
    if (found === 0) return null
    score += found
  }
  return score
}

/** Ranks where a text has a word: at the beginning of one of its own, elsewhere (`within`), or nowhere (0). */
function fitOfWord (text: string, word: string, within: number): number {
  if (!text.includes(word)) return 0
  return ` ${text}`.includes(` ${word}`) ? 10 : within
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
