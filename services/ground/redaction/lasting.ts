import { Invalid } from '../errors.js'
import { knownSecrets, mask } from './find.js'
import { project } from './invisible.js'
import { asMeant } from './lines.js'

/** Returns those of the service's own secrets that occur in a text. */
function ownIn (text: string): Set<string> {
  const projection = project(text)
  return new Set(knownSecrets.find(projection.text).map(({ start, end }) => projection.text.slice(start, end)).filter((value) =>
    knownSecrets.isOne(value)))
}

/**
 * Checks texts that later conversations will see: none of the service's own secrets may get into them, because they would go to models and
 * be shown masked to readers. Secrets that are in `before` already may stay. Throws Invalid.
 *
 * @param what the name of the text, for people
 */
export function refuseOwnSecrets (what: string, texts: ReadonlyArray<string | null | undefined>, before: string | null = null): void {
  for (const text of texts) {
    const found = ownIn(text ?? '')
    if (found.size === 0) continue
    const known = ownIn(before ?? '')
    if ([...found].some((value) => !known.has(value))) {
      throw new Invalid(
        `${what} would contain a secret of this service, such as a key or a password. Nothing was saved. Refer to the secret by name instead.`
      )
    }
  }
}

/**
 * Returns the text that a person means to save, who may have been shown the previous one (null: there is none) with masked credentials. The
 * text exactly as shown means the previous text, and no mask is saved in place of its value. Throws Invalid.
 *
 * @param what the name of the text, for people
 */
export function asSaved (what: string, written: string, before: string | null): string {
  if (!written.includes(mask)) return written
  const meant = before === null ? null : asMeant(before, written)
  if (meant === null) throw standsForNothing(what)
  refuseMasks(what, meant, before)
  return meant
}

/** Throws Invalid if a text has a mask and the previous text had none. */
export function refuseMasks (what: string, text: string, before: string | null): void {
  if (text.includes(mask) && before?.includes(mask) !== true) throw standsForNothing(what)
}

const standsForNothing = (what: string): Invalid =>
  new Invalid(`${what}: ${mask} stands for a hidden value. Leave that line unchanged, or enter the whole value`)
