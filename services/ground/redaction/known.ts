import { openSource } from './open.js'
import { rareForms, seedChars, shortestKnown, usualForms } from './written-forms.js'

/** A range: from `start` to before `end`. */
export interface Span { start: number, end: number }

/**
 * The service's own secrets, masked by their value wherever they occur. They belong to the process: every text that leaves it is searched
 * for them, also where no code passes them on.
 */
export interface KnownSecrets {
  /** Adds values. They stay known as long as the process lives, because a key that was replaced still occurs in old texts. */
  keep (values: Iterable<string>): void
  /** Returns the secrets that begin at `from` or later. */
  find (text: string, from?: number): Span[]
  /**
   * Returns where the beginning of a secret stands at the end of a text that may continue; the text's length if there is none. Rare
   * encodings count only if `isComplete`.
   */
  openAt (text: string, from?: number, isComplete?: boolean): number
  /** Whether a text is exactly one secret, in one of its encodings. */
  isOne (text: string): boolean
  /** Incremented when values are added. */
  readonly version: number
}

/** Occurs in no text that is searched. */
const apart = '\0'
/** How many times its length a form may take up, including the line breaks between its parts. */
const spread = 16
/** The shortest part of a secret that counts where a text is cut: its beginning before the cut, or its end behind it. */
const shortestCut = 6
/** How many ends of a repetitive value that begin alike are tried where a text is cut, the longest first. */
const mostEnds = 256
/** A line that was wrapped, or a text that was concatenated from several. */
const fold = /(?:\\?(?:\r?\n|\r)|\\{1,32}(?:r\\{1,32}n|[nr])|\t)[ \t>|+]{0,40}|\\{0,32}["'] ?\+? ?(?:\r?\n[ \t]{0,40})?\\{0,32}["']/y
/** The marks of a cut in a text, before the gap and behind it: `…`, `[… 20 bytes left out …]`. */
const cut = /(?:[\s>|]|\\{1,8}[nrt]){0,8}\[?…/y
const resumed = /…\]?(?:[\s>|]|\\{1,8}[nrt]){0,8}/g
const longestResumed = 80
/** What a fold, a cut or an escaped character begins with. */
const interruption = /[\s>|[…"'\\%&]/y

/** A character that is written as a number, as in programs, addresses and markup. */
const numbered = '\\\\{1,32}(?:u([\\da-fA-F]{4})|x([\\da-fA-F]{2})|([0-3][0-7]{2}))|(%[c-fC-F][\\da-fA-F](?:%[89abAB][\\da-fA-F]){1,3}|%[\\da-fA-F]{2})|' +
  '&#[xX]([\\da-fA-F]{2,4});|&#(\\d{2,5});'
/** The same, or a character with an unnecessary backslash. */
const escaped = new RegExp(`${numbered}|\\\\{1,32}(["'/\\\\])`, 'y')

function characterOf ([, unicode, byte, octal, percent, hexEntity, entity, sign]: RegExpExecArray): string {
  if (sign !== undefined) return sign
  if (percent !== undefined) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString()
  const hex = unicode ?? byte ?? hexEntity
  if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16))
  return String.fromCharCode(octal === undefined ? Number(entity) : parseInt(octal, 8))
}

/** Whether an escaped character may begin at a position. */
function isEscape (text: string, at: number): boolean {
  const character = text[at]
  return character === '\\' || character === '%' || character === '&'
}

/** Returns the character at a position, decoded if it is escaped, and where the next one begins. */
function readCharacter (text: string, at: number): { character: string, end: number } {
  if (!isEscape(text, at)) return { character: text.charAt(at), end: at + 1 }
  escaped.lastIndex = at
  const written = escaped.exec(text)
  return written === null ? { character: text.charAt(at), end: at + 1 } : { character: characterOf(written), end: at + written[0].length }
}

/** Returns the next `count` decoded characters of a text. */
function readCharacters (text: string, from: number, count: number): string {
  let said = ''
  for (let at = from; said.length < count && at < text.length;) {
    const { character, end } = readCharacter(text, at)
    said += character
    at = end
  }
  return said.slice(0, count)
}

/** These match where the text ends and could still become one of those patterns. */
const openFold = new RegExp(openSource(`(?:${fold.source}|${escaped.source})`, ''), 'y')
const openEscape = new RegExp(openSource(escaped.source, ''), 'y')
const openCut = new RegExp(openSource(cut.source, ''), 'y')

type Match = { end: number } | 'open' | null

export function createKnownSecrets (): KnownSecrets {
  const values = new Set<string>()
  const forms = new Set<string>()
  /**
   * The forms that a stream waits for. The others are found only once they are complete: with them, almost every letter would begin one.
   */
  const awaited = new Set<string>()
  let bySeed = new Map<string, string[]>()
  let [byFirst, byFirstOfAll] = [new Map<string, string[]>(), new Map<string, string[]>()]
  let seeds = /(?!)/g
  /** All forms, joined to search for parts of them. */
  let joined = ''
  let [longest, longestOfAll] = [0, 0]
  let version = 0

  function compile (): void {
    bySeed = group([...forms], seedChars)
    byFirst = group([...awaited], 1)
    byFirstOfAll = group([...forms], 1)
    const written = [...bySeed.keys()].map((seed) => seed.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'))
    seeds = new RegExp([...written, `(?:${numbered}){${seedChars}}`].join('|'), 'g')
    joined = [...forms, ''].join(apart)
    longest = longestOf(awaited)
    longestOfAll = longestOf(forms)
    version++
  }

  /** Returns the ends of forms that begin like the text at a position where it was cut. */
  function endsAt (text: string, at: number, chars: number): string[] {
    const ends: string[] = []
    const seed = text.slice(at, at + chars)
    if (seed === '' || seed.includes(apart)) return ends
    for (let hit = joined.indexOf(seed); hit !== -1 && ends.length < mostEnds; hit = joined.indexOf(seed, hit + 1)) {
      const end = joined.indexOf(apart, hit)
      if (end - hit >= shortestCut) ends.push(joined.slice(hit, end))
    }
    return ends
  }

  return {
    keep (added) {
      const before = forms.size
      for (const value of added) {
        if (value.length < shortestKnown || values.has(value)) continue
        values.add(value)
        const usual = usualForms(value)
        for (const form of usual) awaited.add(form)
        for (const form of [...usual, ...rareForms(value)]) forms.add(form)
      }
      if (forms.size !== before) compile()
    },

    find (text, from = 0) {
      const spans: Span[] = []
      if (forms.size === 0) return spans
      for (const start of startsIn(text, from)) {
        if (text.length - start < shortestCut) continue
        const end = furthest(text, start, endsAt(text, start, seedChars))
        if (end - start >= shortestCut) spans.push({ start, end })
      }
      seeds.lastIndex = from
      for (let hit = seeds.exec(text); hit !== null; hit = seeds.exec(text)) {
        const end = furthest(text, hit.index, bySeed.get(hit[0]) ?? bySeed.get(readCharacters(text, hit.index, seedChars)) ?? [])
        if (end === -1) seeds.lastIndex = hit.index + 1
        else {
          spans.push({ start: hit.index, end })
          seeds.lastIndex = end
        }
      }
      return spans
    },

    openAt (text, from = 0, isComplete = false) {
      if (forms.size === 0) return text.length
      const begun = isComplete ? byFirstOfAll : byFirst
      const cutOpen = startsIn(text, from).find((start) =>
        openOrEnd(text, start, endsAt(text, start, Math.min(seedChars, text.length - start))) === 'open') ?? text.length
      // A form may be spread over lines.
      for (let at = Math.max(from, text.length - spread * (isComplete ? longestOfAll : longest)); at < cutOpen;) {
        const found = openOrEnd(text, at, begun.get(text.charAt(at)))
        if (found === 'open') return at
        // Skips a complete one: otherwise the search would continue inside a masked value, and without end in a repetitive one.
        let next = Math.max(at + 1, found)
        if (isEscape(text, at)) {
          const escaped = openOrEnd(text, at, begun.get(readCharacter(text, at).character.charAt(0)))
          if (escaped === 'open' || reads(openEscape, text, at)) return at
          next = Math.max(next, escaped)
        }
        at = next
      }
      return cutOpen
    },

    isOne: (text) => forms.has(text),

    get version () { return version }
  }
}

/** Returns the positions at `from` or later where a text begins or continues behind a gap. */
function startsIn (text: string, from: number): number[] {
  const starts = from === 0 ? [0] : []
  // Most texts have no gap, and this runs for each of them.
  const near = Math.max(0, from - longestResumed)
  if (text.indexOf('…', near) === -1) return starts
  resumed.lastIndex = near
  for (let found = resumed.exec(text); found !== null; found = resumed.exec(
    text
  )) if (resumed.lastIndex >= from) starts.push(resumed.lastIndex)
  return starts
}

/** Returns where the longest matching form ends; -1 if none matches. */
const furthest = (text: string, at: number, forms: string[]): number => forms.reduce((end, form) => {
  const found = match(text, at, form, true)
  return found === null || found === 'open' ? end : Math.max(end, found.end)
}, -1)

/** Returns `open` if the text ends within one of the forms, otherwise where the longest complete match ends; -1 if none matches. */
function openOrEnd (text: string, at: number, forms: string[] = []): 'open' | number {
  let end = -1
  for (const form of forms) {
    const found = match(text, at, form, false)
    if (found === 'open') return 'open'
    if (found !== null) end = Math.max(end, found.end)
  }
  return end
}

const reads = (pattern: RegExp, text: string, position: number): boolean => {
  pattern.lastIndex = position
  return pattern.test(text)
}

/** The quotation marks between two concatenated texts. */
const joint = /["']/

/** Compares a form from `at` on. With `whole`, a long enough part counts if the text ends or was cut there. */
function match (text: string, at: number, form: string, whole: boolean): Match {
  let position = at
  let index = 0
  /** Where to continue if a quotation mark that was taken as part of the value was the end of a concatenated text instead. */
  let other: { position: number, index: number } | null = null
  while (index < form.length) {
    if (text[position] === form[index]) {
      const behind = behindJoint(text, position)
      if (behind !== null && text[behind] === form[index]) other = { position: behind, index }
      position++
      index++
      continue
    }
    const isLong = index >= shortestCut
    if (position >= text.length) return !whole ? 'open' : isLong ? { end: position } : null
    if (!reads(interruption, text, position)) {
      if (other === null) return null
      ;({ position, index } = other)
      other = null
      continue
    }
    if (isLong && reads(cut, text, position)) return { end: position }
    const { character, end } = readCharacter(text, position)
    if (end > position + 1 && form.startsWith(character, index)) {
      position = end
      index += character.length
      continue
    }
    if (index === 0) return null
    if (!whole && (reads(openFold, text, position) || (isLong && reads(openCut, text, position)))) return 'open'
    fold.lastIndex = position
    const folded = fold.exec(text)
    if (folded === null) {
      if (other === null) return null
      ;({ position, index } = other)
      other = null
      continue
    }
    // Lines are wrapped at spaces, which are dropped; a character that looks like quoting may belong to the value.
    const behind = position + folded[0].length
    if (form[index] === '\n') index++
    else if (readCharacter(text, behind).character !== form[index]) {
      const indentation = folded[0].search(/[ \t>|+]*$/)
      const kept = folded[0].slice(indentation).lastIndexOf(form.charAt(index))
      if (kept !== -1) {
        position += indentation + kept
        continue
      }
      if (form[index] === ' ') index++
    }
    position = behind
  }
  return { end: position }
}

/** Returns where the second of two texts begins that are concatenated at a position; null if none are. */
function behindJoint (text: string, at: number): number | null {
  const sign = text[at]
  if (sign !== '"' && sign !== "'" && sign !== '\\') return null
  fold.lastIndex = at
  const folded = fold.exec(text)?.[0]
  return folded !== undefined && joint.test(folded) ? at + folded.length : null
}

const longestOf = (forms: Iterable<string>): number => Math.max(...[...forms].map((form) => form.length))

function group (forms: string[], chars: number): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const form of forms) groups.set(form.slice(0, chars), [...groups.get(form.slice(0, chars)) ?? [], form])
  return groups
}
