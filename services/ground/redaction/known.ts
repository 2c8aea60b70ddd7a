import { openSource } from './open.js'
import { rareForms, seedChars, shortestKnown, usualForms } from './written-forms.js'

/** From `start` on, without `end`. */
export interface Span { start: number, end: number }

/**
 * The service's own secrets, masked by their value wherever they stand. They belong to the process: each text that leaves
 * it is looked through for them, also where nobody thought of handing them on.
 */
export interface KnownSecrets {
  /** Adds values. What was added stays known as long as the process lives: a key that was changed stands in old texts. */
  keep (values: Iterable<string>): void
  /** Those that begin at `from` or behind it. */
  find (text: string, from?: number): Span[]
  /**
   * Where the beginning of one stands at the end of the text, that may go on; the length of the text when there is none. Of writings that
   * hardly anybody uses only if `isComplete`.
   */
  openAt (text: string, from?: number, isComplete?: boolean): number
  /** Whether a text is the whole of one, in one of the ways in which it may be written. */
  isOne (text: string): boolean
  /** Raised with every new value. */
  readonly version: number
}

/** Stands in no text that is looked through. */
const apart = '\0'
/** So many times its length a form may take, with what stands between its parts. */
const spread = 16
/** So much of one counts where a text is cut: its beginning at the end of the text, its end at the start. */
const shortestCut = 6
/** Of a value that repeats itself, so many of the ends that begin alike, the longest first, count where a text is cut. */
const mostEnds = 256
/** A line that was wrapped, a text that was put together from several. */
const fold = /(?:\\?(?:\r?\n|\r)|\\{1,32}(?:r\\{1,32}n|[nr])|\t)[ \t>|+]{0,40}|\\{0,32}["'] ?\+? ?(?:\r?\n[ \t]{0,40})?\\{0,32}["']/y
/** What stands where a text was cut, in front of the gap and behind it: `…`, `[… 20 bytes left out …]`. */
const cut = /(?:[\s>|]|\\{1,8}[nrt]){0,8}\[?…/y
const resumed = /…\]?(?:[\s>|]|\\{1,8}[nrt]){0,8}/g
const longestResumed = 80

/** A character that is written as a number: in programs, addresses and markup. */
const numbered = '\\\\{1,32}(?:u([\\da-fA-F]{4})|x([\\da-fA-F]{2})|([0-3][0-7]{2}))|(%[c-fC-F][\\da-fA-F](?:%[89abAB][\\da-fA-F]){1,3}|%[\\da-fA-F]{2})|' +
  '&#[xX]([\\da-fA-F]{2,4});|&#(\\d{2,5});'
/** The same, or one behind a stroke that it does not need. */
const escaped = new RegExp(`${numbered}|\\\\{1,32}(["'/\\\\])`, 'y')

function characterOf ([, unicode, byte, octal, percent, hexEntity, entity, sign]: RegExpExecArray): string {
  if (sign !== undefined) return sign
  if (percent !== undefined) return Buffer.from(percent.replaceAll('%', ''), 'hex').toString()
  const hex = unicode ?? byte ?? hexEntity
  if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16))
  return String.fromCharCode(octal === undefined ? Number(entity) : parseInt(octal, 8))
}

/** Whether a character may be written as a number, or behind a stroke, at a place. */
function isEscape (text: string, at: number): boolean {
  const character = text[at]
  return character === '\\' || character === '%' || character === '&'
}

/** The character that stands at a place, however it is written, and where the next one begins. */
function readCharacter (text: string, at: number): { character: string, end: number } {
  if (!isEscape(text, at)) return { character: text.charAt(at), end: at + 1 }
  escaped.lastIndex = at
  const written = escaped.exec(text)
  return written === null ? { character: text.charAt(at), end: at + 1 } : { character: characterOf(written), end: at + written[0].length }
}

/** What a text says from a place on, in so many characters. */
function readCharacters (text: string, from: number, count: number): string {
  let said = ''
  for (let at = from; said.length < count && at < text.length;) {
    const { character, end } = readCharacter(text, at)
    said += character
    at = end
  }
  return said.slice(0, count)
}

/** The text ends where it could still become one of them. */
const openFold = new RegExp(openSource(`(?:${fold.source}|${escaped.source})`, ''), 'y')
const openEscape = new RegExp(openSource(escaped.source, ''), 'y')
const openCut = new RegExp(openSource(cut.source, ''), 'y')

type Match = { end: number } | 'open' | null

export function createKnownSecrets (): KnownSecrets {
  const values = new Set<string>()
  const forms = new Set<string>()
  /** Those that a stream waits for. The others are found where they are whole: with them, hardly a letter would begin none. */
  const awaited = new Set<string>()
  let bySeed = new Map<string, string[]>()
  let [byFirst, byFirstOfAll] = [new Map<string, string[]>(), new Map<string, string[]>()]
  let seeds = /(?!)/g
  /** All forms, to look for parts of them. */
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

  /** What can go on at a place where a text was cut: the ends of forms that begin like it. */
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
        // None begins within one that is whole: it would be looked for in what is hidden, and a value that repeats itself without end.
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

/** Where a text begins or goes on behind a gap, at `from` or behind it. */
function startsIn (text: string, from: number): number[] {
  const starts = from === 0 ? [0] : []
  // Most texts have no gap, and this is asked of each.
  const near = Math.max(0, from - longestResumed)
  if (text.indexOf('…', near) === -1) return starts
  resumed.lastIndex = near
  for (let found = resumed.exec(text); found !== null; found = resumed.exec(
    text
  )) if (resumed.lastIndex >= from) starts.push(resumed.lastIndex)
  return starts
}

/** Where the longest of these ends that stand there; -1 when none does. */
const furthest = (text: string, at: number, forms: string[]): number => forms.reduce((end, form) => {
  const found = match(text, at, form, true)
  return found === null || found === 'open' ? end : Math.max(end, found.end)
}, -1)

/** `open` where the text ends within one of these; else where the longest ends that stand there whole; -1 when none does. */
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

/** What stands between two texts that are put together. */
const joint = /["']/

/** Compares from `at` on. Where the text ends, or was cut, a part that is long enough counts when it is `whole`. */
function match (text: string, at: number, form: string, whole: boolean): Match {
  let position = at
  let index = 0
  /** Where a quotation mark was taken for the value's own, what it would be otherwise. */
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
    // Lines are wrapped at blanks, which go with it; what quotes a line may be the value's own.
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

/** Where the second of two texts begins that are put together at a place; null: none are. */
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
