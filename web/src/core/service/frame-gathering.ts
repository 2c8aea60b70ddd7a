import { type HubFrame } from './connection.js'

/** The pause after a message to a window, about a screen refresh: a window draws no more often, and each message costs it time. */
const pauseMs = 16

/**
 * Passes frames on to a window: the first one at once, and those that come in the pause after it together. `send` gets at least one frame,
 * and all frames in their order.
 */
export class FrameGathering {
  #gathered: HubFrame[] = []
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor (readonly send: (frames: HubFrame[]) => void) {}

  add (frame: HubFrame): void {
    this.#gathered.push(frame)
    if (this.#timer === undefined) this.#sendAndPause()
  }

  /** Sends the gathered frames now, because something else has to come after them. */
  flush (): void {
    if (this.#gathered.length > 0) this.send(this.#gathered.splice(0))
  }

  /** Forgets the gathered frames. */
  drop (): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#gathered = []
  }

  #sendAndPause (): void {
    this.#timer = undefined
    if (this.#gathered.length === 0) return
    this.flush()
    this.#timer = setTimeout(() => this.#sendAndPause(), pauseMs)
  }
}
