import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { monotonicMs, type Clock } from '../../ground/time/clock.js'
import { forgetExpired } from '../../ground/forget-expired.js'
import { keepNewest } from '../../ground/keep-newest.js'

/** An attempt as its browser keeps it: `tag` is part of the cookie's name, `sealed` its value. */
export interface AttemptCookie { tag: string, sealed: string }

interface Sealed<Attempt> { attempt: Attempt, state: string, untilMs: number }

export const sealedAgeS = 600
/** Browsers store no cookie above 4,096 bytes, including its name and attributes. */
const longestValue = 3_000
/** A browser sends all of them at once, and the size of headers is limited. */
const mostOfBrowser = 4
/** How many used attempts are remembered. Beyond that the oldest are forgotten: their codes were redeemed, which providers allow once. */
const mostUsed = 65_536
const [ivBytes, macBytes, tagChars] = [12, 16, 8]

/**
 * Sign-ins that wait for the provider to redirect the person back: each for ten minutes, for one use, and for the browser that began it.
 * The browser keeps it as a cookie, sealed (AES-256-GCM) with a key of this process. The service stores nothing until one is used, so
 * however many are begun, none displaces another. After a restart a sign-in has to be started again.
 */
export class SealedAttempts<Attempt> {
  readonly #key = randomBytes(32)
  /** By state, in the order of use. That is nearly the order of expiry, so none is kept for longer than twice the age of an attempt. */
  readonly #used = new Map<string, { untilMs: number }>()

  constructor (private readonly clock: Clock) {}

  /** Returns null if it would be too long for a cookie. */
  begin (attempt: Attempt): { state: string, cookie: AttemptCookie } | null {
    const state = randomBytes(32).toString('base64url')
    const content: Sealed<Attempt> = { attempt, state, untilMs: monotonicMs(this.clock) + sealedAgeS * 1_000 }
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv)
    const hidden = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()])
    const sealed = Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64url')
    return sealed.length > longestValue ? null : { state, cookie: { tag: state.slice(0, tagChars), sealed } }
  }

  /** Uses up an attempt. Returns null if it has expired, was used, or was begun by another browser: then it stays open for that one. */
  take (state: string, cookies: readonly AttemptCookie[]): Attempt | null {
    forgetExpired(this.#used, monotonicMs(this.clock))
    const found = cookies.filter(({ tag }) => state.startsWith(tag)).map((cookie) => this.#open(cookie)).find((open) =>
      open?.state === state)
    if (found == null || this.#used.has(state)) return null
    this.#used.set(state, { untilMs: found.untilMs })
    keepNewest(this.#used, mostUsed)
    return found.attempt
  }

  /**
   * Returns the tags of cookies that a browser can drop when it begins another attempt: those that are over, and the oldest if it has many.
   */
  surplus (cookies: readonly AttemptCookie[]): string[] {
    const open = new Map<string, number>()
    for (const cookie of cookies) {
      const found = this.#open(cookie)
      if (found !== null && !this.#used.has(found.state)) open.set(cookie.tag, found.untilMs)
    }
    const kept = [...open].toSorted(([, left], [, right]) => right - left).slice(0, mostOfBrowser - 1).map(([tag]) => tag)
    return [...new Set(cookies.map(({ tag }) => tag))].filter((tag) => !kept.includes(tag))
  }

  /** How many used attempts are remembered. */
  size (): number {
    forgetExpired(this.#used, monotonicMs(this.clock))
    return this.#used.size
  }

  /** Returns null for what this process has not sealed, and for expired attempts. */
  #open ({ sealed }: AttemptCookie): Sealed<Attempt> | null {
    if (sealed.length > longestValue) return null
    const bytes = Buffer.from(sealed, 'base64url')
    if (bytes.length <= ivBytes + macBytes) return null
    try {
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, ivBytes), { authTagLength: macBytes })
      decipher.setAuthTag(bytes.subarray(ivBytes, ivBytes + macBytes))
      const text = Buffer.concat([decipher.update(bytes.subarray(ivBytes + macBytes)), decipher.final()]).toString()
      const content = JSON.parse(text) as Sealed<Attempt>
      return content.untilMs > monotonicMs(this.clock) ? content : null
    } catch {
      return null
    }
  }
}
