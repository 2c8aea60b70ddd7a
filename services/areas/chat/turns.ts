import { setTimeout as delay } from 'node:timers/promises'
import { type RunError } from '../../agent/protocol.js'
import { type ModelChoice } from '../models/index.js'
import { launch as launchRun } from './turn-beginning.js'
import { type TurnContext } from './turn-context.js'
import { TurnLife } from './turn-life.js'
import { type LivePhase } from './turn-phase.js'
import { type TurnPlan } from './turn-plan.js'
import { type TurnIdentity, type TurnRecorder } from './turn-recorder.js'

const stopped: RunError = {
  type: 'interrupted', message: 'The service was stopped while this turn was running.',
  hint: 'The partial answer is kept. Send the message again to retry.'
}

/** How long a stop of the service waits for other machines. */
const toldWithinMs = 1_000

/** The turns that live in this process. */
export class Turns {
  readonly #turns = new Map<string, TurnLife>()

  constructor (readonly context: TurnContext) {}

  /** Adds a turn to this process, without a run. `restore` gives it what is stored of it. */
  add (
    identity: TurnIdentity, generation: number, plan: TurnPlan, restore: (recorder: TurnRecorder) => void = () => {}
  ): TurnLife {
    const turn = new TurnLife(identity, generation, plan, this.context, (streamId) => this.#turns.delete(streamId))
    restore(turn.recorder)
    this.#turns.set(turn.streamId, turn)
    return turn
  }

  /** Starts a run of a turn once its model is chosen. The request that began it is answered first. */
  launch (turn: TurnLife, chosen: Promise<ModelChoice>): void {
    setImmediate(() => {
      void launchRun(turn, chosen, ({ identity, plan }, generation, choice) => {
        this.launch(this.add(identity, generation, { ...plan, isRelaunched: true }), Promise.resolve(choice))
      })
    })
  }

  get (streamId: string): TurnLife | undefined {
    return this.#turns.get(streamId)
  }

  all (): TurnLife[] {
    return [...this.#turns.values()]
  }

  count (): number {
    return this.#turns.size
  }

  phases (): Record<LivePhase, number> {
    const count = { starting: 0, running: 0, ending: 0, settling: 0, cancelling: 0 }
    for (const { phase: { now } } of this.#turns.values()) if (now !== 'closed') count[now]++
    return count
  }

  /** Stops all turns of these sessions at once. */
  stopIn (sessionIds: readonly string[]): void {
    for (const turn of this.all()) {
      if (!sessionIds.includes(turn.sessionId)) continue
      turn.ending.conclude()
      turn.ending.cancel()
      turn.ending.hurry()
    }
  }

  /** Returns the live turn of a session. */
  ofSession (sessionId: string): TurnLife | undefined {
    const streamId = this.context.store.activeStream(sessionId)
    return streamId === undefined ? undefined : this.#turns.get(streamId)
  }

  /**
   * Called before the process ends. Leaves turns whose run continues without it, that only wait for a person, or that no host has received:
   * they continue after the restart. Ends all others with an error: partial answers are kept, and streams get their last frame. This is
   * done at once. Resolves when other machines have been told which runs end, or after a time limit.
   */
  async shutdown (isWaiting: (turn: TurnLife) => boolean): Promise<void> {
    const told: Array<Promise<void>> = []
    const { db, listeners } = this.context
    listeners.emit('stopping')
    db.catchUp()
    for (const turn of this.all()) {
      if (turn.staysAtWork || (turn.phase.is('starting', 'running') && isWaiting(turn))) {
        turn.ending.leave()
        continue
      }
      turn.ending.hurry()
      turn.ending.conclude()
      // Otherwise the run would continue without a turn. A machine that cannot be reached hears of it from the next service.
      if (turn.machine !== undefined && turn.isRunning) told.push(turn.ending.stopRun().catch(() => {}))
      turn.ending.fail(stopped, { terminalState: 'interrupted-by-crash' })
    }
    db.catchUp()
    if (told.length > 0) await Promise.race([Promise.all(told), delay(toldWithinMs, undefined, { ref: false })])
  }
}
