import { type Static } from '@sinclair/typebox'
import { type chatFrames } from '../../schemas/chat.js'
import { type RunError, type RunEvent, type ToolCall } from '../agent/protocol.js'
import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { framesOf, type EventBroker, type NewFrame } from '../ground/events/index.js'
import { foresightToWire, type Prompts } from '../prompts/index.js'
import { cardSnippet, type Sessions } from '../sessions/index.js'
import { LiveText } from './live-text.js'
import { TurnFrames } from './turn-frames.js'
import { TurnMeter, type MeterOptions, type TurnModel } from './turn-meter.js'
import { type Write } from './turn-plan.js'
import { TurnRows } from './turn-rows.js'

const frame = framesOf<typeof chatFrames>()

export interface TurnIdentity {
  streamId: string
  sessionId: string
  profile: string
  startedAtS: number
  /** The session that shows its prompts. */
  promptsIn: string
}

export interface RecorderOptions extends MeterOptions {
  db: Database
  events: EventBroker
  sessions: Sessions
  prompts: Prompts
  clock: Clock
  /** Called when a write was refused because a newer generation owns the stream. */
  onRefused: (error: Error) => void
}

type Step = Extract<RunEvent, { t: 'step' }>
type Compressed = Extract<RunEvent, { t: 'compressed' }>
type ToolComplete = Extract<RunEvent, { t: 'tool_complete' }>
/** Part of a write. */
type Action = Write

/**
 * Folds the events of one turn into message rows and frames, each batch in one transaction. What is live, what is
 * replayed and what is settled come from the same fold, so they cannot differ.
 */
export class TurnRecorder {
  /** What has been heard since the last finished step; a cancel or crash leaves it as a partial message. */
  #text = ''
  #reasoning = ''
  #answer = ''
  #finalText = ''
  #openCalls = new Map<string, ToolCall>()
  readonly #rows: TurnRows
  readonly #meter: TurnMeter
  readonly #frames: TurnFrames
  readonly #live: LiveText
  /** What the database knows of what is held back. */
  #heldBack: string | null = null
  #model: TurnModel | null = null

  constructor (readonly turn: TurnIdentity, private generation: number, readonly options: RecorderOptions) {
    this.#meter = new TurnMeter(turn, options)
    this.#rows = new TurnRows(turn, options)
    this.#frames = new TurnFrames(turn, { ...options, meter: this.#meter, rows: this.#rows })
    this.#live = new LiveText(options.sessions.isMasked)
  }

  /** Names the model once it is chosen: prices and the context window come from it. */
  useModel (model: TurnModel): void { this.#model = model }

  /** Text of the answer so far. */
  get answer (): string { return this.#answer }

  /** What the last model call has said. */
  get finalText (): string { return this.#finalText }

  /** Takes up where a stop of the service has left off: the step that was heard in part, and the calls that have no result. */
  restore (heard: { text: string, reasoning: string }, open: { position: number, calls: ToolCall[] }): void {
    this.#text = heard.text
    this.#reasoning = heard.reasoning
    const used = this.options.store.usageOf(this.turn.streamId)
    if (used !== undefined) this.#meter.restore(used)
    this.#rows.assistantPosition = open.position
    for (const call of open.calls) this.#openCalls.set(call.id, call)
  }

  /** Folds a batch; `end` is for the owner of the turn. */
  apply (events: RunEvent[]): void {
    const actions: Action[] = []
    for (const event of events) this.#fold(event, actions)
    if (actions.length > 0 || this.#live.held !== this.#heldBack) this.#commit(actions)
  }

  /** The answer stands: the last frames of a turn that went well. The stream is free for the next turn from here on. */
  done ({ addition, steerLeftover, terminalState, ephemeral }: { addition?: Write, steerLeftover?: string, terminalState?: 'tool_limit_reached', ephemeral?: boolean }): void {
    this.#commit([
      () => this.#leftover(steerLeftover),
      () => this.#frames.metering(true),
      () => addition?.() ?? [],
      () => {
        this.#state('settling', terminalState ?? 'completed')
        return [this.#frames.session('done', ephemeral === true ? this.#frames.ephemeralFields(this.#finalText) : this.#frames.doneFields(terminalState, this.#model))]
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

  /** Keeps what was heard, says what went wrong, and closes. */
  failed (error: RunError, { terminalState = 'errored', steerLeftover }: { terminalState?: string, steerLeftover?: string } = {}): void {
    const partial = this.#partial()
    this.#commit([
      () => this.#leftover(steerLeftover),
      partial,
      () => {
        this.#rows.error(error)
        this.#state('closed', terminalState)
        return [this.#frames.session('apperror', {
          error: error.message,
          message: error.message,
          type: error.type,
          ...(error.hint === undefined ? {} : { hint: error.hint }),
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
    const [text, reasoning, calls] = [this.#text, this.#reasoning, [...this.#openCalls.values()]]
    const book = this.#countUnfinished()
    db.soonest(() => {
      book()
      this.#rows.partial(text, reasoning, calls)
      prompts.abandon(this.turn.streamId)
      store.fence(this.turn.streamId, next)
      sessions.changed('session_cancelled', this.turn.sessionId)
    })
    this.generation = next
    this.#forget()
  }

  cancelled (): void {
    const told = this.#live.finish()
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

  #fold (event: RunEvent, actions: Action[]): void {
    switch (event.t) {
      case 'end':
        return
      case 'token':
        this.#text += event.text
        this.#answer += event.text
        return this.#heard(event.text.length, this.#live.say('token', event.text), actions)
      case 'reasoning':
        this.#reasoning += event.text
        return this.#heard(event.text.length, this.#live.say('reasoning', event.text), actions)
      case 'segment': {
        const told = [...this.#live.finish(), this.#frame('interim_assistant', { text: event.text, already_streamed: true })]
        actions.push(() => told)
        return
      }
      case 'retracted': {
        this.#answer = this.#answer.slice(0, Math.max(0, this.#answer.length - this.#text.length))
        this.#text = ''
        this.#reasoning = ''
        this.#live.drop()
        // Of the segment that begins anew nothing stands: clients that replace it do so, those that append have nothing to append.
        const told = frame('interim_assistant', { text: '', already_streamed: false })
        actions.push(() => [told])
        return
      }
      case 'step':
        actions.push(this.#step(event))
        return
      case 'tool': {
        const { id, name, preview, args, foresight } = event
        const told = this.#frame('tool', { event_type: 'tool.started', name, preview, args, id, tool_call_id: id, tid: id, ...foresightToWire(foresight) })
        actions.push(() => [told])
        return
      }
      case 'tool_complete':
        this.#openCalls.delete(event.id)
        actions.push(this.#toolComplete(event))
        return
      case 'ask':
        actions.push(() => {
          this.options.prompts.opened(this.turn.promptsIn, event)
          return []
        })
        return
      case 'ask_closed':
        actions.push(() => {
          this.options.prompts.settled(event.askId, event.how)
          return []
        })
        return
      case 'steered':
        actions.push(() => this.#steered(event.texts))
        return
      case 'todo':
        actions.push(() => this.#frames.todos(event.todos))
        return
      case 'compressing': {
        const told = frame('compressing', { session_id: this.turn.sessionId, message: 'The conversation has become long; its earlier part is being summarised.' })
        actions.push(() => [told])
        return
      }
      case 'compressed':
        actions.push(this.#compressed(event))
        return
      case 'warning': {
        const told = this.#frame('warning', { type: event.kind, message: event.message })
        actions.push(() => [told])
      }
    }
  }

  #heard (chars: number, told: NewFrame[], actions: Action[]): void {
    const isTime = this.#meter.heard(chars)
    if (told.length > 0) actions.push(() => told)
    if (!isTime) return
    const metering = this.#frames.metering(false)
    actions.push(() => metering)
  }

  /** One model call is complete: its row, its tokens, and the mark up to where the journal is folded. */
  #step ({ message, toolCalls, usage: step }: Step): Action {
    const { sessions } = this.options
    const content = this.#text
    const reasoning = this.#reasoning
    this.#text = ''
    this.#reasoning = ''
    this.#finalText = content
    for (const call of toolCalls) this.#openCalls.set(call.id, call)
    const told = this.#live.finish()
    const book = this.#meter.count(step, this.#model)
    const fields = {
      ...(reasoning === '' ? {} : { reasoning }),
      ...(toolCalls.length === 0 ? this.#meter.rowFields(this.#model?.id ?? null) : {})
    }
    return () => {
      this.#rows.assistant(content, toolCalls, fields, message)
      book()
      sessions.changed('session_updated', this.turn.sessionId)
      return [...told, foldedMark]
    }
  }

  /** A call that was broken off reports no tokens: what was heard of it is counted instead. */
  #countUnfinished (): () => void {
    const heard = this.#text.length + this.#reasoning.length
    return heard === 0 ? () => {} : this.#meter.countHeard(heard, this.options.sessions.get(this.turn.sessionId).lastPromptTokens, this.#model)
  }

  /** The summary takes the place of earlier rows for the model; the rows stay. */
  #compressed ({ summary, keptRows, tokensBefore, tokensAfter, usage }: Compressed): Action {
    const { sessions } = this.options
    const { sessionId } = this.turn
    const book = this.#meter.count(usage, this.#model)
    return () => {
      book()
      sessions.transcript.compress(sessionId, { summary, keptRows, contextTokens: tokensAfter })
      sessions.changed('session_compressed', sessionId)
      return [frame('compressed', {
        session_id: sessionId, old_session_id: sessionId, new_session_id: sessionId, continuation_session_id: sessionId,
        message: `The earlier part of the conversation was summarised: about ${tokensBefore} tokens became ${tokensAfter}.`,
        usage: { context_tokens_before: tokensBefore, post_compression_context_tokens_estimate: tokensAfter }
      })]
    }
  }

  #toolComplete ({ id, name, preview, args, isError, durationS, result, replay }: ToolComplete): Action {
    const duration = Math.round(durationS * 1000) / 1000
    const snippet = cardSnippet(result)
    const told = this.#frame('tool_complete', {
      event_type: 'tool.completed', name, preview: snippet, args, id, tool_call_id: id, tid: id, is_error: isError, duration, command: preview
    })
    return () => {
      this.#rows.tool({ id, name, args }, result, replay, { isError, duration })
      this.options.sessions.changed('session_updated', this.turn.sessionId)
      return [told]
    }
  }

  /** Takes what is open out of the fold and leaves it in rows. */
  #partial (): Action {
    const content = this.#text
    const reasoning = this.#reasoning
    const calls = [...this.#openCalls.values()]
    const told = this.#live.finish()
    const book = this.#countUnfinished()
    this.#forget()
    return () => {
      book()
      this.#rows.partial(content, reasoning, calls)
      return told
    }
  }

  #forget (): void {
    this.#text = ''
    this.#reasoning = ''
    this.#openCalls.clear()
  }

  #steered (texts: string[]): NewFrame[] {
    for (const text of texts) this.#rows.steer(text)
    this.options.store.applySteers(this.turn.streamId, texts.length)
    this.options.sessions.changed('session_updated', this.turn.sessionId)
    return []
  }

  /** Hands back what was typed into the turn and never reached the model. */
  #leftover (text?: string): NewFrame[] {
    const kept = this.options.store.returnSteers(this.turn.streamId)
    const returned = text ?? kept.join('\n')
    return returned === '' ? [] : [this.#frame('pending_steer_leftover', { session_id: this.turn.sessionId, text: returned })]
  }

  /** As it is shown. */
  #frame<Event extends keyof typeof chatFrames> (event: Event, data: Static<typeof chatFrames[Event]>): NewFrame {
    return frame(event, this.options.sessions.shown(data))
  }

  #nowS (): number {
    return epochSeconds(this.options.clock)
  }

  #state (state: 'settling' | 'closed', terminalState: string | null = null): void {
    const { store, prompts, sessions } = this.options
    if (state === 'closed') prompts.abandon(this.turn.streamId)
    store.setState(this.turn.streamId, this.generation, state, terminalState, this.#nowS())
    sessions.changed('session_updated', this.turn.sessionId)
  }

  #commit (actions: Action[]): void {
    const { events, store } = this.options
    const { streamId } = this.turn
    const generation = this.generation
    const { held } = this.#live
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
    }, this.options.onRefused)
  }
}

/** Stands among the frames of a write for "everything before this is in message rows". */
const foldedMark: NewFrame = { event: '', data: '' }
