import { setImmediate } from 'node:timers/promises'
import { findSecrets, knownSecrets, mask, namesIn, usualReach } from './find.js'
import { project, replaced, undecidedAt, type Projection } from './invisible.js'
import { type Span } from './known.js'
import { longestMatch, openSource } from './open.js'
import { masked } from './redaction.js'
import { longestLooked, rules, type Rule } from './rules.js'

/**
 * Masks a text while it is being told. What `push` and `end` return, put together, is what {@link redact} makes of the whole
 * text. Only what could still become part of a credential is held back; other text comes out as soon as it goes in.
 */
export interface StreamMask {
  push (text: string): string
  /** What was held back; afterwards it is ready for another text. */
  end (): string
  /** What went in and did not come out yet, as it was told. */
  readonly held: string
}

export interface StreamMaskOptions {
  /**
   * Somebody reads the text while it is told: the end of a word is not held back only because one of the service's own secrets
   * begins with that letter, which with random ones is true of most letters. Up to {@link shownOfWord} small letters behind the
   * beginning of a word come out at once; should a secret follow there for all that, glued to the word, they were shown and the rest of it
   * is not. What begins a word is held as ever: it could become a secret in earnest.
   */
  isRead?: boolean
  /** The whole text is there and goes in bit by bit: secrets are waited for in writings as well that would hold up who reads along. */
  isComplete?: boolean
}

/** A secret has eight characters at least so this much tells nothing of it. */
const shownOfWord = 2
const smallLetters = new RegExp(`^\\p{Ll}{1,${shownOfWord}}$`, 'u')
/** The beginning of a word, in small letters behind the first: what is no word, but text in another form, hardly ever looks like it. */
const beginningOfWord = /(?:^|\s)[\p{Lu}\p{Ll}]\p{Ll}{0,39}$/u
/** More than that finds. */
const longestBeginning = 42

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

/** `longest`: a match that began further in front of the end of the text cannot reach it; for `never` and `lines` see Rule. */
interface Opening { pattern: RegExp, reach: number, longest: number, never: string, lines: number }

/** Made when the first text is told, or ahead of it: it takes some milliseconds, which the start of the service can do without. */
let openings: { anywhere: Opening[], atNames: Opening[] } | undefined
const openingsOfRules = new Map<Rule, Opening>()

function openingOf (rule: Rule): Opening {
  const known = openingsOfRules.get(rule)
  if (known !== undefined) return known
  const { before, value, after = '', flags = '', isNamed, reach = usualReach, never = '', lines = Infinity } = rule
  const source = `(?<before>${before})${openSource(`(?:${value})${after}`, flags)}`
  const longest = longestMatch(`(?:${before})(?:${value})${after}`, flags)
  const opening = { reach, longest, never, lines, pattern: new RegExp(source, `${isNamed === true ? 'y' : 'g'}${flags}`) }
  openingsOfRules.set(rule, opening)
  return opening
}

function allOpenings (): { anywhere: Opening[], atNames: Opening[] } {
  openings ??= {
    anywhere: rules.filter(({ isNamed }) => isNamed !== true).map(openingOf),
    atNames: rules.filter(({ isNamed }) => isNamed === true).map(openingOf)
  }
  return openings
}

/**
 * The first place at `from` or behind it where a credential may have begun whose end the text does not tell; of a value of ours, also one
 * that `isRead` has let out the beginning of.
 */
function openAt (text: string, from: number, { isRead = false, isComplete = false }: StreamMaskOptions): number {
  const { anywhere, atNames } = allOpenings()
  let first = knownSecrets.openAt(text, isRead ? Math.max(0, from - shownOfWord) : from, isComplete)
  if (isRead && endsWord(text, first)) first = text.length
  const look = (pattern: RegExp, position: number): void => {
    pattern.lastIndex = position
    const found = pattern.exec(text)
    if (found !== null) first = Math.min(first, found.index + (found.groups?.before?.length ?? 0))
  }
  for (const opening of anywhere) look(opening.pattern, Math.max(from - opening.reach, earliest(text, opening)))
  const positions = namesIn(text, Math.max(0, from - usualReach))
  for (const opening of atNames) {
    const least = earliest(text, opening)
    for (const position of positions) if (position >= least) look(opening.pattern, position)
  }
  return Math.max(first, from)
}

/** Where a match begins at the earliest that reaches the end of the text. */
function earliest (text: string, { longest, never, lines }: Opening): number {
  let least = Math.max(0, text.length - longest, ...[...never].map((sign) => text.lastIndexOf(sign) + 1))
  if (lines < Infinity) {
    let end = text.length
    for (let line = 0; line <= lines && end > least; line++) end = text.lastIndexOf('\n', end - 1)
    least = Math.max(least, end)
  }
  return least
}

/** Whether the text from there on is the end of a word, and short enough to be shown as such. */
function endsWord (text: string, position: number): boolean {
  return smallLetters.test(text.slice(position)) && beginningOfWord.test(text.slice(Math.max(0, position - longestBeginning), position))
}

/** Makes ready what the first text would wait for, a rule at a time: others have their turn in between. */
export async function warmStreamMasks (): Promise<void> {
  for (const rule of rules) {
    openingOf(rule)
    await setImmediate()
  }
  createStreamMask().push('a token: b')
}

export function createStreamMask (options: StreamMaskOptions = {}): StreamMask {
  const { isRead = false } = options
  /** The end of what was told, from the beginning of a line where that is possible. */
  let text = ''
  /** So much of it came out. */
  let sent = 0
  /** What was found in that part. */
  let known: Span[] = []
  /** So long it was when it was last looked at. */
  let looked = 0
  /** A value that nobody waits for any longer: it goes on until something else comes. */
  let swallowed: RegExp | undefined

  /** Lets out what stands in front of `to`. */
  function release (to: number, spans: Span[]): string {
    const until = spans.find(({ start, end }) => start < to && end > to)?.start ?? to
    if (until <= sent) return ''
    // Nothing of a secret comes out, even where its beginning did: that it is one turned out too late.
    const late = spans.find(({ start, end }) => start < sent && end > sent)
    const isTold = late === undefined || known.some(({ start, end }) => start < late.end && end > late.start)
    const shown = (isTold ? '' : mask) + masked(text, spans, late === undefined ? sent : Math.min(late.end, until), until)
    known = spans.filter(({ end }) => end <= until)
    sent = until
    forget()
    return shown
  }

  /** From where on secrets are looked for: what came out, less what of it could still turn out to be the beginning of one. */
  const lookFrom = (projection: Projection): number =>
    isRead ? projection.toStart(Math.max(0, projection.fromText(sent) - shownOfWord)) : sent

  /** Where something is open; a key may begin right behind what was found, which as it is told is one word with it. */
  function openIn (projection: Projection, spans: Span[]): number {
    const from = projection.fromText(sent)
    const first = openAt(projection.text, from, options)
    const over = spans.map(({ start, end }) => ({
      start: projection.fromText(start), end: projection.fromText(end), shown: mask
    })).filter(({ end }) => end < projection.text.length)
    const apart = over.length === 0 ? null : replaced(projection.text, over)
    const open = apart === null ? first : Math.min(first, apart.toStart(openAt(apart.text, apart.fromText(from), options)))
    return projection.toStart(isRead ? open : beforeOpen(projection.text, from, open, over))
  }

  /** Where a key begins that ends right in front of what is open: whether it ends there, only the end of that tells. */
  function beforeOpen (text: string, from: number, open: number, found: Span[]): number {
    if (open >= text.length || !/\w/.test(text.charAt(open - 1))) return open
    const known = found.filter(({ end }) => end <= open)
    return findSecrets(text.slice(0, open) + mask, { from, known }).find(({ start, end }) => start < open && end >= open)?.start ?? open
  }

  /** Lets go of what no rule looks back at. */
  function forget (): void {
    if (text.length < windowChars || sent < contextChars) return
    const line = text.lastIndexOf('\n', sent - contextChars)
    const from = line === -1 ? sent - contextChars : line
    text = text.slice(from)
    sent -= from
    looked = Math.max(0, looked - from)
    known = known.filter(({ end }) => end > from).map(({ start, end }) => ({ start: Math.max(0, start - from), end: end - from }))
  }

  function reset (): void {
    text = ''
    sent = 0
    known = []
    looked = 0
  }

  return {
    push (told) {
      text += told
      if (swallowed !== undefined) {
        const end = swallowed.exec(text)
        if (end === null) {
          text = text.slice(-longestEnd)
          return ''
        }
        swallowed = undefined
        text = text.slice(end.index + end[0].length)
      }
      const waiting = text.length - sent
      if (waiting > patientFrom && waiting < longestHeld && text.length - looked < waiting / patientStep) return ''
      looked = text.length
      const decided = text.slice(0, undecidedAt(text))
      const projection = project(decided)
      const spans = findSecrets(decided, { projection, from: lookFrom(projection), known })
      // What is longer than a pattern looks at may go on as well.
      const long = spans.findLast(({ start, end }) => end === decided.length && start >= sent && end - start >= longestLooked)
      const shown = release(Math.min(openIn(projection, spans), long?.start ?? Infinity), spans)
      if (text.length - sent < longestHeld) return shown
      swallowed = text.startsWith('-----BEGIN', sent) ? endOfBlock : endOfWord
      const rest = text.slice(-longestEnd)
      reset()
      text = swallowed === endOfBlock ? rest : ''
      return shown + mask
    },

    end () {
      const projection = project(text)
      const shown = swallowed !== undefined
        ? ''
        : release(text.length, findSecrets(text, { projection, from: lookFrom(projection), known }))
      swallowed = undefined
      reset()
      return shown
    },

    get held () { return swallowed === undefined ? text.slice(sent) : '' }
  }
}
