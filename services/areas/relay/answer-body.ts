import { Readable } from 'node:stream'
import { pieceBytes } from './packet.js'

export interface AnswerBodyOptions {
  /** The bytes that came with the head. */
  first: Buffer
  /**
   * The length that the client was already told: exactly this much must follow, or the client would take the rest for the connection's next
   * answer.
   */
  lengthBytes?: number
  /** Asks for the next bytes; rejects if they cannot be fetched. */
  read: (number: number) => Promise<{ head: Record<string, unknown>, bytes: Buffer }>
  /** Called every `holdMs` to say that the answer is still wanted. */
  hold: () => void
  holdMs: number
  /** Called to say that the answer is no longer wanted. */
  stop: () => void
  brokenOff: () => Error
}

/** How many pieces are requested at once, so that not every piece costs a round trip to the machine. */
const piecesAhead = 4

/** The body of a machine's answer, fetched at the pace at which it is read. */
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

  /** Fetches a few pieces, in order. */
  async #fetch (): Promise<void> {
    const coming = Array.from({ length: piecesAhead }, async () => await this.#options.read(this.#asked++))
    for (const piece of coming) piece.catch(() => {})
    for (const piece of coming) {
      const { head, bytes } = await piece
      if (head.state !== 'bytes') throw this.#options.brokenOff()
      // Pushing triggers another read, which waits until all of these pieces are here.
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
