import { type Account } from '../budgets/index.js'
import { type ModelRef } from '../../agent/protocol.js'
import { type CallEvents } from './call-events.js'
import { type OpenStream } from './rows.js'
import { type SteerEvents } from './steer-events.js'
import { type Tell, type TurnOutcome, type TurnPlan, type Write } from './turn-plan.js'
import { type RunningCall } from './turn-fold.js'
import { type TurnIdentity, type TurnRecorder } from './turn-recorder.js'

/** A turn as those see it that listen. */
export interface Turn extends Readonly<TurnIdentity> {
  readonly plan: TurnPlan
  /** Whose budgets it uses, and with it what is done for it. */
  readonly account: Account
  /** Null until it is chosen. */
  readonly model: ModelRef | null
  readonly recorder: Pick<TurnRecorder, 'answer' | 'finalText' | 'cut' | 'model' | 'tell'>
  /** Its run is under way. */
  readonly isRunning: boolean
}

/** What a turn that lives does. `silentMs`: so long its run has said nothing, counted from a start of the service at most. */
export interface TurnActivity extends Pick<TurnIdentity, 'streamId' | 'sessionId' | 'profile' | 'promptsIn'> {
  silentMs: number
  /** Those that have begun and have no result. */
  calls: RunningCall[]
  /** The id of the one that answers; null until it is chosen. */
  model: string | null
}

/**
 * What happens to turns, for whatever follows from it; the turns know nothing of who listens. In the life of one turn the
 * events come in the order in which they stand here, each listener in the order in which it was added. A listener that
 * throws or rejects is logged, and the turn goes on as if it had not been there.
 */
export interface TurnEvents extends CallEvents, SteerEvents {
  /** A model has given up, and another one goes on in its place. May be told several times. */
  replaced (turn: Turn, failed: Pick<ModelRef, 'provider' | 'id'>): void
  /**
   * Its model is at a limit of its provider, and it is left as a row that waits: nothing of it is in memory any more. It goes on with
   * `resumed`; one that is stopped meanwhile is `resumed` and `ended` at once.
   */
  parked (turn: Turn): void
  /** A parked turn lives again; it was left at `parkedAtS`. */
  resumed (turn: Turn, parkedAtS: number): void
  /**
   * The answer stands. What is resolved with belongs to the turn's end: it goes out with `done`, which waits 800 ms for
   * everybody's, and otherwise with the last frame, which waits 15 s. Null: nothing is to be added.
   */
  answered (turn: Turn): Promise<Write | null>
  /** `done` is on its way and the session is free. The last frame waits for the promise, at most 45 s; until then `tell` sends frames. */
  done (turn: Turn, tell: Tell): Promise<void>
  /** A person has stopped a turn whose answer stands already: only what follows from it is still to be stopped. */
  stoppedLate (turn: Turn): void
  /** The turn has had its last frame. That is on its way to the database, and so is what is enqueued from here. */
  ended (turn: Turn, outcome: TurnOutcome): void
  /** After a start of the service: these had been left open and are closed now. They are not told of as `ended`. */
  recovered (interrupted: OpenStream[]): void
  /** The service stops: nothing may begin any more. What still lives is ended after this, and told of as `ended`. */
  stopping (): void
}
