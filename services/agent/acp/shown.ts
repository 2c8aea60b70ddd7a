import { redact } from '../../ground/redaction/index.js'
import { visible, visibleProse } from '../../ground/visible.js'

/**
 * A name or a title that an agent gives: what a screen does not show of it, or shows in another order, is told as signs. Credentials
 * are masked before that, as signs in the middle of one would keep it from being known later; other texts stay as they are.
 */
export const shownName = (text: string): string => seen(text, visible)

/** The same for sentences, in whatever language. */
export const shownProse = (text: string): string => seen(text, visibleProse)

function seen (text: string, show: (text: string) => string): string {
  return show(text) === text ? text : show(redact(text))
}
