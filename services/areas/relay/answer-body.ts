import { Readable } from 'node:stream'
import { pieceBytes } from './packet.js'

export interface AnswerBodyOptions {
  /** What came with the head. */
  first: Buffer
  /** What its client is told before: neither more nor less may come, or the rest would be taken for the next answer of the connection. */
  lengthBytes?: number
  /** Asks for the next bytes; rejects when there is no getting at them. */
  read: (number: number) => Promise<{ head: Record<string, unknown>, bytes: Buffer }>
  /** Says that it is still wanted, this often. */
  hold: () => void
  holdMs: number
  /** Says that it is not wanted any more. */
  stop: () => void
  brokenOff: () => Error
}

/** So many pieces are asked for at once: the way to the machine and back is not waited for with each of them. */
const piecesAhead = 4

/** The body of a machine's answer, fetched at the pace of whoever reads it. */
export class AnswerBody extends Readable {
  readonly #options: AnswerBodyOptions
  readonly #holding: NodeJS.Timeout
  #asked = 0
  #isAsking = false
  #isWhole = false
  #sizeBytes = 0

  constructor (options: AnswerBodyOptions) {
    super({ highWaterMark: pieceBytes })
    this.#options = options
    this.#holding = setInterval(options.hold, options.holdMs)
    this.#holding.unref()
    this.#take(options.first)
  }

  override _read (): void {
    if (this.#isAsking || this.#isWhole) return
    this.#isAsking = true
    this.#fetch().then(() => { this.#isAsking = false }, (error: Error) => this.destroy(error))
  }

  /** A few pieces, in their order. */
  async #fetch (): Promise<void> {
    const coming = Array.from({ length: piecesAhead }, async () => await this.#options.read(this.#asked++))
    for (const piece of coming) piece.catch(() => {})
    for (const piece of coming) {
      const { head, bytes } = await piece
      if (head.state !== 'bytes') throw this.#options.brokenOff()
      // Pushing asks for more; that waits until all of these are here.
      this.#take(bytes)
      if (head.last !== true) continue
      const { lengthBytes = this.#sizeBytes } = this.#options
      if (this.#sizeBytes < lengthBytes) throw this.#options.brokenOff()
      this.#isWhole = true
      this.push(null)
      return
    }
    setImmediate(() => { if (!this.destroyed && this.readableLength < this.readableHighWaterMark) this._read() })
  }

  #take (bytes: Buffer): void {
    this.#sizeBytes += bytes.length
    if (this.#sizeBytes > (this.#options.lengthBytes ?? Infinity)) throw this.#options.brokenOff()
    if (bytes.length > 0) this.push(bytes)
  }

  override _destroy (error: Error | null, callback: (error?: Error | null) => void): void {
    clearInterval(this.#holding)
    if (!this.#isWhole) this.#options.stop()
    callback(error)
  }
}
