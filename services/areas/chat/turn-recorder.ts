import { type chatFrames } from '../../../schemas/chat.js'
import { type CutShort, type GoodEnd, type RunError, type RunEvent } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { framesOf, type EventBroker, type NewFrame } from '../../ground/events/index.js'
import { type Prompts } from '../prompts/index.js'
import { type Sessions } from '../sessions/index.js'
import { toldOf, type ParkedTurn } from './parking/rows.js'
import { type TurnStore } from './rows.js'
import { type RunRemains, type OpenCalls } from './recovery/run-remains.js'
import { TurnFold, type RunningCall } from './turn-fold.js'
import { type Heard } from './live-text.js'
import { TurnFrames } from './turn-frames.js'
import { TurnMeter, type MeteredTurn, type MeterOptions, type TurnModel } from './turn-meter.js'
import { type Write } from './turn-plan.js'
import { TurnRows } from './turn-rows.js'
import { type TurnTraces } from './turn-traces.js'
import { foldedMark } from './turn-writes.js'

const frame = framesOf<typeof chatFrames>()

const subAgentHint = 'What it has written is kept. The conversation that it worked for says how that goes on.'

export interface TurnIdentity extends Omit<MeteredTurn, 'account' | 'kind'> {
  /** The session that shows its prompts. */
  promptsIn: string
  /** Where it belongs in a trace, as {@link TurnTraces} says it; null: it is not traced. */
  trace: string | null
}

export interface RecorderOptions extends MeterOptions {
  db: Database
  events: EventBroker
  store: TurnStore
  sessions: Sessions
  prompts: Prompts
  clock: Clock
  /** Null: nobody traces turns. */
  traces: TurnTraces | null
  /** Called when a write was refused because a newer generation owns the stream. */
  onRefused: (error: Error) => void
}

/**
 * Records one turn: each batch of its events, and its end, in one transaction of message rows and frames. What is live, what
 * is replayed and what is settled come from the same fold, so they cannot differ.
 */
export class TurnRecorder {
  readonly #rows: TurnRows
  readonly #meter: TurnMeter
  readonly #frames: TurnFrames
  readonly #fold: TurnFold
  /** What the database knows of what is held back. */
  #heldBack: string | null = null
  #isResuming = false

  constructor (readonly turn: TurnIdentity & MeteredTurn, private generation: number, readonly options: RecorderOptions) {
    this.#meter = new TurnMeter(turn, options)
    this.#rows = new TurnRows(turn, options)
    this.#frames = new TurnFrames(turn, { ...options, meter: this.#meter, rows: this.#rows })
    this.#fold = new TurnFold(turn, { ...options, meter: this.#meter, rows: this.#rows, frames: this.#frames })
  }

  /** Names the model once it is chosen: prices and the context window come from it. */
  useModel (model: TurnModel): void { this.#fold.models.current = model }

  /** Names another model that the run may go on with. */
  knowModel (model: TurnModel): void {
    this.#fold.models.know(model)
    // The run may name it to another process of the service.
    if (this.#fold.held !== this.#heldBack) this.#commit([])
  }

  /** The model that answers now: after a fallback another one than was chosen. Null until it is chosen. */
  get model (): TurnModel | null { return this.#fold.models.current }

  /** It had waited for a limit to pass, and nothing was heard of it since. */
  get isResuming (): boolean { return this.#isResuming }
  /** The calls that are under way. */
  get running (): RunningCall[] { return this.#fold.running }

  /** Text of the answer so far. */
  get answer (): string { return this.#fold.answer }

  /** What the last model call has said. */
  get finalText (): string { return this.#fold.finalText }

  /** Why the last answer is not whole; null when it is. */
  get cut (): CutShort | null { return this.#fold.cut }

  /** Takes up where a stop of the service has left off: the step that was heard in part, and the calls that have no result. */
  restore (heard: Heard, open: OpenCalls): void {
    const used = this.options.usageLog.ofTurn(this.turn.streamId)
    if (used !== undefined) this.#meter.restore(used)
    this.#rows.restore(open.position, open.madeAt ?? [])
    this.#fold.restore(heard, open.calls)
  }

  /** The same for a run that has outlived the stop: what it says next comes behind what is stored, as if nothing had been. */
  restoreRun (left: RunRemains): void {
    this.#heldBack = this.options.store.heldOf(this.turn.streamId)
    this.#isResuming = this.options.store.parked(this.turn.streamId) !== undefined
    this.restore(left.heard, left.open)
    this.#rows.finalMessageId = left.finalMessageId
    this.#fold.restoreRun(left)
    const { lastPromptTokens } = this.options.sessions.get(this.turn.sessionId)
    this.#meter.restoreRun({
      lastPromptTokens: left.finalMessageId === null ? null : lastPromptTokens, usageSource: left.held.source ?? null,
      firstTokenMs: left.firstTokenMs, chars: this.answer.length
    })
  }

  /** Folds a batch; `end` is for the owner of the turn. `seq`: number of the last of them, where the run may outlive the service. */
  apply (events: RunEvent[], seq?: number): void {
    const actions: Write[] = []
    if (this.#isResuming && events.some(({ t }) => t !== 'warning' && t !== 'span' && t !== 'end')) {
      this.#isResuming = false
      actions.push(() => {
        this.options.store.unpark(this.turn.streamId)
        return []
      })
    }
    for (const event of events) this.#fold.take(event, actions)
    if (actions.length > 0 || seq !== undefined || this.#fold.held !== this.#heldBack) this.#commit(actions, seq)
  }

  /** The answer stands: the last frames of a turn that went well. The stream is free for the next turn from here on. */
  done ({
    addition, steerLeftover, terminalState, ephemeral
  }: { addition?: Write, steerLeftover?: string, terminalState?: GoodEnd, ephemeral?: boolean }): void {
    this.#commit([
      () => this.#leftover(steerLeftover),
      () => this.#frames.metering(true),
      () => addition?.() ?? [],
      () => {
        const { models, cut } = this.#fold
        this.#state('settling', terminalState ?? 'completed')
        return [this.#frames.session('done', ephemeral === true
          ? this.#frames.ephemeralFields(this.#fold.finalText, cut)
          : this.#frames.doneFields(terminalState, models.current, cut))]
      }
    ])
  }

  /** Sends frames of a settled turn, together with what `write` stores. */
  tell (write: Write): void {
    this.#commit([write])
  }

  /** Closes a settled turn, with what belongs to its end and came late. */
  end (addition?: Write): void {
    this.#commit([
      () => addition?.() ?? [],
      () => {
        this.#state('closed')
        return [frame('stream_end', { session_id: this.turn.sessionId })]
      }
    ])
  }

  /**
   * Leaves the turn to wait for the limit of a provider. `keepsText`: it goes on behind what it has said; otherwise the step is said anew,
   * and what was heard of it stands until then.
   */
  parked (parked: ParkedTurn, { keepsText }: { keepsText: boolean }): void {
    const { store, sessions } = this.options
    const { sessionId } = this.turn
    this.#commit([
      ...(keepsText ? [this.#fold.closeStep()] : []),
      () => {
        store.park(parked)
        sessions.changed('turn_parked', sessionId)
        return [frame('parked', { session_id: sessionId, ...toldOf(parked) })]
      }
    ])
  }

  /** It goes on, with a run whose events are counted anew. */
  resumed (): void {
    const { sessionId, streamId } = this.turn
    this.#commit([() => {
      this.options.sessions.changed('turn_resumed', sessionId)
      return [frame('resumed', { session_id: sessionId, stream_id: streamId })]
    }], 0)
  }

  /** Keeps what was heard, says what went wrong, and closes. */
  failed (failure: RunError, { terminalState = 'errored', steerLeftover }: { terminalState?: string, steerLeftover?: string } = {}): void {
    // Nobody can send anything to a sub-agent.
    const error = this.turn.kind === 'delegate' && failure.type === 'interrupted' ? { ...failure, hint: subAgentHint } : failure
    const told = this.#fold.finish()
    const keep = this.#fold.unfinished()
    this.#fold.forget()
    this.#commit([
      () => this.#leftover(steerLeftover),
      () => {
        keep()
        return told
      },
      () => {
        this.#rows.error(error)
        this.#state('closed', terminalState)
        return [this.#frames.session('apperror', {
          error: error.message,
          message: error.message,
          type: error.type,
          ...(error.hint === undefined ? {} : { hint: error.hint }),
          ...(error.limit?.waitMs == null ? {} : { retry_after: Math.ceil(error.limit.waitMs / 1_000) }),
          ...(error.type === 'interrupted' ? { recovery_control: true as const, stream_id: this.turn.streamId } : {}),
          session_id: this.turn.sessionId,
          terminal_state: terminalState
        })]
      }
    ])
  }

  /**
   * Frees the session at once: the partial answer is stored and the generation raised, so that whatever the run still
   * sends is refused. {@link cancelled} follows when the run has stopped.
   */
  cancel (): void {
    const { db, store, sessions, prompts } = this.options
    const next = this.generation + 1
    // What was heard is looked at after the pending writes are through, where the disk takes them. Where it does not, this
    // waits behind them: the run is to be stopped now, and not when there is room again.
    db.catchUp()
    const keep = this.#fold.unfinished()
    db.soonest(() => {
      keep()
      prompts.abandon(this.turn.streamId)
      store.unpark(this.turn.streamId)
      store.fence(this.turn.streamId, next)
      sessions.changed('session_cancelled', this.turn.sessionId)
    })
    this.generation = next
    this.#fold.forget()
  }

  cancelled (): void {
    const told = this.#fold.finish()
    this.#commit([
      () => told,
      () => this.#leftover(),
      () => {
        this.#state('closed')
        return [this.#frames.session('cancel', {
          type: 'cancelled', status: 'cancelled', message: 'The turn was cancelled', session_id: this.turn.sessionId
        })]
      }
    ])
  }

  /** Hands back what was typed into the turn and never reached the model. */
  #leftover (text?: string): NewFrame[] {
    const kept = this.options.store.returnSteers(this.turn.streamId)
    const returned = text ?? kept.join('\n')
    return returned === '' ? [] : [this.#frames.handedBack('pending_steer_leftover', { session_id: this.turn.sessionId, text: returned })]
  }

  #nowS (): number {
    return epochSeconds(this.options.clock)
  }

  #state (state: 'settling' | 'closed', terminalState: string | null = null): void {
    const { store, prompts, sessions } = this.options
    store.unpark(this.turn.streamId)
    if (state === 'closed') prompts.abandon(this.turn.streamId)
    store.setState(this.turn.streamId, this.generation, state, terminalState, this.#nowS())
    sessions.changed('session_updated', this.turn.sessionId)
  }

  #commit (actions: Write[], runSeq?: number): void {
    const { events, store } = this.options
    const { streamId } = this.turn
    const generation = this.generation
    const { held } = this.#fold
    const isHeldNew = held !== this.#heldBack
    this.#heldBack = held
    events.commit(streamId, generation, () => {
      const frames: NewFrame[] = []
      for (const action of actions) {
        for (const entry of action()) {
          if (entry === foldedMark) store.markFolded(streamId, generation, frames.length)
          else frames.push(entry)
        }
      }
      if (isHeldNew) store.setHeld(streamId, generation, held)
      return frames
    }, this.options.onRefused, runSeq)
  }
}
