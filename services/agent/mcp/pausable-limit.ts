/** Longest total time, in multiples of the limit, for a server that reports progress forever. */
const mostTimes = 10

/** A time limit that pauses while a person is asked something, or several things at once. `signal` aborts with it, or with `outer`. */
export class PausableLimit {
  readonly #controller = new AbortController()
  readonly signal: AbortSignal
  #timer: NodeJS.Timeout | undefined
  #leftMs: number
  #startedMs = 0
  readonly #beganMs = performance.now()
  #pauses = 0
  #isOver = false

  constructor (private readonly limitMs: number, outer: AbortSignal) {
    this.#leftMs = limitMs
    this.signal = AbortSignal.any([this.#controller.signal, outer])
    this.#start()
  }

  get isReached (): boolean { return this.#controller.signal.aborted }

  async during<T> (work: () => Promise<T>): Promise<T> {
    if (this.#pauses++ === 0) {
      clearTimeout(this.#timer)
      this.#leftMs = Math.max(1, this.#leftMs - (performance.now() - this.#startedMs))
    }
    try {
      return await work()
    } finally {
      if (--this.#pauses === 0 && !this.#isOver) this.#start()
    }
  }

  /** Restarts the limit, because the work reports progress, as long as the total time stays within `mostTimes` the limit. */
  extend (): void {
    const now = performance.now()
    if (this.#isOver || this.#pauses > 0 || now - this.#beganMs > this.limitMs * (mostTimes - 1)) return
    clearTimeout(this.#timer)
    this.#leftMs = this.limitMs
    this.#start()
  }

  /** Ends the limit when the work is over. */
  clear (): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #start (): void {
    this.#startedMs = performance.now()
    this.#timer = setTimeout(() => this.#controller.abort(new DOMException('The time limit was reached', 'TimeoutError')), this.#leftMs)
  }
}
