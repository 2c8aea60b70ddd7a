import { OwnBlocks } from '../own-memory.js'

/** A frame as it is sent. `typed` is for readers that may type, with typed texts unmasked. */
export interface Entry { seq: number, bytes: Buffer, typed?: Buffer }

export interface Reader { wake: () => void }

const tailLimitBytes = 256 * 1024
const tailLimitFrames = 1024
/** How many frames the tail may exceed its limit by, because removing many at once costs less than one at a time. */
const slackFrames = 256

/** A topic with subscribers: its readers, and the tail of its frames. */
export class LiveTopic {
  readonly readers = new Set<Reader>()
  #tail: Entry[] = []
  #tailBytes = 0
  readonly #blocks = new OwnBlocks()

  constructor (readonly key: string, public lastSeq: number, public ended: boolean) {}

  /** Adds new frames to the tail and wakes every reader. */
  deliver (entries: Entry[]): void {
    for (const { seq, bytes, typed } of entries) {
      const own = this.#blocks.copy(bytes)
      this.#tail.push(typed === undefined ? { seq, bytes: own } : { seq, bytes: own, typed: this.#blocks.copy(typed) })
      this.#tailBytes += bytes.length
      this.lastSeq = seq
    }
    this.#forget(entries.length)
    for (const reader of [...this.readers]) reader.wake()
  }

  /** Returns the frames after `after` that are in the tail and fit `maxBytes`; null if the first of them is no longer there. */
  read (after: number, maxBytes: number): Entry[] | null {
    const first = this.#tail[0]
    if (first === undefined || first.seq > after + 1) return null
    const taken: Entry[] = []
    let bytes = 0
    let index = after + 1 - first.seq
    for (let entry = this.#tail[index]; entry !== undefined && bytes < maxBytes; entry = this.#tail[++index]) {
      taken.push(entry)
      bytes += entry.bytes.length
    }
    return taken
  }

  /** Trims the tail, but never removes frames that were just delivered. */
  #forget (newest: number): void {
    if (this.#tail.length <= tailLimitFrames + slackFrames && this.#tailBytes <= tailLimitBytes) return
    let count = Math.max(0, this.#tail.length - Math.max(tailLimitFrames, newest))
    let bytes = this.#tailBytes
    for (const entry of this.#tail.slice(0, count)) bytes -= entry.bytes.length
    for (const entry of this.#tail.slice(count, Math.max(count, this.#tail.length - newest))) {
      if (bytes <= tailLimitBytes) break
      bytes -= entry.bytes.length
      count++
    }
    this.#tail.splice(0, count)
    this.#tailBytes = bytes
  }
}
