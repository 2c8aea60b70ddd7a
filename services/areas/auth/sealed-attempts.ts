import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { monotonicMs, type Clock } from '../../ground/clock.js'
import { keepNewest } from '../../ground/keep-newest.js'

/** An attempt as its browser keeps it: `tag` is of its name, `sealed` its value. */
export interface AttemptCookie { tag: string, sealed: string }

interface Sealed<Attempt> { attempt: Attempt, state: string, untilMs: number }

export const sealedAgeS = 600
/** Browsers keep no cookie above 4,096 bytes, its name and attributes included. */
const longestValue = 3_000
/** A browser sends all of them at once, and headers are limited. */
const mostOfBrowser = 4
/** Used ones that are remembered. Beyond that the oldest are not: their codes were redeemed, which providers do once. */
const mostUsed = 65_536
const [ivBytes, macBytes, tagChars] = [12, 16, 8]

/**
 * Sign-ins that wait for a provider to send their person back: each for ten minutes, for one use, and for the browser that
 * began it, which keeps it as a cookie, sealed (AES-256-GCM) with a key of this process. Nothing is kept here until one is
 * used, so that however many are begun, none gives way to another. After a restart one begins again.
 */
export class SealedAttempts<Attempt> {
  readonly #key = randomBytes(32)
  /** Until when each used state could be used again, in the order of their use. */
  readonly #used = new Map<string, number>()

  constructor (private readonly clock: Clock) {}

  /** Null where it would be too long for a cookie. */
  begin (attempt: Attempt): { state: string, cookie: AttemptCookie } | null {
    const state = randomBytes(32).toString('base64url')
    const content: Sealed<Attempt> = { attempt, state, untilMs: monotonicMs(this.clock) + sealedAgeS * 1_000 }
    const iv = randomBytes(ivBytes)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv)
    const hidden = Buffer.concat([cipher.update(JSON.stringify(content)), cipher.final()])
    const sealed = Buffer.concat([iv, cipher.getAuthTag(), hidden]).toString('base64url')
    return sealed.length > longestValue ? null : { state, cookie: { tag: state.slice(0, tagChars), sealed } }
  }

  /** Uses it up. Null when it has expired or was used, or this browser did not begin it, whose it then stays. */
  take (state: string, cookies: readonly AttemptCookie[]): Attempt | null {
    this.#forgetOld()
    const found = cookies.filter(({ tag }) => state.startsWith(tag)).map((cookie) => this.#open(cookie)).find((open) =>
      open?.state === state)
    if (found == null || this.#used.has(state)) return null
    this.#used.set(state, found.untilMs)
    keepNewest(this.#used, mostUsed)
    return found.attempt
  }

  /** Which of its cookies a browser that begins another attempt can give up: what is over, and the oldest where it has many. */
  surplus (cookies: readonly AttemptCookie[]): string[] {
    const open = new Map<string, number>()
    for (const cookie of cookies) {
      const found = this.#open(cookie)
      if (found !== null && !this.#used.has(found.state)) open.set(cookie.tag, found.untilMs)
    }
    const kept = [...open].toSorted(([, left], [, right]) => right - left).slice(0, mostOfBrowser - 1).map(([tag]) => tag)
    return [...new Set(cookies.map(({ tag }) => tag))].filter((tag) => !kept.includes(tag))
  }

  /** How many used ones are remembered. */
  size (): number {
    this.#forgetOld()
    return this.#used.size
  }

  /** Null for what this process has not sealed, and for what is over. */
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

  /** In the order of their use, which is nearly that of their ends: none is kept for longer than twice the age of an attempt. */
  #forgetOld (): void {
    const nowMs = monotonicMs(this.clock)
    for (const [state, untilMs] of this.#used) {
      if (untilMs > nowMs) return
      this.#used.delete(state)
    }
  }
}
