import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Invalid, NotFound, Unavailable } from '../../ground/errors.js'
import { firstCharacters, redact } from '../../ground/redaction/index.js'
import { publicPage, type PushContact } from './contact.js'
import { checkKeys, idOf, reachedEndpointUrl, type BrowserSubscription } from './subscribing.js'
import { type SubscriptionRow, type SubscriptionRows } from './subscription-rows.js'
import { type Keys } from './vapid-keys.js'

/** What a browser wants to be notified about. */
export interface Preferences { approvals: boolean, questions: boolean, turns: boolean, jobs: boolean, pulls: boolean }

/** How the subscribing person was admitted. */
export type Admission = Pick<SubscriptionRow, 'via' | 'tokenHash'>

export interface BrowsersOptions {
  db: Database
  clock: Clock
  subscriptions: SubscriptionRows
  keys: Keys
  contact: PushContact
  isPrivateAllowed: boolean
  /** Whether a person who was admitted like this still is. */
  stands: (admission: Admission) => boolean
}

export const mostSubscriptions = 20
/** Why browsers cannot subscribe before the service has a contact. */
export const noContact = 'Push services need a contact: set SVC_WEBUI_PUSH_CONTACT in the environment of the service, or open it at its public https address'

/** The browsers that have asked to be notified. */
export function createBrowsers ({ db, clock, subscriptions, keys, contact, isPrivateAllowed, stands }: BrowsersOptions) {
  return {
    /**
     * Adds a browser, or changes one that is already subscribed. Preferences that are absent stay as they were, and begin as true. Throws
     * Invalid and Unavailable.
     */
    async subscribe (
      { endpoint, keys: { p256dh, auth } }: BrowserSubscription, wanted: Partial<Preferences>,
      from: Admission & { userAgent: string | null, page: string }
    ): Promise<SubscriptionRow> {
      checkKeys({ p256dh, auth })
      const { href } = await reachedEndpointUrl(endpoint, isPrivateAllowed)
      if (keys.get() === null) {
        await keys.make().catch(() => { throw new Unavailable('The keys for Web Push cannot be stored at the moment') })
      }
      const id = idOf(href)
      return await db.durably(() => {
        if (!contact.learn(publicPage(from.page))) throw new Unavailable(noContact)
        // Browsers that have signed out must not use up the limit.
        for (const other of subscriptions.all()) if (!stands(other)) subscriptions.remove(other.id)
        const before = subscriptions.find(id)
        if (before === undefined && subscriptions.count() >= mostSubscriptions) {
          throw new Invalid(`At most ${mostSubscriptions} browsers; remove one first`)
        }
        const userAgent = from.userAgent === null ? null : firstCharacters(redact(from.userAgent), 200)
        return subscriptions.put({
          id, endpoint: href, p256dh, auth, ...preferences(wanted, before), userAgent, via: from.via,
          tokenHash: from.tokenHash, lastError: null, createdAt: epochSeconds(clock)
        })
      })
    },

    /** Removes a browser by its id or its endpoint. Throws NotFound. */
    async unsubscribe (which: { id: string } | { endpoint: string }): Promise<string> {
      const id = 'id' in which ? which.id : idOf(URL.canParse(which.endpoint) ? new URL(which.endpoint).href : which.endpoint)
      await db.durably(() => { if (!subscriptions.remove(id)) throw new NotFound('Subscription not found') })
      return id
    }
  }
}

/** Returns a browser's preferences: as it says, otherwise as before, otherwise all on. */
function preferences (wanted: Partial<Preferences>, before: Preferences | undefined): Preferences {
  const said = (name: keyof Preferences): boolean => wanted[name] ?? before?.[name] ?? true
  return {
    approvals: said('approvals'), questions: said('questions'), turns: said('turns'), jobs: said('jobs'), pulls: said('pulls')
  }
}
