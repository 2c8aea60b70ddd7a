import { randomBytes } from 'node:crypto'
import { monotonicMs, type Clock } from '../../ground/clock.js'
import { TooMany } from '../../ground/errors.js'
import { type RelyingParty } from './relying-party.js'

/** What a challenge is for, so that it serves for nothing else: signing in, or registering in one session. */
export type Purpose = 'sign-in' | `register:${string}`

const ageMs = 90_000
const mostOfContext = 8
const most = 128
/** As many are left for who is in already: what everybody may ask for cannot use up all. */
const leftForRegistering = 16

/** Challenges that are waiting for their answer, each good for one. In memory: after a restart a client asks again. */
export class Challenges {
  /** Oldest first. */
  readonly #open = new Map<string, { purpose: Purpose, context: string, party: RelyingParty, untilMs: number }>()

  constructor (private readonly clock: Clock) {}

  /**
   * A new one, base64url, good for 90 s.
   *
   * @param context who asks, such as an address: 8 at a time
   * @throws TooMany (with `retryAfterS`), also when 128 are open altogether
   */
  issue (purpose: Purpose, context: string, party: RelyingParty): string {
    this.#forgetOld()
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

  /** Uses it up, whatever comes of it. What it was issued for; null when it is not open, or for something else. */
  take (challenge: string, purpose: Purpose): RelyingParty | null {
    this.#forgetOld()
    const found = this.#open.get(challenge)
    this.#open.delete(challenge)
    return found?.purpose === purpose ? found.party : null
  }

  size (): number {
    return this.#open.size
  }

  #forgetOld (): void {
    const nowMs = monotonicMs(this.clock)
    for (const [challenge, { untilMs }] of this.#open) {
      if (untilMs > nowMs) return
      this.#open.delete(challenge)
    }
  }
}
