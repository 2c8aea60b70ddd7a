/** What somebody has typed of a path: terms that all have to be found in it. */
export interface Sought {
  terms: readonly Term[]
  /** Names that begin with a dot have to be asked for with their dot. */
  withHidden: boolean
}

/** Lower case; split where the typed text has slashes, so that the last part is of the name. */
interface Term { text: string, parts: readonly string[] }

/** How well a path answers, the best first. What is far below is found all the same, after everything that is meant more likely. */
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

// eslint-disable-next-line no-control-regex -- the limits of the alphabet
const isAscii = /^[\u0000-\u007f]*$/

/** How well a path (with `/`, none at its end) answers; less is better, null when it does not. Pure. */
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

/** What recency may make better: more than a few folders less, never what answers better. */
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

/** The last part is of the name, those before it of folders above, from the inside out. */
function rankParts (spelled: string, lower: string, parts: readonly string[]): number | null {
  let end = spelled.length
  let worst: number = ranks.same
  for (let index = parts.length - 1; index >= 0; index--) {
    let rank: number | null = null
    // Only the name itself may not be passed over.
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

/** The name begins at `at` and is the end of the text. */
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

/** Behind a sign, at a capital behind a small letter, and at the first digit. */
function startsWord (spelled: string, at: number): boolean {
  if (at === 0) return true
  const [before, here] = [spelled.charCodeAt(at - 1), spelled.charCodeAt(at)]
  if (isPunctuation(before)) return true
  return (isUpper(here) && !isUpper(before)) || (isDigit(here) && !isDigit(before))
}

/** More ways are not tried: a name of one letter alone would have endless ones. */
const mostTries = 200

/** Whether a text is made of the beginnings of words, in their order: `ufw` or `useWatch` of `use-folder-watch`. */
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
