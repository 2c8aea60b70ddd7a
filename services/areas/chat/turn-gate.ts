import { Unavailable } from '../../ground/errors.js'

/** About as long as a restart takes. */
const retryAfterS = 5

/** Keeps turns from beginning for a while, because the service is about to restart and would interrupt them. */
export class TurnGate {
  #isHeld = false
  readonly #waiting = new Set<() => void>()

  get isHeld (): boolean {
    return this.#isHeld
  }

  hold (): void {
    this.#isHeld = true
  }

  release (): void {
    this.#isHeld = false
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const go of waiting) go()
  }

  /** Resolves at the next release. */
  async released (): Promise<void> {
    await new Promise<void>((resolve) => { this.#waiting.add(resolve) })
  }

  /** The error for a turn that a person begins. */
  refusal (): Unavailable {
    return new Unavailable(
      'The service is about to restart with a new version. Nothing was started; try again in a few seconds', 'restarting',
      { retryAfterS }
    )
  }
}
