import { type OutputPiece } from '../protocol.js'
import { OutputPieces } from './output-pieces.js'

/**
 * How long output is held back so that more can be sent with it. A command that ends within that time shows its output only in
 * its result.
 */
const pauseMs = 250

/** Sends the output of a running call, a few times a second. */
export class LiveOutput {
  readonly #pieces = new OutputPieces(performance.now())
  #timer: NodeJS.Timeout | undefined
  #isOver = false

  constructor (private readonly tell: (piece: OutputPiece) => void) {}

  readonly push = (chunk: Buffer): void => {
    if (this.#isOver || chunk.length === 0) return
    this.#pieces.push(chunk)
    this.#timer ??= setTimeout(this.#look, pauseMs)
  }

  /** Called when the call is over. Output that was not sent is in its result. */
  readonly end = (): void => {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  readonly #look = (): void => {
    for (const piece of this.#pieces.take(performance.now())) this.tell(piece)
    this.#timer = this.#pieces.hasNews ? setTimeout(this.#look, Math.max(pauseMs, this.#pieces.waitMs)) : undefined
  }
}
