import { type OutputPiece } from '../protocol.js'
import { OutputPieces } from './output-pieces.js'

/**
 * As long output waits for more of it: what a command prints within that is told together, and one
 * that is over by then says it in its result.
 */
const pauseMs = 250

/** Tells what a call prints while it runs, a few times a second. */
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

  /** The call is over: what was not told stands in its result. */
  readonly end = (): void => {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  readonly #look = (): void => {
    for (const piece of this.#pieces.take(performance.now())) this.tell(piece)
    this.#timer = this.#pieces.hasNews ? setTimeout(this.#look, Math.max(pauseMs, this.#pieces.waitMs)) : undefined
  }
}
