/** The last things that happened, numbered from 1 without a hole; what is older is given up. */
export class Ring<Entry> {
  readonly #entries: Entry[] = []
  #lastSeq = 0

  constructor (private readonly limit: number) {}

  /** Number of the last entry; 0 when there was none. */
  get lastSeq (): number { return this.#lastSeq }

  push (entry: Entry): void {
    this.#lastSeq++
    this.#entries.push(entry)
    // In pieces, as taking the first one out moves all others.
    if (this.#entries.length >= 2 * this.limit) this.#entries.splice(0, this.#entries.length - this.limit)
  }

  /** What came after `seq`; null when not all of it is there any more, or that is still to come. */
  after (seq: number): Entry[] | null {
    const count = this.#lastSeq - seq
    if (count < 0 || count > this.#entries.length) return null
    return count === 0 ? [] : this.#entries.slice(-count)
  }
}
