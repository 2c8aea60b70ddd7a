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

/** A shell takes such a word as it is, and no sentence is made of it. */
const plainWord = /^[\w.+/=:@%~,#^!-]+$/

/**
 * A text as whoever decides about it reads it: what is going to be done follows from it. So only the service's own secrets are masked, each as a
 * whole; what merely looks like a credential could be code in the shape of one, and stays. What cannot be seen has signs (`see`).
 */
export function cardText (text: string, see: (text: string) => string = visible): CardText {
  const masks: CardMask[] = []
  let shown = ''
  let at = 0
  for (const { start, end } of ownSecrets(text)) {
    shown += see(text.slice(at, start))
    masks.push({ start: shown.length, end: shown.length + mask.length, hidden: end - start })
    shown += mask
    at = end
  }
  shown += see(text.slice(at))
  const isApart = ({ start, end }: Span): boolean => masks.every((own) => own.end <= start || own.start >= end)
  const folded = findSecrets(shown).filter((span) => isApart(span) && plainWord.test(shown.slice(span.start, span.end)))
  return { text: shown, masks: [...masks, ...folded].sort((one, other) => one.start - other.start) }
}

/** The service's own secrets in a text, in order and apart; none that a shell would read as more than a word. */
function ownSecrets (text: string): Span[] {
  const projection = project(text)
  const spans = knownSecrets.find(projection.text).map(({ start, end }) => ({ start: projection.toStart(start), end: projection.toEnd(end) }))
  const whole = spans.filter(({ start, end }) => knownSecrets.isOne(text.slice(start, end)) && plainWord.test(text.slice(start, end)))
  let free = 0
  return whole.sort((one, other) => one.start - other.start).filter(({ start, end }) => {
    if (start < free) return false
    free = end
    return true
  })
}
