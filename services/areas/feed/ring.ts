/** The latest entries, numbered from 1 without gaps; older ones are dropped. */
export class Ring<Entry> {
  readonly #entries: Entry[] = []
  #lastSeq = 0

  constructor (private readonly limit: number) {}

  /** Number of the last entry; 0 when there was none. */
  get lastSeq (): number { return this.#lastSeq }

  push (entry: Entry): void {
    this.#lastSeq++
    this.#entries.push(entry)
    // Removes several at once, because removing the first one moves all others.
    if (this.#entries.length >= 2 * this.limit) this.#entries.splice(0, this.#entries.length - this.limit)
  }

  /** Returns the entries after `seq`; null if some of them are gone, or `seq` lies in the future. */
  after (seq: number): Entry[] | null {
    const count = this.#lastSeq - seq
    if (count < 0 || count > this.#entries.length) return null
    return count === 0 ? [] : this.#entries.slice(-count)
  }
}
