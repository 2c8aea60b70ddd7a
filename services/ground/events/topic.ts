/** A frame as it goes out; `typed`: to whoever may type, with what was typed as it was. */
export interface Entry { seq: number, bytes: Buffer, typed?: Buffer }

export interface Reader { wake: () => void }

const tailLimitBytes = 256 * 1024
const tailLimitFrames = 1024
/** So many frames more may be there: letting go of them one by one costs more than all at once. */
const slackFrames = 256

/** Something that is being listened to: its readers, and the last of what it has sent. */
export class LiveTopic {
  readonly readers = new Set<Reader>()
  #tail: Entry[] = []
  #tailBytes = 0

  constructor (readonly key: string, public lastSeq: number, public ended: boolean) {}

  /** Keeps new frames for a while and wakes every reader. */
  deliver (entries: Entry[]): void {
    for (const entry of entries) {
      this.#tail.push(entry)
      this.#tailBytes += entry.bytes.length
      this.lastSeq = entry.seq
    }
    this.#forget(entries.length)
    for (const reader of [...this.readers]) reader.wake()
  }

  /** What follows `after`, as far as it is still here and fits; null when some of it is not. */
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

  /** What was delivered just now stays in any case. */
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
