import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'

/** Its key in the table of single values. */
const storedAs = 'push_contact'

/** Names that mean nothing to a push service; some services refuse every message that is signed with one. */
const privateName = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|test|invalid|example|arpa|onion)$/

/** Whether a host has a name that is known outside. */
export function isPublicName (host: string): boolean {
  return URL.canParse(`https://${host}`) && /^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/.test(new URL(`https://${host}`).hostname) &&
    !privateName.test(new URL(`https://${host}`).hostname)
}

/** Returns the origin of a page where push services can find a contact: https at a public name; null for any other page. */
export function publicPage (page: string): string | null {
  return URL.canParse(page) && page.startsWith('https://') && isPublicName(new URL(page).host) ? new URL(page).origin : null
}

/**
 * The contact for push services in case of problems with messages (`sub` of RFC 8292): the one that the operator set, otherwise the public
 * address at which a browser has subscribed.
 */
export function createContact ({ db, clock, configured }: { db: Database, clock: Clock, configured: string | null }) {
  const values = createValues(db.sqlite)

  function known (): string | null {
    const stored = configured ?? values.get(storedAs)
    return typeof stored === 'string' ? stored : null
  }

  return {
    /** Returns the contact; null if none is known yet. */
    known,
    /** Called inside a transaction when a browser subscribes at this page. Returns false if there is no contact. */
    learn (page: string | null): boolean {
      if (configured === null && page !== null && page !== known()) values.set(storedAs, page, epochSeconds(clock))
      return known() !== null
    }
  }
}

export type PushContact = ReturnType<typeof createContact>
