import { visible } from '../text/visible.js'
import { findSecrets, knownSecrets, mask } from './find.js'
import { project } from './invisible.js'
import { type Span } from './known.js'
import { wholeAt } from '../text/whole-characters.js'

/**
 * A range in a card's text. With `hidden`: the mask of one of the service's own secrets, which had that many characters. Without: text that
 * looks like a credential; it is there in full, and a client may keep it folded until a person wants to read it.
 */
export interface CardMask extends Span { hidden?: number }

export interface CardText { text: string, masks: CardMask[] }

/** A piece of a longer text. `end` is where the next piece begins, as a position in the original text. */
export interface CardPage extends CardText { end: number }

/** A word that a shell takes literally, and that is not part of a sentence. */
const plainWord = /^[\w.+/=:@%~,#^!-]+$/
/** How far around a page secrets are searched, so that one that crosses its borders is found as a whole. */
const aroundPage = 32_768

/**
 * Returns a text for a person who decides about it. Because the text is what will be done, only the service's own secrets are masked, each
 * as a whole. What merely looks like a credential stays, because it could be code. Invisible characters are replaced by signs (`see`).
 */
export function cardText (text: string, see: (text: string) => string = visible): CardText {
  const { text: shown, masks } = maskedPiece(text, 0, text.length, see)
  return { text: shown, masks }
}

export interface PageOptions {
  /** Where the page begins, in the original text; 0 by default. */
  from?: number
  /** The length of the shown text at most. */
  mostChars: number
  see?: (text: string) => string
  /** Whether the service's own secrets are masked. Default: true. */
  isMasked?: boolean
}

/** Returns one page of a text. No page boundary splits a secret. */
export function cardPage (text: string, { from = 0, mostChars, see = visible, isMasked = true }: PageOptions): CardPage {
  const piece = isMasked ? maskedPiece : plainPiece
  for (let room = mostChars; ;) {
    const page = piece(text, from, pageEnd(text, from, from + room), see)
    if (page.text.length <= mostChars || room < 2) return page
    room = Math.floor(Math.min(room * 0.9, (page.end - from) * mostChars / page.text.length))
  }
}

/** Returns where a page ends: not in the middle of a character, unless it would be empty. */
function pageEnd (text: string, from: number, to: number): number {
  const whole = wholeAt(text, to)
  return Math.min(whole > from ? whole : to, text.length)
}

const plainPiece = (
  text: string, from: number, end: number, see: (text: string) => string
): CardPage => ({ text: see(text.slice(from, end)), masks: [], end })

function maskedPiece (text: string, from: number, to: number, see: (text: string) => string): CardPage {
  let end = to
  const masks: CardMask[] = []
  let shown = ''
  let at = from
  for (const { start, end: over } of ownSecretsNear(text, from, end)) {
    if (over > end && start > from) {
      end = start
      break
    }
    shown += see(text.slice(at, Math.max(at, start)))
    masks.push({ start: shown.length, end: shown.length + mask.length, hidden: over - start })
    shown += mask
    at = over
    end = Math.max(end, over)
  }
  shown += see(text.slice(at, end))
  const isApart = ({ start, end: over }: Span): boolean => masks.every((own) => own.end <= start || own.start >= over)
  const folded = findSecrets(shown).filter((span) => isApart(span) && plainWord.test(shown.slice(span.start, span.end)))
  return { text: shown, masks: [...masks, ...folded].sort((one, other) => one.start - other.start), end }
}

/** Returns the secrets that lie in a piece of a text, or reach into it. */
function ownSecretsNear (text: string, from: number, end: number): Span[] {
  const start = Math.max(0, from - aroundPage)
  return ownSecrets(text.slice(start, end + aroundPage)).map((span) => ({
    start: span.start + start, end: span.end + start
  })).filter((span) => span.end > from && span.start < end)
}

/**
 * Returns the service's own secrets in a text, in order and without overlaps. Leaves out those that a shell would not take as a single
 * word.
 */
function ownSecrets (text: string): Span[] {
  const projection = project(text)
  const spans = knownSecrets.find(projection.text).map(({
    start, end
  }) => ({ start: projection.toStart(start), end: projection.toEnd(end) }))
  const whole = spans.filter(({ start, end }) => knownSecrets.isOne(text.slice(start, end)) && plainWord.test(text.slice(start, end)))
  let free = 0
  return whole.sort((one, other) => one.start - other.start).filter(({ start, end }) => {
    if (start < free) return false
    free = end
    return true
  })
}
