import { type Static } from '@sinclair/typebox'
import { type probeFrames } from '../../../schemas/diagnostics.js'
import { TooMany } from '../../ground/errors.js'
import { encodeFrame, framesOf, type NewFrame, type Subscription } from '../../ground/events/index.js'

const frame = framesOf<typeof probeFrames>()
const [ticks, tickMs] = [8, 150]
const mostAtOnce = 8

/** What the service saw of the request that opened a probe. */
export type ProbeRequest = Static<typeof probeFrames.seen>

/** Streams that show how a proxy treats event streams: how it delivers small frames, and when it cuts a stream that stays open. */
export function createProbes () {
  const open = new Set<Probe>()

  return {
    /** Throws TooMany. */
    open (seen: ProbeRequest): Subscription {
      if (open.size >= mostAtOnce) throw new TooMany('Too many checks of the connection are running. Try again in a minute.')
      const probe = new Probe(seen, () => open.delete(probe))
      open.add(probe)
      return probe
    },
    /** Returns how many probes are open, for tests. */
    size: (): number => open.size
  }
}

class Probe implements Subscription {
  position = 0
  #isLast = false
  #listener: () => void = () => {}
  readonly #waiting: Buffer[] = []
  readonly #timers: NodeJS.Timeout[]
  readonly #closed: () => void

  constructor (seen: ProbeRequest, closed: () => void) {
    this.#closed = closed
    const startedMs = performance.now()
    this.#push(frame('seen', seen))
    this.#timers = Array.from({ length: ticks }, (_, index) => setTimeout(() => {
      this.#push(frame('tick', { number: index + 1, sent_ms: performance.now() - startedMs }))
    }, (index + 1) * tickMs))
    this.#timers.push(setTimeout(() => {
      this.#isLast = true
      this.#push(frame('end', {}))
    }, Math.max(seen.hold_s * 1_000, (ticks + 1) * tickMs)))
  }

  get ended (): boolean { return this.#isLast && this.#waiting.length === 0 }

  read (): Buffer[] { return this.#waiting.splice(0) }

  onReadable (listener: () => void): void { this.#listener = listener }

  close (): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#closed()
  }

  #push (next: NewFrame): void {
    this.position++
    this.#waiting.push(encodeFrame(next, `probe:${this.position}`))
    this.#listener()
  }
}
