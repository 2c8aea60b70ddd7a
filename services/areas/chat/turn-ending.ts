import { type GoodEnd, type RunError } from '../../agent/protocol.js'
import { type TurnContext } from './turn-context.js'
import { type Turn } from './turn-events.js'
import { type TurnPhase } from './turn-phase.js'
import { type TurnOutcome, type Write } from './turn-plan.js'
import { type TurnRecorder } from './turn-recorder.js'

/** What the end of a turn needs of it. */
export interface EndingTurn extends Turn {
  readonly phase: TurnPhase
  readonly recorder: TurnRecorder
  readonly context: TurnContext
}

/** How long the last frames may wait for what listeners add. */
const beforeDoneMs = 800
const additionLimitMs = 15_000
/** How long the last frame may wait for consequences of the turn. */
const settleLimitMs = 45_000
const cancelLimitMs = 5_000

/** Ends a turn: with its answer, with a failure, by a person, or because the service stops and the turn outlives it. */
export class TurnEnding {
  #outcome: TurnOutcome | null = null
  /** An error inside the service, for the log. */
  #fault: string | null = null
  /** Ends the current wait: for consequences of the turn, or for the end of a cancelled run. */
  #finish: (() => void) | null = null

  constructor (readonly turn: EndingTurn, readonly closed: () => void) {}

  /** Ends the turn with an error, unless its answer stands. `fault`: an error inside the service. */
  fail (error: RunError, { terminalState = 'errored', fault }: { terminalState?: string | undefined, fault?: string } = {}): void {
    const { phase, recorder } = this.turn
    if (phase.is('starting', 'running', 'cancelling')) this.#fault ??= fault ?? null
    if (phase.is('cancelling')) return this.hurry()
    if (!phase.is('starting', 'running')) return
    recorder.failed(error, { terminalState })
    this.#outcome = {
      state: terminalState === 'interrupted-by-user' ? 'cancelled' : 'failed', answer: recorder.finalText, error: error.message,
      errorType: error.type, host: error.host, attempts: error.attempts
    }
    this.#close()
  }

  /** Ends the turn because of an error inside the service, which the log line of its end names. If it has ended already, logs a line. */
  broke (what: string, error: unknown, told: RunError): void {
    const { phase, context, sessionId, streamId } = this.turn
    if (phase.is('starting', 'running', 'cancelling')) this.fail(told, { fault: String(error) })
    else context.log(what, { session: sessionId, stream: streamId, reason: String(error) })
  }

  /**
   * Ends a turn whose answer stands. `done` is sent at once, unless something that belongs to it is about to come; then `stream_end`. Never
   * rejects.
   */
  async settle (terminalState?: GoodEnd): Promise<void> {
    try {
      await this.#settle(terminalState)
    } catch (error) {
      // The session may be gone; the answer still stands.
      this.#fault = String(error)
      this.#outcome ??= { state: 'failed', answer: this.turn.recorder.finalText, error: 'The turn could not be closed as usual' }
      this.conclude()
    }
  }

  /** Sends the closing frames of a turn whose answer stands, without waiting for what belongs to it. */
  conclude (): void {
    const { phase, recorder, plan } = this.turn
    if (phase.is('ending')) recorder.done({ ephemeral: plan.ephemeral })
    if (!phase.is('ending', 'settling')) return
    this.#outcome ??= this.#answered()
    recorder.end()
    this.#close()
  }

  /** Stops the turn and frees its session. Returns false if there was nothing left to stop. */
  cancel (): boolean {
    const { phase, recorder, context } = this.turn
    // Nothing is left to stop: the answer stands, only its closing frames wait.
    if (phase.is('ending', 'settling')) context.listeners.emit('stoppedLate', this.turn)
    this.conclude()
    if (!phase.is('starting', 'running')) return false
    const wasRunning = phase.is('running')
    recorder.cancel()
    phase.enter('cancelling')
    const timer = setTimeout(() => this.hurry(), cancelLimitMs)
    this.#finish = () => {
      clearTimeout(timer)
      this.#finish = null
      recorder.cancelled()
      this.#close()
    }
    if (!wasRunning) this.hurry()
    else this.stopRun().catch(() => this.hurry())
    return true
  }

  /** Tells its run to stop. Rejects if the run cannot be reached. */
  async stopRun (): Promise<void> {
    const { context, profile, streamId } = this.turn
    await context.agent.control(profile, { op: 'cancel', runId: streamId })
  }

  /** Ends the current wait at once. */
  hurry (): void {
    this.#finish?.()
  }

  /** Leaves the turn as a row, without a frame, to be continued later. */
  leave (): void {
    this.turn.phase.enter('closed')
    this.closed()
  }

  async #settle (terminalState: GoodEnd | undefined): Promise<void> {
    const { phase, recorder, plan, context: { listeners, db } } = this.turn
    phase.enter('ending')
    const additions = listeners.gather('answered', this.turn).then((writes): Write => () => writes.flatMap((write) => write?.() ?? []))
    const early = await Promise.race([additions, this.#wait(beforeDoneMs)])
    if (!phase.enter('settling')) return
    recorder.done({ addition: early, terminalState, ephemeral: plan.ephemeral })
    this.#outcome = this.#answered(terminalState)
    const followed = listeners.gather('done', this.turn, (write) => {
      if (phase.is('settling')) recorder.tell(write)
      else db.soonest(write)
    })
    const late = early === undefined ? await Promise.race([additions, this.#wait(additionLimitMs)]) : undefined
    if (phase.is('settling')) await Promise.race([followed, this.#wait(settleLimitMs)])
    if (!phase.is('settling')) return
    recorder.end(late)
    this.#close()
  }

  #answered (ended?: GoodEnd): TurnOutcome {
    const { finalText: answer, cut } = this.turn.recorder
    // The answer of a turn that ended on its budget already says so.
    return {
      state: 'done', answer, ...(cut === null || cut.message === answer ? {} : { cut: cut.message }),
      ...(ended === undefined ? {} : { ended })
    }
  }

  /** Resolves with undefined after `ms`, or as soon as `hurry` is called. */
  #wait (ms: number): Promise<undefined> {
    this.hurry()
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.hurry(), ms)
      this.#finish = () => {
        clearTimeout(timer)
        this.#finish = null
        resolve(undefined)
      }
    })
  }

  #close (): void {
    const { phase, recorder, plan, context } = this.turn
    phase.enter('closed')
    this.hurry()
    this.closed()
    const outcome: TurnOutcome = this.#outcome ?? { state: 'cancelled', answer: recorder.finalText }
    if (this.#fault !== null) outcome.fault = this.#fault
    plan.ended?.(outcome)
    context.listeners.emit('ended', this.turn, outcome)
  }
}
