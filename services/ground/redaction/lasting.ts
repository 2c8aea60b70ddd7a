import { Invalid } from '../errors.js'
import { knownSecrets, mask } from './find.js'
import { project } from './invisible.js'
import { asMeant } from './lines.js'

/** Those of the service's own secrets that stand in a text. */
function ownIn (text: string): Set<string> {
  const projection = project(text)
  return new Set(knownSecrets.find(projection.text).map(({ start, end }) => projection.text.slice(start, end)).filter((value) =>
    knownSecrets.isOne(value)))
}

/**
 * For what later conversations are told: none of the service's own secrets gets into it, as they would go to models and stand masked before
 * whoever reads it. What stands there already (`before`) may stay. Throws Invalid.
 *
 * @param what how a person calls the text
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
 * What somebody means by a text that is to be kept, who may have been shown the one before (null: there is none) with its credentials
 * masked: as it was shown it is the one before, and no mask is kept in the place of what it stands for. Throws Invalid.
 *
 * @param what how a person calls the text
 */
export function asSaved (what: string, written: string, before: string | null): string {
  if (!written.includes(mask)) return written
  const meant = before === null ? null : asMeant(before, written)
  if (meant === null) throw standsForNothing(what)
  refuseMasks(what, meant, before)
  return meant
}

/** No mask is kept where none was. Throws Invalid. */
export function refuseMasks (what: string, text: string, before: string | null): void {
  if (text.includes(mask) && before?.includes(mask) !== true) throw standsForNothing(what)
}

const standsForNothing = (what: string): Invalid =>
  new Invalid(`${what}: ${mask} stands for a hidden value. Leave that line unchanged, or enter the whole value`)
