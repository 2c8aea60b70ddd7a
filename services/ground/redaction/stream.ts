import { findSecrets, knownSecrets, mask } from './find.js'
import { project, replaced, undecidedAt, type Projection } from './invisible.js'
import { type Span } from './known.js'
import { endsOfOpen, openAt, prepareOpenings, shownOfWord, type OpenAtOptions } from './open-at.js'
import { masked } from './redaction.js'
import { cookieHeader, longestLooked } from './rules.js'

/** How much released text is kept for rules that look at what precedes a value. */
const contextChars = 512
/** How much of the line is kept, so that the rest of it does not look like a line. */
const longestLine = 4_096
/** From this size on, old text is dropped. */
const windowChars = 1_024
/**
 * How many characters of one value are held back at most. A longer value is masked to its end without another check, so in rare cases more
 * is masked than in the whole text, never less.
 */
export const longestHeld = 24_576
/** Where a value ends that may not contain white space. */
const endOfWord = /(?=\s)/g
const longestEnd = 80
/** While a long value is held back, not every piece triggers a search. */
const patientFrom = 1_024
const patientStep = 4

interface StreamMaskOptions extends OpenAtOptions {
  /** Ranges of the whole text that are masked whatever is found, in order and shorter than `longestHeld`. */
  hidden?: Span[]
}

/**
 * Masks a text while it is streamed. The results of `push` and `end`, concatenated, equal {@link redact} of the whole text, except after a
 * value that is too long to hold back. Only what could still become part of a credential is held back; other text is released at once.
 */
export class StreamMask {
  /** The end of the text so far, from the beginning of a line if possible. */
  #text = ''
  /** Where that begins in the whole text. */
  #begin = 0
  /** The index of the first hidden range that reaches into it. */
  #firstHidden = 0
  /** How much of it was released. */
  #sent = 0
  /** Credentials found in the released part. */
  #known: Span[] = []
  /** Its length at the last search. */
  #looked = 0
  /** While values are dropped that are too long to hold back: the patterns of their ends. */
  #swallowed: RegExp[] = []
  /** Whether the released part ends with one: what began in it may continue behind it. */
  #isAfterLong = false

  constructor (private readonly options: StreamMaskOptions = {}) {}

  push (told: string): string {
    this.#text += told
    if (this.#swallowed.length > 0 && !this.#skip()) return ''
    const waiting = this.#text.length - this.#sent
    const isDue = waiting >= longestHeld && this.#looked - this.#sent < longestHeld
    if (waiting > patientFrom && !isDue && this.#text.length - this.#looked < waiting / patientStep) return ''
    this.#looked = this.#text.length
    const decided = this.#text.slice(0, undecidedAt(this.#text))
    const projection = project(decided)
    const { known, openFrom } = this.#hiddenUpTo(decided.length)
    const spans = findSecrets(decided, { projection, from: this.#lookFrom(projection), known })
    const open = Math.min(this.#openIn(projection, spans), openFrom)
    // A value that is longer than a pattern reads may continue too.
    const long = spans.findLast(({ start, end }) => end - start >= longestLooked && projection.fromText(end) === projection.text.length)
    const shown = this.#release(Math.min(open, long?.start ?? Infinity), spans, projection)
    return shown === '' && this.#text.length - this.#sent >= longestHeld ? this.#shorten(projection, spans, open, openFrom) : shown
  }

  /** Releases text from within a value of which too much is held back, or masks the value to its end if all of it is open. */
  #shorten (projection: Projection, spans: Span[], open: number, openFrom: number): string {
    const word = projection.toStart(lastWordIn(projection.text))
    const last = open > this.#sent ? open : Math.min(this.#openIn(projection, spans, true), openFrom)
    const to = Math.min(last, word)
    if (to > this.#sent) {
      const shown = this.#release(to, spans, projection, true)
      // Of a list whose beginning is released, the header is what counts for the rest.
      if (open < last) this.#cut(this.#sent - Math.min(longestEnd, to - open), project(this.#text), cookieHeader)
      return shown
    }
    const from = projection.fromText(this.#sent)
    // A secret of the service is never too long.
    if (knownSecrets.openAt(projection.text, from, this.options.isComplete) <= from) return ''
    const ends = endsOfOpen(projection.text, from)
    this.#swallowed = ends.length > 0 && /\s/.test(projection.text.slice(-contextChars)) ? ends : [...ends, endOfWord]
    const isTold = this.#known.some(({ end }) => end > this.#sent)
    this.#looked = this.#text.length - longestEnd
    this.#swallow(projection)
    return isTold ? '' : mask
  }

  /** Masks the whole text so far as part of a long value. */
  #swallow (projection: Projection): void {
    this.#sent = this.#text.length
    this.#cut(this.#sent - contextChars, projection)
    this.#known = [{ start: 0, end: this.#sent }]
    this.#isAfterLong = true
  }

  /** Searches the end of a long value; false if it is not there yet. */
  #skip (): boolean {
    const projection = project(this.#text.slice(0, undecidedAt(this.#text)))
    let at = projection.fromText(this.#looked)
    for (let end = this.#swallowed[0]; end !== undefined; end = this.#swallowed[0]) {
      end.lastIndex = at
      const found = end.exec(projection.text)
      if (found === null) {
        this.#looked = Math.max(projection.toStart(at), this.#text.length - longestEnd)
        this.#swallow(projection)
        return false
      }
      at = found.index + found[0].length
      this.#swallowed.shift()
    }
    this.#sent = this.#looked = projection.toStart(at)
    this.#known = [{ start: 0, end: this.#sent }]
    return true
  }

  /** Returns what was held back. Afterwards the mask is ready for another text. */
  end (): string {
    const projection = project(this.#text)
    const { known } = this.#hiddenUpTo(this.#text.length)
    const shown = this.#swallowed.length > 0
      ? ''
      : this.#release(this.#text.length, findSecrets(this.#text, { projection, from: this.#lookFrom(projection), known }), projection)
    this.#text = ''
    this.#begin = this.#firstHidden = this.#sent = this.#looked = 0
    this.#known = []
    this.#swallowed = []
    this.#isAfterLong = false
    return shown
  }

  /** The text that was pushed and not released yet, unmasked. */
  get held (): string { return this.#swallowed.length > 0 ? '' : this.#text.slice(this.#sent) }

  /** Releases the text before `to`, or before the value that it is in; with `isWithin`, also the beginning of that. */
  #release (to: number, spans: Span[], projection: Projection, isWithin = false): string {
    const sent = this.#sent
    const until = isWithin ? to : spans.find(({ start, end }) => start < to && end > to)?.start ?? to
    if (until <= sent) return ''
    // Once a secret is recognised, none of the rest is released, even if its beginning was: it was recognised too late.
    const late = spans.find(({ start, end }) => start < sent && end > sent)
    const isTold = late === undefined || this.#known.some(({ start, end }) => start < late.end && end > late.start)
    const shown = (isTold ? '' : mask) + masked(this.#text, spans, late === undefined ? sent : Math.min(late.end, until), until)
    this.#known = spans.filter(({ start }) => start < until)
    this.#sent = until
    this.#isAfterLong = false
    this.#forget(projection)
    return shown
  }

  /** Returns what is known to be masked in the text up to a position, and where a hidden range begins that goes on behind it. */
  #hiddenUpTo (end: number): { known: Span[], openFrom: number } {
    const { hidden = [] } = this.options
    const known = [...this.#known]
    while ((hidden[this.#firstHidden]?.end ?? Infinity) <= this.#begin) this.#firstHidden++
    for (let index = this.#firstHidden, span = hidden[index]; span !== undefined; span = hidden[++index]) {
      const start = Math.max(0, span.start - this.#begin)
      if (start >= end) break
      known.push({ start, end: Math.min(span.end - this.#begin, end) })
      if (span.end - this.#begin > end) return { known, openFrom: start }
    }
    return { known, openFrom: Infinity }
  }

  /** Returns where the search begins: after the released text, less what of it could still turn out to be the beginning of a secret. */
  #lookFrom (projection: Projection): number {
    if (this.#isAfterLong) return 0
    return this.options.isRead === true ? projection.toStart(Math.max(0, projection.fromText(this.#sent) - shownOfWord)) : this.#sent
  }

  /** Returns where something is open. A key may begin right after a found secret, with which it forms one word in the stream. */
  #openIn (projection: Projection, spans: Span[], isLast = false): number {
    const options = isLast ? { ...this.options, isLast } : this.options
    const from = this.#isAfterLong ? 0 : projection.fromText(this.#sent)
    const first = openAt(projection.text, from, options)
    const over = spans.map(({ start, end }) => ({
      start: projection.fromText(start), end: projection.fromText(end), shown: mask
    })).filter(({ end }) => end < projection.text.length)
    const apart = over.length === 0 ? null : replaced(projection.text, over)
    const open = apart === null ? first : Math.min(first, apart.toStart(openAt(apart.text, apart.fromText(from), options)))
    return projection.toStart(options.isRead === true ? open : beforeOpen(projection.text, from, open, over))
  }

  /** Drops text that no rule looks back at. */
  #forget (projection: Projection): void {
    const sent = this.#sent
    if (this.#text.length < windowChars || sent < contextChars) return
    const line = this.#text.lastIndexOf('\n', sent - contextChars)
    this.#cut(line < Math.max(0, sent - longestLine) ? sent - contextChars : line, projection)
  }

  /** Replaces the beginning of the text, all of which is released. What is invisible is not cut, because half of it is visible. */
  #cut (position: number, { fromText, toStart }: Projection, before = ''): void {
    const from = toStart(fromText(position))
    const less = from - before.length
    this.#text = before + this.#text.slice(from)
    this.#begin += less
    this.#sent -= less
    this.#looked = Math.max(0, this.#looked - less)
    this.#known = this.#known.filter(({ end }) => end > from)
      .map(({ start, end }) => ({ start: Math.max(before.length, start - less), end: end - less }))
  }
}

/** Prepares what the first text would wait for. */
export async function warmStreamMasks (): Promise<void> {
  await prepareOpenings()
  new StreamMask().push('a token: b')
}

/** Returns where the last word of a projected text begins. */
const lastWordIn = (text: string): number => Math.max(...[' ', '\n', '\t', '\r'].map((space) => text.lastIndexOf(space))) + 1

/** Returns where a key begins that ends right before what is open, because only the end of that tells whether the key ends there. */
function beforeOpen (text: string, from: number, open: number, found: Span[]): number {
  if (open >= text.length || !/\w/.test(text.charAt(open - 1))) return open
  const known = found.filter(({ end }) => end <= open)
  return findSecrets(text.slice(0, open) + mask, { from, known }).find(({ start, end }) => start < open && end >= open)?.start ?? open
}
