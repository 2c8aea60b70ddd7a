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
  #waiting: { promise: Promise<void>, wake: () => void } | null = null

  constructor (readonly runId: string, readonly generation: number) {}

  /** The last number given. */
  get last (): number { return this.#first + this.#events.length - 1 }

  /** Number of the last event that has been sent. */
  get sent (): number { return this.#sent }

  /** Everything that was sent is stored. */
  get isStored (): boolean { return this.#stored >= this.last }

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
    if (this.#events.length >= mostKept + givenUpAtOnce) this.#drop(this.#events.length - mostKept)
  }

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
    if (this.#weight < flow.windowChars) this.wake()
  }

  /** Resolves when enough is stored for the run to go on; undefined when it may go on at once. */
  drained (): Promise<void> | undefined {
    if (this.#weight < flow.windowChars) return undefined
    if (this.#waiting === null) {
      let wake!: () => void
      const promise = new Promise<void>((resolve) => { wake = resolve })
      this.#waiting = { promise, wake }
    }
    return this.#waiting.promise
  }

  /** Lets the run go on, whatever is stored. */
  wake (): void {
    this.#waiting?.wake()
    this.#waiting = null
  }

  * #portions (from: number): Generator<RunBatch> {
    const { runId, generation } = this
    let events: RunEventBody[] = []
    let weight = 0
    let seq = from
    for (const event of this.#events.slice(from - this.#first, this.#sent - this.#first + 1)) {
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
