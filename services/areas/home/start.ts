import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { DomainError } from '../../ground/errors.js'

/** JSON text, as the part's own route returns it. `lasting`: the same without what differs each time. */
export type StartPart = { text: string, lasting?: string }

export interface StartDocument { body: string, etag: string }

/** A part that takes longer is left out, and the client requests it separately: a slow part must not delay the others. */
const patienceMs = 300
const missing: StartPart = { text: 'null' }

/**
 * Assembles what a client needs at its start: `cursor`, which does not affect the tag, and each part under its name; null if a part fails
 * or takes too long.
 */
export async function startDocument (
  cursor: string, parts: Readonly<Record<string, () => StartPart | Promise<StartPart>>>, log: (part: string, error: unknown) => void
): Promise<StartDocument> {
  const late = delay(patienceMs, missing, { ref: false })
  const made = await Promise.all(Object.entries(parts).map(async ([name, make]) =>
    ({ name, ...await Promise.race([attempt(make, (error) => log(name, error)), late]) })))
  const hash = createHash('sha256')
  for (const { text, lasting = text } of made) hash.update(lasting).update('\n')
  return {
    body: `{"cursor":${JSON.stringify(cursor)},${made.map(({ name, text }) => `${JSON.stringify(name)}:${text}`).join(',')}}`,
    etag: `W/"${hash.digest('base64url').slice(0, 22)}"`
  }
}

/** A part that does not exist, or must not be seen, is not a fault of the service. */
async function attempt (make: () => StartPart | Promise<StartPart>, log: (error: unknown) => void): Promise<StartPart> {
  try {
    return await make()
  } catch (error) {
    if (!(error instanceof DomainError)) log(error)
    return missing
  }
}
