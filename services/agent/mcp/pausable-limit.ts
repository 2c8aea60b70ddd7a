/** Whoever tells of progress for ever is at an end as well. */
const mostTimes = 10

/** A time limit that stands still while a person is asked something, or several things at once; aborted with it, or with `outer`. */
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

  /** Begins anew, as there is news of the work; never for longer than `mostTimes` the limit altogether. */
  extend (): void {
    const now = performance.now()
    if (this.#isOver || this.#pauses > 0 || now - this.#beganMs > this.limitMs * (mostTimes - 1)) return
    clearTimeout(this.#timer)
    this.#leftMs = this.limitMs
    this.#start()
  }

  /** Nobody works under it any more. */
  clear (): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  #start (): void {
    this.#startedMs = performance.now()
    this.#timer = setTimeout(() => this.#controller.abort(new DOMException('The time limit was reached', 'TimeoutError')), this.#leftMs)
  }
}
