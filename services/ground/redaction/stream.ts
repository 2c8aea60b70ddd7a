import { findSecrets, mask } from './find.js'
import { project, replaced, undecidedAt, type Projection } from './invisible.js'
import { type Span } from './known.js'
import { openAt, prepareOpenings, shownOfWord, type OpenAtOptions } from './open-at.js'
import { masked } from './redaction.js'
import { longestLooked } from './rules.js'

/** How much released text is kept for rules that look at what precedes a value. */
const contextChars = 512
/** From this size on, old text is dropped. */
const windowChars = 1_024
/** How many characters of one value are held back at most. A longer value is masked to its end without another check. */
export const longestHeld = 24_576
/** Where a value that is no longer held back ends: a multi-line key with its last line, or where a sentence continues. */
const endOfBlock = /-----END [A-Z0-9 ]{0,60}-----|(?=[.,;!?][ \n])/
const endOfWord = /(?=\s)/
const longestEnd = 80
/** While a long value is held back, not every piece triggers a search. */
const patientFrom = 1_024
const patientStep = 4

interface StreamMaskOptions extends OpenAtOptions {
  /** Ranges of the whole text that are masked whatever is found, in order and shorter than `longestHeld`. */
  hidden?: Span[]
}

/**
 * Masks a text while it is streamed. The results of `push` and `end`, concatenated, equal {@link redact} of the whole text. Only what could
 * still become part of a credential is held back; other text is released at once.
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
  /** Set while a value is dropped that is too long to hold back: the pattern of its end. */
  #swallowed: RegExp | undefined

  constructor (private readonly options: StreamMaskOptions = {}) {}

  push (told: string): string {
    this.#text += told
    if (this.#swallowed !== undefined) {
      const end = this.#swallowed.exec(this.#text)
      if (end === null) {
        this.#drop(Math.max(0, this.#text.length - longestEnd))
        return ''
      }
      this.#swallowed = undefined
      this.#drop(end.index + end[0].length)
    }
    const waiting = this.#text.length - this.#sent
    if (waiting > patientFrom && waiting < longestHeld && this.#text.length - this.#looked < waiting / patientStep) return ''
    this.#looked = this.#text.length
    const decided = this.#text.slice(0, undecidedAt(this.#text))
    const projection = project(decided)
    const { known, openFrom } = this.#hiddenUpTo(decided.length)
    const spans = findSecrets(decided, { projection, from: this.#lookFrom(projection), known })
    // A value that is longer than a pattern reads may continue too.
    const long = spans.findLast(({ start, end }) => end === decided.length && start >= this.#sent && end - start >= longestLooked)
    const shown = this.#release(Math.min(this.#openIn(projection, spans), long?.start ?? Infinity, openFrom), spans)
    if (this.#text.length - this.#sent < longestHeld) return shown
    this.#swallowed = this.#text.startsWith('-----BEGIN', this.#sent) ? endOfBlock : endOfWord
    this.#reset(this.#swallowed === endOfBlock ? Math.max(0, this.#text.length - longestEnd) : this.#text.length)
    return shown + mask
  }

  /** Returns what was held back. Afterwards the mask is ready for another text. */
  end (): string {
    const projection = project(this.#text)
    const { known } = this.#hiddenUpTo(this.#text.length)
    const shown = this.#swallowed !== undefined
      ? ''
      : this.#release(this.#text.length, findSecrets(this.#text, { projection, from: this.#lookFrom(projection), known }))
    this.#swallowed = undefined
    this.#reset(this.#text.length)
    this.#begin = this.#firstHidden = 0
    return shown
  }

  /** The text that was pushed and not released yet, unmasked. */
  get held (): string { return this.#swallowed === undefined ? this.#text.slice(this.#sent) : '' }

  /** Releases the text before `to`. */
  #release (to: number, spans: Span[]): string {
    const sent = this.#sent
    const until = spans.find(({ start, end }) => start < to && end > to)?.start ?? to
    if (until <= sent) return ''
    // Once a secret is recognised, none of the rest is released, even if its beginning was: it was recognised too late.
    const late = spans.find(({ start, end }) => start < sent && end > sent)
    const isTold = late === undefined || this.#known.some(({ start, end }) => start < late.end && end > late.start)
    const shown = (isTold ? '' : mask) + masked(this.#text, spans, late === undefined ? sent : Math.min(late.end, until), until)
    this.#known = spans.filter(({ end }) => end <= until)
    this.#sent = until
    this.#forget()
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
    return this.options.isRead === true ? projection.toStart(Math.max(0, projection.fromText(this.#sent) - shownOfWord)) : this.#sent
  }

  /** Returns where something is open. A key may begin right after a found secret, with which it forms one word in the stream. */
  #openIn (projection: Projection, spans: Span[]): number {
    const { options } = this
    const from = projection.fromText(this.#sent)
    const first = openAt(projection.text, from, options)
    const over = spans.map(({ start, end }) => ({
      start: projection.fromText(start), end: projection.fromText(end), shown: mask
    })).filter(({ end }) => end < projection.text.length)
    const apart = over.length === 0 ? null : replaced(projection.text, over)
    const open = apart === null ? first : Math.min(first, apart.toStart(openAt(apart.text, apart.fromText(from), options)))
    return projection.toStart(options.isRead === true ? open : beforeOpen(projection.text, from, open, over))
  }

  /** Drops text that no rule looks back at. */
  #forget (): void {
    const sent = this.#sent
    if (this.#text.length < windowChars || sent < contextChars) return
    const line = this.#text.lastIndexOf('\n', sent - contextChars)
    const from = line === -1 ? sent - contextChars : line
    this.#drop(from)
    this.#sent -= from
    this.#looked = Math.max(0, this.#looked - from)
    this.#known = this.#known.filter(({ end }) => end > from)
      .map(({ start, end }) => ({ start: Math.max(0, start - from), end: end - from }))
  }

  /** Drops the beginning of the text. */
  #drop (chars: number): void {
    this.#text = this.#text.slice(chars)
    this.#begin += chars
  }

  /** Drops the beginning of the text, and what is known of the rest. */
  #reset (chars: number): void {
    this.#drop(chars)
    this.#sent = 0
    this.#known = []
    this.#looked = 0
  }
}

/** Prepares what the first text would wait for. */
export async function warmStreamMasks (): Promise<void> {
  await prepareOpenings()
  new StreamMask().push('a token: b')
}

/** Returns where a key begins that ends right before what is open, because only the end of that tells whether the key ends there. */
function beforeOpen (text: string, from: number, open: number, found: Span[]): number {
  if (open >= text.length || !/\w/.test(text.charAt(open - 1))) return open
  const known = found.filter(({ end }) => end <= open)
  return findSecrets(text.slice(0, open) + mask, { from, known }).find(({ start, end }) => start < open && end >= open)?.start ?? open
}
