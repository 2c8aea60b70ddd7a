import { visible } from '../visible.js'
import { findSecrets, knownSecrets, mask } from './find.js'
import { project } from './invisible.js'
import { type Span } from './known.js'

/**
 * A place in a card's text. With `hidden`: the mask of one of the service's own secrets, which had so many characters. Without: text that
 * looks like a credential; it stands there in full, and a client may keep it folded until somebody wants to read it.
 */
export interface CardMask extends Span { hidden?: number }

export interface CardText { text: string, masks: CardMask[] }

/** A piece of a longer text: `end` is where the next one begins, in the text itself. */
export interface CardPage extends CardText { end: number }

/** A shell takes such a word as it is, and no sentence is made of it. */
const plainWord = /^[\w.+/=:@%~,#^!-]+$/
/** So far around a page its secrets are looked for: what begins or ends outside of it is known as a whole. */
const aroundPage = 32_768

/**
 * A text as whoever decides about it reads it: what is going to be done follows from it. So only the service's own secrets are masked, each
 * as a whole; what merely looks like a credential could be code in the shape of one, and stays. What cannot be seen has signs (`see`).
 */
export function cardText (text: string, see: (text: string) => string = visible): CardText {
  const { text: shown, masks } = maskedPiece(text, 0, text.length, see)
  return { text: shown, masks }
}

export interface PageOptions {
  /** In the text itself, where the page begins; default: with the text. */
  from?: number
  /** Of what is shown. */
  mostChars: number
  see?: (text: string) => string
  /** Default: the service's own secrets are. */
  isMasked?: boolean
}

/** A page of a text that is read page by page; none parts a secret. */
export function cardPage (text: string, { from = 0, mostChars, see = visible, isMasked = true }: PageOptions): CardPage {
  const piece = isMasked ? maskedPiece : plainPiece
  for (let room = mostChars; ;) {
    const page = piece(text, from, wholeCharacters(text, from, from + room), see)
    if (page.text.length <= mostChars || room < 2) return page
    room = Math.floor(Math.min(room * 0.9, (page.end - from) * mostChars / page.text.length))
  }
}

/** The place, or the one in front of it, where it is in the middle of a character. */
function wholeCharacters (text: string, from: number, to: number): number {
  return to < text.length && to - 1 > from && /[\uD800-\uDBFF]/.test(text.charAt(to - 1)) ? to - 1 : Math.min(to, text.length)
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

/** Those that stand in a piece of a text, or reach into it. */
function ownSecretsNear (text: string, from: number, end: number): Span[] {
  const start = Math.max(0, from - aroundPage)
  return ownSecrets(text.slice(start, end + aroundPage)).map((span) => ({
    start: span.start + start, end: span.end + start
  })).filter((span) => span.end > from && span.start < end)
}

/** The service's own secrets in a text, in order and apart; none that a shell would read as more than a word. */
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
