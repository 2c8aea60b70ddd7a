import { setTimeout as delay } from 'node:timers/promises'
import { type ModelRef, type RunError } from '../../agent/protocol.js'
import { type ModelChoice } from '../models/index.js'
import { TurnLife, type LivePhase, type TurnContext } from './turn-life.js'
import { type TurnPlan } from './turn-plan.js'
import { type TurnIdentity, type TurnRecorder } from './turn-recorder.js'

const stopped: RunError = {
  type: 'interrupted', message: 'The service was stopped while this turn was running.',
  hint: 'The partial answer is kept. Send the message again to retry.'
}

/** How long a stop of the service waits for machines. */
const toldWithinMs = 1_000

/** The turns that live in this process. */
export class Turns {
  readonly #turns = new Map<string, TurnLife>()

  constructor (readonly context: TurnContext) {}

  /** Takes over a turn whose message is stored, and starts its run. */
  begin (
    identity: TurnIdentity, generation: number, plan: TurnPlan, chosen: Promise<ModelChoice>,
    restore: (recorder: TurnRecorder) => void = () => {}
  ): TurnLife {
    const turn = this.make(identity, generation, plan)
    restore(turn.recorder)
    this.#turns.set(turn.streamId, turn)
    // The answer of the start call goes out first: when many start at once, none waits for the others' runs.
    setImmediate(() => { void turn.launch(chosen) })
    return turn
  }

  /** Has a turn live again that was left as a row; nobody has launched it yet. */
  revive (identity: TurnIdentity, generation: number, plan: TurnPlan, restore: (recorder: TurnRecorder) => void): TurnLife {
    const turn = this.make(identity, generation, plan)
    restore(turn.recorder)
    this.#turns.set(turn.streamId, turn)
    return turn
  }

  /** Takes up a turn whose run went on elsewhere while the service was not there, behind its event of the number `after`. */
  follow (turn: TurnLife, chosen: Promise<ModelChoice>, named: Pick<ModelRef, 'provider' | 'id'> | null, after: number): void {
    this.#turns.set(turn.streamId, turn)
    void turn.follow(chosen, named, after)
  }

  /** A turn that nobody knows of yet. */
  make (identity: TurnIdentity, generation: number, plan: TurnPlan): TurnLife {
    return new TurnLife(
      identity, generation, plan, this.context, ({ streamId }) => this.#turns.delete(streamId),
      (turn, next, choice) => { this.begin(identity, next, { ...turn.plan, isAgain: true }, Promise.resolve(choice)) }
    )
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
    for (const { phase } of this.#turns.values()) if (phase !== 'closed') count[phase]++
    return count
  }

  /** Ends whatever turns of these sessions are doing, at once. */
  stopIn (sessionIds: readonly string[]): void {
    for (const turn of this.all()) {
      if (!sessionIds.includes(turn.sessionId)) continue
      turn.conclude()
      turn.cancel()
      turn.hurry()
    }
  }

  /** The turn that is live in a session. */
  ofSession (sessionId: string): TurnLife | undefined {
    const streamId = this.context.store.activeStream(sessionId)
    return streamId === undefined ? undefined : this.#turns.get(streamId)
  }

  /**
   * Before the process goes: a turn whose run goes on without it, one that only waits for a person, and one that no host has yet, is left
   * as it is, to go on after the restart. Every other one is ended honestly: partial answers are kept, streams get their last frame. All of
   * that is done at once; resolves when machines have been told of runs that are to end, or had the time to.
   */
  async shutdown (staysParked: (turn: TurnLife) => boolean): Promise<void> {
    const told: Array<Promise<void>> = []
    const { db, listeners } = this.context
    listeners.emit('stopping')
    db.catchUp()
    for (const turn of this.all()) {
      if (turn.staysAtWork || (turn.is('starting', 'running') && staysParked(turn))) {
        turn.park()
        continue
      }
      turn.hurry()
      turn.conclude()
      told.push(turn.stopElsewhere())
      turn.fail(stopped, 'interrupted-by-crash')
    }
    db.catchUp()
    if (told.length > 0) await Promise.race([Promise.all(told), delay(toldWithinMs, undefined, { ref: false })])
  }
}
