import { flow, pieceChars } from '../limits.js'
import { weightOf, type RunBatch, type RunEventBody } from '../protocol.js'

/** How many events of a run are kept for a service that missed them. Stored ones are dropped first. */
const mostKept = 4_096
/** How many more may collect before they are dropped together. */
const givenUpAtOnce = 1_024

/**
 * The events of one run: numbered from 1 without a gap, kept until they are stored. The run is paused while too many of them are not
 * stored yet.
 */
export class Trail {
  /** Kept events; the first one's number is `#first`. */
  #events: RunEventBody[] = []
  #first = 1
  /** Number of the last event that has been sent. */
  #sent = 0
  #stored = 0
  /** Weight of everything that is not known to be stored. */
  #weight = 0
  /** Weights of what is neither kept here nor known to be stored, each up to a number. */
  #droppedWeights: Array<{ last: number, weight: number }> = []
  #waiting: PromiseWithResolvers<void> | null = null
  /** Number of the last event that was handed to `keep`. */
  #kept = 0

  /** @param keep takes what has no room here; returns false if it has no room, either */
  constructor (readonly runId: string, readonly generation: number, private readonly keep: (batch: RunBatch) => boolean = () => false) {}

  /** Number of the last event. */
  get last (): number { return this.#first + this.#events.length - 1 }

  /** Number of the last event that has been sent. */
  get sent (): number { return this.#sent }

  /** Whether everything that was sent is stored. */
  get isStored (): boolean { return this.#stored >= this.last }

  /** Number of the last event that is known to be stored. */
  get lastStored (): number { return this.#stored }

  /** Whether part of what is not stored is with `keep`, and can be read there. */
  get isKept (): boolean { return this.#kept > this.#stored }

  get hasNews (): boolean { return this.last > this.#sent }

  /** Adds an event. A delta is merged with the one before if that has not been sent yet and both have at most `pieceChars`. */
  push (event: RunEventBody): void {
    this.#weight += weightOf(event)
    if ((event.t === 'token' || event.t === 'reasoning') && this.hasNews) {
      const last = this.#events.at(-1)
      if (last?.t === event.t && last.text.length + event.text.length <= pieceChars) {
        last.text += event.text
        return
      }
    }
    this.#events.push({ ...event })
  }

  /** Yields what has not been sent yet, in portions of a bounded size. */
  * take (): Generator<RunBatch> {
    const from = this.#sent + 1
    this.#sent = this.last
    yield * this.#portions(from)
    const tooMany = this.#events.length - mostKept
    if (tooMany < givenUpAtOnce) return
    for (const batch of this.#portions(this.#first, this.#first + tooMany - 1)) this.#hand(batch)
    this.#drop(tooMany)
  }

  /**
   * Gives everything to `keep`, because no service is there to store it. What `keep` takes counts as stored, so that the run continues.
   * Returns false if not everything was taken.
   */
  handOver (): boolean {
    this.#sent = this.last
    let isWhole = true
    for (const batch of [...this.#portions(this.#first)]) {
      isWhole = this.#hand(batch)
      if (!isWhole) break
      this.#first += this.#events.splice(0, batch.events.length).length
    }
    this.#droppedWeights = []
    this.#weight = this.#events.reduce((sum, event) => sum + weightOf(event), 0)
    if (!this.isFull) this.wake()
    return isWhole
  }

  /** Whether so much is not stored that the run has to pause. */
  get isFull (): boolean { return this.#weight >= flow.windowChars }

  /** Marks everything as sent, because it is sent in another way. */
  markSent (): void { this.#sent = this.last }

  /** Returns what was sent after a number; null if it is no longer kept. */
  since (after: number): Iterable<RunBatch> | null {
    if (after < this.#first - 1 || after > this.#sent) return null
    return this.#portions(after + 1)
  }

  /** Called when everything up to a number is stored. */
  stored (seq: number): void {
    if (!(seq > this.#stored) || seq > this.#sent) return
    this.#stored = seq
    this.#drop(seq - this.#first + 1)
    const stored = this.#droppedWeights.findIndex(({ last }) => last > seq)
    for (const { weight } of this.#droppedWeights.splice(0, stored === -1 ? Infinity : stored)) this.#weight -= weight
    if (!this.isFull) this.wake()
  }

  /** Resolves when enough is stored for the run to continue; undefined if it may continue at once. */
  drained (): Promise<void> | undefined {
    if (!this.isFull) return undefined
    this.#waiting ??= Promise.withResolvers<void>()
    return this.#waiting.promise
  }

  /** Lets the run continue, whatever is stored. */
  wake (): void {
    this.#waiting?.resolve()
    this.#waiting = null
  }

  #hand (batch: RunBatch): boolean {
    if (!this.keep(batch)) return false
    this.#kept = Math.max(this.#kept, batch.seq + batch.events.length - 1)
    return true
  }

  * #portions (from: number, last = this.#sent): Generator<RunBatch> {
    const { runId, generation } = this
    let events: RunEventBody[] = []
    let weight = 0
    let seq = from
    for (const event of this.#events.slice(from - this.#first, last - this.#first + 1)) {
      if (weight >= flow.portionChars) {
        yield { runId, generation, seq, events }
        seq += events.length
        events = []
        weight = 0
      }
      events.push(event)
      weight += weightOf(event)
    }
    if (events.length > 0) yield { runId, generation, seq, events }
  }

  #drop (count: number): void {
    if (count <= 0) return
    let weight = 0
    for (const event of this.#events.splice(0, count)) {
      weight += weightOf(event)
      this.#first++
    }
    this.#droppedWeights.push({ last: this.#first - 1, weight })
  }
}
