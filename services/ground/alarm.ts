import { type Clock } from './clock.js'

/** Timers of the platform stand still while the machine sleeps, and know nothing of a clock that is set: it is looked at this often. */
const longestMs = 5_000

/** One timer by the wall clock; it does not keep the process alive. */
export class Alarm {
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  /** `ring` is called at the time that was set, and now and then before. */
  constructor (private readonly clock: Clock, private readonly ring: () => void) {}

  /** Milliseconds since the epoch, in the place of what was set before; null: not at all. */
  set (atMs: number | null): void {
    clearTimeout(this.#timer)
    if (atMs === null || this.#isStopped) return
    this.#timer = setTimeout(this.ring, Math.min(longestMs, Math.max(0, Math.ceil(atMs - this.clock.now()))))
    this.#timer.unref()
  }

  /** For good. */
  stop (): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }
}
