import { Invalid } from '../errors.js'
import { knownSecrets } from './find.js'
import { project } from './invisible.js'

/** Those of the service's own secrets that stand in a text. */
function ownIn (text: string): Set<string> {
  const projection = project(text)
  return new Set(knownSecrets.find(projection.text).map(({ start, end }) => projection.text.slice(start, end)).filter((value) => knownSecrets.isOne(value)))
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
    if ([...found].some((value) => !known.has(value))) throw new Invalid(`${what} would hold a secret of this service, such as a key or a password. Nothing was saved; name it instead of writing it out.`)
  }
}
