import { type Clock } from './clock.js'

/**
 * Timers of the platform stop while the machine sleeps and do not notice when the clock is set, so the clock is checked at least this
 * often.
 */
const longestMs = 5_000

/** One timer by the wall clock. It does not keep the process alive. */
export class Alarm {
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  /** @param ring called at the time that was set, and sometimes earlier */
  constructor (private readonly clock: Clock, private readonly ring: () => void) {}

  /** Sets the time in milliseconds since the epoch and replaces the previous one. null: the alarm does not ring. */
  set (atMs: number | null): void {
    clearTimeout(this.#timer)
    if (atMs === null || this.#isStopped) return
    this.#timer = setTimeout(this.ring, Math.min(longestMs, Math.max(0, Math.ceil(atMs - this.clock.now()))))
    this.#timer.unref()
  }

  /** Stops the alarm permanently. */
  stop (): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }
}
