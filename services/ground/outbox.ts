import { setTimeout as delay } from 'node:timers/promises'
import { Alarm } from './time/alarm.js'
import { type Clock } from './time/clock.js'

export interface OutboxOptions<Item extends { id: string }> {
  clock: Clock
  /** Returns the items that are due at a moment (epoch seconds), earliest first, at most `most`. */
  due: (nowS: number, most: number) => Item[]
  /** Returns when the first item becomes due after a moment, both in epoch seconds; null if there is none. */
  nextAfter: (nowS: number) => number | null
  /**
   * Makes one attempt and stores its outcome, unless it was aborted. Resolves with `failed` if the attempt failed. Rejects if the outcome
   * could not be stored.
   */
  send: (item: Item, signal: AbortSignal) => Promise<'failed' | void>
  failed: (item: Item, error: unknown) => void
  /** How many attempts may be under way at once. */
  width: number
  /** Of the items with the same lane, only one is under way at once. By default all may be. */
  laneOf?: (item: Item) => string
}

/** Pauses after failed attempts, in seconds. After the last one the item is abandoned. */
export const pausesS = [10, 60, 300, 1_800, 7_200]
export const longestPauseS = Math.max(...pausesS)
const troublePauseMs = 60_000

/** Sends the items of a ledger, with retries until each has arrived or is abandoned, also across restarts. */
export class Outbox<Item extends { id: string }> {
  readonly #alarm: Alarm
  readonly #sending = new Map<string, { lane: string, done: Promise<void> }>()
  readonly #stopping = new AbortController()
  /** Attempts that failed since the start, for metrics. */
  failures = 0

  constructor (readonly options: OutboxOptions<Item>) {
    this.#alarm = new Alarm(options.clock, () => this.look())
  }

  /** Makes the attempts whose time has come, and sets the timer for the next. */
  look (): void {
    if (this.#stopping.signal.aborted) return
    const { clock, due, nextAfter, width, laneOf = ({ id }: Item) => id } = this.options
    const nowS = clock.now() / 1000
    for (const item of due(nowS, width * 2)) {
      if (this.#sending.size >= width) return
      const lane = laneOf(item)
      if ([...this.#sending.values()].some((other) => other.lane === lane)) continue
      this.#sending.set(item.id, { lane, done: this.#send(item) })
    }
    // Items that are due now are under way, or wait for one that is: its end triggers the next look.
    const next = nextAfter(nowS)
    this.#alarm.set(next === null ? null : Math.round(next * 1000))
  }

  /** Aborts the attempts that are under way, and waits for them to end. */
  async stop (): Promise<void> {
    this.#alarm.stop()
    this.#stopping.abort()
    await Promise.allSettled([...this.#sending.values()].map(({ done }) => done))
  }

  /** Returns how many attempts are under way, for tests and metrics. */
  size (): number {
    return this.#sending.size
  }

  async #send (item: Item): Promise<void> {
    const { send, failed } = this.options
    const { signal } = this.#stopping
    try {
      // Lets the caller first note that the attempt is under way.
      await Promise.resolve()
      if (await send(item, signal) === 'failed') this.failures++
    } catch (error) {
      failed(item, error)
      // While the disk takes no writes, the receiver must not get the same item again and again.
      await delay(troublePauseMs, undefined, { signal, ref: false }).catch(() => {})
    } finally {
      this.#sending.delete(item.id)
      this.look()
    }
  }
}
