import { setTimeout as delay } from 'node:timers/promises'
import { type Collector, type Refusal } from './collector.js'
import { type Batch } from './encoding.js'
import { type Batches } from './settings.js'
import { type Span } from './span.js'

/** How many characters may wait at most, and how many are sent at once, because spans may contain texts of conversations. */
const mostWaitingChars = 16 * 1024 * 1024
const mostAtOnceChars = 1024 * 1024
const retryMs = { first: 1_000, most: 5_000 }
/** A collector that asks for a longer pause is tried again after this time. */
const longestPauseMs = 10 * 60_000
const spanChars = 200

export interface ExporterOptions extends Omit<Batch, 'spans'> {
  collector: Collector
  batches: Batches
  log: { warn (details: object, message: string): void, info (details: object, message: string): void }
}

/**
 * Gathers spans and sends them in batches, one request at a time. Whatever the collector does, no caller waits for it, and the queue is
 * bounded: spans for which there is no room, or that are not accepted in time, are dropped and counted.
 */
export class Exporter {
  #waiting: Array<{ span: Span, chars: number }> = []
  #chars = 0
  #dropped = 0
  #droppedAtFirst = 0
  #refusal: Refusal | null = null
  #timer: NodeJS.Timeout | undefined
  /** Until this time, by performance.now(), the collector wants no requests. */
  #notBeforeMs = 0
  #sending: Promise<void> | null = null
  /** Stops retries. */
  readonly #stopping = new AbortController()
  /** Aborts the request under way. */
  readonly #cut = new AbortController()

  constructor (readonly options: ExporterOptions) {}

  /** Spans that wait, spans dropped since the start, and why the last batch was refused; null if it was accepted. */
  get standing (): { waiting: number, dropped: number, refusal: Refusal | null } {
    return { waiting: this.#waiting.length, dropped: this.#dropped, refusal: this.#refusal }
  }

  add (span: Span): void {
    const { mostWaiting, mostAtOnce, delayMs } = this.options.batches
    const chars = charsOf(span)
    if (this.#waiting.length >= mostWaiting || this.#chars + chars > mostWaitingChars || this.#stopping.signal.aborted) {
      this.#dropped++
      return
    }
    this.#waiting.push({ span, chars })
    this.#chars += chars
    if (this.#waiting.length >= mostAtOnce && this.#sending === null) this.#begin()
    else this.#timer ??= setTimeout(() => this.#begin(), delayMs).unref()
  }

  /** Sends the waiting spans, once each and for at most `limitMs`. Afterwards no spans are accepted. */
  async close (limitMs: number): Promise<void> {
    clearTimeout(this.#timer)
    this.#stopping.abort()
    const timer = setTimeout(() => this.#cut.abort(), limitMs)
    await this.#sending
    while (this.#waiting.length > 0 && !this.#cut.signal.aborted) {
      const spans = this.#take()
      const refusal = await this.#send(spans)
      if (refusal === null) continue
      this.#fail(refusal, spans.length + this.#waiting.length)
      break
    }
    clearTimeout(timer)
    this.#waiting = []
    await this.options.collector.close()
  }

  #begin (): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const restMs = this.#notBeforeMs - performance.now()
    if (restMs > 0) {
      this.#timer = setTimeout(() => this.#begin(), restMs).unref()
      return
    }
    this.#sending ??= this.#sendAll().finally(() => { this.#sending = null })
  }

  async #sendAll (): Promise<void> {
    const { mostAtOnce, delayMs } = this.options.batches
    const { signal } = this.#stopping
    do {
      const spans = this.#take()
      const refusal = await this.#sendPatiently(spans)
      if (refusal === null) this.#recovered()
      else this.#fail(refusal, spans.length)
    } while (this.#waiting.length >= mostAtOnce && this.#refusal === null && !signal.aborted)
    if (this.#waiting.length > 0 && !signal.aborted) this.#timer ??= setTimeout(() => this.#begin(), delayMs).unref()
  }

  /** Removes as many waiting spans as fit into a request, the oldest first. */
  #take (): Span[] {
    let chars = 0
    const end = this.#waiting.findIndex((each, index) => {
      chars += each.chars
      return index > 0 && (index >= this.options.batches.mostAtOnce || chars > mostAtOnceChars)
    })
    const taken = this.#waiting.splice(0, end === -1 ? this.#waiting.length : end)
    for (const each of taken) this.#chars -= each.chars
    return taken.map(({ span }) => span)
  }

  async #send (spans: readonly Span[]): Promise<Refusal | null> {
    const { collector, resource, scope } = this.options
    return await collector.send({ resource, scope, spans }, this.#cut.signal)
  }

  /** Retries after temporary failures, for as long as a batch may take. */
  async #sendPatiently (spans: readonly Span[]): Promise<Refusal | null> {
    const { signal } = this.#stopping
    const until = performance.now() + this.options.batches.exportMs
    for (let pauseMs = retryMs.first; ; pauseMs = Math.min(pauseMs * 2, retryMs.most)) {
      const refusal = await this.#send(spans)
      if (refusal === null || !refusal.isPassing || signal.aborted) return refusal
      // If the collector was away, many services must not return all at once.
      const waitMs = Math.max(refusal.retryAfterMs ?? 0, pauseMs * (0.8 + Math.random() * 0.4))
      if (performance.now() + waitMs > until) return refusal
      this.#note(refusal)
      await delay(waitMs, undefined, { signal, ref: false }).catch(() => {})
      if (signal.aborted) return refusal
    }
  }

  #fail (refusal: Refusal, spans: number): void {
    this.#notBeforeMs = performance.now() + Math.min(refusal.retryAfterMs ?? 0, longestPauseMs)
    this.#dropped += spans
    this.#note(refusal)
  }

  /** Logs only the first refusal of a series. */
  #note (refusal: Refusal): void {
    if (this.#refusal === null) {
      this.#droppedAtFirst = this.#dropped
      const { code, says, next } = refusal
      this.options.log.warn({ code }, `Traces cannot be sent: the collector ${says}. ${next}`)
    }
    this.#refusal = refusal
  }

  #recovered (): void {
    if (this.#refusal === null) return
    this.#refusal = null
    this.options.log.info({ dropped: this.#dropped - this.#droppedAtFirst }, 'Traces can be sent again')
  }
}

const charsOf = ({ attributes }: Span): number => Object.values(attributes).reduce<number>((sum, value) =>
  sum + (typeof value === 'string' ? value.length : 0), spanChars)
