import { setTimeout as delay } from 'node:timers/promises'
import { Alarm } from './alarm.js'
import { type Clock } from './clock.js'

export interface OutboxOptions<Item extends { id: string }> {
  clock: Clock
  /** What is due at a moment (epoch seconds), the earliest first; `most` at most. */
  due: (nowS: number, most: number) => Item[]
  /** When the first is due that is not due at a moment yet, both in epoch seconds; null: there is none. */
  nextAfter: (nowS: number) => number | null
  /**
   * Makes one attempt and stores what became of it, unless that was broken off. Resolves with `failed` when it failed. Rejects when what
   * became of it could not be stored.
   */
  send: (item: Item, signal: AbortSignal) => Promise<'failed' | void>
  failed: (item: Item, error: unknown) => void
  /** Attempts under way at once. */
  width: number
  /** Of items with the same name one is under way at once. Default: all may be. */
  laneOf?: (item: Item) => string
}

/** Pauses after failed attempts, in seconds; after the last one it is given up. */
export const pausesS = [10, 60, 300, 1_800, 7_200]
const troublePauseMs = 60_000

/** Sends what lies in a ledger, again and again until it has arrived or is given up; also after a restart. */
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
    // What is due by now is under way, or waits for something that is: that tells its own end.
    const next = nextAfter(nowS)
    this.#alarm.set(next === null ? null : Math.round(next * 1000))
  }

  /** Breaks off what is under way, and waits for that. */
  async stop (): Promise<void> {
    this.#alarm.stop()
    this.#stopping.abort()
    await Promise.allSettled([...this.#sending.values()].map(({ done }) => done))
  }

  /** What it holds, for tests and metrics. */
  size (): number {
    return this.#sending.size
  }

  async #send (item: Item): Promise<void> {
    const { send, failed } = this.options
    const { signal } = this.#stopping
    try {
      // The caller is still to note that it is under way.
      await Promise.resolve()
      if (await send(item, signal) === 'failed') this.failures++
    } catch (error) {
      failed(item, error)
      // The receiver is not to have it again and again while the disk takes nothing.
      await delay(troublePauseMs, undefined, { signal, ref: false }).catch(() => {})
    } finally {
      this.#sending.delete(item.id)
      this.look()
    }
  }
}
