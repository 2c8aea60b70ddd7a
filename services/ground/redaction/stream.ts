import { findSecrets, mask } from './find.js'
import { project, replaced, undecidedAt, type Projection } from './invisible.js'
import { type Span } from './known.js'
import { openAt, prepareOpenings, shownOfWord, type OpenAtOptions } from './open-at.js'
import { masked } from './redaction.js'
import { longestLooked } from './rules.js'

/** How much of what came out is still looked at: what stands in front of a value. */
const contextChars = 512
/** From here on old text is let go of. */
const windowChars = 1_024
/** So much of one value (characters) is waited for; what is longer is masked to its end without another look. */
export const longestHeld = 24_576
/** Where a value ends that nobody waits for: a key of many lines with its last line, or where a sentence goes on. */
const endOfBlock = /-----END [A-Z0-9 ]{0,60}-----|(?=[.,;!?][ \n])/
const endOfWord = /(?=\s)/
const longestEnd = 80
/** Of a long value, not each piece is worth a look. */
const patientFrom = 1_024
const patientStep = 4

/**
 * Masks a text while it is being told. What `push` and `end` return, put together, is what {@link redact} makes of the whole
 * text. Only what could still become part of a credential is held back; other text comes out as soon as it goes in.
 */
export class StreamMask {
  /** The end of what was told, from the beginning of a line where that is possible. */
  #text = ''
  /** So much of it came out. */
  #sent = 0
  /** What was found in that part. */
  #known: Span[] = []
  /** So long it was when it was last looked at. */
  #looked = 0
  /** A value that nobody waits for any longer: it goes on until something else comes. */
  #swallowed: RegExp | undefined

  constructor (private readonly options: OpenAtOptions = {}) {}

  push (told: string): string {
    this.#text += told
    if (this.#swallowed !== undefined) {
      const end = this.#swallowed.exec(this.#text)
      if (end === null) {
        this.#text = this.#text.slice(-longestEnd)
        return ''
      }
      this.#swallowed = undefined
      this.#text = this.#text.slice(end.index + end[0].length)
    }
    const waiting = this.#text.length - this.#sent
    if (waiting > patientFrom && waiting < longestHeld && this.#text.length - this.#looked < waiting / patientStep) return ''
    this.#looked = this.#text.length
    const decided = this.#text.slice(0, undecidedAt(this.#text))
    const projection = project(decided)
    const spans = findSecrets(decided, { projection, from: this.#lookFrom(projection), known: this.#known })
    // What is longer than a pattern looks at may go on as well.
    const long = spans.findLast(({ start, end }) => end === decided.length && start >= this.#sent && end - start >= longestLooked)
    const shown = this.#release(Math.min(this.#openIn(projection, spans), long?.start ?? Infinity), spans)
    if (this.#text.length - this.#sent < longestHeld) return shown
    this.#swallowed = this.#text.startsWith('-----BEGIN', this.#sent) ? endOfBlock : endOfWord
    const rest = this.#text.slice(-longestEnd)
    this.#reset()
    this.#text = this.#swallowed === endOfBlock ? rest : ''
    return shown + mask
  }

  /** What was held back; afterwards it is ready for another text. */
  end (): string {
    const projection = project(this.#text)
    const shown = this.#swallowed !== undefined
      ? ''
      : this.#release(this.#text.length, findSecrets(this.#text, { projection, from: this.#lookFrom(projection), known: this.#known }))
    this.#swallowed = undefined
    this.#reset()
    return shown
  }

  /** What went in and did not come out yet, as it was told. */
  get held (): string { return this.#swallowed === undefined ? this.#text.slice(this.#sent) : '' }

  /** Lets out what stands in front of `to`. */
  #release (to: number, spans: Span[]): string {
    const sent = this.#sent
    const until = spans.find(({ start, end }) => start < to && end > to)?.start ?? to
    if (until <= sent) return ''
    // Nothing of a secret comes out, even where its beginning did: that it is one turned out too late.
    const late = spans.find(({ start, end }) => start < sent && end > sent)
    const isTold = late === undefined || this.#known.some(({ start, end }) => start < late.end && end > late.start)
    const shown = (isTold ? '' : mask) + masked(this.#text, spans, late === undefined ? sent : Math.min(late.end, until), until)
    this.#known = spans.filter(({ end }) => end <= until)
    this.#sent = until
    this.#forget()
    return shown
  }

  /** From where on secrets are looked for: what came out, less what of it could still turn out to be the beginning of one. */
  #lookFrom (projection: Projection): number {
    return this.options.isRead === true ? projection.toStart(Math.max(0, projection.fromText(this.#sent) - shownOfWord)) : this.#sent
  }

  /** Where something is open; a key may begin right behind what was found, which as it is told is one word with it. */
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

  /** Lets go of what no rule looks back at. */
  #forget (): void {
    const sent = this.#sent
    if (this.#text.length < windowChars || sent < contextChars) return
    const line = this.#text.lastIndexOf('\n', sent - contextChars)
    const from = line === -1 ? sent - contextChars : line
    this.#text = this.#text.slice(from)
    this.#sent -= from
    this.#looked = Math.max(0, this.#looked - from)
    this.#known = this.#known.filter(({ end }) => end > from)
      .map(({ start, end }) => ({ start: Math.max(0, start - from), end: end - from }))
  }

  #reset (): void {
    this.#text = ''
    this.#sent = 0
    this.#known = []
    this.#looked = 0
  }
}

/** Makes ready what the first text would wait for. */
export async function warmStreamMasks (): Promise<void> {
  await prepareOpenings()
  new StreamMask().push('a token: b')
}

/** Where a key begins that ends right in front of what is open: whether it ends there, only the end of that tells. */
function beforeOpen (text: string, from: number, open: number, found: Span[]): number {
  if (open >= text.length || !/\w/.test(text.charAt(open - 1))) return open
  const known = found.filter(({ end }) => end <= open)
  return findSecrets(text.slice(0, open) + mask, { from, known }).find(({ start, end }) => start < open && end >= open)?.start ?? open
}
