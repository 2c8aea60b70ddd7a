import { type chatFrames } from '../../../schemas/chat.js'
import { type CutShort, type GoodEnd, type RunError, type RunEvent, type ToolCall } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { framesOf, type EventBroker, type NewFrame } from '../../ground/events/index.js'
import { type Listeners } from '../../ground/listeners.js'
import { type Prompts } from '../prompts/index.js'
import { type Sessions } from '../sessions/index.js'
import { type CallEvents } from './call-events.js'
import { type OwnedSteer, type SteerEvents } from './steer-events.js'
import { toldOf, type ParkedTurn } from './parking/rows.js'
import { type TurnStore } from './rows.js'
import { type StoredRun, type OpenCalls } from './recovery/stored-run.js'
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
  /** Its place in a trace, in the form of {@link TurnTraces}; null: it is not traced. */
  trace: string | null
}

export interface RecorderOptions extends MeterOptions {
  db: Database
  events: EventBroker
  store: TurnStore
  sessions: Sessions
  prompts: Prompts
  clock: Clock
  listeners: Pick<Listeners<CallEvents & SteerEvents>, 'emit' | 'emitInWrite'>
  /** Null: turns are not traced. */
  traces: TurnTraces | null
  /** Called when a write was refused because a newer generation owns the stream. */
  onRefused: (error: Error) => void
}

/**
 * Records one turn: each batch of its events, and its end, in one transaction of message rows and frames. Live frames, replayed frames and
 * stored messages come from the same fold, so they cannot differ.
 */
export class TurnRecorder {
  readonly #rows: TurnRows
  readonly #meter: TurnMeter
  readonly #frames: TurnFrames
  readonly #fold: TurnFold
  /** The held back part as the database has it. */
  #heldBack: string | null = null
  #isResuming = false

  constructor (readonly turn: TurnIdentity & MeteredTurn, private generation: number, readonly options: RecorderOptions) {
    this.#meter = new TurnMeter(turn, options)
    this.#rows = new TurnRows(turn, options)
    this.#frames = new TurnFrames(turn, { ...options, meter: this.#meter, rows: this.#rows })
    this.#fold = new TurnFold(turn, { ...options, meter: this.#meter, rows: this.#rows, frames: this.#frames })
  }

  /** Sets the model once it is chosen: prices and the context window come from it. */
  useModel (model: TurnModel): void { this.#fold.models.current = model }

  /** Adds another model that the run may continue with. */
  knowModel (model: TurnModel): void {
    this.#fold.models.know(model)
    // After a restart, the run may name this model to the next service.
    if (this.#fold.held !== this.#heldBack) this.#commit([])
  }

  /** The model that answers now; after a fallback, another one than was chosen. Null until one is chosen. */
  get model (): TurnModel | null { return this.#fold.models.current }

  /** Whether it was parked, and has sent nothing since it continues. */
  get isResuming (): boolean { return this.#isResuming }
  /** The calls that are running. */
  get running (): RunningCall[] { return this.#fold.running }

  /** Returns the arguments of a call that is under way; none for other calls. */
  argsOf (callId: string): ToolCall['args'] { return this.#fold.argsOf(callId) }

  /** Text of the answer so far. */
  get answer (): string { return this.#fold.answer }

  /** Text of the last model call. */
  get finalText (): string { return this.#fold.finalText }

  /** Why the last answer is incomplete; null if it is complete. */
  get cut (): CutShort | null { return this.#fold.cut }

  /** Restores the state before a restart of the service: the incomplete step, and the calls without a result. */
  restore (heard: Heard, open: OpenCalls): void {
    const used = this.options.usageLog.ofTurn(this.turn.streamId)
    if (used !== undefined) this.#meter.restore(used)
    this.#rows.restore(open.position, open.madeAt ?? [])
    this.#fold.restore(heard, open)
  }

  /** Does the same for a run that has outlived the restart: its next events continue what is stored, as if nothing had happened. */
  restoreRun (left: StoredRun): void {
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

  /** Records a batch of events; `end` is left to the turn's owner. `seq`: number of the last event, if the run can outlive the service. */
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

  /** Sends the last frames of a successful turn. From here on, the session is free for the next turn. */
  done ({ addition, terminalState, ephemeral }: { addition?: Write, terminalState?: GoodEnd, ephemeral?: boolean }): void {
    this.#commit([
      () => this.#leftover(),
      () => this.#frames.metering(true),
      () => addition?.() ?? [],
      (framesBefore) => {
        const { models, cut } = this.#fold
        this.#state('settling', terminalState ?? 'completed')
        return [this.#frames.session('done', ephemeral === true
          ? this.#frames.ephemeralFields(this.#fold.finalText, cut)
          : this.#frames.doneFields(terminalState, models.current, cut), framesBefore)]
      }
    ])
  }

  /** Sends frames of a settled turn, together with what `write` stores. */
  tell (write: Write): void {
    this.#commit([write])
  }

  /** Closes a settled turn, with an addition that came late. */
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
   * Parks the turn until the limit of its provider is over. `keepsText`: it continues after its text so far; otherwise the step is
   * repeated, and its text stands until then.
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

  /** Called when the turn continues, with a run whose events are numbered from 1. */
  resumed (): void {
    const { sessionId, streamId } = this.turn
    this.#commit([() => {
      this.options.sessions.changed('turn_resumed', sessionId)
      return [frame('resumed', { session_id: sessionId, stream_id: streamId })]
    }], 0)
  }

  /** Stores the text so far, sends the error, and closes the turn. */
  failed (failure: RunError, { terminalState = 'errored' }: { terminalState?: string } = {}): void {
    // A person cannot send a message to a sub-agent, so the usual hint would be wrong.
    const error = this.turn.kind === 'delegate' && failure.type === 'interrupted' ? { ...failure, hint: subAgentHint } : failure
    const told = this.#fold.finish()
    const keep = this.#fold.unfinished()
    this.#fold.forget()
    this.#commit([
      () => this.#leftover(),
      () => {
        keep()
        return told
      },
      (framesBefore) => {
        this.#rows.error(error)
        this.#state('closed', terminalState)
        return [this.#frames.session('apperror', {
          error: error.message,
          message: error.message,
          type: error.type,
          ...(error.hint === undefined ? {} : { hint: error.hint }),
          ...(error.about === undefined ? {} : { about: error.about }),
          ...(error.limit?.waitMs == null ? {} : { retry_after: Math.ceil(error.limit.waitMs / 1_000) }),
          ...(error.type === 'interrupted' ? { recovery_control: true as const, stream_id: this.turn.streamId } : {}),
          session_id: this.turn.sessionId,
          terminal_state: terminalState
        }, framesBefore)]
      }
    ])
  }

  /**
   * Frees the session at once: stores the partial answer and raises the generation, so that later events of the run are refused.
   * {@link cancelled} follows when the run has stopped.
   */
  cancel (): void {
    const { db, store, sessions, prompts } = this.options
    const next = this.generation + 1
    // Pending writes come first, so that the text is complete. If the disk refuses them, this write waits behind them, but the run is
    // stopped now, not when there is room again.
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
      (framesBefore) => {
        this.#state('closed')
        return [this.#frames.session('cancel', {
          type: 'cancelled', status: 'cancelled', message: 'The turn was cancelled', session_id: this.turn.sessionId
        }, framesBefore)]
      }
    ])
  }

  /** Returns unread texts by themselves, for a turn whose end cannot be stored as usual. */
  returnSteers (): void {
    this.#commit([() => this.#leftover()])
  }

  /** Returns texts that were sent to the turn but never reached the model: to the person who typed them, or to their owners. */
  #leftover (): NewFrame[] {
    const { store, listeners } = this.options
    const { streamId, sessionId } = this.turn
    const typed: string[] = []
    const owned: OwnedSteer[] = []
    for (const { text, origin } of store.returnSteers(streamId)) {
      if (origin === null) typed.push(text)
      else owned.push({ text, origin })
    }
    if (owned.length > 0) listeners.emitInWrite('steersReturned', sessionId, owned)
    return typed.length === 0
      ? []
      : [this.#frames.handedBack('pending_steer_leftover', { session_id: sessionId, text: typed.join('\n') })]
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

  /** `framesBefore`: how many frames are stored with those of an action, before them. */
  #commit (actions: Array<(framesBefore: number) => NewFrame[]>, runSeq?: number): void {
    const { events, store } = this.options
    const { streamId } = this.turn
    const generation = this.generation
    const { held } = this.#fold
    const isHeldNew = held !== this.#heldBack
    this.#heldBack = held
    events.commit(streamId, generation, () => {
      const frames: NewFrame[] = []
      for (const action of actions) {
        for (const entry of action(frames.length)) {
          if (entry === foldedMark) store.markFolded(streamId, generation, frames.length)
          else frames.push(entry)
        }
      }
      if (isHeldNew) store.setHeld(streamId, generation, held)
      return frames
    }, this.options.onRefused, runSeq)
  }
}
