import { randomBytes } from 'node:crypto'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { TooMany } from '../../ground/errors.js'
import { forgetExpired } from '../../ground/forget-expired.js'
import { type RelyingParty } from './relying-party.js'

/** The purpose of a challenge, which is valid for no other: signing in, or registering in one session. */
export type Purpose = 'sign-in' | `register:${string}`

const ageMs = 90_000
const mostOfContext = 8
const most = 128
/** How many challenges are reserved for signed-in clients: requests that anybody can make must not use up all of them. */
const leftForRegistering = 16

/** Challenges that wait for their answer, each valid for one. Kept in memory: after a restart a client asks again. */
export class Challenges {
  /** Oldest first. */
  readonly #open = new Map<string, { purpose: Purpose, context: string, party: RelyingParty, untilMs: number }>()

  constructor (private readonly clock: Clock) {}

  /**
   * Returns a new challenge, base64url, valid for 90 s.
   *
   * @param context the requester, such as an address: 8 at a time
   * @throws TooMany (with `retryAfterS`), also when 128 are open altogether
   */
  issue (purpose: Purpose, context: string, party: RelyingParty): string {
    forgetExpired(this.#open, monotonicMs(this.clock))
    const open = [...this.#open.values()]
    const ofContext = open.filter((each) => each.context === context)
    const inAll = purpose === 'sign-in' ? most - leftForRegistering : most
    const first = ofContext.length >= mostOfContext ? ofContext[0] : open.length >= inAll ? open[0] : undefined
    if (first !== undefined) {
      throw new TooMany('Too many passkey sign-ins were started. Try again in a minute.', undefined, {
        retryAfterS: Math.ceil((first.untilMs - monotonicMs(this.clock)) / 1000)
      })
    }
    const challenge = randomBytes(32).toString('base64url')
    this.#open.set(challenge, { purpose, context, party, untilMs: monotonicMs(this.clock) + ageMs })
    return challenge
  }

  /**
   * Uses up a challenge, whatever the result. Returns the party it was issued for; null if it is not open, or was issued for another
   * purpose.
   */
  take (challenge: string, purpose: Purpose): RelyingParty | null {
    forgetExpired(this.#open, monotonicMs(this.clock))
    const found = this.#open.get(challenge)
    this.#open.delete(challenge)
    return found?.purpose === purpose ? found.party : null
  }

  size (): number {
    return this.#open.size
  }
}
