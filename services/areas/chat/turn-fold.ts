import { type chatFrames } from '../../../schemas/chat.js'
import { type CutShort, type RunEvent, type ToolCall } from '../../agent/protocol.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { visible } from '../../ground/visible.js'
import { foresightToWire, type Prompts } from '../prompts/index.js'
import { cardSnippet, type Sessions } from '../sessions/index.js'
import { type UsageLog } from '../usage/index.js'
import { CallOutputs } from './call-outputs.js'
import { type HeldBack, type RunRemains } from './recovery/run-remains.js'
import { LiveText, type Heard } from './live-text.js'
import { type TurnStore } from './rows.js'
import { cutToWire, type TurnFrames } from './turn-frames.js'
import { type TurnMeter, type TurnModel } from './turn-meter.js'
import { type Write } from './turn-plan.js'
import { type TurnRows } from './turn-rows.js'
import { type TurnTraces } from './turn-traces.js'

const frame = framesOf<typeof chatFrames>()

export interface FoldOptions {
  sessions: Sessions
  prompts: Prompts
  store: TurnStore
  meter: TurnMeter
  usageLog: Pick<UsageLog, 'addToolCall'>
  rows: TurnRows
  frames: TurnFrames
  traces: TurnTraces | null
}

type Step = Extract<RunEvent, { t: 'step' }>
type Compressed = Extract<RunEvent, { t: 'compressed' }>
type ToolComplete = Extract<RunEvent, { t: 'tool_complete' }>

/** A call that is under way. */
export interface RunningCall { name: string, preview: string }

const keyOf = ({ provider, id }: Pick<TurnModel, 'provider' | 'id'>): string => `${provider} ${id}`

/** Stands among the frames of a write for "everything before this is in message rows". */
export const foldedMark: NewFrame = { event: '', data: '' }

/**
 * What the events of one turn come to: the text and the calls of the step that is running, and for each event the rows and
 * frames that it makes, as parts of a write.
 */
export class TurnFold {
  /** Text of the answer so far. */
  answer = ''
  /** What the last model call has said. */
  finalText = ''
  /** Why the last answer is not whole. */
  cut: CutShort | null = null
  /** Prices and the context window come from it; null until it is chosen. */
  model: TurnModel | null = null
  /** What has been heard since the last finished step; a cancel or crash leaves it as a partial message. */
  #text = ''
  #reasoning = ''
  /** How many characters of that are in the books already, as their provider has counted them. */
  #counted = 0
  /** Other models that were named to the run, by {@link keyOf}. */
  readonly #others = new Map<string, TurnModel>()
  readonly #openCalls = new Map<string, ToolCall>()
  /** Calls that have begun, by their ids. */
  readonly #running = new Map<string, RunningCall>()
  readonly #live: LiveText
  readonly #outputs: CallOutputs

  constructor (
    readonly turn: { streamId: string, sessionId: string, profile: string, promptsIn: string, trace: string | null },
    readonly options: FoldOptions
  ) {
    this.#live = new LiveText(options.sessions.isMasked)
    this.#outputs = new CallOutputs(options.sessions.isMasked)
  }

  /** Makes a model known that the run may go on with. */
  know (model: TurnModel): void {
    this.#others.set(keyOf(model), model)
  }

  /** Takes up where a stop of the service has left off: the step that was heard in part, and the calls that have no result. */
  restore (heard: Heard, openCalls: ToolCall[]): void {
    this.#text = heard.text
    this.#reasoning = heard.reasoning
    this.#counted = heard.countedChars
    for (const call of openCalls) {
      this.#openCalls.set(call.id, call)
      this.#running.set(call.id, { name: call.name, preview: '' })
    }
  }

  /** Goes on with a run that has outlived a stop of the service; the model is named apart. */
  restoreRun ({ answer, finalText, told, held: { cut, models } }: RunRemains): void {
    this.answer = answer + this.#text
    this.finalText = finalText
    this.cut = cut ?? null
    for (const model of models ?? []) this.know(model)
    this.#live.restore(told)
    this.#outputs.restore(this.#openCalls.keys())
  }

  /** What a recovery needs to know and no frame tells, as JSON; null when there is nothing. */
  get held (): string | null {
    const { held } = this.#live
    const { usageSource } = this.options.meter
    const back: HeldBack = {
      ...held,
      ...(this.#counted === 0 ? {} : { counted: this.#counted }),
      ...(this.cut === null ? {} : { cut: this.cut }),
      ...(this.#others.size === 0 ? {} : { models: [...this.#others.values()] }),
      ...(usageSource === null ? {} : { source: usageSource })
    }
    return Object.keys(back).length === 0 ? null : JSON.stringify(back)
  }

  /** The calls that are under way, in the order in which they began; `preview` with credentials masked. */
  get running (): RunningCall[] {
    return [...this.#running.values()]
  }

  /** Nothing more is said in this step: the frames of what was held back. */
  finish (): NewFrame[] {
    return this.#live.finish()
  }

  /** What stores what is unfinished, inside a write: the call that was broken off is counted, and what it said becomes rows. */
  unfinished (): () => void {
    const [text, reasoning, calls] = [this.#text, this.#reasoning, [...this.#openCalls.values()]]
    const book = this.#countUnfinished()
    return () => {
      book()
      this.options.rows.partial(text, reasoning, calls)
    }
  }

  /** Closes the step where it stands: what was said of it becomes a row, and what comes next is another paragraph. */
  closeStep (): Write {
    const text = this.#text
    const told = this.finish()
    const keep = this.unfinished()
    this.forget()
    return () => {
      keep()
      const segment = this.options.frames.shown('interim_assistant', { text, already_streamed: true })
      return [...told, ...(text.trim() === '' ? [] : [segment]), foldedMark]
    }
  }

  /** What was unfinished is stored. */
  forget (): void {
    this.#unhear()
    this.#openCalls.clear()
    this.#running.clear()
    this.#outputs.clear()
  }

  /** What an event makes of the turn, as parts of a write; `end` is for the owner of the turn. */
  take (event: RunEvent, actions: Write[]): void {
    const { frames, prompts, rows, store } = this.options
    const tell = (...told: NewFrame[]): void => { actions.push(() => told) }
    switch (event.t) {
      case 'end':
        return
      case 'span':
        return this.options.traces?.told(this.turn, event.said)
      case 'token':
        this.#text += event.text
        this.answer += event.text
        return this.#heard(event.text.length, this.#live.say('token', event.text), actions)
      case 'reasoning':
        this.#reasoning += event.text
        return this.#heard(event.text.length, this.#live.say('reasoning', event.text), actions)
      case 'segment':
        return tell(...this.#live.finish(), frames.shown('interim_assistant', { text: event.text, already_streamed: true }))
      case 'retracted':
        return this.#retracted(event.text ?? '', actions)
      case 'step':
        actions.push(this.#step(event))
        return
      case 'tool': {
        const { id, name, args, foresight, client } = event
        const preview = visible(this.options.sessions.shown(event.preview))
        this.#running.set(id, { name, preview })
        return tell(frames.shown('tool', {
          event_type: 'tool.started', name, preview, args, id, tool_call_id: id, tid: id,
          ...foresightToWire(foresight), ...(client === undefined ? {} : { client })
        }))
      }
      case 'tool_output':
        return tell(...this.#outputs.say(event))
      case 'tool_complete':
        this.#openCalls.delete(event.id)
        this.#running.delete(event.id)
        this.#outputs.forget(event.id)
        actions.push(this.#toolComplete(event))
        return
      case 'ask':
        actions.push(() => {
          prompts.opened(this.turn.promptsIn, event)
          return []
        })
        return
      case 'ask_closed':
        actions.push(() => {
          prompts.settled(event.askId, event.how)
          return []
        })
        return
      case 'reworded':
        actions.push(() => {
          rows.reword(event.text)
          return []
        })
        return
      case 'steered':
        actions.push(() => this.#steered(event.texts))
        return
      case 'todo':
        actions.push(() => frames.todos(event.todos))
        return
      case 'compressing': return tell(frame('compressing', {
        session_id: this.turn.sessionId, message: 'The conversation has become long; its earlier part is being summarised.'
      }))
      case 'compressed':
        actions.push(this.#compressed(event))
        return
      case 'warning': return tell(frames.shown('warning', { type: event.kind, message: event.message }))
      case 'side_usage': {
        const book = this.options.meter.countAside(event.slot, event.usage, this.#known(event))
        actions.push(() => this.#told(book()))
        return
      }
      case 'attempt_used': {
        this.#counted = this.#heardChars()
        const book = this.options.meter.countAside('retracted', event.usage, this.model)
        actions.push(() => this.#told(book()))
        return
      }
      case 'fallback': {
        const next = this.#others.get(keyOf(event))
        // What was never named to the run is none of this turn's models, whatever its host says.
        if (next === undefined) return
        this.model = next
        const told = frames.shown('warning', { type: 'fallback', message: event.message })
        actions.push(() => {
          // A turn that outlives a stop of the service goes on with the model that has answered.
          store.nameModel(this.turn.streamId, next.provider, next.id)
          return [told]
        })
      }
    }
  }

  /** One of the turn's models by its name; null for one that it never had. */
  #known (named: Pick<TurnModel, 'provider' | 'id'>): TurnModel | null {
    const isCurrent = this.model !== null && keyOf(this.model) === keyOf(named)
    return this.#others.get(keyOf(named)) ?? (isCurrent ? this.model : null)
  }

  /** Clients that replace the segment do so; for those that append, it begins a new paragraph. */
  #retracted (text: string, actions: Write[]): void {
    this.answer = this.answer.slice(0, Math.max(0, this.answer.length - this.#text.length)) + text
    this.#unhear()
    this.#text = text
    this.#heard(text.length, [this.#live.beginAnew(text)], actions)
  }

  #heard (chars: number, told: NewFrame[], actions: Write[]): void {
    const { meter, frames } = this.options
    const isTime = meter.heard(chars)
    if (told.length > 0) actions.push(() => told)
    if (!isTime) return
    const metering = frames.metering(false)
    actions.push(() => metering)
  }

  /** One model call is complete: its row, its tokens, and the mark up to where the journal is folded. */
  #step ({ message, toolCalls, usage: step, cut, told: source }: Step): Write {
    const { sessions, meter, rows, frames } = this.options
    const content = this.#text
    const reasoning = this.#reasoning
    this.#unhear()
    this.finalText = content
    this.cut = cut ?? null
    for (const call of toolCalls) this.#openCalls.set(call.id, call)
    const told = this.#live.finish()
    // A turn that ends on its budget says so itself.
    if (cut !== undefined && cut.reason !== 'budget_exhausted') {
      told.push(frames.shown('warning', { type: 'cut_short', message: `${cut.message} ${cut.hint}` }))
    }
    const book = source !== undefined ? meter.countTold(step, source, this.model) : step === null ? () => [] : meter.count(step, this.model)
    const fields = {
      ...(reasoning === '' ? {} : { reasoning }),
      ...cutToWire(cut),
      ...(toolCalls.length === 0 ? meter.rowFields(this.model) : {})
    }
    return () => {
      rows.assistant(content, toolCalls, fields, message)
      const budgets = book()
      sessions.changed('session_updated', this.turn.sessionId)
      return [...told, foldedMark, ...this.#told(budgets)]
    }
  }

  /** The frames that tell of budgets. */
  #told (messages: string[]): NewFrame[] {
    return messages.map((message) => this.options.frames.shown('warning', { type: 'budget', message }))
  }

  #heardChars (): number {
    return this.#text.length + this.#reasoning.length
  }

  #unhear (): void {
    [this.#text, this.#reasoning, this.#counted] = ['', '', 0]
  }

  /** A call that was broken off mostly reports no tokens: what was heard of it is counted then. */
  #countUnfinished (): () => void {
    const heard = this.#heardChars() - this.#counted
    return heard <= 0
      ? () => {}
      : this.options.meter.countHeard(heard, this.options.sessions.get(this.turn.sessionId).lastPromptTokens, this.model)
  }

  /** The summary takes the place of earlier rows for the model; the rows stay. */
  #compressed ({ summary, keptRows, tokensBefore, tokensAfter, usage }: Compressed): Write {
    const { sessions, meter } = this.options
    const { sessionId } = this.turn
    const book = meter.count(usage, this.model)
    return () => {
      const budgets = book()
      sessions.transcript.compress(sessionId, { summary, keptRows, contextTokens: tokensAfter })
      sessions.changed('session_compressed', sessionId)
      return [frame('compressed', {
        session_id: sessionId, old_session_id: sessionId, new_session_id: sessionId, continuation_session_id: sessionId,
        message: `The earlier part of the conversation was summarised: about ${tokensBefore} tokens became ${tokensAfter}.`,
        usage: { context_tokens_before: tokensBefore, post_compression_context_tokens_estimate: tokensAfter }
      }), ...this.#told(budgets)]
    }
  }

  #toolComplete ({ id, name, preview, args, isError, durationS, result, replay }: ToolComplete): Write {
    const { sessions, frames, rows, usageLog } = this.options
    const duration = Math.round(durationS * 1000) / 1000
    const snippet = cardSnippet(result)
    const told = frames.shown('tool_complete', {
      event_type: 'tool.completed', name, preview: snippet, args, id, tool_call_id: id, tid: id, is_error: isError, duration,
      command: preview
    })
    return () => {
      rows.tool({ id, name, args }, result, replay, { isError, duration })
      usageLog.addToolCall({ profile: this.turn.profile, tool: name, isError, durationS: duration })
      sessions.changed('session_updated', this.turn.sessionId)
      return [told]
    }
  }

  #steered (texts: string[]): NewFrame[] {
    const { sessions, store, rows } = this.options
    for (const text of texts) rows.steer(text)
    store.applySteers(this.turn.streamId, texts.length)
    sessions.changed('session_updated', this.turn.sessionId)
    return []
  }
}
