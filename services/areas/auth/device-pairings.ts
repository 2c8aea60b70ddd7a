import { hash } from 'node:crypto'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { TooMany } from '../../ground/errors.js'
import { forgetExpired } from '../../ground/forget-expired.js'
import { randomText } from './device-tokens.js'

export const pairingAgeS = 300
const most = 16
/** Without letters and digits that are easily confused. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789'
const codeChars = 10

/**
 * Codes that a device exchanges for its token: each for five minutes and for one use. Kept in memory, by their hashes: after a restart a
 * pairing has to be started again.
 */
export class DevicePairings<Wanted> {
  /** Oldest first. */
  readonly #open = new Map<string, { wanted: Wanted, untilMs: number }>()

  constructor (private readonly clock: Clock) {}

  /** Returns a new code, such as `7KQ4N-2XWRD`. Throws TooMany (with `retryAfterS`) when 16 are open. */
  begin (wanted: Wanted): string {
    forgetExpired(this.#open, monotonicMs(this.clock))
    const [first] = this.#open.values()
    if (this.#open.size >= most) {
      throw new TooMany('Too many pairings were started. Try again in a few minutes.', undefined, {
        retryAfterS: Math.ceil(((first?.untilMs ?? 0) - monotonicMs(this.clock)) / 1_000)
      })
    }
    const code = randomText(alphabet, codeChars)
    this.#open.set(hash('sha256', code), { wanted, untilMs: monotonicMs(this.clock) + pairingAgeS * 1_000 })
    return `${code.slice(0, codeChars / 2)}-${code.slice(codeChars / 2)}`
  }

  /** Uses up a code. Returns null when it is not open. Lower case, spaces and hyphens make no difference. */
  take (typed: string): Wanted | null {
    forgetExpired(this.#open, monotonicMs(this.clock))
    const key = hash('sha256', typed.toUpperCase().replaceAll(/[\s-]/g, ''))
    const found = this.#open.get(key)
    this.#open.delete(key)
    return found?.wanted ?? null
  }

  /** Drops the pairings that fit, and returns them. */
  forget (fits: (wanted: Wanted) => boolean): Wanted[] {
    const fitting = [...this.#open].filter(([, { wanted }]) => fits(wanted))
    for (const [key] of fitting) this.#open.delete(key)
    return fitting.map(([, { wanted }]) => wanted)
  }
}
