import { epochSeconds, type Clock } from '../../ground/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'

/** Of the table of single values. */
const storedAs = 'push_contact'

/** Names that mean nothing to a push service; some of them refuse every message that is signed with one. */
const privateName = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|test|invalid|example|arpa|onion)$/

/** Whether a host is a name that others can know. */
export function isPublicName (host: string): boolean {
  return URL.canParse(`https://${host}`) && /^[a-z0-9.-]+\.[a-z][a-z0-9-]*$/.test(new URL(`https://${host}`).hostname) &&
    !privateName.test(new URL(`https://${host}`).hostname)
}

/** The address of a page where push services can find out whom to turn to: https at a public name; null for any other. */
export function publicPage (page: string): string | null {
  return URL.canParse(page) && page.startsWith('https://') && isPublicName(new URL(page).host) ? new URL(page).origin : null
}

/**
 * Whom push services may turn to about messages (`sub` of RFC 8292): what the operator says, else the public
 * address that a browser has subscribed at.
 */
export function createContact ({ db, clock, configured }: { db: Database, clock: Clock, configured: string | null }) {
  const values = createValues(db.sqlite)

  function known (): string | null {
    const stored = configured ?? values.get(storedAs)
    return typeof stored === 'string' ? stored : null
  }

  return {
    /** Null: nobody knows yet. */
    known,
    /** Inside a transaction: a browser subscribes at this page. False: there is nobody to turn to. */
    learn (page: string | null): boolean {
      if (configured === null && page !== null && page !== known()) values.set(storedAs, page, epochSeconds(clock))
      return known() !== null
    }
  }
}

export type Contact = ReturnType<typeof createContact>
