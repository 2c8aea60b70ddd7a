import { flow } from '../limits.js'
import { weightOf, type RunBatch, type RunEventBody } from '../protocol.js'

/** Events of a run that are kept for who has missed them. What is known to be stored is given up before. */
const mostKept = 4_096
/** So many more may wait until they are given up together. */
const givenUpAtOnce = 1_024

/**
 * What one run has said: numbered from 1 without a gap, kept until it is stored, and held back when too much of it is on its
 * way to the disk.
 */
export class Trail {
  /** Kept events; the first one's number is `#first`. */
  #events: RunEventBody[] = []
  #first = 1
  /** Number of the last event that has been sent. */
  #sent = 0
  #stored = 0
  /** Of everything that is not known to be stored. */
  #weight = 0
  /** Of what is neither kept nor known to be stored, up to a number each. */
  #droppedWeights: Array<{ last: number, weight: number }> = []
  #waiting: PromiseWithResolvers<void> | null = null
  /** Number of the last event that was handed to `keep`. */
  #kept = 0

  /** @param keep takes what there is no room for here; false: it has none either */
  constructor (readonly runId: string, readonly generation: number, private readonly keep: (batch: RunBatch) => boolean = () => false) {}

  /** The last number given. */
  get last (): number { return this.#first + this.#events.length - 1 }

  /** Number of the last event that has been sent. */
  get sent (): number { return this.#sent }

  /** Everything that was sent is stored. */
  get isStored (): boolean { return this.#stored >= this.last }

  /** Number of the last event that is known to be stored. */
  get stands (): number { return this.#stored }

  /** Part of what is not stored was handed to `keep`, and may be asked for there. */
  get isKept (): boolean { return this.#kept > this.#stored }

  get hasNews (): boolean { return this.last > this.#sent }

  /** Takes an event in. A delta joins the one before while that has not left and both together are no more than `pieceChars`. */
  push (event: RunEventBody, pieceChars: number): void {
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

  /** What has not left yet, in portions of a bounded size. */
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
   * Nobody is there who would store what was said: `keep` gets all of it, and where it has room that counts as stored for the run, which
   * goes on. False: not all was kept.
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

  /** So much is not known to be stored that the run is held up. */
  get isFull (): boolean { return this.#weight >= flow.windowChars }

  /** What has not left yet is sent in another way. */
  markSent (): void { this.#sent = this.last }

  /** What was sent after a number, once more; null when it is not there any more. */
  since (after: number): Iterable<RunBatch> | null {
    if (after < this.#first - 1 || after > this.#sent) return null
    return this.#portions(after + 1)
  }

  /** Everything up to a number is on the disk. */
  stored (seq: number): void {
    if (!(seq > this.#stored) || seq > this.#sent) return
    this.#stored = seq
    this.#drop(seq - this.#first + 1)
    const stored = this.#droppedWeights.findIndex(({ last }) => last > seq)
    for (const { weight } of this.#droppedWeights.splice(0, stored === -1 ? Infinity : stored)) this.#weight -= weight
    if (!this.isFull) this.wake()
  }

  /** Resolves when enough is stored for the run to go on; undefined when it may go on at once. */
  drained (): Promise<void> | undefined {
    if (!this.isFull) return undefined
    this.#waiting ??= Promise.withResolvers<void>()
    return this.#waiting.promise
  }

  /** Lets the run go on, whatever is stored. */
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
