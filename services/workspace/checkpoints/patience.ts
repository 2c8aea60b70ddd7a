import { monotonicMs, type Clock } from '../../ground/clock.js'

const pauseMs = 10 * 60_000
const mostTimes = 2

/**
 * Which workspaces took too long lately: what did so twice is not tried at every turn. A first time may have been half of
 * the work, which is kept.
 */
export class Patience {
  readonly #slow = new Map<string, { times: number, untilMs: number }>()

  constructor (private readonly clock: Clock) {}

  isLost (workspace: string): boolean {
    const { times, untilMs } = this.#of(workspace)
    return times >= mostTimes && untilMs > monotonicMs(this.clock)
  }

  wasSlow (workspace: string): void {
    const { times, untilMs } = this.#of(workspace)
    const nowMs = monotonicMs(this.clock)
    if (times < mostTimes || untilMs <= nowMs) this.#slow.set(workspace, { times: times + 1, untilMs: nowMs + pauseMs })
  }

  /** It was fast enough, or is gone. */
  forget (workspace: string): void {
    this.#slow.delete(workspace)
  }

  #of (workspace: string): { times: number, untilMs: number } {
    return this.#slow.get(workspace) ?? { times: 0, untilMs: 0 }
  }
}
