/** Something that can be picked in the palette, as far as it is searched. */
export interface Searchable { readonly text: string, readonly keywords?: string }

/**
 * How well a text fits what was typed; null: not at all. Every word that was typed has to begin a word of it, or at least stand in it; a
 * text that begins like what was typed comes first.
 */
function fit ({ text, keywords = '' }: Searchable, typed: string): number | null {
  const sought = folded(typed)
  const title = folded(text)
  if (sought === '') return 0
  if (title.startsWith(sought)) return 100
  let score = 0
  for (const word of sought.split(' ')) {
    const found = fitOfWord(title, word) ?? (fitOfWord(folded(keywords), word) === null ? null : 1)
    if (found === null) return null
    score += found
  }
  return score
}

function fitOfWord (text: string, word: string): number | null {
  const at = text.indexOf(word)
  if (at === -1) return null
  return at === 0 || text.includes(` ${word}`) ? 10 : 3
}

/** Those that fit, the best first; what fits as well stays in its order. */
export function ranked <Entry extends Searchable> (entries: readonly Entry[], typed: string): Entry[] {
  const fitting = entries.flatMap((entry) => {
    const score = fit(entry, typed)
    return score === null ? [] : [{ entry, score }]
  })
  return fitting.toSorted((a, b) => b.score - a.score).map(({ entry }) => entry)
}

/** Case, accents and runs of space make no difference. */
function folded (text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\s+/g, ' ').trim()
}
