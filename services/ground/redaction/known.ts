import { openSource } from './open.js'

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
  /** Where the beginning of one stands at the end of the text, that may go on; the length of the text when there is none. */
  openAt (text: string, from?: number): number
  /** Whether a text is the whole of one, in one of the ways in which it may be written. */
  isOne (text: string): boolean
  /** Raised with every new value. */
  readonly version: number
}

/** Shorter ones are not masked by value: they would mask words of any text. */
const shortestKnown = 8
/** What is looked for first. */
const seedChars = 4
const shortestForm = 10
const shortestLine = 16
/** Stands in no text that is looked through. */
const apart = '\0'
/** So many times its length a form may take, with what stands between its parts. */
const spread = 16
/** So much of one counts where a text is cut: its beginning at the end of the text, its end at the start. */
const shortestCut = 6
/** A line that was wrapped, a text that was put together from several. */
const fold = /(?:\\?(?:\r?\n|\r)|\\{1,8}[nr]|\t)[ \t>|+]{0,40}|["'] ?\+? ?(?:\r?\n[ \t]{0,40})?["']/y
/** What stands where a text was cut, in front of the gap and behind it: `…`, `[… 20 bytes left out …]`. */
const cut = /(?:[\s>|]|\\{1,8}[nrt]){0,8}\[?…/y
const resumed = /…\]?(?:[\s>|]|\\{1,8}[nrt]){0,8}/g
const longestResumed = 80

/** A character that is written as a number, or behind a stroke that it does not need. */
const escaped = /\\{1,8}(?:u00([\da-f]{2})|x([\da-f]{2})|(["'/\\]))|%([\da-f]{2})/iy

const characterOf = ([, unicode, byte, sign, percent]: RegExpExecArray): string =>
  sign ?? String.fromCharCode(parseInt(unicode ?? byte ?? percent ?? '', 16))

/** The text ends where it could still become one of them. */
const openFold = new RegExp(openSource(`(?:${fold.source}|${escaped.source})`, 'i'), 'iy')
const openCut = new RegExp(openSource(cut.source, ''), 'y')

type Match = { end: number } | 'open' | null

export function createKnownSecrets (): KnownSecrets {
  const values = new Set<string>()
  const forms = new Set<string>()
  let bySeed = new Map<string, string[]>()
  let byFirst = new Map<string, string[]>()
  let seeds = /(?!)/g
  /** All forms, to look for parts of them. */
  let joined = ''
  let longest = 0
  let version = 0

  function compile (): void {
    bySeed = group([...forms], seedChars)
    byFirst = group([...forms], 1)
    seeds = new RegExp([...bySeed.keys()].map((seed) => seed.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g')
    joined = [...forms, ''].join(apart)
    longest = Math.max(...[...forms].map((form) => form.length))
    version++
  }

  /** What can go on at a place where a text was cut: the ends of forms that begin like it. */
  function endsAt (text: string, at: number, chars: number): string[] {
    const ends: string[] = []
    const seed = text.slice(at, at + chars)
    if (seed === '' || seed.includes(apart)) return ends
    for (let hit = joined.indexOf(seed); hit !== -1; hit = joined.indexOf(seed, hit + 1)) {
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
        for (const form of formsOf(value)) forms.add(form)
      }
      if (forms.size !== before) compile()
    },

    find (text, from = 0) {
      const spans: Span[] = []
      if (forms.size === 0) return spans
      for (const start of startsIn(text, from)) {
        const end = furthest(text, start, endsAt(text, start, seedChars))
        if (end - start >= shortestCut) spans.push({ start, end })
      }
      seeds.lastIndex = from
      for (let hit = seeds.exec(text); hit !== null; hit = seeds.exec(text)) {
        const end = furthest(text, hit.index, bySeed.get(hit[0])!)
        if (end === -1) seeds.lastIndex = hit.index + 1
        else {
          spans.push({ start: hit.index, end })
          seeds.lastIndex = end
        }
      }
      return spans
    },

    openAt (text, from = 0) {
      if (forms.size === 0) return text.length
      const isOpen = (at: number, candidates: string[] = []): boolean => candidates.some((form) => match(text, at, form, false) === 'open')
      const cutOpen = startsIn(text, from).find((start) => isOpen(start, endsAt(text, start, Math.min(seedChars, text.length - start)))) ??
        text.length
      // A form may be spread over lines.
      for (let at = Math.max(from, text.length - spread * longest); at < cutOpen; at++) {
        if (isOpen(at, byFirst.get(text.charAt(at)))) return at
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

const reads = (pattern: RegExp, text: string, position: number): boolean => {
  pattern.lastIndex = position
  return pattern.test(text)
}

/** Compares from `at` on. Where the text ends, or was cut, a part that is long enough counts when it is `whole`. */
function match (text: string, at: number, form: string, whole: boolean): Match {
  let position = at
  for (let index = 0; index < form.length;) {
    if (text[position] === form[index]) {
      position++
      index++
      continue
    }
    const isLong = index >= shortestCut
    if (position >= text.length) return !whole ? 'open' : isLong ? { end: position } : null
    if (isLong && reads(cut, text, position)) return { end: position }
    if (index === 0) return null
    if (!whole && (reads(openFold, text, position) || (isLong && reads(openCut, text, position)))) return 'open'
    escaped.lastIndex = position
    const written = escaped.exec(text)
    if (written !== null && characterOf(written) === form[index]) {
      position += written[0].length
      index++
      continue
    }
    fold.lastIndex = position
    const folded = fold.exec(text)
    if (folded === null) return null
    position += folded[0].length
  }
  return { end: position }
}

/** How a value may be written: in JSON, in addresses, in base64 together with whatever stands around it, in hex. */
function formsOf (value: string): Set<string> {
  const json = JSON.stringify(value).slice(1, -1)
  const percent = encodeURIComponent(Buffer.from(value).toString())
  const bytes = Buffer.from(value)
  const forms = [
    json, JSON.stringify(json).slice(1, -1), percent, percent.replaceAll('%20', '+'),
    percent.replace(/%[\dA-F]{2}/g, (code) => code.toLowerCase()),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll(
      '"', '&quot;'
    ), value.replaceAll("'", "'\\''"),
    bytes.toString('hex'), bytes.toString('hex').toUpperCase()
  ]
  for (const shift of [0, 1, 2]) {
    const encoded = Buffer.concat([Buffer.alloc(shift), bytes]).toString('base64').slice(
      Math.ceil(shift * 8 / 6), Math.floor((shift + bytes.length) * 8 / 6)
    )
    forms.push(encoded, encoded.replaceAll('+', '-').replaceAll('/', '_'))
  }
  const found = new Set(forms.filter((form) => form.length >= shortestForm))
  // Keys of several lines are also shown line by line.
  for (const line of value.split('\n')) if (line.length >= (line === value ? shortestKnown : shortestLine)) found.add(line)
  return found
}

function group (forms: string[], chars: number): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const form of forms) groups.set(form.slice(0, chars), [...groups.get(form.slice(0, chars)) ?? [], form])
  return groups
}
