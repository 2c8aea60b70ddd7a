/** A parsed query: terms that must all be found in a path. */
export interface Sought {
  terms: readonly Term[]
  /** Whether the query has a name that begins with a dot; only then are hidden names found. */
  withHidden: boolean
}

/** A term in lower case. It is split at slashes, so that the last part must match the name. */
interface Term { text: string, parts: readonly string[] }

/** Kinds of matches, the best first. Poor matches are still found, after everything that is more likely wanted. */
const ranks = {
  same: 0, begins: 1, word: 2, humps: 3, within: 4, pathWord: 5, pathHumps: 6, pathWithin: 7, scattered: 8, pathScattered: 9
} as const
const rankWeight = 1_000
const depthWeight = 20
const mostDepth = 24

export function readSought (query: string): Sought {
  const terms = [...new Set(query.normalize('NFC').toLowerCase().split(/\s+/))].filter((term) => term !== '').map((typed) => {
    const text = typed.replace(/^(?:\.?\/)+/, '').replaceAll(/\/{2,}/g, '/')
    return { text, parts: text.split('/') }
  }).filter(({ text }) => text !== '')
  return { terms, withHidden: terms.some(({ parts }) => parts.some((part) => part.startsWith('.'))) }
}

// eslint-disable-next-line no-control-regex -- the range of ASCII
const isAscii = /^[\u0000-\u007f]*$/

/** Returns how well a path (with `/`, none at its end) matches: less is better, null is no match. Pure. */
export function rankPath (path: string, { terms }: Sought): number | null {
  const spelled = isAscii.test(path) ? path : path.normalize('NFC')
  const lower = spelled.toLowerCase()
  let rank = 0
  for (const term of terms) {
    const found = rankTerm(spelled, lower, term)
    if (found === null) return null
    rank = Math.max(rank, found)
  }
  return rank * rankWeight + Math.min(mostDepth, countOf(spelled, '/')) * depthWeight +
    Math.min(spelled.length, 1_000) / 1_000 * (depthWeight - 1)
}

/** Highest bonus for a recent change. It outweighs a few levels of folders, but never a better kind of match. */
export const recencyWeight = depthWeight * 5

function rankTerm (spelled: string, lower: string, { text, parts }: Term): number | null {
  const at = spelled.lastIndexOf('/') + 1
  const byName = parts.length === 1 ? rankName(spelled, lower, at, text) : rankParts(spelled, lower, parts)
  if (byName !== null) return byName
  if (at > 0) {
    const found = lower.indexOf(text)
    if (found !== -1) return startsWordSomewhere(spelled, lower, text, found) ? ranks.pathWord : ranks.pathWithin
    if (isMadeOfHumps(spelled, lower, 0, text)) return ranks.pathHumps
  }
  if (isScattered(lower, at, text)) return ranks.scattered
  return at > 0 && isScattered(lower, 0, text) ? ranks.pathScattered : null
}

/** Ranks a term with slashes: the last part must match the name, those before it folders above, from the inside out. */
function rankParts (spelled: string, lower: string, parts: readonly string[]): number | null {
  let end = spelled.length
  let worst: number = ranks.same
  for (let index = parts.length - 1; index >= 0; index--) {
    let rank: number | null = null
    // Folders may be skipped, but not the name itself.
    while (rank === null && end > 0) {
      const from = lower.lastIndexOf('/', end - 1) + 1
      rank = rankName(spelled.slice(0, end), lower.slice(0, end), from, parts[index] ?? '')
      end = Math.max(0, from - 1)
      if (index === parts.length - 1) break
    }
    if (rank === null) return null
    worst = Math.max(worst, rank)
  }
  return worst
}

/** Ranks the name, which begins at `at` and reaches to the end of the path. */
function rankName (spelled: string, lower: string, at: number, text: string): number | null {
  if (lower.startsWith(text, at)) {
    return lower.length === at + text.length || lower.lastIndexOf('.') === at + text.length ? ranks.same : ranks.begins
  }
  const found = lower.indexOf(text, at)
  if (found !== -1) return startsWordSomewhere(spelled, lower, text, found) ? ranks.word : ranks.within
  return isMadeOfHumps(spelled, lower, at, text) ? ranks.humps : null
}

function startsWordSomewhere (spelled: string, lower: string, text: string, from: number): boolean {
  for (let at = from; at !== -1; at = lower.indexOf(text, at + 1)) if (startsWord(spelled, at)) return true
  return false
}

const isPunctuation = (code: number): boolean => code < 128 && !isLower(code) && !isUpper(code) && !isDigit(code)
const isLower = (code: number): boolean => code >= 97 && code <= 122
const isUpper = (code: number): boolean => code >= 65 && code <= 90
const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** Whether a word starts here: after punctuation, at a capital that does not follow a capital, or at the first digit. */
function startsWord (spelled: string, at: number): boolean {
  if (at === 0) return true
  const [before, here] = [spelled.charCodeAt(at - 1), spelled.charCodeAt(at)]
  if (isPunctuation(before)) return true
  return (isUpper(here) && !isUpper(before)) || (isDigit(here) && !isDigit(before))
}

/** How many combinations are tried at most: a name that repeats a single letter would have endless ones. */
const mostTries = 200

/** Whether a text consists of the beginnings of words, in order: `ufw` or `useWatch` for `use-folder-watch`. */
function isMadeOfHumps (spelled: string, lower: string, from: number, text: string): boolean {
  let tries = 0
  const goesOn = (behind: number, index: number): boolean => {
    if (index === text.length) return true
    if (++tries > mostTries) return false
    const code = text.charCodeAt(index)
    if (index > 0 && lower.charCodeAt(behind) === code && goesOn(behind + 1, index + 1)) return true
    for (let at = lower.indexOf(text.charAt(index), behind); at !== -1; at = lower.indexOf(text.charAt(index), at + 1)) {
      if (startsWord(spelled, at) && goesOn(at + 1, index + 1)) return true
    }
    return false
  }
  return goesOn(from, 0)
}

function isScattered (lower: string, from: number, text: string): boolean {
  let at = from - 1
  for (let index = 0; index < text.length; index++) {
    at = lower.indexOf(text.charAt(index), at + 1)
    if (at === -1) return false
  }
  return true
}

function countOf (text: string, sign: string): number {
  let count = 0
  for (let at = text.indexOf(sign); at !== -1; at = text.indexOf(sign, at + 1)) count++
  return count
}
