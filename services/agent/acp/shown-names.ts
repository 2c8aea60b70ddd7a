import { redact } from '../../ground/redaction/index.js'
import { visible, visibleProse } from '../../ground/text/visible.js'

/**
 * Makes a name or a title of an agent safe to show: characters that a screen does not show, or shows in another order, become visible
 * signs. Credentials are redacted first, because signs inside one would keep it from being recognised later. Other texts are unchanged.
 */
export const shownName = (text: string): string => seen(text, visible)

/** Does the same for sentences, in any language. */
export const shownProse = (text: string): string => seen(text, visibleProse)

function seen (text: string, show: (text: string) => string): string {
  return show(text) === text ? text : show(redact(text))
}
