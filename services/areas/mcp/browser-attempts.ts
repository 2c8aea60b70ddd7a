import { hash, randomBytes } from 'node:crypto'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { forgetExpired } from '../../ground/forget-expired.js'

interface Open<Attempt> { attempt: Attempt, browserHash: string, context: string, untilMs: number }

export const attemptAgeS = 600
const mostOfContext = 16
const most = 1_024
const browserToken = /^[0-9a-f]{64}$/

/**
 * Sign-ins that wait for the provider to redirect the person back: each for ten minutes, for one use, and bound to the browser that began
 * it, which has a token as a cookie. Tabs of one browser share the token. Kept in memory: after a restart a sign-in has to be started
 * again.
 */
export class BrowserAttempts<Attempt> {
  /** By state, oldest first. */
  readonly #open = new Map<string, Open<Attempt>>()

  constructor (private readonly clock: Clock) {}

  /**
   * @param context the requester, such as an address: a seventeenth attempt replaces its oldest
   * @param tokens the tokens that the browser has sent
   * @returns null when 1,024 are open altogether
   */
  begin (attempt: Attempt, context: string, tokens: readonly string[]): { state: string, browser: string } | null {
    forgetExpired(this.#open, monotonicMs(this.clock))
    const ofContext = [...this.#open].filter(([, open]) => open.context === context)
    for (const [browser] of ofContext.slice(0, Math.max(0, ofContext.length - mostOfContext + 1))) this.#open.delete(browser)
    if (this.#open.size >= most) return null
    const browser = tokens.find((token) => this.isWaiting([token])) ?? randomBytes(32).toString('hex')
    const state = randomBytes(32).toString('base64url')
    this.#open.set(state, {
      attempt, browserHash: hash('sha256', browser), context, untilMs: monotonicMs(this.clock) + attemptAgeS * 1_000
    })
    return { state, browser }
  }

  /** Uses up an attempt. Returns null if it is not open, or if another browser began it: then it stays open for that one. */
  take (state: string, tokens: readonly string[]): Attempt | null {
    forgetExpired(this.#open, monotonicMs(this.clock))
    const found = this.#open.get(state)
    if (found === undefined || !hashesOf(tokens).includes(found.browserHash)) return null
    this.#open.delete(state)
    return found.attempt
  }

  /** Whether a browser has begun an attempt that is still open. */
  isWaiting (tokens: readonly string[]): boolean {
    forgetExpired(this.#open, monotonicMs(this.clock))
    const hashes = hashesOf(tokens)
    return [...this.#open.values()].some(({ browserHash }) => hashes.includes(browserHash))
  }

  size (): number {
    return this.#open.size
  }
}

const hashesOf = (tokens: readonly string[]): string[] =>
  tokens.filter((token) => browserToken.test(token)).map((token) => hash('sha256', token))
