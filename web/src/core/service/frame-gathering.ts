import { type HubFrame } from './connection.js'

/** The pause after a message to a window, about a screen refresh: a window draws no more often, and each message costs it time. */
const pauseMs = 16

/**
 * Passes frames on to a window: the first one at once, and those that come in the pause after it together. `send` gets at least one frame,
 * and all frames in their order.
 */
export class FrameGathering {
  #gathered: HubFrame[] = []
  #sentMs = -Infinity
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor (readonly send: (frames: HubFrame[]) => void, readonly nowMs = () => performance.now()) {}

  add (frame: HubFrame): void {
    this.#gathered.push(frame)
    const restMs = this.#sentMs + pauseMs - this.nowMs()
    // A browser may delay timers where nobody looks, so the pause does not depend on its timer alone.
    if (restMs <= 0) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), restMs)
  }

  /** Sends the gathered frames now, because something else has to come after them. */
  flush (): void {
    const frames = this.#gathered
    this.drop()
    if (frames.length === 0) return
    this.#sentMs = this.nowMs()
    this.send(frames)
  }

  /** Forgets the gathered frames. */
  drop (): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#gathered = []
  }
}
